"""Edited copies: where a sentence of the rewrite is one of the source but for a word or two, each of these is a change.

In a free rewording a new word may stand for one the source has elsewhere; in a copy it stands for the very word it displaced,
so only a known synonym will do, and no nearness.
"""

from __future__ import annotations

from collections.abc import Collection

from pincite.enrich.gate import lexicon
from pincite.enrich.gate.binding import acts_itself
from pincite.enrich.gate.copies import COPY, closeness, key_of, line_of, pairs_of
from pincite.enrich.gate.joined import LOOSE, Joined
from pincite.enrich.gate.lexicon import wordnet
from pincite.enrich.gate.reading import Item, Reading

LEAST = 5  # items of a sentence that can be told to be a copy

Slot = tuple[str, str, str, str]


def check(joined: Joined, both_ways: bool, excused: Collection[tuple[Item, Item]] = ()) -> list[tuple[str, str]]:
    """Reasons: words put in another's place, added to or left out of a copy; two words that changed places."""
    source, rewrite = joined.source, joined.rewrite
    found = _substitutions(joined, {one.text for one, _ in excused}, both_ways) + _swaps(source, rewrite)
    found += _led_to(source, rewrite)
    if both_ways:
        found += _comparisons(joined)
        found += _edits(rewrite, source, "addition", "the rewrite, else a copy, adds {!r}")
        found += _edits(source, rewrite, "omission", "the rewrite, else a copy, leaves out {!r}")
    return found


def _edits(one: Reading, other: Reading, code: str, told: str) -> list[tuple[str, str]]:
    """In a copied sentence, every word of weight that the other text does not have is a change of what is said."""
    pairs = pairs_of(line_of(other.items))
    known, carried = _firm(other.meanings), lexicon.words("anyone") | lexicon.words("light")
    found = []
    for sentence in one.sentences:
        line = line_of(sentence)
        if len(line) >= LEAST and closeness(line, pairs) > COPY:
            strange = [item for item in line if item.content and not _firm(item.meanings) & known]
            found += [(code, told.format(item.text)) for item in strange if item.text not in carried]
    return found


def _comparisons(joined: Joined) -> list[tuple[str, str]]:
    """Of two texts that are else the same, one says "at least" and the other does not."""
    lines = [line_of(reading.items) for reading in (joined.source, joined.rewrite)]
    plain = [[key_of(item) for item in line if item.symbol not in _COMPARING] for line in lines]
    said = [[item.text for item in line if item.symbol in _COMPARING] for line in lines]
    if plain[0] != plain[1] or len(said[0]) == len(said[1]):
        return []
    return [("comparison", f"one text says {', '.join(said[0]) or 'nothing'}, the other {', '.join(said[1]) or 'nothing'}")]


_COMPARING = frozenset({"LE", "GE", "LT", "GT"})


def _firm(meanings: frozenset[str]) -> frozenset[str]:
    return frozenset(meaning for meaning in meanings if meaning[0] != LOOSE)


def _substitutions(joined: Joined, excused: set[str], both_ways: bool) -> list[tuple[str, str]]:
    """Where the rewrite has another word, one more or one less, between the same neighbours, two on each side.

    A title and a question, which may omit, put words of the source beside each other that stand apart there.
    """
    source, rewrite, copied = joined.source, joined.rewrite, joined.copied[1]
    ours, theirs = _Slots(source), _Slots(rewrite)
    found = []
    for slot, items in theirs.filled.items():
        held = ours.filled.get(slot)
        keeps = items[0].content and {(key_of(items[0]), slot[2]), (slot[1], key_of(items[0]))} & ours.pairs
        both = held and items[0].meanings & source.meanings and held[0].meanings & rewrite.meanings
        does = items[0].text.endswith("ing") or wordnet.kind(lexicon.stem(items[0].text))[:1] == "v" or "_" in items[0].text
        if not both_ways and items[0].meanings & source.meanings:
            continue
        if items[0].text in excused or ((both or does) and items[0].sentence not in copied):
            continue  # both texts have both words: they only stand elsewhere; and verbs are reworded freely
        if held and not keeps and not _agree(items, held, items[0].sentence in copied) and _tells(items[0], held[0]):
            found.append(("substitution", f"the rewrite says {items[0].text!r} where the source says {held[0].text!r}"))
        elif slot in ours.closed and not held and items[0].content and not items[0].meanings & source.meanings:
            found.append(("addition", f"the rewrite adds {items[0].text!r}"))
    return found


def _agree(items: list[Item], held: list[Item], firmly: bool) -> bool:
    shared = [one.meanings & two.meanings for one in items for two in held]
    return any(_firm(each) if firmly else each for each in shared)


def _tells(new: Item, old: Item) -> bool:
    return old.content and (new.content or new.symbol == "ALL")


def _swaps(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    """Two words that have changed places, and nothing else has; not the two sides of an "and"."""
    ours, theirs = ([key_of(item) for item in line_of(reading.items)] for reading in (source, rewrite))
    if len(ours) != len(theirs):
        return []
    differ = [at for at, (one, two) in enumerate(zip(ours, theirs)) if one != two]
    if len(differ) != 2 or differ[1] - differ[0] < 2:
        return []
    first, second = differ
    if ours[first] == theirs[second] and ours[second] == theirs[first]:
        return [("exchange", f"{ours[first]!r} and {ours[second]!r} have changed places")]
    return []


def _led_to(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    """Another of those who act after the very same three words: "belongs to the agency" for "belongs to the beneficiary"."""
    ours, theirs = _leads(source), _leads(rewrite)
    return [
        ("exchange", f"the rewrite says {theirs[lead].text!r} after {' '.join(lead)!r}, the source {ours[lead].text!r}")
        for lead in ours.keys() & theirs.keys()
        if not ours[lead].meanings & theirs[lead].meanings
    ]


def _leads(reading: Reading) -> dict[tuple[str, ...], Item]:
    """Who acts, by the three items before, where these stand but once and say something."""
    found: dict[tuple[str, ...], list[Item]] = {}
    for sentence in reading.sentences:
        line = line_of(sentence)
        for at in range(3, len(line)):
            if any(item.text not in lexicon.words("auxiliaries") and not item.symbol for item in line[at - 3 : at]):
                found.setdefault(tuple(key_of(item) for item in line[at - 3 : at]), []).append(line[at])
    return {lead: items[0] for lead, items in found.items() if len(items) == 1 and items[0].content and acts_itself(items[0])}


class _Slots:
    """Between which neighbours a text has which word, and which neighbours stand together in it."""

    def __init__(self, reading: Reading) -> None:
        self.filled: dict[Slot, list[Item]] = {}
        self.closed: set[Slot] = set()
        self.pairs = pairs_of(line_of(reading.items))
        for sentence in reading.sentences:
            line = line_of(sentence)
            keys = ["^", "^", *(key_of(item) for item in line), "$", "$"]
            self.closed.add((keys[-4], keys[-3], "$", "$"))
            for at, item in enumerate(line):
                slot = (keys[at], keys[at + 1], keys[at + 3], keys[at + 4])
                if (item.content or item.symbol == "ALL") and slot[1:3] != ("^", "$"):
                    self.filled.setdefault(slot, []).append(item)
                self.closed.add((keys[at], keys[at + 1], keys[at + 2], keys[at + 3]))
