"""Footnotes and their marks: each mark in the text is linked to the footnote that bears the same mark.

In the text a mark is ``<SU>1</SU>`` before ``<FTREF/>``; the footnote is a ``<FTNT>`` that begins with ``<SU>1</SU>``, usually
after the paragraph with the mark. Numbers start again in each section or part, so a footnote belongs to the nearest mark
before it that has none yet. Where no ``<FTREF/>`` is printed, a raised number alone may be the mark.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pincite.model import Finding, Link
from pincite.parse.scan import Inline, Text

RAISED_TAGS = frozenset({"SU", "sup"})
_ONE_MARK = re.compile(r"[^\s,;]+")
_NOTABLE = RAISED_TAGS | {"FTREF"}


class Mark(NamedTuple):
    """A raised number in the text: bytes ``start`` to ``end`` of the page."""

    printed: str
    start: int
    end: int
    certain: bool  # an <FTREF/> follows it
    of: int  # character of the text at which its element begins


class Footnotes:
    """The marks of one document that wait for their footnotes, and the links made."""

    def __init__(self) -> None:
        self.waiting: list[Mark] = []
        self.links: list[Link] = []
        self.findings: list[Finding] = []
        self.in_rows: dict[int, list[Mark]] = {}  # start of a table's row -> the marks in its cells

    def read(self, texts: list[Text], beginnings: set[int]) -> None:
        """The marks and footnotes of *texts*; *beginnings* are the indexes of those that begin a footnote."""
        begun, rows = {texts[index][2] for index in beginnings if index < len(texts)}, self.in_rows
        for text in texts:
            if text[6]:
                if text[2] in begun or (text[7].role == "footnote" and _first_raised(text)):
                    self._footnote(text)
                else:
                    self.waiting += marks_of(text)
            elif rows and text[2] in rows:
                self.waiting += rows.pop(text[2])
            elif begun and text[2] in begun:
                self._footnote(text)

    def _footnote(self, text: Text) -> None:
        first = _first_raised(text)
        printed = text.text[first.start : first.end].strip() if first else ""
        same = [mark for mark in self.waiting if mark.printed == printed]
        certain = [mark for mark in (same if printed else self.waiting) if mark.certain]
        if not certain and not same:
            reason = f"no mark {printed!r} before this footnote"
            self.findings.append(Finding("unlinked_footnote", 1, text.start, text.end, printed, reason))
            return
        mark = certain[-1] if certain else same[-1]
        self.waiting.remove(mark)
        self.links.append(Link("footnote", 1, mark.start, mark.end, 1, text.start, text.end))

    def close(self) -> list[Finding]:
        """All findings; marks that never met a footnote are among them."""
        for mark in self.waiting:
            if mark.certain:
                reason = f"no footnote follows the mark {mark.printed!r}"
                self.findings.append(Finding("unlinked_footnote", 1, mark.start, mark.end, mark.printed, reason))
        return self.findings


def marks_of(text: Text) -> list[Mark]:
    """The marks in one text, in order. "13, 14" raised together is two of them."""
    found: list[Mark] = []
    raised: Inline | None = None
    for inline in text.inlines() if text[6] and _raised(text[6][1]) else ():
        if inline.tag == "FTREF":
            where = raised if raised and not text.text[raised.end : inline.start].strip() else inline
            if raised and where is raised:
                found = [mark for mark in found if mark.of != raised.start]
            found += _marks(text, where, certain=True)
            raised = None
        elif inline.tag in RAISED_TAGS or inline.kind == "51":
            raised = inline
            found += _marks(text, inline, certain=False)
    return found


def _first_raised(text: Text) -> Inline | None:
    """The raised number that a text begins with."""
    first = next((i for i in text.inlines() if i.tag in RAISED_TAGS), None)
    return first if first and not text.text[: first.start].strip(" \n\t[") else None


def _raised(marks: list[tuple[int, str, str]]) -> bool:
    """Whether anything among the inline elements of a text could be a mark."""
    return any(tag in _NOTABLE or kind == "51" for _, tag, kind in marks)


def _marks(text: Text, inline: Inline, *, certain: bool) -> list[Mark]:
    """The marks that stand in one inline element."""
    printed = text.text[inline.start : inline.end]
    found = [
        _mark(text, inline.start + match.start(), match.group(), inline.start, certain) for match in _ONE_MARK.finditer(printed)
    ]
    return found or [_mark(text, inline.start, printed, inline.start, certain)]


def _mark(text: Text, begin: int, printed: str, of: int, certain: bool) -> Mark:
    start = text.start + len(text.text[:begin].encode())
    return Mark(printed.strip(), start, start + len(printed.encode()), certain, of)
