"""Which number belongs to what: "A 5, B 10" is not "A 10, B 5". Numbers are bound to the words nearest to them."""

from __future__ import annotations

from typing import NamedTuple

from pincite.enrich.quantities import Quantity
from pincite.enrich.reading import BREAK, QUANTITY, STOP, SYMBOL, Item, Reading

REACH = 10  # content words and amounts on either side
PAIRS = 8  # how many following amounts each is compared with
MARGIN = 1.15


class Place(NamedTuple):
    """An amount with the words around it, each with a weight that falls with the distance."""

    quantity: Quantity
    near: dict[str, float]


def places(reading: Reading) -> list[Place]:
    """Every amount of a text, with its surroundings."""
    found = []
    for sentence in reading.sentences:
        for at, item in enumerate(sentence):
            if item.kind == QUANTITY and item.quantity is not None and not item.quantity.soft:
                found.append(Place(item.quantity, _near(sentence, at)))
    return found


def _near(sentence: list[Item], at: int) -> dict[str, float]:
    near: dict[str, float] = {}
    for side in (range(at + 1, len(sentence)), range(at - 1, -1, -1)):
        weight, met = 1.0, 0
        for other in side:
            item = sentence[other]
            if item.kind == STOP or met == REACH:
                break
            if item.kind == BREAK:
                weight *= 0.55
            elif item.symbol in ("AND", "OR", "BUT"):
                weight *= 0.6
            elif item.content or (item.kind == SYMBOL and item.symbol in ("LE", "GE", "LT", "GT", "BEFORE", "AFTER", "EVERY")):
                for meaning in item.meanings or (item.symbol,):
                    near[meaning] = max(near.get(meaning, 0.0), weight)
                weight, met = weight * 0.8, met + 1
            elif item.kind == QUANTITY and item.quantity is not None:
                key = _key(item.quantity)
                near[key] = max(near.get(key, 0.0), weight)
                weight, met = weight * 0.5, met + 1
    return near


def _key(quantity: Quantity) -> str:
    return f"#{sorted(map(str, quantity.values))[0]} {quantity.kind} {quantity.unit}"


def check(source: Reading, rewrite: Reading, both_ways: bool) -> list[tuple[str, str]]:
    """Reasons: two amounts of the source that have changed places in the rewrite."""
    ours, theirs = places(source), places(rewrite)
    found = []
    for at, one in enumerate(ours):
        for two in ours[at + 1 : at + 1 + PAIRS]:
            if one.quantity.agrees(two.quantity):
                continue
            if _exchanged(one, two, ours, theirs):
                found.append(("exchange", f"{one.quantity.text!r} and {two.quantity.text!r} have changed places"))
    return found


def _exchanged(one: Place, two: Place, ours: list[Place], theirs: list[Place]) -> bool:
    first, second = _said(one, theirs), _said(two, theirs)
    if not first or not second:
        return False
    mine, yours = _said(one, ours), _said(two, ours)
    swapped = 0
    for told_first in first:
        for told_second in second:
            kept = _best(told_first, mine) + _best(told_second, yours)
            crossed = _best(told_first, yours) + _best(told_second, mine)
            if crossed <= kept * MARGIN + 0.2:
                return False
            swapped += 1
    return swapped > 0


def _said(place: Place, listed: list[Place]) -> list[Place]:
    return [each for each in listed if each.quantity.agrees(place.quantity)][:4]


def _best(told: Place, places_: list[Place]) -> float:
    return max((_affinity(told, place) for place in places_), default=0.0)


def _affinity(one: Place, two: Place) -> float:
    own = {_key(one.quantity), _key(two.quantity)}
    return sum(weight * two.near[word] for word, weight in one.near.items() if word in two.near and word not in own)
