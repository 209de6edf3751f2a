"""The words: a rewrite uses the source's own or their synonyms, brings none of weight and leaves out no sentence."""

from __future__ import annotations

import re
from itertools import pairwise

from pincite.enrich import lexicon, roles
from pincite.enrich.reading import BREAK, STOP, WORD, Item, Reading

NEW_SHARE = 0.2  # new content words among all; two always, but one in the shortest texts
COPY = 0.86  # of its items in their places, from which a rewrite is an edited copy
_ANYONE = frozenset(["person", "persons", "people", "individual", "individuals"])
COVERAGE, SENTENCE_COVERAGE = 0.5, 0.34  # of the source's content words, and of each sentence's


def check(source: Reading, rewrite: Reading, both_ways: bool) -> list[tuple[str, str]]:
    """Reasons: words that exclude the source's, new names, too many new words, words in another's place, lost sentences."""
    new = unsupported(source, rewrite)
    found = [
        ("contrast", f"the rewrite says {item.text!r}, of which the source knows nothing")
        for item in _contrasts(source, rewrite, new)
    ]
    found += [("name", f"the rewrite names {item.written!r}, the source does not") for item in new if _is_name(item)]
    total = len(rewrite.content)
    if len(new) > max(1 + (total > 3), NEW_SHARE * total) or (total > 1 and len(new) == total):
        shown = ", ".join(sorted({item.text for item in new})[:6])
        found.append(("vocabulary", f"{len(new)} of {total} content words have no support in the source: {shown}"))
    if both_ways and closeness(source, rewrite) > COPY:
        found += _edits(source, rewrite, new)
    found += _swaps(source, rewrite)
    if both_ways:
        found += _nouns(source, rewrite, new)
    gone = [item for item in source.content if not item.meanings & rewrite.meanings]
    found += _additions(rewrite, {id(item) for item in new}, len(new) > len(gone)) + _substitutions(source, rewrite)
    if both_ways:
        found += _uncovered(source, rewrite)
    return found


def closeness(source: Reading, rewrite: Reading) -> float:
    """The share of the rewrite's items that stand beside the same neighbour as in the source: near 1 for an edited copy."""
    pairs = set(_pairs(source))
    listed = _pairs(rewrite)
    count = sum(before in pairs or after in pairs for before, after in pairwise([("", ""), *listed, ("", "")]))
    return count / (len(listed) + 1) if listed else 0.0


def _pairs(reading: Reading) -> list[tuple[str, str]]:
    keys = [_slot(item) for item in reading.items if item.kind not in (BREAK, STOP)]
    return list(pairwise(keys))


def _edits(source: Reading, rewrite: Reading, new: list[Item]) -> list[tuple[str, str]]:
    """In an edited copy, every word of weight that is new or gone is a change of what is said."""
    gone = [item for item in source.content if not item.meanings & rewrite.meanings and item.text not in _ANYONE]
    found = [("addition", f"the rewrite, else a copy, adds {item.text!r}") for item in new]
    return found + [("omission", f"the rewrite, else a copy, leaves out {item.text!r}") for item in gone]


_NOMINAL = re.compile(r".{3,}(?:tion|sion|ment|ity|ance|ence|ship|ism|ness|cy|er|or|ist|ant|ee|age|ure)s?$")


def _nouns(source: Reading, rewrite: Reading, new: list[Item]) -> list[tuple[str, str]]:
    """A new thing or person where one of the source is gone: "litigation" for "arbitration"."""
    gone = [item for item in source.content if not item.meanings & rewrite.meanings and _NOMINAL.match(item.text)]
    named = [item for item in new if _NOMINAL.match(item.text)]
    return [("substitution", f"the rewrite says {named[0].text!r}, the source {gone[0].text!r}")] if gone and named else []


def support(source: Reading, rewrite: Reading, both_ways: bool) -> float:
    """The share of the rewrite's content words that the source supports, and the source's that the rewrite keeps; the lower."""
    total = len(rewrite.content)
    kept = 1 - len(unsupported(source, rewrite)) / total if total else float(bool(rewrite.quantities))
    return min(kept, 0.5 + coverage(source.content, rewrite) / 2) if both_ways else kept


def unsupported(source: Reading, rewrite: Reading) -> list[Item]:
    """The content words of the rewrite that mean nothing the source says."""
    return [item for item in rewrite.content if not item.meanings & source.meanings and item.text not in _ANYONE]


def coverage(content: list[Item], rewrite: Reading) -> float:
    """The share of these words that the rewrite says, in its own words or theirs."""
    return sum(bool(item.meanings & rewrite.meanings) for item in content) / len(content) if content else 1.0


def _contrasts(source: Reading, rewrite: Reading, new: list[Item]) -> list[Item]:
    """The new words that exclude one of the source; general ones only where that one is gone, and is not just turned round."""
    gone = {place for item in source.content if not item.meanings & rewrite.meanings for place in _places(item)}
    lost = dict(gone)
    found = []
    for item in new:
        for number, alternative in _places(item):
            if number not in lexicon.general() or lost.get(number, alternative) != alternative:
                if not roles.converse(source, rewrite, item):
                    found.append(item)
                break
    return found


