"""What a file is, by its content. The name's extension only breaks a tie between readings that the content allows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from pincite.sources import containers, delimited

HEAD_BYTES = 1 << 16
"""How much of a file's beginning decides. A zip archive's list of members stands at its end and is read as well."""


class Class(NamedTuple):
    """``trouble`` is "" or why it cannot be read whatever reads its format: empty, encrypted or damaged."""

    media_type: str  # "" where nothing is known
    name: str  # for people: "Word document", "picture (PNG)"
    trouble: str = ""
    reason: str = ""


MARKDOWN = Class("text/markdown", "Markdown")
HTML = Class("text/html", "HTML")
PLAIN = Class("text/plain", "plain text")
DELIMITED = Class("text/csv", "delimited text")
TABS = Class("text/tab-separated-values", "tab-delimited text")
PAGES = Class("application/vnd.pincite.pages+json", "extracted pages of a manual")
JSON = Class("application/json", "JSON")
JSON_LINES = Class("application/x-ndjson", "JSON Lines")
EMAIL = Class("message/rfc822", "e-mail")
WEB_ARCHIVE = Class("multipart/related", "saved web page in one file")
CALENDAR = Class("text/calendar", "calendar")
CARD = Class("text/vcard", "contact card")
MAILBOX = Class("application/mbox", "mailbox")
XML = Class("application/xml", "XML")
PDF = Class("application/pdf", "PDF")

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png", "picture (PNG)"),
    (b"\xff\xd8\xff", "image/jpeg", "picture (JPEG)"),
    (b"GIF8", "image/gif", "picture (GIF)"),
    (b"II*\0", "image/tiff", "picture (TIFF)"),
    (b"MM\0*", "image/tiff", "picture (TIFF)"),
    (b"BM", "image/bmp", "picture (BMP)"),
    (b"{\\rtf", "application/rtf", "rich text (RTF)"),
    (b"%!PS", "application/postscript", "PostScript"),
    (b"\x1f\x8b", "application/gzip", "gzip archive"),
    (b"BZh", "application/x-bzip2", "bzip2 archive"),
    (b"\xfd7zXZ\0", "application/x-xz", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "application/zstd", "zstd archive"),
    (b"\x78\x9f\x3e\x22", "application/ms-tnef", "Outlook's winmail.dat"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "7z archive"),
    (b"Rar!\x1a\x07", "application/vnd.rar", "rar archive"),
    (b"SQLite format 3\0", "application/x-sqlite3", "SQLite database"),
    (b"PAR1", "application/vnd.apache.parquet", "Parquet table"),
    (b"\x7fELF", "application/x-executable", "program"),
    (b"\xcf\xfa\xed\xfe", "application/x-executable", "program"),
    (b"MZ", "application/x-executable", "program"),
    (b"ID3", "audio/mpeg", "sound"),
    (b"OggS", "audio/ogg", "sound"),
    (b"fLaC", "audio/flac", "sound"),
    (b"\x1a\x45\xdf\xa3", "video/x-matroska", "film"),
)
_AT = (
    (4, b"ftyp", "video/mp4", "film or picture"),
    (8, b"WEBP", "image/webp", "picture (WebP)"),
    (8, b"WAVE", "audio/wav", "sound"),
    (8, b"AVI ", "video/x-msvideo", "film"),
    (257, b"ustar", "application/x-tar", "tar archive"),
)
LFS = "version https://git-lfs.github.com/spec/"


def classify(head: bytes, size: int, name: str, stream: BinaryIO) -> Class:
    """The class of a file of *size* bytes that begins with *head* (``HEAD_BYTES`` of it, or all).

    *stream* is the open file, for archives, whose members are listed at the end. Nothing is decompressed.
    """
    extension = name.rpartition(".")[2].lower() if "." in name.lstrip(".") else ""
    if size == 0:
        return Class("", "empty file", "empty", "it has no bytes")
    if b"%PDF-" in head[:1024]:
        return PDF
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return Class(*containers.archive(stream, size))
    if head.startswith(containers.OLE):
        return Class(*containers.ole(stream, head))
    text = decoded(head, whole=len(head) >= size)
    if text is None or head.startswith((b"{\\rtf", b"%!PS")):
        return _binary(head)
    if not text.strip("\0\ufeff \t\r\n\f\v"):
        return Class("text/plain", "empty file", "empty", "it has nothing but blanks")
    if text.startswith(LFS):
        return Class("", "Git LFS pointer", "damaged", "it is a pointer of Git LFS: the file itself was not fetched")
    return of_text(text, extension, whole=len(head) >= size)


def of_text(text: str, extension: str = "", *, whole: bool = True) -> Class:
    """The class of a text, or of its beginning where it is not *whole*. *extension* is in lower case, without the dot."""
    body = text.lstrip("\ufeff \t\r\n\f\v")
    markup = _markup(body, extension)
    if markup is not None:
        return markup
    if body.startswith(("BEGIN:VCALENDAR", "BEGIN:VCARD")):
        return CARD if body.startswith("BEGIN:VCARD") else CALENDAR
    for found in (_json(body, extension, whole), _mail(body, extension)):
        if found is not None:
            return found
    signs = sum(_markdown_signs(body))
    delimiter = delimited.delimiter_of(body, extension, whole=whole) if signs < _CERTAIN else ""
    if delimiter:
        return TABS if delimiter == "\t" else DELIMITED
    return MARKDOWN if signs >= _wanted(extension) else PLAIN


# --- bytes ---------------------------------------------------------------------------------------------------------------


def _binary(head: bytes) -> Class:
    for magic, media_type, name in _MAGIC:
        if head.startswith(magic):
            return Class(media_type, name)
    for at, magic, media_type, name in _AT:
        if head[at : at + len(magic)] == magic:
            return Class(media_type, name)
    return Class("application/octet-stream", "binary file")


_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"), (b"\xff\xfe", "utf-16"),
         (b"\xfe\xff", "utf-16"))  # fmt: skip
_CONTROLS = dict.fromkeys(c for c in range(32) if c not in (8, 9, 10, 12, 13, 27))


def decoded(head: bytes, *, whole: bool) -> str | None:
    """*head* as text, good enough to see what it is; None where it is no text. The last character may be cut off."""
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            return head.decode(encoding, "replace")
    if encoding := _wide(head):
        return head.decode(encoding, "replace")
    try:
        text = (head if whole else head[: len(head) - _cut_off(head)]).decode("utf-8")
    except UnicodeDecodeError:
        text = head.decode("cp1252", "replace")
        return text if _control_share(text) < 0.01 else None
    return text if _control_share(text) < 0.1 else None


def _wide(head: bytes) -> str:
    """UTF-16 without a mark shows by a null in every second byte of text in Latin letters."""
    sample = head[: min(len(head), 2000) // 2 * 2]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if half and odd > 0.6 * half and even < 0.05 * half:
        return "utf-16-le"
    return "utf-16-be" if half and even > 0.6 * half and odd < 0.05 * half else ""


def _cut_off(head: bytes) -> int:
    """How many bytes at the end belong to a UTF-8 character that is not complete."""
    for back in range(1, min(4, len(head)) + 1):
        byte = head[-back]
        if byte >= 0xC0:
            return back if back < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4) else 0
        if byte < 0x80:
            return 0
    return 0


def _control_share(text: str) -> float:
    return (len(text) - len(text.translate(_CONTROLS))) / max(len(text), 1)


# --- markup --------------------------------------------------------------------------------------------------------------

_BEFORE_ROOT = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE)
_ROOT = re.compile(r"<([A-Za-z_][\w.:-]*)((?:\s[^<>]*)?)/?>", re.DOTALL)
_HTML_DOCTYPE = re.compile(r"<!DOCTYPE\s+html\b", re.IGNORECASE)
_FRAGMENT = re.compile(
    "head|body|div|p|table|h[1-6]|article|section|main|header|nav|[uod]l|pre|span|a|meta|title|link|style|script|form|center|font|"
    "b|i|em|strong|[bh]r|img"
)
_XML_NAMES = {"svg": Class("image/svg+xml", "picture (SVG)")}


def _markup(body: str, extension: str) -> Class | None:
    """XML by its root element, HTML; None for anything else. A fragment of HTML may begin a Markdown file."""
    if not body.startswith("<"):
        return None
    position = 0
    while match := _BEFORE_ROOT.match(body, position):
        position = match.end()
    root = _ROOT.match(body, position)
    name = root.group(1).rpartition(":")[2].lower() if root else ""
    if name == "html" or _HTML_DOCTYPE.match(body):
        return HTML
    if _FRAGMENT.fullmatch(name) and not body.startswith("<?xml"):
        if extension in _MARKDOWN_NAMES or (extension not in ("html", "htm") and sum(_markdown_signs(body)) >= _CERTAIN):
            return MARKDOWN
        return HTML
    if root is None and not body.startswith(("<?xml", "<!")):
        return None
    return _XML_NAMES.get(name, XML._replace(name=f"XML <{root.group(1)}>" if root else "XML"))


# --- JSON and mail -------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(r'\s*(?:[{}\[\],:]|"(?:[^"\\\n]|\\.)*(?:"|\\?\Z)|-?\d[\d.eE+-]*|true\b|false\b|null\b)')


_PAGES = re.compile(r'"pages"\s*:\s*\[\s*\{\s*"page"\s*:\s*\d')


def _json(body: str, extension: str, whole: bool) -> Class | None:
    if body[:1] not in ("{", "[") or extension in _MARKDOWN_NAMES:
        return None
    lines = [line for line in body.split("\n") if line.strip()]
    complete = lines[:20] if whole else lines[:-1][:20]
    values = sum(map(_is_value, complete))
    if values > 1 and (values >= 0.8 * len(complete) or extension in _LINE_NAMES):
        return JSON_LINES  # a few lines may be broken
    if _PAGES.search(body, 0, 4000):
        return PAGES
    if whole and _is_value(body):
        return JSON
    return JSON if _begins_like_json(body) else None


def _is_value(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (dict, list))
    except (ValueError, RecursionError):
        return False


def _begins_like_json(body: str) -> bool:
    """Whether nearly all of it are JSON's tokens: a file cut off here, too deeply nested to be read, or damaged later on."""
    position = colons = 0
    while match := _TOKEN.match(body, position):
        colons += match.group().endswith((":", ","))
        position = match.end()
    return bool(position > 0.5 * len(body) and colons) or (position >= len(body.rstrip()) and position > 1)


