"""Lines of a plain text that are not its own: running heads and feet, contents lists. And the lines by which it is divided."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pincite.parse.numbers import split_number

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_PAGE = re.compile(
    r"\s*(?:\[?page:?\s+\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?\]?|[-–—]\s*\d{1,4}\s*[-–—])\s*\Z|.*\s\[page \d{1,4}\]\s*\Z",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_LEADERS = re.compile(r"(?P<name>\S.*?)[ \t]*(?:\.{3,}|(?:\.[ ]){3,}|…{2,})[ .]*\s*(?P<page>\d{1,4}|[ivxlc]{1,6})\s*\Z")
_CONTENTS = re.compile(r"\s*(?:table of )?contents\s*:?\s*\Z", re.IGNORECASE)
_RUNNING_LIMIT = 120
"""Characters above which a line is no running head."""


class Line(NamedTuple):
    """A line of the file, in characters, line end included."""

    text: str
    start: int
    end: int


def lines_of(text: str) -> list[Line]:
    """Every line of a text, blank ones too."""
    return [Line(found.group(), found.start(), found.end()) for found in _LINE.finditer(text) if found.group()]


def furniture(lines: Sequence[Line]) -> frozenset[int]:
    """Where the lines begin that a printer put on each page: heads and feet that come again beside form feeds, page numbers."""
    numbers = [line.start for line in lines if _is_page_number(line.text)]
    found = set(numbers) if len(numbers) > 1 else set[int]()
    edges = list(_edges(lines)) if any("\f" in line.text for line in lines) else []
    alike: dict[str, list[Line]] = {}
    for line in edges:
        alike.setdefault(_key(line), []).append(line)
    for same in alike.values():
        if len(same) > 1 and len(same[0].text) <= _RUNNING_LIMIT and _runs_on(same):
            found |= {line.start for line in same}
    if numbers:  # the head of the second of two pages has nothing to be compared with
        found |= {line.start for line in edges if line.text.startswith("\f") and "   " in line.text.strip()}
    return frozenset(found)


def _is_page_number(text: str) -> bool:
    last = text.rstrip()[-1:]
    return (last.isdigit() or last in ("]", "-", "–", "—")) and len(text) <= _RUNNING_LIMIT and bool(_PAGE.match(text))


def _edges(lines: Sequence[Line]) -> Iterator[Line]:
    """The first and the last line with words of each page, where form feeds divide pages."""
    pages: list[list[Line]] = [[]]
    for line in lines:
        if "\f" in line.text:
            pages.append([])
        if line.text.strip():
            pages[-1].append(line)
    if len(pages) > 1:
        for page in pages:
            yield from page[:1] if len(page) == 1 else (page[0], page[-1]) if page else ()


def _runs_on(lines: Sequence[Line]) -> bool:
    """Whether lines that differ in numbers at most are the same, or count the pages: sums at the foot of each do neither."""
    numbers = [tuple(map(int, _DIGITS.findall(line.text))) for line in lines]
    if len(set(numbers)) == 1:
        return True
    return any(all(after[at] == before[at] + 1 for before, after in pairwise(numbers)) for at in range(len(numbers[0])))


def _key(line: Line) -> str:
    return _DIGITS.sub("#", " ".join(line.text.split()))


def is_contents(lines: Sequence[Line]) -> bool:
    """Whether lines are entries of a contents list: words, dots, a page number."""
    return 2 * sum(map(_is_entry, lines)) > len(lines)


def _is_entry(line: Line) -> bool:
    text = line.text
    return (".." in text or ". ." in text or "…" in text) and bool(_LEADERS.match(text.strip()))


def is_contents_title(lines: Sequence[Line]) -> bool:
    """Whether it is the line above a contents list."""
    return len(lines) == 1 and bool(_CONTENTS.match(lines[0].text))


def entries(lines: Sequence[Line]) -> Iterator[str]:
    """What the entries of a contents list are called, without number, in small letters."""
    for line in lines:
        if found := _LEADERS.match(line.text.strip()):
            yield folded(split_number(" ".join(found["name"].split()))[1])


def folded(words: str) -> str:
    return " ".join(words.split()).strip(" .").casefold()
