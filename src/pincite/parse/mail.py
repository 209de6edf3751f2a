"""E-mail (``.eml``), mailboxes and saved pages in one file (``.mht``) → ``Document``.

- Headers are ``metadata`` blocks as a mail program shows them; the subject is the title of the message.
- The body is the plain text where there is one, else the HTML; quoted replies are ``note`` blocks.
- Each attachment is an ``attachment`` node ``message#attachment-N`` read by the reader of its format, as pages of its own, with
  ids below that node (``message#attachment-1/scope``). What is not read, too large, or too deep is a finding.
- A mailbox has a ``message`` node for each message.

``Block.origin`` is the part (``part 1.2``) and, in attachments, the place in it. Limits: :data:`DEPTH_LIMIT` messages inside
each other, :data:`PARTS_LIMIT` parts and :data:`BYTES_LIMIT` bytes of attachments in all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import policy
from email.errors import MessageError
from email.message import EmailMessage
from email.parser import BytesParser

from pincite.errors import Malformed, PinciteError, TooExpensive
from pincite.model import Document, Source, sha256_hex
from pincite.parse.compose import Composer
from pincite.parse.formats import media_type_of, reader_of
from pincite.parse.plaintext import lay_out
from pincite.parse.textfile import Text, TextWriter, decode

PARSER, VERSION = "mail", "1"
DEPTH_LIMIT = 5
"""Messages inside messages."""
PARTS_LIMIT = 200
"""Parts of a message, those of messages in it included."""
BYTES_LIMIT = 100 << 20
"""Bytes of all attachments together."""
HEADERS = ("From", "To", "Cc", "Date", "Subject", "Reply-To", "Message-ID", "In-Reply-To", "References")

_HEADER_LINE = re.compile(rb"(?:From |[!-9;-~]+[ \t]*:)")
_QUOTE_INTRODUCED = re.compile(
    r"^(?:-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht)"
    r"|(?:on|am|le) .{5,120}(?:wrote|schrieb|a écrit) ?:)",
    re.IGNORECASE | re.MULTILINE,
)
_MBOX = re.compile(rb"(?:\A|\r?\n\r?\n)From [^\r\n]+\r?\n(?=[!-9;-~]+:)")


def read_mail(source: Source, data: bytes) -> Document:
    """The document of one message. Raises ``Malformed`` for what has no headers."""
    if data[:4].count(0) or data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        data = decode(source, data).text.encode()  # saved by an editor in its own encoding
    if not _HEADER_LINE.match(data.lstrip()[:998]):
        raise Malformed("this is no e-mail: it does not begin with headers", where=source.path, next="look at the file")
    made = Composer(source, PARSER, VERSION)
    _Reader(made).message(_parsed(source, data.lstrip()), "", 1)
    return made.document()


def read_mailbox(source: Source, data: bytes) -> Document:
    """The document of a mailbox (mbox): a ``message`` node for each message, in order."""
    starts = [found.end() for found in _MBOX.finditer(data)]
    if not starts:
        raise Malformed("this is no mailbox: no line begins a message", where=source.path, next="look at the file")
    ends = [*[found.start() for found in _MBOX.finditer(data)][1:], len(data)]
    made = Composer(source, PARSER, VERSION)
    reader = _Reader(made)
    for number, (start, end) in enumerate(zip(starts, ends), 1):
        message = _parsed(source, data[start:end])
        made.enter("message", fragment=f"message-{number}", heading=_header(message, "Subject"))
        reader.message(message, f"message {number} ", 1)
        made.leave(1)
    return made.document()


def _parsed(source: Source, data: bytes) -> EmailMessage:
    try:
        message = BytesParser(policy=policy.default).parsebytes(data)
    except RecursionError:
        raise TooExpensive("parts are nested deeper than can be read", where=source.path, next="look at the file") from None
    except (MessageError, ValueError, LookupError) as error:
        raise Malformed(f"the message cannot be read ({error})", where=source.path, next="export it again") from None
    assert isinstance(message, EmailMessage)
    return message


@dataclass
class _Spent:
    """What the attachments have taken so far."""

    parts: int = 0
    size: int = 0
    attachments: int = 0


class _Reader:
    """Hands a message and what is in it to the composer."""

    def __init__(self, made: Composer) -> None:
        self.made, self.spent = made, _Spent()

    def message(self, message: EmailMessage, where: str, depth: int) -> None:
        """Headers, body and attachments of one message."""
        subject = _header(message, "Subject")
        if subject and self.made.depth == 1 and depth == 1:
            self.made.title(subject)
        self._headers(message, where)
        parts = list(_leaves(message, PARTS_LIMIT + 1))
        if len(parts) > PARTS_LIMIT:
            parts.pop()
            self.made.find("too_many_parts", f"{PARTS_LIMIT} parts", "a message with more parts; the others are not read")
        body = _body(parts)
        if body:
            self._body(body[1], where + body[0])
        inline = [part.get_content_type() for _, part in parts if _is_ornament(part)]
        if inline:
            self.made.find("inline_parts", f"{len(inline)} parts", f"not read: {', '.join(sorted(set(inline)))}")
        for name, part in parts:
            if (not body or part is not body[1]) and not _is_ornament(part):
                self._attachment(part, where + name, depth, other=_is_other_body(part, body[1] if body else None))

    def _headers(self, message: EmailMessage, where: str) -> None:
        for name in HEADERS:
            words = _header(message, name)
            if words:
                self.made.add(f"{name}: {words}", "metadata", origin=f"{where}header {name}")
                self.made.add("\n", "blank")
        self.made.add("\n", "blank")

    def _body(self, part: EmailMessage, where: str) -> None:
        data = _payload(part)
        if not data.strip():
            return
        if part.get_content_type() == "text/html":
            self._read("text/html", data, "", where, part)
            return
        declared = part.get_content_charset() or ""
        read = decode(self.made.source, data, declared)
        quoted = _QUOTE_INTRODUCED.search(read.text)
        end = quoted.start() if quoted else len(read.text)
        for text, role in ((read.text[:end], ""), (read.text[end:], "note")):
            if text.strip():
                lay_out(self.made, TextWriter(self.made, Text(text, 0, 0, read.stretches, ()), origin=where, role=role))
        self.made.add("\n", "blank")

    # --- attachments ------------------------------------------------------------------------------------------------

    def _attachment(self, part: EmailMessage, where: str, depth: int, other: bool) -> None:
        """A part that is not the body: a place and pages of its own, or the reason why not."""
        if other:
            return self.made.find("other_body", part.get_content_type(), "the same text again in another format, left out")
        self.spent.parts += 1
        self.spent.attachments += 1
        inner = part.get_payload()
        messages = [piece for piece in inner if isinstance(piece, EmailMessage)] if isinstance(inner, list) else []
        name = _file_name(part) or (messages and _header(messages[0], "Subject")) or part.get_content_type()
        self.made.page()
        self.made.enter("attachment", fragment=f"=attachment-{self.spent.attachments}", label=name, heading=name)
        reason = self._refused(part, depth)
        if reason:
            self.made.find("attachment_not_read", name, reason)
        elif part.get_content_type() == "message/rfc822":
            for message in messages:
                self.message(message, f"{where} ", depth + 1)
        else:
            data = _payload(part)
            self.spent.size += len(data)
            self._read(_media_type(part, name), data, name, where, part)
        return self.made.leave()

    def _refused(self, part: EmailMessage, depth: int) -> str:
        if part.get_content_type() == "message/rfc822" and depth >= DEPTH_LIMIT:
            return f"messages inside more than {DEPTH_LIMIT} others are not read"
        if self.spent.parts > PARTS_LIMIT:
            return f"more than {PARTS_LIMIT} parts"
        if self.spent.size > BYTES_LIMIT:
            return f"more than {BYTES_LIMIT >> 20} MB of attachments"
        return ""

    def _read(self, media_type: str, data: bytes, name: str, where: str, part: EmailMessage) -> None:
        """A part's own document becomes part of this one, below the open place."""
        charset = part.get_content_charset()
        if charset and media_type.startswith("text/"):
            media_type = f'{media_type}; charset="{charset}"'
        about, path = self.made.source, f"{self.made.source.path}/{name}"
        digest = sha256_hex(data)
        inner = Source(self.made.node_id, about.corpus_version, name, about.uri, media_type, path, len(data), digest)
        try:
            document = reader_of(media_type)(inner, data)
        except PinciteError as error:
            self.made.find("attachment_not_read", name or media_type, error.sentence())
            return
        self.made.embed(document, where)


