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

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple

from pincite.model import Block, Document, Source
from pincite.parse.compose import Composer, one_line, slug
from pincite.parse.dialect import SEPARATOR, Dialect, Record, detect, looks_like_names, names_of, records
from pincite.parse.formats import parameters
from pincite.parse.markup import without_markup
from pincite.parse.textfile import Leaf, TextWriter, decode

PARSER, VERSION = "delimited", "1"
NODES_LIMIT = 100_000
"""Records that become nodes of their own; in a longer file several neighbours share one, with a finding."""
AHEAD = 20
"""Records that are looked at to find out whether another table begins."""

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
    read = decode(source, data)
    made = Composer(source, PARSER, VERSION)
    writer = TextWriter(made, read)
    dialect = detect(read.text, source.media_type)
    _Reader(made, writer, dialect, parameters(source.media_type).get("group", "")).read(read.text)
    return made.document()


def cells(document: Document, data: bytes, block: Block) -> Iterator[Cell]:
    """The cells of a record's *block*, each once and in order, with byte ranges in *data*, the file."""
    read = decode(document.source, data)
    dialect = detect(read.text, document.source.media_type)
    words, at = document.slice(block.page, block.start, block.end).decode(), block.raw_start or 0
    columns = _columns_above(document, block, dialect)
    encoding = next(name for end, name in read.stretches if end)
    for number, (start, end) in enumerate(_ranges(words, dialect)):
        begin = at + len(words[:start].encode(encoding))
        value = _value(words[start:end], dialect)
        yield Cell(_column(columns, number), value, begin, begin + len(words[start:end].encode(encoding)))


def _columns_above(document: Document, block: Block, dialect: Dialect) -> tuple[str, ...]:
    """The names of the columns of a record: those of the table it is in."""
    for link in document.links:
        if link.kind == "table_header" and link.start <= block.start < link.end:
            head = document.slice(link.target_page, link.target_start, link.target_end).decode()
            return names_of([record.cells for record in records(head, dialect.marks) if record.cells])
    return dialect.columns


def _value(written: str, dialect: Dialect) -> str:
    quoted = dialect.quote and written.startswith(dialect.quote) and len(written) > 1
    return _unquoted(written, dialect) if quoted else written


def _unquoted(written: str, dialect: Dialect) -> str:
    if dialect.escape:
        return re.sub(r"\\(.)", r"\1", written[1:-1], flags=re.DOTALL)
    return written[1:-1].replace(dialect.quote * 2, dialect.quote)


def _ranges(record: str, dialect: Dialect) -> Iterator[tuple[int, int]]:
    """Where the cells of one record begin and end, by the rules of :mod:`csv`."""
    delimiter, quote, at = dialect.delimiter, dialect.quote, 0
    while True:
        while dialect.spaced and record.startswith(" ", at):
            at += 1
        end = at
        if quote and record.startswith(quote, at):
            end = _closing(record, at + 1, dialect)
        closed, end = end, record.find(delimiter, end)
        last = len(record) if end < 0 else end
        yield at, closed if closed > at and not record[closed:last].strip() else last
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


def _column(columns: tuple[str, ...], number: int) -> str:
    return columns[number] if number < len(columns) else f"Column {number + 1}"


# --- the document -------------------------------------------------------------------------------------------------------


class _Ahead:
    """Records in order, some of which may be looked at before they are taken."""

    def __init__(self, rows: Iterator[Record]) -> None:
        self.rows, self.held = rows, deque[Record]()

    def __iter__(self) -> Iterator[Record]:
        return self

    def __next__(self) -> Record:
        return self.held.popleft() if self.held else next(self.rows)

    def look(self, count: int) -> list[Record]:
        """The next records, which stay."""
        self.held.extend(islice(self.rows, max(count - len(self.held), 0)))
        return list(islice(self.held, count))


