"""E-mail (``.eml``), mailboxes and saved pages in one file (``.mht``) → ``Document``.

- Headers are ``metadata`` blocks as a mail program shows them; the subject is the title of the message.
- Of a text in two formats the plain one is read, unless it only stands in for the HTML; quoted replies are ``note`` blocks.
- Each attachment is an ``attachment`` node ``message#attachment-N`` read by the reader of its format, as pages of its own, with
  ids below that node (``message#attachment-1/scope``). What is not read, too large, or too deep is a finding.
- A mailbox has a ``message`` node for each message.

``Block.origin`` is the part (``part 1.2``) and, in attachments, the place in it. Limits: :data:`DEPTH_LIMIT` messages inside
each other, :data:`PARTS_LIMIT` parts and :data:`BYTES_LIMIT` bytes of attachments in all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from email import policy
from email.errors import MessageError
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from email.parser import BytesParser
from functools import lru_cache

from pincite.errors import Malformed, NeedsPassword, PinciteError, TooExpensive
from pincite.model import Document, Source, sha256_hex
from pincite.parse.compose import Composer
from pincite.parse.formats import parameters, reader_of
from pincite.parse.mailparts import (
    bodies_of,
    file_name,
    header,
    is_encrypted,
    is_ornament,
    kind_of,
    leaves_of,
    media_type_of_part,
    payload,
    recoded,
    unflowed,
)
from pincite.parse.mailquotes import marked, parted
from pincite.parse.plaintext import lay_out
from pincite.parse.textfile import Text, TextWriter, decode

PARSER, VERSION = "mail", "1"
DEPTH_LIMIT = 5
"""Messages inside messages."""
PARTS_LIMIT = 200
"""Parts of a message, those of messages in it included."""
BYTES_LIMIT = 100 << 20
"""Bytes of all attachments together."""
HEADERS_KEPT = 512
"""Headers taken apart that are kept while a message is read."""
REPORTS = frozenset(
    {"message/delivery-status", "message/global-delivery-status", "message/disposition-notification", "message/feedback-report"}
)
"""Parts that tell what became of a message."""
HEADERS = ("From", "To", "Cc", "Date", "Subject", "Reply-To", "Message-ID", "In-Reply-To", "References")

_REGISTRY = HeaderRegistry()
_TOO_DEEP = f"messages inside more than {DEPTH_LIMIT} others are not read"

_HEADER_LINE = re.compile(rb"(?:From |[!-9;-~]+[ \t]*:)")
_MBOX = re.compile(
    rb"(?:\A|\r?\n\r?\n)From (?:[^\r\n]+\r?\n(?=[!-9;-~]+:)"
    rb"|\S+ +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [^\r\n]{10,60}\r?\n(?=\r?\n))"  # a message without headers
)
_ESCAPED = re.compile(rb"^>(?=>*From )", re.MULTILINE)


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
        try:
            message = _parsed(source, _ESCAPED.sub(b"", data[start:end]))
            made.enter("message", fragment=f"message-{number}", heading=header(message, "Subject"))
            reader.message(message, f"message {number} ", 1)
        except PinciteError as error:  # the others are read all the same
            made.find("message_not_read", f"message {number}", error.sentence())
        made.leave(1)
    return made.document()


def _parsed(source: Source, data: bytes) -> EmailMessage:
    try:
        message = BytesParser(policy=_caching()).parsebytes(data)
    except RecursionError:
        raise TooExpensive("parts are nested deeper than can be read", where=source.path, next="look at the file") from None
    except (MessageError, ValueError, LookupError) as error:
        raise Malformed(f"the message cannot be read ({error})", where=source.path, next="export it again") from None
    assert isinstance(message, EmailMessage)
    return message


def _caching() -> policy.EmailPolicy[EmailMessage]:
    """A policy for one message that takes a header apart once, not each time somebody asks for it."""
    return policy.default.clone(header_factory=lru_cache(HEADERS_KEPT)(_REGISTRY))


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
        self.bare = parameters(made.source.media_type).get("attachments") == "none"

    def message(self, message: EmailMessage, where: str, depth: int) -> None:
        """Headers, body and attachments of one message. Raises ``NeedsPassword`` where the message itself is encrypted."""
        if depth == 1 and is_encrypted(message):
            raise NeedsPassword("the message is encrypted", where=self.made.source.path, next="save it decrypted")
        subject = header(message, "Subject")
        if subject and self.made.depth == 1 and depth == 1:
            self.made.title(subject)
        self._headers(message, where)
        parts = list(leaves_of(message, PARTS_LIMIT + 1))
        if len(parts) > PARTS_LIMIT:
            parts.pop()
            self.made.find("too_many_parts", f"{PARTS_LIMIT} parts", "a message with more parts; the others are not read")
        bodies, others = bodies_of(parts)
        for leaf in bodies:
            self._body(leaf.part, where + leaf.name)
        for leaf, reason in others:
            self.made.find("other_body", kind_of(leaf.part), reason)
        inline = [leaf.part.get_content_type() for leaf in parts if is_ornament(leaf.part)]
        if inline:
            self.made.find("inline_parts", f"{len(inline)} parts", f"not read: {', '.join(sorted(set(inline)))}")
        done = [*bodies, *(leaf for leaf, _ in others)]
        for leaf in parts:
            if leaf not in done and not is_ornament(leaf.part):
                self._attachment(leaf.part, where + leaf.name, depth)

    def _headers(self, message: EmailMessage, where: str) -> None:
        for name in HEADERS:
            words = header(message, name)
            if words:
                self.made.add(f"{name}: {words}", "metadata", origin=f"{where}header {name}")
                self.made.add("\n", "blank")
        self.made.add("\n", "blank")

    def _body(self, part: EmailMessage, where: str) -> None:
        data = payload(part)
        if not data.strip():
            return
        if part.get_content_maintype() == "multipart":
            self.made.find("broken_parts", part.get_content_type(), "its parts are not divided as it says; read as text")
        if kind_of(part) == "text/html":
            self._read("text/html", data, "", where, part)
            return
        try:
            read = decode(self.made.source, *recoded(data, part.get_content_charset() or ""))
        except PinciteError as error:
            self.made.find("body_not_read", where, error.sentence())
            return
        for kind, subject, reason in read.notes:
            self.made.find(kind, subject, reason)
        for text, role in parted(unflowed(part, read.text)):
            if text.strip():
                lay_out(self.made, TextWriter(self.made, Text(text, 0, 0, read.stretches, ()), origin=where, role=role))
        self.made.add("\n", "blank")

    # --- attachments ------------------------------------------------------------------------------------------------

    def _attachment(self, part: EmailMessage, where: str, depth: int) -> None:
        """A part that is not the body: a place and pages of its own, or the reason why not."""
        self.spent.parts += 1
        self.spent.attachments += 1
        inner = part.get_payload()
        messages = [piece for piece in inner if isinstance(piece, EmailMessage)] if isinstance(inner, list) else []
        name = file_name(part) or (messages and header(messages[0], "Subject")) or part.get_content_type()
        if self.bare:
            return self.made.find("attachment_not_read", name, "attachments are not read here")
        self.made.page()
        self.made.enter("attachment", fragment=f"=attachment-{self.spent.attachments}", label=name, heading=name)
        reason = self._refused(part, depth)
        if reason:
            self.made.find("attachment_not_read", name, reason)
        elif part.get_content_type() in REPORTS:
            self._report(inner, where)
        elif part.get_content_type() == "message/rfc822":
            for message in messages:
                self.message(message, f"{where} ", depth + 1)
        else:
            self._file(part, name, where, depth)
        return self.made.leave()

    def _report(self, groups: object, where: str) -> None:
        """What happened to a message, as a mail server tells it: groups of fields."""
        for group in groups if isinstance(groups, list) else ():
            for name, value in group.items():
                self.made.add(f"{name}: {' '.join(str(value).split())}", "body", origin=where)
                self.made.add("\n", "blank")

    def _file(self, part: EmailMessage, name: str, where: str, depth: int) -> None:
        """An attached file, as what it holds; a message that was attached as a file is a message."""
        data = payload(part)
        self.spent.size += len(data)
        media_type, trouble = media_type_of_part(part, name, data)
        if trouble:
            self.made.find("attachment_not_read", name, trouble)
        elif part.get_content_type() == "text/rfc822-headers":
            self._headers(_parsed(self.made.source, data), f"{where} ")
        elif media_type != "message/rfc822":
            self._read(media_type, data, name, where, part)
        elif depth >= DEPTH_LIMIT:
            self.made.find("attachment_not_read", name, _TOO_DEEP)
        else:
            self.message(_parsed(self.made.source, data.lstrip()), f"{where} ", depth + 1)

    def _refused(self, part: EmailMessage, depth: int) -> str:
        if part.get_content_type() == "message/rfc822" and depth >= DEPTH_LIMIT:
            return _TOO_DEEP
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
        self.made.embed(document if name else marked(document), where)
        if name:
            self.made.entitle(document.nodes[0].heading)
