"""How a delimited file is delimited: its records, its delimiter and quotation mark, and which rows name its columns."""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import accumulate, chain, islice
from typing import NamedTuple, Protocol

from pincite.parse.formats import parameters

SAMPLE_ROWS = 200
"""Records that are looked at to find the dialect."""
RUNAWAY_LINES = 50
"""Lines in one record above which its quotation mark is taken to be never closed, unless the record has all its cells."""
PIECE = 1 << 16
"""Characters that are divided into lines at a time."""

_DELIMITERS = ",;\t|"
_NUMBER = re.compile(r"[-+(]?\s*[€$£]?\s*\d[\d\s.,'’]*\s*[%€$£)]?\Z|\d{1,4}([-/.])\d{1,2}\1\d{1,4}([T ]\d.*)?\Z")
_YEAR = re.compile(r"(19|20)\d\d\Z")
_BETWEEN_DIGITS = re.compile(r"(?<=\d),(?=\d)")
_SAMPLE_END = 400_000
_ESCAPED = re.compile(r'\\"(?![",;\t|\r\n]|\Z)')
_DOUBLED = re.compile(r'[^,;\t|\r\n"\\]""[^,;\t|\r\n"]')
SEPARATOR = re.compile(r"sep=(.)\s*\Z", re.IGNORECASE)
_SPACED = re.compile(r'[,;|]\ +"[^"\n]*"[ ]*(?:[,;|\r\n]|\Z)')
_UNIT_LIMIT = 12
"""Characters of the longest unit of a column."""
_DIGIT = re.compile(r"\d")


class Marks(NamedTuple):
    """The signs of a file: what divides cells, what encloses them."""

    delimiter: str
    quote: str  # "" where nothing is quoted
    escape: str = ""
    spaced: bool = False


class Dialect(NamedTuple):
    """How a file is delimited. ``quote`` is "" where nothing is quoted."""

    delimiter: str
    quote: str
    columns: tuple[str, ...]  # names from the header, or "Column 1", ...
    skipped: int  # lines above the header, or above the first record where there is none
    heads: int  # records that name the columns: 0, 1 or 2
    escape: str = ""  # a backslash where that, and no second quotation mark, stands before one inside a cell
    spaced: bool = False  # a blank stands between a delimiter and the quotation mark of a cell

    @property
    def marks(self) -> Marks:
        """How its records are told apart."""
        return Marks(self.delimiter, self.quote, self.escape, self.spaced)


class Rows(Protocol):
    """What :func:`csv.reader` returns."""

    line_num: int  # lines taken so far

    def __iter__(self) -> Iterator[list[str]]: ...


class Record(NamedTuple):
    """One record with its place, in characters of the file, line end included."""

    cells: list[str]
    start: int
    end: int


def lines_of(text: str, start: int = 0) -> Iterator[str]:
    """The lines of *text* from character *start* on, each with what ends it: ``\\n``, ``\\r\\n`` or ``\\r``."""
    return chain.from_iterable(StringIO(piece, newline="") for piece in _pieces(text, start))


def _pieces(text: str, at: int) -> Iterator[str]:
    """Whole lines together, so that nothing but a piece is in memory once more."""
    while at < len(text):
        end = text.find("\n", at + PIECE) + 1 or len(text)
        yield text[at:end]
        at = end


def records(text: str, marks: Marks, expected: int = 0, start: int = 0) -> Iterator[Record]:
    """Every record of *text* from character *start* on.

    Where quotation marks are not closed, or make several lines one record without the *expected* number of cells although the
    first line alone has it, the first line is a record of its own.
    """
    csv.field_size_limit(max(csv.field_size_limit(), min(sys.maxsize, 2**31 - 1)))
    at, new = start, tuple.__new__
    while True:
        rows, seen = _rows(lines_of(text, at), marks), 0
        ends = accumulate(map(len, lines_of(text, at)), initial=at)  # of each line that the rows above are made from
        next(ends)
        try:
            for row in rows:
                taken, seen = rows.line_num - seen, rows.line_num
                end = next(ends) if taken == 1 else next(islice(ends, taken - 1, None))
                if taken > 1 and expected and len(row) != expected and _is_runaway(text, at, taken, marks.delimiter, expected):
                    break
                yield new(Record, (row, at, end))
                at = end
            else:
                return
        except csv.Error:  # a quotation mark where none may be; before Python 3.11 also a null byte
            pass
        first = next(lines_of(text, at))
        yield Record(_loosely(first, marks), at, at + len(first))
        at += len(first)


