"""Contents, mini-contents and lists of titles: lines that name a place elsewhere and must not be taken for it.

Three kinds: a region under a "Contents" heading, lines with dot leaders anywhere, and the short lists at the head of a page
whose entries end in a range of paragraph numbers. An entry may take two lines, with its number between them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pincite.parse.manual.flow import Metrics, Row, ends_sentence
from pincite.parse.manual.margin import leads

_TITLE = re.compile(
    r"(?:table of contents|contents|contents page|mini[- ]contents|list of (?:tables|figures|boxes|appendices))\b.{0,40}$", re.I
)
_SUBPAGES = re.compile(r"sub-?pages\s*$", re.I)
_LEADERS = re.compile(r"(?:\.\s?){4,}\s*(?P<target>[A-Za-z]*\s?[\d.ivx-]+|[A-Z]\d+)?\s*$")
_ENTRY_END = re.compile(r"\s(?:[A-Z]?\d[\d.]*(?:\s*[-–—]\s*[A-Z]?\d[\d.]*)?|[ivxl]{1,6})\s*$")
_BARE = re.compile(r"(?:[A-Z]?\d{1,6}(?:\s*[-–—]\s*[A-Z]?\d{1,6})?|[ivxl]{1,6})\s*$")
_RANGE_END = re.compile(r"(?P<title>.*?\S)\s+(?P<low>[A-Z]?\d{4,6})(?:\s*[-–—]\s*(?P<high>[A-Z]?\d{2,6}))?\s*$")
_HALF_RANGE = re.compile(r"\s[A-Z]?\d{4,6}\s*[-–—]\s*$")
_REFERENCE_END = re.compile(r"\b(?:DMG|ADM|IRM|paragraphs?|paras?|see|and|or|to|Part|Act|of|in|from|at)\s*$")
_NO_ENTRY = re.compile(r"Notes?\b|Examples?\b")
_PROSE = re.compile(r"[,;]\s|\b(?:see|is|are|may|should|must|will|has|have|not|if|where|when|which|that)\b")
_EXAMPLE = re.compile(r"Example\s*(\d{1,2})\b")
_APPENDIX = re.compile(r"(?:Appendix|Annex|Schedule)\s*[A-Z]?\d")
_MAX_ENTRY = 140
_MAX_BETWEEN = 6  # rows between two lines with leaders of one list
_SURE = 10  # numbers in order that are the pages of a list, whatever other lines with leaders there are
_MAX_LINES = 3  # of an entry before the one with its leader
_ENTRY_KINDS = frozenset(("", "bullet", "letter"))


def mark_contents(rows: Sequence[Row], metrics: Metrics, ranged: bool, numbered: frozenset[int] = frozenset()) -> None:
    """Give the role ``contents`` to every line of a contents list. *ranged*: paragraphs have four or more digits.

    *numbered*: rows that end in the number of a paragraph, in the right margin.
    """
    _mark_regions(rows, metrics, numbered)
    register = _mark_leaders(rows)
    if ranged:
        _mark_ranges(rows, numbered | register)
    _mark_title_lists(rows)
    _mark_appendix_lists(rows)
    _fill(rows)


# --- under a "Contents" heading -------------------------------------------------------------------------------------


def _mark_regions(rows: Sequence[Row], metrics: Metrics, numbered: frozenset[int]) -> None:
    index = 0
    while index < len(rows):
        row = rows[index]
        title = " ".join(row.text.split()) if row.text[:1] in "CTMLScms" else ""
        if title and len(title) < 60 and (_TITLE.match(title) or _SUBPAGES.match(title)):
            end = (
                _bullets_end(rows, index + 1) if _SUBPAGES.match(row.text) else _region_end(rows, index + 1, metrics, numbered)
            )
            if end > index + 1:
                first = index
                while (
                    first and rows[first - 1].page == row.page and rows[first - 1].text[:1] == "[" and not rows[first - 1].role
                ):
                    first -= 1  # "[see ADM memo 1/25]" between the title and the list
                for entry in rows[first:end]:
                    entry.role = "contents"
                index = end
                continue
        index += 1


def _bullets_end(rows: Sequence[Row], start: int) -> int:
    """A list of subpages: bullets, and the second lines of entries, which are set further in."""
    end = start
    while end < len(rows) and (rows[end].kind == "bullet" or (end > start and _hangs(rows[end - 1], rows[end]))):
        end += 1
    return end


def _hangs(above: Row, row: Row) -> bool:
    return above.page == row.page and row.gap < 1.4 and not row.kind and row.x0 > above.x0


def _region_end(rows: Sequence[Row], start: int, metrics: Metrics, numbered: frozenset[int]) -> int:
    """The first row after *start* that is no entry: prose, or the heading with which the text begins."""
    end, index, titles = start, start, list[str]()
    while index < len(rows):
        row = rows[index]
        if index in numbered and leads(rows, row):
            break
        if row.kind != "bullet" and titles and _same(row.text, titles[0]) and not _ENTRY_END.search(row.text):
            break
        if not is_entry(rows, index):
            if index - end > 5 or (_is_prose(row, metrics) and not (len(titles) > 2 and _runs_over(rows, index))):
                break
            index += 1
            continue
        titles.append(_title_of(row.text))
        index += 1
        end = index
    return _with_loose_end(rows, end, index)


def _runs_over(rows: Sequence[Row], index: int) -> bool:
    """The first line of an entry whose number stands at the end of its second."""
    row, after = rows[index], rows[index + 1] if index + 1 < len(rows) else None
    if after is None or after.page != row.page or after.gap >= 1.3 or ends_sentence(row) or len(row.text) >= _MAX_ENTRY:
        return False
    return len(after.text) < 80 and is_entry(rows, index + 1) and not after.text[:1].isdigit()


def _with_loose_end(rows: Sequence[Row], end: int, stop: int) -> int:
    """Entries without a number ("Annotations", "Contacts") after the last one with: only where the text is known to begin."""
    if stop < len(rows) and stop - end <= 5 and end > 0 and all(len(row.text) < 40 for row in rows[end:stop]):
        return stop
    continues = end < len(rows) and rows[end - 1].kind == "bullet" and rows[end].x0 > rows[end - 1].x0 and rows[end].gap < 1.4
    return end + 1 if continues and end == stop else end


def is_entry(rows: Sequence[Row], index: int) -> bool:
    """Whether a row reads like a contents entry: a title ending in a number, or a number alone beside a title."""
    row = rows[index]
    if row.kind == "bullet":
        return True
    if _LEADERS.search(row.text) or _BARE.match(row.text):
        return True
    return len(row.text) < _MAX_ENTRY and _ENTRY_END.search(row.text) is not None


def _is_prose(row: Row, metrics: Metrics) -> bool:
    width = metrics.right - metrics.left
    return row.line.x1 - row.line.x0 > 0.8 * width or (ends_sentence(row) and len(row.text) > 50)


def _title_of(text: str) -> str:
    text = _LEADERS.sub("", text)
    found = _ENTRY_END.search(text)
    return text[: found.start()] if found else text


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold().strip(" .•") == " ".join(other.split()).casefold().strip(" .•") != ""


# --- dot leaders ----------------------------------------------------------------------------------------------------


def _mark_leaders(rows: Sequence[Row]) -> frozenset[int]:
    """Lines with leaders to numbers that only go up, as the pages of a list do; those of a register or worksheet do not.

    The rows of such registers.
    """
    runs: list[list[tuple[Row, str]]] = []
    for row in rows:
        if row.role or not ("..." in row.text or ". ." in row.text):
            continue
        found = _LEADERS.search(row.text)
        if found is None:
            continue
        last = runs[-1][-1][0] if runs else None
        if last is None or row.index - last.index > _MAX_BETWEEN or row.page > last.page + 1:
            runs.append([])
        runs[-1].append((row, found.group("target") or ""))
    order = [_order(run) for run in runs]
    scattered = sum(down for _, down in order) > 0.15 * sum(numbers for numbers, _ in order)
    register: set[int] = set()
    for run, (numbers, down) in zip(runs, order, strict=True):
        if not scattered or (numbers >= _SURE and not down):
            _mark_run(rows, run, numbers)
        else:
            register.update(row.index for row, _ in run)
    return frozenset(register)


def _order(run: Sequence[tuple[Row, str]]) -> tuple[int, int]:
    """How many lines lead to a plain number, and how many of those to a lower one than the line before."""
    numbers = [int(target) for _, target in run if target.isdecimal()]
    return len(numbers), sum(after < before for before, after in pairwise(numbers))


def _mark_run(rows: Sequence[Row], run: Sequence[tuple[Row, str]], numbers: int) -> None:
    pages = numbers >= max(3, 0.5 * len(run)) and not any(row.label == target for row, target in run)
    for row, _ in run:
        if "..." in row.text or pages:
            row.role = "contents"
            if not row.kind and pages:
                _mark_lines_above(rows, row)


def _mark_lines_above(rows: Sequence[Row], row: Row) -> None:
    """The first lines of an entry whose leader stands on a later one: up to the line that has its label."""
    lines: list[Row] = []
    while row.index and len(lines) < _MAX_LINES and row.gap < 1.4:
        row = rows[row.index - 1]
        if row.role or ends_sentence(row) or len(row.text) >= _MAX_ENTRY:
            return
        lines.append(row)
        if row.kind:
            for line in lines:
                line.role = "contents"
            return


# --- entries that end in paragraph numbers --------------------------------------------------------------------------


class Entry(NamedTuple):
    """A title with the range of paragraphs it names, on one to three lines."""

    first: int  # row indices, last excluded
    last: int
    low: int
    high: int


def _mark_ranges(rows: Sequence[Row], numbered: frozenset[int]) -> None:
    """Entries of mini-contents. The first of a run that covers the others, or has its text below it, is a heading."""
    run: list[Entry] = []
    index = 0
    while index < len(rows):
        entry = None
        if rows[index].kind in _ENTRY_KINDS and not rows[index].role and index not in numbered:
            entry = range_entry(rows, index, bool(run) and run[-1].last == index)
        if entry is None:
            if run and rows[index].role != "contents":
                _close_run(rows, run)
                run = []
            index += 1
            continue
        if run and rows[run[-1].first].page != rows[entry.first].page:
            _close_run(rows, run)
            run = []
        run.append(entry)
        index = entry.last
    _close_run(rows, run)


def range_entry(rows: Sequence[Row], index: int, after_entry: bool = False) -> Entry | None:
    """The entry that begins at a row: a short text of its own that ends in a paragraph number or a range of them.

    *after_entry*: the row above is one, so this one need not be set apart from it.
    """
    row = rows[index]
    text = row.text
    if row.role or len(text) > _MAX_ENTRY or not text or row.kind not in _ENTRY_KINDS:
        return None
    last = index + 1
    if not text[-1].isdigit():
        if last == len(rows) or not _takes_next_line(rows, index):
            return None
        text = f"{text} {rows[last].text}"
        last += 1
        if text[-1] in "-–—" and last < len(rows) and _takes_next_line(rows, last - 1):
            text = f"{text} {rows[last].text}"
            last += 1
    found = _RANGE_END.match(text) if text[-1].isdigit() else None
    if found is None or not _stands_alone(rows, index, found.group("title"), after_entry):
        return None
    low, high = found.group("low"), found.group("high") or found.group("low")
    if len(_digits(high)) < len(_digits(low)):
        high = low[: len(low) - len(_digits(high))] + _digits(high)
    return Entry(index, last, int(_digits(low)), int(_digits(high)))


def _takes_next_line(rows: Sequence[Row], index: int) -> bool:
    """Whether an unfinished entry goes on: a range broken after its dash, or a title broken before its number."""
    row, after = rows[index], rows[index + 1]
    if after.page != row.page or after.role:
        return False
    if row.text[-1] in "-–—" and _HALF_RANGE.search(row.text):
        return _BARE.match(after.text) is not None
    if not (after.text[-1].isdigit() or after.text[-1] in "-–—") or after.gap >= 1.3 or after.kind or len(after.text) >= 80:
        return False
    if after.bold != row.bold or ends_sentence(row) or _PROSE.search(row.text + " "):
        return False
    return _RANGE_END.match(after.text) is not None or _HALF_RANGE.search(after.text) is not None


def _stands_alone(rows: Sequence[Row], index: int, title: str, after_entry: bool) -> bool:
    row = rows[index]
    if row.kind != "bullet" and not (title[0].isupper() or title[0] in "“\"‘'["):
        return False
    if ";" in title or _REFERENCE_END.search(title) or _NO_ENTRY.match(title):
        return False
    before = rows[index - 1] if index else None
    if after_entry and before is not None and abs(before.x0 - row.x0) < 3:
        return True
    return before is None or row.gap >= 1.3 or row.bold or bool(before.role) or before.bold or ends_sentence(before)


def _close_run(rows: Sequence[Row], run: list[Entry]) -> None:
    if not run:
        return
    first = run[0]
    row = rows[first.first]
    covers = all(first.low <= entry.low and entry.high <= first.high for entry in run[1:])
    alone = len(run) == 1 and (row.bold or first.first == 0 or rows[first.first - 1].page != row.page)
    heads = row.kind != "bullet" and (alone or (covers and len(run) > 1))
    for entry in run[1:] if heads else run:
        for position in range(entry.first, entry.last):
            rows[position].role = "contents"


def _digits(label: str) -> str:
    return label.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


# --- lists of example titles ----------------------------------------------------------------------------------------


def _mark_title_lists(rows: Sequence[Row]) -> None:
    """Three and more example titles in a row, with no text between them, are a list of them."""
    run: list[Row] = []
    expected = 0
    for row in rows:
        found = _EXAMPLE.match(row.text) if row.text[:7] == "Example" else None
        if not run and found is None:
            continue
        number = int(found.group(1)) if found else 0
        if found and (not run or number == expected) and not row.role:
            run.append(row)
            expected = number + 1
        elif found or not _may_stand_between(row, run):
            _close_titles(rows, run)
            run, expected = ([row], number + 1) if found and not row.role else ([], 0)
    _close_titles(rows, run)


def _may_stand_between(row: Row, run: list[Row]) -> bool:
    return row.index <= run[-1].index + 1 and len(row.text) < 60 and not ends_sentence(row)


def _close_titles(rows: Sequence[Row], run: list[Row]) -> None:
    if len(run) >= 3:
        for row in rows[run[0].index : run[-1].index + 1]:
            row.role = row.role or "contents"


def _mark_appendix_lists(rows: Sequence[Row]) -> None:
    """The titles below an appendix's own title, each of which comes again as a heading."""
    titles = [row.index for row in rows if row.text[:1] in "AS" and not row.role and _APPENDIX.match(row.text)]
    later = {row.text.casefold(): row.index for row in rows if len(row.text) < 100} if titles else {}
    for index in titles:
        if rows[index].role:
            continue  # it stands in the list of the one before
        first = index + 1
        while first < len(rows) and first < index + 3 and later.get(rows[first].text.casefold(), -1) <= first + 1:
            first += 1
        last = first
        while (
            last < len(rows)
            and not rows[last].role
            and not rows[last].kind
            and later.get(rows[last].text.casefold(), -1) > last + 1
        ):
            last += 1
        if last < len(rows) and last > first and not rows[last].kind and _shape(rows[last]) == _shape(rows[last - 1]):
            last += 1
        if last - first >= 3:
            for entry in rows[first:last]:
                entry.role = "contents"


def _shape(row: Row) -> str:
    return re.sub(r"\d+", "#", row.text)


# --- between entries ------------------------------------------------------------------------------------------------


def _fill(rows: Sequence[Row]) -> None:
    """Headings inside a contents list: short lines with an entry above and below on the same page."""
    last = -1
    for index, row in enumerate(rows):
        if row.role != "contents":
            continue
        between = rows[last + 1 : index] if last >= 0 else []
        if 0 < len(between) <= 4 and rows[last].page == row.page and all(_fits(other) for other in between):
            for other in between:
                other.role = "contents"
        elif last < 0 or rows[last].page != row.page:
            _fill_page_top(rows, index)
        last = index


def _fits(row: Row) -> bool:
    return not row.role and len(row.text) < 80 and row.kind not in ("flat", "lettered") and not ends_sentence(row)


def _fill_page_top(rows: Sequence[Row], index: int) -> None:
    """A contents list that goes on at the head of a page may begin there with a heading of its own."""
    if not _LEADERS.search(rows[index].text):
        return
    first = index
    while first > 0 and rows[first - 1].page == rows[index].page:
        first -= 1
    if index - first <= 3 and all(_fits(row) for row in rows[first:index]):
        for row in rows[first:index]:
            row.role = "contents"
