"""Where a page is divided from top to bottom: a margin of headings beside the text, and columns of running text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from pincite.parse.pdf.pieces import LABEL, Piece, RawPage, by_left

_WORD = re.compile(r"[A-Za-z]{3}")

Extent = tuple[float, float]
"""Left and right edge of a piece."""


# --- headings in the margin ---------------------------------------------------------------------------------------------


def side_gutters(pages: Sequence[RawPage], low: float, high: float) -> dict[int, float]:
    """Page index → right edge of a column of margin headings, where at least three pages show the same one.

    A column of labels ("77161", "(1)") is not one: labels belong to the line they stand on. Nor is the first column of a
    table, which has something on most lines.
    """
    bodies = [[piece for piece in page.pieces if low < piece[0] < high] for page in pages]
    edges = {i: edge for i, page in enumerate(pages) if (edge := _side_edge(page, bodies[i])) is not None}
    common = Counter(round(width / 8) for width, _, _ in edges.values())
    sure = {index: edge for index, edge in edges.items() if common[round(edge[0] / 8)] >= 3}
    gutters = {index: right for index, (_, _, right) in sure.items()}
    places: dict[int, float] = {}  # left edge of the margin column -> where text begins at the earliest
    for index, (_, left, right) in sure.items():
        earliest = min((piece[1] for piece in bodies[index] if piece[1] > right), default=right + 9)
        places[round(left)] = min(earliest, places.get(round(left), earliest))
    for index, body in enumerate(bodies):
        if places and body and index not in gutters:
            first = min(body, key=by_left)[1]
            begins = [x for left, x in places.items() if abs(first - left) < 3 and _has_margin(body, x)]
            if begins:
                gutters[index] = begins[0] - 3
    return gutters


def _has_margin(body: Sequence[Piece], begins: float) -> bool:
    """Whether something stands left of where the text *begins*, with words in it, and nothing across its edge."""
    inside = [piece for piece in body if piece[1] < begins - 2]
    return len(inside) > 1 and max(piece[2] for piece in inside) <= begins - 2 and _has_words(inside)


def _has_words(left: Sequence[Piece]) -> bool:
    return sum(_WORD.search(piece.text) is not None for piece in left) >= 0.3 * len(left)


def _side_edge(page: RawPage, body: Sequence[Piece]) -> tuple[float, float, float] | None:
    """(width of the margin column, its left and right edge): the width is the same on left and right pages."""
    least = 0.4 * page.width
    wide = Counter(round(piece[1]) for piece in page.pieces if piece[2] - piece[1] > least)
    if not wide:
        return None
    body_left = wide.most_common(1)[0][0]
    if body_left < 0.25 * page.width:
        return None
    left = [p for p in body if p[2] < body_left - 4 and not LABEL.fullmatch(p[7].strip())]
    if len(left) < 2:
        return None
    right_edge = max(piece[2] for piece in left)
    if any(piece[1] <= right_edge < piece[2] for piece in body) or not _has_words(left):
        return None
    rows = {round(piece[0] / 4) for piece in page.pieces if piece[1] > right_edge}
    first = min(piece[1] for piece in left)
    return (body_left - first, first, right_edge) if len(left) <= 0.5 * len(rows) else None


# --- columns of running text --------------------------------------------------------------------------------------------


def column_edges(body: Sequence[Piece]) -> list[float]:
    """Where the page is divided into columns of running text: the left edge of each but the first; [] for one column.

    Columns of prose have many lines, and most of their lines fill them; the columns of a table or a column of numbers do not.
    """
    long = [(piece[1], piece[2]) for piece in body if len(piece[7]) > 12]
    if len(long) < 16:
        return []
    left, right = min(long)[0], max(x1 for _, x1 in long)
    width = right - left
    wide = 0.55 * width
    if sum([x1 - x0 > wide for x0, x1 in long]) > 0.3 * len(long):
        return []
    gutters = _gutters(long, left, width)
    if not gutters:
        return []
    long.sort()
    usual = long[len(long) // 10][0]  # a title may hang out to the left of the text
    if not _is_prose(long, [usual, *(end for _, end in gutters), right + 9]):
        return []
    return [_edge(start, end, body) for start, end in gutters]


def _edge(start: float, end: float, body: Sequence[Piece]) -> float:
    """The left edge of a column: where its text begins, or the numbers and titles that hang out into the gutter before it."""
    hanging = sorted(piece[1] for piece in body if start < piece[1] < end)
    return next((one - 1.5 for one, other in pairwise(hanging) if other - one < 3), end)


def _gutters(long: Sequence[Extent], left: float, width: float) -> list[tuple[float, float]]:
    """Left and right ends of vertical strips, at least 6 points wide, that hardly any piece crosses."""
    bins = int(width / 3) + 2
    changes = [0] * (bins + 1)
    for x0, x1 in long:
        changes[int((x0 - left) / 3)] += 1
        changes[int((x1 - left) / 3) + 1] -= 1
    gutters, covered, empty = [], 0, 0
    for index in range(bins):
        covered += changes[index]
        if covered <= 0.06 * len(long):
            empty += 1
            continue
        if empty >= 2 and 0.12 * bins < index < 0.88 * bins:
            gutters.append((left + (index - empty) * 3, left + index * 3 - 1.5))
        empty = 0
    return gutters


def _is_prose(long: Sequence[Extent], edges: Sequence[float]) -> bool:
    for start, end in pairwise(edges):
        inside = sorted([x1 - x0 for x0, x1 in long if start - 3 <= x0 < end - 3])
        if len(inside) < 8 or inside[len(inside) // 2] < 0.6 * (end - start):
            return False
    return True
