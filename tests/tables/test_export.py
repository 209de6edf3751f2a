"""``pincite export``: rows for other programs, without an engine."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake
from typer.testing import CliRunner

from pincite.cli import app
from pincite.errors import TableError, UsageError
from pincite.model import Block, Scope
from pincite.tables.export import export_table
from pincite.tables.rows import partition_rows, to_arrow

ONE, OTHER = Scope("p", "one"), Scope("p", "other two")


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    for scope, role in ((ONE, "body"), (OTHER, "note")):
        rows = partition_rows("d", [Block(i, 1, i, i + 1, role, "§ 1", "0") for i in range(3)])
        write_deltalake(
            str(tmp_path / "tables" / "partition"), to_arrow("partition", scope, rows), mode="append",
            partition_by=["project", "collection"],
        )  # fmt: skip
    return tmp_path / "tables"


def lines(data: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in data.splitlines()]


def test_json_lines_hold_every_row_in_the_documented_columns(tables: Path) -> None:
    out = io.BytesIO()
    assert export_table(tables, "partition", None, "jsonl", None, out) == 6
    assert list(lines(out.getvalue())[0])[:4] == ["project", "collection", "document_id", "ordinal"]
    assert "§ 1".encode() in out.getvalue()


def test_one_scope_only(tables: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    assert export_table(tables, "partition", OTHER, "jsonl", file, io.BytesIO()) == 3
    assert {row["role"] for row in lines(file.read_bytes())} == {"note"}


def test_parquet(tables: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.parquet"
    export_table(tables, "partition", ONE, "parquet", file, io.BytesIO())
    assert pq.read_table(file).num_rows == 3
    assert not list(tmp_path.glob("*.partial"))


def test_a_table_that_is_not_there_and_a_folder_that_is_not_there(tables: Path, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="there is no table 'chunks'"):
        export_table(tables, "chunks", None, "jsonl", None, io.BytesIO())
    with pytest.raises(TableError, match="cannot write the export"):
        export_table(tables, "partition", None, "jsonl", tmp_path / "no" / "where", io.BytesIO())
    with pytest.raises(UsageError):
        export_table(tables, "../etc", None, "jsonl", None, io.BytesIO())


def test_the_command(tables: Path) -> None:
    state = ["--state", str(tables.parent)]
    done = CliRunner().invoke(app, ["export", "partition", "--project", "p", "--collection", "one", *state])
    assert done.exit_code == 0
    assert len(lines(done.stdout_bytes)) == 3
    half = CliRunner().invoke(app, ["export", "partition", "--project", "p", *state])
    assert isinstance(half.exception, UsageError)
