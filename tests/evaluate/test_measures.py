"""Measures on outcomes small enough to count by hand."""

from __future__ import annotations

import pytest

from pincite.errors import IndexFault, UsageError
from pincite.evaluate import measures
from pincite.evaluate.gold import Expected, Gold, Question, read
from pincite.evaluate.outcome import Delivered, Extent, failed, locate, observe, verified
from pincite.evaluate.run import Reply, Setting, run, shortfalls
from pincite.model import Block, Span, sha256_hex, span_of

TEXT = b"Alpha text.\nBeta text.\nGamma text."
ALPHA, BETA, GAMMA = (0, 11), (12, 22), (23, 34)


def block(ordinal: int, node: str, where: tuple[int, int]) -> Block:
    return Block(ordinal, 1, *where, "body", node, sha256_hex(TEXT[slice(*where)]))


BLOCKS = {"d": [block(0, "A", ALPHA), block(1, "B", BETA), block(2, "C", GAMMA)]}


def expected(node: str, where: tuple[int, int], via: str = "") -> Expected:
    return Expected(node, (sha256_hex(TEXT[slice(*where)]),), via)


def passage(node: str, where: tuple[int, int]) -> Delivered:
    return Delivered("d", node, TEXT[slice(*where)].decode(), (span_of(TEXT, 1, *where),))


def pages(_: str) -> tuple[bytes, ...]:
    return (TEXT,)


DIRECT = Question("q1", "direct", "alpha?", (expected("A", ALPHA),), "test")
EDGE = Question("q2", "edge", "beta?", (expected("B", BETA), expected("C", GAMMA, via="B")), "test")
NEAR = Question("q3", "near", "delta?", (), "test")
FAR = Question("q4", "far", "omega?", (), "test")
QUESTIONS = (DIRECT, EDGE, NEAR, FAR)
GOLD = Gold("toy", "2026-07-29", {"citation_recall": 0.9}, QUESTIONS, "0" * 64)


def report(answers: dict[str, Reply], questions: tuple[Question, ...] = QUESTIONS):
    def answer(text: str) -> Reply:
        if text not in answers:
            raise IndexFault("the index is gone")
        return answers[text]

    setting = Setting("toy", answer, "local bm25", 0.25)
    return run(GOLD._replace(questions=questions), "test", [setting], BLOCKS, pages)[0]


def counts(result, name: str) -> tuple[float, int]:
    share = result.share(name)
    return share.numerator, share.denominator


def test_all_measures_of_a_mixed_run_counted_by_hand():
    result = report(
        {
            "alpha?": Reply("answered", (passage("B", BETA), passage("A", ALPHA))),
            "beta?": Reply("answered", (passage("B", BETA),)),
            "delta?": Reply("abstained", ()),
            "omega?": Reply("answered", (passage("A", ALPHA),)),
        }
    )
    assert counts(result, "question_pass") == (2, 4)  # alpha and delta; beta lacks its target, omega should have abstained
    assert counts(result, "citation_recall") == (2, 3)
    assert counts(result, "edge_recall") == (1, 2)
    assert counts(result, "evidence_recall") == (2, 3)
    assert counts(result, "hit_rate") == (2, 2)
    assert counts(result, "mrr") == (1.5, 2)
    assert counts(result, "right_abstention") == (1, 2)
    assert counts(result, "wrong_abstention") == (0, 2)
    assert counts(result, "quotable_share") == (4, 4)
    assert {share.index_kind for share in result.shares} == {"local bm25"}
    assert {share.floor for share in result.shares} == {0.25}


def test_a_question_that_fails_keeps_every_denominator():
    everything = report({text: Reply("abstained", ()) for text in ("alpha?", "beta?", "delta?", "omega?")})
    nothing = report({})
    for measure in measures.ALL:
        name = measure([]).name
        assert counts(nothing, name)[0] == 0
        assert counts(nothing, name)[1] == counts(everything, name)[1], name
    assert all(outcome.status == "error" and "index is gone" in outcome.error for outcome in nothing.outcomes)


def test_an_error_is_not_an_abstention():
    assert measures.right_abstention([failed(NEAR, "broken")]).numerator == 0


def test_an_abstention_cites_nothing_whatever_it_carries():
    result = report({"alpha?": Reply("abstained", (passage("A", ALPHA),))}, (DIRECT,))
    assert counts(result, "citation_recall") == (0, 1)
    assert counts(result, "wrong_abstention") == (1, 1)


def test_a_passage_cut_in_the_middle_is_cited_but_not_delivered():
    cut = passage("A", (0, 5))
    result = report({"alpha?": Reply("answered", (cut,))}, (DIRECT,))
    assert counts(result, "citation_recall") == (1, 1)
    assert counts(result, "evidence_recall") == (0, 1)
    assert counts(result, "question_pass") == (0, 1)


