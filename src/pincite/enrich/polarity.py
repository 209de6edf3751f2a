"""Negation, modality, exceptions and conditions: each claim of one text has its counterpart in the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise

from pincite.enrich import amounts
from pincite.enrich.claims import ADVISED, ADVISED_NOT, ALLOWED, FORBIDDEN, FREE, OBLIGED, PREVENTS, TWICE, Claim, claims
from pincite.enrich.reading import QUANTITY, SYMBOL, Item, Reading

_CODES = {
    **dict.fromkeys((FORBIDDEN, FREE, TWICE), "negation"),
    **dict.fromkeys((ALLOWED, ADVISED, ADVISED_NOT), "modality"),
    "UNLESS": "exception",
    "EXEMPT": "exception",
    "ONLY": "only",
    "EVENIF": "condition",
    **dict.fromkeys(("SOME", "MOST"), "quantifier"),
    **dict.fromkeys(("BEFORE", "UNTIL"), "order"),
    **dict.fromkeys(("OFF", "OUT"), "opposite"),
}
STRICT = tuple(_CODES)  # both texts make these claims, of the same words, or neither
_ASKED = frozenset({ALLOWED, ADVISED, "SOME", "MOST"})


def check(source: Reading, rewrite: Reading, both_ways: bool) -> list[tuple[str, str]]:
    """Reasons: a claim that was lost, added or moved; "and" for "or"; "one" for "both"."""
    ours, theirs = claims(source), claims(rewrite)
    lost = [claim for claim in unmatched(ours, theirs) if not _compares(source, rewrite, claim)]
    added = [claim for claim in unmatched(theirs, ours) if not _compares(rewrite, source, claim)]
    added = [
        claim for claim in added if not claim.lexical or claim.anchors & source.meanings or _opposed(claim)
    ]  # else only a new word
    if both_ways:
        lost, added = reconciled(lost, added, ours, theirs)
        lost, added = _without_optional(source, rewrite, lost, added, ours, theirs)
    else:
        lost, added = [], [claim for claim in added if claim.kind not in _ASKED]
    found = [(_CODES[claim.kind], f"the source says {claim.text!r}, the rewrite does not say it of the same") for claim in lost]
    found += [
        (_CODES[claim.kind], f"the rewrite says {claim.text!r}, the source does not say it of the same") for claim in added
    ]
    return found + _both(source, rewrite) + _joints(source, rewrite) + (_ellipses(source, rewrite) if both_ways else [])


def _opposed(claim: Claim) -> bool:
    """Whether a word is one of the lexicon's opposites, rather than any word with "un-"."""
    return any(anchor.startswith("~") for anchor in claim.anchors)


def unmatched(these: Sequence[Claim], those: Sequence[Claim]) -> list[Claim]:
    """The strict claims of *these* that none of *those* makes, of the same word or, where neither has its own counterpart, of
    one in its window."""
    mine, yours = _anchored(these), _anchored(those)
    left = [claim for claim in these if claim.kind in STRICT and not _direct(claim, yours)]
    free = _anchored([claim for claim in those if not _direct(claim, mine) and not claim.lexical])
    near: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    for claim in those:
        for meaning in claim.window if not claim.lexical else ():
            near[claim.kind, meaning].append(claim)
    return [
        claim
        for claim in left
        if claim.lexical
        or not (
            any(near.get((claim.kind, word)) for word in claim.anchors)
            or any(free.get((claim.kind, word)) for word in claim.window)
        )
    ]


def _anchored(listed: Sequence[Claim]) -> dict[tuple[str, str], list[Claim]]:
    table: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    for claim in listed:
        for meaning in claim.anchors:
            table[claim.kind, meaning].append(claim)
    return table


def _direct(claim: Claim, table: dict[tuple[str, str], list[Claim]]) -> bool:
    return any(table.get((claim.kind, word)) for word in claim.anchors)


# --- the same said otherwise -----------------------------------------------------------------------------------------------

Pair = tuple[tuple[str, ...], tuple[str, ...]]
_SAME: tuple[Pair, ...] = (
    ((FORBIDDEN, "UNLESS"), ("ONLY", ALLOWED)),
    ((FORBIDDEN, "UNLESS"), ("ONLY",)),
    ((FORBIDDEN, FORBIDDEN), ("ONLY", ALLOWED)),
    ((FORBIDDEN, "UNTIL"), (FORBIDDEN, "UNLESS")),
    ((FORBIDDEN, "UNTIL"), ("ONLY", ALLOWED)),
    ((FORBIDDEN, "UNTIL"), ("ONLY",)),
    ((FORBIDDEN, "BEFORE"), ("ONLY",)),
    ((FORBIDDEN, "BEFORE"), ("UNTIL", FORBIDDEN)),
)


def reconciled(
    lost: list[Claim], added: list[Claim], ours: Sequence[Claim], theirs: Sequence[Claim]
) -> tuple[list[Claim], list[Claim]]:
    """Without the claims that are one rule in two wordings: "not … unless" and "only if"."""
    for one, two in _SAME:
        _strike(lost, added, one, two)
        _strike(added, lost, one, two)
    _strike_where(lost, added, "UNLESS", FORBIDDEN, _meets)
    _strike_where(added, lost, "UNLESS", FORBIDDEN, _meets)
    for exempt, other in (("EXEMPT", FORBIDDEN), ("EXEMPT", "UNLESS"), ("UNLESS", "EXEMPT")):
        _strike_where(lost, added, exempt, other, _meets)
        _strike_where(added, lost, exempt, other, _meets)
    _strike_where(lost, added, "UNTIL", "UNLESS", _meets)
    _strike_where(added, lost, "UNTIL", "UNLESS", _meets)
    lost = [claim for claim in lost if not _said_softly(claim, theirs)]
    added = [claim for claim in added if not _said_softly(claim, ours)]
    return lost, added


