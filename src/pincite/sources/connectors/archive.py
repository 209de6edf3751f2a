"""A zip archive, archives inside it included, under limits: an archive is somebody else's claim about sizes and paths."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from pincite.errors import Malformed, NeedsPassword, SourceError, TooExpensive
from pincite.ports import Entry, Fetched, Refusal
from pincite.sources.connectors.paths import unsafe


class Limits(NamedTuple):
    """What an archive may claim. Beyond *members* or *total* the whole archive is refused, beyond the others one member."""

    members: int = 100_000
    total: int = 8 << 30  # bytes, unpacked
    ratio: int = 200  # unpacked to packed; text reaches 20, a bomb 1,000
    small: int = 1 << 20  # bytes below which no ratio is looked at
    depth: int = 2  # archives inside archives


BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError)


class Archive:
    """Implements ``SourceConnector``. A member's version is its checksum and size; ``a.zip`` inside is a folder ``a.zip/``."""

    def __init__(self, path: Path, limits: Limits = Limits()) -> None:  # noqa: B008
        self.uri, self.limits = str(path), limits
        self._path = path
        self._held: dict[str, _Held] = {}

    def entries(self) -> Iterator[Entry | Refusal]:
        """Every member that may be read; the others with the reason."""
        seen: set[str] = set()
        spent = _Spent()
        with _opened(self._path, self.uri) as archive:
            yield from self._members(archive, "", self.limits.depth, spent, seen)

    def _members(
        self, archive: zipfile.ZipFile, above: str, depth: int, spent: _Spent, seen: set[str]
    ) -> Iterator[Entry | Refusal]:
        for member in archive.infolist():
            if member.is_dir():
                continue
            path = above + member.filename
            spent.count(member, self.limits, self.uri)
            reason = self._refused(member, path, seen)
            seen.add(path)
            if reason:
                yield Refusal(path, reason)
            elif not path.lower().endswith(".zip"):
                yield Entry(path, member.file_size, f"{member.CRC:08x}-{member.file_size}")
            elif not depth:
                yield Refusal(path, f"it is an archive more than {self.limits.depth} deep in archives")
            else:
                yield from self._inner(archive, member, path, depth, spent, seen)

    def _inner(
        self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: str, depth: int, spent: _Spent, seen: set[str]
    ) -> Iterator[Entry | Refusal]:
        try:
            data = _read(archive, member, self.limits.total)
            with _opened(io.BytesIO(data), path) as inner:
                yield from self._members(inner, path + "/", depth - 1, spent, seen)
        except Malformed as error:
            yield Refusal(path, error.what)

    def _refused(self, member: zipfile.ZipInfo, path: str, seen: set[str]) -> str:
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind and not stat.S_ISREG(kind):
            return "it is a link or a device, not a file"
        if member.flag_bits & 0x1:
            return "it is encrypted"
        if member.file_size > self.limits.small and member.file_size > self.limits.ratio * max(member.compress_size, 1):
            return f"it unpacks to more than {self.limits.ratio} times its size"
        return "another member has the same path" if path in seen else unsafe(path)

    def fetch(self, path: str, known: str = "", largest: int = 1 << 30) -> Fetched | None:
        """As the protocol says; a member that unpacks to more than it claims is refused."""
        above, rest = "", path
        while True:
            archive, members = self._open(above)
            if member := members.get(rest):
                version = f"{member.CRC:08x}-{member.file_size}"
                return None if known == version else Fetched(_read(archive, member, largest), version)
            inner = next((part for part in _archives_on(rest) if part in members), None)
            if inner is None:
                raise SourceError("the archive has no such member", where=f"{self.uri}!{path}", next="list it again")
            above, rest = f"{above}{inner}/", rest[len(inner) + 1 :]

    def _open(self, above: str) -> _Open:
        """The archive at *above*, "" for the outermost, with its members by path; it stays open for what is fetched next."""
        if self._held and self._held[""].stamp != _stamp(self._path):
            self.close()  # another file lies there now
        if above not in self._held:
            if not above:
                archive = _opened(self._path, self.uri)
            else:
                outer = max((each for each in self._held if above.startswith(each) and each != above), key=len)
                holder = self._held[outer].open
                data = _read(holder.archive, holder.members[above[len(outer) : -1]], self.limits.total)
                for other in [each for each in self._held if not above.startswith(each)]:
                    self._held.pop(other).open.archive.close()
                archive = _opened(io.BytesIO(data), above)
            members = {member.filename: member for member in reversed(archive.infolist()) if not member.is_dir()}
            self._held[above] = _Held(_Open(archive, members), _stamp(self._path))
        return self._held[above].open

    def close(self) -> None:
        """What was held open is closed."""
        while self._held:
            self._held.popitem()[1].open.archive.close()


class _Open(NamedTuple):
    """An open archive and its members by path; of two with one path the first."""

    archive: zipfile.ZipFile
    members: dict[str, zipfile.ZipInfo]


class _Held(NamedTuple):
    """An archive that is kept open, and how its file looked then."""

    open: _Open
    stamp: tuple[int, int]


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _archives_on(path: str) -> Iterator[str]:
    """The archives that a path may lead into, the outermost first."""
    parts = path.split("/")
    for count in range(1, len(parts)):
        if parts[count - 1].lower().endswith(".zip"):
            yield "/".join(parts[:count])


class _Spent:
    """What the members of an archive, with those inside it, add up to."""

    def __init__(self) -> None:
        self.members = self.bytes = 0

    def count(self, member: zipfile.ZipInfo, limits: Limits, where: str) -> None:
        self.members += 1
        self.bytes += member.file_size
        if self.members > limits.members:
            raise TooExpensive(f"the archive has more than {limits.members} members", where=where, next="unpack it yourself")
        if self.bytes > limits.total:
            raise TooExpensive(f"the archive unpacks to more than {limits.total} bytes", where=where, next="unpack it yourself")


def _opened(stream: Path | IO[bytes], where: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(stream)
    except BROKEN as error:
        raise Malformed(f"the archive cannot be read ({error})", where=where, next="replace it by a whole one") from error


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, largest: int) -> bytes:
    where = f"{archive.filename or 'archive'}!{member.filename}"
    if member.file_size > largest:
        raise SourceError(f"the member is larger than the {largest} bytes allowed", where=where, next="raise the limit")
    try:
        with archive.open(member) as stream:
            data = stream.read(member.file_size + 1)
    except RuntimeError as error:  # zipfile's own for a password that is missing
        raise NeedsPassword("the member is encrypted", where=where, next="unpack it yourself") from error
    except BROKEN as error:
        raise Malformed(f"the member is damaged ({error})", where=where, next="replace the archive by a whole one") from error
    if len(data) != member.file_size:
        raise Malformed("the member has another size than the archive says", where=where, next="replace the archive")
    return data
