"""How nearly a sentence is a copy of what the other text says, told by the neighbours of its words."""

from __future__ import annotations

from itertools import pairwise

from pincite.enrich.gate import lexicon
from pincite.enrich.gate.reading import BREAK, STOP, Item, Reading

COPY = 0.86  # of a sentence's items beside the same neighbour as in the other text, from which it is an edited copy
NEARLY = 0.75  # the same for a sentence in which nothing may differ but by a known synonym


def closeness(line: list[Item], pairs: set[tuple[str, str]]) -> float:
    """The share of the items that stand beside the same neighbour in the other text."""
    keys = [key_of(item) for item in line]
    beside = [pair in pairs for pair in pairwise(keys)]
    return sum(before or after for before, after in pairwise([False, *beside, False])) / len(keys)


def nearly(reading: Reading, other: Reading) -> frozenset[int]:
    """The sentences of *reading* that are nearly copies."""
    pairs = pairs_of(line_of(other.items))
    lines = ((sentence[0].sentence, line_of(sentence)) for sentence in reading.sentences)
    return frozenset(number for number, line in lines if line and closeness(line, pairs) >= NEARLY)


def line_of(items: list[Item]) -> list[Item]:
    """The items without punctuation."""
    return [item for item in items if item.kind not in (BREAK, STOP)]


def pairs_of(line: list[Item]) -> set[tuple[str, str]]:
    """Which items stand side by side."""
    return set(pairwise(key_of(item) for item in line))


def key_of(item: Item) -> str:
    """What an item is compared by: its amount, its symbol or its stem."""
    if item.quantity is not None:
        return f"#{sorted(map(str, item.quantity.values))[0]}"
    return item.symbol or lexicon.stem(item.text)