def _strike(here: list[Claim], there: list[Claim], one: tuple[str, ...], two: tuple[str, ...]) -> None:
    mine, yours = _first_of(here, one), _first_of(there, two)
    if mine and yours and _meets_any(mine, yours):
        for claim in mine:
            here.remove(claim)
        for claim in yours:
            there.remove(claim)


def _first_of(listed: list[Claim], kinds: tuple[str, ...]) -> list[Claim]:
    found: list[Claim] = []
    for kind in kinds:
        claim = next((each for each in listed if each.kind == kind and each not in found), None)
        if claim is None:
            return []
        found.append(claim)
    return found


def _strike_where(here: list[Claim], there: list[Claim], one: str, two: str, same: Callable[[Claim, Claim], bool]) -> None:
    for claim in [each for each in here if each.kind == one]:
        other = next((each for each in there if each.kind == two and same(claim, each)), None)
        if other is not None:
            here.remove(claim)
            there.remove(other)


def _meets(one: Claim, two: Claim) -> bool:
    return bool((one.anchors | one.window) & (two.anchors | two.window))


def _meets_any(these: list[Claim], those: list[Claim]) -> bool:
    return any((one.window | one.left) & (two.window | two.left) for one in these for two in those)


def _said_softly(claim: Claim, others: Sequence[Claim]) -> bool:
    """ "except that" said as "but"; "A before B" said as "B after A"."""
    if claim.kind == "UNLESS" and any(each.text in ("without", "in the absence of") and _meets(claim, each) for each in others):
        return True
    if claim.kind == "EXEMPT":
        return any(each.kind in ("EXEMPT", "UNLESS") and _meets(claim, each) for each in others)
    if claim.kind == FORBIDDEN:
        return any(each.kind == PREVENTS and each.anchors & (claim.anchors | claim.window) for each in others)
    if claim.kind == ALLOWED:
        return not _turned(claim, others) and any(each.kind == "ENTITLED" and _meets(claim, each) for each in others)
    if claim.kind == "UNLESS":
        return claim.text.startswith("except") and any(each.kind == "BUT" and _meets(claim, each) for each in others)
    if claim.kind == "BEFORE":
        after = [each for each in others if each.kind == "AFTER" and not each.anchors & claim.anchors]
        return any(each.anchors & claim.left and claim.anchors & each.left for each in after)
    return False


def _without_optional(
    source: Reading, rewrite: Reading, lost: list[Claim], added: list[Claim], ours: Sequence[Claim], theirs: Sequence[Claim]
) -> tuple[list[Claim], list[Claim]]:
    """ "may be at most" is "must not be more than": a permission before a bound may be left out, but not turned into a duty."""
    kept_lost = [c for c in lost if not (c.kind == ALLOWED and _bounded(source, c) and not _turned(c, theirs))]
    kept_added = [c for c in added if not (c.kind == ALLOWED and _bounded(rewrite, c) and not _turned(c, ours))]
    return kept_lost, kept_added


def _bounded(reading: Reading, claim: Claim) -> bool:
    for item in reading.items[claim.at : claim.at + 12]:
        if item.kind == "stop":
            return False
        if item.symbol == "LE":
            return True
    return any(item.symbol == "LE" for item in reading.items[max(0, claim.at - 6) : claim.at])


def _turned(claim: Claim, others: Sequence[Claim]) -> bool:
    said = {anchor for anchor in claim.anchors if not anchor.startswith("#")}
    return any(other.kind == OBLIGED and other.anchors & said for other in others)


def _compares(reading: Reading, other: Reading, claim: Claim) -> bool:
    """Whether a "not" only turns a comparison ("must not contain more than"), which the amounts' check looks at."""
    return claim.kind == FORBIDDEN and amounts.turned(claim.at, reading, other)


# --- both, and, or ---------------------------------------------------------------------------------------------------------


_OF_TWO = frozenset({"one", "single", "neither", "none"})


def _both(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    cases = any(item.symbol == "EITHER" and after.text in ("case", "event", "way") for item, after in pairwise(source.items))
    if (
        _has(source, "EITHER")
        and not cases
        and not _has(source, "BOTH")
        and _has(rewrite, "BOTH")
        and not _has(rewrite, "EITHER")
    ):
        return [("quantifier", "the source says 'either', the rewrite 'both'")]
    if not _has(source, "BOTH") or _has(rewrite, "BOTH"):
        return []
    others = [item for item in rewrite.items if item.symbol == "EITHER" or item.text in _OF_TWO]
    before = [item for item in source.items if item.symbol == "EITHER" or item.text in _OF_TWO]
    return [("quantifier", f"the source says 'both', the rewrite {others[0].text!r}")] if len(others) > len(before) else []


def _ellipses(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    """ "…, but its agents are.": a claim whose verb is left out says the contrary of what went before."""
    if _elliptic(rewrite) <= _elliptic(source):
        return []
    return [("ellipsis", "the rewrite ends a clause with an auxiliary, the source does not")]


def _elliptic(reading: Reading) -> int:
    ends = 0
    for sentence in reading.sentences:
        line = [item for item in sentence if item.kind != "stop"]
        ends += bool(line) and (
            line[-1].text in _BARE or (line[-1].symbol == "NOT" and len(line) > 1 and line[-2].text in _BARE)
        )
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
        if item.sentence != joint.sentence or count == 2:
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
    return any(each.kind == SYMBOL and each.symbol in ("NOT", "NO", "UNLESS", "EXEMPT", "WITHOUT", "FORBID") for each in near)
