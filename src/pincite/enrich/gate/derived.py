"""Amounts that a text works out from others: the numbers within a listed range, and the difference of a "from" and a "to"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from fractions import Fraction
from itertools import pairwise

from pincite.enrich.gate.quantity import Quantity
from pincite.enrich.gate.reading import QUANTITY, Item, Reading

LONGEST = 12  # numbers of a range that are listed one by one
_DAY = 86400


def listed_numbers(these: Iterable[Quantity], ends: Sequence[Quantity]) -> set[int]:
    """Where the numbers stand that are within a range of the other text, all of which are listed: "7, 8 and 9" for "7 to 9"."""
    said: dict[int, set[int]] = {}
    for quantity in these:
        if (number := _whole(quantity)) is not None:
            said.setdefault(number, set()).add(quantity.start)
    found = set[int]()
    for first, last in pairwise(ends):
        low, high = _whole(first), _whole(last)
        if low is not None and high is not None and low < high <= low + LONGEST:
            inside = range(low, high + 1)
            if all(number in said for number in inside):
                found |= {start for number in inside[1:-1] for start in said[number]}
    return found


def _whole(quantity: Quantity) -> int | None:
    value = next(iter(quantity.values), None)
    if quantity.kind == "number" and not quantity.unit and isinstance(value, Fraction) and value.denominator == 1:
        return int(value)
    return None


def differences(reading: Reading) -> set[int]:
    """Where the amounts after a "by" stand that are the difference of the sentence's "from" and "to"."""
    found = set[int]()
    for line in reading.sentences:
        led = [two.quantity for one, two in pairwise(line) if one.text == "by" and two.quantity is not None]
        ends = _ends(line) if led else None
        apart = _apart(*ends) if ends else None
        found |= {each.start for each in led if apart in [(each.kind, each.unit, value) for value in each.values]}
    return found


def _ends(line: Sequence[Item]) -> tuple[Quantity, Quantity] | None:
    """The amounts that follow a "from" and the "to" after it, a day's name between at most."""
    origin = _after(line, 0, "from")
    aim = _after(line, origin[0], "to") if origin else None
    return (origin[1], aim[1]) if origin and aim else None


def _after(line: Sequence[Item], start: int, word: str) -> tuple[int, Quantity] | None:
    for at in range(start, len(line) - 1):
        if line[at].text == word:
            for ahead in range(at + 1, min(at + 3, len(line))):
                quantity = line[ahead].quantity
                if line[ahead].kind == QUANTITY and quantity is not None:
                    return ahead, quantity
    return None


def _apart(one: Quantity, two: Quantity) -> tuple[str, str, Fraction] | None:
    """Kind, unit and amount of what lies between two amounts of one kind; days between two dates."""
    first, last = next(iter(one.values)), next(iter(two.values))
    if one.kind == two.kind == "date":
        days = [_day(each) for each in (first, last)]
        return ("period", "s", Fraction(abs((days[1] - days[0]).days) * _DAY)) if days[0] and days[1] else None
    if one.kind != two.kind or one.unit != two.unit or not isinstance(first, Fraction) or not isinstance(last, Fraction):
        return None
    return one.kind, one.unit, abs(last - first)


def _day(value: object) -> date | None:
    if not (isinstance(value, tuple) and len(value) == 3 and isinstance(value[1], int) and isinstance(value[2], int)):
        return None
    try:
        return date(value[0] or 2023, value[1], value[2])
    except ValueError:
        return None
