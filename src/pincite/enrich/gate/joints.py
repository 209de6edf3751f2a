"""Both and one, and and or, and clauses that end in a bare auxiliary ("…, but its agents are")."""

from __future__ import annotations

from itertools import pairwise

from pincite.enrich.gate.joined import Joined
from pincite.enrich.gate.reading import QUANTITY, SYMBOL, Item, Reading


def check(joined: Joined, both_ways: bool) -> list[tuple[str, str]]:
    """Reasons: "and" for "or", "one" for "both", a clause whose verb is left out."""
    source, rewrite = joined.source, joined.rewrite
    return _both(source, rewrite) + _joints(source, rewrite) + (_ellipses(source, rewrite) if both_ways else [])


_SIDES = frozenset({"side", "sides", "end", "hand", "edge"})  # "on either side" is on both
_NOTHING = Item("stop", "")
_OF_TWO = frozenset({"one", "single", "neither", "none"})


def _both(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    cases = any(item.symbol == "EITHER" and after.text in ("case", "event", "way") for item, after in pairwise(source.items))
    if (
        _has(source, "EITHER")
        and not cases
        and not _has(source, "BOTH")
        and _has(rewrite, "BOTH")
        and not _has(rewrite, "EITHER")
        and not _of_parties(source)
    ):
        return [("quantifier", "the source says 'either', the rewrite 'both'")]
    if not _has(source, "BOTH") or _has(rewrite, "BOTH"):
        return []
    others = [one for one, two in pairwise([*rewrite.items, _NOTHING]) if _of_two(one) and two.text not in _SIDES]
    before = [item for item in source.items if _of_two(item)]
    return [("quantifier", f"the source says 'both', the rewrite {others[0].text!r}")] if len(others) > len(before) else []


def _of_two(item: Item) -> bool:
    return item.symbol == "EITHER" or item.text in _OF_TWO


def _of_parties(reading: Reading) -> bool:
    """ "Either side may end it" and "both sides may" are one right."""
    pairs = pairwise(reading.items)
    return any(item.symbol == "EITHER" and after.text in ("party", "side", "parent", "spouse") for item, after in pairs)


def _ellipses(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    """ "…, but its agents are.": a claim whose verb is left out says the contrary of what went before."""
    shortened = sum(one.symbol == "BUT" and two.symbol == "NOT" for one, two in pairwise(source.items))  # "but not in the yard"
    if all(_elliptic(rewrite, denied) <= _elliptic(source, denied) + denied * shortened for denied in (False, True)):
        return []
    return [("ellipsis", "the rewrite ends a clause with an auxiliary, the source does not")]


def _elliptic(reading: Reading, denied: bool) -> int:
    """How many sentences end in a bare auxiliary, or in one with a "not"."""
    ends = 0
    for sentence in reading.sentences:
        line = [item for item in sentence if item.kind != "stop"]
        if denied and line and line[-1].symbol == "NOT":
            ends += len(line) > 1 and line[-2].text in _BARE
        elif not denied and line and line[-1].text in _BARE:
            ends += any(item.symbol == "BUT" or item.text in ("whereas", "while") for item in line)
    return ends


_BARE = frozenset(
    {"is", "are", "was", "were", "do", "does", "did", "may", "must", "shall", "should", "can", "will", "has", "have"}
)


def _has(reading: Reading, symbol: str) -> bool:
    return any(item.symbol == symbol for item in reading.items)


def _joints(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    """Where two words are joined by "and" in one text and by "or" in the other."""
    joints = _joined(source)
    found = []
    for kind, left, right, free in _joined(rewrite):
        same = [each for each in joints if _crosswise(each[1], each[2], left, right)]
        if same and not any(each[0] == kind or each[3] or free for each in same):
            found.append(
                ("conjunction", f"the rewrite joins by {kind.lower()!r} what the source joins by {same[0][0].lower()!r}")
            )
    return found


Joint = tuple[str, frozenset[str], frozenset[str], bool]


def _joined(reading: Reading) -> list[Joint]:
    items = reading.items
    found = []
    for at, item in enumerate(items):
        if item.symbol in ("AND", "OR") and item.text != "and/or":
            left, right = _side(items[max(0, at - 12) : at][::-1], item), _side(items[at + 1 : at + 13], item)
            found.append((item.symbol, left, right, _free(items, at)))
    return found


def _side(items: list[Item], joint: Item) -> frozenset[str]:
    """The two content words or amounts next to a conjunction."""
    found: set[str] = set()
    count = 0
    for item in items:
        if item.sentence != joint.sentence or count == 2 or (count and item.symbol in ("AND", "OR")):
            break
        if item.content:
            found |= item.meanings
            count += 1
        elif item.kind == QUANTITY and item.quantity is not None:
            found |= {f"#{value}" for value in item.quantity.values}
            count += 1
    return frozenset(found)


def _crosswise(left: frozenset[str], right: frozenset[str], one: frozenset[str], two: frozenset[str]) -> bool:
    return bool((left & one and right & two) or (left & two and right & one))


_PREPOSITIONS = frozenset({"in", "on", "at", "by", "of", "to", "under", "with", "from", "for"})


def _free(items: list[Item], at: int) -> bool:
    """Whether "and" and "or" come to the same here: under a negation, after "whether", "both" or "any"."""
    if any(each.symbol == "IF" for each in items[at + 1 : at + 3]):
        return False
    if at and at + 1 < len(items) and {items[at - 1].text, items[at + 1].text} <= _PREPOSITIONS:
        return True  # "in or on"
    near: list[Item] = []
    for each in reversed(items[max(0, at - 24) : at]):
        if each.sentence != items[at].sentence or each.symbol in ("IF", "UNLESS"):
            break
        near.insert(0, each)
    if any(each.symbol in ("BOTH", "EITHER", "WHETHER") for each in near[-6:]):
        return True
    for each in items[at + 1 : at + 10]:
        if each.sentence != items[at].sentence or each.text in (";", ","):
            break
        near.append(each)
    return any(each.kind == SYMBOL and each.symbol in ("NOT", "NO", "UNLESS", "EXEMPT", "WITHOUT", "FORBID") for each in near)
