"""Delimited files (CSV, TSV, semicolons, pipes) → ``Document``. The canonical text is the file's own text.

Each record of data is a ``record`` node ``register#row-N`` with one block, N counting from 1 the records after the header
(lines without a value are not counted). Its display text repeats the header: ``Lamp: North | Hours: 12``. The header row is
linked to the records; what stands above it (titles, remarks) is body text, Excel's ``sep=;`` metadata. :func:`cells` gives each
cell of a record with its byte range in the file.

Delimiter, quotation mark, header and encoding are detected, or declared as parameters of the media type:
``text/csv; charset=cp1252; delimiter=";"; header=absent; group=Region`` (delimiter may be ``tab``). With *group*, records with
the same value in that column are below one ``heading`` node named after the value, wherever they stand.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import accumulate, chain, groupby, islice
from typing import NamedTuple, Protocol

from pincite.model import Block, Document, Source
from pincite.parse.compose import Composer, one_line, slug
from pincite.parse.formats import parameters
from pincite.parse.textfile import Leaf, TextWriter, decode

PARSER, VERSION = "delimited", "1"
SAMPLE_ROWS = 200
"""Records that are looked at to find the dialect."""
NODES_LIMIT = 100_000
"""Records that become nodes of their own; in a longer file several neighbours share one, with a finding."""
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
_SEPARATOR = re.compile(r"sep=(.)\s*\Z", re.IGNORECASE)


class Dialect(NamedTuple):
    """How a file is delimited. ``quote`` is "" where nothing is quoted."""

    delimiter: str
    quote: str
    columns: tuple[str, ...]  # names from the header, or "Column 1", ...
    skipped: int  # lines above the header, or above the first record where there is none
    headed: bool
    escape: str = ""  # a backslash where that, and no second quotation mark, stands before one inside a cell


class Rows(Protocol):
    """What :func:`csv.reader` returns."""

    line_num: int  # lines taken so far

    def __iter__(self) -> Iterator[list[str]]: ...


class Record(NamedTuple):
    """One record with its place, in characters of the file, line end included."""

    cells: list[str]
    start: int
    end: int


_Named = tuple[str, Record]
"""What a record is called, and the record."""


class Cell(NamedTuple):
    """One cell of a record: its column, its value without quotation marks, and where it stands in the file."""

    column: str
    value: str
    raw_start: int  # byte in the file, quotation marks included
    raw_end: int  # excluded


def read_delimited(source: Source, data: bytes) -> Document:
    """The document of a delimited file. Raises ``Malformed`` for what is empty or no text."""
    declared = parameters(source.media_type)
    read = decode(source, data, declared.get("charset", ""))
    made = Composer(source, PARSER, VERSION)
    writer = TextWriter(made, read)
    dialect = detect(read.text, source.media_type)
    _Reader(made, writer, dialect, declared.get("group", "")).read(read.text)
    return made.document()


def cells(document: Document, data: bytes, block: Block) -> Iterator[Cell]:
    """The cells of a record's *block*, each once and in order, with byte ranges in *data*, the file."""
    read = decode(document.source, data, parameters(document.source.media_type).get("charset", ""))
    dialect = detect(read.text, document.source.media_type)
    words, at = document.slice(block.page, block.start, block.end).decode(), block.raw_start or 0
    encoding = next(name for end, name in read.stretches if end)
    for number, (start, end) in enumerate(_ranges(words, dialect)):
        written = words[start:end]
        value = written
        if dialect.quote and written.startswith(dialect.quote) and len(written) > 1:
            value = _unquoted(written, dialect)
        begin = at + len(words[:start].encode(encoding))
        yield Cell(_column(dialect, number), value, begin, begin + len(written.encode(encoding)))


def _unquoted(written: str, dialect: Dialect) -> str:
    if dialect.escape:
        return re.sub(r"\\(.)", r"\1", written[1:-1], flags=re.DOTALL)
    return written[1:-1].replace(dialect.quote * 2, dialect.quote)