def test_evidence_delivered_in_overlapping_pieces_is_whole():
    result = report({"alpha?": Reply("answered", (passage("A", (0, 7)), passage("A", (5, 11))))}, (DIRECT,))
    assert counts(result, "evidence_recall") == (1, 1)


def test_only_white_space_may_be_missing_between_pieces():
    space = (passage("A", (0, 5)), passage("A", (6, 11)))  # "Alpha", "text."
    letter = (passage("A", (0, 5)), passage("A", (7, 11)))  # "Alpha", "ext."
    for pieces, whole in ((space, 1), (space[::-1], 1), (letter, 0)):
        assert counts(report({"alpha?": Reply("answered", pieces)}, (DIRECT,)), "evidence_recall") == (whole, 1)


def test_the_same_words_elsewhere_are_not_the_evidence():
    text = b"same\nsame"
    hash_ = sha256_hex(b"same")
    blocks = {"d": [Block(0, 1, 0, 4, "body", "A", hash_), Block(1, 1, 5, 9, "body", "B", hash_)]}
    question = Question("q", "direct", "?", (Expected("B", (hash_,)),), "test")
    extents = locate([question], blocks)
    assert extents[question.expected[0]] == (Extent("d", 1, 5, 9),)
    wrong = Delivered("d", "A", "same", (span_of(text, 1, 0, 4),))
    assert observe(question, "answered", (wrong,), extents, lambda _: (text,)).cited == (None,)


@pytest.mark.parametrize(
    "damage",
    [
        lambda p: p._replace(evidence_text=p.evidence_text + "."),
        lambda p: p._replace(evidence_text=p.evidence_text.replace("A", "a")),
        lambda p: p._replace(spans=(p.spans[0]._replace(sha256="0" * 64),)),
        lambda p: p._replace(spans=(p.spans[0]._replace(end=10),)),
        lambda p: p._replace(spans=(p.spans[0]._replace(page=2),)),
        lambda p: p._replace(spans=()),
    ],
)
def test_a_quote_that_does_not_slice_back_is_not_quotable(damage):
    good = passage("A", ALPHA)
    assert verified(good, pages)
    assert not verified(damage(good), pages)


def test_a_stale_gold_set_is_refused_and_named():
    stale = DIRECT._replace(expected=(Expected("A", ("1" * 64,)),))
    with pytest.raises(UsageError, match="expected at A for question 'q1'"):
        report({"alpha?": Reply("answered", ())}, (stale,))
    with pytest.raises(UsageError, match="expected at A"):
        report({"alpha?": Reply("answered", ())}, (DIRECT._replace(expected=(Expected("A", ()),)),))


def test_shortfalls_name_the_floor_missed_and_refuse_one_not_measured():
    result = report({"alpha?": Reply("answered", (passage("A", ALPHA),))})
    assert shortfalls(GOLD, result, result) == ["citation_recall is 0.333, agreed 0.900"]
    assert shortfalls(GOLD._replace(agreed={"citation_recall": 1 / 3}), result, result) == []
    with pytest.raises(UsageError, match="not measured"):
        shortfalls(GOLD._replace(agreed={"charm": 1.0}), result, result)


def test_reading_a_gold_set_names_the_question_at_fault():
    good = {"id": "a", "kind": "near", "question": "?"}
    assert [q.part for q in read({"questions": [good, {**good, "id": "b"}]}, "", "g").questions] != ["dev", "dev"]
    for bad, message in [
        ({"id": "a", "kind": "near"}, "question 1"),
        ({**good, "kind": "odd"}, "odd"),
        ({**good, "kind": "direct"}, "evidence"),
        ({**good, "kind": "edge", "expect": [{"node": "A"}]}, "via"),
        ({**good, "kind": "direct", "expect": [{"node": "A", "spans": ["12"]}]}, "SHA-256"),
    ]:
        with pytest.raises(UsageError, match=message):
            read({"questions": [bad]}, "", "g")
    with pytest.raises(UsageError, match="twice"):
        read({"questions": [good, good]}, "", "g")
    with pytest.raises(UsageError, match="no list"):
        read(["questions"], "", "g")


def test_spans_of_another_document_do_not_count():
    other = passage("A", ALPHA)._replace(document_id="e")
    extents = locate([DIRECT], BLOCKS)
    outcome = observe(DIRECT, "answered", (other,), extents, pages)
    assert outcome.cited == (None,)
    assert outcome.whole == (False,)
    assert isinstance(other.spans[0], Span)
