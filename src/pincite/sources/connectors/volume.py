"""A Unity Catalog volume, from anywhere; inside a workspace the volume is a folder and read as one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pincite.errors import SourceError
from pincite.ports import Entry, Fetched, Refusal
from pincite.sources.connectors.paths import unsafe

if TYPE_CHECKING:
    from pincite.databricks.landing import VolumeLanding


class Volume:
    """Implements ``SourceConnector`` over the Files API; the workspace is the one the Databricks client is set up for."""

    def __init__(self, uri: str, landing: VolumeLanding | None = None) -> None:
        self.uri, self._landing = uri.rstrip("/"), landing

    def entries(self) -> Iterator[Entry | Refusal]:
        """Every file of the volume, or of a folder in it."""
        for path, size, modified in self._opened().files():
            reason = unsafe(path)
            yield Refusal(path, reason) if reason else Entry(path, size, f"{modified}-{size}")

    def fetch(self, path: str, known: str = "", largest: int = 1 << 30) -> Fetched | None:
        """As the protocol says. The Files API names no version when it reads: the listing's is compared by ``bring``."""
        data = self._opened().read(path)
        if len(data) > largest:
            raise SourceError(f"the file is larger than the {largest} bytes allowed", where=f"{self.uri}/{path}")
        return Fetched(data, "")

    def close(self) -> None:
        """Nothing is held open."""

    def _opened(self) -> VolumeLanding:
        if self._landing is None:
            from pincite.databricks.connect import Connection
            from pincite.databricks.landing import VolumeLanding

            self._landing = VolumeLanding(Connection(), self.uri)
        return self._landing
