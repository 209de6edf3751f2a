"""Manuals in unusual layouts, each made for one trap: labels of every form, columns, margins, titles, turned pages, annexes."""

from __future__ import annotations

from typing import Any

import pymupdf
import pytest
from tests.parse import made_manual as made

from pincite.model import Document, Source, conserved
from pincite.parse.manual.structure import structure
from pincite.parse.pdf.read import read

SOURCE = Source("made", "1", "The Manual of Things", "", "application/pdf", "made.pdf", 1, "")


def maker(scheme: str, seed: int = 1, hanging: bool = True, size: float = 10.0, **more: Any) -> Any:
    return made.Maker(seed, made.Layout(scheme, "helv", size, hanging, False, 0.6, more.get("lists", "a"), True, False))


def parse(data: bytes, title: str = SOURCE.title) -> Document:
    document = structure(SOURCE._replace(title=title), read(data, "made.pdf", styled=False))
    assert conserved(document)
    return document


def labels(document: Document) -> list[str]:
    return [node.label for node in document.nodes if node.kind == "paragraph"]


def heading_of(document: Document, label: str) -> str:
    by_id = {node.node_id: node for node in document.nodes}
    (node,) = (node for node in document.nodes if node.label == label and node.kind == "paragraph")
    return by_id[node.parent_id or ""].heading


# --- labels -----------------------------------------------------------------------------------------------------------


def inserted(labels: list[str], every: int) -> list[str]:
    return [
        each for n, label in enumerate(labels) for each in ([label, f"{label}A", f"{label}B"] if n % every == 3 else [label])
    ]


@pytest.mark.parametrize(
    ("scheme", "wanted"),
    [
        ("flat", inserted([str(n) for n in range(77001, 77030)], 6)),
        ("lettered", inserted([f"P{n}" for n in range(4001, 4030)], 6)),
        ("dotted", inserted([f"{c}.{n}" for c in (1, 2, 3) for n in range(1, 11)], 6)),
        ("plain", inserted([str(n) for n in range(1, 30)], 6)),
        ("plain", [str(n) for n in range(985, 1015)]),
        ("flat", [f"{n:06d}" for n in range(71001, 71030)]),
    ],
    ids=["77007A", "P4006A", "1.4A", "9A", "past-999", "071001"],
)
def test_inserted_paragraphs_and_numbers_of_any_length(scheme: str, wanted: list[str]) -> None:
    making = maker(scheme)
    for number, label in enumerate(wanted):
        if number % 8 == 0:
            making.heading(making.sentence(3), 10)
        making.paragraph(label)
    assert labels(parse(making.done().data)) == wanted


@pytest.mark.parametrize(
    "form",
    ["§ {}", "Para {}", "[{}]", "({})", "EIM{:05d}", "3-{}.", "*{:05d}", "| {:05d}"],
)
def test_numbers_in_other_dress(form: str) -> None:
    making = maker("plain", hanging=False)
    numbers = range(511, 540) if ":05d" in form else range(1, 30)
    for number in numbers:
        if number % 8 == 1:
            making.heading(making.sentence(3), 11)
        making.y += 6
        making.room(2)
        for line in making.wrap(f"{form.format(number)} {making.text()}", making.RIGHT - making.LEFT):
            making.line(making.LEFT, line)
    found = labels(parse(making.done().data))
    assert [int("".join(c for c in label.split("-")[-1] if c.isdigit())) for label in found] == list(numbers)


# --- where the number stands --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [-3.0, 4.5], ids=["raised", "lowered"])
def test_a_number_in_the_margin_off_its_line(shift: float) -> None:
    making = maker("dotted")
    wanted = [f"{c}.{n}" for c in (1, 2, 3) for n in range(1, 11)]
    for label in wanted:
        making.y += 8
        making.room(3)
        making.shape.insert_text((making.LEFT, making.y + making.leading + shift), label, fontsize=9, fontname="hebo")
        for line in making.wrap(making.text(), 400):
            making.line(making.LEFT + 60, line)
    assert labels(parse(making.done().data)) == wanted


