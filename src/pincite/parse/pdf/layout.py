"""Pieces of text on pages → lines in reading order: running heads and feet, columns, margin headings, rows.

A piece is what PyMuPDF calls a line: text set in one go. A visual line often has several (the number in its own column,
the cells of a table row), and a page has several columns; what belongs together is decided here from positions only.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from pincite.parse.manual.observation import Line, Page, Style
from pincite.parse.manual.places import roman_value

MARGIN_ZONE = 0.09  # share of the text's height at top and bottom where running heads and feet are looked for
ROW_TOLERANCE = 0.35  # of the font size: pieces whose baselines differ by less stand on one line
SHIFT = 0.6  # of the font size: how far the baseline of a number in the margin may be off its line's
_NUMBERS = re.compile(r"\d[\d.]*")
_LONE_NUMBERS = re.compile(r"(?<![\d.\w-])\d+(?![\d.\w-])")
_ROMAN = re.compile(r"[ –—-]*(?=[ivxl])(?:x{0,3}|xl|lx{0,3})(?:ix|iv|v?i{0,3})[ –—-]*", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{3}")
_LABEL = re.compile(r"[\[(]?[A-Za-z]{0,2}\d[\d.]*[)\].]?|[\[(]?[A-Za-z]{1,4}[).]|[•●▪◦–-]|[*†‡]")


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


class RawPage(NamedTuple):
    """A page before its pieces are put in order."""

    number: int
    width: float
    height: float
    pieces: list[Piece]
    turned: list[Piece]
    images: bool
    derivation: str
    confidence: float | None
    failure: str
    turn: int = 0  # degrees clockwise that its text was turned by to read from left to right


def lay_out(pages: Sequence[RawPage]) -> tuple[Page, ...]:
    """Every page's lines in reading order, and its text."""
    low, high = margins(pages)
    size, leading = _usual(pages)
    repeated = repeating_bands([_margin_texts(page, low, high, _LARGER * size) for page in pages])
    standing = standing_bands(pages, low, repeated, size, leading)
    furniture = [bands | more for bands, more in zip(repeated, standing, strict=True)]
    gutters = side_gutters(pages, low, high)
    return tuple(_lay_out_page(page, low, furniture[i], gutters.get(i)) for i, page in enumerate(pages))


# --- running heads and feet ---------------------------------------------------------------------------------------------

Band = tuple[str, int]  # ("head" or "foot", position)
Shape = tuple[str, tuple[int, ...]]  # words without spaces, numbers as "#"; the numbers


