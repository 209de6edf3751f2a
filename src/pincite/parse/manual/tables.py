"""Tables without ruling lines: which lines are one, which of them make one row, and the header that pages repeat.

A table is told by its cells: lines of several pieces that stand apart, in common columns. A row begins where space says so,
or, where all lines are set alike, where the first column has a cell; the lines of a cell are put together for display only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from pincite.parse.manual.flow import HEADER, TABLE, Cell, Row, ends_sentence
from pincite.parse.manual.headings import CONTINUED
from pincite.parse.manual.lines import WIDE_GAP
from pincite.parse.manual.observation import Line

_APART = 1.25  # times the usual gap between lines of a table: the next row begins
_HEADER = 6  # lines of a header, at most

Lines = tuple[int, int]
"""Indices in the flow: the first line, and the one after the last."""


class Table(NamedTuple):
    """The lines of one page that make a table, or part of one: ``rows[first:last]``. Lines are indices in the flow."""

    first: int
    last: int
    origin: int  # the first line of the whole table, on this page or one before
    begins: frozenset[int]  # lines with which a row of the table begins
    columns: tuple[float, ...]  # left edges
    header: Lines  # of the whole table, (0, 0) where none is known
    again: Lines  # the lines of this page that print the header again, (0, 0) where none do


def cells_of(row: Row) -> list[tuple[int, float]]:
    """(character offset, x0) of each cell; a label in front of a text is not a cell of its own."""
    pieces = row.line.cells
    if not pieces:
        return [(0, row.x0)]
    cells, last = [(pieces[0][0], pieces[0][1])], pieces[0][2]
    for offset, x0, x1 in pieces[1:]:
        if x0 - last >= WIDE_GAP:
            cells.append((offset, x0))
        last = x1
    if len(cells) > 1 and row.kind and "".join(row.line.text[: cells[1][0]].split()).strip("().") == row.label:
        cells.pop(1)
    return cells


def find_tables(rows: Sequence[Row]) -> list[Table]:
    """Every table, page by page; its lines are marked."""
    tables: list[Table] = []
    for first, last in table_runs(rows):
        first = _with_bold_lines(rows, first, tables[-1].last if tables else 0)
        tops = [index for index in range(first + 1, last) if rows[index].page != rows[index - 1].page]
        for start, end in pairwise([first, *tops, last]):
            tables.append(_part(rows, start, end, tables[-1] if tables else None))
    return tables


def _part(rows: Sequence[Row], first: int, last: int, before: Table | None) -> Table:
    """The part of a table that stands on one page."""
    if before is not None and not _goes_on(rows, before.last, first):
        before = None
    header, again = (0, 0), (0, 0)
    if before is None:
        header = _bold_header(rows, first, last)
    elif rows[before.first].page == rows[first].page:
        header = before.header
    else:
        header, again = _printed_again(rows, before.origin, _top_of_page(rows, first), before.header)
    for row in rows[min(first, again[0] or first) : last]:
        row.mark = TABLE
    for lines in (header, again):
        for row in rows[slice(*lines)]:
            row.mark = HEADER
    for row in rows[first:last]:
        row.cells = pieces_of(row.line)
    columns = _columns(rows[first:last])
    origin = before.origin if before else first
    return Table(first, last, origin, _begins(rows, first, last, columns), columns, header, again)


def table_runs(rows: Sequence[Row]) -> list[Lines]:
    """Index ranges of at least three rows with cells in common columns; narrow rows between them are cells' next lines."""
    runs: list[Lines] = []
    start, last, count = -1, -1, 0
    edges: set[int] = set()
    for index, row in enumerate(rows):
        if row.line.cells and not row.role and len(cells := cells_of(row)) > 1:
            if start < 0:
                start, count, edges = index, 0, set()
            last = index
            count += 1
            edges.update(round(x0 / 4) for _, x0 in cells[1:])
        elif start >= 0 and not _is_next_line(rows, index, last, edges):
            if count >= 3:
                runs.append((start, _with_next_lines(rows, last + 1, edges)))
            start = -1
    if start >= 0 and count >= 3:
        runs.append((start, _with_next_lines(rows, last + 1, edges)))
    return runs


