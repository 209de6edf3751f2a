"""Letter-spaced lines closed up into words, for display: ``W h er e t h e`` → ``Where the``.

The extraction put one kind of space between letters and words alike, so where words end has to be found again: by the
cheapest way to read the letters as words, rarer words costing more. The pieces that came out whole ("er", "nt") are never
cut. The words are the document's own normal pages and a list of the commoner words of regulations and manuals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from math import log

_TOKEN = re.compile(r"[A-Za-z’']+|[^A-Za-z’'\s]+")
_HYPHEN = re.compile(r"(?<=[A-Za-z])-")
_TIED = "\u2011"  # a hyphen that came out touching its word: it belongs to the word, a free one is a dash
_RUN_ON = re.compile(r"(\d(?=£)|;(?=\S))")
_POSSESSIVE = ("’s", "'s")
_MAX_PIECES = 16
_LONGEST = 20  # letters of a word
_UNKNOWN = 9.0  # cost of a word that is in no list, and of each of its letters
_PER_LETTER = 1.6
_OWN = 4.5  # of a word of the document that is not among the commonest


@lru_cache(maxsize=1)
def common_words() -> dict[str, float]:
    """Words with their cost: the logarithm of the rank."""
    words = files("pincite.parse.manual").joinpath("words.txt").read_text("utf-8").split()
    return {word: log(rank + 2) for rank, word in enumerate(words)}


class _Words:
    """What words end with → what that costs where it is a word by itself, in lower case; 0 where it is none.

    What is not among them begins no known word further left either.
    """

    def __init__(self, own: frozenset[str]) -> None:
        self.costs, self.own = common_words(), own
        self.common, self.others = _common_endings(), _endings(own)
        for word in own:
            known = self.costs.get(word)
            self.others[word] = _OWN if known is None or known > _OWN else known
        for ending in self.others:
            self.others[ending] = self.others[ending] or self.costs.get(ending, 0.0)

    def has_ending(self, letters: str) -> bool:
        return letters in self.common or letters in self.others

    def cost(self, word: str) -> float:
        """What a word costs that is in capitals, or a possessive, or in no list."""
        lower = word.lower()
        known = self.costs.get(lower)
        if lower in self.own and (known is None or known > _OWN):
            return _OWN
        if known is not None:
            if word == lower:
                return known
            if word.istitle() or word.isupper():
                return known + (2.0 if len(word) > 1 and word.isupper() else 0.0)
        if lower[-2:] in _POSSESSIVE and (lower[:-2] in self.costs or lower[:-2] in self.own):
            return self.costs.get(lower[:-2], 6.0) + 1.0
        if word[0].isupper() and word.isupper():
            return 5.0 + 0.7 * len(word)
        return _UNKNOWN + _PER_LETTER * len(word)

    def may_end(self, word: str) -> bool:
        """Whether a word may end so: as a known word does, before its "’s", or in capitals."""
        lower = word.lower()
        core = lower[:-2] if lower[-2:] in _POSSESSIVE else lower
        return not core or self.has_ending(core) or word.isupper()


@lru_cache(maxsize=4)
def _words_of(own: frozenset[str]) -> _Words:
    return _Words(own)


@lru_cache(maxsize=1)
def _common_endings() -> dict[str, float]:
    endings = _endings(common_words())
    endings.update({word: cost for word, cost in common_words().items() if word in endings})
    return endings


def _endings(words: Iterable[str]) -> dict[str, float]:
    return dict.fromkeys([word[at:] for word in words if len(word) <= _LONGEST for at in range(len(word))], 0.0)


def close_up(text: str, own: frozenset[str] = frozenset()) -> str:
    """The line as words. *own* are words the document uses on its other pages, lower case."""
    words: list[str] = []
    chunks = _chunks(text)
    backs = _cheapest(chunks, _words_of(own))
    end = len(chunks)
    while end:
        words.append("".join(chunks[backs[end] : end]))
        end = backs[end]
    words.reverse()
    return _RUN_ON.sub(r"\1 ", _join(words)).replace(_TIED, "-")


def _cheapest(chunks: list[str], words: _Words) -> list[int]:
    """For each number of chunks from the left, where the last word begins in the cheapest way to read them."""
    letters = [chunk[0].isalpha() or chunk[0] in "’'" for chunk in chunks]
    totals: list[float] = [0.0]
    backs: list[int] = [0]
    for end in range(1, len(chunks) + 1):
        reading = _word(chunks, letters, totals, end, words) if letters[end - 1] else _figure(chunks, letters, totals, end)
        totals.append(reading[0])
        backs.append(reading[1])
    return backs


def _figure(chunks: list[str], letters: list[bool], totals: list[float], end: int) -> tuple[float, int]:
    """The cheapest way to read the chunks before *end* where the last one has no letters, and where it begins."""
    least, first, length = 1e9, end - 1, 0
    for start in range(end - 1, max(-1, end - 1 - _MAX_PIECES), -1):
        length += len(chunks[start])
        if letters[start] or length > _LONGEST:
            break
        if totals[start] + 1.0 < least:
            least, first = totals[start] + 1.0, start
    return least, first


def _word(chunks: list[str], letters: list[bool], totals: list[float], end: int, words: _Words) -> tuple[float, int]:
    """The cheapest way to read the chunks before *end* where the last one is of letters, and where its word begins."""
    least, first, length, word = 1e9, end - 1, 0, ""
    last = chunks[end - 1]
    special = last[-1] in "s’'" or not last.islower()  # it may end a word in capitals, or a possessive
    known, common, others = True, words.common, words.others
    for start in range(end - 1, max(-1, end - 1 - _MAX_PIECES), -1):
        chunk = chunks[start]
        length += len(chunk)
        if not letters[start] or length > _LONGEST:
            break
        cost = _UNKNOWN + _PER_LETTER * length
        if known:
            word = chunk + word
            if special or not word.islower():
                cost, known = words.cost(word), words.may_end(word)
            else:
                price = others.get(word)
                if price is None:
                    price = common.get(word)
                if price:
                    cost = price
                known = price is not None
        if totals[start] + cost < least:
            least, first = totals[start] + cost, start
    return least, first


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
    return _TOKEN.findall(_HYPHEN.sub(_TIED, text))


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
