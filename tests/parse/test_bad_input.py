"""Bad XML: each kind is one clear sentence, of the right class, and nothing is opened or expanded."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from pincite.errors import Forbidden, Malformed, ParseError, TooExpensive
from pincite.model import Document, Source, conserved
from pincite.parse import parse
from pincite.parse.scan import MAX_DEPTH, MAX_TEXT

FIXTURES = Path(__file__).parents[2] / "fixtures" / "ecfr"


def read(data: bytes) -> Document:
    return parse(Source("bad", "", "", "", "application/xml", "title-99/bad.xml", len(data), ""), data)


def section(inner: str) -> bytes:
    return f'<DIV8 N="1.1" TYPE="SECTION">\n<HEAD>§ 1.1 Test.</HEAD>\n{inner}\n</DIV8>'.encode()


GOOD = section("<P>(a) One.</P>")

BILLION = b"""<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<DIV8 N="1.1"><HEAD>&b;</HEAD></DIV8>"""

CASES = {
    "empty": (b"", Malformed, "empty"),
    "only whitespace": (b" \n\n", Malformed, "empty"),
    "no XML": (b"PK\x03\x04 a zip", Malformed, "neither XML nor PDF"),
    "truncated": (GOOD[:-20], Malformed, "cut off"),
    "truncated in a tag": (GOOD[:25], Malformed, "cut off|not well-formed|unclosed"),
    "not well-formed": (GOOD.replace(b"</P>", b"</Q>"), Malformed, "mismatched"),
    "wrong root": (b"<html><body>hello</body></html>", Malformed, "<html> is no root"),
    "root of another publisher": (b"<usc><title/></usc>", Malformed, "<usc> is no root"),
    "not UTF-8": (GOOD.decode().encode("latin-1"), Malformed, "not UTF-8"),
    "UTF-16": (GOOD.decode().encode("utf-16"), Malformed, "UTF-16"),
    "another encoding declared": (b'<?xml version="1.0" encoding="ISO-8859-1"?>' + GOOD, Malformed, "says it is ISO-8859-1"),
    "null bytes": (GOOD.replace(b"One", b"O\0ne"), Malformed, "null bytes"),
    "entity bomb": (BILLION, Forbidden, "declares"),
    "external entity": (
        b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><DIV8 N="1.1"><P>&x;</P></DIV8>',
        Forbidden,
        "declares",
    ),
    "external DTD": (b'<!DOCTYPE d SYSTEM "http://127.0.0.1:9/d.dtd"><DIV8 N="1.1"/>', Forbidden, "declares"),
    "parameter entity": (b'<!DOCTYPE d [<!ENTITY % p SYSTEM "file:///x"> %p;]><DIV8/>', Forbidden, "declares"),
    "undefined entity": (GOOD.replace(b"One", b"&nbsp;"), Malformed, "undefined entity"),
    "two roots": (GOOD + GOOD, Malformed, "junk after"),
    "deep nesting": (b"<DIV5>" + b"<DIV>" * 5000 + b"</DIV>" * 5000 + b"</DIV5>", TooExpensive, "nested"),
}


@pytest.mark.parametrize("case", CASES)
def test_each_kind_is_one_clear_sentence(case: str) -> None:
    data, error, words = CASES[case]
    with pytest.raises(error, match=words) as caught:
        read(data)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert "title-99/bad.xml" in sentence
    assert caught.value.exit_code == ParseError.exit_code
    assert caught.value.next


def test_the_good_file_beside_them_is_read() -> None:
    assert [node.node_id for node in read(GOOD).nodes] == ["99 CFR 1.1", "99 CFR 1.1(a)"]


def test_nothing_is_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOP SECRET")
    data = f'<!DOCTYPE d [<!ENTITY x SYSTEM "{secret.as_uri()}">]><DIV8 N="1.1"><P>&x;</P></DIV8>'.encode()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the parser opened something")

    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr("socket.socket.connect", refuse)
    with pytest.raises(Forbidden):
        read(data)


def test_one_element_of_50_megabytes_is_refused_in_bounded_memory() -> None:
    data = section("<P>(a) " + "word " * 10_000_000 + "</P>")
    assert len(data) > 50_000_000
    tracemalloc.start()
    with pytest.raises(TooExpensive, match=f"more than {MAX_TEXT} characters"):
        read(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * len(data)


def test_a_section_of_many_paragraphs_is_not_one_element() -> None:
    document = read(section("<P>Text of a paragraph.</P>\n" * 20_000))
    assert conserved(document)


def test_nesting_up_to_the_limit_is_read() -> None:
    depth = MAX_DEPTH - 3
    document = read(b"<DIV5 N='1'>" + b"<DIV>" * depth + b"<P>deep</P>" + b"</DIV>" * depth + b"</DIV5>")
    assert document.pages == (b"deep",)


def test_a_duplicate_section_number_is_kept_and_told() -> None:
    data = b"<DIV5 N='1'>" + section("<P>(a) First.</P>") + section("<P>(a) Second.</P>") + b"</DIV5>"
    document = read(data)
    found = [node.node_id for node in document.nodes if node.kind == "section"]
    assert found == ["99 CFR 1.1", "99 CFR 1.1 [2]"]
    assert "99 CFR 1.1 [2](a)" in {node.node_id for node in document.nodes}
    assert [finding.subject for finding in document.findings if finding.kind == "duplicate_node"] == ["99 CFR 1.1"]
    assert b"Second." in document.pages[0]


def test_an_unknown_element_is_told_and_its_text_is_kept_but_never_quoted() -> None:
    document = read(section("<P>(a) One <BLINK>two</BLINK> three.</P><FOO>four<P>(b) five</P></FOO>"))
    assert [f.subject for f in document.findings if f.kind == "unsupported_element"] == ["BLINK", "FOO"]
    roles = {document.slice(1, b.start, b.end): b.role for b in document.partition if b.role != "blank"}
    assert roles[b"(a) One two three."] == "body"
    assert roles[b"four"] == roles[b"(b) five"] == "notice"


def test_an_image_is_told() -> None:
    document = read(section('<P>(a) One.</P><MATH><img src="/graphics/x.gif"/></MATH>'))
    assert [(f.kind, f.subject) for f in document.findings] == [("image", "/graphics/x.gif")]


def test_a_title_that_nothing_names_is_told() -> None:
    document = parse(Source("x", "", "", "", "application/xml", "x.xml", 0, ""), GOOD)
    assert [finding.kind for finding in document.findings] == ["unknown_title"]
    assert document.nodes[0].node_id == "? CFR 1.1"


@pytest.mark.parametrize("odd", [b"\xef\xbb\xbf" + GOOD, b"<!-- x --><?y z?>" + GOOD, GOOD.replace(b"\n", b"\r\n")])
def test_byte_order_mark_comments_and_line_ends_do_not_move_raw_ranges(odd: bytes) -> None:
    document = read(odd)
    block = next(block for block in document.partition if block.node_id == "99 CFR 1.1(a)")
    assert odd[block.raw_start : block.raw_end] == b"<P>(a) One.</P>"


def test_cdata_comments_and_references_are_text_like_any_other() -> None:
    document = read(section("<P>(a) A<!-- not this -->B &amp; <![CDATA[<C>]]> &#167;</P>"))
    assert document.pages[0].decode().strip().endswith("(a) AB & <C> §")
    assert conserved(document)


def test_bad_fixtures_lie_beside_the_good_ones() -> None:
    for file in sorted((FIXTURES / "bad").glob("*.xml")):
        with pytest.raises(ParseError):
            read(file.read_bytes())
