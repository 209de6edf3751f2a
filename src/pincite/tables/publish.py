"""The stage into the tables: merge by merge, edges resolved over the whole corpus, ``documents`` last.

An engine within this process is given a large stage in slices of documents, so that its memory does not grow with the
corpus. Each slice is a merge of its own among the rows of its own documents; a small corpus has one slice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from pincite.errors import EmptySnapshot, TableError
from pincite.model import DocumentRow, IngestRow, Scope
from pincite.tables import layout
from pincite.tables.author import rows_of_stage
from pincite.tables.plan import FAIL, PARSE, REMOVE, SKIP, Plan
from pincite.tables.resolution import resolved
from pincite.tables.schema import SNAPSHOTS, sql_string
from pincite.tables.statement import Merged, scope_condition
from pincite.tables.store import SparkTableStore


class Published(NamedTuple):
    """What ``publish`` did. *failed* are (document_id, reason) of documents that kept the rows they had."""

    tables: dict[str, Merged]
    failed: tuple[tuple[str, str], ...]


class Stage(NamedTuple):
    """A stage and its slices."""

    store: SparkTableStore
    scope: Scope
    rows: Any  # DataFrame, one row a document
    slices: int

    def slice(self, number: int) -> Any:
        """The documents of one slice; all of them where there is only one."""
        return self.rows if self.slices == 1 else self.rows.where(f"slice = {number}")


def publish(store: SparkTableStore, scope: Scope, run_id: str, logged_at: str, *, allow_empty: bool = False) -> Published:
    """Merge the stage of *scope* into the tables and log every decision; the stage is removed when all is done.

    Documents that were skipped or failed keep their rows. May be repeated after a kill at any point: it ends in the same
    tables. Raises ``TableError`` where the stage is missing or unfinished, and what ``merge`` raises.
    """
    stage = _stage(store, scope, allow_empty)
    store.bootstrap([*SNAPSHOTS, "ingest_log"])
    makers = {"relation_edges": _edges, "documents": _documents}
    reports = {}
    for name in SNAPSHOTS:
        if name == SNAPSHOTS[-1]:
            _log(stage, run_id, logged_at)
        reports[name] = _merge(stage, name, makers.get(name, _plain), allow_empty)
    failed = stage.rows.where(f"action = '{FAIL}'").select("document_id", "reason").toArrow()
    layout.drop_stage(store.engine, store.location, scope)
    return Published(reports, tuple(zip(*(failed.column(name).to_pylist() for name in ("document_id", "reason")))))


def is_published(store: SparkTableStore, scope: Scope, run_id: str) -> bool:
    """Whether this run has published *scope* to the end: it is logged, and its stage is gone."""
    if layout.stage(store.engine, store.location, scope) is not None or store.version("ingest_log") < 0:
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
    stage = _stage(store, scope, allow_empty)
    where = "/".join(scope)
    counted = ("nodes_made", "blocks_made", "passages_made")
    columns = ["document_id", "action", "source_sha256", *counted]
    rows = list(zip(*(column.to_pylist() for column in stage.rows.select(*columns).toArrow().columns)))
    decided = {(a.document_id, a.action, a.source.source_sha256 if a.source else "") for a in planned.actions}
    if {(name, PARSE if action == FAIL else action, sha256) for name, action, sha256, *_ in rows} != decided:
        raise TableError(
            "the stage is of another plan than the manifest's", where=where, next="run the author task again, then merge"
        )
    _refuse_shared(stage, beside)
    if not allow_empty:
        kept = frozenset(name for name, action, *_ in rows if action in (SKIP, FAIL))
        _refuse_emptied(where, [row[3:] for row in rows if row[1] == PARSE], known, kept)


def _refuse_shared(stage: Stage, beside: Sequence[Scope]) -> None:
    """``TableError`` where another scope holds a staged passage, or stages it too: both would be one row of the index."""
    store = stage.store
    fresh = _passage_ids(stage)
    others = [_passage_ids(_stage(store, scope, True)) for scope in beside]
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


def _passage_ids(stage: Stage) -> Any:
    return rows_of_stage(stage.rows, stage.scope, "chunks").select("project", "collection", "document_id", "chunk_id")


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


def _stage(store: SparkTableStore, scope: Scope, allow_empty: bool) -> Stage:
    """The finished stage of a scope."""
    rows = layout.stage(store.engine, store.location, scope)
    where = "/".join(scope)
    if rows is None:
        raise TableError("there is no stage to merge", where=where, next="run the author task first")
    by_kind = rows.groupBy("slice", "planned", "action").count().toArrow().to_pylist()
    if sum(row["count"] for row in by_kind) != max((row["planned"] for row in by_kind), default=-1):
        raise TableError("the stage is unfinished", where=where, next="run the author task again")
    slices = len({row["slice"] for row in by_kind})
    if slices > 1 and not allow_empty and all(row["action"] == REMOVE for row in by_kind):
        raise EmptySnapshot("every document is gone from the manifest", where=where, next="pass allow_empty if that is meant")
    return Stage(store, scope, rows, slices)


Maker = Callable[[Stage, str, int], tuple[Any, Any]]


def _merge(stage: Stage, name: str, make: Maker, allow_empty: bool) -> Merged:
    """Merge one table, slice by slice. *make* gives a slice's rows and the documents whose rows stay."""
    store, scope = stage.store, stage.scope
    if stage.slices == 1:
        rows, kept = make(stage, name, 0)
        return store.merge_frame(name, scope, rows, kept=kept, allow_empty=allow_empty or name == "relation_edges")
    before = store.version(name)
    reports: list[tuple[Any, ...]] = []
    for number in range(stage.slices):
        rows, kept = make(stage, name, number)
        reports.append(store.merge_frame(name, scope, rows, kept=kept, among=_among(stage, name, number), allow_empty=True))
    inserted, updated, deleted, same = (sum(report[i] for report in reports) for i in range(1, 5))
    store.check_count(name, scope, inserted + updated + same)
    return Merged(name, inserted, updated, deleted, same, before, store.version(name))


