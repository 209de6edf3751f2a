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

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email import policy
from email.errors import MessageError
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from email.parser import BytesParser
from functools import lru_cache
from io import BytesIO
from typing import NamedTuple

from pincite.errors import Malformed, NeedsPassword, PinciteError, TooExpensive
from pincite.model import Document, Source, sha256_hex
from pincite.parse.compose import Composer
from pincite.parse.formats import is_read, media_type_of, parameters, reader_of
from pincite.parse.plaintext import lay_out
from pincite.parse.textfile import Text, TextWriter, decode
from pincite.sources.classify import HEAD_BYTES, classify

PARSER, VERSION = "mail", "1"
DEPTH_LIMIT = 5
"""Messages inside messages."""
PARTS_LIMIT = 200
"""Parts of a message, those of messages in it included."""
BYTES_LIMIT = 100 << 20
"""Bytes of all attachments together."""
HEADERS_KEPT = 512
"""Headers taken apart that are kept while a message is read."""
HEADERS = ("From", "To", "Cc", "Date", "Subject", "Reply-To", "Message-ID", "In-Reply-To", "References")

_REGISTRY = HeaderRegistry()
_TOO_DEEP = f"messages inside more than {DEPTH_LIMIT} others are not read"

_HEADER_LINE = re.compile(rb"(?:From |[!-9;-~]+[ \t]*:)")
_QUOTE_INTRODUCED = re.compile(
    r"^(?:-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht)"
    r"|(?:on|am|le) .{5,120}(?:wrote|schrieb|a écrit) ?:)",
    re.IGNORECASE | re.MULTILINE,
)
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
        message = _parsed(source, _ESCAPED.sub(b"", data[start:end]))
        made.enter("message", fragment=f"message-{number}", heading=_header(message, "Subject"))
        reader.message(message, f"message {number} ", 1)
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
        if depth == 1 and _is_encrypted(message):
            raise NeedsPassword("the message is encrypted", where=self.made.source.path, next="save it decrypted")
        subject = _header(message, "Subject")
        if subject and self.made.depth == 1 and depth == 1:
            self.made.title(subject)
        self._headers(message, where)
        parts = list(_leaves(message, PARTS_LIMIT + 1))
        if len(parts) > PARTS_LIMIT:
            parts.pop()
            self.made.find("too_many_parts", f"{PARTS_LIMIT} parts", "a message with more parts; the others are not read")
        bodies, others = bodies_of(parts)
        for leaf in bodies:
            self._body(leaf.part, where + leaf.name)
        for leaf, reason in others:
            self.made.find("other_body", _kind(leaf.part), reason)
        inline = [leaf.part.get_content_type() for leaf in parts if _is_ornament(leaf.part)]
        if inline:
            self.made.find("inline_parts", f"{len(inline)} parts", f"not read: {', '.join(sorted(set(inline)))}")
        done = [*bodies, *(leaf for leaf, _ in others)]
        for leaf in parts:
            if leaf not in done and not _is_ornament(leaf.part):
                self._attachment(leaf.part, where + leaf.name, depth)

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
        if part.get_content_maintype() == "multipart":
            self.made.find("broken_parts", part.get_content_type(), "its parts are not divided as it says; read as text")
        if _kind(part) == "text/html":
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

    def _attachment(self, part: EmailMessage, where: str, depth: int) -> None:
        """A part that is not the body: a place and pages of its own, or the reason why not."""
        self.spent.parts += 1
        self.spent.attachments += 1
        inner = part.get_payload()
        messages = [piece for piece in inner if isinstance(piece, EmailMessage)] if isinstance(inner, list) else []
        name = _file_name(part) or (messages and _header(messages[0], "Subject")) or part.get_content_type()
        if self.bare:
            return self.made.find("attachment_not_read", name, "attachments are not read here")
        self.made.page()
        self.made.enter("attachment", fragment=f"=attachment-{self.spent.attachments}", label=name, heading=name)
        reason = self._refused(part, depth)
        if reason:
            self.made.find("attachment_not_read", name, reason)
        elif part.get_content_type() == "message/rfc822":
            for message in messages:
                self.message(message, f"{where} ", depth + 1)
        else:
            self._file(part, name, where, depth)
        return self.made.leave()

    def _file(self, part: EmailMessage, name: str, where: str, depth: int) -> None:
        """An attached file, as what it holds; a message that was attached as a file is a message."""
        data = _payload(part)
        self.spent.size += len(data)
        media_type = _media_type(part, name, data)
        if media_type != "message/rfc822":
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
        self.made.embed(document, where)


class Leaf(NamedTuple):
    """A part that holds no parts. *choice* is the ``multipart/alternative`` it is one version of, "" where of none."""

    name: str  # part 1.2
    part: EmailMessage
    choice: str = ""


def _leaves(message: EmailMessage, limit: int) -> Iterator[Leaf]:
    """The parts that are no containers, in order; messages in it are one part each."""
    todo = [Leaf("part 1", message)]
    while todo and limit:
        name, part, choice = todo.pop()
        inner = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(inner, list):
            choice = name if part.get_content_subtype() == "alternative" else choice
            parts = [piece for piece in inner if isinstance(piece, EmailMessage)]
            todo += [Leaf(f"{name}.{number}", piece, choice) for number, piece in reversed(list(enumerate(parts, 1)))]
        else:
            limit -= 1
            yield Leaf(name, part, choice)


