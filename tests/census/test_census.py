"""The census counts what is there, goes on after a bad file, takes up where it stopped, and shows the places it names."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pincite.census import page, store, take
from pincite.census.count import Row, conserved_bytes, count
from pincite.census.run import Limits
from pincite.census.table import lines, share
from pincite.cli import app
from pincite.errors import UsageError
from pincite.model import Source, sha256_hex

A = "DMG Chapter 99.pdf"
XML = b"""<?xml version="1.0"?><DIV5 N="7" TYPE="PART"><HEAD>PART 7 LADDERS</HEAD>
<DIV8 N="7.1" TYPE="SECTION"><HEAD>7.1 Rungs.</HEAD>
<P>(a) A rung shall bear 90 kg, see \xc2\xa7 7.1 and 7 CFR 9.9.</P></DIV8></DIV5>"""


def _pdf(*pages: list[str]) -> bytes:
    """A small manual of our own."""
    import pymupdf

    document = pymupdf.open()
    for texts in pages:
        sheet = document.new_page()
        for at, text in enumerate(texts):
            bold = text.isupper()
            sheet.insert_text((60, 80 + 24 * at), text, fontname="hebo" if bold else "helv", fontsize=14 if bold else 10)
    data: bytes = document.tobytes(no_new_id=True)
    document.close()
    return data


GOOD = _pdf(
    [
        "DMG Chapter 99: Ladders",
        "Subpages",
        "99001 The DM finds that a ladder stands before any heading.",
        "99002 So does a stool, see DMG 99001.",
    ],
    ["99003 A rung shall be oak, see DMG 99555.", "99004 A peg shall be ash."],
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    (made / "title-99").mkdir(parents=True)
    (made / A).write_bytes(GOOD)
    (made / "title-99" / "part.xml").write_bytes(XML)
    (made / "broken.pdf").write_bytes(b"%PDF-1.7 this is none")
    (made / "empty.pdf").write_bytes(b"")
    (made / "notes.txt").write_text("of another kind")
    return made


def _of(rows: tuple[Row, ...], path: str) -> Row:
    return next(row for row in rows if row.path == path)


def test_counts_every_document_and_a_bad_one_costs_only_itself(folder: Path, tmp_path: Path) -> None:
    done = take(folder, tmp_path / "out")
    assert [row.path for row in done.rows] == [A, "broken.pdf", "empty.pdf", "title-99/part.xml"]
    assert done.other == ("notes.txt",)
    good, xml = _of(done.rows, A), _of(done.rows, "title-99/part.xml")
    assert (good.pages, good.bytes, good.conserved, good.failure) == (2, len(GOOD), True, "")
    assert good.text_bytes == sum(each.number for each in good.roles) > 0
    assert good.paragraphs == 4
    assert good.unresolved_headings == 4
    assert good.references == 2
    assert good.unresolved_references == 1, "DMG 99555 is in a chapter that is here, and is not there"
    assert xml.conserved
    assert xml.unresolved_headings == 0
    assert xml.references_outside == 1
    for path in ("broken.pdf", "empty.pdf"):
        assert _of(done.rows, path).failure == "Malformed"
        assert _of(done.rows, path).sentence


def test_places_are_where_they_say(folder: Path, tmp_path: Path) -> None:
    places = _of(take(folder, tmp_path / "out").rows, A).places
    reference = next(place for place in places if place.kind == "unresolved_reference")
    assert (reference.subject, reference.page) == ("DMG 99555", 2)
    from pincite.parse.pdf import observe

    assert observe(GOOD).pages[1].text[reference.start : reference.end] == b"DMG 99555"


def test_resumes_and_reads_again_only_what_changed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = take(folder, tmp_path / "out")
    again = take(folder, tmp_path / "out")
    assert (first.kept, again.kept) == (0, 4)
    assert again.rows == first.rows == tuple(store.read(tmp_path / "out"))
    (folder / A).write_bytes(_pdf(["99001 Another text altogether."]))
    changed = take(folder, tmp_path / "out")
    assert changed.kept == 3
    assert _of(changed.rows, A).pages == 1
    monkeypatch.setattr("pincite.census.run.version", lambda: "another parser")
    assert take(folder, tmp_path / "out").kept == 0


def test_a_failure_past_a_limit_is_tried_again(folder: Path, tmp_path: Path) -> None:
    rows = take(folder, tmp_path / "out").rows
    slow = [row._replace(failure="TooExpensive") if row.path == A else row for row in rows]
    store.write(slow, tmp_path / "out")
    again = take(folder, tmp_path / "out")
    assert again.kept == 3
    assert _of(again.rows, A).failure == ""


def test_moved_file_is_not_read_again_but_named_where_it_is(folder: Path, tmp_path: Path) -> None:
    take(folder, tmp_path / "out")
    (folder / A).rename(folder / "title-99" / "b.pdf")
    again = take(folder, tmp_path / "out")
    assert again.kept == 4
    assert _of(again.rows, "title-99/b.pdf").pages == 2


def test_lost_and_wrongly_hashed_bytes_are_counted() -> None:
    from pincite.parse import parse

    source = Source("a", "1", "a", "", "application/xml", "a.xml", len(XML), sha256_hex(XML))
    document = parse(source, XML)
    whole = conserved_bytes(document)
    assert whole == len(document.pages[0])
    at = max(range(len(document.partition)), key=lambda n: document.partition[n].end - document.partition[n].start)
    block = document.partition[at]
    size = block.end - block.start
    wrong = document._replace(
        partition=(*document.partition[:at], block._replace(sha256="0" * 64), *document.partition[at + 1 :])
    )
    assert conserved_bytes(wrong) == whole - size
    gap = document._replace(partition=document.partition[:at] + document.partition[at + 1 :])
    assert conserved_bytes(gap) <= whole - size
    assert not count(gap, "v").conserved


def test_a_share_is_whole_only_where_nothing_is_missing() -> None:
    assert share(10**9 - 1, 10**9) == "99.999 %"
    assert share(10**9, 10**9) == "100 %"
    assert share(0, 0) == "-"


def test_page_shows_outliers_first_with_their_place_marked(folder: Path, tmp_path: Path) -> None:
    rows = take(folder, tmp_path / "out").rows
    html = page.write(rows, folder, tmp_path / "out" / "census.html").read_text(encoding="utf-8")
    titles = re.findall(r"<h2>(.*?)</h2>", html)
    assert set(titles[:2]) == {"broken.pdf", "empty.pdf"}
    assert titles[2] == A
    assert not re.search(r"(?:src|href)=\"(?!data:)", html), "self-contained"
    pictures = [base64.b64decode(each) for each in re.findall(r'src="data:image/png;base64,([^"]+)"', html)]
    assert pictures
    import pymupdf

    pixels = pymupdf.Pixmap(pictures[0])
    yellow = sum(pixels.pixel(x, y)[2] < 128 < pixels.pixel(x, y)[0] for x in range(pixels.width) for y in range(pixels.height))
    assert yellow > 200, "the place is marked on its page"


def test_names_from_files_are_only_text(folder: Path, tmp_path: Path) -> None:
    (folder / "<script>alert(1)<.pdf").write_bytes(b"junk")
    html = page.write(take(folder, tmp_path / "out").rows, folder, tmp_path / "c.html").read_text(encoding="utf-8")
    assert "<script" not in html


def test_command_prints_a_table_and_writes_both_files(folder: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["census", str(folder), "--output", str(tmp_path / "out"), "--workers", "1"])
    assert result.exit_code == 0, result.output
    assert re.search(r"^all 4 .* 2 failed$", result.output, re.MULTILINE)
    assert "broken.pdf: Malformed:" in result.output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"documents.parquet", "census.html"}


def test_a_name_that_is_no_text_is_stored_and_printed(folder: Path, tmp_path: Path) -> None:
    import os

    name = os.fsdecode(b"\xff.pdf")
    try:
        (folder / name).write_bytes(GOOD + b"\n")
    except OSError:
        pytest.skip("this file system takes no such name")
    result = CliRunner().invoke(app, ["census", str(folder), "--output", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "\\udcff.pdf" in result.output
    assert "\\udcff.pdf" in {row.path for row in store.read(tmp_path / "out")}


def test_a_pipe_is_not_read_and_a_dead_link_fails(folder: Path, tmp_path: Path) -> None:
    import os

    os.mkfifo(folder / "pipe.pdf")
    (folder / "dead.pdf").symlink_to("nowhere.pdf")
    done = take(folder, tmp_path / "out")
    assert done.other == ("notes.txt", "pipe.pdf")
    assert _of(done.rows, "dead.pdf").failure == "SourceError"


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir()], ids=["missing", "empty"])
def test_nothing_to_count_is_a_usage_error(make: object, tmp_path: Path) -> None:
    make(tmp_path / "nothing")  # type: ignore[operator]
    with pytest.raises(UsageError):
        take(tmp_path / "nothing", tmp_path / "out")


def test_damaged_earlier_census_is_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / store.FILE).write_bytes(b"not parquet")
    with pytest.raises(UsageError, match="earlier census"):
        take(folder, tmp_path / "out")


def test_table_has_a_line_for_each_and_one_for_all(folder: Path, tmp_path: Path) -> None:
    rows = take(folder, tmp_path / "out").rows
    printed = lines(rows)
    assert [line.startswith(row.path) for line, row in zip(printed[1:], rows)] == [True] * 4
    assert printed[5].startswith("all 4")


@pytest.mark.data
@pytest.mark.usefixtures("without_ocr")
def test_bad_files_each_within_ten_seconds_and_300_megabytes(shared_data: Path, tmp_path: Path) -> None:
    done = take(shared_data / "manuals" / "bad", tmp_path / "out", limits=Limits(10.0, 300))
    assert {row.path.split(".")[0]: row.failure for row in done.rows} == {
        "encrypted-no-text-access": "Forbidden",
        "encrypted-open-password": "NeedsPassword",
        "image-bomb": "",
        "no-text-scan": "NoText",
        "no-text-three-blank-pages": "NoText",
        "no-xref-table": "",
        "not-a-pdf-15-bytes": "Malformed",
        "page-tree-cycle": "Malformed",
        "page-tree-wrong-count": "Malformed",
        "stream-bomb": "",
    }


@pytest.mark.data
def test_all_manuals_are_conserved_and_hardly_uncertain(shared_data: Path, tmp_path: Path) -> None:
    rows = [row for name in ("dmg", "adm") for row in take(shared_data / "manuals" / name, tmp_path / name).rows]
    assert len(rows) == 7
    assert not [row.path for row in rows if row.failure or not row.conserved]
    assert sum(row.uncertain_boundaries for row in rows) < 0.01 * sum(row.passages for row in rows)
