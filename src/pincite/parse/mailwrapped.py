"""Messages and files that programs wrap: S/MIME messages signed as a whole, and Outlook's ``winmail.dat`` (TNEF).

Both are lists of pieces with lengths, read here as far as they hold what was sent. No signature is checked.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage
from typing import NamedTuple

SIGNED = ("application/pkcs7-mime", "application/x-pkcs7-mime")
TNEF = "application/ms-tnef"
MAX_DEPTH = 16
"""Pieces inside pieces of a signed message."""


def unwrapped(part: EmailMessage, data: bytes) -> list[EmailMessage]:
    """The parts that *part*, whose content is *data*, wraps; none where it wraps none or is damaged."""
    kind = part.get_content_type()
    try:
        if kind in SIGNED:
            content = signed_content(data)
            inner = message_from_bytes(content, policy=policy.default) if content else None
            return [inner] if isinstance(inner, EmailMessage) else []
        if kind == TNEF or data.startswith(_TNEF):
            return list(_parts_of_tnef(data))
    except (ValueError, IndexError, struct.error, LookupError, MessageError, RecursionError):
        return []
    return []


# --- S/MIME ------------------------------------------------------------------------------------------------------------

_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_OID, _OCTETS, _SEQUENCE, _CONTEXT = 0x06, 0x04, 0x30, 0xA0


class _Piece(NamedTuple):
    """A value of BER: its tag, and its bytes, which are pieces again where the tag says so."""

    tag: int
    content: bytes


def signed_content(data: bytes) -> bytes:
    """The message inside a signed one; b"" where it is not inside or *data* is none. Raises ``ValueError`` for damaged data."""
    kind, wrapped = _two(_one(data, _SEQUENCE))
    if kind.content != _SIGNED_DATA:
        return b""
    signed = list(_pieces(_one(wrapped.content, _SEQUENCE)))
    inside = list(_pieces(signed[2].content)) if len(signed) > 2 else []
    return _octets(inside[1].content, 0) if len(inside) > 1 else b""


def _one(data: bytes, tag: int) -> bytes:
    piece = next(_pieces(data), None)
    if piece is None or piece.tag != tag:
        raise ValueError("no such piece")
    return piece.content


def _two(data: bytes) -> tuple[_Piece, _Piece]:
    found = list(_pieces(data))
    if len(found) < 2 or found[0].tag != _OID:
        raise ValueError("no such pieces")
    return found[0], found[1]


def _octets(data: bytes, depth: int) -> bytes:
    """The bytes of a string, which may be written in pieces."""
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    return b"".join(
        _octets(piece.content, depth + 1) if piece.tag & 0x20 else piece.content
        for piece in _pieces(data)
        if piece.tag & 0x1F == _OCTETS
    )


def _pieces(data: bytes) -> Iterator[_Piece]:
    at = 0
    while at + 2 <= len(data):
        if data[at : at + 2] == b"\0\0":  # the end of pieces without a length
            return
        tag, start, end = _header_of(data, at)
        yield _Piece(tag, data[start:end])
        at = end + (2 if data[at + 1] == 0x80 else 0)


def _header_of(data: bytes, at: int, depth: int = 0) -> tuple[int, int, int]:
    """Tag of the piece at *at*, and where its content begins and ends."""
    tag, length, start = data[at], data[at + 1], at + 2
    if tag & 0x1F == 0x1F or depth > MAX_DEPTH:
        raise ValueError("a tag that no message has")
    if length == 0x80:
        end = start
        while data[end : end + 2] != b"\0\0":
            _, _, inner = _header_of(data, end, depth + 1)
            end = inner + (2 if data[end + 1] == 0x80 else 0)
        return tag, start, end
    if length > 0x80:
        size = length & 0x7F
        start, length = start + size, int.from_bytes(data[start : start + size], "big")
    if start + length > len(data):
        raise ValueError("cut off")
    return tag, start, start + length


# --- winmail.dat -------------------------------------------------------------------------------------------------------

_TNEF = b"\x78\x9f\x3e\x22"
_NEW_FILE, _FILE_NAME, _FILE_DATA, _FILE_PROPERTIES, _BODY, _PROPERTIES = 0x9002, 0x8010, 0x800F, 0x9005, 0x800C, 0x9003
_LONG_NAME, _OBJECT, _PLAIN, _HTML, _RICH = 0x3707, 0x3701, 0x1000, 0x1013, 0x1009
_ID_BYTES = 16
"""What stands before an object: the id of its kind."""
_FIXED = {0x02: 4, 0x03: 4, 0x04: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x0A: 4, 0x0B: 4, 0x14: 8, 0x40: 8, 0x48: 16}
"""Bytes of a property by its type; the others have a length."""


def _parts_of_tnef(data: bytes) -> Iterator[EmailMessage]:
    """The text of the message and the files, as parts of a message."""
    files: list[tuple[str, bytes]] = []
    texts: dict[int, bytes] = {}
    for number, value in _attributes(data):
        if number == _NEW_FILE:
            files.append(("", b""))
        elif number == _PROPERTIES:
            texts |= {kind: found for kind, found in _properties(value) if kind in (_PLAIN, _HTML, _RICH)}
        elif files and number == _FILE_NAME:
            files[-1] = files[-1][0] or value.rstrip(b"\0").decode("cp1252", "replace"), files[-1][1]
        elif files and number == _FILE_DATA:
            files[-1] = files[-1][0], value
        elif files and number == _FILE_PROPERTIES:
            told = dict(_properties(value))
            name = told[_LONG_NAME].decode("utf-8", "replace") if told.get(_LONG_NAME) else files[-1][0]
            files[-1] = name, files[-1][1] or told.get(_OBJECT, b"")[_ID_BYTES:]
        elif number == _BODY:
            texts.setdefault(_PLAIN, value.rstrip(b"\0").decode("cp1252", "replace").encode())
    for kind, subtype in ((_PLAIN, "plain"), (_HTML, "html")):
        if kind in texts:
            yield _part(texts[kind], "text", subtype)
    if _RICH in texts and _PLAIN not in texts and _HTML not in texts:
        yield _part(texts[_RICH], "application", "rtf", "message.rtf")
    for name, content in files:
        if content:
            inner = "ms-tnef" if content.startswith(_TNEF) else "octet-stream"
            yield _part(content, "application", inner, name or "attachment")


def _part(content: bytes, main: str, sub: str, name: str = "") -> EmailMessage:
    part = EmailMessage()
    if name:
        part.set_content(content, main, sub, filename=name)
    else:
        part.set_content(content, main, sub, cte="base64")
    return part


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 6  # the signature and a key
    while at + 9 <= len(data):
        number, length = struct.unpack_from("<II", data, at + 1)
        if at + 9 + length > len(data):
            return
        yield number & 0xFFFF, data[at + 9 : at + 9 + length]
        at += 11 + length  # and a sum


def _properties(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Properties with a length, each once: their number, and text in UTF-8 or bytes."""
    (count,) = struct.unpack_from("<I", data)
    at = 4
    for _ in range(count):
        kind, number = struct.unpack_from("<HH", data, at)
        at += 4
        if number >= 0x8000:
            at = _after_name(data, at)
        many, kind = kind & 0x1000, kind & 0xFFF
        values = struct.unpack_from("<I", data, at)[0] if many or kind not in _FIXED else 1
        at += 4 if many or kind not in _FIXED else 0
        for _ in range(values):
            if kind in _FIXED:
                at += _FIXED[kind]
                continue
            (length,) = struct.unpack_from("<I", data, at)
            value = data[at + 4 : at + 4 + length]
            at += 4 + length + -length % 4
            yield number, _text(kind, value)


def _after_name(data: bytes, at: int) -> int:
    """Past the name that a property of a program's own has."""
    by_name, length = struct.unpack_from("<II", data, at + 16)
    return at + 24 + (int(length + -length % 4) if by_name else 0)


def _text(kind: int, value: bytes) -> bytes:
    if kind == 0x1F:
        return value.decode("utf-16-le", "replace").rstrip("\0").encode()
    return value.rstrip(b"\0").decode("cp1252", "replace").encode() if kind == 0x1E else value
