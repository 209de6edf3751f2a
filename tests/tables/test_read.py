"""Reading without an engine: scopes, columns, absent, older and damaged tables."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from pincite.errors import TableError, UsageError
from pincite.model import Block, Scope
from pincite.tables import read
from pincite.tables.rows import partition_rows, to_arrow
from pincite.tables.schema import column_names

ONE, OTHER = Scope("p", "one"), Scope("p", "other two")


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    for scope in (ONE, OTHER):
        rows = partition_rows("d", [Block(i, 1, i, i + 1, "body", "n", "0") for i in range(3)])
        arrow = to_arrow("partition", scope, rows)
        write_deltalake(str(tmp_path / "partition"), arrow, mode="append", partition_by=["project", "collection"])
    return tmp_path


def test_one_scope_or_all_in_our_order(tables: Path) -> None:
    assert read.read(tables, "partition").num_rows == 6
    one = read.read(tables, "partition", OTHER)
    assert one.num_rows == read.count(tables, "partition", OTHER) == 3
    assert tuple(one.column_names) == column_names("partition")
    assert read.read(tables, "partition", ONE, ["role", "ordinal"]).column_names == ["role", "ordinal"]
    assert read.version(tables, "partition") == 1


def test_a_table_that_does_not_exist_is_empty(tmp_path: Path) -> None:
    assert read.version(tmp_path, "chunks") == -1
    assert read.read(tmp_path, "chunks", ONE).num_rows == read.count(tmp_path, "chunks", ONE) == 0
    with pytest.raises(UsageError):
        read.read(tmp_path, "../chunks")


def test_a_column_that_an_older_table_lacks_is_null(tmp_path: Path) -> None:
    older = pa.table({"project": ["p"], "collection": ["one"], "document_id": ["d"], "ordinal": [0]})
    write_deltalake(str(tmp_path / "partition"), older, partition_by=["project", "collection"])
    assert read.read(tmp_path, "partition", ONE, ["ordinal", "role"]).to_pylist() == [{"ordinal": 0, "role": None}]


@pytest.mark.parametrize("damage", ["log", "file"])
def test_a_damaged_table_is_one_sentence(tables: Path, damage: str) -> None:
    if damage == "log":
        (tables / "partition" / "_delta_log" / f"{1:020d}.json").write_text("{")
    else:
        for file in (tables / "partition").rglob("*.parquet"):
            file.unlink()
    with pytest.raises(TableError, match="the table cannot be read") as refused:
        read.read(tables, "partition", ONE)
    assert "\n" not in str(refused.value)
