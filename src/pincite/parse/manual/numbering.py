"""Which numbers at the start of a line number a paragraph: the best monotone chain through all candidates.

A line may begin with a number because a paragraph starts there, because a reference was wrapped (``77164 for further
details.``), because a list item has a number, or because a stretch of numbers is reserved. No single line settles that. So
every candidate is given a local score (does the line before end a sentence, does the text begin like one, does the number
stand in the column of numbers), every pair a score for following one another (one more, after a reserved range, with a gap),
and the chain with the highest sum is taken. What its parts leave unclear is reported, not guessed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import log2
from typing import NamedTuple

from pincite.parse.manual.flow import Metrics, Row, ends_sentence

Value = tuple[int, ...]

STEP = 3.0  # for being exactly the next number
HOPELESS = -1e9
_WINDOW = 12  # how many earlier candidates a gap may reach back over
_RANGE = re.compile(r"([A-Z]?)(\d{3,6})\s*[-–—]\s*(?:([A-Z]?)(\d{1,6}))\.?\s*$")
_DASH = re.compile("[-–—]")
_REFERS = re.compile(
    r"(?:\b(?:[Ss]ee|and|or|to|at|in|of|by|under|with|from|[Pp]aragraphs?|[Pp]aras?|[Ss]ections?|[Rr]egulations?|[Rr]egs?|[Aa]rticles?"
    r"|[Aa]rts?|[Pp]arts?|[Cc]hapters?|DMG|ADM|[Mm]emos?|IRM|Appendix|Annex|Sch|Schedule|rule|heads?|No\.|the|than|a|is|are)"
    r"|[,(\-–—/&])\s*$"
)
_OPENS = re.compile(r"\s*[A-Z“\"‘'\[£•(]|\s*[A-Z]?\d")


class Candidate(NamedTuple):
    """A line that may start (or reserve) numbers ``low`` to ``high``."""

    row: int  # index in the flow
    low: Value
    high: Value
    reserved: bool
    local: float
    reasons: tuple[str, ...]


class Chain(NamedTuple):
    """Candidates taken, in order, and the sum of their scores."""

    taken: tuple[Candidate, ...]
    score: float


_PARTS = re.compile(r"([A-Z]*)\.?([\d.-]+?)([A-Z]?)$")
ACCEPTED = {"plain": ("plain", "flat")}
"""Kinds of labels a scheme also has: paragraph 1000 follows paragraph 999."""


def value_of(label: str) -> Value:
    """A label as a tuple that sorts in the manual's order: annex numbers (``A4.7.7``) after chapter numbers, 7A after 7.

    >>> value_of("77161"), value_of("P4006A"), value_of("A4.7.7"), value_of("3-12")
    ((77161,), (16, 4006, 1), (1, 4, 7, 7), (0, 3, 12))
    """
    found = _PARTS.match(label)
    if found is None:
        return (0,)
    letters, numbers, inserted = found.groups()
    parts = [int(number) for number in re.split(r"[.-]", numbers)]
    if letters or len(parts) > 1:
        parts.insert(0, _rank(letters))
    return (*parts, ord(inserted) - 64) if inserted else tuple(parts)


def _rank(letters: str) -> int:
    rank = 0
    for letter in letters:
        rank = 27 * rank + ord(letter) - 64
    return rank


def number_of(label: str) -> int:
    """The last number of a label, which a range in a heading counts: 77161 of ``77161`` and of ``77161A``.

    >>> number_of("77161A"), number_of("P4006"), number_of("A4.7.8")
    (77161, 4006, 8)
    """
    return int(re.findall(r"\d+", label)[-1])


class Labels:
    """What the rows begin with: looked at once, asked once for each scheme. Rows that have a role have no say.

    ``places``: kind of label → positions in *rows*.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.present = Counter([row.kind for row in rows])  # rows with a role among them
        self.places: dict[str, list[int]] = {}
        for position, row in enumerate(rows):
            if row.kind and not row.role:
                self.places.setdefault(row.kind, []).append(position)

    @cached_property
    def ranges(self) -> list[int]:
        """Positions of what may be a reserved range."""
        return [i for i, row in enumerate(self.rows) if row.text[1:2].isdigit() and _DASH.search(row.text) and not row.role]

    @cached_property
    def texts(self) -> dict[tuple[int, int], Counter[tuple[float, str]]]:
        """Column and side of the sheet → how many lines of running text there are, by left edge and kind."""
        long = [row for row in self.rows if len(row.text) > 25 and not row.role]
        texts: dict[tuple[int, int], Counter[tuple[float, str]]] = {}
        for (column, odd, x0, kind), count in Counter([(row.line[10], row.page % 2, row.x0, row.kind) for row in long]).items():
            texts.setdefault((column, odd), Counter())[x0, kind] += count
        return texts

    def of(self, kinds: Sequence[str]) -> list[int]:
        """Positions of the rows with a label of one of these kinds."""
        return sorted(position for kind in kinds for position in self.places.get(kind, ()))


