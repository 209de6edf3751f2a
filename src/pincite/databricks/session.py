"""The table store over a Unity Catalog schema, its versions and counts. The session is the platform's."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from pincite.databricks.errors import platform
from pincite.databricks.search import Counted
from pincite.errors import IndexFault
from pincite.model import DocumentRow, Scope
from pincite.tables.engine import databricks
from pincite.tables.schema import TABLES, sql_string
from pincite.tables.store import SparkTableStore

MAINTENANCE = ("OPTIMIZE", "VACUUM START", "VACUUM END", "SET TBLPROPERTIES", "ADD CONSTRAINT", "CLUSTER BY", "ANALYZE")
"""Operations of a table's history that change no row: predictive optimization commits some of them by itself."""


def open_store(catalog: str, schema: str) -> SparkTableStore:
    """The tables of one schema."""
    return SparkTableStore(f"{catalog}.{schema}", databricks, local=False)


def qualified(store: SparkTableStore, table: str) -> str:
    """``catalog.schema.table``."""
    return f"{store.location}.{table}"


def pending(store: SparkTableStore) -> tuple[list[str], dict[str, list[str]]]:
    """What ``bootstrap`` would do: tables to create, and the columns to add to each older one. Changes nothing.

    ``SchemaDrift`` where a table cannot be brought up to date; no other has been touched then.
    """
    from pincite.tables.layout import lacking

    missing: list[str] = []
    older: dict[str, list[str]] = {}
    with platform(store.location):
        for name in TABLES:
            columns = lacking(store.engine, store.location, name)
            if columns is None:
                missing.append(name)
            elif columns:
                older[name] = columns
    return missing, older


_DECIDES = [each for each in DocumentRow._fields if each not in ("findings", "links")]  # what can be long takes no part


def known_documents(store: SparkTableStore, scope: Scope) -> list[DocumentRow]:
    """The rows of ``documents`` of one scope, without their findings and links; none where there is no table yet."""
    if store.version("documents") < 0:
        return []
    rows = zip(*(column.to_pylist() for column in store.read("documents", scope, _DECIDES).columns))
    return [DocumentRow(**dict(zip(_DECIDES, row)), findings=(), links=()) for row in rows]


def data_version(store: SparkTableStore, table: str) -> int:
    """The last version that changed a row; -1 where there is no table. Maintenance commits are looked through."""
    name = qualified(store, table)
    with platform(name):
        if not store.engine.spark.catalog.tableExists(name):
            return -1
        history = store.engine.spark.sql(f"DESCRIBE HISTORY {name}").select("version", "operation").collect()
    changing = [int(row["version"]) for row in history if str(row["operation"]).upper() not in MAINTENANCE]
    return max(changing, default=0)


def counted(store: SparkTableStore, scope: Scope) -> Counted:
    """All rows of ``chunks``, and the scope's indexable ones, counted by the engine."""
    mine = f"project = {sql_string(scope.project)} AND collection = {sql_string(scope.collection)} AND indexable"
    with platform(qualified(store, "chunks")):
        row = store.engine.spark.sql(
            f"SELECT count(*) AS total, count_if({mine}) AS mine FROM {qualified(store, 'chunks')}"
        ).collect()[0]
    return Counted(int(row["total"]), int(row["mine"]))


def refuse_repeated_keys(store: SparkTableStore) -> None:
    """The index has one key, ``chunk_id``; two scopes that hold the same passage would overwrite each other in it."""
    with platform(qualified(store, "chunks")):
        rows: list[Any] = store.engine.spark.sql(
            f"SELECT chunk_id, min(concat(project, '/', collection)) AS one, max(concat(project, '/', collection)) AS other "
            f"FROM {qualified(store, 'chunks')} GROUP BY chunk_id HAVING count(*) > 1 LIMIT 1"
        ).collect()
    if rows:
        raise IndexFault(
            f"the scopes {rows[0]['one']} and {rows[0]['other']} hold the same passage {rows[0]['chunk_id'][:12]}",
            where=qualified(store, "chunks"),
            next="give each corpus its own document ids, or its own schema",
        )


def now() -> str:
    """UTC, ISO 8601."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
