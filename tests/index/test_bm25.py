from __future__ import annotations

from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.errors import IndexFault
from pincite.index import bm25

WORDS = ["drug", "label", "batch", "record", "unit", "test", "water", "air"]
DOCUMENTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=12), min_size=2, max_size=12)


@settings(deadline=None)
@given(DOCUMENTS, st.lists(st.sampled_from([*WORDS, "absent"]), min_size=1, max_size=6))
def test_scores_are_those_of_bm25s(documents: list[list[str]], query: list[str]) -> None:
    if not any(documents):
        return
    peer = bm25s.BM25(k1=bm25.K1, b=bm25.B, method="lucene")
    peer.index(documents, show_progress=False)
    known = [word for word in query if word in peer.vocab_dict]
    wanted = peer.get_scores(known) if known else np.zeros(len(documents))
    np.testing.assert_allclose(bm25.build(documents).scores(bm25.weigh(query)), wanted, rtol=1e-5, atol=1e-6)


def test_equal_scores_come_in_the_order_of_the_documents() -> None:
    index = bm25.build([["drug"], ["label"], ["drug"], ["drug"], ["drug"]])
    scores = index.scores({"drug": 1.0})
    assert bm25.top(scores, 3).tolist() == [0, 2, 3]
    assert bm25.top(scores, 9).tolist() == [0, 2, 3, 4]


def test_a_mask_limits_and_nothing_below_zero_is_ranked() -> None:
    scores = np.array([0.0, 3.0, 2.0, 0.0, 2.0], dtype=np.float32)
    mask = np.array([True, False, True, True, True])
    assert bm25.top(scores, 5, mask).tolist() == [2, 4]
    assert bm25.ranked(scores, 3, mask).tolist() == [2, 4, 0]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 45))
def test_ranking_equals_a_full_stable_sort(values: list[int], k: int) -> None:
    scores = np.array(values, dtype=np.float32)
    wanted = sorted(range(len(values)), key=lambda at: (-values[at], at))[:k]
    assert bm25.ranked(scores, k).tolist() == wanted


def test_nothing_indexed_gives_nothing() -> None:
    for documents in ([], [[]], [[], []]):
        index = bm25.build(documents)
        assert index.size == len(documents)
        assert bm25.top(index.scores({"drug": 1.0}), 5).tolist() == []


def test_an_index_comes_back_from_disk(tmp_path: Path) -> None:
    index = bm25.build([["drug", "§"], ["label", "drug", "211.22(a)"], []])
    bm25.save(index, tmp_path)
    back = bm25.load(tmp_path)
    assert back.vocabulary == index.vocabulary
    assert back.size == 3
    assert back.idf("drug") == index.idf("drug")
    np.testing.assert_array_equal(back.scores({"drug": 2.0}), index.scores({"drug": 2.0}))


@pytest.mark.parametrize("harm", ["cut", "missing", "terms"])
def test_a_damaged_index_says_so(tmp_path: Path, harm: str) -> None:
    bm25.save(bm25.build([["drug"], ["label", "drug"]]), tmp_path)
    if harm == "cut":
        (tmp_path / "weights.npy").write_bytes((tmp_path / "weights.npy").read_bytes()[:100])
    elif harm == "missing":
        (tmp_path / "documents.npy").unlink()
    else:
        (tmp_path / "vocabulary.txt").write_text("drug")
    with pytest.raises(IndexFault, match="rebuild it"):
        bm25.load(tmp_path)
