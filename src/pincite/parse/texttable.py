"""Tables that a plain text draws: columns held apart by blanks, with or without a line of dashes, and boxes of ``+--+``.

:func:`table_in` looks at lines that stand together and says which of them are a table, as rows of cells. What is in doubt is
none: columns must be apart by two blanks in every line, or be given by a line of dashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

_TAB = 8
_DASHES = re.compile(r"[-=_]{2,}")
_RULE = re.compile(r"\s*[-=_]{2,}(?:(?:\s+|\s*[|+]\s*)[-=_]{2,})+\s*\Z")
_LONG_RULE = re.compile(r"\s*[-=_]{8,}\s*\Z")
_BOX_RULE = re.compile(r"\s*[+|├└┌╔╟╚╠][-=+|─━┼┬┴┤┐┘═╬╦╩╗╝╣ ]*[+|┤┐┘╗╝╣]\s*\Z")
_BOX_ROW = re.compile(r"\s*[|│║].*[|│║]\s*\Z")
_BOX_EDGE = re.compile(r"[|│║]")
_GAP = re.compile(r" {2,}")
_NUMBER = re.compile(r"[-+(]?[€$£]?\s?\d[\d.,'%:/ -]*[€$£%)]?\Z")
_LABEL = re.compile(r"(?:[-*•–·◦▪o]|\(?\w{1,4}[.)]|>.*|\d[\d.]*)\Z")
_LEADERS = re.compile(r"\.{3,}|(?:\. ){3,}")
_WORDS = 4
"""Words of a cell on average above which lines with gaps are justified prose."""
LINES_LIMIT = 5_000
"""Lines of one table above which it stays lines."""


class Row(NamedTuple):
    """A row: its cells, and which of the lines it takes, rules included."""

    cells: tuple[str, ...]
    first: int
    last: int  # excluded


class Drawn(NamedTuple):
    """A table; its first row names the columns where *headed*."""

    rows: tuple[Row, ...]
    headed: bool


def table_in(lines: Sequence[str]) -> Drawn | None:
    """The first table among *lines*, none of which is blank; None where there is none."""
    if len(lines) < 2 or len(lines) > LINES_LIMIT:
        return None
    lines = [line.rstrip("\r\n").expandtabs(_TAB).rstrip() for line in lines]
    return _boxed(lines) or _ruled(lines) or _aligned(lines)


# --- boxes ---------------------------------------------------------------------------------------------------------------


def _boxed(lines: Sequence[str]) -> Drawn | None:
    """``+----+``, ``| a |``, ``+----+``: a row a line, or the lines between two rules where every row has its own."""
    start = next((at for at, line in enumerate(lines) if _BOX_RULE.match(line)), -1)
    if start < 0:
        return None
    end = start
    while end < len(lines) and (_BOX_RULE.match(lines[end]) or _BOX_ROW.match(lines[end])):
        end += 1
    rules = [at for at in range(start, end) if _BOX_RULE.match(lines[at])]
    if len(rules) < 2 or end - start <= len(rules):
        return None
    grid = len(rules) > 3
    rows = list(_box_rows(lines, start, end, grid))
    headed = len(rows) > 1 and len(rules) > 2 and rows[0].last >= rules[1] + 1
    return Drawn(tuple(rows), headed) if len({len(row.cells) for row in rows}) == 1 and len(rows[0].cells) > 1 else None


def _box_rows(lines: Sequence[str], start: int, end: int, grid: bool) -> Iterator[Row]:
    first, parts = start, list[list[str]]()
    for at in range(start, end):
        if _BOX_RULE.match(lines[at]):
            if parts and grid:
                yield _joined(parts, first, at + 1)
                first, parts = at + 1, []
            continue
        if parts and not grid:
            yield _joined(parts, first, at)
            first, parts = at, []
        parts.append([cell.strip() for cell in _BOX_EDGE.split(lines[at].strip())[1:-1]])
    if parts:
        yield _joined(parts, first, end)


def _joined(parts: Sequence[Sequence[str]], first: int, last: int) -> Row:
    """The lines of one row, each cell's words in one line."""
    width = max(map(len, parts))
    cells = [" ".join(part[number] for part in parts if number < len(part) and part[number]) for number in range(width)]
    return Row(tuple(cells), first, last)


# --- columns under a line of dashes ----------------------------------------------------------------------------------------


def _ruled(lines: Sequence[str]) -> Drawn | None:
    """Columns as the groups of dashes below the header say."""
    for rule in range(1, len(lines) - 1):
        if _RULE.match(lines[rule]):
            starts = [found.start() for found in _DASHES.finditer(lines[rule])]
        elif _LONG_RULE.match(lines[rule]) and lines[rule - 1].count("  "):
            starts = _starts([lines[rule - 1], *lines[rule + 1 :]])
        else:
            continue
        drawn = _under(lines, rule, starts) if len(starts) > 1 else None
        if drawn:
            return drawn
    return None


