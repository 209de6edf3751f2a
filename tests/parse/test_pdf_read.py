"""The reading layer: bad files fail in one sentence of the right class, layout is told from positions."""

from __future__ import annotations

import time
from pathlib import Path

import pymupdf
import pytest

from pincite.errors import Forbidden, Malformed, NeedsPassword, PinciteError, TooExpensive
from pincite.parse.manual.observation import from_json, to_json
from pincite.parse.pdf import observe, render_page
from pincite.parse.pdf.furniture import repeating_bands, shape_of
from pincite.parse.pdf.ocr import pieces_of_table

BAD = {
    "encrypted-open-password.pdf": NeedsPassword,
    "encrypted-no-text-access.pdf": Forbidden,
    "page-tree-cycle.pdf": Malformed,
    "page-tree-wrong-count.pdf": Malformed,
    "not-a-pdf-15-bytes.pdf": Malformed,
}
STILL_READABLE = {"no-xref-table.pdf": 17, "image-bomb.pdf": 600, "stream-bomb.pdf": 10}


@pytest.mark.data
@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_costs_one_sentence(shared_data: Path, name: str) -> None:
    started = time.monotonic()
    with pytest.raises(PinciteError) as caught:
        observe((shared_data / "manuals/bad" / name).read_bytes(), name)
    assert type(caught.value) is BAD[name]
    assert str(caught.value).startswith(f"{name}: ")
    assert "\n" not in str(caught.value)
    assert time.monotonic() - started < 60  # a bomb that goes off takes all the time there is


@pytest.mark.data
@pytest.mark.parametrize("name", STILL_READABLE)
def test_an_expensive_or_damaged_file_is_read_cheaply(shared_data: Path, name: str) -> None:
    started = time.monotonic()
    observation = observe((shared_data / "manuals/bad" / name).read_bytes(), name, seconds=10, megabytes=300)
    assert len(observation.pages[0].text) >= STILL_READABLE[name]
    assert time.monotonic() - started < 60  # a bomb that goes off takes all the time there is


def page_of(*lines: tuple[float, float, str], size: float = 10, count: int = 1) -> bytes:
    """A PDF with *lines* (x, baseline, text) on each of *count* pages; ``{n}`` in a text is the page number."""
    document = pymupdf.open()
    for number in range(1, count + 1):
        page = document.new_page(width=595, height=842)
        for x, y, text in lines:
            page.insert_text((x, y), text.replace("{n}", str(number)), fontsize=size)
    data: bytes = document.tobytes()
    return data


def texts(data: bytes, page: int = 0) -> list[str]:
    return [line.text for line in observe(data).pages[page].lines]


def test_a_number_in_its_own_column_belongs_to_the_line_beside_it() -> None:
    data = page_of((54, 100, "78270"), (108, 100, "An additional amount"), (108, 114, "should not be allowed"))
    assert texts(data) == ["78270 An additional amount", "should not be allowed"]


def test_offsets_are_bytes_and_slice_back() -> None:
    page = observe(page_of((54, 100, "Claimant’s “household”"), (54, 120, "§ 2 – next"))).pages[0]
    assert [page.text[line.start : line.end].decode() for line in page.lines] == [line.text for line in page.lines]


def test_two_columns_are_read_one_after_the_other() -> None:
    left = [(50, 80 + 14 * i, f"left column line number {i} of running prose text") for i in range(20)]
    right = [(320, 80 + 14 * i, f"right column line number {i} of running prose") for i in range(20)]
    lines = texts(page_of(*left, *right, size=9))
    assert [line.split()[0] for line in lines] == ["left"] * 20 + ["right"] * 20


def test_running_heads_and_page_numbers_are_told_from_text() -> None:
    document = pymupdf.open()
    for number, first in enumerate(["Alpha is a rule", "Beta is another", "Gamma is a third", "Delta ends it"], 1):
        page = document.new_page(width=595, height=842)
        for y, text in ((40, "Volume 8"), (70, first), (400, "body"), (760, "last words of " + first), (800, f"{number}")):
            page.insert_text((54, y), text, fontsize=10)
    observation = observe(document.tobytes())
    zones = [(line.zone, line.text) for line in observation.pages[1].lines]
    assert [zone for zone, _ in zones] == ["head", "body", "body", "body", "foot"], zones


def test_a_lone_number_is_a_page_number_only_where_it_counts_pages() -> None:
    def bands(zone: str, *texts: str) -> list[dict[tuple[str, int], tuple[str, tuple[int, ...]]]]:
        return [{(zone, 1): shape_of(text, zone)} for text in texts]

    assert repeating_bands(bands("foot", "11", "12", "13")) == [frozenset({("foot", 1)})] * 3
    assert repeating_bands(bands("head", "10", "13", "18")) == [frozenset()] * 3
    assert (
        repeating_bands(bands("foot", "1 See the Act of 1950", "2 See the Act of 1960", "3 See the Act of 1999"))
        == [frozenset()] * 3
    )
    assert (
        repeating_bands(bands("foot", "Manual 2.3.59.1 page 7", "Manual 2.3.59.1.2 page 8")) == [frozenset({("foot", 1)})] * 2
    )


