"""Embeddings on disk, keyed by the hash of model and text. Two processes may write at once; damage is found and recomputed."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.errors import IndexFault
from pincite.ports import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_SCHEMA = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, seal BLOB NOT NULL) WITHOUT ROWID"
_DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)  # the latter where SQLite's message quotes damaged bytes
_SLICE = 500  # keys in one SELECT; SQLite's limit of parameters is 999 in old builds


class CachedEmbedder:
    """An ``Embedder`` that asks *inner* only for texts it has not seen. ``hits`` and ``misses`` count since the start.

    Each row carries a seal over key and vector: a row whose bytes changed is recomputed, and a file that SQLite calls damaged
    is set aside and begun anew. Nothing in it is needed but its speed.
    """

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self.name, self.dimension = inner.name, inner.dimension
        self.path = folder / (inner.name.replace("/", "-") + ".sqlite")
        self.hits = self.misses = self.damaged = 0
        self._inner = inner

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As the inner embedder: float32, shape (len(texts), dimension), rows of norm 1."""
        import numpy as np

        keys = [self._key(text) for text in texts]
        known = self._read(list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, texts) if key not in known}
        self.hits += len(texts) - len(missing)
        self.misses += len(missing)
        if missing:
            fresh = np.ascontiguousarray(self._inner.embed(list(missing.values())), dtype="<f4")
            known.update(zip(missing, (row.tobytes() for row in fresh)))
            self._write({key: known[key] for key in missing})
        vectors: Vectors = np.frombuffer(b"".join(known[key] for key in keys), dtype="<f4").reshape(-1, self.dimension)
        return vectors.astype(np.float32)

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.name}\0{text}".encode("utf-8", "surrogatepass")).digest()

    def _read(self, keys: list[bytes]) -> dict[bytes, bytes]:
        """The sound vectors of *keys*, as little-endian float32 bytes."""
        if not self.path.exists():
            return {}
        try:
            rows = self._select(keys)
        except _DAMAGE as error:
            if "no such table" not in str(error):  # another process has just made the file and not yet its table
                self._set_aside(error)
            return {}
        sound = {key: vector for key, vector, seal in rows if self._is_sound(key, vector, seal)}
        self.damaged += len(rows) - len(sound)
        return sound

    def _select(self, keys: list[bytes]) -> list[tuple[bytes, bytes, bytes]]:
        rows: list[tuple[bytes, bytes, bytes]] = []
        connection = self._connect()
        try:
            for start in range(0, len(keys), _SLICE):
                part = keys[start : start + _SLICE]
                marks = ",".join("?" * len(part))
                rows += connection.execute(f"SELECT key, vector, seal FROM vectors WHERE key IN ({marks})", part)
        finally:
            connection.close()
        return rows

    def _is_sound(self, key: object, vector: object, seal: object) -> bool:
        if not (isinstance(key, bytes) and isinstance(vector, bytes) and isinstance(seal, bytes)):
            return False
        return len(vector) == 4 * self.dimension and seal == _seal(key, vector)

    def _write(self, vectors: dict[bytes, bytes]) -> None:
        rows = [(key, vector, _seal(key, vector)) for key, vector in vectors.items()]
        try:
            self._insert(rows)
        except (sqlite3.OperationalError, OSError) as error:
            raise IndexFault(
                f"the embedding cache cannot be written ({error})", where=str(self.path), next="free space or set PINCITE_CACHE"
            ) from error
        except _DAMAGE as error:
            self._set_aside(error)
            self._insert(rows)

    def _insert(self, rows: list[tuple[bytes, bytes, bytes]]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = self._connect()
        try:
            with connection:
                connection.execute(_SCHEMA)
                connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        finally:
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=60)  # waits for the other writer
        connection.execute("PRAGMA synchronous = OFF")  # a cache may lose its last rows to a power cut; seals find the rest
        return connection

    def _set_aside(self, error: Exception) -> None:
        """A damaged file gets another name, so that it can be looked at, and the cache starts anew."""
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            raise IndexFault("another process holds the embedding cache", where=str(self.path), next="repeat when it is done")
        self.damaged += 1
        with suppress(FileNotFoundError):  # another process was faster
            self.path.replace(self.path.with_suffix(".damaged"))


def _seal(key: bytes, vector: bytes) -> bytes:
    return hashlib.blake2b(key + vector, digest_size=16).digest()
