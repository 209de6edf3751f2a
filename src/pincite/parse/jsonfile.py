"""JSON and JSON Lines → ``Document``. The canonical text is the file's own text; node ids are JSON pointers.

- An element of a list of objects or lists is a ``record`` node (``data#/items/3``), and so is each of the objects that an
  object holds by their ids, where all have a title (``data#/L-1``); it is one block while it is short; a longer
  one, and every object or list that is a member of an object, is taken apart: a ``heading`` node with nodes in it.
- Scalars that follow one another make one block; a long text makes one per paragraph. ``Block.origin`` is the JSON pointer.
- Display text is ``key: value | key: value``, members of members as ``key.key``; numbers stay as they are written.
- JSON Lines: each line is a ``record`` node ``data#row-N``, N counting from 1 the lines that are not empty.

A mapping may be declared as parameters of the media type: ``application/json; records=/items; id=ref; heading=title;
text=body,note; skip=internal`` - where the records are, the member that names a record in its node id, the one that is its
heading, the only members that are shown, and those that are kept and not indexed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple, TypeVar

from pincite.errors import Malformed, TooExpensive
from pincite.model import Document, Source
from pincite.parse.compose import Composer, one_line
from pincite.parse.formats import parameters
from pincite.parse.jsontext import (
    CODE,
    LONG_TEXT,
    TITLES,
    Members,
    clean,
    flat,
    is_container,
    pieces,
    scalar,
    titles_of,
    token,
    values,
)
from pincite.parse.markup import is_blob, without_markup
from pincite.parse.textfile import Leaf, Text, TextWriter, decode

PARSER, VERSION = "json", "1"
RECORD_LIMIT = 900
"""Characters up to which a record is one block: about what a passage holds."""
GROUP_LIMIT = 700
"""Characters after which scalars that follow one another begin a new block."""
DEPTH_LIMIT = 200
"""Objects and lists inside each other that are given nodes; deeper ones are shown within their parent."""

_T = TypeVar("_T")
_new = tuple.__new__  # decision 0001
_SPACE = re.compile(r"[ \t\n\r]*")


class Declared(NamedTuple):
    """What the media type declares of a JSON file."""

    records: str = ""
    id: str = ""
    heading: str = ""
    text: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()


def read_json(source: Source, data: bytes) -> Document:
    """The document of a JSON file. Raises ``Malformed`` with line and column, ``TooExpensive`` for bottomless nesting.

    A file of pages of text (``{"pages": [{"page", "text"}]}``, an old manifest's ``application/json``) is read as a manual;
    several values in one file are read as JSON Lines.
    """
    reader = _Reader(source, decode(source, data))
    start = reader.space(0)
    value, end = reader.value(start)
    if _is_pages(value):
        from pincite.parse.manual.text import parse_pages

        return parse_pages(source, data)
    return reader.whole(value, start, end) if reader.space(end) == len(reader.text) else reader.lines()


def read_json_lines(source: Source, data: bytes) -> Document:
    """The document of a JSON Lines file: one value a line. A line that is not JSON is kept as text, with a finding."""
    return _Reader(source, decode(source, data)).lines()


def _is_pages(value: Any) -> bool:
    """Whether this is the text of a manual's pages."""
    pages = dict(value).get("pages") if isinstance(value, Members) else None
    if not isinstance(pages, list) or not pages:
        return False
    return all(isinstance(page, Members) and {"page", "text"} <= {key for key, _ in page} for page in pages)


def _declared(source: Source) -> Declared:
    given = parameters(source.media_type)
    text, skip = (tuple(filter(None, given.get(name, "").split(","))) for name in ("text", "skip"))
    return Declared(given.get("records", ""), given.get("id", ""), given.get("heading", ""), text, skip)


def _are_keyed(value: Members) -> bool:
    """Whether the members of an object are records by their ids: objects all, each with a title of its own."""
    return len(value) > 1 and all(
        isinstance(item, Members) and any(key.casefold() in TITLES for key, _ in item) for _, item in value
    )


class _Part(NamedTuple):
    """A member of an object or an element of a list, in characters of the file."""

    key: str
    value: Any
    start: int  # of the key, or of the element
    value_start: int
    end: int


class _Level(NamedTuple):
    """A container that is being taken apart."""

    runs: Iterator[list[_Part]]
    pointer: str
    named: bool  # an object, not a list
    records: bool  # whether what is in it are records


class _Reader:
    """Walks one file; objects and lists inside each other are kept on a stack of its own, never on Python's."""

    def __init__(self, source: Source, read: Text) -> None:
        self.source, self.text, self.declared = source, read.text, _declared(source)
        self.made = Composer(source, PARSER, VERSION)
        self.writer = TextWriter(self.made, read)
        self.constants: list[str] = []
        self.titles: dict[tuple[str, ...], list[str]] = {}  # keys of a record -> those that may name it
        self.fits = not self.declared.records  # whether something is where records are declared to be
        self.repeated = False  # whether an object has a key twice
        as_written: Any = {"parse_float": str, "parse_int": str, "parse_constant": self._constant, "strict": False}
        decoder: Any = json.JSONDecoder  # scan_once is not in its type's description
        self.scan = decoder(object_pairs_hook=self._members, **as_written).scan_once
        self.measure = decoder(**as_written | {"parse_constant": str}).scan_once

    def _constant(self, name: str) -> str:
        self.constants.append(name)
        return name

    def _members(self, pairs: list[tuple[str, Any]]) -> Members:
        if len(dict(pairs)) < len(pairs):
            self.repeated = True
        return Members(pairs)

    # --- reading ----------------------------------------------------------------------------------------------------

    def space(self, at: int) -> int:
        """The first character from *at* on that is no white space."""
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def value(self, start: int) -> tuple[Any, int]:
        """The value that begins at *start*, and where it ends."""
        try:
            value, end = self.scan(self.text, start)
        except StopIteration as error:
            raise self._malformed("a value is expected", int(error.value)) from None
        except json.JSONDecodeError as error:
            raise self._malformed(error.msg.removesuffix(" at"), error.pos) from None
        except RecursionError:
            raise TooExpensive(
                "objects and lists are nested deeper than can be read", where=self.source.path, next="flatten the file"
            ) from None
        return value, end

    def _malformed(self, what: str, at: int) -> Malformed:
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        return Malformed(f"not JSON: {what} at line {line}, column {column}", where=self.source.path, next="repair the file")

    def _parts(self, start: int, value: Any) -> Iterator[_Part]:
        """The members or elements of the container that begins at *start* and was read as *value*."""
        text, at, measure = self.text, self.space(start + 1), self.measure
        named = isinstance(value, Members)
        for number, item in enumerate(value):
            begin, key = at, str(number)
            if named:
                at = self.space(self.space(scanstring(text, at + 1, False)[1]) + 1)
                key, item = item
            end = measure(text, at)[1]
            yield _new(_Part, (key, item, begin, at, end))
            at = self.space((end if text[end] == "," else self.space(end)) + 1)

    # --- whole files ------------------------------------------------------------------------------------------------

    def whole(self, value: Any, start: int, end: int) -> Document:
        """A file with one value."""
        if isinstance(value, (Members, list)):
            title = self._heading(value)
            if title:
                self.made.title(title)
            self._take_apart(_Part("", value, start, start, end), "", [])
        else:
            self._simple([_Part("", value, start, start, end)], "", False)
        return self._finish()

    def lines(self) -> Document:
        """A file with a value a line, or several values one after the other."""
        good = False
        parts = self._line_parts()
        part = next(parts, None)
        while part is not None:
            if isinstance(part.value, Malformed):
                span = self.writer.put(part.start, part.end, "body")
                self.made.find("malformed_record", f"record {part.key}", part.value.what, *span)
                part = next(parts, None)
                continue
            good = True
            if self._line_leaf(part):
                part = self._in_one_go(part, parts, self._line_leaf)
            else:
                self._record_line(part)
                part = next(parts, None)
        if not good:
            raise Malformed("nothing in it is JSON", where=self.source.path, next="repair the file")
        return self._finish()

    def _line_parts(self) -> Iterator[_Part]:
        """The values of a file of lines, numbered from 1; in the place of one that is not JSON, the error."""
        number = at = 0
        while (at := self.space(at)) < len(self.text):
            number += 1
            value: Any
            try:
                value, end = self.value(at)
            except Malformed as error:
                value, end = error, self.text.find("\n", at)
                end = len(self.text) if end < 0 else end
            yield _Part(str(number), value, at, at, end)
            at = end

    def _line_leaf(self, part: _Part) -> Leaf | None:
        """A line that is one block."""
        if self.repeated or not is_container(part.value) or not self._one_block(part, True):
            return None
        return part.start, part.end, (*self._line_place(part), flat(part.value), f"row {part.key}")

    def _line_place(self, part: _Part) -> tuple[str, str, str]:
        name, heading = self._name(part.value), self._heading(part.value)
        return f"={name or f'row-{part.key}'}", name or ("" if heading else f"row {part.key}"), heading

    def _record_line(self, part: _Part) -> None:
        self._before(part.start)
        fragment, label, heading = self._line_place(part)
        self.made.enter("record", fragment=fragment, label=label, heading=heading)
        if is_container(part.value) and not self._one_block(part, True):
            self._take_apart(part, f"row {part.key}: ", [])
        else:
            if is_container(part.value):
                self._report_repeated(part, below=True)
            self._simple([part], f"row {part.key}: ", False)
        self.made.leave(1)

    def _in_one_go(self, first: _T, rest: Iterator[_T], leaf: Callable[[_T], Leaf | None]) -> _T | None:
        """Write records of one block each, from *first* to the first that is no *leaf*, and return that."""
        after: list[_T | None] = []

        def leaves() -> Iterator[Leaf]:
            item: _T | None = first
            while item is not None and (found := leaf(item)):
                yield found
                item = next(rest, None)
            after.append(item)

        self.writer.leaves("record", "body", leaves())
        return after[0]

    def _finish(self) -> Document:
        self.made.leave(1)
        self.writer.blank(len(self.text))
        if not self.fits:
            reason = f"records={self.declared.records} is declared, and no object or list of records is there"
            self.made.find("setting_without_effect", self.declared.records, reason)
        if self.constants:
            names = ", ".join(sorted(set(self.constants)))
            self.made.find("not_in_json", names, f"{len(self.constants)} values are not in the JSON standard; kept as written")
        return self.made.document()

    # --- objects and lists ------------------------------------------------------------------------------------------

    def _take_apart(self, part: _Part, pointer: str, levels: list[_Level]) -> None:
        """What is in an object or list, in the current place, and what is in that, in the order of the file."""
        levels.append(self._level(part, pointer))
        run = next(levels[-1].runs, None)
        while levels:
            if run is None:
                levels.pop()
                if levels:
                    self.made.leave()
            elif len(run) > 1 or self._is_simple(run[0]):
                self._simple(run, levels[-1].pointer, levels[-1].named)
            elif self._leaf(run, levels[-1]):
                run = self._in_one_go(run, levels[-1].runs, partial(self._leaf, level=levels[-1]))
                continue
            else:
                self._container(run[0], levels)
            run = next(levels[-1].runs, None) if levels else None

    def _leaf(self, run: list[_Part], level: _Level) -> Leaf | None:
        """An object or list that is one block."""
        part = run[0]
        if self.repeated or not level.records or len(run) > 1 or self._is_simple(part) or not self._one_block(part, True):
            return None
        return part.start, part.end, (*self._place(part, level), self._shown(part.value), "")

    def _place(self, part: _Part, level: _Level) -> tuple[str, str, str]:
        """Fragment, label and heading of the node of an object or list."""
        name = self._name(part.value) if level.records else ""
        if level.records and level.named:
            return f"{level.pointer}/{token(name or part.key)}", name or clean(part.key), self._heading(part.value)
        heading = self._heading(part.value) if level.records else clean(part.key)
        return f"{level.pointer}/{token(name or part.key)}", name or ("" if heading else f"[{part.key}]"), heading

    def _level(self, part: _Part, pointer: str) -> _Level:
        named = isinstance(part.value, Members)
        if named:
            self._report_repeated(part)
        wanted = pointer == self.declared.records != ""
        self.fits = self.fits or wanted
        records = not named or wanted or _are_keyed(part.value)
        return _Level(self._runs(self._parts(part.value_start, part.value)), pointer, named, records)

    def _container(self, part: _Part, levels: list[_Level]) -> None:
        """An object or list inside another: a node, as one block or taken apart in its turn."""
        level = levels[-1]
        self._before(part.start)
        pointer, label, heading = self._place(part, level)
        self.made.enter("record" if level.records else "heading", fragment=pointer, label=label, heading=heading)
        if self._one_block(part, level.records) or len(levels) >= DEPTH_LIMIT:
            self.writer.put(part.start, part.end, "body", self._shown(part.value) or None)
            self._report_repeated(part, below=True)
            self.made.leave()
            return
        if level.named:
            self.writer.put(part.start, part.value_start, "heading", clean(part.key))
        levels.append(self._level(part, pointer))

    def _one_block(self, part: _Part, record: bool) -> bool:
        short = part.end - part.start <= RECORD_LIMIT
        if self.declared.skip and isinstance(part.value, Members) and any(key in self.declared.skip for key, _ in part.value):
            return False
        return short and (record or not any(map(is_container, values(part.value))))

    def _runs(self, parts: Iterator[_Part]) -> Iterator[list[_Part]]:
        """Parts that make one block: simple ones that follow one another, up to a limit; every other one alone."""
        run: list[_Part] = []
        size = 0
        for part in parts:
            length = part.end - part.start
            joins = length <= LONG_TEXT and self._is_simple(part)
            if not joins and not run:
                yield [part]
                continue
            skipped = run and (part.key in self.declared.skip) != (run[-1].key in self.declared.skip)
            if run and (not joins or skipped or size + length > GROUP_LIMIT):
                yield run
                run, size = [], 0
            run.append(part)
            size += length
            if not joins:
                yield run
                run, size = [], 0
        if run:
            yield run

    def _is_simple(self, part: _Part) -> bool:
        """Whether it needs no node: a scalar, or a short list of scalars."""
        value = part.value
        if isinstance(value, list):
            return not value or (part.end - part.start <= GROUP_LIMIT and not any(map(is_container, value)))
        return not value or not isinstance(value, Members)

    # --- text -------------------------------------------------------------------------------------------------------

    def _simple(self, run: list[_Part], above: str, named: bool) -> None:
        """Scalars as one block, a long text as one block per paragraph."""
        first, last = run[0], run[-1]
        origin = f"{above}/{token(first.key)}" if named or above.startswith("/") or not above else above.rstrip(": ")
        role = "metadata" if named and first.key in self.declared.skip else "body"
        if isinstance(first.value, str) and self.text[first.value_start] == '"' and first.end - first.start > LONG_TEXT:
            self._long_text(first, role, origin, clean(first.key) + ": " if named else "")
            return
        parts = [f"{clean(part.key)}: {flat(part.value)}" if named else flat(part.value) for part in run]
        self.writer.put(first.start, last.end, role, " | ".join(parts) or None, origin=origin)

    def _long_text(self, part: _Part, role: str, origin: str, name: str) -> None:
        if is_blob(part.value):
            span = self.writer.put(part.start, part.end, "metadata", name + without_markup(part.value), origin=origin)
            self.made.find("inert_content", part.key, "data in letters, such as a picture in Base64, is not text", *span)
            return
        begin, start = part.start, part.value_start + 1
        for piece in pieces(self.text, start, part.end - 1):
            end = part.end if piece[1] == part.end - 1 else piece[1]
            shown = scanstring(self.text[piece[0] : piece[1]] + '"', 0, False)[0].strip()
            self.writer.put(begin, end, role, name + clean(without_markup(shown)), origin=origin)
            begin, name = end, ""

    def _shown(self, value: Any) -> str:
        """The members of a record, or those the mapping names, in one line."""
        if self.declared.text and isinstance(value, Members):
            value = Members((key, item) for key, item in value if key in self.declared.text) or value
        return flat(value)

    def _before(self, start: int) -> None:
        self.writer.blank(start)

    # --- names ------------------------------------------------------------------------------------------------------

    def _name(self, value: Any) -> str:
        """The record's own name, where the mapping says which member has it."""
        if not self.declared.id or not isinstance(value, Members):
            return ""
        return scalar(dict(value).get(self.declared.id, ""))[:80]

    def _heading(self, value: Any) -> str:
        """What a record is called in a breadcrumb."""
        if not isinstance(value, Members):
            return ""
        members = dict(value)
        keys = tuple(members)
        titles = self.titles.get(keys)
        if titles is None:
            titles = self.titles[keys] = titles_of(keys, self.declared.heading)
        for key in titles:
            found = scalar(members[key])
            if found and not CODE.fullmatch(found):
                return one_line(clean(without_markup(found)))[:120]
        return ""

    def _report_repeated(self, part: _Part, below: bool = False) -> None:
        """A finding for each key that the object has twice, and with *below* for those in it that get no node."""
        todo = [part.value] if self.repeated else []
        while todo:
            value = todo.pop()
            if isinstance(value, Members) and len(dict(value)) < len(value):
                keys = [key for key, _ in value]
                for key in sorted({key for key in keys if keys.count(key) > 1}):
                    reason = f"the key {clean(key)!r} occurs more than once in one object; every value is kept"
                    self.made.find("duplicate_key", clean(key), reason)
            if below:
                todo += [inner for inner in values(value) if is_container(inner)]
