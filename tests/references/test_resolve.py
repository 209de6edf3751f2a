"""What a target is in a corpus, and that edges can be decided again from their rows."""

from __future__ import annotations

import pytest

from pincite.model import Mention, Observed, Passage, Source, Span, digest
from pincite.references.resolve import Held, ancestors, decide, known_of, reresolve, resolve

SOURCE = Source("21-cfr-999", "2026-07-29", "Part 999", "", "application/xml", "part-999.xml", 0, "")
KNOWN = known_of(
    [
        ("21-cfr-999", "21 CFR Part 999", ("c0",)),
        ("21-cfr-999", "21 CFR 999.1", ("c1",)),
        ("21-cfr-999", "21 CFR 999.1(a)", ("c1",)),
        ("21-cfr-999", "21 CFR 999.3", ("c2", "c3")),
        ("other", "21 CFR 5.1", ("c4",)),
        ("again", "21 CFR 5.1", ("c5",)),
    ]
)


@pytest.mark.parametrize(
    ("target", "end", "status", "chunks", "candidates"),
    [
        ("21 CFR 999.1(a)", None, "resolved", ("c1",), ()),
        ("21 CFR 999.1", "21 CFR 999.3", "resolved", ("c1", "c2", "c3"), ()),
        ("21 CFR 999.1", "21 CFR 999.9", "unresolved", (), ("21 CFR Part 999",)),
        ("21 CFR 999.1", "21 CFR 1000.1", "out_of_corpus", (), ()),
        ("21 CFR 999.999", None, "unresolved", (), ("21 CFR Part 999",)),
        ("21 CFR 999.1(a)(7)", None, "unresolved", (), ("21 CFR 999.1(a)",)),
        ("21 CFR Part 999 Subpart Q", None, "unresolved", (), ("21 CFR Part 999",)),
        ("21 CFR 5.1", None, "ambiguous", (), ("again: 21 CFR 5.1", "other: 21 CFR 5.1")),
        ("21 CFR 210.1", None, "out_of_corpus", (), ()),
        ("42 U.S.C. § 1983", None, "out_of_corpus", (), ()),
        (None, None, "unresolved", (), ()),
    ],
)
def test_decide(target, end, status, chunks, candidates):
    decision = decide(target, end, "unresolved", "", KNOWN)
    assert decision[:3] == (status, chunks, candidates)
    assert bool(decision.reason) == (status not in ("resolved", "unresolved") or bool(candidates))


def test_what_the_mention_said_stays_and_what_a_decision_said_is_replaced():
    first = decide("45 CFR 46.101", None, "unresolved", "et seq.: the end is open", KNOWN)
    assert first.reason == "et seq.: the end is open; in this corpus: nothing holds 45 CFR 46.101"
    again = decide("45 CFR 46.101", None, first.status, first.reason, KNOWN)
    assert again == first
    resolved = decide("45 CFR 46.101", None, first.status, first.reason, {"45 CFR 46.101": [Held("d")]})
    assert (resolved.status, resolved.reason) == ("resolved", "et seq.: the end is open")
    assert decide("45 CFR 46.101", None, "resolved", "", {}).reason == "in this corpus: nothing holds 45 CFR 46.101"


def test_candidates_of_a_mention_without_a_target_are_kept():
    seen = _observed(None)
    seen = seen._replace(mention=seen.mention._replace(candidates=("A 1", "B 1"), reason="two readings"))
    (edge,) = resolve([seen], KNOWN, source=SOURCE)
    assert (edge.status, edge.candidates, edge.reason) == ("unresolved", ("A 1", "B 1"), "two readings")
    assert reresolve([edge], {}) == (edge,)


def test_unsupported_stays_unsupported_even_where_a_node_of_that_name_is_held():
    assert decide("21 CFR 999.1", None, "unsupported", "why", KNOWN)[:4] == ("unsupported", (), (), "why")


