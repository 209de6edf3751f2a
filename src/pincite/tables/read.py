"""Reading local Delta tables without an engine: what the command line needs, in milliseconds."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pincite.errors import TableError
from pincite.model import Scope
from pincite.scope import checked_scope
from pincite.tables.schema import SCOPE_COLUMNS, arrow_schema, column_names, table_named


@contextmanager
def readable(location: Path | str, name: str) -> Iterator[None]:
    """A damaged table, or one of a kind this reader does not know, becomes a ``TableError``."""
    from deltalake.exceptions import DeltaError
    from pyarrow import ArrowException

    try:
        yield
    except (DeltaError, ArrowException, OSError) as error:
        said = " ".join(str(error).split())[:200]
        raise TableError(
            f"the table cannot be read ({said})",
            where=str(Path(location) / name),
            next="restore the folder, or move it away and run again",
        ) from error


def open_table(location: Path | str, name: str) -> Any:
    """The ``deltalake.DeltaTable``, or None where the table does not exist."""
    table_named(name)
    path = Path(location) / name
    if not (path / "_delta_log").is_dir():
        return None
    from deltalake import DeltaTable

    with readable(location, name):
        return DeltaTable(str(path))


def version(location: Path | str, name: str) -> int:
    """The table's current version; -1 where it does not exist."""
    table = open_table(location, name)
    return -1 if table is None else int(table.version())


def read(
    location: Path | str,
    name: str,
    scope: Scope | None = None,
    wanted: Sequence[str] | None = None,
    documents: Collection[str] | None = None,
) -> Any:
    """A ``pyarrow.Table`` of one scope or all, columns in our order; empty where the table does not exist.

    A column that an older table lacks is null. With *documents*, only rows of these document ids.
    """
    import pyarrow as pa

    names = list(wanted or column_names(name))
    schema = pa.schema([arrow_schema(name).field(each).with_nullable(True).remove_metadata() for each in names])
    table = open_table(location, name)
    if table is None:
        return schema.empty_table()
    with readable(location, name):
        return _conform(_scan(table, scope, names, documents), schema)


def count(location: Path | str, name: str, scope: Scope) -> int:
    """The number of rows of a scope, from the table's log and the files' footers."""
    table = open_table(location, name)
    with readable(location, name):
        return 0 if table is None else int(table.to_pyarrow_dataset().count_rows(filter=_of(scope)))


def _of(scope: Scope) -> Any:
    import pyarrow.dataset as ds

    project, collection = checked_scope(scope)
    return (ds.field(SCOPE_COLUMNS[0]) == project) & (ds.field(SCOPE_COLUMNS[1]) == collection)


def documents(location: Path | str, name: str, scope: Scope, where: Mapping[str, str] | None = None) -> dict[str, int]:
    """How many rows each document has in a scope; with *where*, rows that have these values."""
    import pyarrow.compute as pc

    where = where or {}
    rows = read(location, name, scope, ["document_id", *where])
    for column, value in where.items():
        rows = rows.filter(pc.equal(rows.column(column), value))
    return {row["values"]: row["counts"] for row in rows.column("document_id").value_counts().to_pylist()}


def _scan(table: Any, scope: Scope | None, names: Sequence[str], documents: Collection[str] | None = None) -> Any:
    """The rows of one scope or of all. Plain tables are read file by file: ``pyarrow.dataset`` would import pandas."""
    wanted = checked_scope(scope) if scope is not None else None
    files = _files(table, wanted)
    if files is None:
        return _scan_dataset(table, wanted, names, documents)
    import pyarrow as pa

    parts = [_read_file(path, values, names, documents) for path, values in files]
    return pa.concat_tables(parts, promote_options="default") if parts else pa.table({})


def _files(table: Any, wanted: Scope | None) -> list[tuple[str, dict[str, str]]] | None:
    """Each file with its scope; None where files alone do not tell the rows (reader features, other partitions)."""
    import pyarrow as pa

    protocol = table.protocol()
    if protocol.min_reader_version > 1 or protocol.reader_features or table.metadata().partition_columns != [*SCOPE_COLUMNS]:
        return None
    actions = pa.RecordBatchReader.from_stream(table.get_add_actions(flatten=True)).read_all()
    columns = [actions.column(name).to_pylist() for name in ("path", *(f"partition.{name}" for name in SCOPE_COLUMNS))]
    root = Path(table.table_uri.removeprefix("file://"))
    found = [(str(root / unquote(path)), dict(zip(SCOPE_COLUMNS, scope))) for path, *scope in zip(*columns)]
    if not all(Path(path).is_file() for path, _ in found):  # it lies elsewhere
        return None
    return [(path, values) for path, values in found if wanted is None or tuple(values.values()) == wanted]


def _read_file(path: str, values: dict[str, str], names: Sequence[str], documents: Collection[str] | None = None) -> Any:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        held = set(file.schema_arrow.names)
        columns = [name for name in names if name in held and name not in values]  # JVM Delta may hold the scope too
        mask = None if documents is None else _mask(file.read(["document_id"]), documents)
        if mask is not None and not mask.true_count:
            rows = file.schema_arrow.empty_table().select(columns)
        else:
            rows = file.read(columns) if mask is None else file.read(columns).filter(mask)
    for name in names:
        if name in values:
            rows = rows.append_column(pa.field(name, pa.string()), _repeated(values[name], rows.num_rows))
    return rows


def of_documents(rows: Any, documents: Collection[str]) -> Any:
    """The rows of these documents."""
    return rows.filter(_mask(rows, documents))


def _mask(rows: Any, documents: Collection[str]) -> Any:
    """Which rows are of these documents, as an Arrow array of booleans."""
    import pyarrow as pa

    return pa.array([each in documents for each in rows.column("document_id").to_pylist()], pa.bool_())


def _repeated(value: str, count: int) -> Any:
    """A column of one string, from its buffers: ``pa.array`` and ``pa.scalar`` import pandas."""
    import pyarrow as pa

    data = value.encode()
    offsets = array("i", range(0, (count + 1) * len(data), len(data))) if data else array("i", bytes(4 * (count + 1)))
    return pa.StringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(data * count))


def _scan_dataset(table: Any, wanted: Scope | None, names: Sequence[str], documents: Collection[str] | None = None) -> Any:
    import pyarrow.dataset as ds

    dataset = table.to_pyarrow_dataset()
    present = [each for each in names if each in dataset.schema.names]
    condition = None if wanted is None else _of(wanted)
    if documents is not None:
        among = ds.field("document_id").isin(list(documents))
        condition = among if condition is None else condition & among
    return dataset.to_table(columns=present, filter=condition)


def _conform(table: Any, schema: Any) -> Any:
    import pyarrow as pa

    arrays = [table.column(f.name) if f.name in table.column_names else pa.nulls(table.num_rows, f.type) for f in schema]
    return pa.table(arrays, names=schema.names).cast(schema)
