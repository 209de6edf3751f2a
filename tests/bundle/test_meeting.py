"""Runs that meet: each other, a retry of themselves, what an earlier corpus left, a table that was rolled back."""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from corpus import Corpus
from homes import Home

from pincite import __version__

pytestmark = [pytest.mark.sail, pytest.mark.slow, pytest.mark.timeout(600)]
PARTS = ["title-99/part-1.xml", "title-99/part-2.xml"]
STAGING = ["author", "merge"]


@pytest.fixture(scope="module")
def made(home: Home) -> Home:
    """The tables, and nothing in them."""
    home.succeed(["bootstrap"])
    return home


@pytest.fixture(autouse=True)
def published(made: Home, repository: Path) -> None:
    """Each test starts from the published files; what the tables hold of them is what the last one left."""
    home = made
    home.corpus.name, home.corpus.agreed = "lights", 0.0
    home.corpus.files = {path: (repository / "fixtures" / "ecfr" / path).read_bytes() for path in PARTS}
    home.corpus.land()
    home.workspace.allow_all()


def edited(home: Home, word: str) -> None:
    """The second part with another word in it."""
    home.corpus.files[PARTS[1]] = home.corpus.files[PARTS[1]].replace(b"lightship", word.encode())
    home.corpus.land()


def test_the_second_of_two_runs_waits(home: Home) -> None:
    """One run at a time: the second is queued, and then finds nothing to do."""
    first, second = home.start(STAGING), home.start(STAGING)
    assert home.workspace.table("job_runs")[second]["state"]["life_cycle_state"] == "QUEUED"
    runs = [home.wait(number) for number in (first, second)]
    assert [run["state"]["result_state"] for run in runs] == ["SUCCESS", "SUCCESS"], [home.errors(run) for run in runs]
    assert runs[1]["started"] >= runs[0]["ended"]
    assert "nothing changed" in home.outputs(runs[1])["merge"][-1]["action"]
    assert {row["run_id"] for row in home.rows("ingest_log", "run_id")} == {str(runs[0]["run_id"])}


def test_a_merge_that_died_after_its_last_write_is_repeated(home: Home) -> None:
    """With a document that could not be read: the next run would read it again, the retry of this one must not."""
    home.corpus.files["title-99/part-3.xml"] = b"<DIV5>broken"
    home.corpus.land()
    stages = home.folder("x").parent
    killed: list[Any] = []

    def kill(task: str, process: Any) -> None:
        if task == "merge" and not killed:
            killed.append(process)
            home.workspace.state["hold"] = None  # the retry is not held
            threading.Thread(target=_kill_at, args=(process, lambda: not list(stages.glob("stage_*"))), daemon=True).start()

    home.workspace.state.update(kill=kill, retries=1, hold="pincite.tables.publish:Stage.drop")
    run = home.run(STAGING)
    home.workspace.state.update(kill=None, retries=0)
    assert run["state"]["result_state"] == "SUCCESS", home.errors(run)
    assert killed[0].returncode not in (0, None)
    assert [task["attempt_number"] for task in run["tasks"]] == [0, 1]
    failed = [row for row in home.rows("ingest_log", "run_id", "action") if row["action"] == "fail"]
    assert [row["run_id"] for row in failed] == [str(run["run_id"])]


def _kill_at(process: Any, reached: Any) -> None:
    deadline = time.monotonic() + 120
    while not reached() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    process.kill()


