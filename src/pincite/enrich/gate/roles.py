"""Who does what to whom: subject and object of the verbs that both texts have, passives turned round, and "from A to B"."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from pincite.enrich.gate import lexicon
from pincite.enrich.gate.binding import acts_itself
from pincite.enrich.gate.joined import Joined
from pincite.enrich.gate.reading import BREAK, STOP, WORD, Item, Reading

_BE = frozenset(["is", "are", "was", "were", "be", "been", "being", "gets", "get", "got"])
_MODALS = frozenset({"MUST", "MAY", "SHOULD"})
SAME = 24  # acts of one verb that are compared
_ENDS = frozenset({"IF", "UNLESS", "BUT", "WHETHER", "EVENIF", "BEFORE", "AFTER", "UNTIL"})


class Act(NamedTuple):
    """A verb with the words before and after it, as doer and as what it is done to."""

    verb: frozenset[str]
    doer: frozenset[str]
    done: frozenset[str]
    text: str
    by_pronoun: bool = False  # "it must notify": the doer is not named


@cache
def _verbs() -> frozenset[str]:
    found = set()
    for word in (word for line in lexicon.lines("verbs") for word in line.split()):
        stem = word[:-1] if word.endswith(("e", "y")) else word
        ends = (
            ("ies", "ied")
            if word.endswith("y") and word[-2] not in "aeo"
            else ("es", "ed")
            if word.endswith("e")
            else ("s", "es", "ed")
        )
        found |= {word, *((word if end == "s" else stem) + end for end in ends)}
    return frozenset(
        found
        | {
            "sends",
            "sent",
            "gives",
            "gave",
            "given",
            "pays",
            "paid",
            "sells",
            "sold",
            "buys",
            "bought",
            "tells",
            "told",
            "lends",
            "lent",
        }
    )


def acts(reading: Reading) -> list[Act]:
    """What follows a modal, and the verbs of the lexicon where they stand as verbs."""
    found = []
    for sentence in map(_without_asides, reading.sentences):
        for at, item in enumerate(sentence):
            told = item.kind == WORD and (_is_verb(sentence, at) or _is_done_by(sentence, at))
            if told or (item.content and _follows_modal(sentence, at)):
                found.append(_act(sentence, at, item))
    return found


def _without_asides(sentence: list[Item]) -> list[Item]:
    """Without what stands between commas right after a modal: "may, by notice in writing, require"."""
    for at, item in enumerate(sentence[:-1]):
        if item.symbol in _MODALS and sentence[at + 1].text == ",":
            end = next((k for k in range(at + 2, min(at + 14, len(sentence))) if sentence[k].text == ","), None)
            if end is not None:
                return [*sentence[: at + 1], *_without_asides(sentence[end + 1 :])]
    return sentence


def _follows_modal(sentence: list[Item], at: int) -> bool:
    back = at - 1
    while back >= 0 and at - back < 5 and not sentence[back].content and sentence[back].kind not in (BREAK, STOP):
        if sentence[back].symbol in _MODALS:
            return True
        back -= 1
    return False


def _is_verb(sentence: list[Item], at: int) -> bool:
    """A verb of the lexicon in the third person, or in a passive, or after "and" or a comma."""
    if sentence[at].text not in _verbs():
        return False
    following = sentence[at + 1].text if at + 1 < len(sentence) else ""
    nominal = following in ("of", "are", "were", "is", "was", "have", "has")
    nominal = nominal or (at + 1 < len(sentence) and sentence[at + 1].symbol in _MODALS)
    if sentence[at].text.endswith("s") and nominal:
        return False  # "names and addresses of", "funds have to"
    before = sentence[at - 1] if at else None
    article = before is not None and before.text in ("the", "a", "an", "of", "for", "any", "each", "this", "that", "no")
    base = not sentence[at].text.endswith(("s", "ed", "nt", "ld", "id", "ve", "en"))
    if before is not None and (before.text in _BE or before.symbol in _MODALS):
        return True
    if sentence[at].text.endswith("ed") and at + 1 < len(sentence) and sentence[at + 1].content and before is not None:
        return False  # "informed consent"
    many = before is not None and before.content and (before.text.endswith("s") or before.text in ("staff", "people", "police"))
    return not article and (not base or before is None or before.symbol == "AND" or before.text == "to" or many)


def _is_done_by(sentence: list[Item], at: int) -> bool:
    """Whether a participle of any verb is followed by who does it: "signed off by the officer"."""
    if not (sentence[at].content and _is_participle(sentence[at])):
        return False
    by = _agent(sentence, at)
    return by is not None and any(acts_itself(each) for each in _phrase(sentence[by + 1 :])[:4] if each.content)


def _is_participle(item: Item) -> bool:
    return item.text.split("_")[0].endswith(("ed", "en", "wn"))


def _act(sentence: list[Item], at: int, item: Item) -> Act:
    before, after = _before(sentence, at), _words(sentence[at + 1 :])
    by = _agent(sentence, at)
    if by is not None and (_passive(sentence, at) or _is_participle(item)):
        return Act(item.meanings, _words(_phrase(sentence[by + 1 :]), 3), before | _words(sentence[at + 1 : by]), item.text)
    if _passive(sentence, at):
        return Act(item.meanings, frozenset(), before | after, item.text)
    pronoun = any(each.text in _PRONOUNS for each in sentence[max(0, at - 3) : at]) and not before
    return Act(item.meanings, before, after, item.text, pronoun)


def _passive(sentence: list[Item], at: int) -> bool:
    back = at - 1
    if back > 1 and sentence[back].symbol in ("AND", "OR") and sentence[back - 1].text.endswith("ed"):
        back -= 2
    while back >= 0 and at - back < 6 and not sentence[back].content:
        if sentence[back].text in _BE or sentence[back].text.endswith((" be", " to be")):
            return True
        if sentence[back].symbol in _MODALS:
            return False  # "is not allowed to incur"
        back -= 1
    return False


def _agent(sentence: list[Item], at: int) -> int | None:
    """Where the "by" stands that follows the verb closely."""
    for ahead in range(at + 1, min(at + 10, len(sentence))):
        item = sentence[ahead]
        if item.kind == STOP or item.symbol in _MODALS:
            return None
        if item.symbol == "BY":
            following = sentence[ahead + 1 : ahead + 3]
            return None if any(each.quantity is not None and not each.quantity.soft for each in following) else ahead
    return None


_PERSONS = frozenset({"you", "we"})  # who speaks and who is spoken to act under these names
_PRONOUNS = frozenset({"it", "they", "he", "she", "we", "you", "i"})


def _before_aside(sentence: list[Item], at: int) -> int:
    """Where a relative clause between commas begins that ends right before the verb: "the reviewer, who …, releases"."""
    if not at or sentence[at - 1].text != ",":
        return at
    opened = (k for k in range(at - 3, -1, -1) if sentence[k].text == "," and sentence[k + 1].text in ("who", "which"))
    return next(opened, at)


def _before(sentence: list[Item], at: int) -> frozenset[str]:
    """The words of the verb's subject: back to the clause's beginning, over an "and" between verbs."""
    found: set[str] = set()
    count = 0
    end = _before_aside(sentence, at)
    for back, item in zip(range(end - 1, -1, -1), reversed(sentence[:end])):
        if item.symbol == "AND" and count and any(each.text in _verbs() for each in sentence[:back]):
            break  # "the engineer writes a report and the manager approves it"
        if item.kind in (STOP, BREAK) and count:
            break
        if item.text in _PERSONS and not count:
            return frozenset({f"={item.text}"})
        if item.symbol in _ENDS or (item.text in _PRONOUNS and not count):
            break
        if item.text in ("who", "which") and not count:
            return _nearest(sentence[:at])
        if item.content:
            found |= _told(item)
            count += 1
    return frozenset(found)


def _nearest(items: list[Item]) -> frozenset[str]:
    """The last word of weight: whom a "who" is of."""
    last = next((item for item in reversed(items) if item.content), None)
    return _told(last) if last is not None else frozenset()


def _told(item: Item) -> frozenset[str]:
    """What a word is told apart by: of those who act by their own name, not by the act ("insurer", "insured")."""
    if not acts_itself(item):
        return item.meanings
    return frozenset({lexicon.side(item.text)} | {meaning for meaning in item.meanings if meaning[0] in "&@"})


def _phrase(items: list[Item]) -> list[Item]:
    """Up to the first preposition: "by the insurer to the insured" is by the insurer."""
    end = next((at for at, item in enumerate(items) if item.text in _PREPOSITIONS or _next_act(items, at)), len(items))
    return items[:end]


def _next_act(items: list[Item], at: int) -> bool:
    """Whether "and" leads to another participle: "by the analyst and released by the reviewer"."""
    following = next((item for item in items[at + 1 : at + 3] if item.content), None)
    return items[at].symbol == "AND" and following is not None and _is_participle(following)


_PREPOSITIONS = frozenset({"to", "from", "for", "in", "within", "at", "on", "with"})


def _words(items: list[Item], most: int = 6) -> frozenset[str]:
    found: set[str] = set()
    count = 0
    for item in items:
        if count == most or item.kind == STOP or item.symbol in _ENDS or (item.text == "," and count > 1):
            break
        if item.content:
            found |= _told(item)
            count += 1
    return frozenset(found)


def check(joined: Joined, both_ways: bool) -> list[tuple[str, str]]:
    """Reasons: doer and done-to have changed places, or the ends of a way have."""
    source, rewrite = joined.source, joined.rewrite
    ours, theirs = _who(source, both_ways), _who(rewrite, both_ways)
    table: dict[str, list[Act]] = {}
    for act in acts(source):
        for meaning in _verb(act):
            if len(known := table.setdefault(meaning, [])) < SAME:
                known.append(act)
    found = []
    for act in acts(rewrite):
        same = {id(each): each for meaning in _verb(act) for each in table.get(meaning, ())}
        turned = bool(same) and all(_turned(each, act) for each in same.values())
        if turned or _turned_among(act, list(same.values()), ours | theirs):
            found.append(("roles", f"who does and who is done to by {act.text!r} have changed places"))
        elif _done_by_another(act, list(same.values()), ours, theirs):
            found.append(("roles", f"{act.text!r} is done by another than in the source"))
    return found + _ways(source, rewrite) + _comparisons(source, rewrite)


def _turned_among(act: Act, same: list[Act], who: frozenset[str]) -> bool:
    """Whether, of several acts of one verb, one is turned round in those who act, and none has the same two."""
    told = _people(act, who)
    known = [_people(each, who) for each in same]
    agreed = any(each.doer & told.doer and (each.done & told.done or not each.done) for each in known)
    return not agreed and any(each.doer and each.done and _turned(each, told) for each in known)


def _verb(act: Act) -> frozenset[str]:
    """The verb's meanings, of "signed_in" also those of "signed"."""
    return act.verb | {_stem(act)}