def margins(pages: Sequence[RawPage]) -> tuple[float, float]:
    """Baselines above and below which running heads and feet are looked for: a share of where pages usually have text."""
    firsts = sorted(min(page.pieces)[0] for page in pages if page.pieces)
    lasts = sorted(max(page.pieces)[0] for page in pages if page.pieces)
    if not firsts:
        return 0.0, 0.0
    top, bottom = firsts[len(firsts) // 10], lasts[-1 - len(lasts) // 10]
    zone = MARGIN_ZONE * (bottom - top)
    return top + zone, bottom - zone


def _margin_texts(page: RawPage, low: float, high: float, large: float) -> dict[Band, Shape]:
    """The text in each band of a page's margins, but that of *large* pieces with a number: "Chapter 2" may take a page."""
    found: dict[Band, str] = {}
    for piece in page.pieces:
        if (piece[0] < low or piece[0] > high) and (piece[5] < large or _NUMBERS.search(piece[7]) is None):
            key = _band(piece[0], low)
            found[key] = f"{found[key]} {piece.text}" if key in found else piece.text
    return {key: shape_of(text, key[0]) for key, text in found.items()}


def _band(baseline: float, low: float) -> Band:
    return ("head" if baseline < low else "foot", round(baseline / 3))


def shape_of(text: str, zone: str) -> Shape:
    """A line as a running head: its words without spaces, and the numbers that stand alone in it.

    At the foot of a page a number with points is masked: the section that a page is in. At its head it is not: "Exhibit
    2.3.59-1" and "Exhibit 2.3.59-2" at the heads of two pages are two titles, not one running head.
    """
    if _ROMAN.fullmatch(text):
        return "#", (roman_value(text.strip(" -–—").lower()),)
    numbers = tuple(int(number) for number in _LONE_NUMBERS.findall(text) if len(number) < 7)
    masked = _LONE_NUMBERS.sub("#", text)
    if zone == "foot":
        masked = _NUMBERS.sub("#", masked)
    return "".join(masked.split()).lower(), numbers


def repeats(one: Shape | None, other: Shape, pages_between: int) -> bool:
    """Whether two lines are one running head: the same words, and numbers that stay the same or count the pages."""
    if one is None or one[0] != other[0] or len(one[1]) != len(other[1]):
        return False
    return all(b == a or b - a == pages_between for a, b in zip(one[1], other[1], strict=True))


def repeating_bands(pages: Sequence[dict[Band, Shape]]) -> list[frozenset[Band]]:
    """Of each page, the bands of its margins that hold a running head, a running foot or a page number.

    Such a band mostly says the same on neighbouring pages, and does so on this one. A first line of body text stands in a
    band too, but says something new on every page. *pages* gives the shape of the text in each band.
    """
    present: Counter[Band] = Counter()
    repeated: list[set[Band]] = []
    for index, bands in enumerate(pages):
        near = [(step, pages[index + step]) for step in (-2, -1, 1, 2) if 0 <= index + step < len(pages)]
        present.update(bands.keys())
        repeated.append(
            {key for key, shape in bands.items() if any(repeats(other.get(key), shape, -step) for step, other in near)}
        )
    count = Counter(key for keys in repeated for key in keys)
    enough = max(2, len(pages) * 0.1)
    common = {key for key in count if count[key] >= enough and count[key] >= 0.5 * present[key]}
    return [frozenset(keys & common) for keys in repeated]


_LARGER = 1.12  # of the size of running text: a title
_APART = 1.6  # of the usual leading: how far what stands outside the text is from it, at least
_FOOTNOTE = re.compile(r"\d{1,3}\.? *[^\W\d_].{12}")
_FULL = 6  # lines that a page must have to say where its text ends
_PEELED = 3  # lines of a head or foot


def standing_bands(
    pages: Sequence[RawPage], low: float, known: Sequence[frozenset[Band]], size: float, leading: float
) -> list[frozenset[Band]]:
    """Of each page, the bands of a head or foot that says something else on every page: the paragraphs it has, its title.

    It is the outermost line on most pages, at one place, always well apart from the text, and in no larger type. Text
    ends at one place too where pages are full, but then close to the line above it.
    """
    lines = [_baselines(page, low, bands) for page, bands in zip(pages, known, strict=True)]
    found: list[set[Band]] = [set() for _ in pages]
    for edge in (0, -1):
        for _ in range(_PEELED):
            place, apart = _outermost(lines, edge, leading)
            least = max(0.6 * sum(len(each) > 1 for each in lines), 0.9 * place)
            if len(apart) < max(3, least):
                break
            standing = [index for index in apart if _may_stand(pages[index], lines[index][edge], size)]
            full = [index for index in standing if len(lines[index]) >= _FULL]
            if len(full) < 3 or len(standing) < least:
                break
            for index in standing:
                found[index].add(_band(lines[index].pop(edge), low))
    return [frozenset(bands) for bands in found]


def _may_stand(page: RawPage, baseline: float, size: float) -> bool:
    """Whether a line may be of a head or foot: in no larger type than the text, and no footnote."""
    pieces = [piece for piece in page.pieces if abs(piece[0] - baseline) < 2]
    if any(piece[5] > 1.03 * size or (piece[6] and piece[5] > 0.95 * size) for piece in pieces):
        return False
    first = min(pieces, key=_by_left)
    return not (first[9] and first[9][0][0] == 0) and _FOOTNOTE.match(" ".join(piece[7] for piece in pieces)) is None


def _baselines(page: RawPage, low: float, known: frozenset[Band]) -> list[float]:
    """The baselines of a page's lines from top to bottom, but those of its known head and foot."""
    kept: list[float] = []
    for baseline in sorted({piece[0] for piece in page.pieces}):
        if (not kept or baseline - kept[-1] > 2) and _band(baseline, low) not in known:
            kept.append(baseline)
    return kept


def _usual(pages: Sequence[RawPage]) -> tuple[float, float]:
    """Size and leading of most pieces."""
    sizes: Counter[float] = Counter()
    steps: Counter[float] = Counter()
    for page in pages[:: max(1, len(pages) // 20)]:
        last = 0.0
        for piece in sorted(page.pieces):
            sizes[round(piece[5], 1)] += len(piece[7])
            if 4 < piece[0] - last < 40:
                steps[round(piece[0] - last)] += 1
            last = piece[0]
    return (sizes.most_common(1)[0][0] if sizes else 10.0), (steps.most_common(1)[0][0] if steps else 12.0)


def _outermost(lines: Sequence[Sequence[float]], edge: int, leading: float) -> tuple[int, list[int]]:
    """How many pages have their first (0) or last (-1) line where most have it; and those where it stands apart or alone."""
    places = Counter(round(each[edge]) for each in lines if len(each) > 1)
    if not places:
        return 0, []
    place = places.most_common(1)[0][0]
    here = [index for index, each in enumerate(lines) if each and abs(each[edge] - place) < 2]
    inner = 1 if edge == 0 else -2
    apart = [i for i in here if len(lines[i]) == 1 or abs(lines[i][inner] - lines[i][edge]) >= _APART * leading]
    return len(here), apart


# --- headings in the margin ---------------------------------------------------------------------------------------------


def side_gutters(pages: Sequence[RawPage], low: float, high: float) -> dict[int, float]:
    """Page index → right edge of a column of margin headings, where at least three pages show the same one.

    A column of labels ("77161", "(1)") is not one: labels belong to the line they stand on. Nor is the first column of a
    table, which has something on most lines.
    """
    edges = {index: edge for index, page in enumerate(pages) if (edge := _side_edge(page, low, high)) is not None}
    common = Counter(round(width / 8) for width, _, _ in edges.values())
    sure = {index: edge for index, edge in edges.items() if common[round(edge[0] / 8)] >= 3}
    gutters = {index: right for index, (_, _, right) in sure.items()}
    if not sure:
        return gutters
    places: dict[int, float] = {}  # left edge of the margin column -> where text begins at the earliest
    for index, (_, left, right) in sure.items():
        earliest = min((p.x0 for p in pages[index].pieces if p.x0 > right and low < p.baseline < high), default=right + 9)
        places[round(left)] = min(earliest, places.get(round(left), earliest))
    for index, page in enumerate(pages):
        if index not in gutters:
            begins = [x for left, x in places.items() if _has_margin(page, left, x, low, high)]
            if begins:
                gutters[index] = begins[0] - 3
    return gutters


def _has_margin(page: RawPage, left: float, begins: float, low: float, high: float) -> bool:
    """Whether a page has something in a margin column known from other pages, and nothing across its edge."""
    inside = []
    for piece in page.pieces:
        if low < piece.baseline < high and piece.x0 < begins - 2:
            if piece.x1 > begins - 2:
                return False
            inside.append(piece)
    return len(inside) > 1 and abs(min(p.x0 for p in inside) - left) < 3 and _has_words(inside)


def _has_words(left: Sequence[Piece]) -> bool:
    return sum(_WORD.search(piece.text) is not None for piece in left) >= 0.3 * len(left)


def _side_edge(page: RawPage, low: float, high: float) -> tuple[float, float, float] | None:
    """(width of the margin column, its left and right edge): the width is the same on left and right pages."""
    wide = Counter(round(p.x0) for p in page.pieces if p.x1 - p.x0 > 0.4 * page.width)
    if not wide:
        return None
    body_left = wide.most_common(1)[0][0]
    if body_left < 0.25 * page.width:
        return None
    left = [p for p in page.pieces if p.x1 < body_left - 4 and low < p.baseline < high and not _LABEL.fullmatch(p.text.strip())]
    if len(left) < 2:
        return None
    right_edge = max(p.x1 for p in left)
    if any(p.x0 <= right_edge < p.x1 for p in page.pieces if low < p.baseline < high):
        return None
    if not _has_words(left):
        return None
    rows = {round(p.baseline / 4) for p in page.pieces if p.x0 > right_edge}
    first = min(p.x0 for p in left)
    return (body_left - first, first, right_edge) if len(left) <= 0.5 * len(rows) else None


# --- one page -----------------------------------------------------------------------------------------------------------


def _lay_out_page(page: RawPage, low: float, furniture: frozenset[Band], gutter: float | None) -> Page:
    body = page.pieces
    heads: list[Piece] = []
    feet: list[Piece] = []
    if furniture:
        body = []
        for piece in page.pieces:
            band = _band(piece[0], low)
            (body if band not in furniture else heads if band[0] == "head" else feet).append(piece)
        if len(heads) > 1 and body:
            heads, names = _without_column_names(heads, body)
            body = names + body
    writer = _Writer()
    writer.rows(heads, 0, "head")
    columns = _write_body(writer, page, body, gutter)
    writer.rows(feet, 0, "foot")
    for piece in page.turned:
        writer.row([piece], 0, "turned")
    text = ("\n".join(writer.parts) + "\n" if writer.parts else "").encode("utf-8", "replace")
    return Page(
        page.number,
        page.width,
        page.height,
        text,
        tuple(writer.lines),
        columns,
        page.images,
        page.derivation,
        page.confidence,
        page.failure,
        page.turn,
    )


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


def _write_body(writer: _Writer, page: RawPage, body: list[Piece], side: float | None) -> int:
    if side is not None:
        _write_with_side(writer, body, side)
        return 1
    edges = column_edges(body)
    if not edges:
        writer.rows(body, 0, "body")
        return 1
    for band in _bands(body, edges):
        columns: dict[int, list[Piece]] = defaultdict(list)
        for piece in band:
            columns[sum(piece.x0 > edge for edge in edges)].append(piece)
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


def _bands(body: list[Piece], edges: Sequence[float]) -> Iterable[list[Piece]]:
    """Stretches of the page between pieces that cross a gutter; a crossing piece is a stretch of its own."""
    band: list[Piece] = []
    for piece in sorted(body):
        if any(piece.x0 < edge - 2 and piece.x1 > edge + 2 for edge in edges):
            yield band
            yield [piece]
            band = []
        else:
            band.append(piece)
    yield band


def column_edges(body: Sequence[Piece]) -> list[float]:
    """Where the page is divided into columns of running text: the left edge of each but the first; [] for one column.

    Columns of prose have many lines, and most of their lines fill them; the columns of a table or a column of numbers do not.
    """
    long = [p for p in body if len(p.text) > 12]
    if len(long) < 16:
        return []
    left, right = min(p.x0 for p in long), max(p.x1 for p in long)
    width = right - left
    if sum(p.x1 - p.x0 > 0.55 * width for p in long) > 0.3 * len(long):
        return []
    gutters = _gutters(long, left, width)
    usual = sorted(p.x0 for p in long)[len(long) // 10]  # a title may hang out to the left of the text
    if not gutters or not _is_prose(long, [usual, *(end for _, end in gutters), right + 9]):
        return []
    short = [p for p in body if len(p.text) <= 12]
    return [_edge(start, end, short) for start, end in gutters]


def _edge(start: float, end: float, short: Sequence[Piece]) -> float:
    """The left edge of a column: where its text begins, or the numbers that hang out into the gutter before it."""
    hanging = [p.x0 for p in short if start < p.x0 < end and p.x1 < end + 3]
    return min(hanging) - 1.5 if len(hanging) > 1 else end


def _gutters(pieces: Sequence[Piece], left: float, width: float) -> list[tuple[float, float]]:
    """Left and right ends of vertical strips, at least 6 points wide, that hardly any piece crosses."""
    bins = int(width / 3) + 2
    changes = [0] * (bins + 1)
    for piece in pieces:
        changes[int((piece.x0 - left) / 3)] += 1
        changes[int((piece.x1 - left) / 3) + 1] -= 1
    gutters, covered, empty = [], 0, 0
    for index in range(bins):
        covered += changes[index]
        if covered <= 0.06 * len(pieces):
            empty += 1
            continue
        if empty >= 2 and 0.12 * bins < index < 0.88 * bins:
            gutters.append((left + (index - empty) * 3, left + index * 3 - 1.5))
        empty = 0
    return gutters


def _is_prose(pieces: Sequence[Piece], edges: Sequence[float]) -> bool:
    for start, end in pairwise(edges):
        inside = sorted(p.x1 - p.x0 for p in pieces if start - 3 <= p.x0 < end - 3)
        if len(inside) < 8 or inside[len(inside) // 2] < 0.6 * (end - start):
            return False
    return True


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
    lone = [i for i, row in enumerate(rows) if len(row) == 1 and len(row[0][7]) <= 9 and _LABEL.fullmatch(row[0][7].strip())]
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


class _Writer:
    """Collects a page's lines and their text, and knows the byte offset it has reached."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.parts: list[str] = []
        self.offset = 0

    def rows(self, pieces: list[Piece], column: int, zone: str) -> None:
        for row in group_rows(pieces):
            self.row(row, column, zone)

    def row(self, row: list[Piece], column: int, zone: str) -> None:
        cells: tuple[tuple[int, float, float], ...] = ()
        if len(row) == 1:
            baseline, x0, x1, y0, y1, size, bold, text, styles, markers = row[0]
        else:
            (baseline, x0, x1, y0, y1, size, bold, text, styles, markers), cells = merge_row(row)
        start = self.offset
        end = start + (len(text) if text.isascii() else len(text.encode("utf-8", "replace")))
        line = (text, start, end, x0, y0, x1, y1, baseline, size, bold, column, zone, styles, cells, markers)
        self.lines.append(tuple.__new__(Line, line))
        self.parts.append(text)
        self.offset = end + 1


def merge_row(row: list[Piece]) -> tuple[Piece, tuple[tuple[int, float, float], ...]]:
    """One piece of several on one line, joined by single spaces, and the (offset, x0, x1) of each."""
    row.sort(key=_by_left)
    styles: list[Style] = []
    markers: list[tuple[int, int]] = []
    cells: list[tuple[int, float, float]] = []
    texts: list[str] = []
    offset, longest, main = 0, -1, row[0]
    x1, y0, y1 = row[0][2], row[0][3], row[0][4]
    for piece in row:
        text = piece[7]
        texts.append(text)
        cells.append((offset, piece[1], piece[2]))
        if piece[8]:
            styles += [Style(style[0] + offset, *style[1:]) for style in piece[8]]
        for start, end in piece[9]:
            markers.append((start + offset, end + offset))
        if len(text) > longest:
            longest, main = len(text), piece
        x1, y0, y1 = max(x1, piece[2]), min(y0, piece[3]), max(y1, piece[4])
        offset += len(text) + 1
    for piece, (begin, _, _) in zip(row, cells, strict=True):
        if len(piece[7]) <= 3 and piece[5] < 0.8 * main[5] and piece[0] < main[0] - 1:
            markers.append((begin, begin + len(piece[7])))
    joined = (main[0], row[0][1], x1, y0, y1, main[5], main[6], " ".join(texts), tuple(styles), tuple(markers))
    return Piece._make(joined), tuple(cells)


def _by_left(piece: Piece) -> float:
    return piece[1]
