"""The parts of an e-mail: which are there, which of them are its text, and what each holds, declares and is called."""

from __future__ import annotations

import codecs
import re
from binascii import a2b_base64
from collections import Counter
from collections.abc import Iterator, Sequence
from email.errors import MessageError
from email.message import EmailMessage
from io import BytesIO
from typing import NamedTuple

from pincite.parse.encodings import STATEFUL, as_browsers_do, likeliest
from pincite.parse.formats import media_type_of
from pincite.parse.mailwrapped import SIGNED, TNEF, unwrapped
from pincite.sources.classify import HEAD_BYTES, classify

_NO_BASE64 = re.compile(r"[^A-Za-z0-9+/]")


_LIKE_HTML = dict.fromkeys(("text/x-amp-html", "text/enriched", "text/richtext"), "text/html")
SIGNATURES = frozenset({"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"})
WRAPPED = frozenset({*SIGNED, TNEF})
"""Parts that may hold others in a form of their own."""


class Leaf(NamedTuple):
    """A part that holds no parts. *choice* is the ``multipart/alternative`` it is one version of, "" where of none."""

    name: str  # part 1.2
    part: EmailMessage
    choice: str = ""


def leaves_of(message: EmailMessage, limit: int) -> Iterator[Leaf]:
    """The parts that are no containers, in order; messages in it are one part each."""
    todo = [Leaf("part 1", message)]
    while todo and limit:
        name, part, choice = todo.pop()
        inner = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(inner, list):
            choice = name if part.get_content_subtype() == "alternative" else choice
            parts = [piece for piece in inner if isinstance(piece, EmailMessage)]
            todo += [Leaf(f"{name}.{number}", piece, choice) for number, piece in reversed(list(enumerate(parts, 1)))]
        elif wrapped := unwrapped(part, payload(part)) if kind_of(part) in WRAPPED else []:
            todo += [Leaf(f"{name}.{number}", piece, choice) for number, piece in reversed(list(enumerate(wrapped, 1)))]
        else:
            limit -= 1
            yield Leaf(name, part, choice)


# --- which parts are the text of the message -----------------------------------------------------------------------------

_TAGS = re.compile(r"(?is)<(script|style|head|title)\b.*?</\1\s*>|<[^>]*>|&#?\w+;")
_POINTER = 40
"""Words of a text that only tells how to see the HTML."""
_POINTS = (
    "view",
    "viewer",
    "client",
    "reader",
    "browser",
    "support",
    "supports",
    "display",
    "enable",
    "program",
    "anzeigen",
    "afficher",
)
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
        again = next((each for each in read if _says_again(each, main)), None)
        read += [main] if again is None else []
        for version in versions if again is not None else [each for each in versions if each is not main]:
            if again is None and not _is_stub(version, main) and _share(main.said, version.said) < _STUB:
                read.append(version)
            else:
                left += [(leaf, _left_out((again or main).said, version.said)) for leaf in version.leaves]
    return [leaf for version in read for leaf in version.leaves], left


def _says_again(read: _Version, other: _Version) -> bool:
    return read.said == other.said if read.kind == other.kind else _share(read.said, other.said) >= _SAME


def _texts(leaves: Sequence[Leaf]) -> list[list[_Version]]:
    """The texts of a message, each with its versions: the branches of a ``multipart/alternative``, or the one part."""
    texts: dict[str, dict[str, _Version]] = {}
    for leaf in leaves:
        words = _words_of(leaf.part) if _is_text(leaf.part) else []
        if words:
            branch = leaf.name[len(leaf.choice) + 1 :].partition(".")[0] if leaf.choice else ""
            versions = texts.setdefault(leaf.choice or leaf.name, {})
            version = versions.setdefault(branch, _Version(kind_of(leaf.part), [], Counter()))
            version.leaves.append(leaf)
            version.said.update(words)
    return [list(versions.values()) for versions in texts.values()]


def _main(versions: Sequence[_Version]) -> _Version:
    """The version that is read: the first plain text, or the HTML that it only stands in for."""
    plain = next((each for each in versions if each.kind == "text/plain"), versions[0])
    return next((each for each in versions if each.kind == "text/html" and _is_stub(plain, each)), plain)


def _is_stub(version: _Version, other: _Version) -> bool:
    """Whether a text only stands in for another: it is far shorter, or says nothing but that HTML is to be shown."""
    said = version.said
    points = said["html"] and said.total() <= _POINTER and any(said[word] for word in _POINTS)
    return bool(points) or said.total() < _STUB * other.said.total()


def _share(has: Counter[str], of: Counter[str]) -> float:
    """The share of the words of one text that another has."""
    return (has & of).total() / max(of.total(), 1)


def _left_out(read: Counter[str], other: Counter[str]) -> str:
    lost = (other - read).total()
    if lost <= (1 - _SAME) * other.total():
        return "the same text again in another format, left out"
    return f"another version of the text that is read; {lost} of its {other.total()} words are in this one only; left out"


def _words_of(part: EmailMessage) -> list[str]:
    text = payload(part).decode(_charset(part), "replace")
    return re.findall(r"\w+", (_TAGS.sub(" ", text) if kind_of(part) == "text/html" else text).casefold())


def _charset(part: EmailMessage) -> str:
    """The declared encoding where Python has it: good enough to count words."""
    declared = part.get_content_charset() or "utf-8"
    try:
        return codecs.lookup(declared).name
    except (LookupError, ValueError):
        return "latin-1"


