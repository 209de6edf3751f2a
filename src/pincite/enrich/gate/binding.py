"""Which number belongs to what: "A 5, B 10" is not "A 10, B 5".

Amounts, and words that exclude one another, are bound to the words nearest to them; two of them have changed places where the
difference of their surroundings has turned round.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise, product
from math import sqrt
from types import MappingProxyType
from typing import NamedTuple

from pincite.enrich.gate import amounts, lexicon
from pincite.enrich.gate.claims import ALLOWED, FORBIDDEN, FREE, OBLIGED, claims
from pincite.enrich.gate.joined import Joined
from pincite.enrich.gate.lexicon import wordnet
from pincite.enrich.gate.quantity import Quantity
from pincite.enrich.gate.reading import BREAK, QUANTITY, STOP, SYMBOL, WORD, Item, Reading

REACH = 10  # content words and amounts on either side
PAIRS = 8  # how many following places each is compared with
EXCLUDING = 2.0  # the weight of words that exclude others: "wheat", "barley"
APART, APART_AMOUNTS = 0.35, 0.1  # of their surroundings' size, the least difference by which two are told apart
TURNED = -0.3  # the cosine below which two have changed places, wherever they stand
TURNED_WORDS, TURNED_AMOUNTS = -0.22, -0.25  # the same over all their places together
FADE, AMOUNT_FADE, JOINT, COMMA, CONDITION = 0.8, 0.5, 0.6, 0.55, 0.4
_CONDITIONS = frozenset({"IF", "UNLESS", "EXEMPT", "EVENIF", "BEFORE", "AFTER", "UNTIL"})


class Place(NamedTuple):
    """An amount or a word with what is around it, each with a weight that falls with the distance."""

    group: str  # only places of one group can change places
    key: str
    text: str
    near: dict[str, float]
    sense: str = ""  # how an amount is compared: where two are compared otherwise, an exchange shows there
    unit: str = ""
    sentence: int = 0


def places(reading: Reading, modifiers: Mapping[str, list[tuple[str, str]]]) -> list[Place]:
    """Every amount and every excluding word of a text, with its surroundings."""
    found = []
    senses = {id(bound.quantity): f"{bound.compared}{bound.each}" for bound in amounts.bounds(reading)}
    turns = {claim.at: _TURNS.get(claim.kind, "") for claim in claims(reading)}
    at_item = {id(item): turns.get(at, "") for at, item in enumerate(reading.items)}
    for sentence in reading.sentences:
        denied = _denied(sentence)
        said = {at: at_item[id(item)] for at, item in enumerate(sentence) if at_item.get(id(item))}
        for at, item in enumerate(sentence):
            if item.kind == QUANTITY and item.quantity is not None and not item.quantity.text.startswith("("):
                near, sense = _near(sentence, at, denied, said), senses.get(id(item.quantity), "")
                unit = item.quantity.kind + item.quantity.unit
                found.append(Place("#", _key(item.quantity), item.text, near, sense, unit, item.sentence))
            elif item.content or item.text == "other":
                sides = _sides(item) + modifiers.get(lexicon.stem(item.text), [])
                near = _near(sentence, at, denied, said) if sides else {}
                found += [Place(*side, item.text, _without(near, sentence, at), sentence=item.sentence) for side in sides]
    return found + _modal_places(reading)


_TURNS = {FREE: "%free", "EXEMPT": "%free", OBLIGED: "%must", "REQUIRES": "%must", ALLOWED: "%may", FORBIDDEN: "%not"}


def _without(near: dict[str, float], sentence: list[Item], at: int) -> dict[str, float]:
    """Without the words right before, which belong to the name itself: "ethics committee"."""
    own = set[str]()
    while at and sentence[at - 1].content:
        at -= 1
        own |= sentence[at].meanings
    return {word: weight for word, weight in near.items() if word not in own}


def _modifiers(reading: Reading) -> dict[str, list[tuple[str, str]]]:
    """Words that tell things of one name apart, and their groups: the first of "critical deviations", "minor deviations"."""
    heads: dict[str, list[Item]] = {}
    for before, after in pairwise(reading.items):
        if (before.content or before.text == "other") and after.content:
            heads.setdefault(lexicon.stem(after.text), []).append(before)
    found: dict[str, list[tuple[str, str]]] = {}
    for head, listed in heads.items():
        stems = {lexicon.stem(item.text) for item in listed}
        for each in sorted(stems) if len(stems) > 1 else ():
            found.setdefault(each, []).append((f"of {head}", each))
    return found


def _modal_places(reading: Reading) -> list[Place]:
    """What is allowed, forbidden and required of one word: each claim with its surroundings."""
    starts: dict[int, int] = {}
    for at, item in enumerate(reading.items):
        starts.setdefault(item.sentence, at)
    by_number = {sentence[0].sentence: sentence for sentence in reading.sentences}
    found = []
    for claim in claims(reading):
        if claim.kind in (FORBIDDEN, ALLOWED, OBLIGED) and not claim.lexical:
            number = reading.items[claim.at].sentence
            near = _near(by_number[number], claim.at - starts[number], set())
            found += [Place(f"said of {anchor}", claim.kind, claim.text, near) for anchor in claim.anchors]
    return found


def _sides(item: Item) -> list[tuple[str, str]]:
    """The sets of excluding words an item is of, and which side it is on; people and bodies are one set."""
    found = [(f"|{number}", f"{number}/{alternative}") for number, alternative in lexicon.places(item.text)]
    if acts_itself(item):
        found.append(("who", lexicon.side(item.text)))
    pole = sorted(meaning for meaning in item.meanings if meaning.startswith("~"))
    return found + [(name, ("-" if item.negated else "+") + name) for name in pole]


_DEPARTMENTS = frozenset({"hr", "qa", "ceo", "cfo", "ciso", "dpo", "mlro", "sro"})
_WHO = re.compile(r".{3,}(?:er|or|ee|ant|ist|man|men|ian)s?$")


def acts_itself(item: Item) -> bool:
    """Whether a word looks like someone who acts: a person, a body, a name."""
    if (
        wordnet.kind(lexicon.stem(item.text)) == "n18"
        or item.text in lexicon.words("bodies")
        or (item.written[:1].isupper() and not item.opens and not item.written.isupper())
    ):
        return True
    return (bool(_WHO.match(item.text)) or item.text in _DEPARTMENTS) and item.text not in lexicon.words("nobody")


def _denied(sentence: list[Item]) -> set[int]:
    """Which words follow a "not" or "no" closely."""
    found = set()
    for at, item in enumerate(sentence):
        if item.kind == SYMBOL and item.symbol in ("NOT", "NO", "WITHOUT"):
            following = next((k for k in range(at + 1, min(at + 4, len(sentence))) if sentence[k].content), None)
            found |= {following} if following is not None else set()
    return found


def _near(sentence: list[Item], at: int, denied: set[int], said: Mapping[int, str] = MappingProxyType({})) -> dict[str, float]:
    near: dict[str, float] = {}
    for side in (range(at + 1, len(sentence)), range(at - 1, -1, -1)):
        weight, met = 1.0, 0
        for other in side:
            item = sentence[other]
            if item.kind == STOP or met == REACH:
                break
            if said.get(other):
                near[said[other]] = max(near.get(said[other], 0.0), weight)
            if item.kind == BREAK:
                weight *= COMMA
            elif item.symbol in ("AND", "OR", "BUT"):
                weight *= JOINT
            elif item.symbol in _CONDITIONS:
                weight *= CONDITION
            elif item.kind == WORD and item.content:
                for meaning in item.meanings:
                    key = "¬" + meaning if item.negated or other in denied else meaning
                    near[key] = max(near.get(key, 0.0), weight * (EXCLUDING if meaning[0] == "|" else 1.0))
                weight, met = weight * FADE, met + 1
            elif item.symbol in ("LE", "GE", "LT", "GT"):
                near[item.symbol] = max(near.get(item.symbol, 0.0), weight * 0.5)
            elif item.kind == QUANTITY and item.quantity is not None:
                key = _key(item.quantity)
                near[key] = max(near.get(key, 0.0), weight * (1.0 if met == 0 else 0.6))
                weight, met = weight * AMOUNT_FADE, met + 1
    return near


def _key(quantity: Quantity) -> str:
    return f"#{sorted(map(str, quantity.values))[0]} {quantity.kind} {quantity.unit}"


def check(joined: Joined, both_ways: bool) -> list[tuple[str, str]]:
    """Reasons: two amounts of the source, or two words that exclude one another, that have changed places in the rewrite."""
    source, rewrite = joined.source, joined.rewrite
    modifiers = _modifiers(source)
    ours, theirs = _grouped(places(source, modifiers)), _grouped(places(rewrite, modifiers))
    found = _ranges(source, rewrite)
    one_name = _adjacent(source) | _adjacent(rewrite)
    for group, listed in ours.items():
        told, known = _by_key(theirs.get(group, [])), _by_key(listed)
        pairs = {
            (one.key, two.key): (one, two) for at, one in enumerate(listed) for two in listed[at + 1 : at + 1 + PAIRS]
        }  # each pair of keys once, whatever stands between
        found += [
            ("exchange", f"{one.text!r} and {two.text!r} have changed places")
            for one, two in pairs.values()
            if one.key != two.key
            and _comparable(one, two)
            and (one.group != "who" or (one.key, two.key) not in one_name)
            and _exchanged(one, two, known, told)
        ]
    return found


def _adjacent(reading: Reading) -> set[tuple[str, str]]:
    """Stems that stand in one row of words, both ways: "borrower Fenwick Ltd" is one and the same."""
    rows: list[set[str]] = [set()]
    for item in reading.items:
        if item.content:
            rows[-1].add(lexicon.stem(item.text))
        elif rows[-1]:
            rows.append(set())
    return {(one, two) for row in rows for one in row for two in row}


def _comparable(one: Place, two: Place) -> bool:
    if one.group == "#" and _is_year(one.text) != _is_year(two.text):
        return False
    if one.group == "#" and one.sense.startswith("R") and two.sense.startswith("R"):
        return False  # the ends of a range: see _ranges
    plain = all(place.unit.startswith(("number", "percent", "money", "measure")) for place in (one, two))
    periods = one.unit.startswith("period") and two.unit.startswith("period")
    return one.unit == two.unit or periods or (plain and one.sentence != two.sentence)


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdigit() and text[:2] in ("19", "20")


def _ranges(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    """Reasons: "from 6 to 4" for "from 4 to 6", "between 06:00 and 22:00" for "between 22:00 and 06:00"."""
    ours, theirs = _spans(source), _spans(rewrite)
    turned = [(one, two) for one, two in theirs if (two, one) in ours and (one, two) not in ours]
    return [("exchange", f"the ends of the range {one[1:]!r} and {two[1:]!r} have changed places") for one, two in turned]


def _spans(reading: Reading) -> set[tuple[str, str]]:
    """Adjacent ends of ranges, as keys of their amounts."""
    listed = [bound for bound in amounts.bounds(reading) if bound.compared == "R"]
    return {
        (_key(one.quantity), _key(two.quantity)) for one, two in pairwise(listed) if two.quantity.start - one.quantity.end < 24
    }


def _size(place: Place) -> float:
    return sqrt(sum(value * value for value in place.near.values()))


def _grouped(listed: list[Place]) -> dict[str, list[Place]]:
    groups: dict[str, list[Place]] = {}
    for place in listed:
        groups.setdefault(place.group, []).append(place)
    return groups


def _by_key(listed: list[Place]) -> dict[str, list[Place]]:
    """The first few places of each key."""
    found: dict[str, list[Place]] = {}
    for place in listed:
        if len(same := found.setdefault(place.key, [])) < 4:
            same.append(place)
    return found


def _exchanged(one: Place, two: Place, listed: dict[str, list[Place]], told: dict[str, list[Place]]) -> bool:
    first, second = told.get(one.key), told.get(two.key)
    if not first or not second:
        return False
    mine, yours = listed[one.key], listed[two.key]
    whole = _turn(_summed(mine), _summed(yours), _summed(first), _summed(second))
    least = TURNED_AMOUNTS if one.group == "#" else TURNED_WORDS
    return (
        whole < least
        or _turned_within(mine, yours, first, second) < least
        or all(_turn(a, b, c, d) < TURNED for a, c in product(mine, first) for b, d in product(yours, second))
    )


def _turned_within(mine: list[Place], yours: list[Place], first: list[Place], second: list[Place]) -> float:
    """The best cosine of a sentence of each text in which both stand; 1 where there is none."""
    ours, theirs = _both(mine, yours), _both(first, second)
    if not ours or not theirs:
        return 1.0
    return min(max(_turn(*here, *there) for there in theirs) for here in ours)


def _both(these: list[Place], those: list[Place]) -> list[tuple[Place, Place]]:
    """All places of either key in one sentence, as one each, for every sentence that has both."""
    numbers = {place.sentence for place in these} & {place.sentence for place in those}
    return [
        (_summed([p for p in these if p.sentence == n]), _summed([p for p in those if p.sentence == n]))
        for n in sorted(numbers)
    ]


def _summed(listed: list[Place]) -> Place:
    """All places of one key as one, with what is anywhere around it."""
    near: dict[str, float] = {}
    for place in listed:
        for key, weight in place.near.items():
            near[key] = max(near.get(key, 0.0), weight)
    return listed[0]._replace(near=near)


def _turn(one: Place, two: Place, told_one: Place, told_two: Place) -> float:
    """The cosine between what tells the two apart in one text and in the other."""
    keys = {one.key, two.key}
    ours = {w: one.near.get(w, 0.0) - two.near.get(w, 0.0) for w in one.near.keys() | two.near.keys() if w not in keys}
    theirs = {w: told_one.near.get(w, 0.0) - told_two.near.get(w, 0.0) for w in told_one.near.keys() | told_two.near.keys()}
    common = sum(value * theirs[word] for word, value in ours.items() if word in theirs)
    apart = sqrt(sum(v * v for v in ours.values()))
    if apart < (APART_AMOUNTS if one.group == "#" else APART) * (_size(one) + _size(two)) / 2:
        return 1.0  # nothing tells the two apart
    size = sqrt(sum(v * v for v in ours.values())) * sqrt(sum(v * v for w, v in theirs.items() if w not in keys))
    return common / size if size > 1e-9 else 1.0