@pytest.mark.parametrize("form", ["2{:04d}", "1.{}"])
def test_a_number_on_the_line_above_its_text(form: str) -> None:
    making = maker("plain")
    wanted = [form.format(n) for n in range(1, 30)]
    for label in wanted:
        making.y += 10
        making.room(3)
        making.line(making.LEFT, label, bold=True)
        for line in making.wrap(making.text(), making.RIGHT - making.LEFT):
            making.line(making.LEFT, line)
    assert labels(parse(making.done().data)) == wanted


def test_two_columns_with_numbers_that_hang_into_the_gutter() -> None:
    making = made.TwoColumns(11, made.Layout("dotted", "helv", 9.0, True, False, 0.6, "a", True, False))
    wanted = [f"{c}.{n}" for c in range(1, 6) for n in range(1, 16)]
    for label in wanted:
        if label.endswith(".1"):
            making.heading(f"{label[0]} {making.sentence(3)}", 14)
        making.paragraph(label)
    assert labels(parse(making.done().data)) == wanted


def test_pages_whose_text_runs_along_the_side_are_read_upright() -> None:
    making = maker("flat")
    wanted = [str(n) for n in range(77001, 77040)]
    for label in wanted:
        making.paragraph(label)
    plain, turned = pymupdf.open(stream=making.done().data), pymupdf.open()
    for number in range(plain.page_count):
        page = turned.new_page(width=842, height=595) if number % 2 else turned.new_page(width=595, height=842)
        page.show_pdf_page(page.rect, plain, number, rotate=(90, 270)[number // 2 % 2] if number % 2 else 0)
    data = turned.tobytes()
    assert labels(parse(data)) == wanted
    assert [page.turn != 0 for page in read(data, "made.pdf").pages][:4] == [False, True, False, True]


def test_the_mark_on_a_turned_page_stands_where_its_words_do() -> None:
    from pincite.model import Span
    from pincite.parse.pdf.render import MARK, draw_page

    plain, turned = pymupdf.open(), pymupdf.open()
    plain.new_page(width=595, height=842).insert_text((60, 100), "A lamp is a light that is kept by a keeper.")
    page = turned.new_page(width=842, height=595)
    page.show_pdf_page(page.rect, plain, 0, rotate=90)
    data = turned.tobytes()
    text = read(data, "made.pdf").pages[0].text
    picture = pymupdf.Pixmap(draw_page(data, 1, (Span(1, 0, len(text), ""),), 144))
    x0, y0, x1, y1 = (round(2 * edge) for edge in page.get_text("words")[0][:4])
    colours = {picture.pixel(x, y) for x in range(x0, x1) for y in range(y0, y1)}
    assert any(all(abs(have - 255 * want) <= 2 for have, want in zip(colour, MARK, strict=True)) for colour in colours)


# --- headings -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["plain", "upper", "centred"])
def test_a_title_set_like_running_text_governs(style: str) -> None:
    making = maker("flat", seed=3)
    titles = {}
    for number in range(77001, 77031):
        if number % 5 == 1:
            title = making.sentence(3).upper() if style == "upper" else making.sentence(3)
            making.room(4)
            making.y += making.leading
            making.line((making.LEFT + making.RIGHT - making.width(title)) / 2 if style == "centred" else making.LEFT, title)
            making.y += 0.5 * making.leading
        titles[str(number)] = title
        making.paragraph(str(number))
    document = parse(making.done().data)
    assert {label: heading_of(document, label) for label in titles} == titles


def test_titles_inside_boxes_and_heads_of_tables_govern_nothing() -> None:
    making = maker("dotted", seed=4)
    making.heading("1 First things", 18)
    for number in range(1, 20):
        making.paragraph(f"1.{number}")
        if number % 4 == 0:
            making.room(9)
            making.y += making.leading
            making.line(making.LEFT + 10, f"Box 1.{number}: {making.sentence(4)}", True)
            making.line(making.LEFT + 10, making.sentence(5), True)
            making.line(making.LEFT + 20, making.sentence(8) + ".")
        if number % 5 == 0:
            making.room(6)
            making.y += making.leading
            making.line(making.LEFT + 20, "Row        Kind of income                 Weekly amount", True)
            for row in range(1, 5):
                making.line(making.LEFT + 20, str(row))
                for x, text in ((80, making.sentence(2)), (300, f"£{row}.50")):
                    making.shape.insert_text((making.LEFT + x, making.y), text, fontsize=10, fontname="helv")
    document = parse(making.done().data)
    assert labels(document) == [f"1.{number}" for number in range(1, 20)]
    assert {heading_of(document, label) for label in labels(document)} == {"1 First things"}


def test_a_chapter_label_above_its_title_and_a_section_title_of_two_lines() -> None:
    making = maker("dotted", seed=5)
    for chapter in (1, 2, 3):
        making.new_page()
        making.line(making.LEFT, f"Chapter {chapter}", True, 16)
        making.y += 8
        making.line(making.LEFT, "Use of public funds", True, 20)
        making.y += 12
        making.line(making.LEFT, f"{chapter}.1 Special responsibilities of accounting", True, 13)
        making.y += 3
        making.line(making.LEFT, "officers", True, 13)
        for number in range(1, 12):
            making.paragraph(f"{chapter}.1.{number}")
    document = parse(making.done().data)
    assert heading_of(document, "2.1.3") == "Special responsibilities of accounting officers"
    (section,) = (node for node in document.nodes if node.label == "2.1")
    assert section.parent_id == "made: Chapter 2 Use of public funds"


def test_a_bold_sentence_with_which_a_paragraph_begins_is_no_section() -> None:
    making = maker("dotted", hanging=False)
    wanted = [f"{c}.{n}" for c in (1, 2, 3) for n in range(1, 9)]
    for label in wanted:
        making.y += 6
        making.room(3)
        making.line(making.LEFT, f"{label} {making.sentence(3)}.", True)
        for line in making.wrap(making.text(), making.RIGHT - making.LEFT):
            making.line(making.LEFT, line)
    assert labels(parse(making.done().data)) == wanted


# --- annexes and contents -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["{number}", "{letter}{number}"])
def test_annexes_with_numbers_of_their_own(form: str) -> None:
    making = maker("plain", seed=6)
    for number in range(1, 40):
        making.paragraph(str(number))
    for letter in "ABC":
        making.new_page()
        making.heading(f"Annex {letter}: {making.sentence(2)}", 16)
        for number in range(1, 10):
            making.paragraph(form.format(letter=letter, number=number))
    document = parse(making.done().data)
    assert labels(document) == making.labels
    wanted = form.format(letter="B", number=3)
    assert f"made Annex B para {wanted}" in {node.node_id for node in document.nodes}


def test_the_contents_do_not_open_an_annex_and_the_main_text_leaves_one() -> None:
    making = maker("dotted", seed=7)
    making.line(making.LEFT, "Contents", True, 18)
    entries = [
        "Chapter 1 Responsibilities 3",
        "Chapter 2 Use of funds 5",
        "Chapter 3 Officers 7",
        "Annex 1.1 Letters to Parliament 9",
    ]
    for entry in [
        *entries,
        "Annex 7.3 Companies of the government and public corporations of every kind and",
        "trading funds 11",
    ]:
        making.y += 0 if entry.startswith("trading") else 5
        making.line(making.LEFT, entry)
    for chapter in (1, 2, 3):
        making.new_page()
        making.heading(f"Chapter {chapter} of the book", 18)
        for number in range(1, 9):
            making.paragraph(f"{chapter}.{number}")
    for annex in ("A1.1", "A7.3"):
        making.new_page()
        making.heading(f"Annex {annex[1:]} Letters and companies", 18)
        for number in range(1, 9):
            making.paragraph(f"{annex}.{number}")
    document = parse(making.done().data)
    assert labels(document) == making.labels
    by_id = {node.node_id: node for node in document.nodes}
    assert [node.node_id for node in document.nodes if node.kind == "annex"] == ["made Annex 1.1", "made Annex 7.3"]
    assert by_id[by_id["made 2.3"].parent_id or ""].heading == "Chapter 2 of the book"
    assert [page for page in range(1, 3) for b in document.partition if b.page == page and b.role == "contents"]


@pytest.mark.parametrize(("scheme", "numbers", "title"), [("stop", range(1, 6), ""), ("flat", range(23001, 23004), "DMG")])
def test_a_manual_of_one_page(scheme: str, numbers: range, title: str) -> None:
    making = maker(scheme)
    for number in numbers:
        making.paragraph(str(number))
    assert labels(parse(making.done().data, title)) == [str(number) for number in numbers]


def test_lines_set_close_in_a_small_contents_list() -> None:
    making = maker("flat", hanging=False)
    making.line(making.LEFT, "Definitions 91001 - 91009")
    making.line(making.LEFT, "Keeping the lamp 91010 - 91019")
    making.heading("Definitions", 10)
    for number in (91001, 91002, 91003):
        making.paragraph(str(number))
    document = parse(making.done().data, "DMG Chapter 91")
    (contents,) = (b for b in document.partition if b.role == "contents")
    assert b"Keeping the lamp" in document.slice(contents.page, contents.start, contents.end)
    assert heading_of(document, "91001") == "Definitions"


# --- numbers out of order, numbers at the right ---------------------------------------------------------------------------


def doubts(document: Document) -> list[tuple[str, tuple[str, ...], str]]:
    return [(f.subject, f.candidates, f.reason) for f in document.findings if f.kind == "uncertain_boundary"]


@pytest.mark.parametrize("scheme", ["flat", "stop"])
def test_a_number_that_repeats_or_goes_back_is_a_paragraph_and_said_to_be_unclear(scheme: str) -> None:
    making = maker(scheme, seed=16, lists="bullet")
    first = 77001 if scheme == "flat" else 1
    wanted = [str(first + n) for n in range(30)]
    wanted.insert(12, wanted[11])  # printed twice
    wanted[20], wanted[21] = wanted[21], wanted[20]
    for number, label in enumerate(wanted):
        if number % 6 == 0:
            making.heading(making.sentence(3), 10)
        making.paragraph(label)
    document = parse(making.done().data)
    assert labels(document) == wanted
    assert len({node.node_id for node in document.nodes}) == len(document.nodes)
    found = doubts(document)
    assert len(found) == 2
    assert {reason for _, _, reason in found} <= {
        "its number is used twice",
        "its number goes back",
        "its number does not follow",
    }
    assert all(len(readings) == 2 for _, readings, _ in found)


def test_a_line_that_only_perhaps_begins_a_paragraph_is_text_and_said_to_be_unclear() -> None:
    making = maker("flat", hanging=False, lists="")
    for number in range(77001, 77030):
        making.paragraph(str(number))
        if number == 77010:
            making.line(making.LEFT, "77005 This may be a paragraph or a reference.")  # close below
    document = parse(making.done().data)
    assert labels(document) == making.labels
    ((subject, readings, reason),) = doubts(document)
    assert (subject, readings[0]) == ("77005", "text that goes on")
    assert reason == "it looks like a paragraph's start, but its number is used twice"


@pytest.mark.parametrize(("form", "gap"), [("{:05d}", 5.0), ("{}", 20.0), ("2.{}", 20.0)], ids=["close", "plain", "dotted"])
def test_numbers_in_the_right_margin(form: str, gap: float) -> None:
    making = maker("flat", seed=15, lists="")
    making.contents([making.sentence(2) for _ in range(8)])
    wanted = [form.format(n) for n in range(1, 60)]
    for number, label in enumerate(wanted):
        if number % 9 == 0:
            making.heading(making.sentence(3), 12)
        making.y += 0.7 * making.leading
        making.room(3)
        making.shape.insert_text((making.RIGHT - 40 + gap, making.y + making.leading), label, fontsize=10, fontname="hebo")
        for line in making.wrap(making.text(), making.RIGHT - making.LEFT - 40):
            making.line(making.LEFT, line)
    document = parse(making.done().data)
    assert labels(document) == wanted


# --- tables without rules -------------------------------------------------------------------------------------------------


TABLE = (
    ("Allowance", "Who may have it", "Amount"),
    ("Lamp money", "a keeper who lights\nthe lamp every night of\nthe year", "12.50"),
    ("Oil money for\nlong nights", "a keeper of the\nnorth", "3.75"),
    ("Wick money", "any keeper", "1.00"),
)


def set_table(making: Any, rows: Any, between: float) -> None:
    """Rows of cells of several lines; the first row in bold."""
    for number, cells in enumerate(rows):
        font = "hebo" if number == 0 else "helv"
        deep = max(cell.count("\n") + 1 for cell in cells)
        making.y += between
        for x, cell in zip((0, 110, 300), cells, strict=True):
            for line, text in enumerate(cell.split("\n")):
                at = (making.LEFT + 10 + x, making.y + (line + 1) * making.leading)
                making.shape.insert_text(at, text, fontsize=making.layout.size, fontname=font)
        making.y += deep * making.leading


@pytest.mark.parametrize("between", [7.0, 0.0], ids=["space between rows", "no space"])
def test_the_lines_of_a_cell_are_put_together_for_display(between: float) -> None:
    making = maker("dotted", lists="")
    for number in range(1, 12):
        making.paragraph(f"1.{number}")
        if number == 5:
            making.room(14)
            set_table(making, TABLE, between)
    document = parse(making.done().data)
    assert labels(document) == making.labels
    rows = [document.display.get(b.ordinal, "") for b in document.partition if b.role == "table"]
    assert rows == [" | ".join(cell.replace("\n", " ") for cell in row) for row in TABLE]
    assert {b.node_id for b in document.partition if b.role == "table"} == {"made 1.5"}
    (link,) = (link for link in document.links if link.kind == "table_header")
    assert document.slice(link.target_page, link.target_start, link.target_end) == b"Allowance Who may have it Amount"


def test_a_header_that_pages_repeat_is_kept_once_and_linked() -> None:
    making = maker("dotted", lists="")
    for number in range(1, 5):
        making.paragraph(f"1.{number}")
    body = [(f"Kind {n}", f"a keeper of lamp {n}\nand of its oil", f"{n}.50") for n in range(1, 61)]
    for first in range(0, 60, 20):
        if first:
            making.new_page()
        set_table(making, (TABLE[0], *body[first : first + (6 if first == 0 else 20)]), 6.0)
    making.paragraph("1.5")
    document = parse(making.done().data)
    header = b"Allowance Who may have it Amount"
    roles = [b.role for b in document.partition if document.slice(b.page, b.start, b.end) == header]
    assert roles == ["table", "page_furniture", "page_furniture"]
    links = [link for link in document.links if link.kind == "table_header"]
    assert {document.slice(link.target_page, link.target_start, link.target_end) for link in links} == {header}
    assert {link.page for link in links} == {1, 2, 3}
    again = [link for link in links if document.slice(link.page, link.start, link.end) == header]
    assert [link.page for link in again] == [2, 3]
    assert labels(document) == [f"1.{number}" for number in range(1, 6)]


# --- numbers that begin again, numbered titles --------------------------------------------------------------------------------


def test_numbers_begin_again_below_the_bold_title_of_each_policy() -> None:
    making = maker("stop", seed=21, lists="a")
    wanted = []
    for policy in range(1, 16):
        making.heading(f"PM{policy}: {making.sentence(4)}", making.layout.size)
        for number in range(1, 2 + policy % 5):
            making.paragraph(str(number))
            wanted.append(f"made PM{policy} para {number}")
    document = parse(making.done().data)
    assert [node.node_id for node in document.nodes if node.kind == "paragraph"] == wanted
    assert doubts(document) == []


def test_titles_of_numbered_sections_hold_what_stands_between_them_whatever_its_size() -> None:
    making = maker("dotted", seed=22, lists="")
    for section in range(1, 5):
        making.heading(f"{section}. {making.sentence(3).upper()}", 11)
        for part in ("Purpose", "Method"):
            making.heading(f"{part} {section}", 14)
            for number in (1, 2):
                making.paragraph(f"{section}.{number + 2 * (part == 'Method')}")
    document = parse(making.done().data)
    assert labels(document) == making.labels
    by_id = {node.node_id: node for node in document.nodes}
    for section in range(1, 5):
        for number, part in ((1, "Purpose"), (4, "Method")):
            assert heading_of(document, f"{section}.{number}") == f"{part} {section}"
            (node,) = (n for n in document.nodes if n.heading == f"{part} {section}")
            assert by_id[node.parent_id or ""].heading.startswith(f"{section}. ")


def test_a_bold_numbered_title_and_one_that_ends_with_a_stop_govern_dotted_paragraphs() -> None:
    making = maker("dotted", seed=23, lists="")
    titles = {1: "1. Context or background", 2: "Industrial and commercial uses.", 3: "3. Results of consultation"}
    for section, title in titles.items():
        making.y += 20
        making.room(5)
        making.line(making.LEFT, title, True)
        making.y += 14
        for number in range(1, 7):
            making.paragraph(f"{section}.{number}")
    document = parse(making.done().data)
    assert labels(document) == making.labels
    assert [heading_of(document, f"{section}.3") for section in titles] == list(titles.values())


def test_the_date_of_a_cover_is_no_title_of_what_follows() -> None:
    making = maker("dotted", seed=24, lists="")
    making.line(making.LEFT, "The Manual of Lamps", True, 26)
    making.y += 40
    making.line(making.LEFT, "March 2017", True, 18)
    making.new_page()
    making.heading("1 Keeping the lamp", 14)
    for number in range(1, 12):
        making.paragraph(f"1.{number}")
    document = parse(making.done().data)
    assert "March 2017" not in {node.heading for node in document.nodes}


def test_signs_of_symbol_fonts_are_bullets() -> None:
    from pincite.parse.manual.text import observe_texts

    lines = "".join(f"\uf0b7   point {n} of the keeper\n" for n in range(6))
    document = structure(
        SOURCE, observe_texts([(f"1.1 A keeper keeps:\n{lines}\n1.2 Another.\n\n1.3 One more.\n\n1.4 Last.\n", ())])
    )
    assert "table" not in {block.role for block in document.partition}


# --- heads and feet that change, spread letters, broken numbers -------------------------------------------------------------


class Framed(made.Maker):  # type: ignore[misc]
    """Pages whose head and foot say what is on them."""

    head: Any = None
    foot: Any = None
    title = "Lamps"

    def new_page(self) -> None:
        super().new_page()
        number = self.document.page_count
        last = self.labels[-1] if self.labels else "77001"
        for make, y in ((self.head, 50), (self.foot, 800)):
            text = make(number, last, self.title) if make else ""
            if text:
                self.shape.insert_text((self.LEFT + 100, y), text, fontsize=8, fontname="helv")


@pytest.mark.parametrize(
    ("zone", "frame"),
    [
        (
            "foot",
            lambda number, last, title: ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")[
                number % 13
            ],
        ),
        ("foot", lambda number, last, title: f"{last} - {int(last) + 9}"),
        ("foot", lambda number, last, title: last),
        ("foot", lambda number, last, title: f"Volume 3, to paragraph {last}"),
        ("head", lambda number, last, title: title),
        ("head", lambda number, last, title: f"{last}    {title}"),
    ],
    ids=["roman", "range", "number", "words", "chapter", "number and chapter"],
)
def test_a_head_or_foot_that_says_something_else_on_every_page(zone: str, frame: Any) -> None:
    making = Framed(108, made.Layout("flat", "helv", 10.0, True, False, 0.6, "a", False, False))
    setattr(making, zone, frame)
    for number in range(77001, 77090):
        if number % 8 == 1:
            making.title = making.sentence(3)
            making.heading(making.title, 10)
        making.paragraph(str(number))
    document = parse(making.done().data)
    assert labels(document) == making.labels
    pages = read(making.document.tobytes(), "made.pdf", styled=False).pages
    edge = [(page.number, line) for page in pages for line in page.lines if not 60 < line.baseline < 790]
    assert len(edge) >= 8
    roles = [
        block.role
        for number, line in edge
        for block in document.partition
        if block.page == number and block.start <= line.start < block.end
    ]
    assert set(roles) == {"page_furniture"}
    inside = [line for page in pages for line in page.lines if line.zone in ("head", "foot") and 60 < line.baseline < 790]
    assert inside == []


def test_titles_at_the_head_of_pages_and_short_footnotes_are_no_running_heads() -> None:
    making = maker("dotted", lists="")
    for chapter in range(1, 9):
        making.new_page()
        making.line(making.LEFT, f"Keeping lamp {chapter}", True, 14)
        making.y += 30
        for number in range(1, 4):
            making.paragraph(f"{chapter}.{number}")
        making.shape.insert_text((making.LEFT, 757), str(chapter), fontsize=5)
        making.shape.insert_text((making.LEFT + 8, 760), f"See the Act of {making.sentence(2 + chapter % 3)}", fontsize=7.5)
    document = parse(making.done().data)
    assert heading_of(document, "5.2") == "Keeping lamp 5"
    assert sum(block.role == "footnote" for block in document.partition) == 8


def test_a_number_that_its_column_breaks_after_a_point() -> None:
    making = maker("dotted", lists="")
    wanted = [f"2.3.{number}" for number in range(1, 40)]
    for label in wanted:
        making.y += 8
        making.room(4)
        for step, part in ((1, "2.3."), (2, label[4:])):
            making.shape.insert_text((making.LEFT, making.y + step * making.leading), part, fontsize=10, fontname="helv")
        for line in (*making.wrap(making.text(), 400), making.sentence(4) + "."):
            making.line(making.LEFT + 60, line)
    assert labels(parse(making.done().data)) == wanted


def test_titles_and_pages_of_spread_letters_are_shown_as_words() -> None:
    class Spread(made.Maker):  # type: ignore[misc]
        def line(self, x: float, text: str, bold: bool = False, size: float = 0.0) -> None:
            super().line(x, " ".join(text.replace(" ", "")), bold, size)

        def width(self, text: str) -> float:
            return super().width(" ".join(text.replace(" ", "")))

    making = Spread(119, made.Layout("flat", "helv", 10.0, True, False, 0.6, "", True, False))
    titles = {}
    for number in range(77001, 77031):
        if number % 6 == 3:
            title = making.sentence(3)
            making.heading(title, 10)
        titles[str(number)] = title.casefold()
        making.paragraph(str(number))
    document = parse(making.done().data, "DMG Chapter 77")
    assert {label: heading_of(document, label).casefold() for label in titles} == titles


def test_a_title_of_spread_letters_on_an_ordinary_page() -> None:
    making = maker("flat", lists="")
    for number in range(77001, 77020):
        if number % 6 == 3:
            making.heading("B U D G E T   O F   T H E   B O A R D", 12)
        making.paragraph(str(number))
    document = parse(making.done().data)
    assert heading_of(document, "77003") == "BUDGET OF THE BOARD"
    shown = [document.display.get(block.ordinal) for block in document.partition if block.role == "heading"]
    assert set(shown) == {"BUDGET OF THE BOARD"}


def test_soft_hyphens_are_left_out_of_the_display_and_kept_in_the_source() -> None:
    from pincite.parse.manual.text import observe_texts

    page = "61001 A keeper of the depart\u00ad\nment lights the lamp.\n\n61002 Two.\n\n61003 Three.\n"
    document = structure(SOURCE._replace(title="DMG Chapter 61"), observe_texts([(page, ())]))
    block = next(block for block in document.partition if block.node_id == "DMG 61001")
    assert document.display[block.ordinal] == "61001 A keeper of the department lights the lamp."
    assert "depart\u00ad\nment" in document.slice(1, block.start, block.end).decode()


def test_tables_with_more_characters_than_the_text_do_not_say_what_its_size_is() -> None:
    making = maker("dotted", size=12.0, lists="")
    for number in range(1, 31):
        if number == 16:
            making.heading("Findings", 15)
        making.paragraph(f"1.{number}")
        if number % 6 == 0:
            making.new_page()
            for y in range(90, 760, 10):
                for x in (40, 220, 400):
                    making.shape.insert_text((x, y), making.sentence(5), fontsize=8, fontname="helv")
            making.new_page()
    document = parse(making.done().data)
    assert labels(document) == making.labels
    assert (heading_of(document, "1.3"), heading_of(document, "1.20")) == ("The Manual of Things", "Findings")


def test_a_paragraph_set_in_bold_is_no_title_nor_is_the_sum_of_a_table() -> None:
    making = maker("dotted", lists="")
    for number in range(1, 16):
        if number == 5:
            making.y += 10
            making.room(6)
            for position, line in enumerate(making.wrap("For clarity " + making.sentence(60).lower() + ".", 400)):
                if position == 0:
                    making.shape.insert_text((making.LEFT, making.y + making.leading), "1.5", fontsize=10, fontname="hebo")
                making.line(making.LEFT + 50, line, True)
            making.labels.append("1.5")
            continue
        making.paragraph(f"1.{number}")
        if number == 8:
            making.room(8)
            set_table(making, (TABLE[0], ("Lamps", "2,600", "1,300"), ("Oil", "5,100", "1,020"), ("Wicks", "10", "20")), 5.0)
            making.y += 5
            for x, text in ((0, "Total"), (110, "7,710"), (300, "2,340")):
                making.shape.insert_text((making.LEFT + 10 + x, making.y + making.leading), text, fontsize=10, fontname="hebo")
            making.y += making.leading
    document = parse(making.done().data)
    assert labels(document) == making.labels
    assert [node.heading for node in document.nodes if node.kind == "heading"] == []


def test_a_contents_list_over_pages_with_spaced_leaders_and_entries_of_two_lines() -> None:
    making = maker("dotted")
    wanted = [f"{chapter}.{n}" for chapter in range(1, 8) for n in range(1, 9)]
    making.heading("Contents", 14)
    for number, label in enumerate(wanted):
        lines = making.wrap(f"{label} {making.sentence(4 if number % 3 else 16)}", 450)
        for line in lines[:-1]:
            making.line(making.LEFT, line)
        making.line(making.LEFT, f"{lines[-1]} {'. ' * 12}{4 + number // 5}")
    making.new_page()
    for label in wanted:
        if label.endswith(".1"):
            making.heading(f"Chapter {label[0]} {making.sentence(2)}", 13)
        making.paragraph(label)
    document = parse(making.done().data)
    assert labels(document) == wanted
    assert not any(finding.kind == "uncertain_boundary" for finding in document.findings)


def test_leaders_to_numbers_that_go_up_and_down_are_a_register_and_no_contents() -> None:
    making = maker("dotted")
    for chapter in (1, 2, 3):
        for n in range(1, 7):
            making.paragraph(f"{chapter}.{n}")
            for code in (7401, 1585, 7433, 2010):
                making.line(making.LEFT + 30, f"{making.sentence(2)} ........................ {code + n}")
    document = parse(making.done().data)
    assert len(labels(document)) == 18
    assert not any(block.role == "contents" for block in document.partition)


class Outliner(made.Maker):  # type: ignore[misc]
    """Sets labels and texts further in the deeper they stand, all in one type."""

    def entry(self, depth: int, label: str, text: str) -> None:
        x = self.LEFT + 24 * depth
        self.y += 4
        self.room(2)
        for position, line in enumerate(self.wrap(text, self.RIGHT - x - 24)):
            self.line(x + 24, line)
            if position == 0:
                self.shape.insert_text((x, self.y), label, fontsize=10)


def test_an_outline_of_roman_lettered_and_numbered_levels_in_one_type() -> None:
    making = Outliner(8, made.Layout("plain", "helv", 10.0, True, False, 0.6, "", True, False))
    wanted = []
    for roman in ("I", "II", "III", "IV"):
        making.entry(0, f"{roman}.", making.sentence(3))
        for letter in "AB":
            making.entry(1, f"{letter}.", making.sentence(4))
            for number in range(1, 5):
                making.entry(2, f"{number}.", making.text())
                wanted.append(f"{roman}.{letter}.{number}")
                for item in ("(a)", "(b)"):
                    making.entry(3, item, f"{making.sentence(8)}.")
                    if item == "(a)":
                        making.entry(4, "(i)", f"{making.sentence(6)}.")
    document = parse(making.done().data)
    assert labels(document) == wanted
    headings = {node.node_id: node.parent_id for node in document.nodes if node.kind == "heading"}
    assert headings["made III.B"] == "made III"
    items = [node.node_id for node in document.nodes if node.node_id.startswith("made I.A.1(")]
    assert items == ["made I.A.1(a)", "made I.A.1(a)(i)", "made I.A.1(b)"]


def test_lists_with_letters_below_titles_are_no_outline() -> None:
    making = Outliner(9, made.Layout("plain", "helv", 10.0, True, False, 0.6, "", True, False))
    for _ in range(8):
        making.heading(making.sentence(3), 14)
        making.entry(0, "", making.text())
        for letter in "abc":
            making.entry(1, f"{letter}.", f"{making.sentence(12)}.")
    assert not labels(parse(making.done().data))
