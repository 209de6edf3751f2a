"""Text as the gate compares it: one form for each digit, dash, space and quotation mark; and Unicode's tricks."""

from __future__ import annotations

import re
import unicodedata

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT_RUN = re.compile(r"(?<=[0-9])[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_PUNCTUATION = str.maketrans("’‘ʼ′“”‐‑‒−⁄·μ", "''''\"\"----/ µ")
_VULGAR = re.compile(r"(?<=[0-9])(?=[¼-¾⅐-⅞])")
_HIDDEN = frozenset({"Cf", "Co", "Cs", "Cn"})
_BREAKS = frozenset("\n\t\r")
WORD = re.compile(r"[^\W_]+")


def clean(text: str) -> str:
    """*text* in one form: compatibility characters resolved, digits of every script as 0 to 9, invisible characters gone.

    >>> clean("２５０\\u200b0 ٢٧ 10⁻³ 2½")
    '2500 27 10^-3 2 1/2'
    """
    if text.isascii():
        return text
    text = _SUPERSCRIPT_RUN.sub(lambda run: "^" + run[0].translate(_SUPERSCRIPTS), text)
    text = unicodedata.normalize("NFKC", _VULGAR.sub(" ", text)).translate(_PUNCTUATION)
    return "".join([_plain(c) for c in text])


def _plain(character: str) -> str:
    if character.isascii():
        return character
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.digit(character))
    if category == "Zs":
        return " "
    return "" if category in _HIDDEN or character == "\u00ad" else character


def tricks(text: str) -> set[str]:
    """What in *text* looks like something else: invisible characters, digits of other scripts, words of mixed alphabets."""
    if text.isascii():
        return set()
    found = {f"an invisible character (U+{ord(c):04X})" for c in text if _invisible(c)}
    found |= {f"a digit of another script (U+{ord(c):04X})" for c in text if c.isdecimal() and not c.isascii()}
    for word in WORD.findall(text):
        if not word.isascii() and len(scripts := {_script(c) for c in word if c.isalpha() and c != "μ"} - {""}) > 1:
            found.add(f"{word!r} mixes {' and '.join(sorted(scripts))} letters")
    return found


def _invisible(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN or (unicodedata.category(character) == "Cc" and character not in _BREAKS)


def _script(character: str) -> str:
    """The alphabet a letter is of, as its Unicode name begins; "" for letters that stand among any."""
    name = unicodedata.name(character, "").split(" ")[0]
    return "" if name in ("MICRO", "OHM", "MODIFIER", "FEMININE", "MASCULINE", "") else name


def letters(text: str) -> dict[str, int]:
    """How many letters of each alphabet *text* has."""
    counts: dict[str, int] = {}
    if text.isascii():
        return {"LATIN": sum(c.isalpha() for c in text)}
    for c in text:
        if c.isalpha():
            name = "LATIN" if c.isascii() else _script(c)
            counts[name] = counts.get(name, 0) + 1
    return counts