def candidates(labels: Labels, scheme: str, metrics: Metrics) -> list[Candidate]:
    """Every row that begins with a label of *scheme* or is a reserved range of it, with its local score."""
    rows = labels.rows
    kinds = ACCEPTED.get(scheme, (scheme,))
    labelled = labels.of(kinds)
    found: dict[int, Candidate] = {}
    if scheme in ("flat", "lettered"):
        for position in labels.ranges:
            reserved = reserved_range(rows[position].text, scheme)
            if reserved is not None:
                found[position] = _reserved(rows, position, reserved)
    columns = _label_columns(labels, labelled, kinds) if labelled else {}
    for position in labelled:
        if position not in found:
            row = rows[position]
            value = value_of(row.label)
            local, reasons = _local(rows, position, columns.get(_side(row)), metrics, scheme)
            found[position] = Candidate(row.index, value, value, False, local, reasons)
    return [found[position] for position in sorted(found)]


def reserved_range(text: str, scheme: str) -> tuple[Value, Value] | None:
    """``77036 - 77040``, ``P4010 – P4015``, ``P4022 – 23`` alone on a line: first and last number."""
    found = _RANGE.match(text)
    if found is None:
        return None
    letter, first, second_letter, last = found.groups()
    if bool(letter) != (scheme == "lettered") or (second_letter and second_letter != letter):
        return None
    if len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    prefix = (ord(letter) - 64,) if letter else ()
    low, high = (*prefix, int(first)), (*prefix, int(last))
    return (low, high) if low < high else None


def range_labels(text: str) -> tuple[str, str]:
    """First and last label of a reserved range, in full and with the zeros they are printed with.

    >>> range_labels("P4022 – 23"), range_labels("04567-04999")
    (('P4022', 'P4023'), ('04567', '04999'))
    """
    found = _RANGE.match(text)
    if found is None:
        return text.strip(), text.strip()
    letter, first, _, last = found.groups()
    return f"{letter}{first}", f"{letter}{first[: max(0, len(first) - len(last))]}{last}"


def _reserved(rows: Sequence[Row], position: int, value: tuple[Value, Value]) -> Candidate:
    local, reasons = 3.0, ["a range alone on its line"]
    before = rows[position - 1] if position else None
    if before is not None and not before.role and _wraps(before, rows[position]):
        local -= 6.0
        reasons.append("the line before does not end a sentence")
    return Candidate(rows[position].index, *value, True, local, tuple(reasons))


Columns = Mapping[tuple[int, int], tuple[float, bool]]
"""Column of the page and side of the sheet -> where labels stand there, and whether text never starts there."""


def _label_columns(labels: Labels, labelled: Sequence[int], kinds: Sequence[str]) -> Columns:
    """Where most labels of some kinds stand: in each column of a page, on left pages and on right ones."""
    places: dict[tuple[int, int], Counter[int]] = {}
    for position in labelled:
        row = labels.rows[position]
        places.setdefault(_side(row), Counter())[round(row.x0 / 4)] += 1
    found = {}
    for side, counted in places.items():
        place, count = counted.most_common(1)[0]
        count += counted[place - 1] + counted[place + 1]
        if count >= 3 and count >= 0.4 * counted.total():
            texts = _texts_at(labels, kinds, side, place * 4.0)
            found[side] = (place * 4.0, texts < 0.5 * count)
    return found


def _side(row: Row) -> tuple[int, int]:
    return row.line[10], row.page % 2


def _texts_at(labels: Labels, kinds: Sequence[str], side: tuple[int, int], place: float) -> int:
    """How many lines of text without a label start where labels stand."""
    texts = labels.texts.get(side, Counter()).items()
    return sum(count for (x0, kind), count in texts if abs(x0 - place) < 8 and kind not in kinds)


def _local(
    rows: Sequence[Row], position: int, column: tuple[float, bool] | None, metrics: Metrics, scheme: str
) -> tuple[float, tuple[str, ...]]:
    """How much the line itself looks like the start of a paragraph."""
    row = rows[position]
    score, reasons = 0.0, []
    for points, reason in (
        _by_line_before(rows[position - 1] if position else None, row, metrics),
        _by_text(rows, position),
        _by_column(row, column) if row.text[row.rest :].strip() else (0.0, ""),
        _by_size(row, metrics, scheme),
    ):
        score += points
        if points <= -1:
            reasons.append(reason)
    return score, tuple(reasons)


