"""Pieces of text on pages → lines in reading order: running heads and feet apart, columns one after another.

What belongs together is decided from positions only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence

from pincite.parse.manual.observation import Line, Page
from pincite.parse.pdf.beside import are_notes, join_initials, line_numbers, margin_notes
from pincite.parse.pdf.columns import column_edges, side_gutters
from pincite.parse.pdf.furniture import Band, band_of, furniture_of, margins, usual
from pincite.parse.pdf.pieces import ROW_TOLERANCE, Cells, Piece, RawPage, group_rows, merge_row


def lay_out(pages: Sequence[RawPage]) -> tuple[Page, ...]:
    """Every page's lines in reading order, and its text."""
    size, leading = usual(pages)
    pages = _without_ornaments(pages, size)
    low, high = margins(pages)
    furniture = furniture_of(pages, low, high, size, leading)
    gutters = side_gutters(pages, low, high)
    if gutters and are_notes(pages, gutters, size, leading):
        gutters = {}
    parts = [_part_furniture(page.pieces, low, bands) for page, bands in zip(pages, furniture, strict=True)]
    notes = margin_notes([[] if index in gutters else body for index, (_, body, _) in enumerate(parts)], pages, size)
    return tuple(_lay_out_page(page, parts[index], gutters.get(index), notes[index]) for index, page in enumerate(pages))


def _without_ornaments(pages: Sequence[RawPage], size: float) -> list[RawPage]:
    """The pages with large initials joined to their words, and the numbers that count lines set aside."""
    pages = [page._replace(pieces=join_initials(page.pieces, size)) for page in pages]
    return [
        page._replace(
            pieces=[piece for piece in page.pieces if piece not in numbers],
            aside=[*page.aside, *(("count", piece) for piece in numbers)],
        )
        if numbers
        else page
        for page, numbers in zip(pages, line_numbers(pages), strict=True)
    ]


Parts = tuple[list[Piece], list[Piece], list[Piece]]
"""The pieces of a page's running head, of its body and of its running foot."""


def _lay_out_page(page: RawPage, parts: Parts, gutter: float | None, notes: Sequence[Piece]) -> Page:
    heads, body, feet = parts
    if len(heads) > 1 and body:
        heads, names = _without_column_names(heads, body)
        body = names + body
    if notes:
        body = [piece for piece in body if piece not in notes]
    writer = _Writer()
    writer.rows(heads, 0, "head")
    columns = _write_body(writer, body, gutter)
    writer.rows(notes, 0, "note")
    writer.rows(feet, 0, "foot")
    for zone, piece in page.aside:
        writer.row([piece], 0, zone)
    return Page(
        page.number,
        page.width,
        page.height,
        writer.text(),
        tuple(writer.lines),
        columns,
        page.images,
        page.derivation,
        page.confidence,
        page.failure,
        page.turn,
    )


def _part_furniture(pieces: list[Piece], low: float, furniture: frozenset[Band]) -> Parts:
    if not furniture:
        return [], pieces, []
    heads: list[Piece] = []
    body: list[Piece] = []
    feet: list[Piece] = []
    lowest = min((position for zone, position in furniture if zone == "foot"), default=1_000_000)
    for piece in pieces:
        baseline = piece[0]
        if low <= baseline < 3 * lowest - 3 or (band := band_of(baseline, low)) not in furniture:
            body.append(piece)
        else:
            (heads if band[0] == "head" else feet).append(piece)
    return heads, body, feet


def _without_column_names(heads: list[Piece], body: list[Piece]) -> tuple[list[Piece], list[Piece]]:
    """The running head, and what is none of it: the names of a table's columns right above the table's first row."""
    above = group_rows(heads)
    top = min(body)
    first = [piece for piece in body if piece.baseline - top.baseline <= ROW_TOLERANCE * top.size]
    edges = [edge for piece in first for edge in (piece.x0, piece.x1)]
    last = above[-1]
    close = top.baseline - last[0].baseline < 2.6 * top.size
    if len(last) < 2 or not close or sum(_stands_over(piece, edges) for piece in last) < 2:
        return heads, []
    names = [*last]
    for lower, row in zip(above[:0:-1], above[-2::-1]):
        if lower[0].baseline - row[0].baseline > 1.5 * row[0].size or not any(_stands_over(piece, edges) for piece in row):
            break
        names += row
    return [piece for piece in heads if piece not in names], names


def _stands_over(piece: Piece, edges: Sequence[float]) -> bool:
    return any(abs(piece.x0 - edge) < 3 or abs(piece.x1 - edge) < 3 for edge in edges)


def _write_body(writer: _Writer, body: list[Piece], side: float | None) -> int:
    """Write the text of a page; the number of its columns."""
    if side is not None:
        _write_with_side(writer, body, side)
        return 1
    edges = column_edges(body)
    if not edges:
        writer.rows(body, 0, "body")
        return 1
    for stretch in _stretches(body, edges):
        columns: dict[int, list[Piece]] = defaultdict(list)
        for piece in stretch:
            columns[bisect_left(edges, piece[1])].append(piece)
        for column in sorted(columns):
            writer.rows(columns[column], column, "body")
    return len(edges) + 1


def _write_with_side(writer: _Writer, body: list[Piece], edge: float) -> None:
    """Each block of margin lines goes before the first body row that is not above its first line."""
    side = sorted(p for p in body if p.x1 <= edge + 1)
    rows = group_rows([p for p in body if p.x1 > edge + 1])
    blocks: list[list[Piece]] = []
    for piece in side:
        if blocks and piece.baseline - blocks[-1][-1].baseline < 1.9 * piece.size:
            blocks[-1].append(piece)
        else:
            blocks.append([piece])
    for row in rows:
        while blocks and blocks[0][0].baseline <= row[0].baseline + 0.5 * row[0].size:
            writer.rows(blocks.pop(0), 0, "side")
        writer.row(row, 0, "body")
    for block in blocks:
        writer.rows(block, 0, "side")


def _stretches(body: list[Piece], edges: Sequence[float]) -> Iterable[list[Piece]]:
    """Parts of the page between pieces that cross a gutter; a crossing piece is a part of its own."""
    gutters = [(edge - 2, edge + 2) for edge in edges]
    stretch: list[Piece] = []
    for piece in sorted(body):
        for start, end in gutters:
            if piece[1] < start and piece[2] > end:
                yield stretch
                yield [piece]
                stretch = []
                break
        else:
            stretch.append(piece)
    yield stretch


class _Writer:
    """Collects a page's lines, and knows the byte offset it has reached."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.offset = 0

    def rows(self, pieces: Sequence[Piece], column: int, zone: str) -> None:
        for row in group_rows(pieces):
            self.row(row, column, zone)

    def row(self, row: list[Piece], column: int, zone: str) -> None:
        cells: Cells = ()
        piece = row[0]
        if len(row) > 1:
            piece, cells = merge_row(row)
        baseline, x0, x1, y0, y1, size, bold, text, styles, markers = piece
        start = self.offset
        end = start + (len(text) if text.isascii() else len(text.encode("utf-8", "replace")))
        line = (text, start, end, x0, y0, x1, y1, baseline, size, bold, column, zone, styles, cells, markers)
        self.lines.append(tuple.__new__(Line, line))
        self.offset = end + 1

    def text(self) -> bytes:
        """The page's text: its lines, each followed by a newline."""
        return "".join([f"{line[0]}\n" for line in self.lines]).encode("utf-8", "replace")
