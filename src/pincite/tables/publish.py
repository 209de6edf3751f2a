"""The stage into the tables: merge by merge, edges resolved over the whole corpus, ``documents`` last.

A stage is a table (:class:`Stage`), or files where the engine lives in this process (:class:`pincite.tables.spool.Spool`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

from pincite.errors import EmptySnapshot, TableError
from pincite.model import DocumentRow, IngestRow, Scope
from pincite.tables import health, layout
from pincite.tables.plan import FAIL, PARSE, SKIP, Plan
from pincite.tables.resolution import resolved
from pincite.tables.schema import SNAPSHOTS, sql_string
from pincite.tables.spool import Spool
from pincite.tables.stage import rows_of_stage
from pincite.tables.statement import Merged, scope_condition
from pincite.tables.store import SparkTableStore
from pincite.tables.unfinished import noted


class Published(NamedTuple):
    """What ``publish`` did. *failed* are (document_id, reason) of documents that kept the rows they had."""

    tables: dict[str, Merged]
    failed: tuple[tuple[str, str], ...]


def publish(store: SparkTableStore, scope: Scope, run_id: str, logged_at: str, *, allow_empty: bool = False) -> Published:
    """Merge the stage of *scope* into the tables and log every decision; the stage is removed when all is done.

    Documents that were skipped or failed keep their rows. May be repeated after a kill at any point: it ends in the same
    tables. Raises ``TableError`` where the stage is missing or unfinished, and what ``merge`` raises.
    """
    stage = opened(store, scope, allow_empty)
    store.bootstrap([*SNAPSHOTS, "ingest_log", "health_log"])
    stage.refuse_empty(allow_empty)
    with noted(store.location, scope, _touched(stage)) if store.local else nullcontext():
        reports = {}
        for name in SNAPSHOTS:
            if name == SNAPSHOTS[-1]:
                stage.log(run_id, logged_at)
            reports[name] = stage.merge(name)
        health.log(store, scope, run_id, logged_at)
        failed = stage.failed
        stage.drop()
    return Published(reports, failed)


def _touched(stage: Stage | Spool) -> set[str]:
    """The documents that the stage writes or removes."""
    return {name for name, action, *_ in stage.decided() if action != SKIP}


def opened(store: SparkTableStore, scope: Scope, allow_empty: bool = False) -> Stage | Spool:
    """The finished stage of a scope; ``TableError`` where it is missing or unfinished."""
    return Spool(store, scope) if store.engine.one_process else Stage(store, scope, allow_empty)


def is_published(store: SparkTableStore, scope: Scope, run_id: str) -> bool:
    """Whether this run has published *scope* to the end: it is logged, and its stage is gone."""
    if layout.has_stage(store.engine, store.location, scope) or store.version("ingest_log") < 0:
        return False
    return bool(store.frame("ingest_log", scope).where(f"run_id = {sql_string(run_id)}").limit(1).count())


def check_stage(
    store: SparkTableStore,
    scope: Scope,
    planned: Plan,
    known: Sequence[DocumentRow],
    *,
    beside: Sequence[Scope] = (),
    allow_empty: bool = False,
) -> None:
    """Whatever would make ``publish`` refuse the stage, before anything is written. *beside* are other scopes staged now.

    Raises ``TableError`` where it is missing, unfinished, of another plan, or has a passage that another scope has, and
    ``EmptySnapshot`` where it would leave a table of the scope empty.
    """
    stage = opened(store, scope)
    where = "/".join(scope)
    rows = stage.decided()
    decided = {(a.document_id, a.action, a.source.source_sha256 if a.source else "") for a in planned.actions}
    if {(name, PARSE if action == FAIL else action, sha256) for name, action, sha256, *_ in rows} != decided:
        raise TableError(
            "the stage is of another plan than the manifest's", where=where, next="run the author task again, then merge"
        )
    _refuse_shared(stage, beside)
    if not allow_empty:
        kept = frozenset(name for name, action, *_ in rows if action in (SKIP, FAIL))
        _refuse_emptied(where, [row[3:] for row in rows if row[1] == PARSE], known, kept)


def _refuse_shared(stage: Stage | Spool, beside: Sequence[Scope]) -> None:
    """``TableError`` where another scope holds a staged passage, or stages it too: both would be one row of the index."""
    store = stage.store
    fresh = stage.passage_ids()
    others = [opened(store, scope).passage_ids() for scope in beside]
    if store.version("chunks") >= 0:
        elsewhere = store.frame("chunks").where(f"NOT ({scope_condition(stage.scope)})")
        others.append(elsewhere.select("project", "collection", "document_id", "chunk_id"))
    for other in others:
        for row in other.join(fresh.select("chunk_id"), "chunk_id", "left_semi").limit(1).toArrow().to_pylist():
            raise TableError(
                f"the scope {row['project']}/{row['collection']} has the same passage {row['chunk_id'][:12]}, of "
                f"{row['document_id']!r}",
                where="/".join(stage.scope),
                next="give each corpus its own document ids; if the scope was renamed, remove the old one first "
                "(docs/runbook.md, Remove a corpus)",
            )


def _refuse_emptied(where: str, made: Sequence[Sequence[int]], known: Sequence[DocumentRow], kept: Collection[str]) -> None:
    """``EmptySnapshot`` where a table has rows of the scope and would have none. *made*: nodes, blocks, passages a document."""
    names = {"nodes": "nodes", "partition": "blocks", "chunks": "passages"}
    for at, (table, field) in enumerate(names.items()):
        before = sum(int(getattr(row, field)) for row in known)
        after = sum(row[at] for row in made) + sum(int(getattr(row, field)) for row in known if row.document_id in kept)
        if before and not after:
            raise EmptySnapshot(
                f"all {before} rows of {table} would be deleted, and nothing written in their place",
                where=where,
                next="see why in the author task's report; pass allow_empty if that is meant",
            )


class Stage:
    """A finished stage that is a table: what it holds never comes to the driver."""

    def __init__(self, store: SparkTableStore, scope: Scope, allow_empty: bool) -> None:
        self.store, self.scope, self.allow_empty = store, scope, allow_empty
        rows = layout.stage(store.engine, store.location, scope)
        where = "/".join(scope)
        if rows is None:
            raise TableError("there is no stage to merge", where=where, next="run the author task first")
        by_count = rows.groupBy("planned").count().toArrow().to_pylist()
        if sum(row["count"] for row in by_count) != max((row["planned"] for row in by_count), default=-1):
            raise TableError("the stage is unfinished", where=where, next="run the author task again")
        self.rows = rows

    @property
    def failed(self) -> tuple[tuple[str, str], ...]:
        """(document_id, reason) of those that could not be read."""
        found = self.rows.where(f"action = '{FAIL}'").select("document_id", "reason").toArrow()
        return tuple(zip(*(found.column(name).to_pylist() for name in ("document_id", "reason"))))

    def decided(self) -> list[tuple[Any, ...]]:
        """For each document: its id, action, SHA-256, and how many nodes, blocks and passages were made."""
        rows = self.rows.select(
            "document_id", "action", "source_sha256", "nodes_made", "blocks_made", "passages_made"
        ).toArrow()
        return list(zip(*(column.to_pylist() for column in rows.columns)))

    def passage_ids(self) -> Any:
        """A DataFrame of the staged passages: scope, document_id, chunk_id."""
        return rows_of_stage(self.rows, self.scope, "chunks").select("project", "collection", "document_id", "chunk_id")

    def refuse_empty(self, allow_empty: bool) -> None:
        """Each merge refuses for itself."""

    def merge(self, name: str) -> Merged:
        """Bring one table to its new state."""
        makers = {"relation_edges": self._edges, "documents": self._documents}
        rows, kept = makers.get(name, self._plain)(name)
        allow_empty = self.allow_empty or name == "relation_edges"  # a corpus without references is no accident
        return self.store.merge_frame(name, self.scope, rows, kept=kept, allow_empty=allow_empty)

    def _plain(self, name: str) -> tuple[Any, Any]:
        """What was staged; skipped and failed documents keep their rows."""
        return rows_of_stage(self.rows, self.scope, name), _kept(self.rows)

    def _edges(self, name: str) -> tuple[Any, Any]:
        """All edges, kept documents' too, decided against the nodes as they are: a new part settles what waited for it."""
        store, scope = self.store, self.scope
        older = store.frame(name, scope).join(_kept(self.rows), "document_id", "left_semi")
        fresh = rows_of_stage(self.rows, scope, name)
        decided = resolved(older.select(*fresh.columns).unionByName(fresh), store.frame("nodes", scope), scope)
        layout.write_stage(store.engine, store.location, scope, decided, "edges")
        return layout.stage(store.engine, store.location, scope, "edges"), None

    def _documents(self, name: str) -> tuple[Any, Any]:
        """Staged rows; a failed document's only where no earlier version of it is there, whose row would stay."""
        rows = rows_of_stage(self.rows, self.scope, name)
        known = self.store.frame(name, self.scope).where("status = 'parsed'").select("document_id")
        failed = rows.where("status = 'failed'").join(known, "document_id", "left_anti").select(*rows.columns)
        written = rows.where("status <> 'failed'").unionByName(failed)
        return written, _kept(self.rows).join(written.select("document_id"), "document_id", "left_anti")

    def log(self, run_id: str, logged_at: str) -> None:
        """One row of ``ingest_log`` a document, unless this run has logged already."""
        store, scope = self.store, self.scope
        if store.frame("ingest_log", scope).where(f"run_id = {sql_string(run_id)}").limit(1).count():
            return
        counted = ("nodes", "blocks", "passages", "edges", "findings")
        given = {"project": scope.project, "collection": scope.collection, "run_id": run_id, "logged_at": logged_at}
        columns = {name: sql_string(value) for name, value in given.items()}
        columns |= {
            name: f"`{name}_made`" if name in counted else f"`{name}`" for name in IngestRow._fields if name not in given
        }
        rows = self.rows.selectExpr(*(f"{expression} AS `{name}`" for name, expression in columns.items()))
        layout.append_frame(store.local, store.location, "ingest_log", rows)

    def drop(self) -> None:
        """Remove it."""
        layout.drop_stage(self.store.engine, self.store.location, self.scope)


def _kept(rows: Any) -> Any:
    return rows.where(f"action IN ('{SKIP}', '{FAIL}')").select("document_id")