def _places(item: Item) -> frozenset[tuple[int, int]]:
    return lexicon.contrasts().get(lexicon.stem(item.text), frozenset())


def _is_name(item: Item) -> bool:
    return item.written[:1].isupper() and not item.opens


def _uncovered(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    if len(source.content) > 2 and (share := coverage(source.content, rewrite)) < COVERAGE:
        return [("omission", f"the rewrite has {share:.0%} of the source's content words")]
    found = []
    for sentence in source.sentences:
        content = [item for item in sentence if item.content]
        if len(content) >= 2 and (share := coverage(content, rewrite)) < SENTENCE_COVERAGE:
            start = " ".join(item.text for item in sentence[:8])
            found.append(("omission", f"the rewrite has {share:.0%} of the words of {start!r}"))
    return found


# --- words added, put in another's place, or left out ----------------------------------------------------------------------

Slot = tuple[str, str, str, str]


def _additions(rewrite: Reading, new: set[int], longer: bool) -> list[tuple[str, str]]:
    """New words that stand together where more are new than gone (*longer*), or that lengthen a list."""
    found = []
    for sentence in rewrite.sentences:
        content = [item for item in sentence if item.content]
        found += [
            ("addition", f"the rewrite adds {one.text + ' ' + two.text!r}")
            for one, two in pairwise(content)
            if longer and id(one) in new and id(two) in new
        ]
        found += [("addition", f"the rewrite adds {item.text!r}") for item in _listed(sentence) if id(item) in new]
    return found


def _listed(sentence: list[Item]) -> list[Item]:
    """The content words that stand alone between a conjunction and the end of a clause."""
    found = []
    for at, item in enumerate(sentence):
        if item.symbol in ("AND", "OR"):
            following = [each for each in sentence[at + 1 : at + 5] if each.kind != WORD or each.content]
            if following and following[0].content and (len(following) == 1 or following[1].kind in (BREAK, STOP)):
                found.append(following[0])
    return found


def _substitutions(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    """Where the rewrite has another word, one more or one less, between the same neighbours, two on each side."""
    ours, theirs = _Slots(source), _Slots(rewrite)
    found = []
    for slot, items in theirs.filled.items():
        held = ours.filled.get(slot)
        keeps = items[0].content and (_slot(items[0]), slot[2]) in ours.pairs
        if (
            held
            and not keeps
            and not any(one.meanings & two.meanings for one in items for two in held)
            and _tells(items[0], held[0])
        ):
            found.append(("substitution", f"the rewrite says {items[0].text!r} where the source says {held[0].text!r}"))
        elif slot in ours.closed and not held and items[0].content and not items[0].meanings & source.meanings:
            found.append(("addition", f"the rewrite adds {items[0].text!r}"))
    return found


def _swaps(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    """Two words that have changed places, and nothing else has; not the two sides of an "and"."""
    ours, theirs = _line(source), _line(rewrite)
    if len(ours) != len(theirs):
        return []
    differ = [at for at, (one, two) in enumerate(zip(ours, theirs)) if one != two]
    if len(differ) != 2 or differ[1] - differ[0] < 2:
        return []
    first, second = differ
    if ours[first] == theirs[second] and ours[second] == theirs[first]:
        return [("exchange", f"{ours[first]!r} and {ours[second]!r} have changed places")]
    return []


def _line(reading: Reading) -> list[str]:
    return [_slot(item) for item in reading.items if item.kind not in (BREAK, STOP)]


def _tells(new: Item, old: Item) -> bool:
    return old.content and (new.content or new.symbol == "ALL")


class _Slots:
    """Between which neighbours a text has which word, and which neighbours stand together in it."""

    def __init__(self, reading: Reading) -> None:
        self.filled: dict[Slot, list[Item]] = {}
        self.closed: set[Slot] = set()
        self.pairs = set(_pairs(reading))
        for sentence in reading.sentences:
            line = [item for item in sentence if item.kind not in (BREAK, STOP)]
            keys = ["^", "^", *(_slot(item) for item in line), "$", "$"]
            self.closed.add((keys[-4], keys[-3], "$", "$"))
            for at, item in enumerate(line):
                slot = (keys[at], keys[at + 1], keys[at + 3], keys[at + 4])
                if (item.content or item.symbol == "ALL") and slot[1:3] != ("^", "$"):
                    self.filled.setdefault(slot, []).append(item)
                self.closed.add((keys[at], keys[at + 1], keys[at + 2], keys[at + 3]))


def _slot(item: Item) -> str:
    if item.quantity is not None:
        return f"#{sorted(map(str, item.quantity.values))[0]}"
    return item.symbol or lexicon.stem(item.text)
