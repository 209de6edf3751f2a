"""An office file is a zip archive of XML parts: opened in memory, under limits, and never trusted.

Every limit is declared here. A part is measured by what it says and again while it is unpacked, so that a false size cannot
help; nothing is written to disk, no relationship that leads outside is followed, and a document type declaration in any
part refuses the file before an entity could be expanded.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from io import BytesIO
from lzma import LZMAError
from posixpath import dirname, join, normpath
from typing import IO, NamedTuple
from urllib.parse import unquote
from zipfile import BadZipFile, ZipFile, ZipInfo

from lxml import etree

from pincite.errors import Forbidden, Malformed, NeedsPassword, TooExpensive

MAX_MEMBERS = 20_000
"""Members of the archive. A deck of 500 slides has about 3,000."""
MAX_TREE = 96 << 20
"""Unpacked bytes of a part that is read as a tree; it takes some ten times as much memory while it is read."""
MAX_STREAM = 1 << 30
"""Unpacked bytes of a part that is read as a stream: a sheet of a million rows and ten columns has half of it."""
MAX_TOTAL = 2 << 30
"""Unpacked bytes of all parts that are read."""
MAX_RATIO, RATIO_FROM = 300, 1 << 20
"""Unpacked to packed, for parts from a size on. Deflate ends at about 1,000; written documents stay below 100."""

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LEGACY = {"WordDocument": ("Word", ".docx"), "Workbook": ("Excel", ".xlsx"), "Book": ("Excel", ".xlsx")}
_LEGACY |= {"PowerPoint Document": ("PowerPoint", ".pptx")}
_DAMAGED = (BadZipFile, zlib.error, LZMAError, EOFError, NotImplementedError, OSError, ValueError)
_STRICT = re.compile(rb"""(["'])http://purl\.oclc\.org/ooxml/(\w+)/([\w/]+)\1""")
_OLD_NAMES = {b"extendedProperties": b"extended-properties", b"customProperties": b"custom-properties"}
_SAVE_AGAIN = "open it in the program that made it and save it again"


class TooDeep(TooExpensive):
    """XML nested deeper, or with a longer text, than is read. A part that can be done without is left out."""


class Relationship(NamedTuple):
    """One entry of a part's relationships."""

    kind: str  # the last word of its type: "styles", "hyperlink", "slide"
    target: str  # the part's name, or the address where it is external
    external: bool


class Trouble(NamedTuple):
    """Something about the archive that does not stop it from being read; it becomes a finding."""

    kind: str
    subject: str
    reason: str


class Package:
    """The parts of one office file; ``troubles`` collects what the document will report as findings."""

    def __init__(self, data: bytes, where: str) -> None:
        self.where = where
        self.troubles: list[Trouble] = []
        self._read = 0
        self._relationships: dict[str, dict[str, Relationship]] = {}
        self.archive = _open(data, where)
        self.members = self._members()

    def _members(self) -> dict[str, ZipInfo]:
        """Part names, which are compared without case, to members. Of two with one name the last is read, as Office does."""
        infos = self.archive.infolist()
        if len(infos) > MAX_MEMBERS:
            raise TooExpensive(f"the archive has more than {MAX_MEMBERS} members", where=self.where, next=_SAVE_AGAIN)
        members: dict[str, ZipInfo] = {}
        for info in infos:
            name = info.filename.replace("\\", "/")
            if name.endswith("/"):
                continue
            if name.startswith("/") or ".." in name.split("/") or ":" in name.split("/")[0]:
                self.trouble("climbing_path", name, "a member whose name leads out of the archive is not read")
                continue
            if name.casefold() in members:
                self.trouble("duplicate_part", name, "the archive has several members of this name; the last one is read")
            members[name.casefold()] = info
        return members

    def trouble(self, kind: str, subject: str, reason: str) -> None:
        """Note what the document will report as a finding."""
        self.troubles.append(Trouble(kind, subject, reason))

    def __contains__(self, name: str) -> bool:
        return name.casefold() in self.members

    def names(self, beginning: str) -> list[str]:
        """The names of parts that begin with *beginning*, in the archive's order."""
        return [info.filename for name, info in self.members.items() if name.startswith(beginning.casefold())]

    # --- parts -----------------------------------------------------------------------------------------------------

    def open(self, name: str, limit: int = MAX_STREAM) -> _Bounded:
        """A part as a stream that ends in ``TooExpensive`` past *limit*. Raises ``Malformed`` where it is missing."""
        info = self.members.get(name.casefold())
        if info is None:
            raise Malformed(f"the part {name} is missing", where=self.where, next=_SAVE_AGAIN)
        if info.flag_bits & 1:
            raise NeedsPassword("the archive is encrypted", where=self.where, next="save it without a password")
        if info.file_size > limit:
            raise self.too_large(name, limit)
        if info.file_size > RATIO_FROM and info.file_size > MAX_RATIO * max(info.compress_size, 1):
            ratio = info.file_size // max(info.compress_size, 1)
            what = f"the part {name} unpacks to {ratio} times its size, past the limit of {MAX_RATIO}"
            raise TooExpensive(what, where=self.where, next="check where the file comes from")
        try:
            return _Bounded(self, name, self.archive.open(info), limit)
        except _DAMAGED as error:
            raise self.damaged(name, error) from None

    def too_large(self, name: str, limit: int) -> TooExpensive:
        """The sentence for a part past its limit."""
        what = f"the part {name} is past the limit of {limit >> 20} MB"
        return TooExpensive(what, where=self.where, next="split the file")

    def damaged(self, name: str, error: Exception) -> Malformed:
        """The sentence for a part that cannot be unpacked or is not XML."""
        return Malformed(f"the part {name} is damaged ({error})", where=self.where, next=_SAVE_AGAIN)

    def count(self, size: int) -> None:
        """Count *size* unpacked bytes. Raises ``TooExpensive`` past the limit of all parts."""
        self._read += size
        if self._read > MAX_TOTAL:
            what = f"its parts unpack to more than {MAX_TOTAL >> 20} MB"
            raise TooExpensive(what, where=self.where, next="split the file")

    def read(self, name: str) -> bytes:
        """A part's bytes, strict namespaces replaced by the usual ones, and sure to have no document type declaration."""
        with self.open(name, MAX_TREE) as stream:
            return stream.read()

    def foreign(self, name: str) -> bytes:
        """A part in a format of its own, such as a web page, as it is: what it may declare its own reader says."""
        with self.open(name, MAX_TREE) as stream:
            stream.own = False
            return stream.read()

    def refuse_declarations(self, name: str, data: bytes) -> None:
        """Raise ``Forbidden`` for a document type declaration in *data*, in any encoding a part may have."""
        wide = b"\0" in data[:64]
        if b"<!DOCTYPE" in data or (wide and b"<!DOCTYPE" in data.replace(b"\0", b"")):
            what = f"the part {name} declares a document type, which no office program does"
            raise Forbidden(what, where=self.where, next="check where the file comes from")

    def tree(self, name: str) -> etree._Element:
        """A part's root element. Raises ``Malformed``, ``Forbidden`` or ``TooExpensive``."""
        data = self.read(name)
        try:
            return etree.fromstring(data, parser())
        except etree.XMLSyntaxError as error:
            if "xcessive depth" in str(error) or "huge" in str(error).lower() or "too long" in str(error):
                what = f"the part {name} is nested too deeply or has too long a text"
                raise TooDeep(what, where=self.where, next="check where the file comes from") from None
            reason = "it has null bytes" if b"\0" in data and b"\0" not in data[:4] else str(error.msg or "not XML")
            raise self.damaged(name, ValueError(reason)) from None

    def optional(self, name: str) -> etree._Element | None:
        """The same for a part the file can be read without: None where it is missing or damaged, which is noted."""
        if not name:
            return None
        try:
            return self.tree(name)
        except (Malformed, TooDeep) as error:
            self.trouble("damaged_part", name, f"{error.what}; the file is read without it")
            return None

    # --- relationships ---------------------------------------------------------------------------------------------

    def relationships(self, name: str) -> dict[str, Relationship]:
        """The relationships of a part by id; of the whole package where *name* is ""."""
        if name not in self._relationships:
            place = join(dirname(name), "_rels", name.rpartition("/")[2] + ".rels")
            root = self.optional(place) if place in self else None
            entries = [] if root is None else [one for one in root if isinstance(one.tag, str)]
            self._relationships[name] = dict(self._related(name, entries))
        return self._relationships[name]

    def _related(self, name: str, entries: list[etree._Element]) -> Iterator[tuple[str, Relationship]]:
        for entry in entries:
            target, kind = entry.get("Target", ""), entry.get("Type", "").rpartition("/")[2]
            if entry.get("TargetMode", "").lower() == "external":
                if kind != "hyperlink":
                    self.trouble("external_part", target, f"a {kind} outside the file; it is not fetched")
                yield entry.get("Id", ""), Relationship(kind, target, True)
                continue
            path = normpath(join("/", dirname(name), unquote(target).replace("\\", "/").partition("#")[0]))
            yield entry.get("Id", ""), Relationship(kind, path.lstrip("/"), False)

    def related(self, name: str, kind: str) -> list[str]:
        """The parts that *name* has as *kind*, in order, those that are missing left out and noted."""
        parts = []
        for relation in self.relationships(name).values():
            if relation.kind != kind or relation.external:
                continue
            if relation.target in self:
                parts.append(relation.target)
            else:
                self.trouble("missing_part", relation.target, f"the file names this part as its {kind} and does not have it")
        return parts

    def first(self, name: str, kind: str) -> str:
        """The first part that *name* has as *kind*, "" where there is none."""
        return next(iter(self.related(name, kind)), "")

    def main(self, usual: str) -> str:
        """The part that holds the document: by the package's relationships, else by its usual name."""
        found = self.first("", "officeDocument")
        if not found and usual not in self:
            raise Malformed(f"it has no {usual}, so it is no such document", where=self.where, next=_SAVE_AGAIN)
        if "[Content_Types].xml" not in self:
            self.trouble(
                "missing_part", "[Content_Types].xml", "the list of the parts' types is missing; they are read by name"
            )
        for name in self.members:
            if name.endswith("vbaproject.bin"):
                self.trouble("macros", name, "the file has macros; they are inert here: never run, never read")
        return found or usual


class _Bounded:
    """A stream over a member that counts what is really unpacked."""

    def __init__(self, package: Package, name: str, stream: IO[bytes], limit: int) -> None:
        self.package, self.name, self.stream, self.limit, self.left = package, name, stream, limit, limit
        self.end = b""  # of the bytes before: a declaration may reach over two reads
        self.own = True  # XML of an office program

    def read(self, size: int = -1) -> bytes:
        """The next bytes. Raises ``Malformed`` or ``TooExpensive``."""
        first = self.left == self.limit
        try:
            data = self.stream.read(self.left + 1 if size < 0 else size)
        except _DAMAGED as error:
            raise self.package.damaged(self.name, error) from None
        self.left -= len(data)
        self.package.count(len(data))
        if self.left < 0:
            raise self.package.too_large(self.name, self.limit)
        if not self.own:
            return data
        self.package.refuse_declarations(self.name, self.end + data)
        self.end = data[-32:]
        if first and b"purl.oclc.org" in data:  # the root's start tag is in the first bytes
            return plain_names(data)
        return data

    def __enter__(self) -> _Bounded:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()


def parser() -> etree.XMLParser:
    """A parser that expands, loads and fetches nothing; libxml2 itself ends at 256 levels and 10 MB of one text."""
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True)


