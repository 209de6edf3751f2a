"""Hostile and damaged office files: one clear sentence, or a finding and the rest read. Nothing is fetched, run or unpacked."""

from __future__ import annotations

import struct
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import openpyxl
import pptx
import pytest
from tests.parse.office_files import DOCX, PPTX, XLSX, relations, shown, source, word, zipped

from pincite.errors import Forbidden, Malformed, NeedsPassword, ParseError, TooExpensive
from pincite.model import Document, conserved
from pincite.parse import parse
from pincite.parse.office import package

WORD = source("memo.docx", DOCX)
BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "{}"><!ENTITY b "&a;&a;&a;">]>'.format("lol" * 100)
OPC = {"[Content_Types].xml": "<Types/>"}
SHEETS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATED = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'


def text_of(paragraph: str) -> str:
    return f"<w:p><w:r><w:t>{paragraph}</w:t></w:r></w:p>"


def read(data: bytes) -> Document:
    document = parse(WORD, data)
    assert conserved(document)
    return document


def kinds(document: Document) -> list[tuple[str, str]]:
    return [(found.kind, found.subject) for found in document.findings]


def workbook(sheet: str, **more: str) -> bytes:
    """A workbook of one sheet, *sheet* being the XML of its root."""
    parts: dict[str, str | bytes] = {
        **OPC,
        "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook {SHEETS} {RELATED}><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            ("r1", "worksheet", "worksheets/sheet1.xml"), *((name, name, f"{name}.xml") for name in more)
        ),
        "xl/worksheets/sheet1.xml": sheet,
    }
    return zipped(parts | {f"xl/{name}.xml": content for name, content in more.items()})


def sheet_of(rows: str) -> str:
    return f"<worksheet {SHEETS}><sheetData>{rows}</sheetData></worksheet>"


# --- bombs ---------------------------------------------------------------------------------------------------------------


def test_a_part_that_unpacks_to_far_more_than_its_size_is_refused() -> None:
    with pytest.raises(TooExpensive, match=r"unpacks to \d+ times its size"):
        read(word(text_of("a" * (8 << 20))))
    with pytest.raises(TooExpensive, match="times its size"):
        parse(source("s.xlsx", XLSX), workbook(sheet_of(" " * (8 << 20))))


def test_a_part_past_its_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_TREE", 1000)
    with pytest.raises(TooExpensive, match="past the limit"):
        read(word("".join(text_of(f"word {number}") for number in range(100))))


def test_all_parts_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_TOTAL", 1000)
    with pytest.raises(TooExpensive, match="its parts unpack"):
        read(word("".join(text_of(f"word {number}") for number in range(100))))


def test_a_false_size_does_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_TREE", 4000)
    honest = word("".join(text_of(f"word {number}") for number in range(1000)))
    size = next(info.file_size for info in ZipFile(BytesIO(honest)).infolist() if info.filename == "word/document.xml")
    lying = honest.replace(struct.pack("<I", size), struct.pack("<I", 100))
    assert lying != honest
    with pytest.raises((TooExpensive, Malformed)):
        read(lying)


def test_too_many_members_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_MEMBERS", 3)
    with pytest.raises(TooExpensive, match="more than 3 members"):
        read(word(text_of("x")))


def test_xml_nested_too_deeply_is_refused() -> None:
    with pytest.raises(TooExpensive, match="nested too deeply"):
        read(word("<w:customXml>" * 400 + text_of("deep") + "</w:customXml>" * 400))


