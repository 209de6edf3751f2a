"""A folder of this machine, read without following links out of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISREG

from pincite.errors import MissingSource, SourceError
from pincite.ports import Entry, Fetched, Refusal


class Folder:
    """Implements ``SourceConnector``. A file's version is its time of change and size."""

    def __init__(self, root: Path) -> None:
        self.root, self.uri = root, str(root)

    def entries(self) -> Iterator[Entry | Refusal]:
        """Every regular file, folder by folder in the order of names."""
        if not self.root.is_dir():
            raise MissingSource("the folder does not exist", where=self.uri, next="name one that exists")
        for folder, folders, files in os.walk(self.root, onerror=_unlistable):
            folders.sort()
            for name in sorted([*files, *(each for each in folders if Path(folder, each).is_symlink())]):
                yield self._entry(Path(folder, name))

    def _entry(self, path: Path) -> Entry | Refusal:
        relative = path.relative_to(self.root).as_posix()
        try:
            if path.is_symlink() and not path.resolve().is_relative_to(self.root.resolve()):
                return Refusal(relative, "it is a link to a place outside the folder")
            status = path.stat()
        except OSError as error:
            return Refusal(relative, f"it cannot be looked at ({error.strerror})")
        if not S_ISREG(status.st_mode):
            return Refusal(relative, "it is a link to a folder" if path.is_dir() else "it is no regular file")
        return Entry(relative, status.st_size, _version(status))

    def fetch(self, path: str, known: str = "", largest: int = 1 << 30) -> Fetched | None:
        """As the protocol says; a file that changes while it is read is refused."""
        full = self.root / path
        try:
            with full.open("rb") as stream:
                before = os.fstat(stream.fileno())
                if known and _version(before) == known:
                    return None
                data = stream.read(largest + 1)
                after = os.fstat(stream.fileno())
        except OSError as error:
            raise MissingSource(f"the file cannot be read ({error.strerror})", where=str(full)) from error
        if len(data) > largest:
            raise SourceError(f"the file is larger than the {largest} bytes allowed", where=str(full), next="raise the limit")
        if _version(before) != _version(after) or len(data) != after.st_size:
            raise SourceError("the file changed while it was read", where=str(full), next="run again when it is at rest")
        return Fetched(data, _version(after))

    def close(self) -> None:
        """Nothing is held open."""


def _version(status: os.stat_result) -> str:
    return f"{status.st_mtime_ns}-{status.st_size}"


def _unlistable(error: OSError) -> None:
    raise SourceError(f"the folder cannot be listed ({error.strerror})", where=str(error.filename), next="check its rights")
