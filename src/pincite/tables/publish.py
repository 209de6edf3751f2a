"""The stage into the tables: merge by merge, edges resolved over the whole corpus, ``documents`` last."""

from __future__ import annotations

from typing import Any, NamedTuple

from pincite.errors import TableError
from pincite.model import IngestRow, Scope
from pincite.tables import layout
from pincite.tables.author import FAIL, rows_of_stage
from pincite.tables.plan import SKIP
from pincite.tables.resolution import resolved
from pincite.tables.schema import SNAPSHOTS, sql_string
from pincite.tables.statement import Merged
from pincite.tables.store import SparkTableStore


class Published(NamedTuple):
    """What ``publish`` did. *failed* are (document_id, reason) of documents that kept the rows they had."""

    tables: dict[str, Merged]
    failed: tuple[tuple[str, str], ...]


def publish(store: SparkTableStore, scope: Scope, run_id: str, logged_at: str, *, allow_empty: bool = False) -> Published:
    """Merge the stage of *scope* into the tables and log every decision; the stage is removed when all is done.

    Documents that were skipped or failed keep their rows. May be repeated after a kill at any point: it ends in the same
    tables.
    """
    stage = layout.stage(store.engine, store.location, scope)
    if stage is None:
        raise TableError("there is no stage to merge", where="/".join(scope), next="run the author task first")
    kept = stage.where(f"action IN ('{SKIP}', '{FAIL}')").select("document_id")
    reports = {}
    for name in SNAPSHOTS[:-1]:
        rows = _edges(store, scope, stage, kept) if name == "relation_edges" else rows_of_stage(stage, scope, name)
        untouched = None if name == "relation_edges" else kept
        reports[name] = store.merge_frame(
            name, scope, rows, kept=untouched, allow_empty=allow_empty or name == "relation_edges"
        )
    documents = _documents(store, scope, stage)
    _log(store, scope, stage, run_id, logged_at)
    untouched = kept.join(documents.select("document_id"), "document_id", "left_anti")
    reports["documents"] = store.merge_frame("documents", scope, documents, kept=untouched, allow_empty=allow_empty)
    failed = stage.where(f"action = '{FAIL}'").select("document_id", "reason").toArrow()
    layout.drop_stage(store.engine, store.location, scope)
    return Published(reports, tuple(zip(*(failed.column(name).to_pylist() for name in ("document_id", "reason")))))


def _edges(store: SparkTableStore, scope: Scope, stage: Any, kept: Any) -> Any:
    """The whole scope's edges, decided against the nodes as they now are: a new part settles what waited for it."""
    store.bootstrap(["relation_edges"])
    older = store.frame("relation_edges", scope).join(kept, "document_id", "left_semi")
    fresh = rows_of_stage(stage, scope, "relation_edges")
    edges = older.select(*fresh.columns).unionByName(fresh)
    decided = resolved(edges, store.frame("nodes", scope), scope)
    layout.replace_stage(store.engine, store.location, scope, decided, "edges")
    return layout.stage(store.engine, store.location, scope, "edges")


def _documents(store: SparkTableStore, scope: Scope, stage: Any) -> Any:
    """Staged rows of ``documents``; a failed document's only where the table has none, which would be of an earlier version."""
    store.bootstrap(["documents"])
    rows = rows_of_stage(stage, scope, "documents")
    known = store.frame("documents", scope).where("status = 'parsed'").select("document_id")
    failed = rows.where("status = 'failed'").join(known, "document_id", "left_anti").select(*rows.columns)
    return rows.where("status <> 'failed'").unionByName(failed)


def _log(store: SparkTableStore, scope: Scope, stage: Any, run_id: str, logged_at: str) -> None:
    """One row of ``ingest_log`` a document, unless this run has logged already."""
    store.bootstrap(["ingest_log"])
    if store.frame("ingest_log", scope).where(f"run_id = {sql_string(run_id)}").limit(1).count():
        return
    counts = {"nodes": "nodes", "blocks": "partition", "passages": "chunks", "edges": "relation_edges"}
    fixed = {"project": sql_string(scope.project), "collection": sql_string(scope.collection)}
    fixed |= {"run_id": sql_string(run_id), "logged_at": sql_string(logged_at)}
    columns = {**fixed, **{name: f"`{name}`" for name in IngestRow._fields if name not in fixed}}
    columns |= {name: f"CAST(size(`{table}`) AS BIGINT)" for name, table in counts.items()}
    columns["findings"] = "CAST(coalesce(size(get(documents, 0).findings), 0) AS BIGINT)"
    rows = stage.selectExpr(*(f"{expression} AS `{name}`" for name, expression in columns.items()))
    layout.append_frame(store.local, store.location, "ingest_log", rows)