def _loosely(line: str, marks: Marks) -> list[str]:
    """The cells of a line whose quotation marks do not fit: inside a cell they are letters; an open one too."""
    if marks.quote and line.count(marks.quote) % 2 == 0:
        try:
            return next(csv.reader([line], delimiter=marks.delimiter, quotechar=marks.quote, skipinitialspace=marks.spaced))
        except (csv.Error, StopIteration):
            pass
    return line.rstrip("\r\n").split(marks.delimiter)


def _is_runaway(text: str, at: int, taken: int, delimiter: str, expected: int) -> bool:
    """Whether a record of several lines is none: too many of them, or the first alone is one."""
    return taken > RUNAWAY_LINES or next(lines_of(text, at)).count(delimiter) == expected - 1


def _rows(lines: Iterator[str], marks: Marks) -> Rows:
    delimiter, quote, escape, spaced = marks
    if quote and escape:
        return csv.reader(lines, delimiter=delimiter, quotechar=quote, strict=True, doublequote=False, escapechar=escape)
    if quote:
        return csv.reader(lines, delimiter=delimiter, quotechar=quote, strict=True, skipinitialspace=spaced)
    return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)


# --- the dialect --------------------------------------------------------------------------------------------------------


def detect(text: str, media_type: str = "") -> Dialect:
    """The dialect of *text*; what the media type declares is taken as it is."""
    declared = parameters(media_type)
    first = text[: text.find("\n") + 1 or len(text)]
    told = SEPARATOR.match(first)
    start = len(first) if told else 0
    delimiter = declared.get("delimiter", "") or (told.group(1) if told else "")
    delimiter = {"tab": "\t", "\\t": "\t", "space": " "}.get(delimiter, delimiter)[:1]
    if not delimiter and media_type.startswith("text/tab-separated-values"):
        delimiter = "\t"
    quote = _quote(text[start : start + 50_000])
    escape = _escape(text[start : start + _SAMPLE_END]) if quote == '"' else ""
    sample = text[: start + _SAMPLE_END]
    spaced = quote == '"' and bool(_SPACED.search(sample))
    sampled = {
        mark: list(islice(records(sample, Marks(mark, quote, escape, spaced), start=start), SAMPLE_ROWS))
        for mark in (delimiter or _DELIMITERS)
    }
    delimiter = max(sampled, key=lambda mark: _regularity(sampled[mark], mark))
    found = _with_header(sampled[delimiter], delimiter, quote, declared.get("header", ""), bool(told))
    return found._replace(escape=escape, spaced=spaced)


def _quote(sample: str) -> str:
    if '"' not in sample and len(re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\r\n])", sample)) > 3:
        return "'"
    return '"'


def _escape(sample: str) -> str:
    """A backslash where it stands before quotation marks inside cells, as databases and Spark write them."""
    return "\\" if _ESCAPED.search(sample) and not _DOUBLED.search(sample) else ""


def _regularity(sample: list[Record], delimiter: str) -> tuple[float, int, bool]:
    """How much a sample looks like a table: the share of records with the commonest number of cells, above one."""
    widths = Counter(len(record.cells) for record in sample if any(record.cells))
    total = sum(widths.values())
    wide = [(count, width) for width, count in widths.items() if width > 1]
    if not wide:
        return 0.0, 0, False
    count, width = max(wide)
    share = round(count / total, 1)
    if delimiter == ",":
        words = " ; ".join(["; ".join(record.cells) if len(record.cells) < 2 else ",".join(record.cells) for record in sample])
        if len(_BETWEEN_DIGITS.findall(words)) > 0.8 * words.count(","):
            share /= 2  # decimal commas, unless nothing else makes columns
    return share, width, delimiter != ","


def _with_header(sample: list[Record], delimiter: str, quote: str, declared: str, told: bool) -> Dialect:
    """The dialect with the names of its columns: from the first record as wide as most, if it looks like names."""
    sample = _first_table(sample)
    widths = Counter(len(record.cells) for record in sample if any(record.cells))
    wide = [(count, width) for width, count in widths.items() if width > 1] or [(1, 1)]
    width = max(wide)[1]
    above, heads = _head([record.cells for record in sample], width)
    rows = [record.cells for record in sample[above:] if any(record.cells)]
    headed = declared != "absent" and bool(rows) and (declared == "present" or heads > 1 or looks_like_names(rows))
    columns = names_of(rows[:heads]) if headed else names_of([[""] * width])
    return Dialect(delimiter, quote, columns, above + told, heads if headed else 0)


