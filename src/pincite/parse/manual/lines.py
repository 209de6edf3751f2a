"""What a line is by its own look, before numbers are considered: legal citation, footnote, dictionary entry."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from pincite.parse.manual.flow import Metrics, Row

LEGAL = re.compile(
    r"\b(?:regs?|Regs?|Schs?|sch|arts?|Arts?|Articles?|paras?|Act|Acts|Order|Rules|Regulations? \d|Regulation \(E|Directive"
    r"|Case C|Part \d|rules?|R\([A-Z]+\)|UKUT|EWCA|EWHC|UKSC|UKHL|ER|SI)\b|\bv\.? [A-Z]|(?<![’'])\bss?\.? ?\d"
    r"|\[\d{4}\]|\bC[A-Z]{0,3}[ /]\d+/\d{4}|R\([A-Z]+\)\s*\d|(?<![A-Za-z])(?:regs?|arts?|paras?|Sch)\d|(?:Act|Regs,)\d"
)
_LOWER_CASE_LAW = re.compile(r"\s*(?:regs?|ss?|arts?|paras?|sch|rules?|ibid)\b")
_NEXT_ENTRY = re.compile(r"[;.]\s?\d{1,2}\.?\s?[A-Za-z(]")
_SHORT_FORM = re.compile(r"[“\"(]?[A-Za-z][\w/&.()’'“”\"+-]{0,14}(?: ?[A-Z0-9(][\w()]{0,8})?[”\")]?$")
WIDE_GAP = 12.0  # points between two pieces that are two cells


def mark_citations(rows: Sequence[Row], metrics: Metrics) -> None:
    """Lines that name the law behind raised markers: ``1 SPC Act 02, s 1(1); 2 SPC Regs, reg 1(1)``, and their next lines."""
    marks: set[str] = set()
    for index, row in enumerate(rows):
        after_citation = index > 0 and rows[index - 1].role == "footnote"
        if row.role:
            continue
        begins = row.kind in ("plain", "stop") and _is_citation(row, metrics, marks)
        if begins or (after_citation and _goes_on(rows[index - 1], row, metrics)):
            row.role = "footnote"
            continue
        if after_citation:
            marks.clear()
        for start, end in row.line[14]:
            marks.add(row.line.text[start:end].strip())


def _is_citation(row: Row, metrics: Metrics, marks: set[str]) -> bool:
    """At least two of: set to the right, in small print, naming a law, with a number that a raised marker has."""
    if not row.label.isdigit() or int(row.label) > 30:
        return False
    small = metrics.fonts and row.size < 0.93 * metrics.size
    score = 2.0 * is_right(row, metrics) + 1.0 * small + 0.5 * (row.label == "1") + 1.0 * (row.label in marks)
    if score < 0.5:
        return False
    text = row.text
    rest = text[row.rest :].lstrip()
    if rest[:1].islower() and not _LOWER_CASE_LAW.match(rest):
        return False
    score += 1.0 * (_NEXT_ENTRY.search(text) is not None)
    return score >= 1.5 and (score >= 3.5 or LEGAL.search(text) is not None)  # a law counts 1.5, and 3 are enough with one


def is_right(row: Row, metrics: Metrics) -> bool:
    """Set against the right margin, well away from the left one."""
    width = metrics.right - metrics.left
    return row.x0 > metrics.left + 0.12 * width and row.line.x1 > metrics.right - 0.08 * width


def _goes_on(before: Row, row: Row, metrics: Metrics) -> bool:
    if row.page != before.page or row.gap > 1.6 or row.kind in ("flat", "lettered", "bullet"):
        return False
    if metrics.fonts and abs(row.size - before.size) > 0.05 * before.size:
        return False
    if metrics.fonts and row.size < 0.93 * metrics.size:
        return True
    return is_right(row, metrics) and LEGAL.search(before.text + " " + row.text) is not None


# --- footnotes ------------------------------------------------------------------------------------------------------


def mark_footnotes(rows: Sequence[Row], metrics: Metrics) -> None:
    """Small print at the foot of a column that begins with a mark, or goes on from a footnote of the page before."""
    if not metrics.fonts:
        return
    limit = 0.92 * metrics.size
    last = len(rows)
    open_note = False
    for first, last in _columns(rows):
        while last > first and rows[last - 1].role == "note":
            last -= 1  # notes in the margin stand after all text
        start = last
        while start > first and rows[start - 1].size < limit and not rows[start - 1].role and not rows[start - 1].side:
            start -= 1
        note = start
        while note < last and not _begins_note(rows[note]):
            note += 1
        begin = start if open_note and start < last and start > first else note
        for row in rows[begin:last]:
            row.role = "footnote"
        open_note = note < last


def _begins_note(row: Row) -> bool:
    markers = row.line.markers
    if markers and markers[0][0] == 0:
        return True
    return row.kind == "plain" or row.text[:1] in "*†‡"


def _columns(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Index ranges of rows of one page and column."""
    ranges, start = [], 0
    for index in range(1, len(rows) + 1):
        if index == len(rows) or rows[index].page != rows[start].page or rows[index].line.column != rows[start].line.column:
            ranges.append((start, index))
            start = index
    return ranges


# --- dictionaries ----------------------------------------------------------------------------------------


def mark_dictionaries(rows: Sequence[Row], metrics: Metrics, named: bool) -> None:
    """Pages of abbreviations in two columns. *named*: the document or the page says that it lists abbreviations."""
    pages: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        pages[row.page].append(row)
    for page in pages.values():
        two = [row for row in page if row.line[13] and not row.role and is_short_form(row)]
        starts = [row.text.casefold().strip('“"(') for row in two]
        in_order = sum(a[:1] <= b[:1] for a, b in pairwise(starts)) >= 0.9 * max(1, len(starts) - 1)
        if sum(len(row.line.cells) > 2 for row in two) > 0.3 * len(two):
            continue  # a table of more columns
        if len(two) >= (4 if named else 10) and len(two) >= 0.5 * len(page) and in_order:
            _mark_entries(page, two)


def _mark_entries(page: list[Row], two: list[Row]) -> None:
    first = two[0].index
    left = Counter(round(row.x0 / 4) for row in two).most_common(1)[0][0] * 4
    position = page.index(two[0])
    if position and len(page[position - 1].line.cells) == 2 and not page[position - 1].role:
        page[position - 1].role = "reference_dictionary"  # the columns' titles
    for row in page:
        if row.index >= first and not row.role and (row.x0 > left + 8 or is_short_form(row)):
            row.role = "reference_dictionary"


def is_short_form(row: Row) -> bool:
    """``LCW   Limited capability for work``: a short form and, in a second column, what it stands for."""
    pieces = row.line.cells
    if len(pieces) < 2 or row.kind in ("stop", "plain", "flat", "lettered", "dotted"):
        return False
    offset, x0, _ = pieces[1]
    return x0 - pieces[0][2] >= WIDE_GAP / 2 and _SHORT_FORM.match(row.line.text[:offset].strip()) is not None
