"""Tables: a block per row, a display text that keeps cells apart, and each body linked to its header."""

from __future__ import annotations

from itertools import pairwise

from pincite.model import Link
from pincite.parse.build import Builder
from pincite.parse.scan import Text

CELLS = frozenset({"TD", "TH", "ENT", "CHED"})
ROWS = frozenset({"TR", "CAPTION", "ROW", "BOXHD", "TTITLE", "TNOTE", "TDESC"})
TABLES = frozenset({"TABLE", "GPOTABLE"})
_HEADINGS = frozenset({"CAPTION", "TTITLE", "TDESC", "BOXHD"})


class Table:
    """One open table. As a row closes, the texts of its cells are replaced by one text for the row."""

    def __init__(self, builder: Builder, texts: list[Text]) -> None:
        self.builder, self.texts = builder, texts
        self.depth = 0
        self.first = len(texts)  # where the texts of the open row begin
        self.cells: list[int] = []  # where each cell's texts begin
        self.heading: list[Text] = []
        self.body: list[Text] = []
        self.in_head = False
        self.only_headers = True

    def open(self, tag: str) -> None:
        """An element of the table begins."""
        if tag in TABLES:
            self.depth += 1
        elif tag == "THEAD":
            self.in_head = True
        elif tag in ROWS:
            self._end_row("")
        elif tag in CELLS:
            self.cells.append(len(self.texts))
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
        """One text for all cells since the last row; cells without text keep their column."""
        row = self.texts[self.first :]
        starts = [cell - self.first for cell in self.cells] or [0]
        if row:
            del self.texts[self.first :]
            bounds = [0, *starts[1:], len(row)]
            cells = [" ".join(" ".join(row[i].text for i in range(a, b)).split()) for a, b in pairwise(bounds)]
            first, last = row[0], row[-1]
            whole = first._replace(tag="TR", end=last.end, raw_end=last.raw_end, text=" | ".join(cells), marks=None)
            self.texts.append(whole)
            self.builder.display[whole.start] = whole.text
            heading = tag in _HEADINGS or self.in_head or (self.only_headers and tag == "TR" and not self.body)
            (self.heading if heading else self.body).append(whole)
        self.first, self.cells, self.only_headers = len(self.texts), [], True

    def _link(self) -> None:
        """The rows of the body belong under the header: whoever cuts the table repeats it."""
        if self.heading and self.body:
            body, head = (self.body[0].start, self.body[-1].end), (self.heading[0].start, self.heading[-1].end)
            self.builder.links.append(Link("table_header", 1, *body, 1, *head))