@pytest.mark.parametrize(
    ("node_id", "expected"),
    [
        ("26 CFR 1.401(k)-1(a)", ["26 CFR 1.401(k)-1", "26 CFR Part 1", "Title 26"]),
        ("41 CFR 101-19.6", ["41 CFR Part 101-19", "Title 41"]),
        ("21 CFR Chapter I Subchapter C", ["21 CFR Chapter I", "Title 21"]),
        ("10 CFR Part 431 Subpart R Appendix A", ["10 CFR Part 431 Subpart R", "10 CFR Part 431", "Title 10"]),
        ("5 U.S.C. § 552a(b)", ["5 U.S.C. § 552a"]),
        (
            "36 CFR Part 800 Appendix A(c)(1)",
            ["36 CFR Part 800 Appendix A(c)", "36 CFR Part 800 Appendix A", "36 CFR Part 800", "Title 36"],
        ),
        ("15 CFR Part 744 Supplement No. 7", ["15 CFR Part 744", "Title 15"]),
        ("12 CFR Part 1005 Appendix A-6", ["12 CFR Part 1005 Appendix A", "12 CFR Part 1005", "Title 12"]),
        (
            "12 CFR Part 5 Supplement I 3(b)-1.v",
            [
                "12 CFR Part 5 Supplement I 3(b)-1",
                "12 CFR Part 5 Supplement I 3(b)",
                "12 CFR Part 5 Supplement I 3",
                "12 CFR Part 5 Supplement I",
                "12 CFR Part 5",
                "Title 12",
            ],
        ),
        ("E.O. 10530", []),
        ("DMG 77161", ["DMG Chapter 77"]),
        ("(a)", []),
    ],
)
def test_ancestors(node_id, expected):
    assert list(ancestors(node_id)) == expected


def _observed(target, start=10, end=17, status="unresolved"):
    return Observed("21 CFR 999.1(a)", Span(1, start, end, "h"), Mention(0, 7, "§ 999.3", "cfr", target, None, status))


def _passage(chunk_id, *spans):
    made = tuple(Span(1, start, end, "h") for start, end in spans)
    return Passage(chunk_id, "d", "v", "n", 0, (), "", "body", "", "", made, 0, "observed", None, True, "", "")


def test_an_edge_names_its_passage_and_hashes_every_column():
    passages = [_passage("p0", (0, 8)), _passage("p1", (9, 12), (15, 40)), _passage("p2", (9, 20))]
    (edge,) = resolve([_observed("21 CFR 999.3")], KNOWN, source=SOURCE, passages=passages)
    assert (edge.status, edge.target_chunk_ids, edge.source_chunk_id) == ("resolved", ("c2", "c3"), "p2")
    assert edge.content_hash == digest(*edge[:-2], edge.sought)
    assert edge.legal_effect == "unresolved"


def test_a_mention_outside_every_passage_has_no_passage():
    (edge,) = resolve([_observed("21 CFR 999.3", 50, 60)], KNOWN, source=SOURCE, passages=[_passage("p0", (0, 8))])
    assert edge.source_chunk_id == ""


def test_edges_are_told_apart_by_document_span_and_target():
    ids = {
        edge.edge_id
        for source in (SOURCE, SOURCE._replace(document_id="x"))
        for seen in (_observed("21 CFR 999.3"), _observed("21 CFR 999.1"), _observed("21 CFR 999.3", 11, 17))
        for edge in resolve([seen], {}, source=source)
    }
    assert len(ids) == 6


def test_adding_a_part_later_resolves_from_the_rows_alone():
    alone = resolve([_observed("21 CFR 999.3"), _observed(None), _observed("x", status="unsupported")], {}, source=SOURCE)
    assert [edge.status for edge in alone] == ["out_of_corpus", "unresolved", "unsupported"]
    assert reresolve(alone, KNOWN) == resolve(
        [_observed("21 CFR 999.3"), _observed(None), _observed("x", status="unsupported")], KNOWN, source=SOURCE
    )
    assert reresolve(reresolve(alone, KNOWN), {}) == alone
    assert reresolve(alone, {"21 CFR 999.3": [Held("d", ("c",))]})[0].edge_id == alone[0].edge_id
