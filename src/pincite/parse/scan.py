"""One pass of expat over an official XML file: which text stands in which element, and where in the file.

The scanner knows nothing of regulations. It is told which elements are *inline* (they do not interrupt a text) and hands on,
in document order, three kinds of items: an element that holds other elements opens, closes, and a run of text. Every
character of the file's character data is in exactly one run. Document type declarations, entities and external entities are
refused before anything is expanded or opened.

Byte positions are taken at tags only: with ``buffer_text`` the position at a text callback is that of the *next* tag.
"""

from __future__ import annotations

from collections.abc import Mapping
from pyexpat import ErrorString, ExpatError, ParserCreate, XMLParserType
from typing import Any, NamedTuple

from pincite.errors import Forbidden, Malformed, TooExpensive

MAX_RUN = 8 * 1024 * 1024
"""Characters of one uninterrupted text. The longest in the whole CFR is far below a tenth of this."""
MAX_TAG = 1024 * 1024
"""Bytes of one start tag with its attributes."""
MAX_DEPTH = 200
"""Open elements at once. The deepest official file has about twenty."""

INLINE, LEAF, HOLDER = 0, 1, 2
"""What an element is to the scanner: part of a text, a text of its own, or something that holds others."""

UTF8_NAMES = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})


class Open(NamedTuple):
    """A holder begins. ``raw`` is the byte position of its start tag."""

    tag: str
    attributes: Mapping[str, str]
    raw: int


class Close(NamedTuple):
    """A holder ends. ``raw`` is the byte position after its end tag."""

    tag: str
    raw: int


class Inline(NamedTuple):
    """An inline element inside a run: ``start`` and ``end`` are character offsets into the run."""

    tag: str
    kind: str  # the T attribute of <E>, "" elsewhere
    start: int
    end: int


class Run(NamedTuple):
    """Text with nothing but inline elements in it. ``tag`` is the element it stands in."""

    tag: str
    text: str
    raw_start: int
    raw_end: int
    parts: list[str] | None = None
    marks: list[tuple[int, str, str]] | None = None

    def inlines(self) -> list[Inline]:
        """The inline elements of the run, in the order they begin."""
        if not self.marks or self.parts is None:
            return []
        offsets = [0]
        for part in self.parts:
            offsets.append(offsets[-1] + len(part))
        found: list[Inline] = []
        opened: list[int] = []
        for index, tag, kind in self.marks:
            if tag:
                opened.append(len(found))
                found.append(Inline(tag, kind, offsets[index], offsets[-1]))
            elif opened:
                last = opened.pop()
                found[last] = found[last]._replace(end=offsets[index])
        return found


Item = Open | Close | Run
"""What the scanner hands on."""


def scan(data: bytes, kinds: Mapping[str, int], where: str) -> list[Any]:
    """All items of *data*, in document order. *kinds* gives INLINE, LEAF or HOLDER by element name.

    An element without an entry is inline inside a leaf and a leaf elsewhere. Raises ``Malformed``, ``Forbidden`` or
    ``TooExpensive``; *where* names the file in the message.
    """
    if not data.strip():
        raise Malformed("the file is empty", where=where, next="fetch it again")
    items: list[Any] = []
    parser = ParserCreate("utf-8")
    parser.buffer_text = True
    parser.buffer_size = 1 << 16
    _refuse_declarations(parser, data, where)
    _record(parser, data, kinds, items, where)
    try:
        parser.Parse(data, True)
    except ExpatError as error:
        raise _malformed(error, data, where) from None
    return items