def _first_table(sample: list[Record]) -> list[Record]:
    """The records up to the first empty one, where they are a table by themselves: others may follow that are wider."""
    end = next((at for at, record in enumerate(sample) if at and not any(record.cells) and any(sample[at - 1].cells)), 0)
    wide = [record.cells for record in sample[:end] if len(record.cells) > 1]
    alone = len(wide) > 2 and all(len(row) == len(wide[0]) for row in wide) and _evidence(wide) > 0
    return sample[:end] if alone else sample


def names_of(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The names of columns that one row gives, or two of which the upper spans columns of the lower ("2024" over "Cost")."""
    names = [" ".join(cell.split()) for cell in rows[-1]]
    if len(rows) > 1:
        above = ""
        for number, cell in enumerate(rows[0]):
            above = " ".join(cell.split()) or above
            names[number] = f"{above} {names[number]}".strip()
    return tuple(name or f"Column {number}" for number, name in enumerate(names, 1))


def _head(rows: list[list[str]], width: int) -> tuple[int, int]:
    """Where the first row stands that may name columns, and how many do: two where the upper spans columns of the lower.

    It is the first that is filled for the most part; the first as wide as most where remarks with a delimiter stand above it.
    """
    filled = [sum(map(bool, map(str.strip, row))) > width // 2 for row in rows]
    at = next((at for at, full in enumerate(filled) if full), 0)
    exact = next((place for place in range(at, len(rows)) if filled[place] and len(rows[place]) == width), at)
    if exact > at:
        below = [row for row in rows[exact:] if any(row)]
        apart = exact - at > 1 or not all(map(any, rows[at:exact]))
        at = exact if apart or _evidence(below) > 0 else at
    for upper in (at - 1, at):
        if 0 <= upper < len(rows) - 1 and _spans(rows[upper], rows[upper + 1]):
            return upper, 2
    return at, 2 if _are_units(rows[at + 1 :]) else 1


def _are_units(rows: list[list[str]]) -> bool:
    """Whether the first row gives the units of columns that are numbers below it: "s", "m/s", "°C"."""
    if len(rows) < 2 or len(rows[0]) < 2 or not all(0 < len(cell.strip()) <= _UNIT_LIMIT for cell in rows[0]):
        return False
    below = [row for row in rows[1:] if len(row) == len(rows[0])]
    numbers = all(map(_NUMBER.match, (cell.strip() for row in below for cell in row)))
    return len(below) > 1 and numbers and not any(_NUMBER.match(cell.strip()) for cell in rows[0])


def _spans(upper: list[str], lower: list[str]) -> bool:
    """Whether the cells of a row stand over several columns each, whose names would not tell them apart."""
    if len(upper) != len(lower) or sum(bool(cell.strip()) for cell in upper) < 2:
        return False
    names = [cell.strip() for cell in lower if cell.strip()]
    first = next(at for at, cell in enumerate(upper) if cell.strip())
    gaps = sum(not above.strip() and bool(below.strip()) for above, below in zip(upper[first:], lower[first:], strict=True))
    plain = not any(_NUMBER.match(name) and not _YEAR.match(name) for name in names)
    return gaps > 0 and plain and len(set(names)) < len(names)


def looks_like_names(rows: Sequence[list[str]], least: int = 0) -> bool:
    """Whether the first record names the columns: no values of the kind that stand below it. *least*: of evidence."""
    named = [cell.strip() for cell in rows[0] if cell.strip()]
    if not named or len(named) < 0.5 * len(rows[0]):
        return False
    evidence = _evidence(rows)
    return evidence >= max(least, 1) or (evidence == least == 0 and max(map(len, named)) <= 60)


def _evidence(rows: Sequence[list[str]]) -> int:
    """What speaks for names in the first row, less what speaks for values. Rows that repeat it are the same on a next page."""
    first, below = rows[0], [row for row in rows[1:] if row != rows[0]]
    named = [cell.strip() for cell in first if cell.strip()]
    evidence = -(len(set(named)) < len(named))
    for number, cell in enumerate(map(str.strip, first)):
        column = [row[number].strip() for row in below if number < len(row) and row[number].strip()]
        if _NUMBER.match(cell):
            evidence -= 0 if _YEAR.match(cell) and not all(map(_YEAR.match, column)) else 2
        elif column and sum(map(bool, map(_NUMBER.match, column))) > 0.8 * len(column):
            evidence += 2
        elif column and not _DIGIT.search(cell) and all(map(_DIGIT.search, column)):
            evidence += 1  # codes, addresses, times
        elif cell in column:
            evidence -= 1
    return evidence
