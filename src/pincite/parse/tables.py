"""Tables: a block per row, a display text that keeps cells apart and in their columns, and each body linked to its header."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from pincite.model import Link
from pincite.parse.build import Builder
from pincite.parse.footnotes import marks_of
from pincite.parse.scan import Text

CELLS = frozenset({"TD", "TH", "ENT", "CHED"})
ROWS = frozenset({"TR", "CAPTION", "ROW", "BOXHD", "TTITLE", "TNOTE", "TDESC"})
TABLES = frozenset({"TABLE", "GPOTABLE"})
_HEADINGS = frozenset({"CAPTION", "TTITLE", "TDESC", "BOXHD"})
_CAPTION = re.compile(r"(?:table|schedule|figure|exhibit)\b", re.IGNORECASE)
_MOST_COLUMNS = 200
"""A span beyond this is an error of the file."""


class Cell(NamedTuple):
    """One cell of the open row: where its texts begin, and how much it spans."""

    first: int
    columns: int = 1
    rows: int = 1
    level: int = 0  # of a heading cell in a GPOTABLE: one of level 2 stands below the last of level 1


class Table:
    """One open table. As a row closes, the texts of its cells are replaced by one text for the row."""

    def __init__(self, builder: Builder, texts: list[Text]) -> None:
        self.builder, self.texts = builder, texts
        self.depth = 0
        self.first = len(texts)  # where the texts of the open row begin
        self.cells: list[Cell] = []
        self.carried: dict[int, int] = {}  # column -> rows below that a cell above still fills
        self.heading = _caption(texts)
        self.body: list[Text] = []
        self.in_head = self.spans = False  # spans: a cell of the open row, or of one above, spans others
        self.only_headers = True

    def open(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element of the table begins."""
        if tag in TABLES:
            self.depth += 1
        elif tag == "THEAD":
            self.in_head = True
        elif tag in ROWS:
            self._end_row("")
        elif tag in CELLS:
            cell = _cell(tag, attributes, len(self.texts)) if attributes else Cell(len(self.texts))
            self.cells.append(cell)
            self.spans = self.spans or cell[1:] != (1, 1, 0)
            self.only_headers = self.only_headers and tag in ("TH", "CHED")

    def close(self, tag: str) -> bool:
        """An element of the table ends; True where that is the table itself."""
        if tag in ROWS:
            self._end_row(tag)
        elif tag == "THEAD":
            self.in_head = False
        elif tag in TABLES:
            self._end_row("")
            self.depth -= 1
            if self.depth == 0:
                self._link()
                return True
        return False

    def _end_row(self, tag: str) -> None:
        """One text for all cells since the last row; cells without text keep their column. A note stays as it is."""
        row = self.texts[self.first :]
        if row and tag != "TNOTE":
            del self.texts[self.first :]
            starts = [cell.first - self.first for cell in self.cells] or [0]
            bounds = [0, *starts[1:], len(row)]
            cells = [" ".join(" ".join(row[i].text for i in range(a, b)).split()) for a, b in pairwise(bounds)]
            first, last = row[0], row[-1]
            shown = " | ".join(self._in_columns(cells) if self.spans else cells)
            whole = first._replace(tag="TR", end=last.end, raw_end=last.raw_end, text=shown, marks=None)
            self.texts.append(whole)
            self.builder.display[whole.start] = whole.text
            if marks := [mark for text in row if text.marks for mark in marks_of(text)]:
                self.builder.footnotes.in_rows[whole.start] = marks
            heading = tag in _HEADINGS or self.in_head or (self.only_headers and tag == "TR" and not self.body)
            (self.heading if heading else self.body).append(whole)
        elif self.cells and self.spans:
            self._in_columns([""] * len(self.cells))
        self.first, self.cells, self.only_headers, self.spans = len(self.texts), [], True, bool(self.carried)

    def _in_columns(self, cells: list[str]) -> list[str]:
        """The cells of a row, each at its column: what spans columns, or fills rows below, leaves empty ones."""
        if any(cell.level for cell in self.cells):
            return _below_headings(cells, [cell.level for cell in self.cells])
        if len(cells) != len(self.cells):
            return cells
        shown: list[str] = []
        used = 0
        fills: dict[int, int] = {}
        for text, cell in zip(cells, self.cells, strict=True):
            while self.carried.get(len(shown), 0) > 0:
                shown.append("")
            fills |= dict.fromkeys(range(len(shown), len(shown) + cell.columns), cell.rows)
            shown += [text, *[""] * (cell.columns - 1)]
            used = len(shown) - cell.columns + 1
        left = {column: rows - 1 for column, rows in self.carried.items() if rows > 1}
        self.carried = left | {column: rows - 1 for column, rows in fills.items() if rows > 1}
        return shown[:used]

    def _link(self) -> None:
        """The rows of the body belong under the header: whoever cuts the table repeats it."""
        if self.heading and self.body:
            body, head = (self.body[0].start, self.body[-1].end), (self.heading[0].start, self.heading[-1].end)
            self.builder.links.append(Link("table_header", 1, *body, 1, *head))


def _caption(texts: list[Text]) -> list[Text]:
    """The title that stands right before a table, in a part of its own or as a heading."""
    first = len(texts)
    while first and texts[first - 1].tag != "TR" and texts[first - 1].context[texts[first - 1].tag][0] == "table":
        first -= 1
    if first == len(texts) and first and texts[-1].tag.startswith("HD") and _CAPTION.match(texts[-1].text):
        first -= 1
    return texts[first:]


def _cell(tag: str, attributes: Mapping[str, str], first: int) -> Cell:
    """A cell from its attributes: ``colspan``, ``rowspan``; in GPO's own tables H, and A, the columns spanned besides."""
    if tag == "CHED":
        return Cell(first, level=_number(attributes.get("H", "")))
    if "A" in attributes:
        return Cell(first, 1 + _number(attributes["A"].lstrip("LRJ")))
    if "colspan" in attributes or "rowspan" in attributes:
        return Cell(first, _number(attributes.get("colspan", "")) or 1, _number(attributes.get("rowspan", "")) or 1)
    return Cell(first)


def _number(printed: str) -> int:
    return min(int(printed), _MOST_COLUMNS) if printed.isascii() and printed.isdigit() else 0


def _below_headings(cells: list[str], levels: list[int]) -> list[str]:
    """One name a column for heading cells of several levels: that of the cell and of those it stands below."""
    shown: list[str] = []
    above: list[tuple[int, str]] = []
    for index, (text, level) in enumerate(zip(cells, levels, strict=False)):
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, text))
        if index + 1 == len(levels) or levels[index + 1] <= level:
            shown.append(" – ".join(name for _, name in above if name))
    return shown
