"""A cache on disk, keyed by hash: SQLite rows with a seal. Two processes may write at once; damage is found and left out."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pincite.errors import IndexFault

_SCHEMA = "CREATE TABLE IF NOT EXISTS {table} (key BLOB PRIMARY KEY, {column} BLOB NOT NULL, seal BLOB NOT NULL) WITHOUT ROWID"
_DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)  # the latter where SQLite's message quotes damaged bytes
_SLICE = 500  # keys in one SELECT; SQLite's limit of parameters is 999 in old builds


class SealedCache:
    """Values of bytes by key. A row whose bytes changed is not there, and a file that SQLite calls damaged is set aside and
    begun anew: nothing in it is needed but its speed. ``damaged`` counts both. *what* names it in messages."""

    def __init__(self, path: Path, table: str, column: str, what: str) -> None:
        self.path, self.damaged = path, 0
        self._table, self._column, self._what = table, column, what

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The sound values of those of *keys* that are there."""
        if not self.path.exists():
            return {}
        try:
            rows = self._select(keys)
        except _DAMAGE as error:
            if "no such table" not in str(error):  # another process has just made the file and not yet its table
                self._set_aside(error)
            return {}
        sound = {key: value for key, value, seal in rows if _is_sound(key, value, seal)}
        self.damaged += len(rows) - len(sound)
        return sound

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Add or replace; ``IndexFault`` where the file cannot be written."""
        rows = [(key, value, _seal(key, value)) for key, value in values.items()]
        try:
            self._insert(rows)
        except (sqlite3.OperationalError, OSError) as error:
            raise IndexFault(
                f"the {self._what} cannot be written ({error})", where=str(self.path), next="free space or set PINCITE_CACHE"
            ) from error
        except _DAMAGE as error:
            self._set_aside(error)
            self._insert(rows)

    def _select(self, keys: Sequence[bytes]) -> list[tuple[bytes, bytes, bytes]]:
        rows: list[tuple[bytes, bytes, bytes]] = []
        connection = self._connect()
        try:
            for start in range(0, len(keys), _SLICE):
                part = keys[start : start + _SLICE]
                marks = ",".join("?" * len(part))
                rows += connection.execute(
                    f"SELECT key, {self._column}, seal FROM {self._table} WHERE key IN ({marks})", list(part)
                )
        finally:
            connection.close()
        return rows

    def _insert(self, rows: Iterable[tuple[bytes, bytes, bytes]]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = self._connect()
        try:
            with connection:
                connection.execute(_SCHEMA.format(table=self._table, column=self._column))
                connection.executemany(f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?, ?)", rows)
        finally:
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=60)  # waits for the other writer
        connection.execute("PRAGMA synchronous = OFF")  # a cache may lose its last rows to a power cut; seals find the rest
        return connection

    def _set_aside(self, error: Exception) -> None:
        """A damaged file gets another name, so that it can be looked at, and the cache starts anew."""
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            raise IndexFault(f"another process holds the {self._what}", where=str(self.path), next="repeat when it is done")
        self.damaged += 1
        with suppress(FileNotFoundError):  # another process was faster
            self.path.replace(self.path.with_suffix(".damaged"))


def _is_sound(key: object, value: object, seal: object) -> bool:
    return isinstance(key, bytes) and isinstance(value, bytes) and isinstance(seal, bytes) and seal == _seal(key, value)


def _seal(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(key + value, digest_size=16).digest()
