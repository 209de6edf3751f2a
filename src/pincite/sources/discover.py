"""What a folder holds: every entry with its class, hash and document id, or the reason why it cannot be read.

Discovery reads the folder and never writes into it. What it remembers between runs (ids, and classes by hash so that an
unchanged file is only hashed) is a *catalogue*, a file of JSON lines in the state folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import quote

from pincite.errors import PinciteError, UsageError
from pincite.model import Source
from pincite.sources.catalogue import Catalogue, Record
from pincite.sources.classify import HEAD_BYTES, PDF, XML, Class, classify, decoded
from pincite.sources.identity import Named, Seen, name_all, sketch_of
from pincite.sources.verify import CHUNK
from pincite.sources.walk import Entry, matches, walk

TROUBLES = {
    "excluded": "left out by the corpus' patterns",
    "link": "a symbolic link",
    "special": "not a file",
    "unreadable": "the system refuses to read it",
    "name": "a name that cannot be stored",
    "too_large": "above the corpus' limit",
    "empty": "nothing in it",
    "encrypted": "needs a password",
    "damaged": "not what its beginning says",
    "needs_ocr": "pages without text",
    "unsupported": "no reader for its format",
}
"""Why an entry cannot become a document. Closed: ``plan`` counts by it."""


class Rules(NamedTuple):
    """What a corpus says about its folder. Patterns as in :func:`pincite.sources.walk.matches`."""

    include: tuple[str, ...] = ()  # everything where empty
    exclude: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()  # media types that are read; every one there is a reader for where empty
    declared: tuple[tuple[str, str], ...] = ()  # pattern → media type, where somebody knows better or adds parameters
    file_bytes: int = 64 << 20  # larger files are not opened


class Found(NamedTuple):
    """One entry of a folder: a line of the manifest ``pincite discover`` prints."""

    document_id: str  # keeps its meaning when the file is moved or edited
    path: str  # relative to the folder, with "/"
    title: str  # its front matter's, else its name
    media_type: str  # by content; "" where unknown
    format: str  # the same for people
    bytes: int
    sha256: str  # "" where it was not read
    trouble: str  # "" or one of TROUBLES
    reason: str  # of the trouble
    identity: str  # how it came to its id

    @property
    def source(self) -> Source:
        """The file as the parser gets it. Its version is its bytes: a folder has no edition."""
        uri = quote(self.path.encode("utf-8", "replace"))
        path = self.path.encode("utf-8", "replace").decode()
        return Source(
            self.document_id, self.sha256[:12], self.title, uri, self.media_type, path, self.bytes, self.sha256
        )  # fmt: skip


class Read(NamedTuple):
    """What one reading of a file gave."""

    entry: Entry
    kind: Class
    sha256: str = ""
    title: str = ""
    explicit: str = ""
    sketch: tuple[int, ...] = ()


def discover(
    folder: Path,
    catalogue: Catalogue,
    rules: Rules = Rules(),  # noqa: B008
    readers: int = 1,
) -> tuple[list[Found], Catalogue]:
    """Everything below *folder*, in the order of names, and the catalogue as it is now. Nothing is written.

    So many *readers* are threads: for a folder whose files come over a network, where each is waited for.
    Raises ``MissingSource`` where *folder* cannot be listed; anything else costs only its own entry.
    """
    read = partial(_read_as_declared, folder=folder, known=catalogue.by_hash(), rules=rules)
    entries = walk(folder, rules.include, rules.exclude)
    if readers == 1:
        reads = list(map(read, entries))
    else:
        with ThreadPoolExecutor(readers) as pool:
            reads = list(pool.map(read, entries))
    seen = [Seen(read.entry.path, read.sha256, read.explicit, read.sketch) for read in reads]
    named = name_all(seen, [record.remembered for record in catalogue.records])
    found = [_found(read, name, rules) for read, name in zip(reads, named)]
    records = [_record(read, name.document_id, rules) for read, name in zip(reads, named) if read.entry.trouble != "excluded"]
    return found, catalogue.followed_by(records)


def _read_as_declared(entry: Entry, folder: Path, known: dict[str, Record], rules: Rules) -> Read:
    return _declared(_read(entry, folder, known, rules), rules)


def _declared(read: Read, rules: Rules) -> Read:
    """The file with the media type that the corpus declares for its path, unless there is nothing to read in it."""
    for pattern, media_type in rules.declared:
        if read.sha256 and read.kind.trouble in ("", "unsupported") and matches(read.entry.path, [pattern]):
            return read._replace(kind=Class(media_type, f"{media_type}, as declared"))
    return read


def _found(read: Read, named: Named, rules: Rules) -> Found:
    kind, entry = read.kind, read.entry
    title = read.title or entry.path.rpartition("/")[2].rpartition(".")[0] or entry.path
    trouble, reason = kind.trouble, kind.reason
    if not trouble and rules.formats and kind.media_type.partition(";")[0] not in rules.formats:
        trouble, reason = "excluded", f"the corpus does not read {kind.name}"
    title = title.encode("utf-8", "replace").decode()
    return Found(
        named.document_id, entry.path, title, kind.media_type, kind.name, entry.size, read.sha256, trouble, reason, named.how
    )


def _record(read: Read, document_id: str, rules: Rules) -> Record:
    declared = any(matches(read.entry.path, [pattern]) for pattern, _ in rules.declared)
    kind = read.kind if read.sha256 and not declared else Class("", "", "declared")  # these are looked at again
    return Record(document_id, read.entry.path, read.sha256, *kind, read.title, read.explicit, read.sketch)


# --- reading one file ------------------------------------------------------------------------------------------------------


def _read(entry: Entry, folder: Path, known: dict[str, Record], rules: Rules) -> Read:
    if entry.trouble:
        return Read(entry, Class("", "", entry.trouble, entry.reason))
    if entry.size > rules.file_bytes:
        reason = f"it has {entry.size / 2**20:.0f} MB, the corpus' limit is {rules.file_bytes / 2**20:.0f} MB"
        return Read(entry, Class("", "", "too_large", reason))
    try:
        with _opened(folder / entry.path) as stream:
            return _of_stream(entry, stream, known)
    except OSError as error:
        return Read(entry, Class("", "", "unreadable", f"it cannot be read ({error.strerror or error})"))


def look(name: str, data: bytes) -> Read:
    """What discovery says of a file that is looked at by itself: its class, its trouble, the title in its front matter."""
    return _of_stream(Entry(name, len(data)), BytesIO(data), {})


def _opened(path: Path) -> BinaryIO:
    """The file opened for reading, if it still is a file: no link is followed and no pipe waited for."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "it is no file any more")
    return open(descriptor, "rb", buffering=0)


