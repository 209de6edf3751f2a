"""Where a table is and how it is made: a folder beside its fellows, or a table of a Unity Catalog schema."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from pincite.errors import SchemaDrift, TableError
from pincite.model import Scope, digest
from pincite.scope import checked_scope
from pincite.tables.engine import Engine
from pincite.tables.read import open_table
from pincite.tables.schema import SCOPE_COLUMNS, arrow_schema, ddl_columns, sql_string, table_named


def reference(local: bool, location: str, table: str) -> str:
    """How SQL names the table."""
    if local:
        return f"delta.`{path_of(location, table)}`"
    return ".".join(f"`{part}`" for part in (*location.split("."), table))


def path_of(location: str, table: str) -> str:
    """The absolute folder of a local table."""
    return str(Path(location).resolve() / table)


def frame(engine: Engine, location: str, table: str) -> Any:
    """The whole table as a DataFrame."""
    if engine.local:
        return engine.spark.read.format("delta").load(path_of(location, table))
    return engine.spark.table(reference(False, location, table))


def append(engine: Engine, location: str, table: str, arrow: Any) -> None:
    """Add rows in one commit."""
    append_frame(engine.local, location, table, engine.spark.createDataFrame(arrow.cast(plain(arrow.schema))))


def append_frame(local: bool, location: str, table: str, frame: Any) -> None:
    """Add a DataFrame's rows in one commit."""
    writer = frame.write.format("delta").mode("append")
    if local:
        writer.partitionBy(*SCOPE_COLUMNS).save(path_of(location, table))
    else:
        writer.saveAsTable(reference(False, location, table))


ROW_GROUP = 32_768
"""Rows a writer gathers before it writes them: it holds them in memory, and its own limit is thirty times as many."""


def _writing() -> Any:
    from deltalake import WriterProperties

    return WriterProperties(max_row_group_size=ROW_GROUP)


def append_to_folder(location: str, table: str, arrow: Any) -> None:
    """Add rows to a local table in one commit, without an engine."""
    from deltalake import write_deltalake

    write_deltalake(path_of(location, table), arrow, mode="append")


def extend_folder(location: str, table: str, parts: Iterable[Any]) -> int:
    """Add Arrow tables to a local table in one commit, one after the other; the number of rows. None is no commit."""
    import pyarrow as pa
    from deltalake import write_deltalake

    described = table_named(table)
    counted = [0]

    def batches() -> Iterator[Any]:
        for part in parts:
            keys = part.select(described.key).group_by(list(described.key)).aggregate([])
            if keys.num_rows != part.num_rows:
                raise TableError(f"a snapshot has rows whose key ({', '.join(described.key)}) is not unique", where=table)
            counted[0] += part.num_rows
            yield from part.to_batches()

    waiting = batches()
    first = next(waiting, None)
    if first is not None:
        reader = pa.RecordBatchReader.from_batches(arrow_schema(table), chain([first], waiting))
        write_deltalake(path_of(location, table), reader, mode="append", writer_properties=_writing())
    return counted[0]


def replace_documents(location: str, table: str, scope: Scope, documents: Collection[str], arrow: Any) -> None:
    """Put *arrow* in the place of all rows these documents have in a scope of a local table, in one commit.

    Only files that hold such rows are written anew, as a stream.
    """
    from deltalake import write_deltalake

    conditions = [f"{name} = {_literal(value)}" for name, value in zip(SCOPE_COLUMNS, checked_scope(scope))]
    conditions.append(f"document_id IN ({', '.join(map(_literal, sorted(documents)))})")
    inside = " AND ".join(conditions)
    write_deltalake(path_of(location, table), arrow, mode="overwrite", predicate=inside, writer_properties=_writing())


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def plain(schema: Any) -> Any:
    """The same columns without what an engine's own schema would not have."""
    import pyarrow as pa

    return pa.schema([field.with_nullable(True).remove_metadata() for field in schema])


def version(engine: Engine, location: str, table: str) -> int:
    """The current version of a catalog table; -1 where it does not exist."""
    name = reference(False, location, table)
    if not engine.spark.catalog.tableExists(name):
        return -1
    return int(engine.spark.sql(f"DESCRIBE HISTORY {name} LIMIT 1").collect()[0]["version"])


# --- the stage: what authoring leaves for merging -----------------------------------------------------------------------


def write_stage(engine: Engine, location: str, scope: Scope, frame: Any, part: str = "documents") -> None:
    """Write a stage of *scope* in the place of an earlier one."""
    writer = frame.write.format("delta").mode("overwrite").option("overwriteSchema", "true")
    if engine.local:
        writer.save(stage_path(location, scope, part))
    else:
        writer.saveAsTable(reference(False, location, _stage_name(scope, part)))


def stage(engine: Engine, location: str, scope: Scope, part: str = "documents") -> Any:
    """A stage as a DataFrame, or None where there is none."""
    if engine.local:
        path = stage_path(location, scope, part)
        return engine.spark.read.format("delta").load(path) if (Path(path) / "_delta_log").is_dir() else None
    name = reference(False, location, _stage_name(scope, part))
    return engine.spark.table(name) if engine.spark.catalog.tableExists(name) else None


def has_stage(engine: Engine, location: str, scope: Scope) -> bool:
    """Whether there is a stage of *scope*, finished or not."""
    if engine.one_process:
        return Path(stage_path(location, scope, "spool")).is_dir()
    return stage(engine, location, scope) is not None


