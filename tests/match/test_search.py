"""BM25 with a case subtracted equals a rebuilt index; fusion and aggregation are the stated formulas."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import ModelMissing, UsageError
from pincite.match.search import DEPTH, MatchIndex
from pincite.match.words import Postings, query_words

_spec = importlib.util.spec_from_file_location("match_toy", Path(__file__).parent / "toy.py")
toy = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(toy)


@pytest.fixture(scope="module")
def index() -> MatchIndex:
    return MatchIndex(toy.fixture(), toy.HashEmbedder())


def without_cases(snapshot, gone):
    """The snapshot as if the cases *gone* had never been annotated."""
    return snapshot._replace(
        cases=tuple(case for case in snapshot.cases if case.case_id not in gone),
        facts=tuple(fact for fact in snapshot.facts if fact.case_id not in gone),
        instances=tuple(instance for instance in snapshot.instances if instance.case_id not in gone),
    )


@pytest.mark.parametrize("method", ["hybrid", "bm25", "vector"])
def test_scores_with_a_case_subtracted_equal_those_of_a_rebuilt_index(index: MatchIndex, method: str):
    """All 40 annotated cases and one group of two; facts, elements, variants and laws; to 1e-9."""
    snapshot = index.snapshot
    annotated = sorted({instance.case_id for instance in snapshot.instances})
    for gone in [*({case_id} for case_id in annotated), set(annotated[:2])]:
        rebuilt = MatchIndex(without_cases(snapshot, gone), toy.HashEmbedder())
        text = snapshot.texts[min(gone)]
        kept = [at for at, fact in enumerate(snapshot.facts) if fact.case_id not in gone]
        positions = [at for at, case in enumerate(snapshot.cases) if case.case_id in gone]
        left = index.search(index.query(text), method, index.without(positions))
        built = rebuilt.search(rebuilt.query(text), method)
        np.testing.assert_allclose(left.facts[kept], built.facts, rtol=0, atol=1e-9)
        for name in ("elements", "variants", "laws"):
            np.testing.assert_allclose(getattr(left, name), getattr(built, name), rtol=0, atol=1e-9)
        assert not left.facts[index.without(positions)].any()


def test_postings_left_in_are_noticed(index: MatchIndex):
    """The control of the test above: not subtracting, or subtracting only df, gives other scores."""
    snapshot = index.snapshot
    removed = index.without([0])
    query = index.query(snapshot.texts[snapshot.cases[0].case_id])
    right = index.words.scores(query.terms, index.words.weights(removed))
    wrong = index.words.scores(query.terms, index.words.weights(None))
    wrong[:, removed] = 0.0
    assert abs(right - wrong).max() > 1e-3


def test_bm25_is_lucenes_formula_as_bm25s_computes_it():
    import bm25s

    texts = [fact.quote for fact in toy.fixture().facts]
    postings = Postings(texts)
    names = {number: term for term, number in postings.vocabulary.items()}
    corpus: list[list[str]] = [[] for _ in texts]
    for term, document, frequency in zip(postings.terms, postings.documents, postings.frequencies):
        corpus[document] += [names[term]] * int(frequency)
    peer = bm25s.BM25(method="lucene", k1=0.9, b=0.4, dtype="float64")
    peer.index(corpus, show_progress=False)
    query = postings.query(toy.fixture().texts["inv-roofing"])
    ours = postings.scores([query], postings.weights())[0]
    theirs = peer.get_scores([names[term] for term in query])
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def test_the_query_is_the_first_two_hundred_distinct_alphabetic_tokens():
    text = "Alpha 12 alpha b2c " + " ".join(f"x{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(300))
    words = query_words(text)
    assert len(words) == 200
    assert words[:4] == ["alpha", "b", "c", "xaa"]


def test_fusion_and_aggregation_follow_the_formulas(index: MatchIndex):
    query = index.query(toy.fixture().texts["inv-stash"] * 3)
    words = index.words.scores(query.terms, index.words.weights())
    cosines = (query.vectors @ index.vectors.T).astype(float)
    expected = np.zeros(len(index.case_of))
    for chunk in range(len(query.chunks)):
        fused = np.zeros(len(expected))
        for scores in (words[chunk], cosines[chunk]):
            order = np.argsort(-scores, kind="stable")[:DEPTH]
            for rank, fact in enumerate(order, 1):
                if scores[fact] > 0:
                    fused[fact] += 0.5 * 61 / (60 + rank)
        expected = np.maximum(expected, fused)
    found = index.search(query)
    np.testing.assert_allclose(found.facts, expected, atol=1e-12)
    snapshot = index.snapshot
    position = {fact.fact_id: at for at, fact in enumerate(snapshot.facts)}
    for at, law in enumerate(snapshot.laws):
        best = []
        for element in snapshot.elements:
            if element.law_id == law.law_id:
                facts = [f for i in snapshot.instances if i.element_id == element.element_id for f in i.fact_ids]
                best.append(max(expected[position[fact]] for fact in facts))
        assert found.laws[at] == pytest.approx(sum(sorted(best)[-3:]) / 3)


def test_bm25_alone_is_divided_by_the_querys_maximum_and_cosines_are_not_negative(index: MatchIndex):
    query = index.query(toy.fixture().texts["inv-sabbath"])
    assert index.search(query, "bm25").facts.max() == 1.0
    negative = query._replace(cosines=-abs(query.cosines))
    assert not index.search(negative, "vector").facts.any()


def test_without_a_model_only_words_can_be_asked_for():
    bare = MatchIndex(toy.fixture(), None)
    query = bare.query(toy.fixture().texts["inv-sabbath"])
    assert bare.search(query, "bm25").laws.any()
    with pytest.raises(ModelMissing, match="without a model"):
        bare.search(query, "hybrid")
    with pytest.raises(UsageError, match="no method 'luck'"):
        bare.search(query, "luck")


def test_only_exact_quotes_are_embedded_and_indexed():
    embedder = toy.HashEmbedder()
    MatchIndex(toy.fixture(), embedder)
    assert embedder.seen == [fact.quote for fact in toy.fixture().facts]