def _of_stream(entry: Entry, stream: BinaryIO, known: dict[str, Record]) -> Read:
    head = stream.read(HEAD_BYTES)
    hasher, size = hashlib.sha256(head), len(head)
    while len(head) == HEAD_BYTES and (piece := stream.read(CHUNK)):
        hasher.update(piece)
        size += len(piece)
    entry, sha256 = entry._replace(size=size), hasher.hexdigest()
    if (record := known.get(sha256)) is not None and record.path.rpartition(".")[2] == entry.path.rpartition(".")[2]:
        return Read(entry, record.kind, sha256, record.title, record.explicit, record.sketch)
    kind = _readable(classify(head, size, entry.path.rpartition("/")[2], stream), stream)
    text = decoded(head, whole=size <= len(head)) if kind.media_type.startswith("text/") and not kind.trouble else None
    if text is None:
        return Read(entry, kind, sha256)
    return Read(entry, kind, sha256, _given(_TITLE, text), _given(_ID, text), sketch_of(text))


_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r"""^title:[ \t]*["']?([^\n\r]*?)["']?[ \t]*\r?$""", re.MULTILINE)
_ID = re.compile(r"""^(?:document_)?id:[ \t]*["']?(\w[\w.-]{0,99})["']?[ \t]*\r?$""", re.MULTILINE)


def _given(field: re.Pattern[str], text: str) -> str:
    """What the front matter says in this field, "" where it does not."""
    front = _FRONT.match(text) if text.startswith(("---", "\ufeff---")) else None
    value = field.search(front.group(1)) if front else None
    return value.group(1).strip() if value else ""


# --- is there a reader? ----------------------------------------------------------------------------------------------------


def _readable(kind: Class, stream: BinaryIO) -> Class:
    """*kind* with the trouble that its format's reader would have: there is none, or a PDF is locked or without text."""
    if kind.trouble:
        return kind
    lack = _lack(kind.media_type)
    if not lack and kind.media_type == XML.media_type and not _known_root(kind.name):
        lack = "no reader knows its root element"
    if lack:
        return kind._replace(trouble="unsupported", reason=f"{kind.name} is not read here: {lack}")
    return _look_into_pdf(kind, stream) if kind == PDF else kind


@cache
def _lack(media_type: str) -> str:
    """Why a media type is not read; "" where it is."""
    from pincite.parse.formats import format_of

    try:
        known = format_of(media_type)
    except UsageError:
        return "there is no reader for it"
    return "" if known.reader else known.reason


def _known_root(name: str) -> bool:
    from pincite.parse.xml import reads

    return reads(name.removeprefix("XML <").removesuffix(">"))


def _look_into_pdf(kind: Class, stream: BinaryIO) -> Class:
    from pincite.parse.pdf import outlook

    stream.seek(0)
    try:
        trouble, reason = outlook(stream.read())
    except PinciteError as error:
        trouble, reason = "damaged", error.what
    return kind._replace(trouble=trouble, reason=reason)


def troubles(found: Iterable[Found]) -> Iterator[Found]:
    """The entries that cannot become documents."""
    return (each for each in found if each.trouble)


def sources(found: Sequence[Found]) -> tuple[Source, ...]:
    """All entries as the plan gets them."""
    return tuple(each.source for each in found)
