"""Local tables are read file by file, and give what the dataset reader gives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake

from pincite.model import IngestRow, Scope
from pincite.tables import read
from pincite.tables.rows import to_arrow
from pincite.tables.schema import column_names

SCOPES = [Scope("fda", "cfr-gmp"), Scope("a b", "ü + 1.0"), Scope("a", "b")]


def entries(count: int) -> list[IngestRow]:
    return [IngestRow(f"r{at}", "2026", f"d{at}", "v", "parse", "", "s", at, 0, 0, 0, 0, 0.5) for at in range(count)]


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    for size, scope in enumerate(SCOPES, start=2):
        for _ in range(2):
            arrow = to_arrow("ingest_log", scope, entries(size))
            write_deltalake(str(tmp_path / "ingest_log"), arrow, mode="append", partition_by=["project", "collection"])
    return tmp_path


def rows(table: pa.Table) -> list[str]:
    return sorted(map(str, table.to_pylist()))


def test_each_scope_and_all_of_them(tables: Path) -> None:
    table = read.open_table(tables, "ingest_log")
    names = column_names("ingest_log")
    for scope in (*SCOPES, None):
        found = read.read(tables, "ingest_log", scope)
        assert found.column_names == list(names)
        assert rows(found) == rows(read._conform(read._scan_dataset(table, scope, names), found.schema))
    assert read.read(tables, "ingest_log", SCOPES[1], ["project", "collection"]).to_pylist() == [SCOPES[1]._asdict()] * 6
    assert read.read(tables, "ingest_log", Scope("no", "where")).num_rows == 0


def test_a_plain_table_needs_no_pandas(tables: Path) -> None:
    code = (
        f"import sys; from pincite.tables.read import read; read({str(tables)!r}, 'ingest_log'); print('pandas' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": "src"}, check=True)
    assert run.stdout.strip() == "False"


def test_a_deleted_row_stays_deleted(tables: Path) -> None:
    table = read.open_table(tables, "ingest_log")
    table.delete("document_id = 'd0'")
    assert "d0" not in read.read(tables, "ingest_log").column("document_id").to_pylist()


def test_files_that_are_not_where_the_log_says_are_left_to_the_dataset_reader(tables: Path) -> None:
    table = read.open_table(tables, "ingest_log")
    assert read._files(table, None) is not None
    next(tables.glob("ingest_log/*/*/*.parquet")).unlink()
    assert read._files(table, None) is None


def test_a_file_that_holds_its_scope_too_gives_it_once(tables: Path) -> None:
    """JVM Delta writes partition columns into its files in some commits."""
    file = next(tables.glob("ingest_log/*/*/*.parquet"))
    scope = [each.partition("=")[2] for each in (file.parent.parent.name, file.parent.name)]
    held = pq.ParquetFile(file).read()
    for name, value in zip(("project", "collection"), scope):
        held = held.append_column(name, pa.array([value] * held.num_rows))
    pq.write_table(held, file)
    found = read.read(tables, "ingest_log")
    assert tuple(found.column_names) == column_names("ingest_log")
    assert found.num_rows == 18
