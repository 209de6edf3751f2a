"""Whether two runs over the same questions differ by more than chance."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple


class McNemar(NamedTuple):
    """Exact two-sided McNemar test of two methods on the same questions."""

    only_first: int  # right with the first method, wrong with the second
    only_second: int
    p_value: float


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """Under no difference each discordant question falls either way with probability one half.

    >>> mcnemar([True] * 6, [False] * 6).p_value
    0.03125
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} answers against {len(second)}: a paired test needs the same questions")
    only_first = sum(a and not b for a, b in zip(first, second))
    only_second = sum(b and not a for a, b in zip(first, second))
    total, smaller = only_first + only_second, min(only_first, only_second)
    tail = sum(math.comb(total, k) for k in range(smaller + 1)) / 2**total
    return McNemar(only_first, only_second, min(1.0, 2 * tail))


class Interval(NamedTuple):
    value: float
    low: float
    high: float


def bootstrap(units: Sequence[tuple[float, int]], *, level: float = 0.95, rounds: int = 2000, seed: int = 20260729) -> Interval:
    """Percentile interval of a ratio of sums, resampling questions; *units* are (numerator, denominator) of each question."""
    return _interval(units, _ratio, level, rounds, seed)


def paired_bootstrap(
    first: Sequence[tuple[float, int]],
    second: Sequence[tuple[float, int]],
    *,
    level: float = 0.95,
    rounds: int = 2000,
    seed: int = 20260729,
) -> Interval:
    """Interval of ``second - first``, the same questions drawn for both."""
    if len(first) != len(second):
        raise ValueError(f"{len(first)} questions against {len(second)}: a paired interval needs the same questions")

    def difference(pairs: Sequence[tuple[tuple[float, int], tuple[float, int]]]) -> float:
        return _ratio([b for _, b in pairs]) - _ratio([a for a, _ in pairs])

    return _interval(list(zip(first, second)), difference, level, rounds, seed)


def _ratio(units: Sequence[tuple[float, int]]) -> float:
    denominator = sum(unit[1] for unit in units)
    return sum(unit[0] for unit in units) / denominator if denominator else 0.0


def _interval(units: Sequence[object], statistic: Callable[..., float], level: float, rounds: int, seed: int) -> Interval:
    if not units:
        return Interval(0.0, 0.0, 0.0)
    draw = random.Random(seed)  # noqa: S311 - resampling, not secrecy; a fixed seed makes the interval repeatable
    values = sorted(statistic(draw.choices(units, k=len(units))) for _ in range(rounds))
    tail = (1 - level) / 2
    return Interval(statistic(units), values[int(tail * (rounds - 1))], values[int((1 - tail) * (rounds - 1))])
