"""One pass of expat over an official XML file: which text stands in which element, and where in the file.

The scanner knows nothing of regulations. It is told which elements are *inline* (they do not interrupt a text), which are
*leaves* (a text of their own) and which *hold* others; it tells a reader of the holders, and gives every text with its
bytes in the extracted text and in the file. Document type declarations, entities and external entities are refused before
anything is expanded or opened.

Byte positions are taken at tags only: with ``buffer_text`` the position at a text callback is that of the *next* tag.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from pyexpat import ErrorString, ExpatError, ParserCreate, XMLParserType
from typing import Any, NamedTuple, Protocol

from pincite.errors import Forbidden, Malformed, TooExpensive

MAX_TEXT = 8 * 1024 * 1024
"""Characters of one uninterrupted text. The longest in the whole CFR is far below a tenth of this."""
MAX_DEPTH = 200
"""Open elements at once. The deepest official file has about twenty."""

INLINE, LEAF, HOLDER, NOTED, NAMED = 0, 1, 2, 3, 4
"""What an element is to the scanner: part of a text, a text of its own, something that holds others, an inline element that
the reader wants to know of (an image has no text, and must not vanish), or a leaf whose SOURCE attribute is part of its
name: ``<HD SOURCE="HD1">`` is told as ``HD.HD1``."""

_HANDLERS = (
    "StartElementHandler",
    "EndElementHandler",
    "CharacterDataHandler",
    "XmlDeclHandler",
    "StartDoctypeDeclHandler",
    "EntityDeclHandler",
    "UnparsedEntityDeclHandler",
    "ExternalEntityRefHandler",
)
UTF8_NAMES = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})


class Inline(NamedTuple):
    """An inline element inside a text: ``start`` and ``end`` are character offsets into it."""

    tag: str
    kind: str  # one attribute: T of <E>, href of <ref>; "" where it has none
    start: int
    end: int


class Text(NamedTuple):
    """A text with nothing but inline elements in it, whitespace around it cut off, and where it stands."""

    tag: str  # the element it stands directly in
    text: str
    start: int  # bytes of the extracted text
    end: int
    raw_start: int  # bytes of the file: its element, or the stretch of the element that holds it
    raw_end: int
    marks: tuple[list[str], list[tuple[int, str, str]]] | None  # pieces before trimming, and inline tags between them
    context: Any  # what the reader said holds for texts here

    def inlines(self) -> list[Inline]:
        """The inline elements of the text, in the order they begin."""
        if not self.marks:
            return []
        pieces, marks = self.marks
        whole = "".join(pieces)
        offsets = [*accumulate(map(len, pieces), initial=-whole.find(self.text))]
        found: list[Inline] = []
        opened: list[tuple[int, str, str, int]] = []
        make, length = tuple.__new__, len(self.text)
        for index, tag, kind in marks:
            place = max(offsets[index], 0)
            if tag:
                opened.append((len(found), tag, kind, place))
                found.append(make(Inline, (tag, kind, place, length)))
            elif opened:
                number, name, how, begin = opened.pop()
                found[number] = make(Inline, (name, how, begin, min(place, length)))
        return found


class Reader(Protocol):
    """Who is told of the elements that hold others. Texts are appended to ``texts`` in document order."""

    texts: list[Text]
    context: Any

    def open(self, tag: str, attributes: Mapping[str, str], raw: int, position: int) -> None:
        """An element that holds others begins: byte *raw* of the file, byte *position* of the extracted text."""

    def close(self, tag: str, raw: int, position: int) -> None:
        """It ends; *raw* is the byte after its end tag."""

    def note(self, tag: str, attributes: Mapping[str, str], position: int) -> None:
        """An element of kind NOTED, or one that has no kind, stands here."""


def scan(data: bytes, kinds: Mapping[str, int], reader: Reader, where: str, marked: str = "T") -> bytes:
    """Read *data* once, telling *reader*; the extracted text, all character data in document order as UTF-8.

    *kinds* gives INLINE, LEAF or HOLDER by element name; an element without an entry is inline inside a leaf and a holder
    elsewhere. Raises ``Malformed``, ``Forbidden`` or ``TooExpensive``; *where* names the file in the message;
    *marked* is the attribute of inline elements that is kept.
    """
    if not data.strip():
        raise Malformed("the file is empty", where=where, next="fetch it again")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        raise Malformed("the file is UTF-16 or UTF-32, not UTF-8", where=where, next="fetch the UTF-8 edition")
    parser = ParserCreate("utf-8")
    parser.buffer_text = True
    parser.buffer_size = 1 << 16
    _refuse_declarations(parser, data, where)
    recorder = _Recorder(parser, data, kinds, reader, where, marked)
    try:
        parser.Parse(data, True)
    except ExpatError as error:
        raise _malformed(error, data, where) from None
    finally:
        for handler in _HANDLERS:  # they hold the parser, and with it the file, until the collector comes by
            setattr(parser, handler, None)
    return b"".join(recorder.pieces)


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


class _Recorder:
    """The handlers. Text goes straight from expat into ``chunks``, with no Python call."""

    __slots__ = (
        "chunks", "data", "edge", "first", "kinds", "marked", "marks", "odd", "parser", "pieces", "position", "reader",
        "stack", "where",
    )  # fmt: skip

    def __init__(
        self, parser: XMLParserType, data: bytes, kinds: Mapping[str, int], reader: Reader, where: str, marked: str
    ) -> None:
        self.parser, self.data, self.kinds, self.reader, self.where = parser, data, kinds, reader, where
        self.marked = marked
        self.pieces: list[bytes] = []  # the extracted text
        self.position = 0  # bytes of it so far
        self.chunks: list[str] = []  # text since the last piece was finished
        self.first = 0  # chunks that stand before the current element's own text
        self.edge = 0  # byte of the file where the current text began
        self.marks: list[tuple[int, str, str]] = []  # inline tags between the chunks
        self.stack: list[tuple[str, int, int]] = []  # name, kind and byte of each open element that is not inline
        self.odd: list[int] = []  # kinds of open elements that have none of their own
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.chunks.append

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        kind, chunks = self.kinds.get(name, NOTED), self.chunks
        if kind == NOTED:
            kind = self._noted(name, attributes)
        if kind == INLINE:
            self.marks.append((len(chunks), name, attributes.get(self.marked, "") if attributes else ""))
            return
        raw = self.parser.CurrentByteIndex
        if chunks and self.stack and (len(chunks) > 1 or not chunks[0].isspace()):
            self._finish(self.stack[-1][0], raw)
        if self.marks:
            self.marks.clear()
        self.edge, self.first = raw, len(chunks)
        if kind == NAMED:
            name, kind = f"{name}.{attributes.get('SOURCE', '')}", LEAF
        self.stack.append((name, kind, raw))
        if kind == HOLDER:
            self._skip_gap()
            self.reader.open(name, attributes, raw, self.position)
            if len(self.stack) > MAX_DEPTH:
                raise self._too_expensive(f"more than {MAX_DEPTH} elements are nested")

    def end(self, name: str) -> None:
        """An element ends."""
        kind = self.kinds.get(name, NOTED)
        if kind == NOTED:
            kind = self.odd.pop()
        if kind == INLINE:
            self.marks.append((len(self.chunks), "", ""))
            return
        at = self.parser.CurrentByteIndex
        told, kind, raw = self.stack.pop()
        if kind == LEAF and len(self.chunks) > self.first:  # it has text, so it has an end tag
            after = at + len(name) + 3
            if self.data[after - 1] != 62:
                after = self.data.index(b">", at) + 1
            self._finish(told, after)
            self.edge = after
            return
        after = _after(self.data, raw, at)
        if len(self.chunks) > self.first:
            self._finish(told, after)
        self.edge, self.first = after, len(self.chunks)
        if kind == HOLDER:
            self._skip_gap()
            self.reader.close(name, after, self.position)

    def _finish(self, name: str, raw_end: int) -> None:
        """The text of element *name* ends here: together with the whitespace before it, it is the next piece."""
        chunks, marks, before = self.chunks, self.marks, self.position
        whole = "".join(chunks)
        if len(whole) > MAX_TEXT:
            raise self._too_expensive(f"one <{name}> holds more than {MAX_TEXT} characters without a break")
        text = whole.strip()
        encoded = whole.encode()
        self.pieces.append(encoded)
        if text:
            begin, length = before + len(whole) - len(whole.lstrip()), len(text)
            if len(encoded) != len(whole):
                begin, length = before + len(whole[: begin - before].encode()), len(text.encode())
            inside = (chunks[:], marks[:]) if marks else None
            reader = self.reader
            found = (name, text, begin, begin + length, self.edge, raw_end, inside, reader.context)
            reader.texts.append(tuple.__new__(Text, found))
        self.position = before + len(encoded)
        self.first = 0
        chunks.clear()
        if marks:
            marks.clear()

    def _noted(self, name: str, attributes: dict[str, str]) -> int:
        """An element the reader wants to know of, or does not know: what it is taken for."""
        self.reader.note(name, attributes, self.position)
        inline = name in self.kinds or bool(self.stack and self.stack[-1][1] == LEAF)
        self.odd.append(INLINE if inline else HOLDER)
        return self.odd[-1]

    def _skip_gap(self) -> None:
        """Whitespace between elements is a piece of the page and of no text."""
        if self.chunks:
            encoded = "".join(self.chunks).encode()
            self.pieces.append(encoded)
            self.position += len(encoded)
            self.chunks.clear()
        self.first = 0

    def _too_expensive(self, what: str) -> TooExpensive:
        where = f"{self.where}, byte {self.parser.CurrentByteIndex}"
        return TooExpensive(what, where=where, next="check the file against its publisher")


def _after(data: bytes, start: int, at: int) -> int:
    """The position after an element's end tag, whose event came at *at*; an empty-element tag has none and ends at *at*."""
    if data[at - 2 : at] == b"/>" and data.find(b"<", start + 1, at) < 0:
        return at
    return data.index(b">", at) + 1
