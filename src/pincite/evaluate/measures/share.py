"""A measured share: never a bare number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pincite.evaluate.outcome import Outcome


class Share(NamedTuple):
    """``numerator / denominator`` of one measure on one run."""

    name: str
    numerator: float
    denominator: int
    index_kind: str = ""  # "local hybrid", ...: what was searched, filled in by the run
    floor: float | None = None  # the abstention floor in force, filled in by the run

    @property
    def value(self) -> float:
        """The share; 0 where there was nothing to measure, which the denominator shows."""
        return self.numerator / self.denominator if self.denominator else 0.0


Measure = Callable[[Sequence[Outcome]], Share]
