"""What a file is, by content: the name decides only between readings that the content allows."""

from __future__ import annotations

import io
import struct
import time
import zipfile

import pytest

from pincite.sources.classify import HEAD_BYTES, Class, classify, decoded

OFFICE = "application/vnd.openxmlformats-officedocument."


def of(data: bytes, name: str = "file") -> Class:
    return classify(data[:HEAD_BYTES], len(data), name, io.BytesIO(data))


def zipped(*names: str, first: bytes = b"x", encrypted: bool = False) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), first)
    data = bytearray(file.getvalue())
    if encrypted:
        at = data.rindex(b"PK\x01\x02")
        data[at + 8] |= 1
    return bytes(data)


MARKDOWN = "# Handbook\n\nCall **at once**.\n\n## Targets\n\n- one\n- two\n"
PROSE = "The desk is open from nine to five, Monday to Friday.\n\nCall before you come, or write.\n"
TABLE = "part,name,price\nA-1,bolt,3.50\nA-2,nut,1.20\nA-3,washer,0.10\n"
MAIL = "Received: from a.example\nFrom: Ann <ann@example.org>\nTo: Bob\nSubject: Targets\nMIME-Version: 1.0\n\nHello\n"
HTML = "<!DOCTYPE html>\n<html><head><title>x</title></head><body><p>Text</p></body></html>"

BY_CONTENT = [
    (MARKDOWN, "text/markdown"),
    ("---\ntitle: Policy\nid: p-1\n---\nSome text.\n", "text/markdown"),
    ("| a | b |\n|---|---|\n| 1 | 2 |\n", "text/markdown"),
    ("Title\n=====\n\nSee [the other](other.md).\n", "text/markdown"),
    (PROSE, "text/plain"),
    ("From: Ann\nTo: Bob\nRe: targets\n\nA memo is no e-mail.\n", "text/plain"),
    ("We came, we saw\nand we left, alas\nfor good, she said\n", "text/plain"),
    ("#!/bin/sh\n# a comment\n\necho x\n", "text/plain"),
    ("# comment\nkey = value\n", "text/plain"),
    (TABLE, "text/csv"),
    ("a;b\n1,5;2\n3,5;4\n", "text/csv"),
    ("a\tb\n1\t2\n", "text/tab-separated-values"),
    ('{"title": "x", "pages": [{"page": 1, "text": "DMG"}]}', "application/vnd.pincite.pages+json"),
    (
        "From: <Saved by Blink>\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=a\n\n",
        "multipart/related",
    ),
    ('id,text\n1,"Two\nlines, and a comma"\n2,"x"\n', "text/csv"),
    ('{"a": [1, 2, {"b": null}]}', "application/json"),
    ("[1, 2]", "application/json"),
    ('{"a": 1}\n{"a": 2}\n', "application/x-ndjson"),
    ('{"a": 1,\n "b": [1, 2\n', "application/json"),
    ("{curly words are no JSON}", "text/plain"),
    ("[link](x.md) begins a text\n\n# One\n\nTwo\n", "text/markdown"),
    (MAIL, "message/rfc822"),
    (f"From ann@example.org Mon Jan 1\n{MAIL}", "application/mbox"),
    (HTML, "text/html"),
    ('<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>', "text/html"),
    ("<!-- saved --><div><p>A part of a page</p></div>", "text/html"),
    ('<?xml version="1.0"?><DIV5 N="1"><HEAD>PART 1</HEAD></DIV5>', "application/xml"),
    ('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "application/xml"),
    ('<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
]


@pytest.mark.parametrize(("text", "media_type"), BY_CONTENT)
@pytest.mark.parametrize("name", ["file", "file.txt", "file.bin", "file.pdf"])
def test_text_is_what_it_says_under_any_foreign_name(text: str, media_type: str, name: str) -> None:
    found = of(text.encode(), name)
    assert (found.media_type, found.trouble) == (media_type, "")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_an_encoding_does_not_change_what_it_is(encoding: str) -> None:
    assert of(MARKDOWN.replace("Call", "Ruf für").encode(encoding)).media_type == "text/markdown"
    assert of(TABLE.encode(encoding)).media_type == "text/csv"


@pytest.mark.parametrize(
    ("text", "name", "media_type"),
    [
        (PROSE, "notes.md", "text/markdown"),
        ("name\nAnn\nBob\n", "names.csv", "text/csv"),
        ("Register of parts\n\na,b\n1,2\n", "register.csv", "text/csv"),
        ('<p align="center">Logo</p>\n\n# Title\n\n## Two\n', "README.md", "text/markdown"),
        ("<p>One paragraph</p>", "page.html", "text/html"),
        ("From: a@example.org\nSubject: x\n\nhello\n", "x.eml", "message/rfc822"),
        (
            "From a@example.org Mon Mar  2 10:00:00 2026\nFrom: a@example.org\nSubject: x\n\nhello\n",
            "letters",
            "application/mbox",
        ),
    ],
)
def test_the_name_breaks_a_tie(text: str, name: str, media_type: str) -> None:
    assert of(text.encode(), name).media_type == media_type


@pytest.mark.parametrize(
    ("data", "media_type", "trouble"),
    [
        (b"", "", "empty"),
        (b"\xef\xbb\xbf \r\n\t", "text/plain", "empty"),
        (b"%PDF-1.7\n", "application/pdf", ""),
        (b"\n\n%PDF-1.4", "application/pdf", ""),
        (b"\x89PNG\r\n\x1a\n\0\0", "image/png", ""),
        (b"{\\rtf1\\ansi Hello}", "application/rtf", ""),
        (bytes(range(256)) * 20, "application/octet-stream", ""),
        (b"\0" * 100, "application/octet-stream", ""),
        (zipped("[Content_Types].xml", "word/document.xml"), f"{OFFICE}wordprocessingml.document", ""),
        (zipped("word\\document.xml", "[Content_Types].xml"), f"{OFFICE}wordprocessingml.document", ""),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), f"{OFFICE}spreadsheetml.sheet", ""),
        (zipped("[Content_Types].xml", "ppt/presentation.xml"), f"{OFFICE}presentationml.presentation", ""),
        (zipped("mimetype", first=b"application/vnd.oasis.opendocument.text"), "application/vnd.oasis.opendocument.text", ""),
        (zipped("[Content_Types].xml", "xl/workbook.bin"), "application/vnd.ms-excel.sheet.binary.macroenabled.12", ""),
        (zipped("word/document.xml"), "application/zip", ""),
        (zipped("a.txt", encrypted=True), "application/zip", "encrypted"),
        (zipped("a.txt")[:-30], "application/zip", "damaged"),
        (b"PK\x03\x04" + b"x" * 100, "application/zip", "damaged"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "", "damaged"),
    ],
)
def test_bytes(data: bytes, media_type: str, trouble: str) -> None:
    found = of(data, "x.md")
    assert (found.media_type, found.trouble) == (media_type, trouble)
    assert bool(found.reason) is bool(trouble)


