"""Where passages are cut, and what makes one the same."""

from __future__ import annotations

from pincite.model import Document, Passage, Source, digest
from pincite.parse import parse
from pincite.passages import build, chunks_of_nodes
from pincite.passages.budget import DEFAULT_BUDGET

LONG = "The keeper shall write in the log what was seen from the tower in that hour and what was done about it. "


def read(body: str, head: str = "Logs.") -> Document:
    data = f'<DIV5 N="1"><HEAD>PART 1—LIGHTS</HEAD><DIV8 N="1.1">\n<HEAD>§ 1.1 {head}</HEAD>\n{body}\n</DIV8></DIV5>'.encode()
    return parse(Source("99-cfr-1", "2026", "", "", "application/xml", "title-99/x.xml", 0, ""), data)


def indexed(document: Document) -> list[Passage]:
    return [passage for passage in build(document) if passage.indexable]


def test_a_section_that_fits_is_one_passage() -> None:
    passages = indexed(read("<P>(a) One.</P><P>(b) Two.</P>"))
    assert [(p.node_id, p.evidence_text) for p in passages] == [("99 CFR 1.1", "§ 1.1 Logs.\n(a) One.\n(b) Two.")]


def test_a_long_section_is_cut_at_its_paragraphs_under_the_lead_in() -> None:
    lead = "The keeper writes down the following:"
    document = read(f"<P>(a) {lead}</P><P>(1) {LONG * 7}</P><P>(2) {LONG * 7}</P><P>(b) {LONG * 7}</P>")
    passages = indexed(document)
    assert [p.node_id for p in passages] == ["99 CFR 1.1(a)", "99 CFR 1.1(a)(2)", "99 CFR 1.1(b)"]
    assert lead in passages[0].evidence_text
    assert lead not in passages[1].evidence_text
    assert f"(a) {lead}\n(2) The keeper" in passages[1].retrieval_text
    assert lead not in passages[2].retrieval_text
    assert all(p.tokens <= DEFAULT_BUDGET + 10 for p in passages)


def test_the_end_of_one_list_is_not_joined_with_what_follows_the_list() -> None:
    lead = "Signatures that are not by lamp shall:"
    document = read(f"<P>(a) {lead}</P><P>(1) {LONG * 7}</P><P>(2) {LONG * 7}</P><P>(3) Be kept.</P><P>(b) Lamps burn.</P>")
    passages = {p.node_id: p for p in indexed(document)}
    assert "99 CFR 1.1" not in passages
    assert passages["99 CFR 1.1(b)"].evidence_text == "(b) Lamps burn."
    last = next(p for p in passages.values() if "(3) Be kept." in p.evidence_text)
    assert last.node_id.startswith("99 CFR 1.1(a)")
    assert lead in last.retrieval_text


def test_a_bare_designator_is_no_lead_in() -> None:
    passages = indexed(read(f"<P>(a)(1) {LONG * 7}</P><P>(2) {LONG * 7}</P>"))
    assert [p.evidence_text[:8] for p in passages] == ["(a)\n(1) ", "(2) The "]
    assert "\n(a)\n" not in passages[1].retrieval_text


def test_a_paragraph_over_the_budget_is_cut_after_sentences() -> None:
    passages = indexed(read(f"<P>(a) {LONG * 20}</P>"))
    assert len(passages) > 1
    assert {p.node_id for p in passages} == {"99 CFR 1.1(a)"}
    assert all(p.evidence_text.endswith(".") and len(p.spans) == 1 for p in passages)
    assert " ".join(p.evidence_text for p in passages) == f"(a) {LONG * 20}".strip()


def test_a_text_without_sentences_or_spaces_is_cut_too() -> None:
    for filler in ("word " * 2000, "x" * 10_000):
        passages = indexed(read(f"<P>{filler}</P>"))
        assert all(p.tokens <= DEFAULT_BUDGET + 60 for p in passages)
        assert sum(len(p.evidence_text.replace(" ", "")) for p in passages) == len(filler.replace(" ", ""))


def test_definitions_are_passages_of_their_own() -> None:
    body = "<P>In this part:</P><P><I>Buoy</I> means a float.</P><P><I>Dock</I> means a quay.</P>"
    assert [p.node_id for p in indexed(read(body, "Definitions."))] == ["99 CFR 1.1", '99 CFR 1.1 "Buoy"', '99 CFR 1.1 "Dock"']


def test_a_table_that_is_cut_repeats_its_header() -> None:
    rows = "".join(f"<TR><TD>Oil {n}</TD><TD>{LONG}</TD></TR>" for n in range(12))
    head = "<THEAD><TR><TH>Oil</TH><TH>What to write</TH></TR></THEAD>"
    passages = indexed(read(f"<P>(a) As follows:</P><TABLE>{head}{rows}</TABLE>"))
    tables = [p for p in passages if "Oil 11" in p.retrieval_text or "Oil 5" in p.retrieval_text]
    assert len(tables) == 2
    assert all("Oil | What to write" in p.retrieval_text for p in tables)
    assert "What to write" not in tables[1].evidence_text