def test_a_broken_corpus_beside_a_sound_one_changes_neither(home: Home, repository: Path) -> None:
    """Both are staged, then one is refused: nothing was written; the sound one alone goes through."""
    home.succeed(STAGING)
    other = Corpus(home.deployment, repository / "fixtures" / "ecfr", "ships")
    other.files = {"title-98/part-7.xml": home.corpus.files[PARTS[0]].replace(b"99", b"98")}
    other.land()
    home.succeed(STAGING, corpora="ships")
    before = home.versions()

    edited(home, "light vessel")
    other.files = {"title-98/part-8.xml": b"<DIV5>broken"}
    other.land()
    said = home.fail("merge", STAGING, corpora="lights,ships")
    assert "EmptySnapshot: demo/ships: all " in said
    assert home.versions() == before

    home.succeed(STAGING, corpora="lights")
    assert any("light vessel" in row["evidence_text"] for row in home.rows("chunks", "evidence_text"))
    assert {row["collection"] for row in home.rows("chunks", "collection")} == {"lights", "ships"}
    remove(home, "ships")  # no later run of this module is of that corpus


def test_a_stage_of_another_manifest_is_not_merged(home: Home, repository: Path) -> None:
    edited(home, "light barge")
    home.succeed(["author"])
    home.corpus.files[PARTS[1]] = (repository / "fixtures" / "ecfr" / PARTS[1]).read_bytes()
    edited(home, "light craft")
    before = home.versions()
    said = home.fail("merge")
    assert "TableError: demo/lights: the stage is of another plan than the manifest's; run the author task again" in said
    assert home.versions() == before


def test_a_renamed_scope_is_refused_until_the_old_one_is_removed(home: Home) -> None:
    home.succeed(STAGING)
    before = home.versions()
    home.corpus.name = "lamps"
    home.corpus.land()
    said = home.fail("merge", STAGING)
    assert "TableError: demo/lamps: the scope demo/lights has the same passage " in said
    assert home.versions() == before
    remove(home, "lights")
    home.succeed(["merge", "sync"])
    assert "lamps" in {row["collection"] for row in home.rows("chunks", "collection")}
    assert "lights" not in {row["collection"] for row in home.rows("chunks", "collection")}
    assert len(home.indexed) == len(home.rows("chunks", "chunk_id"))
    remove(home, "lamps")


def remove(home: Home, collection: str) -> None:
    """As the runbook says."""
    tables = ("chunks", "relation_edges", "nodes", "partition", "documents")
    where = f"WHERE project = 'demo' AND collection = '{collection}'"
    home.sql(*(f"DELETE FROM {{schema}}.{table} {where}" for table in tables))


def test_tables_are_rolled_back_to_a_version(home: Home) -> None:
    home.succeed([*STAGING, "sync"])
    state = home.state()
    tables = ("chunks", "relation_edges", "nodes", "partition", "documents")
    versions = home.versions()
    edited(home, "light vessel")
    home.succeed([*STAGING, "sync"])
    assert home.state() != state
    home.sql(*(f"RESTORE TABLE {{schema}}.{table} TO VERSION AS OF {versions[table]};" for table in tables))
    home.succeed(["sync"])
    assert home.state() == state


def test_a_missed_floor_fails_the_run_and_changes_neither_tables_nor_index(home: Home) -> None:
    home.succeed([*STAGING, "sync"])
    state, versions = home.state(), home.versions()
    home.corpus.agreed = 1.5
    home.corpus.pin()
    said = home.fail("evaluate")
    assert "FloorMissed: demo/lights: citation_recall is " in said
    assert "agreed 1.500; compare the two runs in notebook 3" in said
    assert home.state() == state
    after = home.versions()
    assert {name for name in after if after[name] != versions[name]} == {"retrieval_log", "evaluation_log"}
    assert {row["setting"] for row in home.rows("evaluation_log", "setting")} == {"baseline", "edge-aware"}


def test_a_table_with_other_columns_stops_the_bootstrap_before_anything_is_made(home: Home) -> None:
    from deltalake import write_deltalake

    home.succeed(["bootstrap"])
    folder = home.folder("evaluation_log")
    whole = home.rows("evaluation_log")
    import pyarrow as pa

    shutil.rmtree(folder)
    write_deltalake(str(folder), pa.table({"project": ["demo"], "collection": ["lights"], "mood": ["fine"]}))
    shutil.rmtree(home.folder("ingest_log"))
    said = home.fail("bootstrap")
    assert "SchemaDrift: evaluation_log: the table has other columns than this version writes: " in said
    assert not home.folder("ingest_log").exists()
    assert whole is not None
    shutil.rmtree(folder)
    home.succeed(["bootstrap"])