def ole(*streams: str) -> bytes:
    header = bytearray(512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    struct.pack_into("<H", header, 30, 9)
    entries = bytearray()
    for name in ("Root Entry", *streams):
        encoded = (name + "\0").encode("utf-16-le")
        entries += encoded.ljust(64, b"\0") + struct.pack("<H", len(encoded)) + bytes(62)
    return bytes(header) + bytes(entries)


@pytest.mark.parametrize(
    ("stream", "media_type", "trouble"),
    [
        ("EncryptedPackage", "application/x-ole-storage", "encrypted"),
        ("ENCRYPTEDPACKAGE", "application/x-ole-storage", "encrypted"),
        ("WordDocument", "application/msword", ""),
        ("Workbook", "application/vnd.ms-excel", ""),
        ("something", "application/x-ole-storage", ""),
    ],
)
def test_ole_files_by_their_streams(stream: str, media_type: str, trouble: str) -> None:
    found = of(ole(stream), "x.docx")
    assert (found.media_type, found.trouble) == (media_type, trouble)


def test_an_archive_with_a_huge_list_of_members_is_not_listed() -> None:
    data = bytearray(zipped("a.txt"))
    struct.pack_into("<I", data, data.rindex(b"PK\x05\x06") + 12, 1 << 30)
    assert of(bytes(data)).trouble == "damaged"


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_head_cut_within_a_character_is_still_text(cut: int) -> None:
    assert decoded("aé手😀zé手😀".encode()[:-cut], whole=False) is not None


def test_a_large_file_is_known_by_its_head() -> None:
    assert of(b'{"text": "' + b"word " * 30_000 + b'"}').media_type == "application/json"
    assert of(b'{"a": 1}\n' * 9 + b"{broken\n").media_type == "application/x-ndjson"
    assert of(b'{"a": 1}\n{broken\n{"a": 2}\n', "x.jsonl").media_type == "application/x-ndjson"
    assert of(b'{"title": "A"}\n\n# Oil\n\nTrim it.\n', "x.md").media_type == "text/markdown"
    assert of(b'{"a": 1}\n' * 20_000).media_type == "application/x-ndjson"
    assert of(TABLE.encode() + b"A-9,bolt,1\n" * 20_000).media_type == "text/csv"
    assert of(("[" * 100_000).encode()).media_type == "application/json"


@pytest.mark.parametrize(
    "piece", ["#", "-", "[a](", "[", "**a", "- a\n", "---\na\n", "<!--", "<", "a,", "{", '"', "a: b\n", "|---", "```\n"]
)
def test_no_text_takes_long(piece: str) -> None:
    started = time.process_time()
    of((piece * HEAD_BYTES)[:HEAD_BYTES].encode())
    of(("---\n" + piece * HEAD_BYTES)[:HEAD_BYTES].encode())
    assert time.process_time() - started < 2
