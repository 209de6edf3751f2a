"""A census on disk: ``documents.parquet``, one row a document, columns and types from ``count.Row``."""

from __future__ import annotations

import os
import typing
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pincite.census.count import Counted, Row
from pincite.errors import UsageError
from pincite.model import Finding

FILE = "documents.parquet"


def write(rows: Sequence[Row], folder: Path) -> Path:
    """All *rows*, as a whole or not at all: a killed census leaves the last complete file."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    from pincite.tables.schema import arrow_type

    schema = pa.schema([(name, arrow_type(hint)) for name, hint in typing.get_type_hints(Row).items()])
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{FILE}.{os.getpid()}"
    parquet.write_table(pa.Table.from_pylist([_plain(row) for row in rows], schema=schema), part)
    os.replace(part, folder / FILE)
    return folder / FILE


def read(folder: Path) -> list[Row]:
    """The rows of an earlier census; none where there is no file, or one with other columns."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    path = folder / FILE
    if not path.exists():
        return []
    try:
        table = parquet.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise UsageError(
            f"the earlier census cannot be read ({error})", where=str(path), next="remove it, or name another --output"
        ) from None
    if table.schema.names != list(Row._fields):
        return []
    return [_row(each) for each in table.to_pylist()]


def _plain(row: Row) -> dict[str, Any]:
    nested = {name: [each._asdict() for each in getattr(row, name)] for name in ("roles", "unsupported", "places")}
    return {**row._asdict(), **nested}


def _row(values: dict[str, Any]) -> Row:
    return Row(
        **{
            **values,
            "roles": _counted(values["roles"]),
            "unsupported": _counted(values["unsupported"]),
            "places": tuple(Finding(**{**each, "candidates": tuple(each["candidates"])}) for each in values["places"]),
        }
    )


def _counted(values: Iterable[dict[str, Any]]) -> tuple[Counted, ...]:
    return tuple(Counted(**each) for each in values)