def _among(stage: Stage, name: str, number: int) -> Any:
    """The table's rows of a slice's documents; with the first slice also those of documents nobody planned."""
    rows = stage.store.frame(name, stage.scope)
    if number:
        return rows.join(stage.slice(number).select("document_id"), "document_id", "left_semi")
    return rows.join(stage.rows.where("slice > 0").select("document_id"), "document_id", "left_anti")


def _kept(rows: Any) -> Any:
    return rows.where(f"action IN ('{SKIP}', '{FAIL}')").select("document_id")


def _plain(stage: Stage, name: str, number: int) -> tuple[Any, Any]:
    """What was staged; skipped and failed documents keep their rows."""
    rows = stage.slice(number)
    return rows_of_stage(rows, stage.scope, name), _kept(rows)


def _edges(stage: Stage, name: str, number: int) -> tuple[Any, Any]:
    """A slice's edges, kept documents' too, decided against the nodes as they are: a new part settles what waited for it."""
    store, scope, rows = stage.store, stage.scope, stage.slice(number)
    older = store.frame(name, scope).join(_kept(rows), "document_id", "left_semi")
    fresh = rows_of_stage(rows, scope, name)
    decided = resolved(older.select(*fresh.columns).unionByName(fresh), store.frame("nodes", scope), scope)
    layout.write_stage(store.engine, store.location, scope, decided, "edges")
    return layout.stage(store.engine, store.location, scope, "edges"), None


def _documents(stage: Stage, name: str, number: int) -> tuple[Any, Any]:
    """Staged rows; a failed document's only where no earlier version of it is there, whose row would stay."""
    staged = stage.slice(number)
    rows = rows_of_stage(staged, stage.scope, name)
    known = stage.store.frame(name, stage.scope).where("status = 'parsed'").select("document_id")
    failed = rows.where("status = 'failed'").join(known, "document_id", "left_anti").select(*rows.columns)
    written = rows.where("status <> 'failed'").unionByName(failed)
    return written, _kept(staged).join(written.select("document_id"), "document_id", "left_anti")


def _log(stage: Stage, run_id: str, logged_at: str) -> None:
    """One row of ``ingest_log`` a document, unless this run has logged already."""
    store, scope = stage.store, stage.scope
    if store.frame("ingest_log", scope).where(f"run_id = {sql_string(run_id)}").limit(1).count():
        return
    counted = ("nodes", "blocks", "passages", "edges", "findings")
    given = {"project": scope.project, "collection": scope.collection, "run_id": run_id, "logged_at": logged_at}
    columns = {name: sql_string(value) for name, value in given.items()}
    columns |= {name: f"`{name}_made`" if name in counted else f"`{name}`" for name in IngestRow._fields if name not in given}
    rows = stage.rows.selectExpr(*(f"{expression} AS `{name}`" for name, expression in columns.items()))
    layout.append_frame(store.local, store.location, "ingest_log", rows)