def _by_line_before(before: Row | None, row: Row, metrics: Metrics) -> tuple[float, str]:
    if before is None or before.role:
        return 1.0, ""
    if _wraps(before, row):
        return -4.0, "the line before ends in the middle of a reference"
    if ends_sentence(before) or before.line.bold or before.side or is_title_like(before, row):
        return (1.5 if row.gap >= 1.3 else 1.0), ""
    full = before.line.x1 > metrics.right - 0.15 * (metrics.right - metrics.left)
    if row.gap < 1.3 and full:
        return -3.0, "the line before is full and does not end a sentence"
    return (-0.5 if row.gap >= 1.3 else -1.5), "the line before does not end a sentence"


def _wraps(before: Row, row: Row) -> bool:
    """Whether the line before stops in the middle of a reference or sentence; a title that happens to end so does not."""
    if before.bold or before.kind == "bullet" or row.side or _REFERS.search(before.text[-24:]) is None:
        return False
    return not is_title_like(before, row)


def is_title_like(before: Row, row: Row) -> bool:
    """A short line with a capital, set apart from what follows or preceded by space: it may be a heading."""
    text = before.text
    if before.kind or len(text) > 70 or not text[:1].isupper() or text[-1] in ",(-–—/&":
        return False
    return before.gap >= 1.3 and re.search(r"\b(?:and|or|to|the|see|of|a)$", text) is None


def _by_text(rows: Sequence[Row], position: int) -> tuple[float, str]:
    row = rows[position]
    rest = row.text[row.rest :]
    if not rest.strip():
        return -0.5, "nothing follows the number on its line"
    if _OPENS.match(rest):
        return 1.0, ""
    return -3.0, "the text after the number does not begin a sentence"


def _by_column(row: Row, column: tuple[float, bool] | None) -> tuple[float, str]:
    if column is None:
        return 0.0, ""
    if abs(row.x0 - column[0]) <= 8:
        return (3.0 if column[1] else 0.5), ""
    return (-3.0 if column[1] else -1.5), "the number does not stand in the column of numbers"


def _by_size(row: Row, metrics: Metrics, scheme: str) -> tuple[float, str]:
    if not metrics.fonts or row.spaced:
        return 0.0, ""
    if row.size > 1.15 * metrics.size and scheme != "dotted":  # 1.4 before a title is as good a number as 1.4.1
        return -3.0, "the line is larger than running text"
    if row.size < 0.88 * metrics.size:
        return -3.0, "the line is smaller than running text"
    return 0.0, ""


# --- the chain ------------------------------------------------------------------------------------------------------


def best_chain(found: Sequence[Candidate]) -> Chain:
    """The chain of candidates with the highest sum of local and following scores; numbers only grow along it."""
    scores: list[float] = []
    backs: list[int] = []
    by_high: dict[Value, int] = {}  # number -> the candidate that ends the best chain at it
    highest = 0.0
    for index, candidate in enumerate(found):
        score, back = _start_score(candidate.low), -1
        exact = by_high.get((*candidate.low[:-1], candidate.low[-1] - 1), -1)
        if exact >= 0 and scores[exact] + STEP > score:
            score, back = scores[exact] + STEP, exact
        if score < highest:  # a gap scores less than nothing: it can only win from a better chain
            for earlier in range(max(0, index - _WINDOW), index):
                follows = scores[earlier] + follow_score(found[earlier].high, candidate.low)
                if follows > score:
                    score, back = follows, earlier
        score += candidate.local
        scores.append(score)
        backs.append(back)
        highest = max(highest, score)
        best = by_high.get(candidate.high, -1)
        if best < 0 or score > scores[best]:
            by_high[candidate.high] = index
    return _trace(found, scores, backs)


def _trace(found: Sequence[Candidate], scores: Sequence[float], backs: Sequence[int]) -> Chain:
    if not scores:
        return Chain((), 0.0)
    index = max(range(len(scores)), key=scores.__getitem__)
    total, taken = scores[index], []
    while index >= 0:
        taken.append(found[index])
        index = backs[index]
    return Chain(tuple(reversed(taken)), total)


def _start_score(low: Value) -> float:
    """A chain may start anywhere, best at one."""
    return 0.0 if all(part <= 1 for part in low[1:] or low) else -0.5


def follow_score(before: Value, after: Value) -> float:
    """How well the number *after* follows *before*: ``STEP`` for the next one, less for a gap, hopeless for going back."""
    if after <= before:
        return HOPELESS
    if len(before) == len(after) and before[:-1] == after[:-1]:
        return _gap_score(after[-1] - before[-1])
    shared = 0
    while shared < len(before) and shared < len(after) and before[shared] == after[shared]:
        shared += 1
    rest = after[shared + 1 :]
    zeros = sum(part > 1 for part in rest)
    step = after[shared] - before[shared] if shared < len(before) else after[shared]
    return _gap_score(step) - 1.0 * zeros - (0.5 * sum(part - 1 for part in rest if part > 1))


def _gap_score(step: int) -> float:
    return STEP if step == 1 else max(-8.0, 0.5 - 1.5 * log2(step))