def _under(lines: Sequence[str], rule: int, starts: Sequence[int]) -> Drawn | None:
    top = rule
    while top > 0 and _fits(lines[top - 1], starts) and len(_filled(_cut(lines[top - 1], starts))) > 1:
        if top < rule and not _GAP.search(lines[top - 1].strip()):
            break  # a title
        top -= 1
    end = rule + 1
    while end < len(lines) and (_RULE.match(lines[end]) or _LONG_RULE.match(lines[end]) or _fits(lines[end], starts)):
        end += 1
    if top == rule or end - rule < 2:
        return None
    head = _joined([_cut(line, starts) for line in lines[top:rule]], top, rule + 1)
    body = _rows(lines, rule + 1, end, starts)
    return Drawn((head, *body), True) if body else None


def _fits(line: str, starts: Sequence[int]) -> bool:
    """Whether no word of a line runs over the beginning of a column."""
    return all(start >= len(line) or line[start - 1] == " " for start in starts[1:])


# --- columns by blanks alone -----------------------------------------------------------------------------------------------


def _aligned(lines: Sequence[str]) -> Drawn | None:
    """Three lines or more with the same columns, apart by two blanks; a line above them may be their title."""
    for top in (0, 1):
        body = lines[top:]
        if len(body) < 3 or any(_LEADERS.search(line) for line in body):
            return None
        starts = _starts(body)
        cells = [_cut(line, starts) for line in body]
        filled = [len(_filled(row)) for row in cells]
        if len(starts) < 2 or filled[0] < 2 or sum(count > 1 for count in filled) < 0.8 * len(filled):
            continue
        if _is_prose(cells):
            continue
        if _is_list(cells):
            continue
        rows = _rows(lines, top, len(lines), starts)
        return Drawn(tuple(rows), _names(rows)) if len(rows) > 1 else None
    return None


def _is_prose(cells: Sequence[Sequence[str]]) -> bool:
    """Whether the cells are pieces of sentences: many words in each, and hardly a number alone."""
    filled = [cell for row in cells for cell in row if cell]
    numbers = sum(map(bool, map(_NUMBER.match, filled)))
    return sum(len(cell.split()) for cell in filled) > _WORDS * len(filled) and numbers < 0.2 * len(filled)


def _is_list(cells: Sequence[Sequence[str]]) -> bool:
    """Whether every row begins with the number or mark of a list item, at whatever level, and has no numbers after it."""
    rows = [_filled(row) for row in cells]
    numbers = any(_NUMBER.match(cell) for row in rows for cell in row[1:])
    return all(_LABEL.match(row[0]) for row in rows if row) and not numbers


def _starts(lines: Sequence[str]) -> list[int]:
    """Where columns begin: after two blanks or more that all lines have at the same place."""
    width = max(map(len, lines))
    taken = [False] * (width + 1)
    for line in lines:
        for at, letter in enumerate(line):
            taken[at] = taken[at] or letter != " "
    spans = [(blank, [at for at, _ in group]) for blank, group in groupby(enumerate(taken), key=lambda pair: not pair[1])]
    starts = [] if not spans or spans[0][0] else [0]
    for (blank, places), (_, following) in pairwise(spans):
        if blank and (len(places) > 1 or not starts):
            starts.append(following[0])
    return starts


def _cut(line: str, starts: Sequence[int]) -> list[str]:
    ends = [*starts[1:], max(len(line), starts[-1])]
    return [line[0 if number == 0 else start : end].strip() for number, (start, end) in enumerate(zip(starts, ends))]


def _filled(cells: Sequence[str]) -> list[str]:
    return [cell for cell in cells if cell]


def _rows(lines: Sequence[str], first: int, last: int, starts: Sequence[int]) -> list[Row]:
    """Rows of one line; a line with few cells and none in the first column goes on with the row above."""
    rows: list[Row] = []
    for at in range(first, last):
        line = lines[at]
        if rows and (_RULE.match(line) or _LONG_RULE.match(line)):
            rows[-1] = rows[-1]._replace(last=at + 1)
            continue
        cells = _cut(line, starts)
        if rows and not cells[0] and len(_filled(cells)) <= len(starts) // 2:
            rows[-1] = _joined([rows[-1].cells, cells], rows[-1].first, at + 1)
        elif any(cells):
            rows.append(Row(tuple(cells), at, at + 1))
    return rows


def _names(rows: Sequence[Row]) -> bool:
    """Whether the first row names the columns: no number, each once, and shorter than what stands below, or of another kind."""
    first, below = rows[0].cells, [row.cells for row in rows[1:]]
    if not all(first) or len(set(first)) < len(first) or any(map(_NUMBER.match, first)):
        return False
    return any(_NUMBER.match(row[number]) for row in below for number in range(len(first)) if row[number])