def plain_names(data: bytes) -> bytes:
    """ISO strict namespaces as the transitional ones, which everything here knows."""

    def transitional(match: re.Match[bytes]) -> bytes:
        quote, family, rest = match.groups()
        return quote + b"http://schemas.openxmlformats.org/" + family + b"/2006/" + _OLD_NAMES.get(rest, rest) + quote

    return _STRICT.sub(transitional, data)


def _open(data: bytes, where: str) -> ZipFile:
    """The archive, or the sentence for what the file is instead."""
    if data.startswith(OLE):
        raise _ole(data, where)
    if not data:
        raise Malformed("the file is empty", where=where, next="fetch it again")
    if not data.startswith(b"PK"):
        raise Malformed("the file is no office document: it is not a zip archive", where=where, next="check its extension")
    try:
        return ZipFile(BytesIO(data))
    except _DAMAGED as error:
        what = f"the archive is damaged or cut off ({error})"
        raise Malformed(what, where=where, next="fetch it again") from None


def _ole(data: bytes, where: str) -> NeedsPassword | Malformed:
    """What an OLE container holds: an encrypted document, or one of the formats before 2007."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        return NeedsPassword("the document is encrypted", where=where, next="save it without a password")
    for stream, (program, extension) in _LEGACY.items():
        if stream.encode("utf-16-le") in data:
            what = f"a file of {program} 97-2003, whose binary format is not read here"
            return Malformed(what, where=where, next=f"save it as {extension}")
    return Malformed("an OLE container without a known document", where=where, next="check its extension")