def _is_next_line(rows: Sequence[Row], index: int, last: int, edges: set[int]) -> bool:
    """Whether a line of one piece can be the next line of a cell: short, and near, or set in a column but the first."""
    row = rows[index]
    if row.role or len(row.text) > 60:
        return False
    return index - last <= 3 or (row.gap < 2.0 and _in_column(row, edges))


def _in_column(row: Row, edges: set[int]) -> bool:
    return not edges.isdisjoint(round(row.x0 / 4) + step for step in (-1, 0, 1))


def _with_next_lines(rows: Sequence[Row], last: int, edges: set[int]) -> int:
    """The end of a table, after the next lines of the cells of its last row."""
    while (
        last < len(rows)
        and rows[last].gap < 1.3
        and not rows[last].role
        and not rows[last].kind
        and _in_column(rows[last], edges)
    ):
        last += 1
    return last


def _with_bold_lines(rows: Sequence[Row], first: int, least: int) -> int:
    """Where a table begins with the names of its columns: bold lines right above lines that are not."""
    index = first
    while index - 1 >= least and _may_name(rows, index - 1) and rows[index].gap < 1.6 and first - index < _HEADER:
        index -= 1
    return index if any(row.line.cells for row in rows[index : first + 1]) else first


def _may_name(rows: Sequence[Row], index: int) -> bool:
    row = rows[index]
    return row.bold and not row.role and len(row.text) < 90 and not row.kind and row.page == rows[index + 1].page


def is_page_of_table(rows: Sequence[Row], index: int) -> bool:
    """Whether a page is all one table, and the page before ended with a sentence and not in a table."""
    before = rows[index - 1]
    last = index
    while last < len(rows) and rows[last].page == rows[index].page:
        last += 1
    inside = sum(row.mark >= TABLE for row in rows[index:last])
    return before.mark < TABLE and ends_sentence(before) and inside >= 0.8 * (last - index) and last - index > 5


# --- rows of a table --------------------------------------------------------------------------------------------------


def _columns(rows: Sequence[Row]) -> tuple[float, ...]:
    """Left edges of the columns: strips that hardly any cell crosses part them."""
    cells = [(x0, x1) for row in rows for _, _, x0, x1 in row.cells]
    left = min(cells)[0]
    bins = int((max([x1 for _, x1 in cells]) - left) / 2) + 2
    changes = [0] * (bins + 1)
    for x0, x1 in cells:
        changes[int((x0 - left) / 2)] += 1
        changes[int((x1 - left) / 2) + 1] -= 1
    most = 0.06 * len(rows)
    edges, empty = [], 2
    for index, covered in enumerate(accumulate(changes[:bins])):
        if covered <= most:
            empty += 1
            continue
        if empty >= 2:
            edges.append(left + index * 2)
        empty = 0
    return tuple(edges)


def pieces_of(line: Line) -> list[Cell]:
    """The cells of a line; pieces that stand close are one cell."""
    text, cells = line[0], line[13]
    if not cells:
        return [(0, len(text), line[3], line[5])]
    found: list[Cell] = []
    first, left, right = cells[0]
    for offset, x0, x1 in cells[1:]:
        if x0 - right >= WIDE_GAP / 2:
            found.append((first, offset, left, right))
            first, left = offset, x0
        right = x1
    found.append((first, len(text), left, right))
    return found


def column_of(x0: float, columns: Sequence[float]) -> int:
    """The column that begins at or last before a left edge."""
    return max(0, bisect_right(columns, x0 + 3) - 1)


