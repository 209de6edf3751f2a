"""Manuals that are one outline: ``I.`` above ``A.`` above ``1.``, set in the type of running text.

A label goes on with an open level, or begins one below with its first number or letter. Levels that are titles are sections,
the first level of text is that of the paragraphs, and what stands below it are their list items. Read so only where the
outline runs through the document, and nearly every label has its place in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pincite.parse.manual.flow import Metrics, Row, ends_sentence
from pincite.parse.manual.places import roman_value

_LABEL = re.compile(r"(?P<label>[IVX]{1,5}|[A-Z]|\d{1,2}|[ivx]{1,5}|[a-z])\.(?=\s+\S)")
_ROMAN = re.compile(r"[IVXivx]+$")
_LEAST = 8  # labels
_TITLE = 90  # characters
_SAME = 6.0  # points that labels of one level may differ in their left edge


class Level(NamedTuple):
    """An open level: its kind of label, how many it has so far, and where they stand."""

    kind: str
    value: int
    x0: float


class Entry(NamedTuple):
    """A row with its place in the outline."""

    row: Row
    end: int  # of its label in its text
    path: tuple[str, ...]
    value: int


def outline_of(rows: Sequence[Row], metrics: Metrics) -> list[Entry]:
    """The sections and paragraphs of a document that is one outline, in order; [] where it is none."""
    entries, labels = _entries(rows)
    if len(entries) < _LEAST or len(entries) < 0.85 * labels or not _runs_through(rows, entries, metrics):
        return []
    return [entry for entry in entries if len(entry.path) <= _paragraph_depth(entries)]


def is_section(entries: Sequence[Entry], position: int) -> bool:
    """Whether an entry is the title of those below it."""
    entry, below = entries[position], entries[position + 1] if position + 1 < len(entries) else None
    short = len(entry.row.text) < _TITLE and not ends_sentence(entry.row)
    return short and below is not None and len(below.path) > len(entry.path)


def _entries(rows: Sequence[Row]) -> tuple[list[Entry], int]:
    """Every label that has a place, and how many there are."""
    entries: list[Entry] = []
    levels: list[Level] = []
    path: list[str] = []
    labels = 0
    for row in rows:
        found = _LABEL.match(row.text) if not row.role else None
        if found is None:
            continue
        labels += 1
        label = found.group("label")
        placed = _place(levels, label, row.x0)
        if placed is not None:
            depth, level = placed
            del levels[depth:], path[depth:]
            levels.append(level)
            path.append(label)
            entries.append(Entry(row, found.end(), tuple(path), level.value))
    return entries, labels


def _place(levels: Sequence[Level], label: str, x0: float) -> tuple[int, Level] | None:
    """The depth at which a label goes on with an open level or begins one, further in than the level above."""
    readings = _readings(label)
    for depth in range(len(levels) - 1, -1, -1):
        kind, value, left = levels[depth]
        if (kind, value + 1) in readings and abs(x0 - left) < _SAME:
            return depth, Level(kind, value + 1, x0)
    depth = len(levels)
    while depth and levels[depth - 1].x0 > x0 + 1:
        depth -= 1
    first = next((kind for kind, value in readings if value == 1 and all(kind != level.kind for level in levels[:depth])), "")
    if not first or (depth < len(levels) and abs(levels[depth].x0 - x0) < _SAME):
        return None  # it begins nothing, or begins again where it should go on
    return depth, Level(first, 1, x0)


def _readings(label: str) -> list[tuple[str, int]]:
    """What a label can be: (kind, number)."""
    if label.isdigit():
        return [("1", int(label))]
    found = [("I" if label.isupper() else "i", roman_value(label.lower()))] if _ROMAN.match(label) else []
    if len(label) == 1:
        found.append(("A" if label.isupper() else "a", ord(label.upper()) - 64))
    return found


def _paragraph_depth(entries: Sequence[Entry]) -> int:
    """The first level that is mostly text."""
    deepest = max(len(entry.path) for entry in entries)
    for depth in range(1, deepest):
        level = [position for position, entry in enumerate(entries) if len(entry.path) == depth]
        if sum(is_section(entries, position) for position in level) < 0.6 * len(level):
            return depth
    return deepest


def _runs_through(rows: Sequence[Row], entries: Sequence[Entry], metrics: Metrics) -> bool:
    """Whether an outline of two levels and more begins early, ends late, and has its first level at the left of the text."""
    first = [entry for entry in entries if len(entry.path) == 1]
    deep = max(len(entry.path) for entry in entries) > 1
    early = first[0].row.index <= 0.3 * len(rows)
    late = entries[-1].row.index >= 0.7 * len(rows)
    return deep and len(first) > 1 and early and late and first[0].row.x0 <= metrics.left + 12
