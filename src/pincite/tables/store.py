"""The table store: bootstrap, scoped snapshot merge, append and read, on any of the engines."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pincite.errors import CommitConflict, CountMismatch, EmptySnapshot, PinciteError, TableError
from pincite.model import Scope
from pincite.scope import checked_scope
from pincite.tables import diff, engine, layout, read
from pincite.tables.rows import to_arrow
from pincite.tables.schema import TABLES, Column, Table, column_names, columns, sql_type, table_named
from pincite.tables.statement import Merged, merge_statement, scope_condition, staged

__all__ = ["Merged", "SparkTableStore"]

T = TypeVar("T")
ATTEMPTS = 6
FIRST_WAIT_SECONDS = 0.05


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
        """The same as a DataFrame, for work that must not come to the driver. A column that an older table lacks is null."""
        frame = layout.frame(self.engine, self.location, table)
        there = column_names(table) if table in self._checked else frame.columns
        frame = frame.selectExpr(*(_selected(column, there) for column in columns(table)))
        return frame if scope is None else frame.where(scope_condition(scope))

    # --- writing

    def bootstrap(self, tables: Sequence[str] = tuple(TABLES)) -> list[str]:
        """Create what is missing and bring older tables up to the schema; the names of the tables it had to touch."""
        return [name for name in tables if self._ready(name)]

    def documents(self, table: str, scope: Scope, where: Mapping[str, str] | None = None) -> dict[str, int]:
        """How many rows each document has in a local table; with *where*, rows that have these values."""
        return read.documents(self.location, table, scope, where)

    def merge(
        self,
        table: str,
        scope: Scope,
        rows: Any,
        *,
        kept: Collection[str] = (),
        among: Collection[str] | None = None,
        allow_empty: bool = False,
    ) -> Merged:
        """Make *rows* the whole state of *scope*; nothing outside it is touched. Commits nothing where nothing changed.

        *rows* is a ``pyarrow.Table`` with all columns, or a sequence of rows without the scope columns. The rows of
        documents in *kept* stay as they are. With *among*, for a local table, *rows* is the new state of these documents
        only: those that changed are replaced in one commit without an engine, and the scope's count is not checked.
        Raises ``EmptySnapshot``, ``CommitConflict``, ``SchemaDrift``.
        """
        described, scope = table_named(table), checked_scope(scope)
        snapshot = rows if hasattr(rows, "schema") else to_arrow(table, scope, rows)
        self._ready(table)
        before = self.version(table)
        compared = [*described.key, "content_hash"] + ([] if "document_id" in described.key else ["document_id"])
        existing = self.read(table, scope, compared) if among is None else self._existing(table, scope, compared, among)
        change = diff.changes(existing, snapshot, described.key, kept)
        _refuse_empty(table, scope, change.deleted, change.total, allow_empty)
        if not change.empty:
            if among is None:
                self._retried(table, lambda: self._commit(described, scope, change))
                self.check_count(table, scope, change.total)
            else:
                changed = diff.changed_documents(existing, snapshot, described.key)
                rows = read.of_documents(snapshot, changed)
                self._retried(table, lambda: layout.replace_documents(self.location, table, scope, changed, rows))
        after = self.version(table) if not change.empty else before
        return Merged(table, change.inserted, change.updated, change.deleted, change.unchanged, before, after)

    def _existing(self, table: str, scope: Scope, columns: Sequence[str], documents: Collection[str]) -> Any:
        return read.read(self.location, table, scope, columns, documents)

    def merge_frame(self, table: str, scope: Scope, frame: Any, *, kept: Any = None, allow_empty: bool = False) -> Merged:
        """``merge`` for a DataFrame with all columns of the table, of any size: nothing but counts comes to the driver.

        *kept* is a DataFrame of ``document_id``. *frame* is read more than once: it must come from a table.
        """
        described, scope = table_named(table), checked_scope(scope)
        self._ready(table)
        before = self.version(table)
        operations = diff.operations(self.frame(table, scope), frame, described.key, kept)
        counts = self._retried(table, lambda: diff.counted(operations, table))
        inserted, updated, deleted, same = (counts[each] for each in (diff.INSERT, diff.UPDATE, diff.DELETE, diff.SAME))
        total = inserted + updated + same
        _refuse_empty(table, scope, deleted, total, allow_empty)
        changed = inserted + updated + deleted > 0
        if changed:
            first = self.local and inserted == total and not deleted
            self._retried(table, lambda: self._commit_frame(described, scope, frame, None if first else operations))
            self.check_count(table, scope, total)
        return Merged(table, inserted, updated, deleted, same, before, self.version(table) if changed else before)

    def update(self, table: str, scope: Scope, rows: Sequence[Sequence[Any]]) -> None:
        """Put *rows* in the place of those with the same keys, in one commit; nothing is deleted, and no rows are no commit."""
        if not rows:
            return
        described, scope = table_named(table), checked_scope(scope)
        snapshot = to_arrow(table, scope, rows)
        none = snapshot.slice(0, 0).select(list(described.key))
        self._ready(table)
        self._retried(table, lambda: self._commit(described, scope, diff.Changes(snapshot, none, 0, len(rows), 0, 0)))

    def extend(self, table: str, parts: Callable[[], Iterator[Any]]) -> int:
        """Append Arrow tables with all columns to a local table, in one commit and without an engine; the number of rows.

        Nothing is compared: the rows' documents have none there yet. Keys must be unique within a part. *parts* makes them
        anew for each attempt, and must not itself read Delta tables or use the engine.
        """
        self._ready(table)
        return self._retried(table, lambda: layout.extend_folder(self.location, table, parts()))

    def append(self, table: str, scope: Scope, rows: Sequence[Sequence[Any]]) -> None:
        """Add rows to a log."""
        if not rows:
            return
        self._ready(table)
        arrow = to_arrow(table, checked_scope(scope), rows)
        if self.local:  # no engine for that: starting one to note one question would take a second
            self._retried(table, lambda: layout.append_to_folder(self.location, table, arrow))
        else:
            self._retried(table, lambda: layout.append(self.engine, self.location, table, arrow))

    def _ready(self, table: str) -> bool:
        if table in self._checked:
            return False
        touched = self._retried(table, lambda: layout.ensure(self.local, lambda: self.engine, self.location, table))
        self._checked.add(table)
        return touched

    def _commit(self, table: Table, scope: Scope, change: diff.Changes) -> None:
        """One commit that ships only what changed."""
        if self.local and not change.updated and not change.deleted:
            layout.append(self.engine, self.location, table.name, change.upserts)  # under the scope's lock nobody else inserts
        else:
            self._merge_into(table, scope, self.engine.spark.createDataFrame(staged(table, scope, change)))

    def _commit_frame(self, table: Table, scope: Scope, frame: Any, operations: Any) -> None:
        if operations is None:
            layout.append_frame(self.local, self.location, table.name, frame.select(*column_names(table.name)))
        else:
            self._merge_into(table, scope, diff.changed_rows(frame, operations, table, scope))

    def _merge_into(self, table: Table, scope: Scope, source: Any) -> None:
        """One MERGE: the scope stands in the join and in the delete clause."""
        view = f"changes_{uuid.uuid4().hex}"  # a name of its own: views are resolved when the statement runs
        source.createOrReplaceTempView(view)
        spark = self.engine.spark
        try:
            spark.sql(merge_statement(table, scope, layout.reference(self.local, self.location, table.name), view)).collect()
        finally:
            spark.catalog.dropTempView(view)

    def check_count(self, table: str, scope: Scope, expected: int) -> None:
        """``CountMismatch`` where the scope has another number of rows."""
        found = read.count(self.location, table, scope) if self.local else self.frame(table, scope).count()
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
                if ours is None or (type(ours) is TableError and self.engine.name == "databricks"):
                    raise  # a workspace's refusals are told by whoever knows its codes and request ids
                if not isinstance(ours, CommitConflict) or attempt == ATTEMPTS - 1:
                    raise ours from error
            time.sleep(FIRST_WAIT_SECONDS * 2**attempt * (1 + random.random()))  # noqa: S311 - jitter
        raise AssertionError("unreachable")


def _selected(column: Column, there: Collection[str]) -> str:
    return f"`{column.name}`" if column.name in there else f"CAST(NULL AS {sql_type(column.annotation)}) AS `{column.name}`"


def _refuse_empty(table: str, scope: Scope, deleted: int, total: int, allow_empty: bool) -> None:
    if deleted and not total and not allow_empty:
        raise EmptySnapshot(
            f"an empty snapshot would delete all {deleted} rows of {'/'.join(scope)}",
            where=table,
            next="pass allow_empty (--allow-empty) if that is meant",
        )
