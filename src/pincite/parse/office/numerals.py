"""Numbers as a list prints them: letters, Roman numerals, words, signs."""

from __future__ import annotations

from collections.abc import Callable

from pincite.parse.numbers import roman

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_IRREGULAR = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth"}
_IRREGULAR |= {"twelve": "twelfth"}
_CHINESE = "〇一二三四五六七八九"
_CHICAGO = "*†‡§"
MAX_REPEATED = 64
"""Signs and letters are repeated for large numbers; beyond this the number is printed in digits."""


def numeral(value: int, form: str) -> str | None:
    """*value* in the number format *form* of OOXML, None where the form is not known here.

    >>> numeral(4, "lowerRoman"), numeral(28, "upperLetter"), numeral(22, "ordinal"), numeral(3, "decimalZero")
    ('iv', 'BB', '22nd', '03')
    """
    known = _FORMS.get(form)
    return known(value) if known else None


def _letters(value: int) -> str:
    """a ... z, aa, bb, ...: the letter is repeated."""
    if value < 1 or value > 26 * MAX_REPEATED:
        return str(value) if value else ""
    return chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)


def _roman(value: int) -> str:
    if not 0 < value < 5000:
        return str(value) if value else ""
    return roman(value)


def _ordinal(value: int) -> str:
    tail = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{tail}"


def _cardinal(value: int) -> str:
    if not 0 <= value < 1000:
        return str(value)
    if value < 20:
        return _ONES[value]
    if value < 100:
        rest = f"-{_ONES[value % 10]}" if value % 10 else ""
        return _TENS[value // 10 - 2] + rest
    rest = f" {_cardinal(value % 100)}" if value % 100 else ""
    return f"{_ONES[value // 100]} hundred{rest}"


def _in_words(value: int) -> str:
    return _cardinal(value).capitalize()


def _ordinal_in_words(value: int) -> str:
    words = _cardinal(value)
    if words.isdigit():
        return _ordinal(value)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[cut:]
    last = _IRREGULAR.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th")
    return (words[:cut] + last).capitalize()


def _signs(value: int) -> str:
    if value < 1 or value > 4 * MAX_REPEATED:
        return str(value)
    return _CHICAGO[(value - 1) % 4] * ((value - 1) // 4 + 1)


def _circled(value: int) -> str:
    return chr(0x2460 + value - 1) if 1 <= value <= 20 else str(value)


def _chinese(value: int) -> str:
    if not 0 < value < 100:
        return str(value)
    tens, ones = divmod(value, 10)
    head = "" if not tens else "十" if tens == 1 else _CHINESE[tens] + "十"
    return head + (_CHINESE[ones] if ones else "")


def _chinese_digits(value: int) -> str:
    return "".join(_CHINESE[int(digit)] for digit in str(abs(value)))


_FORMS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda value: f"{value:02d}",
    "decimalHalfWidth": str,
    "decimalFullWidth": lambda value: "".join(chr(0xFF10 + int(digit)) for digit in str(abs(value))),
    "decimalEnclosedParen": lambda value: f"({value})",
    "decimalEnclosedFullstop": lambda value: f"{value}.",
    "decimalEnclosedCircle": _circled,
    "numberInDash": lambda value: f"- {value} -",
    "lowerLetter": _letters,
    "upperLetter": lambda value: _letters(value).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda value: _roman(value).upper(),
    "ordinal": _ordinal,
    "cardinalText": _in_words,
    "ordinalText": _ordinal_in_words,
    "chicago": _signs,
    "chineseCounting": _chinese,
    "chineseCountingThousand": _chinese,
    "japaneseCounting": _chinese,
    "taiwaneseCounting": _chinese,
    "ideographDigital": _chinese_digits,
    "none": lambda value: "",
}
