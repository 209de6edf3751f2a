"""The table store: bootstrap, scoped snapshot merge, append and read, on any of the engines."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pincite.errors import CommitConflict, CountMismatch, EmptySnapshot, PinciteError
from pincite.model import Scope
from pincite.tables import diff, engine, layout, read
from pincite.tables.rows import to_arrow
from pincite.tables.schema import SCOPE_COLUMNS, TABLES, Table, checked_scope, column_names, sql_string, table_named

T = TypeVar("T")
ATTEMPTS = 6
FIRST_WAIT_SECONDS = 0.05


class Merged(NamedTuple):
    """What a merge did to one table. ``committed`` is False where nothing had changed: no version was written."""

    table: str
    inserted: int
    updated: int
    deleted: int
    unchanged: int
    version_before: int
    version_after: int

    @property
    def committed(self) -> bool:
        """Whether a table version was written."""
        return self.inserted + self.updated + self.deleted > 0


class SparkTableStore:
    """Delta tables in a folder (Sail, JVM Spark) or a Unity Catalog schema (Databricks).

    The engine starts at the first write: reading a folder, or a merge that changes nothing, needs none.
    """

    def __init__(self, location: Path | str, start: Callable[[], engine.Engine] = engine.sail, *, local: bool = True) -> None:
        self.location = str(location)
        self.local = local
        self._start = start
        self._engine: engine.Engine | None = None
        self._checked: set[str] = set()

    @property
    def engine(self) -> engine.Engine:
        """The running engine; started now if it was not yet."""
        if self._engine is None:
            self._engine = self._start()
        return self._engine

    def close(self) -> None:
        """Stop the engine, if it was started."""
        if self._engine is not None:
            self._engine.stop()
            self._engine = None

    # --- reading

    def version(self, table: str) -> int:
        """The table's current Delta version; -1 where the table does not exist."""
        return read.version(self.location, table) if self.local else layout.version(self.engine, self.location, table)

    def read(self, table: str, scope: Scope | None = None, columns: Sequence[str] | None = None) -> Any:
        """A ``pyarrow.Table`` of one scope or of all."""
        if self.local:
            return read.read(self.location, table, scope, columns)
        frame = self.frame(table, scope)
        return frame.select(*(columns or column_names(table))).toArrow()

    def frame(self, table: str, scope: Scope | None = None) -> Any:
        """The same as a Spark DataFrame, for work that must not come to the driver."""
        frame = layout.frame(self.engine, self.location, table).select(*column_names(table))
        if scope is None:
            return frame
        from pyspark.sql import functions as F

        project, collection = checked_scope(scope)
        return frame.where((F.col("project") == F.lit(project)) & (F.col("collection") == F.lit(collection)))

    # --- writing

    def bootstrap(self, tables: Sequence[str] = tuple(TABLES)) -> list[str]:
        """Create what is missing and bring older tables up to the schema; the names of the tables it had to touch."""
        return [name for name in tables if self._ready(name)]

    def merge(self, table: str, scope: Scope, rows: Any, *, kept: Collection[str] = (), allow_empty: bool = False) -> Merged:
        """Make *rows* the whole state of *scope*; nothing outside it is touched. Commits nothing where nothing changed.

        *rows* is a ``pyarrow.Table`` with all columns, or a sequence of rows without the scope columns. The rows of
        documents in *kept* stay as they are. Raises ``EmptySnapshot``, ``CommitConflict``, ``SchemaDrift``.
        """
        described, scope = table_named(table), checked_scope(scope)
        snapshot = rows if hasattr(rows, "schema") else to_arrow(table, scope, rows)
        self._ready(table)
        before = self.version(table)
        compared = [*described.key, "content_hash"] + ([] if "document_id" in described.key else ["document_id"])
        change = diff.changes(self.read(table, scope, compared), snapshot, described.key, kept)
        if change.deleted and not (change.unchanged + change.inserted + change.updated) and not allow_empty:
            raise EmptySnapshot(
                f"an empty snapshot would delete all {change.deleted} rows of {'/'.join(scope)}",
                where=table,
                next="pass allow_empty (--allow-empty) if that is meant",
            )
        if not change.empty:
            self._retried(table, lambda: self._commit(described, scope, change))
            self._check_count(table, scope, change.unchanged + change.inserted + change.updated)
        after = self.version(table) if not change.empty else before
        return Merged(table, change.inserted, change.updated, change.deleted, change.unchanged, before, after)

    def append(self, table: str, scope: Scope, rows: Sequence[Sequence[Any]]) -> None:
        """Add rows to a log."""
        if not rows:
            return
        self._ready(table)
        arrow = to_arrow(table, checked_scope(scope), rows)
        self._retried(table, lambda: layout.append(self.engine, self.location, table, arrow))

    def _ready(self, table: str) -> bool:
        if table in self._checked:
            return False
        touched = self._retried(table, lambda: layout.ensure(self.local, lambda: self.engine, self.location, table))
        self._checked.add(table)
        return touched

    def _commit(self, table: Table, scope: Scope, change: diff.Changes) -> None:
        """One MERGE that ships only what changed: the scope stands in the join and in the delete clause."""
        if not change.updated and not change.deleted and self.local:
            layout.append(self.engine, self.location, table.name, change.upserts)  # under the scope's lock nobody else inserts
            return
        spark = self.engine.spark
        view = f"changes_{uuid.uuid4().hex}"  # a name of its own: views are resolved when the statement runs
        spark.createDataFrame(staged(table, scope, change)).createOrReplaceTempView(view)
        try:
            spark.sql(merge_statement(table, scope, layout.reference(self.local, self.location, table.name), view)).collect()
        finally:
            spark.catalog.dropTempView(view)

    def _check_count(self, table: str, scope: Scope, expected: int) -> None:
        found = self.read(table, scope, [table_named(table).key[0]]).num_rows
        if found != expected:
            raise CountMismatch(
                f"{'/'.join(scope)} has {found} rows after the merge, expected {expected}",
                where=table,
                next="another run wrote the same scope; run again when it has ended",
            )

    def _retried(self, table: str, action: Callable[[], T]) -> T:
        """Run *action*; a lost commit race is tried again with back-off, any other engine error becomes one of ours."""
        for attempt in range(ATTEMPTS):
            try:
                return action()
            except PinciteError:
                raise
            except Exception as error:
                ours = engine.translated(error, f"{self.location} {table}")
                if ours is None:
                    raise
                if not isinstance(ours, CommitConflict) or attempt == ATTEMPTS - 1:
                    raise ours from error
            time.sleep(FIRST_WAIT_SECONDS * 2**attempt * (1 + random.random()))  # noqa: S311 - jitter
        raise AssertionError("unreachable")