def _leaves(message: EmailMessage, limit: int) -> Iterator[tuple[str, EmailMessage]]:
    """The parts that are no containers, each with its number (``part 1.2``); messages in it are one part each."""
    todo = [("part 1", message)]
    while todo and limit:
        name, part = todo.pop()
        inner = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(inner, list):
            parts = [piece for piece in inner if isinstance(piece, EmailMessage)]
            todo += [(f"{name}.{number}", piece) for number, piece in reversed(list(enumerate(parts, 1)))]
        else:
            limit -= 1
            yield name, part


def _body(parts: list[tuple[str, EmailMessage]]) -> tuple[str, EmailMessage] | None:
    """The part that is the body: the first plain text that has words, else the first HTML."""
    shown = [found for found in parts if found[1].get_content_disposition() != "attachment" and not found[1].get_filename()]
    for kind in ("text/plain", "text/html"):
        for found in shown:
            if found[1].get_content_type() == kind and _payload(found[1]).strip():
                return found
    return None


def _is_other_body(part: EmailMessage, body: EmailMessage | None) -> bool:
    """Whether this is the HTML beside the plain text that is the body."""
    named = part.get_content_disposition() == "attachment" or part.get_filename()
    return body is not None and not named and part.get_content_type() in ("text/html", "text/plain")


def _is_ornament(part: EmailMessage) -> bool:
    """A picture, font or style sheet that the HTML shows inside itself."""
    kind = part.get_content_type()
    shown = part.get_content_disposition() != "attachment"
    return shown and (part.get_content_maintype() in ("image", "font", "audio", "video") or kind == "text/css")


def _payload(part: EmailMessage) -> bytes:
    try:
        data = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError):
        return b""
    return data if isinstance(data, bytes) else b""


def _header(message: EmailMessage, name: str) -> str:
    """A header's words in one line; what cannot be decoded as it stands."""
    try:
        value = message.get(name, "")
    except (ValueError, LookupError, IndexError, AttributeError, MessageError):  # headers that the library trips over
        value = next((raw for key, raw in message.raw_items() if key.lower() == name.lower()), "")
    return " ".join(str(value).encode("utf-8", "replace").decode().split())


def _file_name(part: EmailMessage) -> str:
    try:
        name = part.get_filename() or ""
    except (ValueError, LookupError, IndexError, AttributeError):
        name = ""
    words = " ".join(str(name).encode("utf-8", "replace").decode().split())
    return words.replace("\\", "/").rsplit("/", 1)[-1][:120]


def _media_type(part: EmailMessage, name: str) -> str:
    """What an attachment is: by its content type, or by its name where that says nothing."""
    declared = part.get_content_type()
    if declared in ("application/octet-stream", "text/plain", "application/binary"):
        return media_type_of(name) or declared
    return declared
