"""The U.S. Code in United States Legislative Markup: citations, levels, notes, tables, references in the markup."""

from __future__ import annotations

import pytest

from pincite.errors import Forbidden, Malformed
from pincite.model import Document, Source, conserved
from pincite.parse import parse
from pincite.parse.uslm_names import citation

SOURCE = Source("99-usc", "2026", "Title 99", "", "application/xml", "usc99.xml", 0, "")
CODE = """<?xml version="1.0" encoding="UTF-8"?>
<uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" identifier="/us/usc/t99">
<meta><dc:title>Title 99</dc:title><docNumber>99</docNumber></meta>
<main><title identifier="/us/usc/t99"><num value="99">Title 99—</num><heading>LIGHTHOUSES</heading>
<toc><layout><tocItem><column><ref href="/us/usc/t99/s1">1.</ref></column><column>Keepers</column></tocItem></layout></toc>
<chapter identifier="/us/usc/t99/ch2"><num value="2">CHAPTER 2—</num><heading>LAMPS</heading>
<section identifier="/us/usc/t99/s21–1"><num value="21–1">§ 21–1.</num><heading> Lamps of keepers</heading>
<subsection identifier="/us/usc/t99/s21–1/a"><num value="a">(a)</num><heading> In general</heading>
<chapeau>A keeper shall<ref class="footnoteRef" idref="fn1">1</ref><note
type="footnote" id="fn1"><num>1</num> So in original.</note> light—</chapeau>
<paragraph identifier="/us/usc/t99/s21–1/a/1"><num value="1">(1)</num><content> the lamp, as in <ref
href="/us/usc/t99/s22">section 22 of this title</ref>; and</content></paragraph>
<paragraph identifier="/us/usc/t99/s21–1/a/2"><num value="2">(2)</num><content> the beacon,</content></paragraph>
<continuation>before dusk.</continuation></subsection>
<subsection identifier="/us/usc/t99/s21–1/b"><num value="b">(b)</num><content><p>Hours are:</p>
<table xmlns="http://www.w3.org/1999/xhtml">
<thead><tr><th>Lamp</th><th>Hours</th></tr></thead><tbody><tr><td>North</td><td>12</td></tr></tbody></table>
</content></subsection>
<sourceCredit>(Jan. 2, 1999, ch. 3, 4 Stat. 5.)</sourceCredit>
<notes><note topic="amendments"><heading>Amendments</heading><p>2001—Subsec. (a). Pub. L. 107–1 inserted “beacon”.</p></note>
<note topic="miscellaneous"><heading>Short Title</heading><p>Act provided that:
<quotedContent><section><num>§ 9.</num><content>“Quoted law.”</content></section></quotedContent></p></note>
</notes>
</section>
<section identifier="/us/usc/t99/s22" status="repealed">
<num value="22">[§ 22.</num><heading> Repealed. Pub. L. 107–2]</heading></section>
</chapter></title></main></uscDoc>"""


def read(text: str = CODE) -> Document:
    document = parse(SOURCE, text.encode())
    assert conserved(document)
    return document


def of_role(document: Document, role: str) -> list[tuple[str, str]]:
    return [
        (b.node_id, " ".join((document.display.get(b.ordinal) or document.slice(1, b.start, b.end).decode()).split()))
        for b in document.partition
        if b.role == role
    ]


def test_nodes_are_citations() -> None:
    assert [(node.node_id, node.kind, node.label, node.heading) for node in read().nodes] == [
        ("99 U.S.C.", "title", "Title 99", "LIGHTHOUSES"),
        ("99 U.S.C. Chapter 2", "chapter", "CHAPTER 2", "LAMPS"),
        ("99 U.S.C. § 21-1", "section", "21–1", "Lamps of keepers"),
        ("99 U.S.C. § 21-1(a)", "paragraph", "(a)", "In general"),
        ("99 U.S.C. § 21-1(a)(1)", "paragraph", "(1)", ""),
        ("99 U.S.C. § 21-1(a)(2)", "paragraph", "(2)", ""),
        ("99 U.S.C. § 21-1(b)", "paragraph", "(b)", ""),
        ("99 U.S.C. § 21-1 note", "note", "note", ""),
        ("99 U.S.C. § 22", "section", "22", "Repealed. Pub. L. 107–2"),
    ]
    assert [node.reserved for node in read().nodes][-2:] == [False, True]


