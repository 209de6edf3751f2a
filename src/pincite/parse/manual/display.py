"""Text for showing and searching, where it differs from the source: hyphenated line ends joined, letter-spaced words closed up.

The source bytes are never touched; this is a second text beside them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.parse.manual.observation import Line, Observation
from pincite.parse.manual.spacing import close_up

_LAST = re.compile(r"([A-Za-z]+(?:-[A-Za-z]+)*)-$")
_FIRST = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*")


class Joiner:
    """Makes display texts; the document's own words decide whether a hyphen at a line's end belongs to the word."""

    def __init__(self, observation: Observation, spaced_pages: frozenset[int]) -> None:
        self._pages = [page.text for index, page in enumerate(observation.pages) if index not in spaced_pages]
        self._words: frozenset[str] | None = None

    def display(self, lines: Sequence[Line], spaced: bool) -> str | None:
        """The text of *lines* where it needs another form than its source, else ``None``."""
        if spaced:
            return " ".join(close_up(line.text, self.words()) for line in lines)
        if len(lines) < 2 or not any(line.text[-1:] == "-" for line in lines[:-1]):
            return None
        parts = [lines[0].text]
        for line in lines[1:]:
            parts.append(self._join(parts[-1], line.text, parts))
        return "".join(parts)

    def _join(self, before: str, text: str, parts: list[str]) -> str:
        if before[-1:] != "-":
            return "\n" + text
        head, tail = _LAST.search(before[-60:]), _FIRST.match(text)
        if head is None or tail is None or not tail.group()[0].islower():
            return "\n" + text
        whole = (head.group(1).rsplit("-", 1)[-1] + tail.group()).lower()
        if self._keeps_hyphen(head.group(1).lower(), tail.group().lower(), whole):
            return text
        parts[-1] = before[:-1]
        return text

    def _keeps_hyphen(self, head: str, tail: str, whole: str) -> bool:
        words = self.words()
        if f"{head}-{tail}" in words:
            return True
        if whole in words:
            return False
        return head.rsplit("-", 1)[-1] in words and tail in words

    def words(self) -> frozenset[str]:
        """Every word of the document as it stands between spaces, lower case; none that a line's end breaks."""
        if self._words is None:
            text = b" ".join(self._pages).decode()
            self._words = frozenset(text.lower().split())
        return self._words