class _Reader:
    """Hands the records of one file to the composer."""

    def __init__(self, made: Composer, writer: TextWriter, dialect: Dialect, group: str) -> None:
        self.made, self.writer, self.dialect = made, writer, dialect
        self.wanted = group
        self.groups: dict[str, str] = {}  # value -> its place
        self.ragged: list[int] = []
        self.number = 0
        self.header: tuple[int, int] | None = None  # the bytes of the records that name the columns
        self.broken = ""  # what ended the records before: note, again, table
        self._name(dialect.columns, [])

    def _name(self, columns: tuple[str, ...], head: list[str]) -> None:
        """What the columns are called from here on, and the record that says so."""
        self.columns, self.head = columns, head
        self.group = columns.index(self.wanted) if self.wanted in columns else -1
        self.complete = " | ".join([column.replace("%", "%%") + ": %s" for column in columns])

    def read(self, text: str) -> None:
        """All of *text*."""
        dialect = self.dialect
        rows = _Ahead(records(text, dialect.marks, len(dialect.columns)))
        for number, record in enumerate(islice(rows, dialect.skipped)):
            told = number == 0 and SEPARATOR.match(text[record.start : record.end])
            self.writer.put(record.start, record.end, "metadata" if told else "body")
        header = self._header(rows, dialect.heads)
        self._table(text, rows, header, blank=False)
        while self.broken:
            self._go_on(text, rows)
        self.made.leave(1)
        self.writer.blank(len(text))
        self._note_what_was_odd()

    def _header(self, rows: Iterator[Record], count: int) -> tuple[int, int] | None:
        """The records that name the columns, as blocks; the bytes of all."""
        spans: list[tuple[int, int]] = []
        while len(spans) < count:
            record = next(rows)
            if any(record.cells):
                spans.append(self.writer.put(record.start, record.end, "table", _shown(record.cells), strip="\r\n"))
                self.head = record.cells
        self.header = (spans[0][0], spans[-1][1]) if spans else None
        return self.header

    def _table(self, text: str, rows: _Ahead, header: tuple[int, int] | None, blank: bool) -> None:
        span = self._records(text, self._run(rows, blank))
        if header and span:
            self.made.link("table_header", (1, *span), (1, *header))

    def _go_on(self, text: str, rows: _Ahead) -> None:
        """What stands after a table: a remark, its header again, another table."""
        self.made.leave(1)
        broken, self.broken = self.broken, ""
        if broken == "table":
            self._name(names_of([rows.look(1)[0].cells]), [])
            self._table(text, rows, self._header(rows, 1), blank=False)
            return
        record = next(rows)
        if broken == "note":
            self.writer.put(record.start, record.end, "body")
        else:
            self.writer.put(record.start, record.end, "page_furniture", strip="\r\n")
        self._table(text, rows, self.header, blank=broken == "note")

    def _run(self, rows: _Ahead, blank: bool) -> Iterator[Record]:
        """The records of one table, up to what is none of it. *blank*: something divides the first from what is above."""
        head = self.head
        for record in rows:
            cells = record.cells
            if (blank or cells == head) and (broken := self._breaks(record, rows)):
                self.broken = broken
                rows.held.appendleft(record)
                return
            blank = not any(cells)
            yield record

    def _breaks(self, record: Record, rows: _Ahead) -> str:
        """What a record after an empty one is, or one like the header, where it is none of the table; "" where it is."""
        cells, width = record.cells, len(self.columns)
        if cells == self.head:
            return "again"
        if not any(cells) or not self.head or width < 2:
            return ""
        if len(cells) == 1:
            return "note"
        below = [row.cells for row in rows.look(AHEAD)]
        below = below[: next((at for at, row in enumerate(below) if not any(row)), len(below))]
        alike = bool(below) and all(len(row) == len(cells) for row in below)
        return "table" if alike and looks_like_names([cells, *below], least=len(cells) == width) else ""

    def _note_what_was_odd(self) -> None:
        if self.ragged:
            some = ", ".join(map(str, self.ragged[:5]))
            more = ", ..." if len(self.ragged) > 5 else ""
            width = len(self.dialect.columns)
            reason = f"{len(self.ragged)} records have not {width} cells: {some}{more}"
            self.made.find("ragged_records", str(len(self.ragged)), reason)
        if self.wanted and not self.groups:
            reason = f"group={self.wanted} is declared, and no column is called that: {', '.join(self.dialect.columns)[:200]}"
            self.made.find("setting_without_effect", self.wanted, reason)

    def _records(self, text: str, rows: Iterator[Record]) -> tuple[int, int] | None:
        """A node for each record, or for a few in a very long file; the bytes from the first to the last."""
        size = 1 + text.count("\n") // NODES_LIMIT
        if size > 1 and not self.number:
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
        width = len(self.columns)
        for bundle in bundles:
            heading, (cells, start, end) = bundle[0]
            if text.find("<", start, bundle[-1][1].end) >= 0 or text.find("&", start, bundle[-1][1].end) >= 0:
                bundle = tuple((without_markup(name), _as_read(record)) for name, record in bundle)
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
        columns = self.columns
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
        column = self.columns[self.group]
        self.groups[value] = self.made.enter("heading", fragment=slug(value), label=column, heading=value)


def _bundles(rows: Iterator[Record], size: int) -> Iterator[tuple[_Named, ...]]:
    """Records that are not empty, *size* at a time. Spreadsheets write delimiters alone for rows that were once filled."""
    filled = ((name, row) for row in rows if (name := _name(row[0])))
    return zip(filled) if size == 1 else iter(lambda: tuple(islice(filled, size)), ())


def _as_read(record: Record) -> Record:
    """The record with what a reader sees of cells that hold HTML."""
    return record._replace(cells=list(map(without_markup, record.cells)))


def _shown(values: Sequence[str]) -> str:
    return " | ".join(map(one_line, values))


def _name(values: Sequence[str]) -> str:
    """What a record is called: its first cell that has text."""
    for value in values:
        if found := one_line(value):
            return found[:80]
    return ""
