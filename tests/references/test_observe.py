"""References in a document: where they stand, how far they reach, and what their spans are in bytes."""

from __future__ import annotations

import pytest

from pincite.model import Block, Document, Node, Place, Source, sha256_hex
from pincite.references import family_of, find, observe

SOURCE = Source("d", "v", "t", "", "application/xml", "part-911.xml", 0, "")
PART, SUBPART, SECTION = "21 CFR Part 911", "21 CFR Part 911 Subpart B", "21 CFR 911.22"


def node(node_id: str, parent: str | None, kind: str) -> Node:
    return Node(node_id, parent, kind, "", "", 0, 1, 0, 1, 0)


NODES = (
    node("Title 21", None, "title"),
    node("21 CFR Chapter I", "Title 21", "chapter"),
    node(PART, "21 CFR Chapter I", "part"),
    node(SUBPART, PART, "subpart"),
    node(SECTION, SUBPART, "section"),
    node(f"{SECTION}(a)", SECTION, "paragraph"),
    node(f"{SECTION}(a)(1)", f"{SECTION}(a)", "paragraph"),
    node('21 CFR 911.22 "Batch"', SECTION, "definition"),
    node(f"{PART} Appendix A", PART, "appendix"),
)


def document(*stretches: tuple[str, str, str], parser: str = "ecfr-xml", nodes: tuple[Node, ...] = NODES) -> Document:
    """A document of one page from (role, node id, text)."""
    blocks, page = [], b""
    for role, node_id, text in stretches:
        data = text.encode()
        blocks.append(Block(len(blocks), 1, len(page), len(page) + len(data), role, node_id, sha256_hex(data)))
        page += data
    return Document(SOURCE, parser, "1", (page,), nodes, tuple(blocks))


def seen(*stretches: tuple[str, str, str], nodes: tuple[Node, ...] = NODES) -> list[tuple[str, str, str | None]]:
    made = document(*stretches, nodes=nodes)
    observed = observe(made)
    for item in observed:
        data = made.slice(1, item.span.start, item.span.end)
        assert data.decode() == item.mention.text
        assert item.span.sha256 == sha256_hex(data)
    return [(item.source_node_id, item.mention.text, item.mention.target_node_id) for item in observed]


def test_a_reference_stands_at_its_block_and_is_completed_from_the_ancestors():
    assert seen(("body", f"{SECTION}(a)", "é § 1.2 “this subpart”; subpart A of part 1 of this chapter; this paragraph")) == [
        (f"{SECTION}(a)", "§ 1.2", "21 CFR 1.2"),
        (f"{SECTION}(a)", "this subpart", SUBPART),
        (f"{SECTION}(a)", "subpart A of part 1 of this chapter", "21 CFR Part 1 Subpart A"),
        (f"{SECTION}(a)", "this paragraph", f"{SECTION}(a)"),
    ]


def test_a_reference_never_reaches_into_the_next_block():
    found = seen(
        ("body", f"{SECTION}(a)", "as required by § 911.42 "),
        ("body", f"{SECTION}(a)(1)", "(b) and 912.43 are new; paragraphs"),
        ("body", f"{SECTION}(a)(1)", " (c) of this section"),
    )
    assert [text for _, text, _ in found] == ["§ 911.42", "(c) of this section"]


def test_words_of_neighbouring_blocks_do_not_run_together():
    """Minified XML has no white space between paragraphs."""
    found = seen(
        ("body", f"{SECTION}(a)", "as said in this section"),
        ("body", f"{SECTION}(a)", "Part 1 of this chapter and subpart F"),
        ("body", f"{SECTION}(a)", "This part, section 911.42"),
        ("body", f"{SECTION}(a)", "Section 911.43 and § 911.44"),
        ("body", f"{SECTION}(a)", "and (43 FR 45077)"),
        ("body", f"{SECTION}(a)", "1 U.S.C. 5"),
    )
    assert [text for _, text, _ in found] == [
        "this section",
        "Part 1 of this chapter",
        "subpart F",
        "This part",
        "section 911.42",
        "Section 911.43",
        "§ 911.44",
        "43 FR 45077",
        "1 U.S.C. 5",
    ]


def test_a_definition_and_an_appendix_are_places():
    assert seen(
        ("body", '21 CFR 911.22 "Batch"', "paragraph (1) of this definition, this section"),
        ("body", f"{PART} Appendix A", "paragraph (b) of this appendix"),
    ) == [
        ('21 CFR 911.22 "Batch"', "paragraph (1) of this definition", '21 CFR 911.22 "Batch"(1)'),
        ('21 CFR 911.22 "Batch"', "this section", SECTION),
        (f"{PART} Appendix A", "paragraph (b) of this appendix", f"{PART} Appendix A(b)"),
    ]