def test_the_rule_is_its_levels_and_nothing_else() -> None:
    document = read()
    assert of_role(document, "body") == [
        ("99 U.S.C. § 21-1(a)", "(a) In general"),
        ("99 U.S.C. § 21-1(a)", "A keeper shall1"),
        ("99 U.S.C. § 21-1(a)", "light—"),
        ("99 U.S.C. § 21-1(a)(1)", "(1) the lamp, as in section 22 of this title; and"),
        ("99 U.S.C. § 21-1(a)(2)", "(2) the beacon,"),
        ("99 U.S.C. § 21-1(a)", "before dusk."),
        ("99 U.S.C. § 21-1(b)", "(b) Hours are:"),
    ]
    assert of_role(document, "table") == [("99 U.S.C. § 21-1(b)", "Lamp | Hours"), ("99 U.S.C. § 21-1(b)", "North | 12")]
    assert next(text for _, text in of_role(document, "amendment_history")) == "Amendments"
    assert [text for _, text in of_role(document, "notice")][-1] == "“Quoted law.”"
    assert of_role(document, "source_note")[0][0] == "99 U.S.C. § 21-1"
    assert of_role(document, "contents") == [("99 U.S.C.", "1. | Keepers")]


def test_references_in_the_markup_footnotes_and_headers_are_links() -> None:
    document = read()
    links = [(document.slice(1, link.start, link.end).decode(), link.target) for link in document.hyperlinks]
    assert links[1] == ("section 22 of this title", "/us/usc/t99/s22")
    assert document.anchors["/us/usc/t99/s22"] == "99 U.S.C. § 22"
    assert sorted(link.kind for link in document.links) == ["footnote", "table_header"]
    note = next(link for link in document.links if link.kind == "footnote")
    assert document.slice(1, note.start, note.end) == b"1"
    assert "So in original." in document.slice(1, note.target_start, note.target_end).decode()


def test_blocks_are_found_in_the_file() -> None:
    document = read()
    block = next(b for b in document.partition if b.node_id.endswith("(a)(2)"))
    raw = CODE.encode()[block.raw_start : block.raw_end].decode()
    assert raw == '<num value="2">(2)</num><content> the beacon,</content>'


@pytest.mark.parametrize(
    ("identifier", "cited"),
    [
        ("/us/usc/t42/s1983/a/1/A", "42 U.S.C. § 1983(a)(1)(A)"), ("/us/usc/t5a/s3", "5 U.S.C. App. § 3"),
        ("/us/usc/t42/ch21/schI/ptA", "42 U.S.C. Chapter 21 Subchapter I Part A"),
        ("/us/usc/t6/s101...103", "6 U.S.C. §§ 101 to 103"),
        ("/us/usc/t42/xx1", ""), ("/us/bill/1", ""),
    ],
)  # fmt: skip
def test_identifiers(identifier: str, cited: str) -> None:
    assert citation(identifier) == cited


def test_bad_input() -> None:
    with pytest.raises(Malformed):
        read(CODE[:900])
    with pytest.raises(Forbidden):
        read(CODE.replace("<uscDoc", '<!DOCTYPE uscDoc [<!ENTITY a "b">]><uscDoc', 1))


REGULATIONS = """<cfrDoc xmlns="http://schemas.gpo.gov/xml/uslm"><main><title><num>Title 99—</num><heading>Goats</heading>
<chapter identifier="/us/cfr/t99/ch4"><num>CHAPTER IV—</num><heading>GOAT BOARD</heading>
<part identifier="/us/cfr/t99/p9"><ear>Pt. 9</ear><num>PART 9—</num><heading>GOATS</heading>
<authority><heading>Authority:</heading>
<p>99 U.S.C. 1.</p></authority><source style="-uslm-sgm:SOURCE"><p>1 FR 2, Jan. 3, 1999.</p></source>
<level style="-uslm-sgm:SUBJGRP"><heading>Feeding</heading>
<section identifier="/us/cfr/t99/s9.1"><num>§ 9.1</num><heading>Hay.</heading>
<paragraph identifier="/us/cfr/t99/s9.1/a"><num>(a) </num><heading>Rule.</heading>
<paragraph identifier="/us/cfr/t99/s9.1/a/1" class="inline"><num>(1)</num><content>Hay is fed.</content></paragraph>
</paragraph>
<source style="-uslm-sgm:CITA">[1 FR 2, Jan. 3, 1999]</source></section></level></part></chapter></title></main></cfrDoc>"""


def test_the_code_of_federal_regulations_in_the_same_markup() -> None:
    given = parse(SOURCE, REGULATIONS.encode())
    assert conserved(given)
    assert not given.findings
    assert [n.node_id for n in given.nodes][1:] == [
        "99 CFR Chapter IV", "99 CFR Part 9", "99 CFR 9.1", "99 CFR 9.1(a)", "99 CFR 9.1(a)(1)",
    ]  # fmt: skip
    assert given.nodes[0].node_id == "99-usc Title 99"
    roles = {given.slice(1, b.start, b.end).decode().strip(): b.role for b in given.partition}
    assert (roles["99 U.S.C. 1."], roles["1 FR 2, Jan. 3, 1999."]) == ("authority", "source_note")
    assert (roles["[1 FR 2, Jan. 3, 1999]"], roles["Pt. 9"]) == ("amendment_history", "page_furniture")