# --- which parts are the text of the message -----------------------------------------------------------------------------

_TAGS = re.compile(r"(?is)<(script|style|head|title)\b.*?</\1\s*>|<[^>]*>|&#?\w+;")
_SAME = 0.8
"""The share of a text's words that another has where it is the same text in another format."""
_STUB = 0.5
"""A text with less than this share of another's number of words stands in for it ("your program cannot show HTML"); one with
less than this share of its words in the other says something else."""


class _Version(NamedTuple):
    """One version of a text: the parts it is made of, and how often it says each word."""

    kind: str
    leaves: list[Leaf]
    said: Counter[str]


def bodies_of(leaves: Sequence[Leaf]) -> tuple[list[Leaf], list[tuple[Leaf, str]]]:
    """(the texts of a message in order, those left out with the reason).

    Of versions of one text the plain one is read, unless it has less than half as many words as the HTML; where they say
    different things both are. What stands beside it is text too, unless it says the same again in another format.
    """
    read: list[_Version] = []
    left: list[tuple[Leaf, str]] = []
    for versions in _texts(leaves):
        main = _main(versions)
        again = next((each for each in read if each.kind != main.kind and _share(each.said, main.said) >= _SAME), None)
        read += [main] if again is None else []
        for version in versions if again is not None else [each for each in versions if each is not main]:
            if again is None and not _is_stub(version, main) and _share(main.said, version.said) < _STUB:
                read.append(version)
            else:
                left += [(leaf, _left_out((again or main).said, version.said)) for leaf in version.leaves]
    return [leaf for version in read for leaf in version.leaves], left


def _texts(leaves: Sequence[Leaf]) -> list[list[_Version]]:
    """The texts of a message, each with its versions: the branches of a ``multipart/alternative``, or the one part."""
    texts: dict[str, dict[str, _Version]] = {}
    for leaf in leaves:
        words = _words_of(leaf.part) if _is_text(leaf.part) else []
        if words:
            branch = leaf.name[len(leaf.choice) + 1 :].partition(".")[0] if leaf.choice else ""
            versions = texts.setdefault(leaf.choice or leaf.name, {})
            version = versions.setdefault(branch, _Version(_kind(leaf.part), [], Counter()))
            version.leaves.append(leaf)
            version.said.update(words)
    return [list(versions.values()) for versions in texts.values()]


def _main(versions: Sequence[_Version]) -> _Version:
    """The version that is read: the first plain text, or the HTML that it only stands in for."""
    plain = next((each for each in versions if each.kind == "text/plain"), versions[0])
    return next((each for each in versions if each.kind == "text/html" and _is_stub(plain, each)), plain)


def _is_stub(version: _Version, other: _Version) -> bool:
    return version.said.total() < _STUB * other.said.total()


def _share(has: Counter[str], of: Counter[str]) -> float:
    """The share of the words of one text that another has."""
    return (has & of).total() / max(of.total(), 1)


def _left_out(read: Counter[str], other: Counter[str]) -> str:
    lost = (other - read).total()
    if lost <= (1 - _SAME) * other.total():
        return "the same text again in another format, left out"
    return f"another version of the text that is read; {lost} of its {other.total()} words are in this one only; left out"


def _words_of(part: EmailMessage) -> list[str]:
    text = _payload(part).decode(_charset(part), "replace")
    return re.findall(r"\w+", (_TAGS.sub(" ", text) if _kind(part) == "text/html" else text).casefold())


def _charset(part: EmailMessage) -> str:
    """The declared encoding where Python has it: good enough to count words."""
    declared = part.get_content_charset() or "utf-8"
    try:
        return codecs.lookup(declared).name
    except (LookupError, ValueError):
        return "latin-1"


def _is_encrypted(message: EmailMessage) -> bool:
    """S/MIME and PGP say so in the header of the whole."""
    kind = message.get_content_type()
    sealed = kind in ("application/pkcs7-mime", "application/x-pkcs7-mime")
    return kind == "multipart/encrypted" or (sealed and message.get_param("smime-type") != "signed-data")


def _is_text(part: EmailMessage) -> bool:
    """Whether a part is text that a mail program shows; a file with a name is an attachment."""
    named = part.get_content_disposition() == "attachment" or _file_name(part)
    return not named and _kind(part) in ("text/plain", "text/html")


def _kind(part: EmailMessage) -> str:
    """The media type of a part; text where it announces parts and has none, because its boundary is missing or wrong."""
    return "text/plain" if part.get_content_maintype() == "multipart" else part.get_content_type()


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


def _media_type(part: EmailMessage, name: str, data: bytes) -> str:
    """What an attachment is: as what it declares itself where it is such a text, else by its content and its name."""
    declared = part.get_content_type()
    kind = classify(data[:HEAD_BYTES], len(data), name, BytesIO(data)).media_type
    if not kind or kind == "application/octet-stream":
        return media_type_of(name) or declared
    text = kind.startswith("text/") and declared.startswith("text/") and declared != "text/plain"
    return declared if text and is_read(declared) else kind