def staged(table: Table, scope: Scope, change: diff.Changes) -> Any:
    """The rows a MERGE is given: upserts whole, deletes by key with nulls beside it, told apart by ``_op``."""
    import pyarrow as pa

    schema = pa.schema([f.with_nullable(True).remove_metadata() for f in change.upserts.schema])
    gone = change.deletes
    columns = [gone.column(f.name) if f.name in table.key else pa.nulls(gone.num_rows, f.type) for f in schema]
    for i, value in enumerate(scope):
        columns[i] = pa.array([value] * gone.num_rows, pa.string())
    both = pa.concat_tables([change.upserts.cast(schema), pa.table(columns, names=schema.names).cast(schema)])
    operation = pa.array([diff.UPSERT] * change.upserts.num_rows + [diff.DELETE] * gone.num_rows)
    return both.append_column(diff.OPERATION, operation).combine_chunks()


def merge_statement(table: Table, scope: Scope, target: str, view: str) -> str:
    """The MERGE: scope as literals (so that engines prune files) and as columns, in the join and in each clause."""
    inside = " AND ".join(f"t.`{name}` = {sql_string(value)}" for name, value in zip(SCOPE_COLUMNS, checked_scope(scope)))
    matched = " AND ".join(f"t.`{name}` = s.`{name}`" for name in (*SCOPE_COLUMNS, *table.key))
    names = column_names(table.name)
    fixed = {*SCOPE_COLUMNS, *table.key}
    sets = ", ".join(f"`{name}` = s.`{name}`" for name in names if name not in fixed)
    listed = ", ".join(f"`{name}`" for name in names)
    values = ", ".join(f"s.`{name}`" for name in names)
    return (
        f"MERGE INTO {target} AS t USING `{view}` AS s ON {inside} AND {matched} "
        f"WHEN MATCHED AND s.`{diff.OPERATION}` = '{diff.DELETE}' AND {inside} THEN DELETE "
        f"WHEN MATCHED AND s.`{diff.OPERATION}` = '{diff.UPSERT}' THEN UPDATE SET {sets} "
        f"WHEN NOT MATCHED AND s.`{diff.OPERATION}` = '{diff.UPSERT}' THEN INSERT ({listed}) VALUES ({values})"
    )