def test_a_raised_digit_is_a_marker_and_a_small_one_on_the_line_is_not() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((54, 100), "a benefit", fontsize=10)
    page.insert_text((95, 96), "1", fontsize=6)
    page.insert_text((99, 100), " that is paid", fontsize=10)
    page.insert_text((54, 130), "only H2O", fontsize=10)
    lines = observe(document.tobytes()).pages[0].lines
    assert [line.text[start:end] for line in lines for start, end in line.markers] == ["1"]


def test_the_observation_survives_json() -> None:
    observation = observe(page_of((54, 100, "78270"), (108, 100, "text – here"), count=2))
    assert from_json(to_json(observation)) == observation


def test_a_page_is_drawn_with_the_cited_line_marked(tmp_path: Path) -> None:
    from pincite.model import span_of

    path = tmp_path / "a.pdf"
    path.write_bytes(page_of((54, 100, "first line"), (54, 130, "second line")))
    page = observe(path.read_bytes()).pages[0]
    plain = render_page(path, 1)
    marked = render_page(path, 1, [span_of(page.text, 1, 0, 5)])
    assert plain.startswith(b"\x89PNG")
    picture = pymupdf.Pixmap(marked)
    colours = {picture.pixel(x, y) for x in range(picture.width) for y in (int(96 * 110 / 72), int(126 * 110 / 72))}
    assert any(colour[2] < 120 < colour[0] for colour in colours)
    assert plain != marked


def test_tesseracts_table_becomes_lines_with_a_confidence() -> None:
    head = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"
    rows = [
        "5\t1\t1\t1\t1\t1\t10\t20\t30\t10\t90\tHello",
        "5\t1\t1\t1\t1\t2\t50\t20\t30\t10\t70\tworld",
        "4\t1\t1\t1\t1\t0\t1\t1\t1\t1\t-1\t",
    ]
    pieces, confidence = pieces_of_table(head + "\n".join(rows), 1.0)
    assert [piece.text for piece in pieces] == ["Hello world"]
    assert confidence == 80


def test_too_many_pages_is_too_expensive(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    reader = sys.modules["pincite.parse.pdf.read"]
    monkeypatch.setattr(reader, "MAX_PAGES", 2)
    with pytest.raises(TooExpensive, match="3 pages"):
        reader.read(page_of((54, 100, "text"), count=3), "big.pdf")


def test_a_line_without_extent_has_no_spans_and_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a damaged page gives: its letters stand outside of it, their line reaches into it."""
    import sys

    reader = sys.modules["pincite.parse.pdf.read"]
    whole = pymupdf.TextPage.extractDICT

    def with_an_empty_line(page: pymupdf.TextPage) -> dict[str, object]:
        content = whole(page)
        content["blocks"][0]["lines"].insert(0, {"spans": [], "wmode": 0, "dir": (0.0, 0.0), "bbox": (0, 0, 0, 0)})
        return dict(content)

    monkeypatch.setattr(pymupdf.TextPage, "extractDICT", with_an_empty_line)
    (page,) = reader.read(page_of((54, 100, "Text that is set as usual.")), "damaged.pdf").pages
    assert [line.text for line in page.lines] == ["Text that is set as usual."]


def two_columns(offset: float, word: str = "text") -> list[tuple[float, float, str]]:
    """Numbered lines in two columns, those of the first *offset* lower; notes below them begin a little further in."""
    lines = []
    for left, start in ((60.0, 100.0 + offset), (310.0, 100.0)):
        for row in range(40):
            y = start + 12 * row
            if row % 5 == 0:
                lines.append((left, y, f"{1 if left < 200 else 2}.{row}"))
            lines.append((left + 40, y, f"{word} that fills nearly all its column"))
        lines += [(left + 8, 640.0 + 10 * row, f"a note on {word} below, set further out") for row in range(8)]
    return lines


def test_columns_begin_at_their_numbers_though_text_and_notes_stand_further_in() -> None:
    (page,) = observe(page_of(*two_columns(0.0))).pages
    assert page.columns == 2
    assert [line.text.split()[0] for line in page.lines if line.column == 1 and line.cells][:2] == ["2.0", "2.5"]


def test_lines_at_different_heights_in_two_columns_make_no_running_head() -> None:
    whole = pymupdf.open()
    for word in ("money", "rates", "claim", "award", "rules"):
        whole.insert_pdf(pymupdf.open(stream=page_of(*two_columns(28.4, word), (60.0, 40.0, "The Manual"))))
    for page in observe(whole.tobytes()).pages:
        assert [line.text for line in page.lines if line.zone != "body"] == ["The Manual"]