@pytest.mark.parametrize("part", ["document", "styles", "numbering", "footnotes"])
def test_a_document_type_in_any_part_is_refused(part: str) -> None:
    bad = f'{BOMB}<w:{part} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">&b;</w:{part}>'
    parts = {"word/document.xml": bad} if part == "document" else {}
    data = word(text_of("x"), **({} if parts else {part: bad.encode()}))
    if parts:
        data = zipped({**OPC, "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")), **parts})
    with pytest.raises(Forbidden, match="declares a document type"):
        read(data)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_type_in_a_stream_or_another_encoding_is_refused(encoding: str) -> None:
    bad = BOMB.replace('"1.0"', f'"1.0" encoding="{encoding}"') + f"<sst {SHEETS}><si><t>&b;</t></si></sst>"
    parts = {"sharedStrings": bad.encode(encoding)}
    with pytest.raises(Forbidden, match="declares a document type"):
        parse(source("s.xlsx", XLSX), workbook(sheet_of('<row r="1"><c t="s"><v>0</v></c></row>'), **parts))  # type: ignore[arg-type]


# --- what is outside, or would run ---------------------------------------------------------------------------------------


def test_macros_are_inert_and_said() -> None:
    made = openpyxl.Workbook()
    made.active.append(["Lamp", "Hours"])
    out = BytesIO()
    made.save(out)
    with ZipFile(out, "a") as archive:
        archive.writestr("xl/vbaProject.bin", b"\xd0\xcf\x11\xe0 AutoOpen")
    document = parse(source("book.xlsm", XLSX), out.getvalue())
    assert ("macros", "xl/vbaproject.bin") in kinds(document)


def test_what_is_outside_is_said_and_never_fetched() -> None:
    links = relations(
        ("r1", "attachedTemplate", "http://198.51.100.1/evil.dotm"), ("r2", "image", "file:///etc/passwd"),
        ("r3", "hyperlink", "https://example.invalid/"), external=("r1", "r2", "r3"),
    )  # fmt: skip
    document = read(word(text_of("x"), links=links))
    assert kinds(document) == [
        ("external_part", "http://198.51.100.1/evil.dotm"), ("external_part", "file:///etc/passwd"),
    ]  # fmt: skip


def test_names_that_climb_out_are_not_read(tmp_path: Path) -> None:
    out = BytesIO(word(text_of("x")))
    with ZipFile(out, "a") as archive:
        archive.writestr("../../outside.xml", "<a/>")
        archive.writestr("/etc/absolute.xml", "<a/>")
    document = read(out.getvalue())
    assert [kind for kind, _ in kinds(document)] == ["climbing_path", "climbing_path"]
    assert not list(tmp_path.iterdir())


def test_a_relationship_that_climbs_out_names_a_part_that_is_missing() -> None:
    data = word(text_of("x"), links=relations(("r1", "styles", "../../../../etc/passwd")))
    assert kinds(read(data)) == [("missing_part", "etc/passwd")]


# --- encrypted, old, damaged ---------------------------------------------------------------------------------------------


def ole(*streams: str) -> bytes:
    return package.OLE + b"\0" * 504 + b"".join(name.encode("utf-16-le").ljust(128, b"\0") for name in streams)


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.pptx"])
def test_an_encrypted_document_needs_its_password(name: str) -> None:
    media_type = {"docx": DOCX, "xlsx": XLSX, "pptx": PPTX}[name.rpartition(".")[2]]
    with pytest.raises(NeedsPassword, match="encrypted"):
        parse(source(name, media_type), ole("EncryptionInfo", "EncryptedPackage"))


@pytest.mark.parametrize(
    ("stream", "words"),
    [("WordDocument", "Word 97-2003"), ("Workbook", "save it as .xlsx"), ("PowerPoint Document", ".pptx"), ("Other", "OLE")],
)
def test_old_formats_are_told_apart(stream: str, words: str) -> None:
    with pytest.raises(Malformed, match=words):
        read(ole(stream))


def test_an_encrypted_member_needs_its_password() -> None:
    data = bytearray(word(text_of("x")))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(signature, at + 4)
    with pytest.raises(NeedsPassword):
        read(bytes(data))


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"", "empty"), (b"%PS", "not a zip"), (b"PK\x03\x04 cut", "damaged or cut off"), (b"<html>", "not a zip")],
)
def test_what_is_no_archive(data: bytes, words: str) -> None:
    with pytest.raises(Malformed, match=words):
        read(data)


