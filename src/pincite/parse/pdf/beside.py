"""What stands beside the lines of the text: numbers that count lines, notes in the margin, large initials.

None of it may be read as part of the line it stands beside, but an initial, which belongs to the first word of its line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from pincite.parse.manual.spacing import common_words
from pincite.parse.pdf.pieces import LABEL, SHIFT, Piece, RawPage, by_left

_SMALL = 0.9  # of the size of running text
_LARGE = 1.8
_NARROW = 0.25  # of the page's width: how wide a margin with notes can be
_FULL = 5  # lines of running text that a page must have to say where its text stands
_NUMBER = re.compile(r"[\[(]?[A-Z]?\d[\d.]*[)\].]?(?:\s|$)")
_WORD = re.compile(r"[^\W\d_]{3}")
_SAMPLE = 12  # pages that say whether it is worth looking at all
_LEAST_COUNTED = 5
_CONTINUES = 0.25  # of the lines beside numbers: those that begin in the middle of a sentence


# --- lines that are counted ---------------------------------------------------------------------------------------------


def line_numbers(pages: Sequence[RawPage]) -> list[list[Piece]]:
    """Of each page, the numbers in its margin that count its lines, every one or every fifth.

    They go up by one step, and stand beside lines that begin in the middle of a sentence, as no paragraph does.
    """
    none: list[list[Piece]] = [[] for _ in pages]
    sample = pages[:: max(1, len(pages) // _SAMPLE)]
    if not _are_counted(sample, [_counting(page) for page in sample]):
        return none
    found = [_counting(page) for page in pages]
    if not _are_counted(pages, found):
        return none
    lines = [piece for page, numbers in zip(pages, found, strict=True) for piece in _beside(page, numbers)]
    middle = sum(piece[7][:1].islower() for piece in lines)
    return found if len(lines) >= 2 * _LEAST_COUNTED and middle >= _CONTINUES * len(lines) else none


def _are_counted(pages: Sequence[RawPage], found: Sequence[Sequence[Piece]]) -> bool:
    """Whether at least half of the pages with text have such numbers."""
    return any(found) and sum(map(bool, found)) >= 0.5 * sum(len(page.pieces) > 2 * _FULL for page in pages)


def _counting(page: RawPage) -> list[Piece]:
    """The numbers of a page that stand outside its text in one column and go up by one step."""
    numbers = [piece for piece in page.pieces if len(piece[7]) <= 4 and piece[7].isdecimal()]
    if len(numbers) < _LEAST_COUNTED:
        return []
    long = [piece for piece in page.pieces if len(piece[7]) > 12]
    if not long:
        return []
    left, right = min(long, key=by_left)[1], max(piece[2] for piece in long)
    sides = [piece for piece in numbers if piece[2] < left], [piece for piece in numbers if piece[1] > right]
    return max((column for side in sides if _counts_up(column := _column(side))), key=len, default=[])


def _counts_up(column: Sequence[Piece]) -> bool:
    """Whether enough numbers go up by one step."""
    steps = Counter(after - before for before, after in pairwise([int(piece[7]) for piece in column]))
    step, count = steps.most_common(1)[0] if steps else (0, 0)
    return step > 0 and len(column) >= _LEAST_COUNTED and count >= 0.8 * (len(column) - 1)


def _column(numbers: Sequence[Piece]) -> list[Piece]:
    """Those that end, or begin, where most do, from top to bottom."""
    best: list[Piece] = []
    for edges in ([round(piece[2] / 3) for piece in numbers], [round(piece[1] / 3) for piece in numbers]):
        place = Counter(edges).most_common(1)[0][0] if edges else 0
        best = max(best, [piece for piece, edge in zip(numbers, edges, strict=True) if abs(edge - place) <= 1], key=len)
    return sorted(best)


def _beside(page: RawPage, numbers: Sequence[Piece]) -> list[Piece]:
    """The first pieces of the lines that numbers stand beside."""
    if not numbers:
        return []
    others = [piece for piece in page.pieces if piece not in numbers]
    found = []
    for number in numbers:
        near = [piece for piece in others if abs(piece[0] - number[0]) <= SHIFT * piece[5]]
        if near:
            found.append(min(near, key=by_left))
    return found


# --- notes in the margin ------------------------------------------------------------------------------------------------


def are_notes(pages: Sequence[RawPage], gutters: Mapping[int, float], size: float, leading: float) -> bool:
    """Whether margin columns, up to *gutters*, hold notes: small print that mostly begins beside the middle of a paragraph."""
    notes = beginnings = 0
    for index, edge in gutters.items():
        text = sorted(piece for piece in pages[index].pieces if piece[2] > edge + 1)
        small = [piece for piece in pages[index].pieces if piece[2] <= edge + 1 and piece[5] < _SMALL * size]
        for block in _blocks(small):
            notes += 1
            beginnings += _begins_beside(text, block[0], leading)
    return notes > 2 and beginnings < 0.6 * notes


def _begins_beside(text: Sequence[Piece], note: Piece, leading: float) -> bool:
    """Whether the line of text beside a note is the first of a paragraph: apart from the line above, or with a label."""
    beside = [piece for piece in text if abs(piece[0] - note[0]) <= SHIFT * piece[5]]
    if not beside:
        return True
    above = max((piece[0] for piece in text if piece[0] < beside[0][0] - 2), default=0.0)
    return beside[0][0] - above >= 1.3 * leading or any(_NUMBER.match(piece[7]) for piece in beside)


def margin_notes(bodies: Sequence[Sequence[Piece]], pages: Sequence[RawPage], size: float) -> list[list[Piece]]:
    """Of each page, the pieces of small print that stand left or right of all running text, and no table reaches out to.

    *bodies* are the pieces between running head and foot. Running text is of *size*; on no page of the same side of the sheet
    does it reach where notes stand.
    """
    reach: dict[tuple[int, float], tuple[float, float]] = {}
    for page, body in zip(pages, bodies, strict=True):
        text = [piece for piece in body if piece[5] >= 0.95 * size and len(piece[7]) > 12]
        if text:
            left, right = reach.get(_sheet(page), (1e9, 0.0))
            reach[_sheet(page)] = min(left, min(text, key=by_left)[1]), max(right, max(piece[2] for piece in text))
    return [
        _outside(body, size, reach[_sheet(page)], _NARROW * page.width) if _sheet(page) in reach else []
        for page, body in zip(pages, bodies, strict=True)
    ]


def _sheet(page: RawPage) -> tuple[int, float]:
    return page.number % 2, page.width


def _outside(body: Sequence[Piece], size: float, reach: tuple[float, float], narrow: float) -> list[Piece]:
    left, right = reach[0] - 3, reach[1] + 3
    small = [piece for piece in body if piece[5] < _SMALL * size]
    sides = [piece for piece in small if piece[2] < left], [piece for piece in small if piece[1] > right]
    outside = [piece for side in sides if side and _width(side) < narrow for piece in side]
    if not outside:
        return []
    rows = {round(piece[0] / 2) for piece in small if piece[2] >= left and piece[1] <= right}
    if sum(round(piece[0] / 2) in rows for piece in outside) > 0.2 * len(outside):
        return []  # cells of a table that is wider than the text
    return [piece for block in _blocks(outside) if any(_WORD.search(piece[7]) for piece in block) for piece in block]


def _width(pieces: Sequence[Piece]) -> float:
    return max(piece[2] for piece in pieces) - min(piece[1] for piece in pieces)


def _blocks(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Pieces that stand close below one another."""
    blocks: list[list[Piece]] = []
    for piece in sorted(piece for piece in pieces if not LABEL.fullmatch(piece[7].strip())):
        if blocks and piece[0] - blocks[-1][-1][0] < 1.9 * piece[5]:
            blocks[-1].append(piece)
        else:
            blocks.append([piece])
    return blocks


