from __future__ import annotations

import pytest

from pincite.index.fuse import fuse


def test_the_formula() -> None:
    fused = {item: score for item, score, _ in fuse({"bm25": ["a", "b"], "vector": ["c", "a"]})}
    assert fused["a"] == pytest.approx(0.5 * (61 / 61 + 61 / 62))
    assert fused["b"] == pytest.approx(0.5 * 61 / 62)
    assert fused["c"] == pytest.approx(0.5)


def test_first_everywhere_scores_one_for_any_number_of_lists() -> None:
    lists = {name: ["a", "b"] for name in ("bm25", "vector", "cited")}
    assert fuse(lists)[0] == ("a", pytest.approx(1.0), {"bm25": 1, "vector": 1, "cited": 1})


def test_weights_shift_the_order() -> None:
    lists = {"bm25": ["a"], "vector": ["b"]}
    assert [item for item, _, _ in fuse(lists, {"bm25": 0.2, "vector": 0.8})] == ["b", "a"]


def test_ties_do_not_depend_on_the_order_of_the_lists() -> None:
    one = fuse({"bm25": ["b"], "vector": ["a"]})
    other = fuse({"vector": ["a"], "bm25": ["b"]})
    assert [item for item, _, _ in one] == [item for item, _, _ in other] == ["a", "b"]


def test_nothing_gives_nothing() -> None:
    assert fuse({"bm25": [], "vector": []}) == []
