"""The landing zone on a Unity Catalog volume, by the Files API: the same from a task, a notebook or a laptop."""

from __future__ import annotations

from collections.abc import Iterator

from pincite.databricks.connect import Connection
from pincite.databricks.wait import Patience, patiently
from pincite.errors import MissingSource, PlatformError


class VolumeLanding:
    """Implements ``LandingZone``. *folder* is ``/Volumes/CATALOG/SCHEMA/VOLUME`` or a folder in it."""

    def __init__(self, connection: Connection, folder: str, patience: Patience = Patience()) -> None:  # noqa: B008
        self._connection, self.folder, self._patience = connection, folder.rstrip("/"), patience

    def names(self) -> Iterator[str]:
        """Relative paths of all files, folder by folder, each in the order of names."""
        for path, _, _ in self.files():
            yield path

    def files(self) -> Iterator[tuple[str, int, int]]:
        """The same with each file's size in bytes and its time of change, in milliseconds."""
        yield from self._files(self.folder)

    def _files(self, folder: str) -> Iterator[tuple[str, int, int]]:
        files = self._connection.workspace.files
        try:
            entries = patiently(lambda: list(files.list_directory_contents(folder)), folder, self._patience)
        except PlatformError as error:
            raise self._explained(error, folder) from error
        for entry in sorted(entries, key=lambda each: str(each.path)):
            if entry.is_directory:
                yield from self._files(str(entry.path))
            else:
                path = str(entry.path)[len(self.folder) + 1 :]
                yield path, int(entry.file_size or 0), int(entry.last_modified or 0)

    def read(self, path: str) -> bytes:
        """All bytes of one file; ``MissingSource`` where there is none."""
        full = f"{self.folder}/{path}"
        files = self._connection.workspace.files
        try:
            return patiently(lambda: bytes(files.download(full).contents.read()), full, self._patience)
        except PlatformError as error:
            raise self._explained(error, full) from error

    def write(self, path: str, data: bytes) -> None:
        """Land one file, whole or not at all; an existing one of that name is replaced."""
        import io

        full = f"{self.folder}/{path}"
        files = self._connection.workspace.files
        parent = full.rpartition("/")[0]
        patiently(lambda: files.create_directory(parent), parent, self._patience)
        patiently(lambda: files.upload(full, io.BytesIO(data), overwrite=True), full, self._patience)

    def _explained(self, error: PlatformError, full: str) -> PlatformError | MissingSource:
        """404 means that a file or the whole volume is not there, which is a matter of sources."""
        if error.status != 404:
            return error
        if not self._exists():
            return MissingSource("the volume does not exist", where=self.folder, next="deploy the bundle, which makes it")
        return MissingSource(
            "the file is not in the volume", where=full, next="land it there (docs/runbook.md, Land the sources)"
        )

    def _exists(self) -> bool:
        volume = "/".join(self.folder.split("/")[:5])
        files = self._connection.workspace.files
        try:
            patiently(lambda: files.get_directory_metadata(volume), volume, self._patience)
        except PlatformError as error:
            if error.status == 404:
                return False
            raise
        return True