# --- initials -----------------------------------------------------------------------------------------------------------


def join_initials(pieces: list[Piece], size: float) -> list[Piece]:
    """The pieces with each large initial joined to the first of the lines that stand at its right."""
    large = _LARGE * size
    for initial in [piece for piece in pieces if piece[5] > large and len(piece[7]) == 1 and piece[7].isalpha()]:
        near = initial[2] - 2, initial[2] + 1.5 * size
        lines = [p for p in pieces if near[0] <= p[1] <= near[1] and initial[3] < p[0] <= initial[0] + 1 and p[5] <= large]
        first = min(lines, default=None)
        if first is not None and _goes_on(first[7]):
            pieces = [_joined(initial, first) if piece is first else piece for piece in pieces if piece is not initial]
    return pieces


def _goes_on(text: str) -> bool:
    """Whether a text begins in the middle of a word or sentence; words in capitals often follow an initial."""
    return text[:1].islower() or (text[:1].isupper() and text.split()[0].isupper())


def _joined(initial: Piece, first: Piece) -> Piece:
    start = initial[7] + (" " if _is_word(initial[7], first[7]) else "")
    return first._replace(
        x0=initial[1],
        text=start + first[7],
        styles=(*initial[8], *(style._replace(start=style.start + len(start)) for style in first[8])),
        markers=tuple((begin + len(start), end + len(start)) for begin, end in first[9]),
    )


def _is_word(initial: str, text: str) -> bool:
    """Whether an initial is a word by itself: "A" before "claimant", not before "ny claimant"."""
    word = text.split()[0].strip(".,;:").lower()
    return initial in "AI" and word in common_words() and initial.lower() + word not in common_words()