def _ranges(record: str, dialect: Dialect) -> Iterator[tuple[int, int]]:
    """Where the cells of one record begin and end, by the rules of :mod:`csv`."""
    delimiter, quote, at = dialect.delimiter, dialect.quote, 0
    while True:
        end = at
        if quote and record.startswith(quote, at):
            end = _closing(record, at + 1, dialect)
        end = record.find(delimiter, end)
        yield at, len(record) if end < 0 else end
        if end < 0:
            return
        at = end + len(delimiter)


def _closing(record: str, at: int, dialect: Dialect) -> int:
    """Where a quoted cell ends whose words begin at *at*."""
    if dialect.escape:
        found = re.compile(rf"(?:[^\\{dialect.quote}]|\\.)*{dialect.quote}", re.DOTALL).match(record, at)
        return found.end() if found else len(record)
    while (at := record.find(dialect.quote, at)) >= 0 and record.startswith(dialect.quote, at + 1):
        at += 2
    return len(record) if at < 0 else at + 1


# --- records ------------------------------------------------------------------------------------------------------------


def lines_of(text: str, start: int = 0) -> Iterator[str]:
    """The lines of *text* from character *start* on, each with what ends it: ``\\n``, ``\\r\\n`` or ``\\r``."""
    return chain.from_iterable(StringIO(piece, newline="") for piece in _pieces(text, start))


def _pieces(text: str, at: int) -> Iterator[str]:
    """Whole lines together, so that nothing but a piece is in memory once more."""
    while at < len(text):
        end = text.find("\n", at + PIECE) + 1 or len(text)
        yield text[at:end]
        at = end


def records(text: str, delimiter: str, quote: str, expected: int = 0, start: int = 0, escape: str = "") -> Iterator[Record]:
    """Every record of *text* from character *start* on.

    Where quotation marks are not closed, or make several lines one record without the *expected* number of cells although the
    first line alone has it, the first line is a record of its own.
    """
    csv.field_size_limit(max(csv.field_size_limit(), min(sys.maxsize, 2**31 - 1)))
    at, new = start, tuple.__new__
    while True:
        rows, seen = _rows(lines_of(text, at), delimiter, quote, escape), 0
        ends = accumulate(map(len, lines_of(text, at)), initial=at)  # of each line that the rows above are made from
        next(ends)
        try:
            for row in rows:
                taken, seen = rows.line_num - seen, rows.line_num
                end = next(ends) if taken == 1 else next(islice(ends, taken - 1, None))
                if taken > 1 and expected and len(row) != expected and _is_runaway(text, at, taken, delimiter, expected):
                    break
                yield new(Record, (row, at, end))
                at = end
            else:
                return
        except csv.Error:  # a quotation mark where none may be; before Python 3.11 also a null byte
            pass
        first = next(lines_of(text, at))
        yield Record(_loosely(first, delimiter, quote), at, at + len(first))
        at += len(first)


def _loosely(line: str, delimiter: str, quote: str) -> list[str]:
    """The cells of a line whose quotation marks do not fit: inside a cell they are letters; an open one too."""
    if quote and line.count(quote) % 2 == 0:
        try:
            return next(csv.reader([line], delimiter=delimiter, quotechar=quote))
        except (csv.Error, StopIteration):
            pass
    return line.rstrip("\r\n").split(delimiter)


def _is_runaway(text: str, at: int, taken: int, delimiter: str, expected: int) -> bool:
    """Whether a record of several lines is none: too many of them, or the first alone is one."""
    return taken > RUNAWAY_LINES or next(lines_of(text, at)).count(delimiter) == expected - 1


def _rows(lines: Iterator[str], delimiter: str, quote: str, escape: str) -> Rows:
    if quote and escape:
        return csv.reader(lines, delimiter=delimiter, quotechar=quote, strict=True, doublequote=False, escapechar=escape)
    if quote:
        return csv.reader(lines, delimiter=delimiter, quotechar=quote, strict=True)
    return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)


# --- the dialect --------------------------------------------------------------------------------------------------------


