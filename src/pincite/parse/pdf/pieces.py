"""Pieces of text as PyMuPDF gives them, and the visual lines they make.

A piece is what PyMuPDF calls a line: text set in one go. A visual line often has several: the number in its own column, the
cells of a table row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from pincite.parse.manual.observation import Style

ROW_TOLERANCE = 0.35  # of the font size: pieces whose baselines differ by less stand on one line
SHIFT = 0.6  # of the font size: how far the baseline of a number in the margin may be off its line's
LABEL = re.compile(r"[\[(]?[A-Za-z]{0,2}\d[\d.]*[)\].]?|[\[(]?[A-Za-z]{1,4}[).]|[•●▪◦–-]|[*†‡]")


class Piece(NamedTuple):
    """A piece of text set in one go. The order of fields makes a plain sort go down the page, then to the right."""

    baseline: float
    x0: float
    x1: float
    y0: float
    y1: float
    size: float
    bold: bool
    text: str
    styles: tuple[Style, ...]
    markers: tuple[tuple[int, int], ...]


Aside = tuple[str, Piece]
"""A piece that is no text of the page, and the zone it is in: "turned", "added", "count"."""


class RawPage(NamedTuple):
    """A page before its pieces are put in order."""

    number: int
    width: float
    height: float
    pieces: list[Piece]
    aside: list[Aside]
    images: bool
    derivation: str
    confidence: float | None
    failure: str
    turn: int = 0  # degrees clockwise that its text was turned by to read from left to right


Cell = tuple[int, float, float]
"""Of a piece of a visual line: character offset, left and right edge."""

Cells = tuple[Cell, ...]

by_left = itemgetter(1)


def group_rows(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Pieces that stand on one baseline, from left to right; rows from top to bottom."""
    rows: list[list[Piece]] = []
    first, size = -1e9, 0.0
    for piece in sorted(pieces):
        if piece[0] - first <= ROW_TOLERANCE * max(piece[5], size):
            rows[-1].append(piece)
            continue
        rows.append([piece])
        first, size = piece[0], piece[5]
    return _with_labels(rows)


def _with_labels(rows: list[list[Piece]]) -> list[list[Piece]]:
    """A number in the margin whose baseline is a little off joins the nearest line it stands beside."""
    lone = [i for i, row in enumerate(rows) if len(row) == 1 and len(row[0][7]) <= 9 and LABEL.fullmatch(row[0][7].strip())]
    for index in reversed(lone):
        label = rows[index][0]
        near = [
            (abs(rows[other][0][0] - label[0]), other)
            for other in (index - 1, index + 1)
            if 0 <= other < len(rows) and min(piece[1] for piece in rows[other]) >= label[2]
        ]
        if near and min(near)[0] <= SHIFT * label[5]:
            rows[min(near)[1]].append(label)
            del rows[index]
    return rows


def merge_row(row: list[Piece]) -> tuple[Piece, Cells]:
    """One piece of several on one line, joined by single spaces, and where each of them stands."""
    row.sort(key=by_left)
    main = row[0]
    _, left, right, top, bottom, smallest, _, _, styled, raised = main
    cells, texts, offset, longest = [], [], 0, -1
    for piece in row:
        _, x0, x1, y0, y1, size, _, text, _, markers = piece
        cells.append((offset, x0, x1))
        texts.append(text)
        if x1 > right:
            right = x1
        if y0 < top:
            top = y0
        if y1 > bottom:
            bottom = y1
        if size < smallest:
            smallest = size
        length = len(text)
        if length > longest:
            longest, main = length, piece
        raised = raised or markers
        offset += length + 1
    baseline, _, _, _, _, size, bold, _, _, _ = main
    styles = _styles(row, cells) if styled else ()
    marks = _markers(row, cells, main) if raised or smallest < 0.8 * size else ()
    joined = (baseline, left, right, top, bottom, size, bold, " ".join(texts), styles, marks)
    made: Piece = tuple.__new__(Piece, joined)
    return made, tuple(cells)


def _styles(row: Sequence[Piece], cells: Sequence[Cell]) -> tuple[Style, ...]:
    return tuple(Style(style[0] + cell[0], *style[1:]) for piece, cell in zip(row, cells, strict=True) for style in piece[8])


def _markers(row: Sequence[Piece], cells: Sequence[Cell], main: Piece) -> tuple[tuple[int, int], ...]:
    """The raised marks inside the pieces, and the pieces that are one by themselves."""
    small, above = 0.8 * main[5], main[0] - 1
    inside, alone = [], []
    for piece, (start, _, _) in zip(row, cells, strict=True):
        inside += [(first + start, last + start) for first, last in piece[9]]
        if piece[5] < small and piece[0] < above and len(piece[7]) <= 3:
            alone.append((start, start + len(piece[7])))
    return (*inside, *alone)
