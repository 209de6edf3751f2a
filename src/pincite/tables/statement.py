"""What a merge ships and says: the staged rows, the MERGE statement, and the report."""

from __future__ import annotations

from typing import Any, NamedTuple

from pincite.model import Scope
from pincite.scope import checked_scope
from pincite.tables.diff import DELETE, OPERATION, UPSERT, Changes
from pincite.tables.schema import SCOPE_COLUMNS, Table, column_names, sql_string


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


def staged(table: Table, scope: Scope, change: Changes) -> Any:
    """The rows a MERGE is given: upserts whole, deletes by key with nulls beside it, told apart by ``_op``."""
    import pyarrow as pa

    schema = pa.schema([f.with_nullable(True).remove_metadata() for f in change.upserts.schema])
    gone = change.deletes
    columns = [gone.column(f.name) if f.name in table.key else pa.nulls(gone.num_rows, f.type) for f in schema]
    for i, value in enumerate(scope):
        columns[i] = pa.array([value] * gone.num_rows, pa.string())
    both = pa.concat_tables([change.upserts.cast(schema), pa.table(columns, names=schema.names).cast(schema)])
    operation = pa.array([UPSERT] * change.upserts.num_rows + [DELETE] * gone.num_rows)
    return both.append_column(OPERATION, operation).combine_chunks()


def scope_condition(scope: Scope, prefix: str = "") -> str:
    """The SQL condition that a row is of this scope. The names were checked, so that no literal can end early."""
    return " AND ".join(f"{prefix}`{name}` = {sql_string(value)}" for name, value in zip(SCOPE_COLUMNS, checked_scope(scope)))


def merge_statement(table: Table, scope: Scope, target: str, view: str) -> str:
    """The MERGE: scope as literals (so that engines prune files) and as columns, in the join and in each clause."""
    inside = scope_condition(scope, "t.")
    matched = " AND ".join(f"t.`{name}` = s.`{name}`" for name in (*SCOPE_COLUMNS, *table.key))
    names = column_names(table.name)
    fixed = {*SCOPE_COLUMNS, *table.key}
    sets = ", ".join(f"`{name}` = s.`{name}`" for name in names if name not in fixed)
    listed = ", ".join(f"`{name}`" for name in names)
    values = ", ".join(f"s.`{name}`" for name in names)
    return (
        f"MERGE INTO {target} AS t USING `{view}` AS s ON {inside} AND {matched} "
        f"WHEN MATCHED AND s.`{OPERATION}` = '{DELETE}' AND {inside} THEN DELETE "
        f"WHEN MATCHED AND s.`{OPERATION}` = '{UPSERT}' THEN UPDATE SET {sets} "
        f"WHEN NOT MATCHED AND s.`{OPERATION}` = '{UPSERT}' THEN INSERT ({listed}) VALUES ({values})"
    )