def drop_stage(engine: Engine, location: str, scope: Scope) -> None:
    """Remove all stages of *scope*."""
    for part in ("documents", "edges"):
        if engine.local:
            shutil.rmtree(stage_path(location, scope, part), ignore_errors=True)
        else:
            engine.spark.sql(f"DROP TABLE IF EXISTS {reference(False, location, _stage_name(scope, part))}").collect()


def _stage_name(scope: Scope, part: str) -> str:
    return f"stage_{part}_{digest(*checked_scope(scope))[:32]}"


def stage_path(location: str, scope: Scope, part: str) -> str:
    """The folder of a local stage."""
    return str(Path(location).resolve() / "_stage" / _stage_name(scope, part))


# --- making ----------------------------------------------------------------------------------------------------------


def ensure(local: bool, engine: Callable[[], Engine], location: str, table: str) -> bool:
    """Create the table or add the columns it lacks; whether it did anything. ``SchemaDrift`` where that is not enough."""
    if not local:
        return ensure_in_catalog(engine(), location, table)
    existing = open_table(location, table)
    if existing is None:
        _create_folder(location, table)
        return True
    missing = drift(table, _fields(existing.schema().to_arrow()))
    if missing:
        _add_to_folder(existing, table, missing)
    return bool(missing)


def _create_folder(location: str, table: str) -> None:
    from deltalake import DeltaTable

    Path(location).mkdir(parents=True, exist_ok=True)
    DeltaTable.create(
        path_of(location, table),
        schema=arrow_schema(table),
        mode="ignore",
        partition_by=list(SCOPE_COLUMNS),
        name=table,
        description=table_named(table).comment,
    )


def _add_to_folder(existing: Any, table: str, missing: list[str]) -> None:
    import pyarrow as pa
    from deltalake import Schema

    schema = Schema.from_arrow(pa.schema([arrow_schema(table).field(name) for name in missing]))
    existing.alter.add_columns(schema.fields)


def _fields(schema: Any) -> dict[str, Any]:
    import pyarrow as pa

    return {field.name: field.type for field in pa.schema(schema)}


def drift(table: str, found: dict[str, Any]) -> list[str]:
    """The columns to add to a table that has *found* (name → Arrow type); ``SchemaDrift`` where adding is not enough."""
    expected = arrow_schema(table)
    required = {*SCOPE_COLUMNS, *table_named(table).key}
    missing = [f.name for f in expected if f.name not in found]
    wrong = [
        f"{f.name} is {found[f.name]}, not {f.type}" for f in expected if f.name in found and not _same(found[f.name], f.type)
    ]
    wrong += [f"{name} is missing and part of the key" for name in missing if name in required]
    wrong += [f"{name} is not one of ours" for name in found if name not in expected.names]
    if wrong:
        raise SchemaDrift(
            f"the table has other columns than this version writes: {'; '.join(wrong)}",
            where=table,
            next="migrate or move the table away, then run again",
        )
    return missing


def _same(found: Any, expected: Any) -> bool:
    """Whether two Arrow types hold the same values: names of list items, string width and nullability aside."""
    import pyarrow.types as t

    if t.is_struct(found) and t.is_struct(expected):
        pairs = zip(found, expected)
        return found.num_fields == expected.num_fields and all(a.name == b.name and _same(a.type, b.type) for a, b in pairs)
    if _is_list(found) and _is_list(expected):
        return _same(found.value_type, expected.value_type)
    if _is_text(found) and _is_text(expected):
        return True
    return bool(found == expected)


def _is_list(kind: Any) -> bool:
    import pyarrow.types as t

    return bool(t.is_list(kind) or t.is_large_list(kind))


def _is_text(kind: Any) -> bool:
    import pyarrow.types as t

    return bool(t.is_string(kind) or t.is_large_string(kind) or getattr(t, "is_string_view", bool)(kind))


def ensure_in_catalog(engine: Engine, location: str, table: str) -> bool:
    """``ensure`` for a catalog's table: comments, change data feed, clustering, and a primary key if it has such."""
    name = reference(False, location, table)
    missing = lacking(engine, location, table)
    if missing is None:
        engine.spark.sql(create_statement(name, table, primary_key=engine.name == "databricks")).collect()
    elif missing:
        engine.spark.sql(f"ALTER TABLE {name} ADD COLUMNS ({ddl_columns(table, missing)})").collect()
    return missing is None or bool(missing)


def lacking(engine: Engine, location: str, table: str) -> list[str] | None:
    """The columns a catalog's table lacks; None where there is no table, ``SchemaDrift`` where adding is not enough."""
    from pyspark.sql.pandas.types import to_arrow_schema

    name = reference(False, location, table)
    if not engine.spark.catalog.tableExists(name):
        return None
    return drift(table, _fields(to_arrow_schema(engine.spark.table(name).schema)))


def create_statement(name: str, table: str, *, primary_key: bool = True) -> str:
    """``CREATE TABLE`` for a catalog. Primary keys are Unity Catalog's: they inform, a merge keeps them true."""
    described = table_named(table)
    key = ", ".join(f"`{each}`" for each in (*SCOPE_COLUMNS, *described.key))
    constraint = f", CONSTRAINT `{table}_key` PRIMARY KEY ({key})" if primary_key else ""
    return (
        f"CREATE TABLE IF NOT EXISTS {name} ({ddl_columns(table)}{constraint}) USING DELTA "
        f"CLUSTER BY ({', '.join(SCOPE_COLUMNS)}) COMMENT {sql_string(described.comment)} "
        "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"
    )