def _stem(act: Act) -> str:
    return lexicon.stem(act.text.split("_")[0])


def _people(act: Act, who: frozenset[str]) -> Act:
    """An act with nothing but those who could act on either side."""
    return act._replace(doer=act.doer & who, done=act.done & who)


def _who(reading: Reading, both_ways: bool) -> frozenset[str]:
    """Meanings of everyone who could act; a question turns "you" into "I", so that these are nobody there."""
    spoken = frozenset(f"={item.text}" for item in reading.items if both_ways and item.text in _PERSONS)
    return spoken | frozenset(meaning for item in reading.content if acts_itself(item) for meaning in _told(item))


def _done_by_another(act: Act, same: list[Act], ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether every act of the source by this very verb has another doer."""
    done = [each for each in same if _stem(each) == _stem(act) and each.doer & ours]
    return bool(done) and all(_by_another(each, act, ours, theirs) for each in done)


def _by_another(one: Act, two: Act, ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether both acts have a doer, known to the source, and not the same one."""
    doer, other = one.doer & ours, two.doer & theirs
    apart = (
        bool(one.done and two.done) and not (one.done | one.doer) & two.done
    )  # the carrier receives claims, passengers money
    return bool(doer and other) and not doer & other and bool(other & ours) and not apart


_ONE_WAY = {"receiv": "send", "get": "send", "obtain": "give", "buy": "sell", "purchas": "sell", "borrow": "lend"}
_CONVERSES = {**_ONE_WAY, **{there: here for here, there in _ONE_WAY.items()}}


def converse(source: Reading, rewrite: Reading, item: Item) -> bool:
    """Whether "B receives from A" stands for the source's "A sends to B": doer and done-to have changed places, rightly."""
    other = _CONVERSES.get(lexicon.stem(item.text)) or next(
        (b for b, a in _CONVERSES.items() if a == lexicon.stem(item.text)), ""
    )
    if not other:
        return False
    ours = [act for act in acts(source) if lexicon.stem(other) in act.verb]
    theirs = [act for act in acts(rewrite) if item.meanings & act.verb]
    return any(_turned(one, two) for one in ours for two in theirs)


def _turned(one: Act, two: Act) -> bool:
    """Whether a word is the doer in one and only the done-to in the other, and another the other way round."""
    if one.by_pronoun and not two.by_pronoun and two.doer:
        return bool(one.done & two.doer) and not one.done & two.done
    doer, done = one.doer - one.done, one.done - one.doer
    hers, its = two.doer - two.done, two.done - two.doer
    return bool(doer & its and done & hers)


def _ways(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    """ "from A to B" and "to B from A" against "from B to A"."""
    ours, theirs = _ends_of_ways(source), _ends_of_ways(rewrite)
    found = []
    for origin, aim in theirs:
        if any(origin & b and aim & a and not origin & a for a, b in ours) and not any(origin & a and aim & b for a, b in ours):
            found.append(("roles", "'from' and 'to' have changed places"))
    return found


def _comparisons(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    """ "A is more effective than B" against "B is more effective than A"."""
    ours, theirs = _than(source), _than(rewrite)
    for left, right in theirs:
        crossed = [(a, b) for a, b in ours if (left - right) & (b - a) and (right - left) & (a - b)]
        if crossed and not any((left - right) & (a - b) and (right - left) & (b - a) for a, b in ours):
            return [("roles", "the two sides of 'than' have changed places")]
    return []


def _than(reading: Reading) -> list[tuple[frozenset[str], frozenset[str]]]:
    found = []
    for sentence in reading.sentences:
        for at, item in enumerate(sentence):
            amounts = [each.quantity for each in sentence[at : at + 3] if each.quantity is not None]
            if item.text.endswith("than") and all(amount.kind == "id" for amount in amounts):
                found.append((_named(sentence[:at]), _named(sentence[at + 1 :])))
    return found


def _named(items: list[Item]) -> frozenset[str]:
    """The content words and the names of some items."""
    words = frozenset(meaning for item in items if item.content for meaning in item.meanings)
    return words | {f"#{value}" for item in items if item.quantity is not None for value in item.quantity.values}


def _ends_of_ways(reading: Reading) -> list[tuple[frozenset[str], frozenset[str]]]:
    found = []
    for sentence in reading.sentences:
        origin = [_words(sentence[at + 1 : at + 5], 1) for at, item in enumerate(sentence) if item.text == "from"]
        aim = [
            _words(sentence[at + 1 : at + 5], 1) for at, item in enumerate(sentence) if item.kind == WORD and item.text == "to"
        ]
        if origin and aim:
            found.append((origin[0], frozenset().union(*aim)))
    return found
