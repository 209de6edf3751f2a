"""Numbers as a list prints them: letters, Roman numerals, words, signs."""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_lowercase, ascii_uppercase

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
_ALPHABETS = {
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ",
    "hebrew2": "אבגדהוזחטיכלמנסעפצקרשת",
    "arabicAlpha": "أبتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "arabicAbjad": "أبجدهوزحطيكلمنسعفصقرشتثخذضغظ",
    "ganada": "가나다라마바사아자차카타파하",
    "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
    "aiueoFullWidth": "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
    "irohaFullWidth": "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン",
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
    "thaiLetters": "กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ",
}
_ENDING = frozenset({"ideographTraditional", "ideographZodiac"})
"""Series that are not repeated: what comes after them is printed in digits."""
_ZEROS = {"thaiNumbers": 0x0E50, "hindiNumbers": 0x0966, "decimalFullWidth": 0xFF10, "decimalFullWidth2": 0xFF10}
_HEBREW = (
    (400, "ת"),
    (300, "ש"),
    (200, "ר"),
    (100, "ק"),
    *zip(range(90, 0, -10), "צפעסנמלכי"),
    *zip(range(9, 0, -1), "טחזוהדגבא"),
)
MAX_REPEATED = 64
"""Signs and letters are repeated for large numbers; beyond this the number is printed in digits."""


def numeral(value: int, form: str) -> str | None:
    """*value* in the number format *form* of OOXML, None where the form is not known here.

    >>> numeral(4, "lowerRoman"), numeral(28, "upperLetter"), numeral(22, "ordinal"), numeral(3, "decimalZero")
    ('iv', 'BB', '22nd', '03')
    """
    if form in _ENDING and value > len(_ALPHABETS[form]):
        return str(value)
    if form in _ALPHABETS:
        return _repeated(value, _ALPHABETS[form])
    if form in _ZEROS:
        return "".join(chr(_ZEROS[form] + int(digit)) for digit in str(abs(value)))
    known = _FORMS.get(form)
    return known(value) if known else None


def _repeated(value: int, alphabet: str) -> str:
    """a ... z, aa, bb, ...: the letter is repeated."""
    if value < 1 or value > len(alphabet) * MAX_REPEATED:
        return str(value) if value else ""
    return alphabet[(value - 1) % len(alphabet)] * ((value - 1) // len(alphabet) + 1)


def _hebrew(value: int) -> str:
    """The letters' values added up; 15 and 16 are written as 9 + 6 and 9 + 7."""
    if not 0 < value < 1000:
        return str(value)
    written, rest = "", value
    while rest:
        if rest in (15, 16):
            return written + ("טו" if rest == 15 else "טז")
        worth, letter = next((worth, letter) for worth, letter in _HEBREW if worth <= rest)
        written, rest = written + letter, rest - worth
    return written


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


IN_ENGLISH = frozenset({"ordinal", "cardinalText", "ordinalText"})
"""Formats in words, which depend on the language; English ones are known."""
_FORMS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda value: f"{value:02d}",
    "decimalHalfWidth": str,
    "decimalEnclosedParen": lambda value: f"({value})",
    "decimalEnclosedFullstop": lambda value: f"{value}.",
    "decimalEnclosedCircle": _circled,
    "numberInDash": lambda value: f"- {value} -",
    "lowerLetter": lambda value: _repeated(value, ascii_lowercase),
    "upperLetter": lambda value: _repeated(value, ascii_uppercase),
    "hebrew1": _hebrew,
    "hex": lambda value: f"{value:X}",
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
