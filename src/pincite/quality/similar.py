"""Passages that say nearly the same: shingles of five words, MinHash, bands. Time and memory in proportion to the text.

Two passages are compared where one of 16 bands of 4 minima is equal, which passages of similarity 0.8 miss once in ten
thousand; the similarity told is the true Jaccard index of their shingles, not an estimate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from zlib import crc32

SHINGLE = 5
"""Words."""
LEAST_WORDS = 20
"""Words below which two passages may be alike by chance: "See the handbook.\""""
THRESHOLD = 0.8
BANDS, ROWS = 16, 4
CROWD = 32
"""Passages of one band beyond which each is compared with the first only: what stands in a thousand documents is one group."""

_WORD = re.compile(r"\w+")
_PRIME = (1 << 61) - 1
_SEED = 20261130


class Pair(NamedTuple):
    """Two places of the sequence that was given, and their similarity: 1.0 is word for word the same."""

    first: int
    second: int
    similarity: float


def pairs(texts: Sequence[str], threshold: float = THRESHOLD) -> Iterator[Pair]:
    """The pairs of *texts* at or above *threshold*, in order. Equal texts are paired with the first of their kind only."""
    shingled = [_shingles(text) for text in texts]
    firsts: dict[frozenset[int], int] = {}
    found: list[Pair] = []
    for place, shingles in enumerate(shingled):
        if shingles and firsts.setdefault(shingles, place) != place:
            found.append(Pair(firsts[shingles], place, 1.0))
    distinct = sorted(firsts.values())
    for first, second in sorted(_candidates([shingled[place] for place in distinct])):
        one, two = shingled[distinct[first]], shingled[distinct[second]]
        similarity = len(one & two) / len(one | two)
        if similarity >= threshold:
            found.append(Pair(distinct[first], distinct[second], round(similarity, 4)))
    yield from sorted(found)


def _shingles(text: str) -> frozenset[int]:
    words = [crc32(word.encode()) for word in _WORD.findall(text.casefold())]
    if len(words) < LEAST_WORDS:
        return frozenset()
    mixed = []
    for at in range(len(words) - SHINGLE + 1):
        value = 0
        for word in words[at : at + SHINGLE]:
            value = (value * 1_000_003 ^ word) & 0xFFFFFFFFFFFF
        mixed.append(value)
    return frozenset(mixed)


def _candidates(shingled: Sequence[frozenset[int]]) -> set[tuple[int, int]]:
    """Pairs that agree in a band."""
    found: set[tuple[int, int]] = set()
    signatures = [_signature(shingles) for shingles in shingled]
    for band in range(BANDS):
        groups: dict[bytes, list[int]] = {}
        for place, signature in enumerate(signatures):
            groups.setdefault(signature[band * ROWS : (band + 1) * ROWS].tobytes(), []).append(place)
        for group in groups.values():
            if len(group) > CROWD:
                found.update((group[0], other) for other in group[1:])
            else:
                found.update((group[i], group[j]) for i in range(len(group)) for j in range(i + 1, len(group)))
    return found


def _signature(shingles: frozenset[int]) -> Any:
    """The minima of BANDS · ROWS hash functions."""
    import numpy as np

    values = np.fromiter(shingles, np.uint64, len(shingles))
    scale, shift = _functions()
    return (values[:, None] * scale + shift >> np.uint64(16)).min(axis=0)


def _functions() -> tuple[Any, Any]:
    """Multiply and shift: odd factors and addends from one seed, arithmetic modulo 2 to the 64."""
    global _made
    if _made is None:
        import numpy as np

        drawn = np.random.default_rng(_SEED).integers(0, 1 << 63, (2, BANDS * ROWS), dtype=np.uint64)
        _made = drawn[0] | np.uint64(1), drawn[1]
    return _made


_made: tuple[Any, Any] | None = None
