"""Text for showing and searching, where it differs from the source: hyphenated line ends joined, letter-spaced words closed up.

The source bytes are never touched; this is a second text beside them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.parse.manual.flow import Cell
from pincite.parse.manual.observation import Line, Observation
from pincite.parse.manual.spacing import close_up, spread_words
from pincite.parse.manual.tables import column_of

_LAST = re.compile(r"([A-Za-z]+(?:-[A-Za-z]+)*)[-\u2010]$")
_FIRST = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*")


_HYPHENS = ("-", "\u2010", "\u00ad")


class Joiner:
    """Makes display texts; the document's own words decide whether a hyphen at a line's end belongs to the word."""

    def __init__(self, observation: Observation, spaced_pages: frozenset[int]) -> None:
        self._pages = [page.text for index, page in enumerate(observation.pages) if index not in spaced_pages]
        self._words: frozenset[str] | None = None

    def display(self, lines: Sequence[Line], spaced: bool) -> str | None:
        """The text of *lines* where it needs another form than its source, else ``None``."""
        if spaced:
            return " ".join(close_up(line.text, self.words()) for line in lines)
        spread = {line[1]: words for line in lines if line[0][1:2] == " " and (words := spread_words(line[0]))}
        if not spread and not any(line[0][-1:] in _HYPHENS for line in lines[:-1]):
            return None
        parts: list[str] = []
        for line in lines:
            self._add(parts, spread.get(line.start, line.text))
        return "".join(parts)

    def row(self, lines: Sequence[Line], cells: Sequence[Sequence[Cell]], columns: Sequence[float]) -> str | None:
        """The text of a table's row, its *cells* put together from their lines: ``Housing costs | 77131 | £12.50``."""
        if len(lines) == 1:  # most rows are one line, with one cell in each column
            if len(cells[0]) == 1:
                return None
            text = lines[0][0]
            at = [column_of(cell[2], columns) for cell in cells[0]]
            if len({*at}) == len(at):
                return " | ".join([" ".join(text[cell[0] : cell[1]].split()) for cell in cells[0]])
        parts: dict[int, list[str]] = {}
        for line, pieces in zip(lines, cells, strict=True):
            for first, last, x0, _ in pieces:
                self._add(parts.setdefault(column_of(x0, columns), []), line.text[first:last].strip())
        if len(lines) == 1 and len(parts) == 1:
            return None
        return " | ".join(" ".join("".join(parts[column]).split()) for column in sorted(parts))

    def _add(self, parts: list[str], text: str) -> None:
        parts.append(self._join(parts[-1], text, parts) if parts else text)

    def _join(self, before: str, text: str, parts: list[str]) -> str:
        if before[-1:] == "\u00ad":  # a soft hyphen is there for the line's end only
            parts[-1] = before[:-1]
            return text
        if before[-1:] not in _HYPHENS:
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