# --- tables of an older release -----------------------------------------------------------------------------------------

LATER = {"documents": "links", "nodes": "names", "relation_edges": "sought", "ingest_log": "kind"}
"""Columns that earlier releases had not."""


def made_older(home: Home) -> None:
    """The tables as an earlier release left them: without the columns that came since, which its hashes do not cover either."""
    import pyarrow as pa
    from deltalake import DeltaTable, write_deltalake

    for table, column in LATER.items():
        folder = str(home.folder(table))
        rows = DeltaTable(folder).to_pyarrow_table().drop_columns([column])
        old = {"author_version": ["pincite 0.0.9"] * rows.num_rows, "content_hash": [f"{i:064}" for i in range(rows.num_rows)]}
        for name in old.keys() & set(rows.column_names):
            rows = rows.set_column(rows.column_names.index(name), name, pa.array(old[name]))
        write_deltalake(folder, rows, mode="overwrite", schema_mode="overwrite", partition_by=["project", "collection"])


def test_tables_of_an_older_release_are_brought_up_to_date_by_a_run(home: Home) -> None:
    """Told in a dry run, done in the next: columns added, every document read again, the same rows as if made today."""
    from deltalake import DeltaTable

    whole = ["bootstrap", *STAGING, "sync"]
    edited(home, "light ketch")  # so that this run logs something, whatever the tables hold
    home.succeed(whole)
    state = home.state()
    made_older(home)
    before = home.versions()
    dry = home.succeed(["bootstrap", *STAGING], dry_run="true")
    assert {line["table"]: line["columns"] for line in dry["bootstrap"] if "table" in line} == {
        table: [column] for table, column in LATER.items()
    }
    assert {line["reason"] for line in dry["author"] if "document" in line} == {
        f"it was authored by 'pincite 0.0.9', this is 'pincite {__version__}'"
    }
    assert home.versions() == before

    said = home.succeed(whole)
    assert said["bootstrap"][-1]["tables"] == list(LATER)
    assert home.state() == state
    for table in ("documents", "nodes", "relation_edges"):
        assert not [row for row in home.rows(table, LATER[table]) if row[LATER[table]] is None], table
    kinds = DeltaTable(str(home.folder("ingest_log"))).to_pyarrow_table(columns=["kind"])["kind"].to_pylist()
    assert None in kinds  # what an older release logged stays as it was
    assert "again" in kinds
    after = home.versions()
    assert "nothing to do" in home.succeed(whole[:3])["bootstrap"][-1]["action"]
    assert home.versions() == after


def test_a_table_of_another_type_is_refused_with_the_exact_difference(home: Home) -> None:
    """Nothing is added to any other table then, and nothing is authored."""
    import pyarrow as pa
    from deltalake import DeltaTable, write_deltalake

    home.succeed(["bootstrap"])
    made_older(home)
    folder = str(home.folder("chunks"))
    sound = DeltaTable(folder).to_pyarrow_table()
    wrong = sound.set_column(sound.column_names.index("tokens"), "tokens", sound["tokens"].cast(pa.string()))
    scope = ["project", "collection"]
    write_deltalake(folder, wrong, mode="overwrite", schema_mode="overwrite", partition_by=scope)
    before = home.versions()
    said = home.fail("bootstrap")
    assert "SchemaDrift: chunks: the table has other columns than this version writes: tokens is string, not int64" in said
    assert home.versions() == before
    write_deltalake(folder, sound, mode="overwrite", schema_mode="overwrite", partition_by=scope)
    home.succeed(["bootstrap"])