def test_what_is_not_the_rule_is_kept_with_a_reason() -> None:
    body = "<P>(a) One.</P><CITA>[1 FR 2]</CITA><SECAUTH>(98 U.S.C. 1)</SECAUTH><APPRO>(Approved)</APPRO>"
    aside = {p.role: p for p in build(read(body)) if not p.indexable}
    assert set(aside) == {"heading", "amendment_history", "authority", "notice"}
    assert all(p.exclusion_reason for p in aside.values())
    assert "[1 FR 2]" not in "".join(p.evidence_text for p in indexed(read(body)))


def test_passages_never_reach_across_sections() -> None:
    data = (
        b'<DIV5 N="1"><DIV8 N="1.1"><HEAD>1.1 A.</HEAD><P>A.</P></DIV8><DIV8 N="1.2"><HEAD>1.2 B.</HEAD><P>B.</P></DIV8></DIV5>'
    )
    document = parse(Source("x", "", "", "", "application/xml", "title-99/x.xml", 0, ""), data)
    assert [p.node_id for p in build(document)] == ["99 CFR 1.1", "99 CFR 1.2"]


def test_the_same_words_twice_in_one_place_have_two_ids() -> None:
    passages = indexed(read(f"<P>(a) {LONG * 5}</P><EXTRACT><P>{LONG * 8}</P><P>{LONG * 8}</P></EXTRACT>"))
    assert len({p.chunk_id for p in passages}) == len(passages)


def test_a_chunk_id_is_the_digest_it_says_it_is() -> None:
    for passage in build(read("<P>(a) One.</P><P>(b) Zwei — drei.</P>")):
        hashes = "".join(span.sha256 for span in passage.spans)
        assert passage.chunk_id == digest("chunk", passage.document_id, passage.node_id, hashes, 1)


def test_a_content_hash_covers_every_column() -> None:
    from pincite.passages.identity import content_hash

    passage = indexed(read("<P>(a) One.</P>"))[0]
    columns = list(passage[1:-1])
    hashes = "".join(span.sha256 for span in passage.spans)
    assert content_hash(tuple(columns), hashes) == passage.content_hash
    changed = {"document_id": "y", "corpus_version": "y", "node_id": "y", "ordinal": 7, "breadcrumb": "y", "role": "y"}
    changed |= {"retrieval_text": "y", "tokens": 7, "derivation": "y", "groundedness": 0.5, "exclusion_reason": "y"}
    changed |= {"spans": (passage.spans[0]._replace(start=7),), "heading_path": ("a", "b", "c", "d")}
    for name, value in changed.items():
        other = passage._replace(**{name: value})
        assert content_hash(other[1:-1], hashes) != passage.content_hash, name
    assert content_hash(tuple(columns), "0" * 64) != passage.content_hash


def test_every_node_knows_the_passages_that_hold_it() -> None:
    document = read(f"<P>(a) The following:</P><P>(1) {LONG * 7}</P><P>(2) {LONG * 7}</P>")
    passages = build(document)
    held = dict(zip([node.node_id for node in document.nodes], chunks_of_nodes(document.nodes, passages)))
    by_id = {p.chunk_id: p for p in passages}
    assert [by_id[c].node_id for c in held["99 CFR 1.1(a)(2)"]] == ["99 CFR 1.1(a)(2)"]
    assert [by_id[c].node_id for c in held["99 CFR 1.1"]] == ["99 CFR 1.1(a)", "99 CFR 1.1(a)(2)"]
    assert set(held) == {node.node_id for node in document.nodes}


def test_a_paragraph_named_like_the_one_above_it_keeps_its_place() -> None:
    document = read(f"<P>(a)(1)(A) One:</P><P>(i) Two:</P><P>(I) {LONG * 12}</P>")
    assert build(document)[-1].breadcrumb.endswith("(a) > (1) > (A) > (i) > (I)")


def test_the_parts_of_a_long_paragraph_are_of_about_the_same_size() -> None:
    for count in range(12, 40):
        sizes = [len(p.evidence_text) for p in indexed(read(f"<P>(a) {LONG * count}</P>")) if p.node_id == "99 CFR 1.1(a)"]
        assert min(sizes) * 3 > max(sizes), count


def test_a_paragraph_of_any_length_is_cut_within_the_budget() -> None:
    passages = indexed(read(f"<P>(a) {LONG * 2000}</P>"))
    assert max(p.tokens for p in passages) <= 1.3 * DEFAULT_BUDGET