def _begins(rows: Sequence[Row], first: int, last: int, columns: Sequence[float]) -> frozenset[int]:
    """The lines with which rows begin: by space where the table has space between its rows, else by the first column."""
    gaps = sorted(row.gap for row in rows[first + 1 : last] if row.gap < 9)
    usual = gaps[len(gaps) // 4] if gaps else 1.0
    apart = [index for index in range(first + 1, last) if rows[index].gap >= _APART * usual]
    opening = [index for index in range(first + 1, last) if _opens(rows[index], columns)]
    by_space = 2 <= len(apart) < 0.9 * len(gaps)
    begins = set(apart if by_space else opening)
    if by_space and len(begins.intersection(opening)) >= 0.6 * len(apart):
        begins.intersection_update(opening)  # a cell further right that is set apart goes on with its row
    begins.add(first)
    return frozenset(begins.union(i for i in range(first + 1, last) if rows[i].page != rows[i - 1].page))


def _opens(row: Row, columns: Sequence[float]) -> bool:
    """Whether a line has a cell in the first column that does not go on from the line above."""
    return column_of(row.line.x0, columns) == 0 and not row.line.text[:1].islower()


# --- headers ----------------------------------------------------------------------------------------------------------


def _goes_on(rows: Sequence[Row], last: int, first: int) -> bool:
    """Whether a table is taken up after a few short lines, or at the head of the next page."""
    between = rows[last:first]
    return rows[first].page - rows[last - 1].page < 2 and len(between) <= _HEADER and all(len(r.text) < 60 for r in between)


def _bold_header(rows: Sequence[Row], first: int, last: int) -> Lines:
    """The bold lines with which a table of ordinary type begins."""
    index = first
    while index < last and rows[index].bold and rows[index].page == rows[first].page:
        index += 1
    ordinary = sum(not row.bold for row in rows[index:last])
    return (first, index) if first < index <= first + _HEADER and ordinary >= 0.7 * (last - index) > 0 else (0, 0)


def _top_of_page(rows: Sequence[Row], index: int) -> int:
    """The first line of the page a line is on, after a title that says it is continued."""
    while index and rows[index - 1].page == rows[index].page:
        index -= 1
    while index + 1 < len(rows) and CONTINUED.search(rows[index].text) and rows[index + 1].page == rows[index].page:
        index += 1
    return index


def _printed_again(rows: Sequence[Row], origin: int, top: int, known: Lines) -> tuple[Lines, Lines]:
    """The header of a table, and the lines at the top of a page that print it again; those are (0, 0) where none do.

    A header that was not known before is what stands near the beginning of the table and again at the top of the page.
    """
    near, last = max(0, origin - 3), min(origin + 3, top)
    heads = [(known, _lengths(rows[slice(*known)])[-1])] if known[1] else []
    lengths = {head: _lengths(rows[head : min(head + _HEADER, top)]) for head in range(near, last)}
    heads += [
        ((head, head + n), lengths[head][n]) for n in range(_HEADER, 0, -1) for head in range(near, min(origin + 3, top - n))
    ]
    tops = {length: n for n, length in enumerate(_lengths(rows[top : top + _HEADER])) if n}
    for head, length in heads:
        if length not in tops:
            continue
        lines, again = rows[slice(*head)], (top, top + tops[length])
        if lines[-1].page < rows[top].page and _words(lines) == _words(rows[slice(*again)]) and any(map(_names, lines)):
            return head, again
    return known, (0, 0)


def _lengths(rows: Sequence[Row]) -> list[int]:
    """Characters of the first 0, 1, 2 … lines, the same however their words are parted into lines."""
    return [*accumulate((len(row.text) + 1 for row in rows), initial=0)]


def _words(rows: Sequence[Row]) -> tuple[str, ...]:
    """All words of some lines, sorted: cells that are a little off the line change places."""
    return tuple(sorted(" ".join(row.text for row in rows).casefold().split()))


def _names(row: Row) -> bool:
    """Whether a line can be the names of columns: it has words, not figures, in cells or in bold."""
    return bool(row.line.cells or row.bold) and sum(map(str.isalpha, row.text)) > sum(map(str.isdigit, row.text))
