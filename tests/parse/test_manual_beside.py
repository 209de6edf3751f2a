"""What stands beside a manual's text and is none of it: line numbers, notes in the margin, initials, comments, form fields."""

from __future__ import annotations

from typing import Any

import pymupdf
import pytest
from tests.parse import made_manual as made
from tests.parse.test_manual_hostile import labels, maker, parse

from pincite.model import Document
from pincite.parse.pdf.read import read


def text_of(document: Document, label: str, role: str = "body") -> str:
    """What the blocks of a paragraph say, in one line."""
    (node,) = (node.node_id for node in document.nodes if node.label == label and node.kind == "paragraph")
    blocks = (block for block in document.partition if block.node_id == node and block.role == role)
    return " ".join(" ".join(document.pages[b.page - 1][b.start : b.end].decode() for b in blocks).split())


def pages_of(data: bytes) -> Any:
    return pymupdf.open(stream=data, filetype="pdf")


# --- line numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scheme", "every", "again", "x"),
    [
        ("dotted", 1, True, 28),
        ("dotted", 5, True, 28),
        ("dotted", 5, False, 28),
        ("dotted", 1, False, 560),
        ("plain", 1, True, 560),  # the numbers of the paragraphs go up too
    ],
)
def test_numbers_that_count_the_lines_are_no_text(scheme: str, every: int, again: bool, x: float) -> None:
    making = made.Maker(1, made.Layout(scheme, "helv", 10.0, True, False, 0.6, "a", False, False))
    wanted = [f"{chapter}.{n}" if scheme == "dotted" else f"{8 * chapter + n}" for chapter in (1, 2, 3) for n in range(1, 9)]
    for label in wanted:
        making.paragraph(label)
    document, counted = pages_of(making.done().data), 0
    whole = parse(document.tobytes())
    for page in document:
        counted = 0 if again else counted
        for line in sorted({round(word[3], 1) for word in page.get_text("words") if 70 < word[3] < 770}):
            counted += 1
            if counted % every == 0:
                page.insert_text((x, line - 2.5), str(counted), fontsize=8)
    seen = parse(document.tobytes())
    assert labels(seen) == wanted
    assert [text_of(seen, label) for label in wanted] == [text_of(whole, label) for label in wanted]


def test_short_numbered_paragraphs_are_not_counted_lines() -> None:
    making = maker("plain")
    for number in range(1, 60):
        making.y += 6
        making.room(2)
        making.shape.insert_text((making.LEFT - 30, making.y + making.leading), str(number), fontsize=10)
        making.line(making.LEFT, f"{making.sentence(6)}.")
    making.labels = [str(number) for number in range(1, 60)]
    assert labels(parse(making.done().data)) == making.labels


# --- notes in the margin ----------------------------------------------------------------------------------------------


class TwoColumns(made.TwoColumns):  # type: ignore[misc]
    """With room for notes left of the first column and right of the second."""

    COLUMNS = ((120.0, 290.0), (310.0, 480.0))
    LEFT, RIGHT = COLUMNS[0]


def test_notes_in_the_margins_belong_to_the_paragraphs_beside_them() -> None:
    making = TwoColumns(5, made.Layout("dotted", "helv", 9.0, False, False, 0.6, "", True, False))
    wanted = [f"{chapter}.{n}" for chapter in (1, 2, 3, 4) for n in range(1, 13)]
    noted: dict[str, str] = {}
    for number, label in enumerate(wanted):
        making.room(3)
        if number % 4 == 0:
            at = 50 if making.LEFT < 200 else 495
            y = making.y + making.layout.gap * making.leading + making.leading
            noted[label] = f"Regulation {number} of the Things Order"
            for step, line in enumerate((f"Regulation {number} of", "the Things Order")):
                making.shape.insert_text((at, y + 8 * step), line, fontsize=6.5)
        making.paragraph(label)
    seen = parse(making.done().data)
    assert labels(seen) == wanted
    assert {label: text_of(seen, label, "note") for label in noted} == noted
    assert not any("Regulation" in text_of(seen, label) for label in wanted)