def detect(text: str, media_type: str = "") -> Dialect:
    """The dialect of *text*; what the media type declares is taken as it is."""
    declared = parameters(media_type)
    first = text[: text.find("\n") + 1 or len(text)]
    told = _SEPARATOR.match(first)
    start = len(first) if told else 0
    delimiter = declared.get("delimiter", "") or (told.group(1) if told else "")
    delimiter = {"tab": "\t", "\\t": "\t", "space": " "}.get(delimiter, delimiter)[:1]
    if not delimiter and media_type.startswith("text/tab-separated-values"):
        delimiter = "\t"
    quote = _quote(text[start : start + 50_000])
    escape = _escape(text[start : start + _SAMPLE_END]) if quote == '"' else ""
    sample = text[: start + _SAMPLE_END]
    sampled = {
        mark: list(islice(records(sample, mark, quote, start=start, escape=escape), SAMPLE_ROWS))
        for mark in (delimiter or _DELIMITERS)
    }
    delimiter = max(sampled, key=lambda mark: _regularity(sampled[mark], mark))
    found = _with_header(sampled[delimiter], delimiter, quote, declared.get("header", ""), bool(told))
    return found._replace(escape=escape)


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
    widths = Counter(len(record.cells) for record in sample if any(record.cells))
    wide = [(count, width) for width, count in widths.items() if width > 1] or [(1, 1)]
    width = max(wide)[1]
    above = next((at for at, record in enumerate(sample) if sum(map(bool, record.cells)) > width // 2), 0)
    rows = [record.cells for record in sample[above:] if any(record.cells)]
    headed = declared != "absent" and bool(rows) and (declared == "present" or _looks_like_names(rows))
    names = [" ".join(cell.split()) for cell in rows[0]] if headed else []
    columns = tuple(name or f"Column {number}" for number, name in enumerate(names or [""] * width, 1))
    return Dialect(delimiter, quote, columns, above + told, headed)


def _looks_like_names(rows: list[list[str]]) -> bool:
    """Whether the first record names the columns: no values of the kind that stand below it, and none twice."""
    first, below = rows[0], rows[1:]
    named = [cell.strip() for cell in first if cell.strip()]
    if not named or len(named) < 0.5 * len(first):
        return False
    evidence = -(len(set(named)) < len(named))
    for number, cell in enumerate(first):
        column = [row[number].strip() for row in below if number < len(row) and row[number].strip()]
        if _NUMBER.match(cell.strip()):
            evidence -= 0 if _YEAR.match(cell.strip()) and not all(map(_YEAR.match, column)) else 2
        elif column and sum(map(bool, map(_NUMBER.match, column))) > 0.8 * len(column):
            evidence += 2
        elif cell.strip() in column:
            evidence -= 1
    return evidence > 0 or (evidence == 0 and max(map(len, named)) <= 60)


def _column(dialect: Dialect, number: int) -> str:
    return dialect.columns[number] if number < len(dialect.columns) else f"Column {number + 1}"


# --- the document -------------------------------------------------------------------------------------------------------


class _Reader:
    """Hands the records of one file to the composer."""

    def __init__(self, made: Composer, writer: TextWriter, dialect: Dialect, group: str) -> None:
        self.made, self.writer, self.dialect = made, writer, dialect
        self.group = dialect.columns.index(group) if group in dialect.columns else -1
        self.groups: dict[str, str] = {}  # value -> its place
        self.ragged: list[int] = []
        self.number = 0
        self.complete = " | ".join([column.replace("%", "%%") + ": %s" for column in dialect.columns])

    def read(self, text: str) -> None:
        """All of *text*."""
        dialect = self.dialect
        rows = records(text, dialect.delimiter, dialect.quote, len(dialect.columns), escape=dialect.escape)
        for number, record in enumerate(islice(rows, dialect.skipped)):
            told = number == 0 and _SEPARATOR.match(text[record.start : record.end])
            self.writer.put(record.start, record.end, "metadata" if told else "body")
        header = None
        if dialect.headed:
            head = next(row for row in rows if any(row.cells))
            header = self.writer.put(head.start, head.end, "table", _shown(head.cells), strip="\r\n")
        span = self._records(text, rows)
        self.made.leave(1)
        self.writer.blank(len(text))
        if header and span:
            self.made.link("table_header", (1, *span), (1, *header))
        if self.ragged:
            some = ", ".join(map(str, self.ragged[:5]))
            more = ", ..." if len(self.ragged) > 5 else ""
            reason = f"{len(self.ragged)} records have not {len(dialect.columns)} cells: {some}{more}"
            self.made.find("ragged_records", str(len(self.ragged)), reason)

    def _records(self, text: str, rows: Iterator[Record]) -> tuple[int, int] | None:
        """A node for each record, or for a few in a very long file; the bytes from the first to the last."""
        size = 1 + text.count("\n") // NODES_LIMIT
        if size > 1:
            reason = f"more than {NODES_LIMIT} records: each {size} that follow one another make one place"
            self.made.find("grouped_records", f"{size} records", reason)
        bundles = _bundles(rows, size)
        if self.group < 0:
            return self.writer.leaves("record", "table", self._leaves(text, bundles))
        spans = []
        for value, run in groupby(bundles, key=lambda bundle: self._group_of(bundle[0][1])):
            together = list(run)
            self._open_group(value, together[0][0][1].start)
            spans.append(self.writer.leaves("record", "table", self._leaves(text, together)))
        found = [span for span in spans if span]
        return (found[0][0], found[-1][1]) if found else None

    def _leaves(self, text: str, bundles: Iterable[tuple[_Named, ...]]) -> Iterator[Leaf]:
        width = len(self.dialect.columns)
        for bundle in bundles:
            heading, (cells, start, end) = bundle[0]
            number = self.number + 1
            self.number += len(bundle)
            fragment, label, shown = f"=row-{number}", f"row {number}", self._with_columns(cells)
            if len(bundle) > 1:
                fragment, label = f"=rows-{number}-{self.number}", f"rows {number}-{self.number}"
                shown, end = "\n".join([self._with_columns(record.cells) for _, record in bundle]), bundle[-1][1].end
                self.ragged += [number + at for at, (_, record) in enumerate(bundle) if len(record.cells) != width]
            elif len(cells) != width:
                self.ragged.append(number)
            while text[end - 1] in "\r\n":
                end -= 1
            yield start, end, (fragment, label, heading, shown, "")

    def _with_columns(self, values: Sequence[str]) -> str:
        """A record for matching: each value after its column's name."""
        columns = self.dialect.columns
        if len(values) == len(columns) and "" not in values:
            return one_line(self.complete % tuple(values))
        shown = " | ".join([f"{column}: {value}" for column, value in zip(columns, values) if value])
        for number in range(len(columns), len(values)):
            shown += f" | Column {number + 1}: {values[number]}"
        return one_line(shown)

    def _group_of(self, record: Record) -> str:
        return record.cells[self.group].strip() if self.group < len(record.cells) else ""

    def _open_group(self, value: str, start: int) -> None:
        self.made.leave(1)
        self.writer.blank(start)
        if value in self.groups:
            self.made.resume(self.groups[value])
            return
        column = self.dialect.columns[self.group]
        self.groups[value] = self.made.enter("heading", fragment=slug(value), label=column, heading=value)


def _bundles(rows: Iterator[Record], size: int) -> Iterator[tuple[_Named, ...]]:
    """Records that are not empty, *size* at a time. Spreadsheets write delimiters alone for rows that were once filled."""
    filled = ((name, row) for row in rows if (name := _name(row[0])))
    return zip(filled) if size == 1 else iter(lambda: tuple(islice(filled, size)), ())


def _shown(values: Sequence[str]) -> str:
    return " | ".join(map(one_line, values))


def _name(values: Sequence[str]) -> str:
    """What a record is called: its first cell that has text."""
    for value in values:
        if found := one_line(value):
            return found[:80]
    return ""
