"""A table as JSON Lines or Parquet, without an engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from pincite.errors import TableError, UsageError
from pincite.model import Scope
from pincite.scope import checked_scope
from pincite.tables import read
from pincite.tables.schema import table_named

ROWS_AT_ONCE = 10_000


def scope_option(project: str | None, collection: str | None) -> Scope | None:
    """The scope two options name; None where neither is given."""
    if project is None and collection is None:
        return None
    if project is None or collection is None:
        raise UsageError("a scope is a project and a collection", next="give both --project and --collection, or neither")
    return checked_scope(Scope(project, collection))


def export_table(
    location: Path, table: str, scope: Scope | None, form: str, output: Path | None, standard_output: IO[bytes]
) -> int:
    """Write *table* to *output* (by way of a temporary file) or to *standard_output*; the number of rows."""
    table_named(table)
    if read.version(location, table) < 0:
        raise TableError(
            f"there is no table {table!r}", where=str(location), next="run `pincite run` first, or name its --state"
        )
    rows = read.read(location, table, scope)
    if output is None:
        _write(rows, form, standard_output)
        return int(rows.num_rows)
    partial = output.with_name(output.name + ".partial")
    try:
        with partial.open("wb") as file:
            _write(rows, form, file)
        partial.replace(output)
    except OSError as error:
        raise TableError(
            f"cannot write the export: {error.strerror}", where=str(output), next="choose another --output"
        ) from error
    finally:
        partial.unlink(missing_ok=True)
    return int(rows.num_rows)


def _write(rows: Any, form: str, file: IO[bytes]) -> None:
    if form == "parquet":
        import pyarrow.parquet as pq

        pq.write_table(rows, file, compression="zstd")
        return
    for line in json_lines(rows):
        file.write(line)
    file.flush()


def json_lines(rows: Any) -> Iterator[bytes]:
    """One JSON object a row, in UTF-8, ended by a newline."""
    for batch in rows.to_batches(max_chunksize=ROWS_AT_ONCE):
        for row in batch.to_pylist():
            yield json.dumps(row, ensure_ascii=False).encode() + b"\n"
