"""What is left out of amounts: a unit said before ("or within twenty-eight"), a count that a list repeats ("two things: …")."""

from __future__ import annotations

import re
from fractions import Fraction

from pincite.enrich.gate.quantity import Quantity

_LEADS = re.compile(
    r"\b(?:within|up to|at most|at least|(?:no|not) (?:more|less|later|longer|fewer|earlier) than|more than|less than|or|"
    r"(?:is|are) (?:up to )?|exten\w+ (?:\w+ )?to|raised to|to)\s*$",
    re.I,
)
_ENDS = re.compile(
    r"\s*(?:[.;,)]|$)|\s+(?:if|where|when|whenever|unless|in|for|with|on|from|after|before|once|should|subject)\b"
)
_STOP = re.compile(r"[.!?](?:\s|$)")
_ANNOUNCED = re.compile(r"\s+(?:things|points|matters)\b[^.:;]{0,80}:")


def with_units_from_before(text: str, found: list[Quantity]) -> list[Quantity]:
    """Plain numbers that end a phrase, with the unit of the period before in their sentence: "five years, or up to seven"."""
    out: list[Quantity] = []
    last: Quantity | None = None
    for quantity in found:
        if last is not None and _STOP.search(text[last.end : quantity.start]):
            last = None
        if last is not None and quantity.kind == "number" and not quantity.soft and _is_bare(text, quantity):
            scale = _scale(last)
            values = frozenset(value * scale for value in quantity.values)  # type: ignore[operator]
            quantity = quantity._replace(kind=last.kind, unit=last.unit, values=values)
        elif quantity.kind == "period" and not quantity.soft:
            last = quantity
        out.append(quantity)
    return out


def _is_bare(text: str, quantity: Quantity) -> bool:
    before = text[max(0, quantity.start - 24) : quantity.start]
    whole = all(isinstance(value, Fraction) and value.denominator == 1 for value in quantity.values)
    return bool(whole and _LEADS.search(before) and _ENDS.match(text, quantity.end))


def _scale(period: Quantity) -> object:
    """How many base units one of a period's own is: 12 months a year."""
    from pincite.enrich.gate.units import units

    named = re.search(r"[a-z]+s?$", period.text.lower())
    unit = units().get(named[0]) if named else None
    return unit.scale if unit is not None and unit.name == period.unit else 1


def announces(text: str, end: int) -> bool:
    """Whether a count only announces the list that follows: "two things must be checked: …"."""
    return bool(_ANNOUNCED.match(text, end))
