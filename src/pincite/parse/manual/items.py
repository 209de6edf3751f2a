"""List items of a numbered paragraph: which lines are one, and which item each stands below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pincite.parse.manual.flow import Metrics, Row, ends_sentence
from pincite.parse.manual.places import is_next
from pincite.parse.manual.tree import Tree

_NO_ITEMS = frozenset(("bullet", "flat", "lettered", "plain"))


class Item(NamedTuple):
    """An open item. ``x0`` is where its label stands, ``text`` where its text does."""

    x0: float
    text: float
    kind: str
    label: str
    place: int


class Items:
    """The open items of the open paragraph, outermost first."""

    def __init__(self, tree: Tree, metrics: Metrics) -> None:
        self.tree, self.metrics = tree, metrics
        self.open: list[Item] = []

    def add(self, rows: Sequence[Row], row: Row, paragraph: int, current: int) -> bool:
        """Open the item that a row begins, if it does: a node of its own, below the item it belongs to.

        *paragraph* and *current* are the open paragraph and where text belongs now.
        """
        if not self._may_begin(rows, row, current):
            return False
        level = self._level(row)
        if level is None:
            return False
        del self.open[level:]
        parent = self.open[-1].place if self.open else paragraph
        name = self._node_id(row, paragraph, parent)
        if name in self.tree.ids:
            return False
        place = self.tree.place(name, parent, "item", row.label)
        cells = row.line.cells
        hangs = cells and not row.line.text[row.rest : cells[1][0]].strip()
        self.open.append(Item(row.x0, cells[1][1] if hangs else row.x0, row.kind, row.label, place))
        row.role, row.node = "body", place
        return True

    def _may_begin(self, rows: Sequence[Row], row: Row, current: int) -> bool:
        """Not close below a line of the same text that goes on, unless its label is the next one or a first one."""
        before = rows[row.index - 1] if row.index else None
        if before is None or row.gap >= 1.3 or before.node != current:
            return True
        return self._fits(row) or ends_sentence(before)

    def resumes(self, row: Row) -> bool:
        """Whether a row's label is the next one of an open list: what goes on after a note."""
        return any(item.kind == row.kind and is_next(item.label, row.label) for item in self.open)

    def _fits(self, row: Row) -> bool:
        return row.label in ("1", "a", "i", "A") or self.resumes(row) or row.kind in ("dotted", "mixed")

    def _level(self, row: Row) -> int | None:
        """How many of the open items stay open above this one; ``None`` where it cannot be an item."""
        if row.kind in ("dotted", "mixed"):
            prefix = row.label.rsplit(".", 1)[0]
            return next((i + 1 for i in range(len(self.open) - 1, -1, -1) if self.open[i].label == prefix), None)
        for position, item in enumerate(self.open):
            if item.kind == row.kind and is_next(item.label, row.label) and not _opens_roman(row, item):
                return position
        if row.kind in ("stop", "half", "bracket"):
            return 0 if not self.open or self.open[0].kind == row.kind else self._by_indent(row)
        return self._by_indent(row) if row.label in ("a", "i", "A", "I") or not self.open else None

    def _by_indent(self, row: Row) -> int:
        level = len(self.open)
        while level and self.open[level - 1].x0 >= row.x0 - 3:
            level -= 1
        return level

    def _node_id(self, row: Row, paragraph: int, parent: int) -> str:
        if row.kind in ("dotted", "mixed", "stop", "half"):
            return f"{self.tree.places[paragraph].node_id} {row.label}"
        return f"{self.tree.places[parent].node_id}({row.label})"

    def leave(self, rows: Sequence[Row], row: Row) -> None:
        """Text set further out than an item, or apart from it after a short line, belongs to what holds the item."""
        while self.open and row.x0 < self.open[-1].text - 3:
            self.open.pop()
        before = rows[row.index - 1]
        full = before.line.x1 > self.metrics.right - 0.15 * (self.metrics.right - self.metrics.left)
        if self.open and row.gap >= 1.4 and not row.top and not full and abs(row.x0 - self.open[0].text) < 3:
            self.open.clear()


def can_be_item(row: Row) -> bool:
    """Whether a row's label is of a kind that numbers list items."""
    return bool(row.kind) and row.kind not in _NO_ITEMS


def _opens_roman(row: Row, item: Item) -> bool:
    """``i`` after ``h`` goes on with the letters unless it is set further in."""
    return row.label == "i" and row.x0 > item.x0 + 6
