"""Paragraph numbers in the right margin: the number ends the line its paragraph begins on, in a column no text reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pincite.parse.manual.flow import LABEL, Row

_KINDS = frozenset({"flat", "lettered", "dotted", "coded", "dashed", "stop", "plain", "bracket", "square", "named"})
_ROOM = 3.0  # points between the text and the number
_LEAST = 3
_DIGIT = 0.54  # width of a digit, in sizes of type
_DIGITS = frozenset("0123456789")
_ENDS = frozenset(")].ABCDEFGHIJKLMNOPQRSTUVWXYZ")  # what a label may have after its last digit
_LAST = _DIGITS | _ENDS


class RightNumber(NamedTuple):
    """A row that ends in a number set apart at its right, and what the row was read as before."""

    row: Row
    kind: str
    label: str
    offset: int  # of the number in the row's text
    x0: float
    x1: float
    before: tuple[str, str, int, str, float]  # kind, label, rest, text and x0 of the row


def right_numbers(rows: Sequence[Row]) -> list[RightNumber]:
    """Rows that end in a number of a common right column, where there are enough of them and no text stands in it."""
    found = [
        number
        for row in rows
        if row.text[-1:] in _LAST and not row.role and _may_end(row) and (number := _number_of(row)) is not None
    ]
    if len(found) < _LEAST:
        return []
    columns = Counter((*_side(number.row), round(number.x0 / 8)) for number in found)
    texts: dict[tuple[int, int], list[Row]] = {}
    for row in rows:
        if not row.role and not row.line[13]:
            texts.setdefault((row.line[10], row.page % 2), []).append(row)
    kept: list[RightNumber] = []
    for side in dict.fromkeys(key[:2] for key in columns):
        place, count = max(((key[2], n) for key, n in columns.items() if key[:2] == side), key=lambda each: each[1])
        inside = [number for number in found if _side(number.row) == side and abs(round(number.x0 / 8) - place) <= 1]
        edge = sorted(number.x0 for number in inside)[len(inside) // 2] if inside else 0.0
        if count >= _LEAST and _is_free(texts.get(side, ()), edge, len(inside)):
            kept += inside
    if sum(leads(rows, number.row) for number in kept) < 0.4 * len(kept):
        return []  # the page numbers of a contents list end their entries, they do not begin them
    return sorted(kept, key=lambda number: number.row.index)


def leads(rows: Sequence[Row], row: Row) -> bool:
    """Whether text without a number goes on close below."""
    after = rows[row.index + 1] if row.index + 1 < len(rows) else None
    return after is not None and after.page == row.page and after.gap < 1.3 and abs(after.x0 - row.x0) < 3 and not after.bold


def _may_end(row: Row) -> bool:
    """Whether a row can end in a label: quick, for most rows cannot."""
    last = row.text[-1:]
    return last in _DIGITS or (last in _ENDS and row.text[-2:-1] in _DIGITS)


def _side(row: Row) -> tuple[int, int]:
    return row.line.column, row.page % 2


def _number_of(row: Row) -> RightNumber | None:
    """The number at the right of a row that begins with none."""
    if row.kind and row.kind not in ("letter", "bullet"):
        return None
    offset, x0, x1 = row.line.cells[-1] if row.line.cells else _last_word(row)
    offset -= len(row.line.text) - len(row.text)  # a bar in the margin was taken off
    text = row.text[offset:].strip() if offset > 0 else ""
    match = LABEL.fullmatch(text) if 0 < len(text) <= 12 else None
    if match is None or match.lastgroup not in _KINDS:
        return None
    if row.line.cells and x0 - row.line.cells[-2][2] < _ROOM:
        return None
    was = row.kind, row.label, row.rest, row.text, row.x0
    return RightNumber(row, match.lastgroup, match.group(match.lastgroup), offset, x0, x1, was)


def _last_word(row: Row) -> tuple[int, float, float]:
    """The last word of a line that came out in one piece: a number close to its text. Its left edge is estimated."""
    offset = row.line.text.rfind(" ") + 1
    return offset, row.line.x1 - _DIGIT * row.size * (len(row.line.text) - offset), row.line.x1


def _is_free(texts: Sequence[Row], edge: float, count: int) -> bool:
    """Whether hardly any line of text reaches into the column that begins at *edge*."""
    return sum([row.line[5] > edge + 4 and not _may_end(row) for row in texts]) < 0.5 * count


def read_right(numbers: Sequence[RightNumber]) -> None:
    """Read these rows as beginning with their number."""
    for number in numbers:
        row = number.row
        row.kind, row.label, row.rest, row.x0 = number.kind, number.label, 0, number.x0
        row.text = row.text[: number.offset].rstrip()


def unread_right(numbers: Sequence[RightNumber]) -> None:
    """Take it back."""
    for number in numbers:
        row = number.row
        row.kind, row.label, row.rest, row.text, row.x0 = number.before
