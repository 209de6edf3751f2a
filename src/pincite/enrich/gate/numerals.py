"""Numbers written out: "thirty-two", "one and a half million", "two-thirds", "twenty-ninth"."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
UNITS = (
    {word: value for value, word in enumerate(_ONES)} | {word: 20 + 10 * at for at, word in enumerate(_TENS)} | {"fourty": 40}
)
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SCALES |= {"hundreds": 100, "thousands": 1000, "millions": 10**6, "billions": 10**9, "lakh": 10**5, "crore": 10**7}
_PARTS = "third fourth fifth sixth seventh eighth ninth tenth"
DENOMINATORS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4, "hundredth": 100, "thousandth": 1000}
DENOMINATORS |= {part + end: value for value, part in enumerate(_PARTS.split(), 3) for end in ("", "s")}
DENOMINATORS |= {"hundredths": 100, "thousandths": 1000}
_ORDINALS = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
]
ORDINALS = {word: value for value, word in enumerate(_ORDINALS) if value}
ORDINALS |= {word[:-1] + "ieth": 20 + 10 * at for at, word in enumerate(_TENS)} | {"hundredth": 100, "thousandth": 1000}
MULTIPLES = {
    "twice": 2,
    "double": 2,
    "doubled": 2,
    "doubles": 2,
    "thrice": 3,
    "triple": 3,
    "tripled": 3,
    "triples": 3,
    "quadruple": 4,
}
DOZENS = {"dozen": 12, "dozens": 12, "score": 20}


class Numeral(NamedTuple):
    """*words* many words say *value*; an ordinal where ``ordinal``, a part of a whole where ``part``."""

    words: int
    value: Fraction
    ordinal: bool = False
    part: bool = False


def numeral(words: Sequence[str], at: int) -> Numeral | None:
    """The number that is written out from ``words[at]`` on, the longest; None where there is none. Words are in lower case.

    >>> numeral("one and a half million dollars".split(), 0)
    Numeral(words=5, value=Fraction(1500000, 1), ordinal=False, part=False)
    >>> numeral("two hundred and fifty-three".replace("-", " ").split(), 0).value
    Fraction(253, 1)
    >>> numeral("twenty ninth day".split(), 0)
    Numeral(words=2, value=Fraction(29, 1), ordinal=True, part=False)
    """
    first = words[at]
    if first in MULTIPLES:
        return None
    if first in ("half", "quarter", "third") and not (at and words[at - 1] in _BEFORE_PLAIN):
        return _part_alone(words, at)
    if first in ("a", "an"):
        return _with_article(words, at)
    if first not in UNITS:
        return Numeral(1, Fraction(ORDINALS[first]), ordinal=True) if first in ORDINALS else None
    return _cardinal(words, at)


_BEFORE_PLAIN = frozenset(
    [
        "the",
        "each",
        "every",
        "per",
        "first",
        "second",
        "third",
        "fourth",
        "last",
        "next",
        "previous",
        "this",
        "calendar",
        "financial",
        "fiscal",
    ]
)


def _part_alone(words: Sequence[str], at: int) -> Numeral | None:
    if words[at] == "half":
        size = 2 if at + 1 < len(words) and words[at + 1] in ("a", "an", "of") else 1
        if size == 2 and words[at + 1] == "of":
            size = 1
        return Numeral(size, Fraction(1, 2), part=True)
    if words[at] == "third":
        return Numeral(1, Fraction(3), ordinal=True)
    return None


def _with_article(words: Sequence[str], at: int) -> Numeral | None:
    """ "a quarter of", "a dozen", "a hundred", "a third of", "a half"."""
    following = words[at + 1] if at + 1 < len(words) else ""
    after = words[at + 2] if at + 2 < len(words) else ""
    if following in DENOMINATORS and (after == "of" or following == "half"):
        return Numeral(2, Fraction(1, DENOMINATORS[following]), part=True)
    if following in ("hundred", "thousand", "million", "billion"):
        return Numeral(2, Fraction(SCALES[following]))
    return Numeral(2, Fraction(DOZENS[following])) if following in ("dozen", "score") else None


def _cardinal(words: Sequence[str], start: int) -> Numeral:
    """A cardinal from a word of UNITS on: with hundreds and thousands, a half, a fraction, or an ordinal at its end."""
    total, current, at = Fraction(0), Fraction(0), start
    last = 10**18
    while at < len(words):
        word = words[at]
        if word in UNITS and _fits(UNITS[word], last):
            current, last = current + UNITS[word], UNITS[word]
        elif word in SCALES and at > start:
            if word.startswith("hundred"):
                current, last = max(current, Fraction(1)) * 100, 100
            else:
                total, current, last = total + (current or 1) * SCALES[word], Fraction(0), SCALES[word]
        elif word in ORDINALS and at > start and _fits(ORDINALS[word], last) and last in range(20, 101):
            return Numeral(at + 1 - start, total + current + ORDINALS[word], ordinal=True)
        elif not (word == "and" and at > start and _continues(words, at, last)):
            break
        at += 1
    value, size = total + current, at - start
    return _with_fraction(words, start, Numeral(size, value))


def _fits(value: int, last: int) -> bool:
    """Whether a number word may follow one of size *last*: five after twenty or a hundred, never after six."""
    return (last >= 20 and value < 10 and last != 10) if last < 100 else value < last


def _continues(words: Sequence[str], at: int, last: int) -> bool:
    following = words[at + 1] if at + 1 < len(words) else ""
    return last >= 100 and last in (100, 1000, 10**6, 10**9) and following in UNITS


def _with_fraction(words: Sequence[str], start: int, found: Numeral) -> Numeral:
    at = start + found.words
    rest = list(words[at : at + 4])
    if rest[:3] in (["and", "a", "half"], ["and", "one", "half"]):
        scale = SCALES.get(rest[3], 1) if len(rest) > 3 else 1
        return Numeral(found.words + (4 if scale > 1 else 3), (found.value + Fraction(1, 2)) * scale)
    if rest and rest[0] in DENOMINATORS and found.value < DENOMINATORS[rest[0]] and rest[0] not in ("second",):
        plural = rest[0].endswith("s") or rest[0] == "half"
        if ((plural or found.value == 1) and rest[0] not in ("quarters",)) or rest[:1] == ["quarters"]:
            size = found.words + (2 if rest[1:2] and rest[0] == "half" and rest[1] in ("a", "an") else 1)
            return Numeral(size, found.value / DENOMINATORS[rest[0]], part=True)
    if rest[:1] == ["dozen"]:
        return Numeral(found.words + 1, found.value * 12)
    return found
