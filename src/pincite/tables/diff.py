"""What a snapshot changes, by key and ``content_hash``: as Arrow for records in memory, as a join for DataFrames."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from pincite.errors import TableError
from pincite.model import Scope
from pincite.tables.schema import Table, column_names, sql_string

OPERATION = "_op"
UPSERT, DELETE = "upsert", "delete"
INSERT, UPDATE, SAME = "insert", "update", "same"


class Changes(NamedTuple):
    """``upserts`` has all columns of the table; ``deletes`` only the key columns."""

    upserts: Any
    deletes: Any
    inserted: int
    updated: int
    deleted: int
    unchanged: int  # rows of the new state that are there already, kept documents' rows included

    @property
    def total(self) -> int:
        """Rows of the scope after the commit."""
        return self.unchanged + self.inserted + self.updated

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


def changed_documents(existing: Any, snapshot: Any, key: tuple[str, ...]) -> set[str]:
    """The documents whose rows in *existing* and *snapshot* differ, by key and ``content_hash``."""
    old, new = _by_document(existing, key), _by_document(snapshot, key)
    return {document_id for document_id in old.keys() | new.keys() if old.get(document_id) != new.get(document_id)}


def _by_document(table: Any, key: tuple[str, ...]) -> dict[str, set[tuple[Any, ...]]]:
    found: dict[str, set[tuple[Any, ...]]] = {}
    columns = (table.column(name).to_pylist() for name in ("document_id", *key, "content_hash"))
    for document_id, *rest in zip(*columns):
        found.setdefault(document_id, set()).add(tuple(rest))
    return found


def operations(existing: Any, snapshot: Any, key: tuple[str, ...], kept: Any = None) -> Any:
    """A DataFrame of the key and what happens to it: insert, update, delete or same.

    *kept* is a DataFrame of ``document_id`` whose rows stay whatever the snapshot lacks.
    """
    new = snapshot.selectExpr(*_quoted(key), "content_hash AS new_hash", "1 AS is_new")
    stays = "CAST(NULL AS INT) AS stays"
    if kept is not None:
        existing = existing.join(kept.selectExpr("document_id", "1 AS stays").distinct(), "document_id", "left")
        stays = "stays"
    old = existing.selectExpr(*_quoted(key), "content_hash AS old_hash", "1 AS is_old", stays)
    operation = (
        f"CASE WHEN is_new IS NULL AND stays IS NULL THEN '{DELETE}' WHEN is_old IS NULL THEN '{INSERT}' "
        f"WHEN new_hash <> old_hash THEN '{UPDATE}' ELSE '{SAME}' END AS `{OPERATION}`"
    )
    return new.join(old, list(key), "full_outer").selectExpr(*_quoted(key), operation)


def counted(operations: Any, table: str) -> dict[str, int]:
    """How many keys each operation has; ``TableError`` where a key occurs twice."""
    key = [name for name in operations.columns if name != OPERATION]
    by_key = operations.groupBy(*key, OPERATION).count()
    found = by_key.groupBy(OPERATION).agg({"count": "sum", OPERATION: "count"}).toArrow().to_pylist()
    counts = dict.fromkeys((INSERT, UPDATE, DELETE, SAME), 0)
    for row in found:
        counts[row[OPERATION]] = row["sum(count)"]
        if row["sum(count)"] != row[f"count({OPERATION})"]:
            raise TableError(f"a snapshot has rows whose key ({', '.join(key)}) is not unique", where=table)
    return counts


def changed_rows(snapshot: Any, operations: Any, table: Table, scope: Scope) -> Any:
    """The rows a MERGE is given, as a DataFrame: changed and new rows whole, deleted ones by key."""
    wanted = operations.where(f"`{OPERATION}` <> '{SAME}'").selectExpr(
        *_quoted(table.key), f"CASE WHEN `{OPERATION}` = '{DELETE}' THEN '{DELETE}' ELSE '{UPSERT}' END AS `{OPERATION}`"
    )
    rows = snapshot.drop("project", "collection")
    literals = [f"{sql_string(value)} AS `{name}`" for name, value in zip(scope._fields, scope)]
    names = [name for name in column_names(table.name) if name not in scope._fields]
    return wanted.join(rows, list(table.key), "left").selectExpr(*literals, *_quoted(names), OPERATION)


def _quoted(names: Collection[str]) -> list[str]:
    return [f"`{name}`" for name in names]
