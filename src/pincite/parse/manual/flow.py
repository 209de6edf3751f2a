"""Lines of all pages as one flow of rows, with what the structure layer asks of each: its label, its gap, its cue.

A row is a line of text in reading order. Running heads and feet are set aside, so a paragraph goes on over a page as if
there were none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pincite.parse.manual.observation import Line, Observation, Page
from pincite.parse.manual.spacing import spread_words

_INSERTED = r"(?:[A-Z](?=\.?\s+[^a-z\s]|\.?\s*$))?"  # 77007A: a paragraph put in later
LABEL = re.compile(
    rf"""(?P<mixed>\d{{1,2}}(?:\.\d{{1,2}}){{1,3}}\.[a-z])(?=[\s.)]|$)
    |(?P<dotted>(?:[A-Z]\.?)?\d{{1,3}}(?:\.\d{{1,3}}){{1,6}}{_INSERTED}|[A-Z]\.\d{{1,3}})(?:\.(?=\s|$)|(?=\s|$|[A-Z][a-z]))
    |(?P<lettered>[A-Z]\d{{4,5}}{_INSERTED})(?=\s|$|[A-Z][a-z])
    |(?P<coded>[A-Z]{{1,6}}\d{{1,6}}{_INSERTED})(?:\.(?=\s|$)|(?=\s|$))
    |(?P<flat>\d{{4,6}}{_INSERTED})(?=\s|$|[A-Z][a-z])
    |(?P<dashed>\d{{1,2}}-\d{{1,3}}{_INSERTED})(?:\.(?=\s|$)|(?=\s))
    |(?P<stop>(?:\d{{1,3}}|1[0-8]\d{{2}}){_INSERTED})\.(?=\s|$|[A-Z“"‘'])
    |(?P<plain>\d{{1,3}}{_INSERTED})(?=\s|$)
    |\((?P<bracket>\d{{1,3}}{_INSERTED})\)(?=\s|$|[A-Z“"‘'])
    |\[(?P<square>\d{{1,3}})\](?=\s+[^a-z\s]|\s*$)
    |(?:§{{1,2}}|Para(?:graph)?)\s*(?P<named>\d{{1,4}}{_INSERTED})\.?(?=\s+[^a-z\s]|\s*$)
    |(?P<half>\d{{1,3}})\)(?=\s|$)
    |\((?P<alpha>[a-z]{{1,4}}|[A-Z])\)(?=\s|$|[A-Z“"‘'])
    |(?P<letter>[a-z]{{1,4}}|[A-Z])[.)](?=\s|$)
    |(?P<bullet>[•●▪◦■□‣∙·➢✓\uf020-\uf0ff]|[-–—o](?=\s))\s*(?=\S)
    """,
    re.VERBOSE,
)
_IN_FLOW = frozenset(("body", "side", "note"))  # zones; a note in the margin stands after the text of its page
_BARS = frozenset("|│▌")
_CHANGED = re.compile(r"[|*†‡]\s*(?=[A-Z]?\d)")  # what marks an amended paragraph stands before its number
_STARTS = frozenset("0123456789([•●▪◦■□‣∙·➢✓-–—§|*†‡abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ").union(
    map(chr, range(0xF020, 0xF100))  # signs of symbol fonts, which Word prints as bullets
)
_SECOND = frozenset("0123456789.) ivx")  # a letter begins a label only before one of these
_CODE = re.compile(r"[A-Z]{2,6}\d|Para(?:graph)?\s\d")  # or where letters lead a number: EIM00510
_ENDS = re.compile(r"[.:;?!…][)\]\"”’']*\s*$")


class Metrics(NamedTuple):
    """What is usual in a document: the yardstick for "larger", "further apart" and "to the right"."""

    size: float  # of running text
    leading: float  # baseline to baseline
    left: float  # of most full lines
    right: float
    fonts: bool


BEGINS, TABLE, HEADER = 1, 2, 3
"""Marks of a row: a block must begin with it (an example, a note); it stands in a table; it is of a table's header."""


Cell = tuple[int, int, float, float]
"""Of a piece of a line: first and last character (excluded), left and right edge."""


class Row:
    """A line in the flow. ``role``, ``node`` and ``mark`` are decided by the structure layer; everything else is observed.

    ``mark`` is one of ``BEGINS``, ``TABLE`` and ``HEADER``, or 0; ``cells`` are those of a line of a table.
    """

    __slots__ = (
        "bold",
        "cells",
        "gap",
        "index",
        "kind",
        "label",
        "line",
        "mark",
        "node",
        "page",
        "rest",
        "role",
        "side",
        "size",
        "spaced",
        "text",
        "top",
        "x0",
    )

    def __init__(self, index: int, page: int, line: Line, text: str, spaced: bool, gap: float) -> None:
        self.index, self.page, self.line, self.text, self.spaced, self.gap = index, page, line, text, spaced, gap
        self.x0, self.size, self.bold = line[3], line[8], line[9]
        self.side = line[11] == "side"
        self.top = gap >= 99.0
        self.role, self.node, self.mark = "", -1, 0
        self.kind = self.label = ""
        self.rest = 0
        self.cells: Sequence[Cell] = ()


class Flow(NamedTuple):
    """The rows in order, the lines set aside as (page index, line), and what is usual."""

    rows: list[Row]
    aside: list[tuple[int, Line]]
    metrics: Metrics
    spaced_pages: frozenset[int]


def flow_of(observation: Observation) -> Flow:
    """All body lines as rows, in reading order."""
    metrics = measure(observation)
    rows: list[Row] = []
    aside: list[tuple[int, Line]] = []
    spaced_pages = set()
    for number, page in enumerate(observation.pages):
        spaced = is_letter_spaced(page)
        if spaced:
            spaced_pages.add(number)
        last, column = -1e9, -1
        for line in page.lines:
            zone = line[11]
            if zone not in _IN_FLOW:
                aside.append((number, line))
                continue
            gap = (line[7] - last) / metrics.leading if line[10] == column and zone == "body" else 99.0
            if zone == "body":
                last, column = line[7], line[10]
            text = line[0]
            if spaced:
                text = compact(text)
            elif text[1:2] == " ":
                text = spread_words(text) or text
            row = Row(len(rows), number, line, text, spaced, gap if gap > 0 else 99.0)
            if text[0] in _BARS:
                _without_bar(row)
            if zone == "note":
                row.role = "note"
            else:
                read_label(row)
            rows.append(row)
    _join_labels(rows)
    return Flow(rows, aside, metrics, frozenset(spaced_pages))


def _join_labels(rows: list[Row]) -> None:
    """A number that its narrow column breaks after a point: ``2.3.`` and below it ``12``."""
    broken = [
        row
        for row in rows[:-1]
        if row.kind == "dotted" and _first_piece(row)[-1:] == "." and _last_part(row, rows[row.index + 1])
    ]
    if len(broken) < 3:
        return
    for row in broken:
        after = rows[row.index + 1]
        row.label = f"{row.label}.{_last_part(row, after)}"
        after.kind = after.label = ""
        after.rest = 0
        if after.line.cells:
            after.text, after.x0 = after.text[after.line.cells[1][0] :], after.line.cells[1][1]


def _first_piece(row: Row) -> str:
    return row.text[: row.line.cells[1][0]].strip() if row.line.cells else ""


def _last_part(row: Row, after: Row) -> str:
    """The digits close below a number that ends with a point, "" where there are none."""
    digits = _first_piece(after) or after.text.strip()
    below = after.page == row.page and after.gap < 1.4 and abs(after.x0 - row.x0) < 4
    return digits if below and digits.isdigit() and len(digits) < 4 else ""


def _without_bar(row: Row) -> None:
    """A bar in the margin says that a line was changed; the line is read as if it were not there."""
    if row.line.cells and row.line.cells[1][0] == 2:
        row.text, row.x0 = row.text[2:], row.line.cells[1][1]


def read_label(row: Row) -> None:
    """What the row begins with: ``kind`` and ``label``, and where the ``rest`` of its text starts."""
    text = row.text
    first = text[:1]
    if first not in _STARTS or (first.isalpha() and text[1:2] not in _SECOND and not _leads_number(text)):
        if first == " ":
            row.text = text.lstrip()
            read_label(row)
        return
    changed = _CHANGED.match(text) if first in "|*†‡" else None
    found = LABEL.match(text, changed.end() if changed else 0)
    if found is not None:
        kind = found.lastgroup or ""
        row.kind, row.label, row.rest = kind, found.group(kind), found.end()


def _leads_number(text: str) -> bool:
    return (text[1:2].isupper() or text[:4] == "Para") and _CODE.match(text) is not None


def measure(observation: Observation) -> Metrics:
    """The usual size, leading and margins, of lines as long as running text is, where there are enough, else of all.

    Tables may hold more characters than the text, in smaller type and on wider pages.
    """
    every: list[Line] = []
    wide: list[Line] = []
    leadings: Counter[float] = Counter()
    for page in _sample(observation.pages):
        last, least = -1e9, 0.45 * page.width
        every += page.lines
        wide += [line for line in page.lines if line[5] - line[3] > least and not line[13]]
        for line in page.lines:
            leadings[round((line[7] - last) * 2) / 2] += 1
            last = line[7]
    enough = sum([len(line[0]) for line in wide]) >= 0.03 * sum([len(line[0]) for line in every])
    usual = wide if enough else every
    sizes: Counter[float] = Counter()
    for line in usual:
        sizes[round(line[8] * 2) / 2] += len(line[0])
    full = [line for line in usual if len(line[0]) > 40]
    size = sizes.most_common(1)[0][0] if sizes else 10.0
    steps = [(count, value) for value, count in leadings.items() if 0.9 * size <= value <= 1.8 * size]
    leading = max(steps)[1] if steps else 1.2 * size
    return Metrics(size, leading, _left(full), _right(full), observation.fonts)


def _left(full: Sequence[Line]) -> float:
    """Where most full lines begin, at the left: the first place with a tenth of them."""
    lefts = Counter([round(line[3]) for line in full])
    return float(min((x for x, count in lefts.items() if count >= 0.1 * len(full)), default=0))


def _right(full: Sequence[Line]) -> float:
    """Where most full lines end, at the right: the 95th percentile."""
    rights = Counter([round(line[5] / 4) * 4 for line in full])
    reached = 0
    for value in sorted(rights, reverse=True):
        reached += rights[value]
        if reached >= 0.05 * len(full):
            return float(value)
    return 0.0


def _sample(pages: Sequence[Page]) -> Iterator[Page]:
    step = max(1, len(pages) // 30)
    return iter(pages[::step])


def is_letter_spaced(page: Page) -> bool:
    """Whether the page's words came out as single letters: more than half of its tokens; dots of leaders are none.

    The cells of a table may be single digits, or single letters, but hardly of many kinds and small.
    """
    tokens = " ".join([line[0] for line in page.lines[:12]]).split()
    if [*map(len, tokens)].count(1) <= 15:
        return False  # of more than 30 tokens it would be fewer than half
    tokens = [token for token in tokens if token[0].isalnum()]
    single = [token for token in tokens if len(token) == 1]
    return len(tokens) > 30 and len(single) > 0.5 * len(tokens) and len({*filter(str.islower, single)}) > 5


def compact(text: str) -> str:
    """A letter-spaced line without its spaces, except the one after a number at its start."""
    tokens = text.split()
    head = ""
    if tokens and tokens[0].isdigit() and len(tokens[0]) > 1 and len(tokens) > 1:
        head = tokens.pop(0) + " "
    joined = head + "".join(tokens)
    found = re.match(r"(\d{1,2}(?:\.\d{1,2})*\.?)(?=[A-Za-z£])", joined)
    return joined if found is None or head else f"{found.group(1)} {joined[found.end() :]}"


def ends_sentence(row: Row) -> bool:
    """Whether the row's text ends a sentence or a list's lead; a raised marker at its end is passed over."""
    text = row.line.text
    for start, end in reversed(row.line.markers):
        if end >= len(text.rstrip()):
            text = text[:start]
    return _ENDS.search(text[-8:]) is not None