def _refuse_declarations(parser: XMLParserType, data: bytes, where: str) -> None:
    """Stop at the first declaration that could make the parser expand or open anything."""

    def forbid(*_: object) -> int:
        raise Forbidden(
            "the file declares a document type or entities, which no official file does",
            where=f"{where}, byte {parser.CurrentByteIndex}",
            next="fetch it from the publisher",
        )

    def declared(version: str, encoding: str | None, standalone: int) -> None:
        if encoding and encoding.lower() not in UTF8_NAMES and not data.isascii():
            raise Malformed(f"the file says it is {encoding}, not UTF-8", where=where, next="fetch the UTF-8 edition")

    parser.XmlDeclHandler = declared
    parser.StartDoctypeDeclHandler = forbid
    parser.EntityDeclHandler = forbid
    parser.UnparsedEntityDeclHandler = forbid
    parser.ExternalEntityRefHandler = forbid
    parser.SetParamEntityParsing(0)


def _malformed(error: ExpatError, data: bytes, where: str) -> Malformed:
    """The sentence for a file expat cannot read."""
    what = ErrorString(error.code) or str(error)
    if b"\0" in data:
        what = "the file has null bytes"
    elif not _is_utf8(data):
        what = "the file is not UTF-8"
    elif "no element" in what or "unclosed" in what:
        what = f"the file is cut off ({what})"
    place = f"{where}, line {error.lineno}, column {error.offset}"
    return Malformed(what, where=place, next="fetch it again and compare its SHA-256 with the manifest")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _record(parser: XMLParserType, data: bytes, kinds: Mapping[str, int], items: list[Any], where: str) -> None:
    """Install the handlers that fill *items*. Text goes straight from expat into a list, with no Python call."""
    chunks: list[str] = []
    marks: list[tuple[int, str, str]] = []
    stack: list[tuple[str, int, int]] = []  # name, kind and byte position of each open element that is not inline
    levels: list[int] = []  # kind of every open element
    edge = 0  # byte position where the current run began
    new_run, new_open, new_close, make = Run, Open, Close, tuple.__new__

    def too_expensive(what: str) -> TooExpensive:
        return TooExpensive(what, where=f"{where}, byte {parser.CurrentByteIndex}", next="check the file against its publisher")

    def flush(tag: str, raw_end: int) -> None:
        if not chunks:
            marks.clear()
            return
        if marks:
            parts = chunks[:]
            text = "".join(parts)
            items.append(make(new_run, (tag, text, edge, raw_end, parts, marks[:])))
            marks.clear()
        else:
            text = chunks[0] if len(chunks) == 1 else "".join(chunks)
            items.append(make(new_run, (tag, text, edge, raw_end, None, None)))
        chunks.clear()
        if len(text) > MAX_RUN:
            raise too_expensive(f"one <{tag}> holds {len(text)} characters, more than the {MAX_RUN} a text may have")

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal edge
        kind = kinds.get(name, -1)
        if kind < 0:
            kind = INLINE if stack and stack[-1][1] == LEAF else LEAF
        levels.append(kind)
        if kind == INLINE:
            marks.append((len(chunks), name, attributes.get("T", "") if attributes else ""))
            return
        raw = parser.CurrentByteIndex
        flush(stack[-1][0] if stack else "", raw)
        edge = raw
        stack.append((name, kind, raw))
        if kind == HOLDER:
            items.append(make(new_open, (name, attributes, raw)))
        if len(levels) > MAX_DEPTH:
            raise too_expensive(f"more than {MAX_DEPTH} elements are nested")

    def end(name: str) -> None:
        nonlocal edge
        if levels.pop() == INLINE:
            marks.append((len(chunks), "", ""))
            return
        _, kind, raw = stack.pop()
        after = _after(data, raw, parser.CurrentByteIndex)
        flush(name, after)
        edge = after
        if kind == HOLDER:
            items.append(make(new_close, (name, after)))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = chunks.append


def _after(data: bytes, start: int, at: int) -> int:
    """The position after an element's end tag, whose event came at *at*; an empty-element tag has none and ends at *at*."""
    if data[at - 2 : at] == b"/>" and data.find(b"<", start + 1, at) < 0:
        return at
    return data.index(b">", at) + 1
