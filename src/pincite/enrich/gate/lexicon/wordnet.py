"""What WordNet 3.1 knows of the common English words: which mean the same, which are opposites, which are kinds of one thing.

The table is made by ``scripts/distil_wordnet.py`` and holds the stems of ``lexicon.stem``, so inflections need none.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib.resources import files
from typing import NamedTuple

LARGE = 150  # kinds of one thing, above which being one of them says little ("person")
THINGS = frozenset({"n05", "n06", "n08", "n13", "n15", "n18", "n20", "n27"})
"""Animals, artefacts, parts of the body, food, places, people, plants, substances: never swapped for something like it."""


class Wordnet(NamedTuple):
    """``senses``: stem -> synsets. ``above``: synset -> the more general one. ``pairs``: stem -> opposites."""

    senses: dict[str, frozenset[int]]
    above: dict[int, int]
    below: dict[int, int]  # how many synsets a synset is the more general one of
    opposites: dict[str, frozenset[str]]
    derived: dict[str, frozenset[str]]
    kinds: dict[str, str]


@cache
def table() -> Wordnet:
    """The whole table, read once."""
    text = gzip.decompress((files(__package__) / "wordnet.txt.gz").read_bytes()).decode()
    senses: dict[str, set[int]] = {}
    above: dict[int, int] = {}
    below: dict[int, int] = {}
    linked: dict[str, dict[str, set[str]]] = {"!": {}, "+": {}}
    kinds: dict[str, str] = {}
    outside: dict[str, int] = {}
    number = -1
    for line in text.splitlines():
        head, *words = line.split()
        if head == "#":
            continue
        if head == "=":
            kinds |= dict.fromkeys(words[1:], words[0])
        elif head in linked:
            one, two = words
            linked[head].setdefault(one, set()).add(two)
            linked[head].setdefault(two, set()).add(one)
        else:
            number += 1
            general = head[4:]
            if general:
                above[number] = outside.setdefault(general, -len(outside) - 2) if general[0] == "x" else int(general)
                below[above[number]] = below.get(above[number], 0) + 1
            for word in words:
                senses.setdefault(word, set()).add(number)
    frozen = {word: frozenset(found) for word, found in senses.items()}
    opposites, derived = ({word: frozenset(found) for word, found in linked[sign].items()} for sign in "!+")
    return Wordnet(frozen, above, below, opposites, derived, kinds)


@cache
def synonyms(one: str, two: str) -> bool:
    """Whether two stems share a sense, or one is made of the other: "sell", "sale"."""
    known = table()
    return bool(known.senses.get(one, _NONE) & known.senses.get(two, _NONE)) or two in known.derived.get(one, ())


@cache
def opposites(one: str, two: str) -> bool:
    """Whether two stems are opposites."""
    return two in table().opposites.get(one, ())


@cache
def sisters(one: str, two: str) -> bool:
    """Whether two stems are different kinds of one thing: "copper", "lead"."""
    if synonyms(one, two) or broader(one, two) or broader(two, one):
        return False
    known = table()
    general = {known.above[sense] for sense in known.senses.get(one, _NONE) if sense in known.above}
    common = general & {known.above[sense] for sense in known.senses.get(two, _NONE) if sense in known.above}
    return any(known.below[each] <= LARGE for each in common)


@cache
def broader(one: str, two: str) -> bool:
    """Whether the stem *one* names what *two* is a kind of, up to three steps above."""
    known = table()
    wanted, senses = known.senses.get(one, _NONE), known.senses.get(two, _NONE)
    for _ in range(3):
        senses = frozenset(known.above[sense] for sense in senses if sense in known.above)
        if senses & wanted:
            return True
    return False


def kind(stem: str) -> str:
    """The kind of thing a word usually is: "n18" for a person, "" where it is not known."""
    return table().kinds.get(stem, "")


_NONE: frozenset[int] = frozenset()