_FIELD = re.compile(r"([!-9;-~]+):[ \t]*(.*)")
_SENDERS = frozenset({"from", "received", "return-path", "message-id", "delivered-to"})
_TRANSPORT = frozenset(
    {"received", "return-path", "message-id", "mime-version", "content-type", "delivered-to", "dkim-signature"}
)


_ARCHIVE = re.compile(r"^content-type:\s*multipart/related\b", re.IGNORECASE | re.MULTILINE)
_SAVED = re.compile(r"^(?:from:\s*<saved by|snapshot-content-location:)", re.IGNORECASE | re.MULTILINE)


_POSTMARK = re.compile(r"From \S+ +[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d")
"""How a message begins in a mailbox: who sent it, and when, as C prints a time."""


def _mail(body: str, extension: str) -> Class | None:
    """An e-mail begins with header fields that a mail program wrote. A memo with From and To alone is a text."""
    mailbox = body.startswith("From ") and "\n" in body
    names = list(_header_names(body.partition("\n")[2] if mailbox else body))
    known = frozenset(names)
    if _ARCHIVE.search(body, 0, 4000) and (extension in ("mht", "mhtml") or _SAVED.search(body, 0, 4000)):
        return WEB_ARCHIVE
    certain = extension in ("eml", "mbox") or (mailbox and bool(_POSTMARK.match(body)))
    if len(known) >= 2 and known & _SENDERS and (known & _TRANSPORT or certain):
        return MAILBOX if mailbox else EMAIL
    return None


