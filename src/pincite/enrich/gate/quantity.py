"""One amount, date, identifier or citation of a text, in its canonical form."""

from __future__ import annotations

from typing import NamedTuple


class Quantity(NamedTuple):
    """``values`` are the admissible readings (two for 03/04/2025), of which one must agree. Offsets are in characters.

    ``kind``: number, percent, money, measure, period, every (a frequency), date, time, id.
    """

    start: int
    end: int
    kind: str
    values: frozenset[object]
    unit: str
    text: str
    whole: str = ""  # for messages
    soft: bool = False  # an enumerator such as "(a)" or a plain "one": it may be left out

    def agrees(self, other: Quantity) -> bool:
        """Whether both say the same amount in the same unit."""
        return self.kind == other.kind and self.unit == other.unit and bool(self.values & other.values)