def test_every_cut_of_a_file_is_one_sentence() -> None:
    made = docx.Document()
    made.add_heading("Lamp", 1)
    made.add_paragraph("Oil.")
    out = BytesIO()
    made.save(out)
    whole = out.getvalue()
    for cut in range(0, len(whole), 997):
        with pytest.raises(ParseError) as caught:
            read(whole[:cut])
        assert "\n" not in str(caught.value)


def test_flipped_bytes_never_crash() -> None:
    made = openpyxl.Workbook()
    for row in range(20):
        made.active.append([f"lamp {row}", row, f"=B{row + 1}*2"])
    out = BytesIO()
    made.save(out)
    whole = out.getvalue()
    for at in range(30, len(whole), 131):
        data = bytearray(whole)
        data[at] ^= 0x55
        with suppress(ParseError):
            parse(source("b.xlsx", XLSX), bytes(data))


def test_null_bytes_and_cut_xml_are_said() -> None:
    with pytest.raises(Malformed, match="null bytes"):
        read(word("<w:p><w:r><w:t>a\0b</w:t></w:r></w:p>"))
    with pytest.raises(Malformed, match=r"the part word/document\.xml is damaged"):
        read(
            zipped({**OPC, "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")), "word/document.xml": "<w"})
        )


# --- parts that are missing, doubled, misnamed ---------------------------------------------------------------------------


def test_a_document_is_read_without_parts_it_can_do_without() -> None:
    links = relations(("r1", "styles", "styles.xml"), ("r2", "footnotes", "footnotes.xml"))
    document = read(word(text_of("Still here."), links=links))
    assert shown(document) == [("body", "Still here.")]
    assert kinds(document) == [("missing_part", "word/styles.xml"), ("missing_part", "word/footnotes.xml")]


def test_a_damaged_part_it_can_do_without_is_said() -> None:
    document = read(word(text_of("Still here."), styles=b"<w:styles"))
    assert [kind for kind, _ in kinds(document)] == ["damaged_part"]


def test_the_main_part_must_be_there_and_of_its_kind() -> None:
    with pytest.raises(Malformed, match=r"no word/document\.xml"):
        read(zipped(OPC | {"other.xml": "<a/>"}))
    made = openpyxl.Workbook()
    out = BytesIO()
    made.save(out)
    with pytest.raises(Malformed, match="no Word document"):
        read(out.getvalue())


def test_wrong_content_types_and_no_relationships_are_no_obstacle() -> None:
    body = text_of("Found by name.")
    inner = word(body)
    with ZipFile(BytesIO(inner)) as archive:
        main = archive.read("word/document.xml")
    assert shown(read(zipped({"word/document.xml": main}))) == [("body", "Found by name.")]
    types = '<Types><Override PartName="/word/document.xml" ContentType="image/png"/></Types>'
    assert shown(read(zipped({"[Content_Types].xml": types, "word/document.xml": main}))) == [("body", "Found by name.")]


def test_of_two_members_with_one_name_the_last_is_read_and_it_is_said() -> None:
    out = BytesIO(word(text_of("first")))
    second = ZipFile(BytesIO(word(text_of("second")))).read("word/document.xml")
    with ZipFile(out, "a", ZIP_DEFLATED) as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("word/document.xml", second)
    document = read(out.getvalue())
    assert shown(document) == [("body", "second")]
    assert kinds(document) == [("duplicate_part", "word/document.xml")]


def test_strict_documents_are_read() -> None:
    plain = word(text_of("Strict words."), numbering="")
    strict = BytesIO()
    with ZipFile(BytesIO(plain)) as old, ZipFile(strict, "w") as new:
        for name in old.namelist():
            data = old.read(name).replace(b"http://schemas.openxmlformats.org/wordprocessingml/2006/main", b"@W")
            data = data.replace(b"http://schemas.openxmlformats.org/officeDocument/2006/relationships", b"@R")
            data = data.replace(b"@W", b"http://purl.oclc.org/ooxml/wordprocessingml/main")
            new.writestr(name, data.replace(b"@R", b"http://purl.oclc.org/ooxml/officeDocument/relationships"))
    assert shown(read(strict.getvalue())) == [("body", "Strict words.")]