def is_encrypted(message: EmailMessage) -> bool:
    """S/MIME and PGP say so in the header of the whole."""
    kind = message.get_content_type()
    sealed = kind in ("application/pkcs7-mime", "application/x-pkcs7-mime")
    if sealed and message.get_param("smime-type") != "signed-data":
        return not unwrapped(message, payload(message))
    return kind == "multipart/encrypted"


def _is_text(part: EmailMessage) -> bool:
    """Whether a part is text that a mail program shows; a file with a name is an attachment."""
    named = part.get_content_disposition() == "attachment" or file_name(part)
    return not named and kind_of(part) in ("text/plain", "text/html")


def kind_of(part: EmailMessage) -> str:
    """The media type of a part; text where it announces parts and has none, because its boundary is missing or wrong."""
    if part.get_content_maintype() == "multipart":
        return "text/plain"
    return _LIKE_HTML.get(part.get_content_type(), part.get_content_type())


def is_ornament(part: EmailMessage) -> bool:
    """A picture, font or style sheet that the HTML shows inside itself; the signature of a message; a container of nothing."""
    kind = part.get_content_type()
    empty = kind.startswith(("multipart/", "text/")) and not file_name(part) and not payload(part).strip()
    if kind in SIGNATURES or empty:
        return True
    shown = part.get_content_disposition() != "attachment"
    return shown and (part.get_content_maintype() in ("image", "font", "audio", "video") or kind == "text/css")


def payload(part: EmailMessage) -> bytes:
    """The decoded content. Base64 that is cut off is read as far as it goes, which the library does not."""
    written = part.get_payload()
    if isinstance(written, str) and str(part.get("Content-Transfer-Encoding", "")).strip().lower() == "base64":
        try:
            return a2b_base64(written)
        except ValueError:
            signs = _NO_BASE64.sub("", written)
            signs = signs[: len(signs) - (len(signs) % 4 == 1)]
            return a2b_base64(signs + "=" * (-len(signs) % 4))
    try:
        data = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError):
        return b""
    return data if isinstance(data, bytes) else b""


def header(message: EmailMessage, name: str) -> str:
    """A header's words in one line; what cannot be decoded as it stands."""
    try:
        value = message.get(name, "")
    except (ValueError, LookupError, IndexError, AttributeError, MessageError):  # headers that the library trips over
        value = next((raw for key, raw in message.raw_items() if key.lower() == name.lower()), "")
    if "\ufffd" in str(value):  # bytes that are no ASCII, not encoded
        value = next((raw for key, raw in message.raw_items() if key.lower() == name.lower()), "")
        value = _plain(str(value).encode("utf-8", "surrogateescape"))
    return " ".join(str(value).encode("utf-8", "replace").decode().split())


def _plain(data: bytes) -> str:
    """Bytes of a header that declares no encoding."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode(likeliest(data, lambda name: True), "replace")


def file_name(part: EmailMessage) -> str:
    try:
        name = part.get_filename() or ""
    except (ValueError, LookupError, IndexError, AttributeError):
        name = ""
    words = " ".join(str(name).encode("utf-8", "replace").decode().split())
    return words.replace("\\", "/").rsplit("/", 1)[-1][:120]


_TOLD = frozenset({"text/csv", "text/html", "text/markdown", "text/tab-separated-values"})
"""Texts that are what they declare: their content may look like plain text."""


def media_type_of_part(part: EmailMessage, name: str, data: bytes) -> tuple[str, str]:
    """What an attachment is, and why it cannot be read ("" where nothing bars it): empty, encrypted, damaged."""
    found = classify(data[:HEAD_BYTES], len(data), name, BytesIO(data))
    barred = found.reason if found.trouble in ("encrypted", "empty") else ""
    return _kind_of_file(found.media_type, part.get_content_type(), name), barred


def _kind_of_file(kind: str, declared: str, name: str) -> str:
    """As what it declares itself where it is such a text, else by its content and its name."""
    if not kind or kind == "application/octet-stream":
        return media_type_of(name) or declared
    if kind.startswith("text/") and (declared in WRAPPED or declared.startswith(("image/", "audio/", "video/", "font/"))):
        return declared
    text = kind.startswith("text/") and declared.startswith("text/") and declared != "text/plain"
    return declared if text and declared in _TOLD else kind


def recoded(data: bytes, declared: str) -> tuple[bytes, str]:
    """The bytes of a body and their encoding; recoded where signs switch between alphabets, since no span leads there.

    What is declared as ASCII or Latin and is UTF-8 is UTF-8: no Latin text is that by chance.
    """
    try:
        if codecs.lookup(declared).name in STATEFUL:
            return data.decode(declared).encode(), "utf-8"
    except (LookupError, ValueError):
        pass
    meant = as_browsers_do(declared)
    latin = meant == "cp1252" and (declared.endswith("ascii") or _is_utf8(data))
    return data, "" if latin else meant


def unflowed(part: EmailMessage, text: str) -> str:
    """A text whose lines were broken with a blank that belongs to the break (RFC 3676, ``DelSp``): words come together."""
    if str(part.get_param("delsp", "")).lower() != "yes":
        return text
    return _SOFT.sub("", text)


_SOFT = re.compile(r"(?<!^--) \r?\n(?![>\s])", re.MULTILINE)


def _is_utf8(data: bytes) -> bool:
    try:
        return bool(data.decode())
    except UnicodeDecodeError:
        return False
