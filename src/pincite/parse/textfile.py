"""Files that are text: bytes to characters, and the way back from every character to its bytes.

The canonical text of such a file is its own characters, line ends included, without the byte order mark. A piece of it is
therefore a range of bytes in the file, whatever the encoding, and :class:`TextWriter` writes that range with each block.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pincite.errors import Malformed
from pincite.model import Source
from pincite.parse.compose import Composer, Piece, Place
from pincite.parse.encodings import STATEFUL, likeliest
from pincite.parse.formats import parameters

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BINARY_SHARE = 0.05
"""Share of control characters above which a file is no text."""
SAMPLE = 1 << 16
"""Bytes that are looked at to guess an encoding."""


class Stretch(NamedTuple):
    """Characters up to *end* (excluded) are in one encoding."""

    end: int
    encoding: str


class Text(NamedTuple):
    """A decoded file. ``mark`` is the length of its byte order mark; ``notes`` are findings as (kind, subject, reason)."""

    text: str
    mark: int
    size: int  # bytes of the file
    stretches: tuple[Stretch, ...]
    notes: tuple[tuple[str, str, str], ...]


def decode(source: Source, data: bytes, declared: str = "") -> Text:
    """The characters of a text file: by its byte order mark, the *declared* encoding, as UTF-8, or by a guess that is noted.

    Declared is what the media type says (``text/plain; charset=cp1252``), else *declared*.

    Raises ``Malformed`` for an empty file and for one that is not text.
    """
    if not data:
        raise Malformed("the file is empty", where=source.path, next="remove it or replace it")
    declared = parameters(source.media_type).get("charset", "") or declared
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", declared))
    body = data[len(mark) :]
    read = _strict(body, encoding or "utf-8") or (not mark and _strict(body, "utf-8")) or _guessed(body, encoding)
    text, stretches, notes = read
    if _CONTROL.search(text):
        notes = (*notes, _control_note(source, text))
    return Text(text, len(mark), len(data), stretches, notes)


Read = tuple[str, tuple[Stretch, ...], tuple[tuple[str, str, str], ...]]


def _strict(body: bytes, encoding: str) -> Read | None:
    """The text if all of it is in *encoding* and every piece of it leads back to its bytes."""
    try:
        text = body.decode(encoding)
    except (ValueError, LookupError):  # a codec may be unknown, no text codec, or have an impossible name
        return None
    if encoding != "utf-8" and (codecs.lookup(encoding).name in STATEFUL or text.encode(encoding, "replace") != body):
        return None
    if encoding == "utf-8" and "\0" in text[:SAMPLE] and len(body) % 2 == 0 and _without_mark(body, share=0.6):
        return None
    return text, (Stretch(len(text), encoding),), ()


def _without_mark(body: bytes, share: float = 0.4) -> str:
    """``utf-16-le`` or ``-be`` where at least this *share* of every other byte is zero, as in Western text without a mark."""
    sample = body[: SAMPLE // 2 * 2]
    half = len(sample) // 2
    if half < 8:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > share * half and even < 0.05 * half:
        return "utf-16-le"
    return "utf-16-be" if even > share * half and odd < 0.05 * half else ""


def _guessed(body: bytes, declared: str) -> Read:
    """Neither declared nor UTF-8: UTF-16 without a mark, lines in two encodings, or the likeliest single one."""
    wide = _without_mark(body) or (declared if declared.startswith(("utf-16-", "utf-32-")) else "")
    if wide:
        text = body.decode(wide, "replace")
        reason = f"read as {wide}" + ("; what is not valid stands as �" if "�" in text else "")
        return text, (Stretch(len(text), wide),), (("encoding_guessed", wide, reason),)
    mixed = _by_lines(body)
    if mixed:
        return mixed
    encoding = likeliest(body[:SAMPLE], lambda name: _strict(body, name) is not None)
    text = body.decode(encoding)
    note = ("encoding_guessed", encoding, f"no encoding is declared and it is not UTF-8; read as {encoding}")
    return text, (Stretch(len(text), encoding),), (note,)


def _by_lines(body: bytes) -> Read | None:
    """Lines in UTF-8 beside lines that are not: each is read in its own encoding. None where the file has only one."""
    valid = 0
    lines = [(line, _utf8(line)) for line in body.splitlines(keepends=True)]
    for line, text in lines:
        valid += text is not None and len(text) != len(line)
    if not valid:
        return None
    texts, stretches, at, other = list[str](), list[Stretch](), 0, 0
    for line, text in lines:
        if text is None:
            other += 1
            words, encoding = _single_byte(line)
        else:
            words, encoding = text, "utf-8"
        texts.append(words)
        at += len(words)
        if stretches and stretches[-1].encoding == encoding:
            stretches.pop()
        stretches.append(Stretch(at, encoding))
    note = ("mixed_encodings", f"{other} lines", f"{other} of {len(lines)} lines are not UTF-8; they are read as Windows-1252")
    return "".join(texts), tuple(stretches), (note,)


def _utf8(line: bytes) -> str | None:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return None


def _single_byte(line: bytes) -> tuple[str, str]:
    try:
        return line.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        return line.decode("latin-1"), "latin-1"


def _control_note(source: Source, text: str) -> tuple[str, str, str]:
    found = len(_CONTROL.findall(text))
    if found > _BINARY_SHARE * len(text):
        raise Malformed("this is not text", where=source.path, next="look at the file, or give it its own media type")
    kind = "null_bytes" if "\0" in text else "control_characters"
    return kind, str(found), f"{found} control characters, kept as they are; the first at character {_first(text)}"


def _first(text: str) -> int:
    found = _CONTROL.search(text)
    return found.start() if found else 0


Leaf = tuple[int, int, Place]
"""Characters that are one block and a place of their own: the first, the one after the last, and the place."""


class TextWriter:
    """Hands a text to a composer in order and without a gap; white space around a piece becomes a blank block."""

    def __init__(self, made: Composer, read: Text, *, origin: str = "", role: str = "") -> None:
        """*origin*: the text is not the file's own but decoded from that part of it, so there are no byte ranges.

        *role* takes the place of "body".
        """
        self.made, self.text, self.at, self.raw = made, read.text, 0, read.mark
        self._size, self._origin, self._body = read.size, origin, role or "body"
        self._stretches, self._stretch = read.stretches, 0
        self._simple = read.text.isascii() and len(read.stretches) == 1 and read.stretches[0].encoding in _ASCII
        for kind, subject, reason in read.notes:
            made.find(kind, subject, reason)

    def put(
        self, start: int, end: int, role: str, shown: str | None = None, *, origin: str = "", strip: str | None = None
    ) -> tuple[int, int]:
        """Characters *start* to *end* as one block; its byte range in the canonical text.

        The characters of *strip* (white space) at its ends are kept apart, as is what lies between the last piece and this one:
        they become blank.
        """
        piece = self.text[start:end]
        end -= len(piece) - len(piece.rstrip(strip))
        start = min(start + len(piece) - len(piece.lstrip(strip)), end)
        self.blank(start)
        return self._add(end, role, shown, origin)

    def leaves(self, kind: str, role: str, rows: Iterable[Leaf]) -> tuple[int, int] | None:
        """Places of one block each, what lies between them blank; the byte range of all. Not for a text with an origin."""
        return self.made.leaves(kind, role, self._pieces(rows))

    def _pieces(self, rows: Iterable[Leaf]) -> Iterator[Piece]:
        text, simple = self.text, self._simple
        for start, end, place in rows:
            at, raw = self.at, self.raw
            if simple:
                begin = raw + start - at
                self.at, self.raw = end, begin + end - start
            else:
                begin = self._advance(start)
                self._advance(end)
            yield text[at:start], text[start:end], raw, begin, self.raw, place

    def _advance(self, end: int) -> int:
        """Move the cursor to *end*; the byte in the file it is at."""
        words = self.text[self.at : end]
        length = len(words) if self._simple else self._raw_length(words)
        self.raw = min(self.raw + length, self._size)  # a last half character counts as a whole one
        self.at = max(end, self.at)
        return self.raw

    def blank(self, end: int) -> None:
        """Everything up to *end* as a blank block."""
        if end > self.at:
            self._add(end, "blank", None)

    def _add(self, end: int, role: str, shown: str | None, origin: str = "") -> tuple[int, int]:
        if self._origin:
            piece, self.at = self.text[self.at : end], max(end, self.at)
            return self.made.add(piece, self._body if role == "body" else role, origin=self._origin, shown=shown)
        piece, raw = self.text[self.at : end], self.raw
        return self.made.add(piece, role, origin=origin, raw=(raw, self._advance(end)), shown=shown)

    def _raw_length(self, piece: str) -> int:
        """How many bytes of the file *piece*, which begins at the cursor, takes."""
        end, encoding = self._stretches[self._stretch]
        if self.at + len(piece) <= end:
            return len(piece) if piece.isascii() and encoding in _ASCII else len(piece.encode(encoding))
        length, at = 0, self.at
        while piece:
            end, encoding = self._stretches[self._stretch]
            length += len(piece[: end - at].encode(encoding))
            piece, at = piece[end - at :], end
            self._stretch += bool(piece)
        return length


_ASCII = frozenset({"utf-8", "cp1252", "latin-1"})
