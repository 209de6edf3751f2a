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


_PARAGRAPH = re.compile(r"(?P<label>\d{1,3}(?:\.\d{1,3}){1,4})\.?\)?[ \t\u00a0\u2003]+(?=[^\W\d_a-z]|[\"“‘(\[*_])")
_MOST_LEFT_OUT = 2


class NumberedParagraphs:
    """Paragraphs that are numbered as the sections they stand in: "2.1 The officer ...", "2.1.1 ..." under "2 Duties".

    A number counts where it goes on with those before it or begins below its heading, so that "1.5 Million tons" is none.
    """

    def __init__(self) -> None:
        self.last: tuple[int, ...] = ()

    def label(self, words: str, heading: str = "") -> str:
        """The number a paragraph begins with, "" where it is none; *heading* is the number of the heading above it.

        >>> numbered = NumberedParagraphs()
        >>> [numbered.label(words, "1") for words in ("1.1 One", "1.2 Two", "1.5 million", "1.2.1 Three", "9.9 Nine")]
        ['1.1', '1.2', '', '1.2.1', '']
        """
        found = _PARAGRAPH.match(words)
        if not found:
            return ""
        parts = tuple(map(int, found["label"].split(".")))
        if not (self._goes_on(parts) or self._begins(parts, heading)):
            return ""
        self.last = parts
        return found["label"]

    def _goes_on(self, parts: tuple[int, ...]) -> bool:
        depth = len(parts)
        if parts == (*self.last, 1):
            return True
        if len(self.last) < depth or parts[:-1] != self.last[: depth - 1]:
            return False
        return 0 < parts[-1] - self.last[depth - 1] <= 1 + _MOST_LEFT_OUT

    def _begins(self, parts: tuple[int, ...], heading: str) -> bool:
        if parts[-1] != 1:
            return False
        first = self.last[0] + 1 if self.last else 1
        return ".".join(map(str, parts[:-1])) == heading or (len(parts) == 2 and parts[0] in (1, first))


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
