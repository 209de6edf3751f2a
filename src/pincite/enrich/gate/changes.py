"""A rewrite set beside its source word by word: where nearly all of it stands in the same order, what does not is a change.

Each change is answered (the same is said otherwise in its place), moved (it is said elsewhere), or a reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from pincite.enrich.gate import lexicon
from pincite.enrich.gate.copies import key_of, line_of
from pincite.enrich.gate.joined import Joined
from pincite.enrich.gate.lexicon import wordnet
from pincite.enrich.gate.reading import Item
from pincite.enrich.gate.vocabulary import acts

ALIKE = 0.6  # of both texts' words in the same order, from which one word for another is told as a change
NEARLY = 0.8  # from which every word that comes or goes is one
LONGEST = 4_000  # items of both texts: setting them side by side takes time by the square
TINY = 2  # words of weight in a change that is nothing but one word for another
_FREE = frozenset({"BY", "PLEASE", "HOW", "BECAUSE", "APPROX", "WHETHER"})
_STRICT = frozenset({"BEFORE", "AFTER", "UNTIL", "LE", "GE", "LT", "GT", "OR", "BOTH", "EITHER", "SOME", "MOST"})
"""Symbols that may not come or go by themselves; the others are told by what they are said of (``polarity``)."""
_COMPARING = frozenset({"LE", "GE", "LT", "GT", "UNTIL", "BEFORE", "AFTER"})
_MODALS = frozenset({"MUST", "MAY", "SHOULD"})
_DENIALS = ("NOT", "NO", "FORBID", "ONLY", "UNLESS", "EXEMPT")
_TURNS = (
    _MODALS,
    frozenset({"AND", "OR", "BOTH", "EITHER", "INCLUDING"}),
    frozenset({"UNLESS", "ONLY", "IF", "EVENIF", "WITHOUT"}),
    frozenset({"BEFORE", "AFTER", "UNTIL"}),
    frozenset({"ALL", "SOME", "MOST", "BOTH", "EITHER", "ONLY"}),
    frozenset({"LE", "GE", "LT", "GT"}),
)
"""Symbols of which one in the place of another turns a claim."""

_POLAR = frozenset({"NOT", "NO", "UNLESS", "ONLY", "EXEMPT", "FORBID", "WITHOUT", "EVENIF", "IF"})
_WHEN = frozenset({"when", "where", "whenever", "wherever", "subject to", "nor", "neither"})

Reasons = Iterator[tuple[str, str]]


class Change(NamedTuple):
    """What stands in the source and what in its place in the rewrite; either may be nothing."""

    was: list[Item]
    says: list[Item]
    lost: list[Item]  # of weight, and not answered
    gained: list[Item]


def check(joined: Joined) -> list[tuple[str, str]]:
    """Reasons: a word of weight or one that turns a claim that is lost, added, or stands where another stood."""
    ours, theirs = line_of(joined.source.items), line_of(joined.rewrite.items)
    if not ours or not theirs or len(ours) + len(theirs) > LONGEST:
        return []
    matcher = SequenceMatcher(None, [key_of(item) for item in ours], [key_of(item) for item in theirs], autojunk=False)
    alike = matcher.ratio()
    if alike < ALIKE:
        return []
    changes = [_change(ours[i:j], theirs[k:m]) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal"]
    found = [*_turned(changes, _denied(ours) | _denied(theirs)), *_exchanged(changes)]
    if alike < NEARLY:
        return found
    keys = [{key_of(item) for item in line} for line in (ours, theirs)]
    several = len({key_of(item) for item in ours if _who(item)}) > 1
    found += [*_voices(ours, theirs, matcher), *_alone(changes, keys[0] & keys[1]), *_carried(changes)]
    return [*found, *_left_out(changes, keys[1], several), *_put_in(changes, keys[0])]


def _change(was: list[Item], says: list[Item]) -> Change:
    lost, free = [item for item in was if _weighs(item)], list(says)
    for one in list(lost):
        other = next((two for two in free if _same(one, two)), None)
        if other is not None:
            lost.remove(one)
            free.remove(other)
    gained = [item for item in free if _weighs(item) and not any(_same(one, item) for one in was)]
    return Change(was, says, lost, gained)


def _weighs(item: Item) -> bool:
    if item.quantity is not None:
        return not item.quantity.soft
    if item.symbol:
        return item.symbol not in _FREE and not any(item.text in lexicon.words(name) for name in ("light", "joining"))
    light = all(part in lexicon.words("light") or part in lexicon.glue() for part in item.text.split("_"))
    return item.content and not light and item.text not in lexicon.words("anyone")


def _who(item: Item) -> bool:
    """Whether a word names a person or body."""
    return item.content and (
        acts(item) or item.text in lexicon.words("bodies") or wordnet.kind(lexicon.stem(item.text)) == "n18"
    )


def _points(item: Item) -> bool:
    return item.text in lexicon.words("pronouns")


def _same(one: Item, two: Item) -> bool:
    if one.quantity is not None and two.quantity is not None:
        return one.quantity.agrees(two.quantity)
    if one.symbol and two.symbol:
        return one.symbol == two.symbol
    return bool(one.meanings & two.meanings)


def _denied(line: list[Item]) -> set[int]:
    """The items "must" and "may" that say the same where they stand: "may not", "nobody shall", "may have at most"."""
    found: set[int] = set()
    nobody = -1  # the sentence that began with "no one"
    for at, item in enumerate(line):
        nobody = item.sentence if item.symbol == "NO" else nobody
        follows = [each.symbol for each in line[at + 1 : at + 4]]
        if item.symbol in _MODALS and (follows[:1] == ["NOT"] or "LE" in follows or nobody == item.sentence):
            found.add(id(item))
    return found


def _turned(changes: list[Change], denied: set[int]) -> Reasons:
    """A word that turns a claim where another one stood."""
    denies = any(_count(changes, symbol) for symbol in _DENIALS)
    only_moves = _count(changes, "ONLY") > 1
    for change in changes:
        if len(change.lost) > TINY or len(change.gained) > TINY:
            continue  # said quite otherwise
        for one in change.lost:
            for two in change.gained:
                alike = id(one) in denied and id(two) in denied
                excused = (
                    alike or (denies and one.symbol in _MODALS) or (only_moves and {one.symbol, two.symbol} == {"ONLY", "IF"})
                )
                turns = any(one.symbol in turns and two.symbol in turns for turns in _TURNS)
                if one.symbol != two.symbol and turns and not excused:
                    yield "change", f"the rewrite says {two.text!r} where the source says {one.text!r}"


def _alone(changes: list[Change], both: set[str]) -> Reasons:
    """The one word that turns a claim and has come or gone, where no other has that could make up for it."""
    turning = [
        ("leaves out" if item in change.lost else "adds", item)
        for change in changes
        for item in (*change.lost, *change.gained)
        if (item.symbol in _POLAR and item.text not in _WHEN and not _again(item, change, both)) or item.negated
    ]
    if len(turning) == 1:
        how, item = turning[0]
        yield "change", f"the rewrite {how} {item.text!r}, and nothing else makes up for it"


def _voices(ours: list[Item], theirs: list[Item], matcher: SequenceMatcher[str]) -> Reasons:
    """ "Officers shall notify" for "officers shall be notified": the same verb after the same noun, done by it and to it."""
    for block in matcher.get_matching_blocks():
        for step in range(block.size):
            one, two = _voice(ours, block.a + step), _voice(theirs, block.b + step)
            if one and two and one[0] != two[0] and one[1] == two[1]:
                yield "roles", f"{ours[block.a + step].text!r} and {theirs[block.b + step].text!r} are not of one voice"


def _voice(line: list[Item], at: int) -> tuple[bool, str] | None:
    """Whether what a "must" or "may" leads to is done to the noun before, and that noun; None where neither is said."""
    before = line[max(0, at - 3) : at]
    modal = next((back for back in range(len(before) - 1, -1, -1) if before[back].symbol in _MODALS), None)
    if modal is None or not line[at].content:
        return None
    between = [item.text for item in before[modal + 1 :]]
    noun = next((key_of(item) for item in reversed(line[max(0, at - 8) : at - len(between) - 1]) if item.content), "")
    if not between:
        return (False, noun) if noun else None
    return (True, noun) if noun and between[-1] == "be" and "not" not in between[:-1] else None


def _again(item: Item, change: Change, both: set[str]) -> bool:
    """Whether an "if" that both texts have is only said once more, for each item of a list."""
    return item.symbol == "IF" and "IF" in both and item in change.gained


def _carried(changes: list[Change]) -> Reasons:
    """A word of little weight in the place of another: "given" for "received"."""
    light = lexicon.words("light")
    for change in changes:
        lost, gained = ([item for item in side if item.text in light and not item.symbol] for side in (change.was, change.says))
        if lost and gained and not any(_same(one, two) for one in lost for two in change.says):
            yield "change", f"the rewrite says {gained[0].text!r} where the source says {lost[0].text!r}"


def _count(changes: list[Change], symbol: str) -> int:
    return sum(item.symbol == symbol for change in changes for item in (*change.lost, *change.gained))


def _exchanged(changes: list[Change]) -> Reasons:
    """Two places of which each now holds what the other held."""
    for number, here in enumerate(changes):
        for there in changes[number + 1 :]:
            ahead = next((one for one in _movable(here.lost) for two in there.gained if _same(one, two)), None)
            back = next((one for one in _movable(there.lost) for two in here.gained if _same(one, two)), None)
            if ahead and back:
                yield "exchange", f"{ahead.text!r} and {back.text!r} have changed places"


def _movable(items: list[Item]) -> list[Item]:
    return [item for item in items if item.symbol not in _MODALS]


def _left_out(changes: list[Change], theirs: set[str], several: bool) -> Reasons:
    """What is lost, and said nowhere else; a noun may go where a pronoun stands for it. *several*: who act in the source."""
    new = [item for change in changes for item in change.gained]
    for change in changes:
        for item in change.lost:
            if not any(_same(item, other) for other in new) and not _may_go(item, change, theirs, changes, several):
                yield "omission", f"the rewrite, else nearly a copy, leaves out {item.text!r}"


def _put_in(changes: list[Change], ours: set[str]) -> Reasons:
    """What is gained, and the source does not say; a noun may be said again."""
    gone = [item for change in changes for item in change.lost]
    for change in changes:
        for item in change.gained:
            if not any(_same(item, other) for other in gone) and not _may_come(item, change, ours, changes):
                yield "addition", f"the rewrite, else nearly a copy, adds {item.text!r}"


def _may_go(item: Item, change: Change, theirs: set[str], changes: list[Change], several: bool) -> bool:
    if item.quantity is not None:
        return not any(each.quantity for each in change.gained)  # lost amounts are told by ``amounts``
    if item.symbol:
        return _compared(item, change.gained) or _may_turn(item, theirs, changes)
    stands_in = any(_points(each) for each in change.says)
    joins = any(each.symbol in ("AND", "BUT") for each in change.says) and change.was[0].opens
    return key_of(item) in theirs and ((stands_in and not (several and _who(item))) or joins)


def _may_come(item: Item, change: Change, ours: set[str], changes: list[Change]) -> bool:
    if item.quantity is not None:
        return not any(each.quantity for each in change.lost)
    if item.symbol:
        return _compared(item, change.lost) or _may_turn(item, ours, changes)
    listed = any(each.symbol in ("AND", "OR") for each in change.says)
    return key_of(item) in ours and not listed and not item.text.endswith(("ed", "en"))  # "licensed drivers" for "drivers"


def _compared(item: Item, others: list[Item]) -> bool:
    """Whether an amount is compared in other words: "until" for "up to"."""
    return item.symbol in _COMPARING and any(each.symbol in _COMPARING for each in others)


def _may_turn(item: Item, others: set[str], changes: list[Change]) -> bool:
    """Whether a symbol may come or go where none stands instead: "neither ... nor" is "not ... or"."""
    if item.text in lexicon.words("always"):
        return False
    denied = item.symbol == "OR" and any(_count(changes, symbol) for symbol in _DENIALS)
    return item.symbol not in _STRICT or denied or key_of(item) in others