def test_notes_in_the_margin_of_one_column_are_no_headings_where_they_begin_beside_any_line() -> None:
    class Indented(made.Maker):  # type: ignore[misc]
        LEFT = 170.0

    making = Indented(6, made.Layout("dotted", "helv", 10.0, False, False, 0.6, "", True, False))
    wanted = [f"{chapter}.{n}" for chapter in range(1, 9) for n in range(1, 13)]
    noted = []
    for number, label in enumerate(wanted):
        first, page = making.y, making.document.page_count
        making.paragraph(label)
        if making.document.page_count == page and making.y - first > 4 * making.leading:
            making.shape.insert_text((50, making.y - making.leading), f"Regulation {number} there", fontsize=7)
            noted.append(label)
    seen = parse(making.done().data)
    assert labels(seen) == wanted
    assert len(noted) > 15
    assert all("Regulation" in text_of(seen, label, "note") for label in noted)
    assert not any(node.kind == "heading" for node in seen.nodes)


def test_a_table_in_small_print_that_is_wider_than_the_text_has_no_notes() -> None:
    making = maker("plain")
    for number in range(1, 12):
        making.paragraph(str(number))
        making.y += 10
        for row in range(3):
            making.room(2)
            making.y += 11
            for x, text in ((20, f"Kind {row}"), (200, f"Amount {number}"), (545, "Weekly")):
                making.shape.insert_text((x, making.y), text, fontsize=7)
    seen = parse(making.done().data)
    assert labels(seen) == [str(number) for number in range(1, 12)]
    assert not any(block.role == "note" for block in seen.partition)


# --- initials ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("initial", "rest", "wanted"), [("T", "he claimant", "The claimant"), ("A", "claim is", "A claim is")])
def test_a_large_initial_is_the_first_letter_of_its_line(initial: str, rest: str, wanted: str) -> None:
    making = maker("dotted")
    for chapter in (1, 2):
        making.heading(f"{chapter} {making.sentence(3)}", 14)
        making.y += 8
        top = making.y
        for line in (f"{rest} paid for the whole of the period", "that the board has set, and for no", "longer than that."):
            making.line(making.LEFT + 34, line)
        making.shape.insert_text((making.LEFT, top + 3 * making.leading), initial, fontsize=40)
        for n in range(1, 5):
            making.paragraph(f"{chapter}.{n}")
    lines = [line.text for page in read(making.done().data, "made.pdf").pages for line in page.lines]
    assert sum(line == f"{wanted} paid for the whole of the period" for line in lines) == 2
    assert initial not in lines


# --- added to the page ------------------------------------------------------------------------------------------------


def annotated() -> Any:
    making = maker("stop")
    for number in range(1, 25):
        making.paragraph(str(number))
    return pages_of(making.done().data)


def test_a_comment_on_the_page_is_no_text_of_the_manual() -> None:
    document = annotated()
    whole = parse(document.tobytes())
    for page in document:
        page.add_freetext_annot(pymupdf.Rect(60, 300, 400, 330), "99. Delete this paragraph", fontsize=14)
    seen = parse(document.tobytes())
    assert [text_of(seen, label) for label in labels(seen)] == [text_of(whole, label) for label in labels(whole)]
    (role,) = {block.role for block in seen.partition if b"Delete this" in seen.pages[block.page - 1][block.start : block.end]}
    assert role == "page_furniture"


def test_what_a_form_field_holds_is_text_where_it_stands_and_no_title() -> None:
    document = annotated()
    page = document[0]
    field = pymupdf.Widget()
    field.field_type, field.field_name = pymupdf.PDF_WIDGET_TYPE_TEXT, "name"
    field.field_value, field.text_fontsize = "Asha Example of the Eastern District Office", 16
    field.rect = pymupdf.Rect(200, 762, 550, 785)
    page.insert_text((60, 778), "Name of the officer:", fontsize=10)
    page.add_widget(field)
    seen = parse(document.tobytes())
    assert labels(seen) == [str(number) for number in range(1, 25)]
    (role,) = {block.role for block in seen.partition if b"Asha" in seen.pages[block.page - 1][block.start : block.end]}
    assert role == "body"
