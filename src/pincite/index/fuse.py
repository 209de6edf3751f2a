"""Reciprocal-rank fusion of any number of ranked lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nsmallest
from typing import TypeVar

Item = TypeVar("Item", int, str)

OFFSET = 60


def fuse(
    lists: Mapping[str, Sequence[Item]],
    weights: Mapping[str, float] | None = None,
    offset: int = OFFSET,
    limit: int | None = None,
) -> list[tuple[Item, float, dict[str, int]]]:
    """Items by ``sum of w · (offset + 1) / (offset + rank)``, best first; rank is 1-based, absent lists give nothing.

    With weights that sum to 1 the score lies in (0, 1], and 1 means first everywhere. Weights default to equal shares. Equal
    scores are ordered by the best single rank, then by the item itself, so the order never depends on the lists' order.
    Each result is (item, score, rank in each list that has it); *limit* is how many are wanted.
    """
    scores: dict[Item, float] = {}
    ranks: dict[Item, dict[str, int]] = {}
    for name in sorted(lists):  # one order of addition, so that equal places give equal floats
        share = (weights.get(name, 0.0) if weights else 1 / len(lists)) * (offset + 1)
        for rank, item in enumerate(dict.fromkeys(lists[name]), start=1):
            scores[item] = scores.get(item, 0.0) + share / (offset + rank)
            ranks.setdefault(item, {})[name] = rank
    best = nsmallest(limit or len(scores), scores, key=lambda item: (-scores[item], min(ranks[item].values()), item))
    return [(item, scores[item], ranks[item]) for item in best]
