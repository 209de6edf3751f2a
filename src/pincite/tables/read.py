"""Reading local Delta tables without an engine: what the command line needs, in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pincite.model import Scope
from pincite.tables.schema import SCOPE_COLUMNS, arrow_schema, checked_scope, column_names, table_named


def open_table(location: Path | str, name: str) -> Any:
    """The ``deltalake.DeltaTable``, or None where the table does not exist."""
    table_named(name)
    path = Path(location) / name
    if not (path / "_delta_log").is_dir():
        return None
    from deltalake import DeltaTable

    return DeltaTable(str(path))


def version(location: Path | str, name: str) -> int:
    """The table's current version; -1 where it does not exist."""
    table = open_table(location, name)
    return -1 if table is None else int(table.version())


def read(location: Path | str, name: str, scope: Scope | None = None, wanted: Sequence[str] | None = None) -> Any:
    """A ``pyarrow.Table`` of one scope or all, columns in our order; empty where the table does not exist.

    A column that an older table lacks is null.
    """
    import pyarrow as pa

    names = list(wanted or column_names(name))
    schema = pa.schema([arrow_schema(name).field(each).with_nullable(True).remove_metadata() for each in names])
    table = open_table(location, name)
    if table is None:
        return schema.empty_table()
    return _conform(_scan(table, scope, names), schema)


def count(location: Path | str, name: str, scope: Scope) -> int:
    """The number of rows of a scope, from the table's log and the files' footers."""
    table = open_table(location, name)
    return 0 if table is None else int(table.to_pyarrow_dataset().count_rows(filter=_of(scope)))


def _of(scope: Scope) -> Any:
    import pyarrow.dataset as ds

    project, collection = checked_scope(scope)
    return (ds.field(SCOPE_COLUMNS[0]) == project) & (ds.field(SCOPE_COLUMNS[1]) == collection)


def _scan(table: Any, scope: Scope | None, names: Sequence[str]) -> Any:
    dataset = table.to_pyarrow_dataset()
    present = [each for each in names if each in dataset.schema.names]
    return dataset.to_table(columns=present, filter=None if scope is None else _of(scope))


def _conform(table: Any, schema: Any) -> Any:
    import pyarrow as pa

    arrays = [table.column(f.name) if f.name in table.column_names else pa.nulls(table.num_rows, f.type) for f in schema]
    return pa.table(arrays, names=schema.names).cast(schema)
