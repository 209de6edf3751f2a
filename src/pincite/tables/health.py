"""What a run left of a scope, counted by the engine: the tables hold what is, ``health_log`` what was after each run."""

from __future__ import annotations

from functools import reduce

from pincite.model import HealthRow, Scope
from pincite.tables.schema import sql_string
from pincite.tables.store import SparkTableStore

MEASURES = {
    "documents": ("documents", "status"),
    "passages": ("chunks", "CASE WHEN indexable THEN 'indexed' ELSE exclusion_reason END"),
    "references": ("relation_edges", "status"),
}
"""Measure → table, and the kind of each of its rows."""


def log(store: SparkTableStore, scope: Scope, run_id: str, logged_at: str) -> None:
    """Write the counts of *scope* as the tables are now, unless this run has written them already."""
    if store.frame("health_log", scope).where(f"run_id = {sql_string(run_id)}").limit(1).count():
        return
    versions = (
        store.frame("documents", scope).select("corpus_version").distinct().limit(2).toArrow()["corpus_version"].to_pylist()
    )
    edition, chunks = versions[0] if len(versions) == 1 else "", store.version("chunks")
    counted = sorted(counts(store, scope).items())
    rows = [HealthRow(run_id, logged_at, edition, *key, count, chunks) for key, count in counted]
    store.append("health_log", scope, rows)


def counts(store: SparkTableStore, scope: Scope) -> dict[tuple[str, str], int]:
    """(measure, kind) → how many."""
    kinds = [
        store.frame(table, scope).selectExpr(f"{sql_string(measure)} AS measure", f"{kind} AS kind")
        for measure, (table, kind) in MEASURES.items()
    ]
    found = store.frame("documents", scope).selectExpr("explode(findings) AS finding")
    kinds.append(found.selectExpr("'uncertain' AS measure", "finding.kind AS kind"))
    several = store.frame("nodes", scope).where("size(readings) > 1")
    kinds.append(several.selectExpr("'uncertain' AS measure", "'more_than_one_reading' AS kind"))
    table = reduce(lambda one, other: one.unionByName(other), kinds).groupBy("measure", "kind").count().toArrow()
    return {(row["measure"], row["kind"]): row["count"] for row in table.to_pylist()}
