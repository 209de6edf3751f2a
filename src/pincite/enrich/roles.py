"""Who does what to whom: subject and object of the verbs that both texts have, passives turned round, and "from A to B"."""

from __future__ import annotations

from typing import NamedTuple

from pincite.enrich.reading import STOP, WORD, Item, Reading

_BE = frozenset("is are was were be been being gets get got".split())
_MODALS = frozenset({"MUST", "MAY", "SHOULD"})
REACH = 8


class Act(NamedTuple):
    """A verb with the words before and after it, as doer and as what it is done to."""

    verb: frozenset[str]
    doer: frozenset[str]
    done: frozenset[str]
    text: str


def acts(reading: Reading) -> list[Act]:
    """Candidates for verbs: what follows a modal or stands in a passive, and every word between two others."""
    found = []
    for sentence in reading.sentences:
        for at, item in enumerate(sentence):
            if item.content:
                found.append(_act(sentence, at, item))
    return found


def _act(sentence: list[Item], at: int, item: Item) -> Act:
    before = _words(sentence[max(0, at - 2 * REACH) : at][::-1])
    after = _words(sentence[at + 1 : at + 1 + 2 * REACH])
    by = _agent(sentence, at)
    if by is not None and _passive(sentence, at):
        return Act(item.meanings, by, before, item.text)
    return Act(item.meanings, before, after, item.text)


def _passive(sentence: list[Item], at: int) -> bool:
    back = at - 1
    while back >= 0 and at - back < 4 and not sentence[back].content:
        if sentence[back].text in _BE or sentence[back].text.endswith(" be") or sentence[back].text in ("is to be", "are to be"):
            return True
        back -= 1
    return sentence[at].text.endswith(("ed", "en"))


def _agent(sentence: list[Item], at: int) -> frozenset[str] | None:
    """The words after the "by" that follows the verb closely."""
    for ahead in range(at + 1, min(at + 9, len(sentence))):
        item = sentence[ahead]
        if item.kind == STOP or item.symbol in _MODALS:
            return None
        if item.symbol == "BY":
            return _words(sentence[ahead + 1 : ahead + 8], 2)
    return None


def _words(items: list[Item], most: int = 4) -> frozenset[str]:
    found: set[str] = set()
    count = 0
    for item in items:
        if count == most or item.kind == STOP or item.symbol in ("IF", "UNLESS", "BUT"):
            break
        if item.content:
            found |= item.meanings
            count += 1
    return frozenset(found)


def check(source: Reading, rewrite: Reading, both_ways: bool) -> list[tuple[str, str]]:
    """Reasons: doer and done-to have changed places, or the ends of a way have."""
    table: dict[str, list[Act]] = {}
    for act in acts(source):
        for meaning in act.verb:
            table.setdefault(meaning, []).append(act)
    found = []
    for act in acts(rewrite):
        same = {id(each): each for meaning in act.verb for each in table.get(meaning, ())}
        if same and all(_turned(each, act) for each in same.values()):
            found.append(("roles", f"who does and who is done to by {act.text!r} have changed places"))
    return found + _ways(source, rewrite)


def _turned(one: Act, two: Act) -> bool:
    """Whether the doer of one is only the done-to of the other, and the other way round."""
    doer, done = one.doer - one.done, one.done - one.doer
    hers, its = two.doer - two.done, two.done - two.doer
    return bool(doer & its and done & hers) and not (doer & hers or done & its)


def _ways(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    """"from A to B" and "to B from A" against "from B to A"."""
    ours, theirs = _ends(source), _ends(rewrite)
    found = []
    for origin, aim in theirs:
        if any(origin & b and aim & a and not origin & a for a, b in ours) and not any(origin & a and aim & b for a, b in ours):
            found.append(("roles", "'from' and 'to' have changed places"))
    return found


def _ends(reading: Reading) -> list[tuple[frozenset[str], frozenset[str]]]:
    found = []
    for sentence in reading.sentences:
        origin = [_words(sentence[at + 1 : at + 5], 1) for at, item in enumerate(sentence) if item.text == "from"]
        aim = [_words(sentence[at + 1 : at + 5], 1) for at, item in enumerate(sentence) if item.kind == WORD and item.text == "to"]
        if origin and aim:
            found.append((origin[0], frozenset().union(*aim)))
    return found


