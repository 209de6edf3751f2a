"""Tables of a Word document: rows and cells with merges, each cell's text once; which tables only lay out text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from pincite.parse.office.styles import Styles
from pincite.parse.office.words import MC, W, chosen, flag, number, value

_WRAPPERS = frozenset({W + "sdt", W + "sdtContent", W + "ins", W + "customXml", W + "smartTag", W + "moveTo"})
MAX_COLUMNS = 1024
"""Columns that a span may stand for; Word itself ends at 63."""


class Cell(NamedTuple):
    """One column of a row. ``element`` is None where the cell of another row or column reaches over it."""

    element: etree._Element | None


class Row(NamedTuple):
    """One row; ``deleted`` says by whom, where a tracked change takes it out."""

    cells: list[Cell]
    header: bool
    deleted: str = ""
    hidden: bool = False


def rows_of(table: etree._Element) -> Iterator[Row]:
    """The rows of *table* in order. A header is a row marked as one, or the first where the table's look says so."""
    found = list(_inside(table, W + "tr"))
    marked = any(flag(row.find(W + "trPr"), "tblHeader") for row in found)
    look = table.find(f"{W}tblPr/{W}tblLook")
    first = not marked and len(found) > 1 and _first_row(look)
    leading = True
    for at, row in enumerate(found):
        properties = row.find(W + "trPr")
        leading = leading and (bool(flag(properties, "tblHeader")) if marked else first and at == 0)
        gone = None if properties is None else properties.find(W + "del")
        deleted = "" if gone is None else gone.get(W + "author", "someone")
        yield Row(list(_cells(row, properties)), leading, deleted, bool(flag(properties, "hidden")))


def _first_row(look: etree._Element | None) -> bool:
    if look is None:
        return False
    stated = look.get(W + "firstRow")
    if stated is not None:
        return stated not in ("0", "false", "off")
    try:
        return bool(int(look.get(W + "val", "0"), 16) & 0x20)
    except ValueError:
        return False


def _cells(row: etree._Element, properties: etree._Element | None) -> Iterator[Cell]:
    for _ in range(min(number(value(properties, "gridBefore")), MAX_COLUMNS)):
        yield Cell(None)
    for cell in _inside(row, W + "tc"):
        own = cell.find(W + "tcPr")
        gone = own is not None and own.find(W + "cellDel") is not None
        yield Cell(None if gone or _continued(own, cell) else cell)
        for _ in range(min(number(value(own, "gridSpan"), 1), MAX_COLUMNS) - 1):
            yield Cell(None)


def _continued(properties: etree._Element | None, cell: etree._Element) -> bool:
    """Whether the cell above or before reaches over this one. One that has words of its own is read all the same."""
    for name in ("vMerge", "hMerge"):
        merge = None if properties is None else properties.find(W + name)
        if merge is not None and merge.get(W + "val", "continue") == "continue":
            return not any((text.text or "").strip() for text in cell.iter(W + "t"))
    return False


def _inside(parent: etree._Element, tag: str) -> Iterator[etree._Element]:
    """Rows or cells, whatever wraps them."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _inside(child, tag)
        elif child.tag == MC + "AlternateContent":
            branch = chosen(child)
            yield from () if branch is None else _inside(branch, tag)


def words_of_row(row: Row) -> str:
    """What the cells of a row that is not part of the text hold, cells apart by tabs."""
    cells = (cell.element for cell in row.cells if cell.element is not None)
    return "\t".join("".join(text.text or "" for text in cell.iter(W + "t", W + "delText")) for cell in cells)


def bookmarks_around(table: etree._Element) -> Iterator[str]:
    """Bookmarks that begin between rows or cells, as those of rows and columns do."""
    for mark in table.iter(W + "bookmarkStart"):
        above = mark.getparent()
        if above is not None and (above is table or (above.tag == W + "tr" and above.getparent() is table)):
            yield mark.get(W + "name", "")


def is_layout(rows: list[Row], styles: Styles) -> bool:
    """Whether a table only lays out text: one cell, or headings of the document inside.

    Headings that name the columns (all of the first row, nothing below) are those of a table.
    """
    cells = [[cell.element for cell in row.cells if cell.element is not None] for row in rows]
    if sum(map(len, cells)) <= 1:
        return True
    headed = [[_is_headed(cell, styles) for cell in row] for row in cells]
    names = len(cells) > 1 and len(cells[0]) > 1 and all(headed[0]) and not any(map(any, headed[1:]))
    return any(map(any, headed)) and not (names and all(_paragraphs_with_words(cell) <= 1 for cell in cells[0]))


def _is_headed(cell: etree._Element, styles: Styles) -> bool:
    """Whether some paragraph of a cell is a heading; what it was before a tracked change does not count."""
    return any(styles[value(one.find(W + "pPr"), "pStyle")].level for one in cell.iter(W + "p"))


def _paragraphs_with_words(cell: etree._Element) -> int:
    return sum(any((text.text or "").strip() for text in one.iter(W + "t")) for one in cell.iter(W + "p"))


def paragraphs_of(parent: etree._Element) -> Iterator[etree._Element]:
    """The paragraphs of a cell without tables, whatever wraps them."""
    for child in parent:
        if child.tag == W + "p":
            yield child
        elif child.tag == MC + "AlternateContent":
            branch = chosen(child)
            yield from () if branch is None else paragraphs_of(branch)
        elif child.tag in (W + "sdt", W + "sdtContent", W + "ins", W + "moveTo", W + "customXml", W + "smartTag"):
            yield from paragraphs_of(child)
