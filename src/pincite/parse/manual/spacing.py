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
_POSSESSIVE = ("’s", "'s")
_MAX_PIECES = 16
_LONGEST = 20  # letters of a word
_UNKNOWN = 9.0  # cost of a word that is in no list, and of each of its letters
_PER_LETTER = 1.6


@lru_cache(maxsize=1)
def common_words() -> dict[str, float]:
    """Words with their cost: the logarithm of the rank."""
    words = files("pincite.parse.manual").joinpath("words.txt").read_text("utf-8").split()
    return {word: log(rank + 2) for rank, word in enumerate(words)}


@lru_cache(maxsize=4)
def _endings(own: frozenset[str]) -> frozenset[str]:
    """Everything that a known word ends with: what is none of these begins no known word further left either."""
    words = [word for known in (common_words(), own) for word in known if len(word) <= _LONGEST]
    return frozenset([word[at:] for word in words for at in range(len(word))])


def close_up(text: str, own: frozenset[str] = frozenset()) -> str:
    """The line as words. *own* are words the document uses on its other pages, lower case."""
    costs, endings = common_words(), _endings(own)
    chunks = _chunks(text)
    lower = [chunk.lower() for chunk in chunks]
    letters = [chunk[0].isalpha() or chunk[0] in "’'" for chunk in chunks]
    best: list[float] = [0.0]
    back: list[int] = [0]
    for end in range(1, len(chunks) + 1):
        word = small = ""
        least, first, length = 1e9, end - 1, 0
        kind = known = letters[end - 1]
        for start in range(end - 1, max(-1, end - 1 - _MAX_PIECES), -1):
            length += len(chunks[start])
            if letters[start] != kind or length > _LONGEST:
                break  # a word has letters only, a figure none
            total = best[start] + (_UNKNOWN + _PER_LETTER * length if kind else 1.0)
            if known:
                word, small = chunks[start] + word, lower[start] + small
                total = best[start] + _cost(word, small, costs, own)
                core = small[:-2] if small[-2:] in _POSSESSIVE else small
                known = not core or core in endings or word.isupper()
            if total < least:
                least, first = total, start
        best.append(least)
        back.append(first)
    words: list[str] = []
    end = len(chunks)
    while end:
        words.append("".join(chunks[back[end] : end]))
        end = back[end]
    return _RUN_ON.sub(r"\1 ", _join(list(reversed(words)))).replace(_TIED, "-")


def spread_words(text: str) -> str | None:
    """The words of a single line set with space between its letters (``C O N T E N T S``), ``None`` for any other line."""
    if text[1:2] != " " or text[3:4] != " " or len(text) < 9:
        return None
    tokens = text.split()
    if sum(len(token) > 1 for token in tokens) > 1 or sum(token.isalpha() for token in tokens) < 5:
        return None
    words = (close_up(text.lower()).upper() if text.isupper() else close_up(text)).split()
    known = sum(len(word) for word in words if len(word) > 2 and word.lower() in common_words())
    return " ".join(words) if known >= 0.6 * sum(map(len, words)) else None


def _chunks(text: str) -> list[str]:
    """What came out whole, letters apart from figures and marks."""
    return [token for piece in text.split() for token in _TOKEN.findall(_HYPHEN.sub(_TIED, piece))]


def _cost(word: str, lower: str, costs: dict[str, float], own: frozenset[str]) -> float:
    known = costs.get(lower)
    if lower in own and (known is None or known > 4.5):
        return 4.5
    if known is not None:
        if word == lower:
            return known
        if word.istitle() or word.isupper():
            return known + (2.0 if len(word) > 1 and word.isupper() else 0.0)
    if lower[-2:] in _POSSESSIVE and (lower[:-2] in costs or lower[:-2] in own):
        return costs.get(lower[:-2], 6.0) + 1.0
    if word[0].isupper() and word.isupper():
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
