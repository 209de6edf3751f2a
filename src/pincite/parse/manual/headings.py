"""Which lines are headings, and what stands below which.

With fonts a heading is larger or bold; without, it is a short line of its own right before a numbered paragraph. Levels come
from what the manual itself says: a heading with a range of paragraphs holds the headings inside that range, a mini-contents
entry gives its heading the entry's range; else from size and weight.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pincite.parse.manual.flow import HEADER, TABLE, Metrics, Row, ends_sentence
from pincite.parse.manual.spacing import close_up

RANGE_END = re.compile(r"\s+([A-Z]?\d{4,6})(?:\s*[-–—]\s*([A-Z]?\d{2,6}))?\s*$")
_CUE = re.compile(
    r"(?:Notes?(?![a-z])|Examples?(?![a-z])|Box\b|Table\b|Figure\b|©|Crown\s?copyright|The\s?content\s?of\s?the\s?examples)",
    re.IGNORECASE,
)
_BOX = re.compile(r"(?:Box|Table|Figure|Chart|Diagram)\s*[A-Z]?\d", re.IGNORECASE)
_UNFINISHED = re.compile(r"\b(?:and|or|of|the|to|a|an|in|for|with|by)$|;|^(?:AND|OR|and|or)$")
_LABEL_ALONE = re.compile(r"(?:Chapter|Part|Section|Volume|Module)\s+(?:\d{1,3}|[A-Z]|[IVX]+)\s*[:.]?\s*$", re.IGNORECASE)
_UPPER = re.compile(r"[^a-z]*[A-Z]{2}[^a-z]*$")
APPENDIX = re.compile(
    r"(Exhibit)\s+(\d+(?:\.\d+)+-\d+)|(Appendix|Annex|ANNEX|APPENDIX|Schedule)\s*([A-Z]?\d{1,2}(?:\.\d{1,2})?[A-Z]?|[A-Z])\b"
    r"(?!\s*(?:to|of|and|for|shows?|gives?|contains?)\b)"
)
CONTINUED = re.compile(r"\(?\bcont(?:inued|\.|'d|d\b)", re.IGNORECASE)
_DATE = re.compile(
    r"(?:\d{1,2}(?:st|nd|rd|th)? )?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r",? (?:\d{1,2}, )?\d{4}$",
    re.IGNORECASE,
)
_LONGEST = 360  # characters of a heading
_TITLE_SIZE = 1.12


class Heading(NamedTuple):
    """One heading, on one or more rows: ``rows[first:last]``."""

    first: int
    last: int
    text: str
    rank: tuple[float, ...]  # smaller stands higher
    low: int  # the range it names, or 0
    high: int
    appendix: str  # "Appendix 1", or ""


def find_headings(
    rows: Sequence[Row],
    numbers: Mapping[int, int | None],
    metrics: Metrics,
    listed: Listed,
    stops: bool = True,
    bold: frozenset[int] = frozenset(),
) -> list[Heading]:
    """All headings. *numbers*: rows that begin a paragraph, with its number where ranges of titles count it.

    *bold*: those of them whose text is set in bold. *stops*: whether paragraphs are numbered ``1.``; where they are not,
    a bold ``1. Context`` is a title.
    """
    starts = frozenset(numbers)
    following = sorted(index for index, number in numbers.items() if number is not None)
    looks: list[bool] = []
    told = {row.page for row in rows if row.spaced and (row.bold or row.size >= _TITLE_SIZE * metrics.size)}
    for index, row in enumerate(rows):
        second = index > 0 and looks[-1] and (not metrics.fonts or row.spaced) and _second_line(rows[index - 1], row)
        looks.append(_looks(rows, index, starts, metrics, stops, row.page in told) or (second and index not in starts))
    for first in bold:
        for index in range(first + 1, _end_of_bold(rows, first)):
            looks[index] = False
    if not metrics.fonts:
        _only_before_paragraphs(rows, looks, starts)
    else:
        _add_plain_titles(rows, looks, starts, metrics)
        _drop_titles_in_boxes(rows, looks, starts, metrics)
    headings, index = [], 0
    while index < len(rows):
        if not looks[index]:
            index += 1
            continue
        last = index + 1
        last = _end_of(rows, last, looks, metrics)
        if last < len(rows) and looks[last] and _is_label_of(rows, index, last):
            last = _end_of(rows, last + 1, looks, metrics)
        if sum(len(row.text) for row in rows[index:last]) <= _LONGEST:  # else a paragraph set in bold
            position = bisect_left(following, last)
            number = numbers[following[position]] if position < len(following) else None
            headings.append(_heading(rows, index, last, metrics, listed, number))
        index = last
    return headings


def _end_of_bold(rows: Sequence[Row], first: int) -> int:
    """Where the close lines of one bold type end that begin at a row."""
    last = first + 1
    while last < len(rows) and rows[last].bold and rows[last].gap < 1.35 and abs(rows[last].size - rows[first].size) < 0.5:
        last += 1
    return last


def _end_of(rows: Sequence[Row], last: int, looks: Sequence[bool], metrics: Metrics) -> int:
    """Where the heading ends that row *last* - 1 belongs to."""
    while last < len(rows) and looks[last] and continues(rows[last - 1], rows[last], metrics):
        last += 1
    return last


def _is_label_of(rows: Sequence[Row], first: int, last: int) -> bool:
    """ "Chapter 2" on a line of its own above "Use of Public Funds": one heading."""
    row, title = rows[first], rows[last]
    if last != first + 1 or title.page != row.page or title.side or title.gap > 5 or title.size < row.size:
        return False
    return _LABEL_ALONE.match(row.text) is not None and _LABEL_ALONE.match(title.text) is None


def _second_line(above: Row, row: Row) -> bool:
    """Without fonts: the rest of a title, in lower case close below a long first line."""
    if row.role or row.gap >= 1.2 or len(above.line.text) <= 35 or len(row.text) >= 80:
        return False
    return row.text[:1].islower() and not ends_sentence(row)


def _looks(rows: Sequence[Row], index: int, starts: frozenset[int], metrics: Metrics, stops: bool, told: bool = False) -> bool:
    """*told*: on this page of spread letters, titles are told by their type all the same."""
    row = rows[index]
    if row.role or index in starts:
        return False
    by_font = metrics.fonts and (told or not row.spaced)
    if by_font and _is_ordinary(row, metrics) and not _is_alone_on_page(rows, index):
        return False
    if len(row.text) > 160 or _CUE.match(row.text) or (_is_figures(row.text) and not row.side):
        return False
    if _DATE.match(row.text):
        return False  # of a cover
    if by_font:
        return _looks_by_font(rows, index, metrics, starts) or (not stops and _is_numbered_title(rows, index, metrics))
    return _looks_by_place(rows, index, metrics)


def _is_ordinary(row: Row, metrics: Metrics) -> bool:
    """Set like running text."""
    return not row.bold and not row.side and row.size < _TITLE_SIZE * metrics.size


def _is_figures(text: str) -> bool:
    """A row of numbers: part of a table, however it is set."""
    return text[:1].isdigit() and sum(map(str.isalpha, text)) < sum(map(str.isdigit, text)) and len(text.split()) > 2


def _looks_by_font(rows: Sequence[Row], index: int, metrics: Metrics, starts: frozenset[int]) -> bool:
    """Larger than running text or bold, and not inside a sentence, a box or a table."""
    row = rows[index]
    large = row.size >= _TITLE_SIZE * metrics.size
    if row.side or _is_alone_on_page(rows, index):
        return True
    if row.mark == HEADER or (not large and (_is_head_of_table(rows, index) or _is_sum(row))):
        return False
    if not large and (not row.bold or row.kind in ("bullet", "stop", "mixed", "half") or not _ends_like_title(rows, index)):
        return False
    if large and row.kind == "bullet":
        return False
    before = rows[index - 1] if index else None
    if before is None or large or before.role:
        return True
    if index + 1 in starts and rows[index + 1].gap >= 1.3 and row.text[:1].isupper() and not row.kind:
        return True  # right above a paragraph, however close to the text before
    inline = row.gap < 1.15 and not before.bold and not ends_sentence(before) and before.size < _TITLE_SIZE * metrics.size
    return not inline and not _next_is_same_sentence(rows, index)


def _ends_like_title(rows: Sequence[Row], index: int) -> bool:
    """Without a stop; or with one, but short and alone between two spaces."""
    row, after = rows[index], rows[index + 1] if index + 1 < len(rows) else None
    if not row.text.endswith((".", ":", ";", ",")):
        return True
    alone = row.gap >= 1.6 and (after is None or after.page != row.page or after.gap >= 1.6)
    return alone and row.text[-1] == "." and len(row.text) < 60 and ". " not in row.text and not row.kind


def _is_numbered_title(rows: Sequence[Row], index: int, metrics: Metrics) -> bool:
    """``1. Context`` in bold, apart from what is above and below it, where paragraphs are numbered in another way."""
    row, after = rows[index], rows[index + 1] if index + 1 < len(rows) else None
    if row.kind != "stop" or not row.bold or row.mark or not 3 < len(row.text) - row.rest < 90 or ends_sentence(row):
        return False
    apart = row.gap >= 1.3 or (index > 0 and bool(rows[index - 1].role))
    return (
        apart and row.text[row.rest :].lstrip()[:1].isupper() and (after is None or after.page != row.page or after.gap >= 1.2)
    )


def _is_alone_on_page(rows: Sequence[Row], index: int) -> bool:
    """A short line with nothing else on its page divides the parts of a manual: ``Annex 6``."""
    row = rows[index]
    if not 0 < index < len(rows) - 1 or rows[index - 1].page == row.page or rows[index + 1].page == row.page:
        return False
    return not row.kind and len(row.text) <= 60 and row.text[:1].isupper() and not ends_sentence(row)


def _is_head_of_table(rows: Sequence[Row], index: int) -> bool:
    """A bold line in columns close above the rows of a table names its columns."""
    row = rows[index]
    after = rows[index + 1] if index + 1 < len(rows) else None
    if after is None or after.page != row.page or after.gap >= 1.6 or not after.line.cells or after.bold:
        return False
    return "   " in row.text or bool(row.line.cells)


def _is_sum(row: Row) -> bool:
    """A bold row of a table with figures in its cells: ``Total 7,700 8,027``."""
    return row.mark == TABLE and len(row.line.cells) > 1 and sum(word[-1:].isdigit() for word in row.text.split()) > 1


def _next_is_same_sentence(rows: Sequence[Row], index: int) -> bool:
    """A bold line is no heading where the text goes on below it, close and in lower case."""
    row = rows[index]
    after = rows[index + 1] if index + 1 < len(rows) else None
    return after is not None and not after.bold and after.gap < 1.2 and after.page == row.page and after.text[:1].islower()


def _looks_by_place(rows: Sequence[Row], index: int, metrics: Metrics) -> bool:
    row = rows[index]
    text = row.text
    if row.kind not in ("", "letter", "alpha") or len(text) > 110 or not (text[:1].isupper() or text[:1] in "“\"‘'"):
        return False
    if (ends_sentence(row) and not text.endswith("?")) or ";" in text:
        return False
    if row.x0 > metrics.left + 0.5 * (metrics.right - metrics.left):
        return False
    before = rows[index - 1] if index else None
    return before is None or row.gap >= 1.4 or before.page != row.page or bool(before.role) or not before.kind


def _only_before_paragraphs(rows: Sequence[Row], looks: list[bool], starts: frozenset[int]) -> None:
    """Without fonts a heading stands right before a paragraph, another heading or a contents list; or is all capitals."""
    for index in range(len(rows) - 1, -1, -1):
        if not looks[index]:
            continue
        after = index + 1
        row = rows[index]
        if after < len(rows) and rows[after].page == row.page and RANGE_END.search(f"{row.text} {rows[after].text}"):
            looks[after] = looks[after] or (len(rows[after].text) < 12 and row.text[-1:] in "-–—")
        governs = after < len(rows) and (after in starts or looks[after] or rows[after].role == "contents")
        looks[index] = governs or _UPPER.match(row.text) is not None or APPENDIX.match(row.text) is not None


def _add_plain_titles(rows: Sequence[Row], looks: list[bool], starts: frozenset[int], metrics: Metrics) -> None:
    """A title that is set like running text: one short line on its own, well apart, right above a paragraph or a title."""
    for index in range(len(rows) - 2, -1, -1):
        if not (looks[index + 1] or index + 1 in starts):
            continue
        row, after = rows[index], rows[index + 1]
        if looks[index] or row.role or row.spaced or index in starts or row.mark == HEADER or row.line.cells or after.side:
            continue
        if after.page == row.page and after.gap < 1.15:
            continue
        looks[index] = row.gap >= 1.6 and _may_begin(rows, index, metrics) and _reads_like_title(row, metrics)


def _may_begin(rows: Sequence[Row], index: int, metrics: Metrics) -> bool:
    """Whether what stands above is finished: a sentence, another page, a list further in; a centred line always begins."""
    row, before = rows[index], rows[index - 1] if index else None
    if before is None or before.page != row.page or before.role or ends_sentence(before):
        return True
    centre = (metrics.left + metrics.right) / 2
    return row.x0 < before.x0 - 6 or (abs((row.x0 + row.line.x1) / 2 - centre) < 6 and row.x0 > metrics.left + 30)


def _reads_like_title(row: Row, metrics: Metrics) -> bool:
    text = row.text
    if row.kind or not 3 < len(text) <= 80 or not text[0].isupper() or ends_sentence(row) or _CUE.match(text):
        return False
    width = metrics.right - metrics.left
    return text[-1] not in ",-–—(&" and row.line.x1 < metrics.right - 0.2 * width and _UNFINISHED.search(text) is None


def _drop_titles_in_boxes(rows: Sequence[Row], looks: list[bool], starts: frozenset[int], metrics: Metrics) -> None:
    """Bold lines below the title of a box, a table or a figure, up to the next paragraph, are its own."""
    box: Row | None = None
    for index, row in enumerate(rows):
        if index in starts or (box is not None and row.page != box.page):
            box = None
        if box is not None and looks[index] and abs(row.x0 - box.x0) < 3 and row.size <= box.size + 0.3:
            looks[index] = False
        elif row.bold and not row.role and len(row.text) < 120 and _BOX.match(row.text):
            box = row


def continues(above: Row, row: Row, metrics: Metrics) -> bool:
    """Whether two heading lines are one heading: close together, in the same type, the first not complete."""
    if above.page != row.page or row.side != above.side:
        return False
    if row.side:
        return row.gap < 90 or above.line.baseline + 1.9 * above.size > row.line.baseline
    full = above.line.x1 > metrics.right - 0.2 * (metrics.right - metrics.left)  # the next word had no room
    close = row.gap * metrics.leading < (1.75 if full else 1.45) * max(row.size, 0.8 * metrics.leading)
    if above.text[-1:] in "-–—":
        return row.gap < 3.0
    if not metrics.fonts or row.spaced:
        if _UPPER.match(above.text) or _UPPER.match(row.text):
            return row.gap < 1.2 and _UPPER.match(above.text) is not None and _UPPER.match(row.text) is not None
        return row.gap < 1.2 and (row.text[:1].islower() or len(above.text) > 60)
    return close and abs(row.size - above.size) < 0.3 and row.bold == above.bold


def _heading(rows: Sequence[Row], first: int, last: int, metrics: Metrics, listed: Listed, number: int | None) -> Heading:
    row = rows[first]
    text = " ".join(close_up(other.line.text) if other.spaced else other.text.strip() for other in rows[first:last])
    found = RANGE_END.search(text)
    low, high = _range(found.group(1), found.group(2)) if found else _listed_range(listed.get(text.casefold(), ()), number)
    appendix = APPENDIX.match(text)
    rank: tuple[float, ...]
    if metrics.fonts and not row.spaced:
        largest = max(other.size for other in rows[first:last])
        rank = (-round(largest, 1), not row.bold, not _UPPER.match(text))
    else:
        rank = (0.0 if _UPPER.match(text) else 1.0 if text.casefold() in listed or found else 2.0,)
    word, *rest = [part for part in appendix.groups() if part] if appendix else [""]
    return Heading(first, last, text, rank, low, high, " ".join((word.capitalize(), *rest)))


def _range(low: str, high: str | None) -> tuple[int, int]:
    first = low.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    last = (high or low).lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    if len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    return int(first), int(last)


Listed = Mapping[str, Sequence[tuple[int, int]]]
"""Titles of contents entries, case folded, with the ranges of paragraphs they name: a title may stand in several lists."""


def listed_titles(rows: Sequence[Row]) -> Listed:
    """What the contents lists say of each title."""
    found: dict[str, list[tuple[int, int]]] = {}
    for row in rows:
        if row.role == "contents":
            match = RANGE_END.search(row.text)
            if match:
                title = row.text[: match.start()].strip(" .•").casefold()
                found.setdefault(title, []).append(_range(match.group(1), match.group(2)))
    return found


def _listed_range(ranges: Sequence[tuple[int, int]], number: int | None) -> tuple[int, int]:
    """Of the ranges that contents lists give a title, the one that holds the next paragraph: "General" stands in many."""
    if number is None:
        return ranges[0] if ranges else (0, 0)
    return min(((high - low, low, high) for low, high in ranges if low <= number <= high), default=(0, 0, 0))[1:]
