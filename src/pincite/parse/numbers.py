"""The numbers headings carry: "3.2 Scope", "IV. Records", "Annex B: Forms"."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(
    r"""(?P<label>
        (?i:section|chapter|part|article|annex|appendix|schedule|step|clause|§{1,2})\s* (?:\d+|[A-Z]|[IVXLC]+) (?:\.\d+)*\b
      | \d{1,3}(?:\.\d{1,3})+      # 3.2, 3.2.1
      | [A-Z](?:\.\d{1,3})+        # A.1
      | \d{1,3}(?=[.)]\s)          # 3. 3)
      | [IVXL]{1,6}(?=\.\s)        # IV.
      | [A-Z](?=[.)]\s)             # A. A)
      | \d{1,2}(?=\ +[^\W\d_a-z])  # 3 Scope
    )[.:)]? (?:\s*[–—-])? \s+ (?P<rest>\S.*)""",
    re.VERBOSE,
)


def split_number(heading: str) -> tuple[str, str]:
    """The number a heading begins with, without its full stop, and the words after it; ("", heading) where it has none.

    >>> split_number("3.2 Response targets")
    ('3.2', 'Response targets')
    >>> split_number("Annex B: Forms")
    ('Annex B', 'Forms')
    >>> split_number("2024 budget")
    ('', '2024 budget')
    """
    found = _NUMBER.match(heading)
    return (found["label"], found["rest"]) if found else ("", heading)


def item_number(number: int, style: str) -> str:
    """The *number* of a list item as it is printed in *style*: ``1``, ``a``, ``A``, ``i`` or ``I``.

    >>> [item_number(n, style) for n, style in ((3, "1"), (28, "a"), (4, "A"), (14, "i"))]
    ['3', 'ab', 'D', 'xiv']
    """
    if number < 1 or style not in ("a", "A", "i", "I"):
        return str(number)
    words = _letters(number) if style in "aA" else str(number) if number > 3999 else roman(number)
    return words.upper() if style in "AI" else words


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, last = divmod(number - 1, 26)
        letters = chr(ord("a") + last) + letters
    return letters


def roman(number: int) -> str:
    """A positive *number* in small Roman letters; above 3999 the thousands are repeated."""
    written = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        written += letters * count
    return written


_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


_POWER = re.compile(r"[+\u2212-]?\d+")
_RAISED = str.maketrans("0123456789+-\u2212", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b\u207b")


def exponent(before: Sequence[str], text: str) -> str:
    """Raised digits right after a digit as signs of their own, so that 10 to the sixth is not read as 106.

    >>> exponent(["area ", "10"], "6"), exponent(["m"], "2")
    ('\u2076', '2')
    """
    last = next((piece[-1] for piece in reversed(before) if piece), "")
    return text.translate(_RAISED) if last.isdecimal() and _POWER.fullmatch(text) else text
