from __future__ import annotations

import pytest

from pincite.index.local import LocalIndex
from pincite.ports import Floor, Hit
from pincite.retrieve import Corpus, answer
from pincite.retrieve.abstain import FloorAbstainer, Uncalibrated, features

FLOOR = Floor("local", "HYBRID", 0.5, "by hand")


def seen(question: str, index: LocalIndex, corpus: Corpus) -> dict[str, float]:
    return features(question, index.search(question, 20), corpus, index)


def test_words_of_asking_do_not_count(index: LocalIndex, corpus: Corpus) -> None:
    plain = seen("components and closures", index, corpus)
    asked = seen("What would we need to do about our components and closures?", index, corpus)
    assert plain["coverage"] == asked["coverage"] == asked["known"] == 1.0
    assert asked["terms"] == 2.0


def test_a_foreign_word_lowers_what_is_covered(index: LocalIndex, corpus: Corpus) -> None:
    known = seen("components and closures", index, corpus)
    foreign = seen("components and closures for OSHA", index, corpus)
    assert foreign["known"] < known["known"]
    assert foreign["coverage"] < known["coverage"]
    assert foreign["bm25_share"] < known["bm25_share"]


def test_terms_spread_over_passages_are_covered_together_only(index: LocalIndex, corpus: Corpus) -> None:
    found = seen("buildings batch distribution", index, corpus)
    assert found["coverage"] < found["coverage_top3"] == 1.0


def test_every_feature_is_there_without_hits_and_without_words(index: LocalIndex, corpus: Corpus) -> None:
    full = seen("components", index, corpus)
    for question in ("zebra", "what", "§ — !"):
        found = seen(question, index, corpus)
        assert found.keys() == full.keys()
        assert all(value == value for value in found.values())


def test_the_lexicon_of_the_index_agrees_with_the_corpus(index: LocalIndex, corpus: Corpus) -> None:
    for term in ("compon", "unit", "zebra"):
        assert index.frequency(term) == corpus.frequency(term)
        assert index.idf(term) == pytest.approx(corpus.idf(term))


def test_agreement_and_joint_need_both_lists(corpus: Corpus) -> None:
    one = Hit("chunk 21 CFR 901.22", 1.0, {"bm25": 1, "vector": 1}, {"bm25": 4.0, "vector": 0.8})
    other = Hit("chunk 21 CFR 901.3", 0.5, {"vector": 2}, {"bm25": 0.0, "vector": 0.9})
    both = features("components", [one], corpus)
    assert both["agreement"] == 1.0
    assert both["joint"] > 0
    apart = features("components", [other], corpus)
    assert apart["agreement"] == apart["joint"] == 0.0
    assert apart["cosine"] == 0.9


def test_a_floor_alone() -> None:
    abstain = FloorAbstainer(FLOOR)
    assert abstain([], {"coverage_top3": 0.49}).abstain
    assert not abstain([], {"coverage_top3": 0.5}).abstain


def test_the_floor_in_force_is_recorded_with_the_answer(index: LocalIndex, corpus: Corpus) -> None:
    given = answer("components", index, corpus, abstainer=FloorAbstainer(FLOOR))
    assert (given.trace.floor, given.trace.calibration, given.trace.confidence) == (0.5, "by hand", 1.0)


@pytest.mark.parametrize(
    ("question", "known", "cosine", "abstains"),
    [("zxcvb qwert", 0.0, 0.1, True), ("the", 0.0, 0.2, True), ("motor car", 0.0, 0.6, False), ("moon batch", 0.4, 0.1, False)],
)
def test_what_was_not_calibrated_abstains_where_the_corpus_knows_nothing(
    question: str, known: float, cosine: float, abstains: bool
) -> None:
    decision = Uncalibrated(FLOOR)([Hit("c", 1.0)], {"known": known, "cosine": cosine})
    assert decision.abstain == abstains
    assert not abstains or "not calibrated" in decision.reason
