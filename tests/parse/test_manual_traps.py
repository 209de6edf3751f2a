"""The smallest text that shows each trap of a numbered manual."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import Malformed, NoText
from pincite.model import Document, Source, conserved
from pincite.parse.manual.flow import is_letter_spaced
from pincite.parse.manual.structure import structure
from pincite.parse.manual.text import observe_texts, parse_pages
from pincite.parse.pdf.read import read

SOURCE = Source("mini", "1", "DMG Chapter 61: Invented rules", "", "application/pdf", "mini.pdf", 1, "")
MEMO = SOURCE._replace(title="ADM Memo 03/26")


def parse(*pages: str, source: Source = SOURCE) -> Document:
    document = structure(source, observe_texts([(page, ()) for page in pages]))
    assert conserved(document)
    return document


def ids(document: Document, kind: str = "paragraph") -> list[str]:
    return [node.node_id for node in document.nodes if node.kind == kind]


def roles(document: Document) -> list[tuple[str, str, str]]:
    return [
        (block.role, block.node_id, " ".join(document.slice(block.page, block.start, block.end).decode().split()))
        for block in document.partition
        if block.role != "blank"
    ]


def test_a_wrapped_reference_at_a_line_start_is_no_paragraph() -> None:
    document = parse(
        "General\n\n61001 A claimant is treated as the DM decides under the rules that are set out here and in DMG 61002 -\n"
        "61004 for further details.\n\n61002 The next one.\n\n61003 And one more.\n\n61004 The last.\n"
    )
    assert ids(document) == ["DMG 61001", "DMG 61002", "DMG 61003", "DMG 61004"]


def test_text_that_begins_with_another_paragraphs_number_is_a_paragraph() -> None:
    source = SOURCE._replace(title="ADM Chapter Q4")
    document = parse(
        "Rules\n\nQ4001 One rule.\n\nQ4002 Q4001 does not apply where\n\n1. this is so.\n\nQ4003 Another.\n", source=source
    )
    assert ids(document) == ["ADM Q4001", "ADM Q4002", "ADM Q4003"]


@pytest.mark.parametrize("line", ["61002 - 61010", "61002 – 61010", "        61002 - 61010"])
def test_reserved_ranges_with_either_dash_in_either_column(line: str) -> None:
    document = parse(f"Rules\n\n61001 One rule.\n\n{line}\n\nMore\n\n61011 Another.\n")
    assert ids(document, "reserved") == ["DMG 61002-61010"]
    assert ids(document) == ["DMG 61001", "DMG 61011"]


def test_a_lone_number_is_reserved() -> None:
    document = parse("Rules\n\n61001 One rule.\n\n61002\n\nMore\n\n61003 Another.\n")
    assert ids(document, "reserved") == ["DMG 61002"]


def test_mini_contents_are_neither_headings_nor_paragraphs() -> None:
    page = (
        "Introduction 61001 - 61009\n\n\nFirst things 61002\n\n\n"
        "Second things of a longer name that goes on 61003 -\n61004\n\n\n\n"
        "61001 The first.\n\n\n\nFirst things\n\n61002 The second.\n\n\n\n"
        "Second things of a longer name that goes on\n\n61003 The third.\n"
    )
    document = parse(page)
    assert ids(document) == ["DMG 61001", "DMG 61002", "DMG 61003"]
    by_id = {node.node_id: node for node in document.nodes}
    headings = [by_id[by_id[name].parent_id or ""].heading for name in ids(document)]
    assert headings == ["Introduction 61001 - 61009", "First things", "Second things of a longer name that goes on"]
    contents = [text for role, _, text in roles(document) if role == "contents"]
    assert contents == ["First things 61002 Second things of a longer name that goes on 61003 - 61004"]


def test_the_heading_of_a_section_ends_with_its_range() -> None:
    lists = "General 61001 - 61009\n\n\nNarrow 61001 - 61002\n\n\nWide 61003 - 61009\n\n\n\n"
    page = f"{lists}Narrow\n\n61001 One.\n\n61002 Two.\n\n\n\nWide\n\n61003 Three.\n"
    document = parse(page)
    parents = {node.node_id: node.parent_id for node in document.nodes}
    assert "Narrow" not in (parents["DMG 61003"] or "")


def test_a_title_in_several_contents_lists_has_the_range_of_the_list_it_stands_under() -> None:
    lists = (
        "Rates 61001 - 61009\n\n\nGeneral 61001\n\n\nOthers 61002 - 61009\n\n\n\n",
        ("Amounts 61010 - 61019\n\n\nGeneral 61010 - 61011\n\n\nOthers 61012 - 61019\n\n\n\n"),
    )
    document = parse(
        f"{lists[0]}General\n\n61001 One.\n\n\n\nOthers\n\n61002 Two.\n\n61003 - 61009\n",
        f"{lists[1]}General\n\n61010 Ten.\n\n61011 Eleven.\n\n\n\nOthers\n\n61012 Twelve.\n",
    )
    parents = {node.node_id: node.parent_id or "" for node in document.nodes}
    assert parents["DMG 61011"] == "DMG Chapter 61: General (2)"
    assert parents["DMG 61012"] == "DMG Chapter 61: Others (2)"
    assert parents[parents["DMG 61011"]].endswith("Amounts 61010 - 61019")


def test_a_repeated_heading_is_another_node() -> None:
    document = parse("Rates\n\n61001 One.\n\n\n\nOther\n\n61002 Two.\n\n\n\nRates\n\n61003 Three.\n")
    parents = {node.node_id: node.parent_id for node in document.nodes}
    assert parents["DMG 61001"] != parents["DMG 61003"]


def test_an_example_crosses_a_page_and_ends_at_the_next_number() -> None:
    document = parse(
        "Rules\n\n61001 One rule.\n\nExample 1\n\nAnn claims. She\n",
        "is paid.\n\nExample 2\n\nBob is not.\n\n61002 Two.\n",
    )
    examples = [(node, text) for role, node, text in roles(document) if role == "example"]
    assert examples == [
        ("DMG 61001", "Example 1 Ann claims. She"),
        ("DMG 61001", "is paid."),
        ("DMG 61001", "Example 2 Bob is not."),
    ]


def test_a_notice_does_not_swallow_the_next_paragraph() -> None:
    notice = "The content of the examples in this document (including use of imagery) is for illustrative purposes\nonly"
    document = parse(f"Rules\n\n61001 One rule.\n\n{notice}\n\n61002 Two.\n")
    assert ids(document) == ["DMG 61001", "DMG 61002"]
    assert [node for role, node, _ in roles(document) if role == "notice"] == ["DMG Chapter 61"]


def test_list_items_numbered_like_paragraphs_stay_items() -> None:
    page = (
        "03-26 The Invented Order\n\nINTRODUCTION\n\n1. This memo tells of the invented order.\n\nRULES\n\n"
        "2. Where\n\n1. one thing is so and\n\n"
        "2. another is so\n\nthe award is made.\n\n3. Where it is not, see DMG 61001.\n\nANNOTATIONS\n\n"
        "The number of this memo should be annotated against the following ADM paragraphs; F2183, G3030\n\n"
        "CONTACTS\n\nAsk DMA Leeds.\n"
    )
    document = parse(page, source=MEMO)
    assert ids(document) == [f"Memo ADM 03/26 para {n}" for n in (1, 2, 3)]
    assert ids(document, "item") == ["Memo ADM 03/26 para 2 1", "Memo ADM 03/26 para 2 2"]
    by_role = {role: text for role, _, text in roles(document)}
    assert by_role["annotation"].endswith("F2183, G3030")
    assert by_role["contact"] == "Ask DMA Leeds."
    assert ("body", "Memo ADM 03/26 para 2", "the award is made.") in roles(document)


def test_a_citation_line_that_opens_the_next_page_belongs_to_the_paragraph_before() -> None:
    document = parse(
        "Rules\n\n61001 One rule.\n",
        "                                                                   1 Invented Regs, reg 1(1)\n\n61002 Two.\n",
    )
    assert ("footnote", "DMG 61001", "1 Invented Regs, reg 1(1)") in roles(document)


def test_what_stays_unclear_is_reported_with_its_readings() -> None:
    document = parse(
        "Rules\n\n61001 One rule that the DM has to apply in each of the cases that are named in paragraph\n"
        "61002 The words go on.\n"
    )
    (finding,) = (finding for finding in document.findings if finding.kind == "uncertain_boundary")
    assert finding.subject == "61002"
    assert len(finding.candidates) == 2


def test_the_profile_is_chosen_by_evidence_and_the_evidence_is_kept() -> None:
    document = parse("Rules\n\n61001 See DMG 61002.\n\n61002 DMs decide.\n")
    (finding,) = (finding for finding in document.findings if finding.kind == "profile")
    assert finding.subject == "dmg"
    assert "'DMG' (2)" in finding.reason


def test_letter_spaced_text_keeps_its_bytes_and_is_shown_closed_up() -> None:
    spaced = "61001 T h e D M s h o ul d d e ci d e w h et h er t h e cl ai m a nt i s e ntitl e d t o t h e b e n efit.\n"
    document = parse(spaced * 1 + "\n61002 T h e o n e t h at f oll o w s i s f or t h e D M a n d n o o n e el s e.\n")
    assert ids(document) == ["DMG 61001", "DMG 61002"]
    (block,) = (block for block in document.partition if block.node_id == "DMG 61001")
    assert document.slice(1, block.start, block.end).decode() == spaced.strip()
    assert document.display[block.ordinal] == "61001 The DM should decide whether the claimant is entitled to the benefit."


@pytest.mark.parametrize("hyphen", ["-", "\u2010"])
def test_hyphens_at_line_ends_are_joined_for_display_only(hyphen: str) -> None:
    document = parse(
        f"Rules\n\n61001 The entitlement of the claimant is decided by the officer, and the en{hyphen}\n"
        "titlement is kept. A mixed-age couple is a mixed-\n"
        "age couple.\n\n61002 Two.\n"
    )
    (block,) = (block for block in document.partition if block.node_id == "DMG 61001")
    shown = " ".join(document.display[block.ordinal].split())
    assert "and the entitlement is kept. A mixed-age couple is a mixed-age couple." in shown
    assert f"the en{hyphen}\ntitlement".encode() in document.slice(1, block.start, block.end)


def test_no_text_at_all_is_told() -> None:
    with pytest.raises(NoText, match="no page has any text"):
        structure(SOURCE, observe_texts([("", ()), ("\n\n", ())]))


def test_pages_that_are_no_pages_are_malformed() -> None:
    with pytest.raises(Malformed):
        parse_pages(SOURCE, b'{"pages": 3}')
    with pytest.raises(Malformed):
        parse_pages(SOURCE, b"not json")


def test_the_miniature_manual_has_all_its_traps() -> None:
    folder = Path(__file__).parents[2] / "fixtures" / "manuals"
    data = (folder / "mini-manual.pdf").read_bytes()
    document = structure(SOURCE, read(data, "mini-manual.pdf"))
    assert conserved(document)
    assert ids(document) == ["DMG 61001", "DMG 61004", "DMG 61006"]
    assert ids(document, "reserved") == ["DMG 61002-61003", "DMG 61005"]
    assert ids(document, "item") == ["DMG 61001 1", "DMG 61001 1.1", "DMG 61001 1.2", "DMG 61001 2"]
    by_role: dict[str, list[str]] = {}
    for role, node, text in roles(document):
        by_role.setdefault(role, []).append(f"{node}|{text[:12]}")
    assert by_role["example"] == ["DMG 61004|Example 1 An", "DMG 61004|lamp is a th", "DMG 61004|Example 2 Bo"]
    assert by_role["footnote"] == ["DMG 61001|1 Invented A", "DMG 61004|1 Invented R"]
    assert by_role["contents"] == [
        "DMG Chapter 61|Subpages · G",
        "DMG Chapter 61: General 61001 - 61009|Scope 61001 ",
    ]
    assert len(by_role["page_furniture"]) == 4
    assert len(by_role["notice"]) == 1
    (link,) = document.links
    assert document.slice(link.target_page, link.target_start, link.target_end) == b"1 Invented Act 01, s 1(1)"


def test_a_number_used_twice_after_a_line_without_a_stop_is_never_passed_over_in_silence() -> None:
    lines = [f"1.{number} A keeper lights the lamp number {number}.\n\n" for number in range(1, 7)]
    document = parse(
        "".join(lines[:5]) + "1.6 Legal matters\n",
        "1.5 There are no others.\n\n1.7 The end.\n",
        source=SOURCE._replace(title="X"),
    )
    (found,) = (finding for finding in document.findings if finding.kind == "uncertain_boundary")
    assert (found.subject, found.page) == ("1.5", 2)
    assert len(found.candidates) == 2


def test_a_table_of_single_digits_and_marks_is_not_one_of_spread_letters() -> None:
    rows = "\n".join(f"Cell {n % 10}   {n // 3 % 10}   Y   {n % 7}   X" for n in range(20))
    (page,) = observe_texts([(rows, ())]).pages
    assert not is_letter_spaced(page)


def test_a_page_of_leaders_is_not_one_of_spread_letters() -> None:
    leaders = " . " * 12
    lines = "".join(f"{number} Enter the amount of the lamp{leaders}{number}\n" for number in range(1, 13))
    document = parse("Worksheet\n\n61001 One rule.\n\n61002 Two.\n\n61003 Three.\n", lines)
    assert not any("Enterthe" in shown for shown in document.display.values())
    assert {block.page for block in document.partition if block.ordinal in document.display} <= {1}
