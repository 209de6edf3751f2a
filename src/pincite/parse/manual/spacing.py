"""Letter-spaced lines closed up into words, for display: ``W h er e t h e`` → ``Where the``.

The extraction put one kind of space between letters and words alike, so where words end has to be found again: by the
cheapest way to read the letters as words, rarer words costing more. The pieces that came out whole ("er", "nt") are never
cut. The words are the document's own normal pages and a list of the commoner words of regulations and manuals.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from math import log

_TOKEN = re.compile(r"[A-Za-z’']+|[^A-Za-z’']+")
_HYPHEN = re.compile(r"(?<=[A-Za-z])-")
_TIED = "\u2011"  # a hyphen that came out touching its word: it belongs to the word, a free one is a dash
_RUN_ON = re.compile(r"(\d(?=£)|;(?=\S))")
_MAX_PIECES = 16
_UNKNOWN = 9.0  # cost of a word that is in no list, and of each of its letters
_PER_LETTER = 1.6


@lru_cache(maxsize=1)
def common_words() -> dict[str, float]:
    """Words with their cost: the logarithm of the rank."""
    words = files("pincite.parse.manual").joinpath("words.txt").read_text("utf-8").split()
    return {word: log(rank + 2) for rank, word in enumerate(words)}


def close_up(text: str, own: frozenset[str] = frozenset()) -> str:
    """The line as words. *own* are words the document uses on its other pages, lower case."""
    costs = common_words()
    chunks = _chunks(text)
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(chunks) + 1):
        choices = []
        word = ""
        for start in range(end - 1, max(-1, end - 1 - _MAX_PIECES), -1):
            word = chunks[start] + word
            choices.append((best[start][0] + _cost(word, end - start, costs, own), start))
        best.append(min(choices))
    words: list[str] = []
    end = len(chunks)
    while end:
        start = best[end][1]
        words.append("".join(chunks[start:end]))
        end = start
    return _RUN_ON.sub(r"\1 ", _join(list(reversed(words)))).replace(_TIED, "-")


def _chunks(text: str) -> list[str]:
    """What came out whole, letters apart from figures and marks."""
    return [token for piece in text.split() for token in _TOKEN.findall(_HYPHEN.sub(_TIED, piece))]


def _cost(word: str, pieces: int, costs: dict[str, float], own: frozenset[str]) -> float:
    if not word[0].isalpha():
        return 1.0 if not any(letter.isalpha() for letter in word) else 60.0
    if not word.replace("’", "").replace("'", "").isalpha():
        return 60.0
    lower = word.lower()
    known = costs.get(lower)
    if known is not None and (word.islower() or word.istitle() or word.isupper()):
        return known + (2.0 if word.isupper() and len(word) > 1 else 0.0)
    if lower in own:
        return 4.5
    stem = re.sub(r"[’']s$", "", lower)
    if stem != lower and (stem in costs or stem in own):
        return costs.get(stem, 6.0) + 1.0
    if word.isupper():
        return 5.0 + 0.7 * len(word)
    return _UNKNOWN + _PER_LETTER * len(word)


def _join(words: list[str]) -> str:
    """Words with spaces between them, marks set as in ordinary text."""
    text = ""
    for word in words:
        if not text:
            text = word
        elif _touches(text, word):
            text += word
        else:
            text += " " + word
    return text


def _touches(text: str, word: str) -> bool:
    """Whether *word* follows *text* without a space: marks, sums of money, numbers broken after their point."""
    if word[0] in ".,;:)!?%/’”" + _TIED or text[-1] in "(£/“‘" + _TIED:
        return True
    if word[0] == "(":
        return text[-1].isdigit()
    return text[-1] == "." and text[-2:-1].isdigit() and word[0].isdigit()
