"""What a snapshot changes: compared by key and ``content_hash``, as Arrow for records in memory."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from pincite.errors import TableError

OPERATION = "_op"
UPSERT, DELETE = "upsert", "delete"


class Changes(NamedTuple):
    """``upserts`` has all columns of the table; ``deletes`` only the key columns."""

    upserts: Any
    deletes: Any
    inserted: int
    updated: int
    deleted: int
    unchanged: int  # rows of the new state that are there already, kept documents' rows included

    @property
    def empty(self) -> bool:
        """Whether there is nothing to commit."""
        return not (self.inserted or self.updated or self.deleted)


def changes(existing: Any, snapshot: Any, key: tuple[str, ...], kept: Collection[str] = ()) -> Changes:
    """What turns *existing* (key, document_id, content_hash of a scope) into *snapshot* (all columns).

    Rows of documents in *kept* were not read this time: they stay, whatever the snapshot lacks.
    """
    import pyarrow as pa

    old = _hashes(existing, key)
    new = _hashes(snapshot, key)
    if len(new) != snapshot.num_rows:
        raise TableError(f"a snapshot has {snapshot.num_rows - len(new)} rows whose key ({', '.join(key)}) is not unique")
    if old == new:
        return Changes(snapshot.slice(0, 0), existing.slice(0, 0).select(key), 0, 0, 0, len(new))
    written = [i for i, (k, h) in enumerate(new.items()) if old.get(k) != h]
    inserted = sum(k not in old for k in new)
    gone = [i for i, k in enumerate(old) if k not in new]
    if kept:
        documents = existing.column("document_id").to_pylist()
        gone = [i for i in gone if documents[i] not in kept]
    unchanged = len(old) - len(gone) - (len(written) - inserted)
    deletes = existing.select(key).take(pa.array(gone, pa.int64()))
    return Changes(
        snapshot.take(pa.array(written, pa.int64())), deletes, inserted, len(written) - inserted, len(gone), unchanged
    )


def _hashes(table: Any, key: tuple[str, ...]) -> dict[Any, str]:
    """key → content_hash, in row order."""
    parts = [table.column(name).to_pylist() for name in key]
    keys = parts[0] if len(parts) == 1 else zip(*parts)
    return dict(zip(keys, table.column("content_hash").to_pylist()))