def test_strict_workbooks_are_read_with_their_dates() -> None:
    rows = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>Day</t></is></c></row><row r="2"><c r="A2" t="d"><v>2026-03-04</v></c></row>'
    )
    strict = workbook(sheet_of(rows).replace("http://schemas.openxmlformats.org/spreadsheetml/2006/main", "@").replace(
        "@", "http://purl.oclc.org/ooxml/spreadsheetml/main"
    ))  # fmt: skip
    document = parse(source("s.xlsx", XLSX), strict)
    assert [text for _, text in shown(document)] == ["Day", "2026-03-04"]


def test_a_sheet_with_prefixed_names_is_read() -> None:
    rows = "".join(f'<x:row r="{at}"><x:c r="B{at}"><x:v>{at}</x:v></x:c></x:row>' for at in (1, 2))
    sheet = f"<x:worksheet {SHEETS.replace('xmlns', 'xmlns:x')}><x:sheetData>{rows}</x:sheetData></x:worksheet>"
    document = parse(source("s.xlsx", XLSX), workbook(sheet))
    assert [text for _, text in shown(document)] == ["1", "2"]


def damaged(data: bytes, name: str) -> bytes:
    """The file with one part cut off."""
    with ZipFile(BytesIO(data)) as archive:
        return zipped({each: archive.read(each)[: 400 if each == name else None] for each in archive.namelist()})


def test_a_damaged_sheet_or_slide_does_not_take_the_others_with_it() -> None:
    book, deck = openpyxl.Workbook(), pptx.Presentation()
    for name in ("One", "Two"):
        sheet = book.create_sheet(name)
        sheet.append([f"Lamp {name}"])
        deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = f"Lamp {name}"
    for made, kind, part in ((book, XLSX, "xl/worksheets/sheet2.xml"), (deck, PPTX, "ppt/slides/slide1.xml")):
        out = BytesIO()
        made.save(out)
        document = parse(source("both", kind), damaged(out.getvalue(), part))
        assert [text for role, text in shown(document) if role != "metadata"] == ["Lamp Two"]
        assert [found.kind for found in document.findings] == ["damaged_part"]


def test_a_file_whose_only_sheet_or_slide_is_damaged_is_refused() -> None:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5])
    out = BytesIO()
    deck.save(out)
    with pytest.raises(Malformed, match="every slide"):
        parse(source("deck", PPTX), damaged(out.getvalue(), "ppt/slides/slide1.xml"))
    with pytest.raises(Malformed, match="damaged"):
        parse(source("book", XLSX), workbook(sheet_of("<row><c><v>1</v></c>")))


@pytest.mark.parametrize("encoding", ["no-such-encoding", "utf-7", "big5"])
def test_a_sheet_in_an_encoding_that_is_not_read_is_damaged(encoding: str) -> None:
    sheet = f'<?xml version="1.0" encoding="{encoding}"?>' + sheet_of("<row><c><v>1</v></c></row>")
    with pytest.raises(Malformed, match="damaged"):
        parse(source("book", XLSX), workbook(sheet))


def test_a_slide_nested_too_deeply_does_not_take_the_others_with_it() -> None:
    deck = pptx.Presentation()
    for name in ("One", "Two"):
        deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = name
    out = BytesIO()
    deck.save(out)
    with ZipFile(out) as archive:
        parts: dict[str, str | bytes] = {each: archive.read(each) for each in archive.namelist()}
    slide = parts["ppt/slides/slide1.xml"]
    assert isinstance(slide, bytes)
    parts["ppt/slides/slide1.xml"] = slide.replace(b"</p:spTree>", b"<p:grpSp>" * 3000 + b"</p:grpSp>" * 3000 + b"</p:spTree>")
    document = parse(source("deck", PPTX), zipped(parts))
    assert [text for role, text in shown(document) if role == "heading"] == ["Two"]
    assert [found.kind for found in document.findings] == ["damaged_part"]
