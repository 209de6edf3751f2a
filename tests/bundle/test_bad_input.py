"""What can be wrong around a run: one clear sentence, the task fails, tables and index stay as they were."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from homes import Home, make_home

pytestmark = [pytest.mark.sail, pytest.mark.slow, pytest.mark.timeout(600)]
PART = "title-99/part-2.xml"


@pytest.fixture(scope="module")
def settled(shared: Any, repository: Path, wheel: Path) -> Home:
    """A home whose corpus was ingested and indexed once; these tests leave it as they found it."""
    shared.allow_all()
    shared.state.update(retries=0, kill=None, lose_rows=0, hang=None, warm=True)
    home = make_home(shared, repository, wheel, "bad_input")
    home.succeed(["bootstrap", "author", "merge", "sync"])
    return home


@pytest.fixture
def home(settled: Home) -> Iterator[Home]:
    """The same, put back and compared after each test."""
    files, state, versions = dict(settled.corpus.files), settled.state(), settled.versions()
    yield settled
    settled.workspace.allow_all()
    assert settled.versions() == versions
    assert settled.state() == state
    settled.corpus.files = files
    settled.corpus.land()


def test_a_missing_volume(home: Home) -> None:
    volumes = home.workspace.table("volumes")
    kept = dict(volumes)
    del volumes[f"{home.schema}.landing"]
    try:
        said = home.fail("bootstrap", ["bootstrap", "verify"])
        assert "PlatformError" in said
        assert f"{home.schema}.landing: Volume '{home.schema}.landing' does not exist" in said
        assert "deploy the bundle" in said
    finally:
        volumes.update(kept)


def test_landed_bytes_that_are_not_the_pinned_ones(home: Home) -> None:
    landed = home.workspace.folder / home.corpus.folder.strip("/") / PART
    landed.write_bytes(landed.read_bytes().replace(b"lightship", b"Lightship"))
    said = home.fail("verify", ["verify", "author"])
    assert "HashMismatch" in said
    assert f"{home.corpus.folder}/{PART}: title-99-part-2 has sha256" in said


@pytest.mark.parametrize(
    ("task", "method", "path", "where"),
    [
        ("sync", "GET", r"/vector-search/indexes/", "{schema}.passages: "),
        ("evaluate", "GET", r"/mlflow/experiments/get-by-name", "pincite-evaluation"),
    ],
)
def test_a_missing_right(home: Home, task: str, method: str, path: str, where: str) -> None:
    """One of each kind; ``test_preflight.py`` and the contract tests have every object."""
    home.workspace.deny(method, path)
    said = home.fail(task)
    assert where.format(schema=home.schema) in said
    assert "HTTP 403, PERMISSION_DENIED, request id" in said
    assert "ask the owner of that object for the missing privilege" in said


DENIED = [
    ("author", r"SELECT FROM .*documents", "SELECT FROM"),
    ("author", r"INSERT INTO .*stage_documents", "INSERT INTO"),
    ("merge", r"MERGE INTO .*partition", "MERGE INTO"),
    ("sync", r"SELECT chunk_id.*chunks", "SELECT chunk_id"),
    ("evaluate", r"SELECT FROM .*relation_edges", "SELECT FROM"),
]


@pytest.mark.parametrize(("task", "statement", "needed"), DENIED, ids=[f"{task}: {needed}" for task, _, needed in DENIED])
def test_a_missing_privilege_on_a_table(home: Home, task: str, statement: str, needed: str) -> None:
    """Unity Catalog refuses statements, not requests: the same sentence, with its code in the place of a request id."""
    home.corpus.files[PART] = home.corpus.files[PART].replace(b"lightship", b"light vessel")
    if task in ("author", "merge"):
        home.corpus.land()
    if task == "merge":
        home.succeed(["author"])
    home.workspace.deny("SQL", statement)
    said = home.fail(task)
    assert said.startswith("pincite.errors.PlatformError: main.")
    assert f"User does not have the privilege that {needed}" in said
    assert "(HTTP 403, INSUFFICIENT_PERMISSIONS, request id not given); ask the owner of that object for the missing" in said


def test_tables_may_not_be_made(shared: Any, repository: Path, wheel: Path) -> None:
    home = make_home(shared, repository, wheel, "no_create")
    shared.deny("SQL", r"CREATE TABLE .*evaluation_log")
    said = home.fail("bootstrap")
    shared.allow_all()
    assert "INSUFFICIENT_PERMISSIONS" in said
    assert "ask the owner of that object for the missing privilege" in said


def test_an_index_of_another_table_and_with_other_columns(home: Home) -> None:
    spec = home.workspace.table("indexes")[f"{home.schema}.passages"]["delta_sync_index_spec"]
    kept = dict(spec)
    spec.update(source_table="main.other.chunks", columns_to_sync=["chunk_id"])
    try:
        said = home.fail("sync")
        assert f"IndexFault: {home.schema}.passages: the index is another one: its " in said
        assert "nothing was changed" in said
    finally:
        spec.update(kept)


def test_a_wrong_parameter(home: Home) -> None:
    assert "UsageError: job parameters: dry_run is 'maybe'; use true or false" in home.fail("bootstrap", dry_run="maybe")


def test_a_parameter_the_job_does_not_have(home: Home) -> None:
    from databricks.sdk.errors import InvalidParameterValue

    with pytest.raises(InvalidParameterValue, match="corpus"):
        home.run(corpus="lights")


def test_an_empty_corpus_is_refused(home: Home) -> None:
    """Every document gone from the manifest cannot be written down, and every source gone from it would be a loss."""
    kept = dict(home.corpus.files)
    home.corpus.files = {"title-99/part-3.xml": b"<DIV5>broken"}
    home.corpus.land()
    said = home.fail("merge", ["author", "merge"])
    assert "EmptySnapshot" in said
    home.corpus.files = kept


def test_an_older_table_gets_the_columns_it_lacks(shared: Any, repository: Path, wheel: Path) -> None:
    """And keeps its rows; a table with other columns is refused with the exact difference."""
    from deltalake import DeltaTable, write_deltalake

    home = make_home(shared, repository, wheel, "older")
    home.succeed(["bootstrap"])
    folder = home.folder("ingest_log")
    whole = DeltaTable(str(folder)).to_pyarrow_table()
    shutil.rmtree(folder)
    write_deltalake(str(folder), whole.drop_columns(["seconds"]), partition_by=["project", "collection"])
    said = home.succeed(["bootstrap"])
    assert said["bootstrap"][-1]["tables"] == ["ingest_log"]
    assert DeltaTable(str(folder)).to_pyarrow_table().schema.names[-1] == "seconds"
    shutil.rmtree(folder)
    write_deltalake(str(folder), whole.append_column("mood", whole.column("reason")), partition_by=["project", "collection"])
    said = home.fail("bootstrap")
    assert "SchemaDrift: " in said
    assert "mood is not one of ours" in said
