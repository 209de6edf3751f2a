"""Reciprocal-rank fusion of any number of ranked lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

Item = TypeVar("Item", int, str)

OFFSET = 60


def fuse(
    lists: Mapping[str, Sequence[Item]], weights: Mapping[str, float] | None = None, offset: int = OFFSET
) -> list[tuple[Item, float, dict[str, int]]]:
    """Items by ``sum of w · (offset + 1) / (offset + rank)``, best first; rank is 1-based, absent lists give nothing.

    With weights that sum to 1 the score lies in (0, 1], and 1 means first everywhere. Weights default to equal shares. Equal
    scores are ordered by the best single rank, then by the item itself, so the order never depends on the lists' order.
    Each result is (item, score, rank in each list that has it).
    """
    weights = weights or {name: 1 / len(lists) for name in lists}
    ranks: dict[Item, dict[str, int]] = {}
    for name, items in lists.items():
        for rank, item in enumerate(items, start=1):
            ranks.setdefault(item, {}).setdefault(name, rank)
    scored = [
        (item, sum(weights.get(name, 0.0) * (offset + 1) / (offset + rank) for name, rank in places.items()), places)
        for item, places in ranks.items()
    ]
    return sorted(scored, key=lambda entry: (-entry[1], min(entry[2].values()), entry[0]))