def _header_names(body: str) -> Iterator[str]:
    """The names of the header fields at the beginning, in lower case; none where another line stands among them."""
    for line in body.split("\n", 200)[:200]:
        line = line.rstrip("\r")
        if not line:
            return
        field = _FIELD.match(line)
        if field:
            yield field.group(1).lower()
        elif not line.startswith((" ", "\t")):
            return


# --- Markdown or plain ---------------------------------------------------------------------------------------------------

_MARKDOWN_NAMES = frozenset({"md", "markdown", "mdown", "mkd", "mkdn", "mdx", "qmd"})
_LINE_NAMES = frozenset({"jsonl", "ndjson"})
_PROSE_NAMES = frozenset({"", "txt", "text"})
_CERTAIN = 4
_SIGNS = (
    (4, re.compile(r"\A---[ \t]*\r?\n(?:[\w\"'-][^\n]*\n|[ \t][^\n]*\n|#[^\n]*\n|\s*\n)*?---[ \t]*(?:\r?\n|\Z)")),
    (2, re.compile(r"^ {0,3}#{1,6} +\S", re.MULTILINE)),
    (1, re.compile(r"^ {0,3}#{1,6} +\S[^\n]*\r?\n\s*\n", re.MULTILINE)),
    (2, re.compile(r"^ {0,3}##{1,5} +\S", re.MULTILINE)),
    (4, re.compile(r"^ {0,3}\|?(?: *:?-{3,}:? *\|)+(?: *:?-{3,}:? *)?\|?[ \t]*\r?$", re.MULTILINE)),
    (2, re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)),
    (2, re.compile(r"\[[^\[\]\n]{1,200}\]\([^()\s]{1,500}\)")),
    (1, re.compile(r"\*\*[^\s*][^*\n]*\*\*")),
    (1, re.compile(r"^ {0,3}(?:[-*+]|\d{1,3}[.)]) +\S[^\n]*\n(?:[^\n]+\n)*? {0,3}(?:[-*+]|\d{1,3}[.)]) +\S", re.MULTILINE)),
    (2, re.compile(r"^\S[^\n]{0,80}\r?\n(?:={4,}|-{4,})[ \t]*\r?$", re.MULTILINE)),
    (1, re.compile(r"^> +\S", re.MULTILINE)),
)


def _markdown_signs(body: str) -> Iterator[int]:
    """The weight of each kind of sign of Markdown that occurs."""
    if body.startswith("#!"):
        return
    yield from (weight for weight, sign in _SIGNS if sign.search(body))


def _wanted(extension: str) -> int:
    """How many signs are enough: none under a Markdown name, more under the name of something else."""
    return 0 if extension in _MARKDOWN_NAMES else 3 if extension in _PROSE_NAMES else _CERTAIN
