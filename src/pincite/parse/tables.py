"""Tables: a block per row, a display text that keeps cells apart, and each body linked to its header."""

from __future__ import annotations

from pincite.model import Link
from pincite.parse.build import Builder
from pincite.parse.scan import Run

Cell = tuple[str, int, int, Run]  # text, start and end byte, run


class Table:
    """One open table. Rows are handed to the builder as they close."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.depth = 0
        self.done = False
        self.row: list[Cell] = []
        self.cells: list[list[str]] = []
        self.heading: list[tuple[int, int]] = []
        self.body: list[tuple[int, int]] = []
        self.in_head = False
        self.only_headers = True

    def open(self, tag: str) -> None:
        if tag == "TABLE":
            self.depth += 1
        elif tag == "THEAD":
            self.in_head = True
        elif tag in ("TD", "TH"):
            self.cells.append([])
            self.only_headers = self.only_headers and tag == "TH"

    def run(self, run: Run) -> None:
        text, data, start = self.builder.take(run)
        if text:
            self.row.append((text, start, start + len(data), run))
            if not self.cells:
                self.cells.append([])
            self.cells[-1].append(" ".join(text.split()))

    def close(self, tag: str) -> None:
        if tag in ("TR", "CAPTION"):
            self._end_row(tag)
        elif tag == "THEAD":
            self.in_head = False
        elif tag == "TABLE":
            self._end_row("TR")
            self.depth -= 1
            self.done = self.depth == 0
            if self.done:
                self._link()

    def _end_row(self, tag: str) -> None:
        display = " | ".join(" ".join(cell) for cell in self.cells)
        span = self.builder.row(self.row, display)
        if span:
            heading = tag == "CAPTION" or self.in_head or (self.only_headers and not self.body)
            (self.heading if heading else self.body).append(span)
        self.row, self.cells, self.only_headers = [], [], True

    def _link(self) -> None:
        """The rows of the body belong under the header: whoever cuts the table repeats it."""
        if self.heading and self.body:
            body, head = (self.body[0][0], self.body[-1][1]), (self.heading[0][0], self.heading[-1][1])
            self.builder.links.append(Link("table_header", 1, *body, 1, *head))