@pytest.mark.parametrize("role", ["contents", "page_furniture", "blank", "reserved", "contact"])
def test_a_list_of_places_cites_none(role):
    assert seen((role, PART, "§ 911.22 and 43 FR 45077")) == []


@pytest.mark.parametrize("role", ["authority", "source_note", "amendment_history", "footnote", "table", "note", "notice"])
def test_what_stands_beside_the_rule_cites(role):
    assert [target for _, _, target in seen((role, PART, "43 FR 45077; 21 U.S.C. 321"))] == ["43 FR 45077", "21 U.S.C. § 321"]


def test_a_heading_does_not_cite_itself_but_may_cite_others():
    assert seen(
        ("heading", SECTION, "§ 911.22 Records under § 911.180\n"),
        ("heading", SUBPART, "Subpart B—Records\n"),
        ("heading", f"{PART} Appendix A", "Appendix A to Part 911—Criteria\n"),
    ) == [(SECTION, "§ 911.180", "21 CFR 911.180")]


def test_a_name_defined_anywhere_in_the_document_holds_everywhere_in_it():
    found = seen(
        ("body", f"{SECTION}(a)", "section 5 of the Act. "),
        ("body", f"{SECTION}(a)(1)", "Act means the Quarry Safety Act of 1999."),
    )
    assert [target for _, _, target in found] == ["Quarry Safety Act of 1999 § 5"]


def test_a_document_without_references_has_none():
    assert seen(("body", SECTION, "Nothing here.")) == []
    assert observe(document()) == ()


def test_the_family_follows_the_parser():
    assert family_of(document()) == "cfr"
    assert family_of(document(parser="manual-pdf")) == "manual"


def test_what_a_federal_register_document_sets_out_stands_in_the_code():
    nodes = (
        node("FR Doc. 2099-1", None, "document"),
        node("FR Doc. 2099-1 Amendment 2", "FR Doc. 2099-1", "amendment"),
        node("FR Doc. 2099-1 21 CFR 911.65", "FR Doc. 2099-1 Amendment 2", "section"),
        node("FR Doc. 2099-1 21 CFR 911.65(d)", "FR Doc. 2099-1 21 CFR 911.65", "paragraph"),
    )
    assert seen(
        ("body", "FR Doc. 2099-1 Amendment 2", "2. In § 911.65, revise paragraphs (a)(2) and (d) to read"),
        ("body", "FR Doc. 2099-1 21 CFR 911.65(d)", "this paragraph, paragraph (b) of this section, this part"),
        nodes=nodes,
    ) == [
        ("FR Doc. 2099-1 Amendment 2", "§ 911.65", "21 CFR 911.65"),
        ("FR Doc. 2099-1 Amendment 2", "paragraphs (a)(2)", "21 CFR 911.65(a)(2)"),
        ("FR Doc. 2099-1 Amendment 2", "(d)", "21 CFR 911.65(d)"),
        ("FR Doc. 2099-1 21 CFR 911.65(d)", "this paragraph", "21 CFR 911.65(d)"),
        ("FR Doc. 2099-1 21 CFR 911.65(d)", "paragraph (b) of this section", "21 CFR 911.65(b)"),
        ("FR Doc. 2099-1 21 CFR 911.65(d)", "this part", "21 CFR Part 911"),
    ]


def test_an_official_interpretation_stands_where_its_section_does():
    supplement = f"{PART} Supplement I"
    nodes = (*NODES, node(supplement, PART, "appendix"), node(f"{supplement} 3(b)-2", supplement, "comment"))
    text = "paragraph (b)(2) of this section; see comments 3(b)(1)-1.v and 20(a)-2, not comment 5"
    assert seen(("body", f"{supplement} 3(b)-2", text), nodes=nodes) == [
        (f"{supplement} 3(b)-2", "paragraph (b)(2) of this section", "21 CFR 911.3(b)(2)"),
        (f"{supplement} 3(b)-2", "comments 3(b)(1)-1.v", f"{supplement} 3(b)(1)-1.v"),
        (f"{supplement} 3(b)-2", "20(a)-2", f"{supplement} 20(a)-2"),
    ]


def test_a_named_unit_is_a_place_if_the_words_name_it():
    category = f'{SECTION} "Category II"'
    found = seen(("body", f"{category}(c)", "paragraphs (a) and (b) of this category; paragraph (a) of this list"))
    assert [target for _, _, target in found] == [f"{category}(a)", f"{category}(b)", None]


def test_every_mention_has_all_its_fields():
    mentions = find("see § 211.22 and part 11, 21 CFR 211.22(a), 42 U.S.C. 1983, Public Law 99-1", Place("21 CFR 211.1"))
    assert {len(mention) for mention in mentions} == {len(mentions[0]._fields)}
