"""What can go wrong around a merge, on the embedded engine."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.errors import CommitConflict, CountMismatch, SchemaDrift, StorageFull, TableError, UsageError
from pincite.model import Passage, Scope
from pincite.tables import layout
from pincite.tables.engine import Engine
from pincite.tables.rows import from_arrow
from pincite.tables.schema import TABLES, arrow_schema
from pincite.tables.store import SparkTableStore

pytestmark = pytest.mark.sail
ONE, OTHER = Scope("p", "one"), Scope("p", "other two")
Make = Callable[..., Passage]

contents = st.dictionaries(st.sampled_from("abcde"), st.sampled_from(["1", "2", "it's; --"]), max_size=5)
steps = st.lists(st.tuples(st.sampled_from([ONE, OTHER]), contents, st.randoms(use_true_random=False)), min_size=1, max_size=4)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_each_scope_holds_its_last_snapshot(sail: Engine, tmp_path_factory: Any, passage: Make, steps: Any) -> None:
    store = SparkTableStore(tmp_path_factory.mktemp("t"), lambda: sail)
    state: dict[Scope, set[Passage]] = {ONE: set(), OTHER: set()}
    for scope, content, chance in steps:
        rows = [passage(key, text) for key, text in content.items()]
        chance.shuffle(rows)
        report = store.merge("chunks", scope, rows, allow_empty=True)
        assert report.committed == (state[scope] != set(rows))
        chance.shuffle(rows)
        assert not store.merge("chunks", scope, rows, allow_empty=True).committed
        state[scope] = set(rows)
        for each, expected in state.items():
            assert set(from_arrow("chunks", store.read("chunks", each))) == expected


def test_bootstrap_makes_every_table_once(sail_store: SparkTableStore) -> None:
    from deltalake import DeltaTable

    assert sail_store.bootstrap() == list(TABLES)
    assert SparkTableStore(sail_store.location, lambda: sail_store.engine).bootstrap() == []
    made = DeltaTable(f"{sail_store.location}/chunks")
    assert made.metadata().description == TABLES["chunks"].comment
    evidence = next(field for field in made.schema().fields if field.name == "evidence_text")
    assert evidence.metadata["comment"].startswith("the document's own words")


def test_an_older_table_gets_its_new_columns(sail: Engine, tmp_path: Path, passage: Make) -> None:
    from deltalake import write_deltalake

    older = pa.schema([field for field in arrow_schema("chunks") if field.name not in ("groundedness", "spans")])
    rows = [
        ["p"],
        ["one"],
        ["a"],
        ["d"],
        ["v"],
        ["d a"],
        [0],
        [["a"]],
        ["a"],
        ["body"],
        ["1"],
        ["1"],
        [1],
        ["o"],
        [True],
        [""],
        ["h"],
    ]
    table = pa.table(rows, schema=older)
    write_deltalake(str(tmp_path / "chunks"), table, partition_by=["project", "collection"])
    store = SparkTableStore(tmp_path, lambda: sail)
    report = store.merge("chunks", ONE, [passage("a"), passage("b")])
    assert (report.updated, report.inserted) == (1, 1)
    assert set(from_arrow("chunks", store.read("chunks", ONE))) == {passage("a"), passage("b")}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda fields: [f if f.name != "tokens" else pa.field("tokens", pa.string()) for f in fields],
            "tokens is string, not int64",
        ),
        (lambda fields: [f for f in fields if f.name != "chunk_id"], "chunk_id is missing and part of the key"),
        (lambda fields: [*fields, pa.field("extra", pa.string())], "extra is not one of ours"),
    ],
)
def test_any_other_difference_is_refused_by_name(sail: Engine, tmp_path: Path, passage: Make, change: Any, said: str) -> None:
    from deltalake import DeltaTable

    schema = pa.schema(change(list(arrow_schema("chunks"))))
    made = DeltaTable.create(str(tmp_path / "chunks"), schema, partition_by=["project", "collection"])
    with pytest.raises(SchemaDrift, match=said):
        SparkTableStore(tmp_path, lambda: sail).merge("chunks", ONE, [passage("a")])
    made.update_incremental()
    assert made.version() == 0


@pytest.mark.parametrize("name", ["x'; DROP TABLE chunks; --", "a`b", 'a"b', "../../up"])
def test_hostile_scope_names_reach_no_statement(sail_store: SparkTableStore, passage: Make, name: str) -> None:
    sail_store.merge("chunks", ONE, [passage("a")])
    for action in (sail_store.merge, sail_store.merge_frame, sail_store.append):
        with pytest.raises(UsageError, match="is not allowed"):
            action("chunks", Scope(name, "one"), [passage("a")])
    for read in (sail_store.read, sail_store.frame):
        with pytest.raises(UsageError):
            read("chunks", Scope("p", name))
    assert sail_store.version("chunks") == 1


def test_two_writers_of_two_scopes_both_arrive(sail: Engine, tmp_path: Path, passage: Make) -> None:
    scopes = [Scope("p", f"c{i}") for i in range(4)]
    SparkTableStore(tmp_path, lambda: sail).bootstrap(["chunks"])

    def write(scope: Scope) -> None:
        store = SparkTableStore(tmp_path, lambda: sail)
        store.merge("chunks", scope, [passage("a", scope.collection), passage("b")])
        store.merge("chunks", scope, [passage("a", "2")])

    threads = [threading.Thread(target=write, args=(scope,)) for scope in scopes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store = SparkTableStore(tmp_path, lambda: sail)
    for scope in scopes:
        assert from_arrow("chunks", store.read("chunks", scope)) == [passage("a", "2")]


def test_a_race_lost_again_and_again_is_a_commit_conflict(
    sail_store: SparkTableStore, passage: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def lost(*_: object) -> None:
        tried.append(1)
        raise RuntimeError("Failed to commit transaction: 0")

    monkeypatch.setattr(layout, "append", lost)
    monkeypatch.setattr("pincite.tables.store.FIRST_WAIT_SECONDS", 0.0)
    with pytest.raises(CommitConflict) as conflict:
        sail_store.merge("chunks", ONE, [passage("a")])
    assert len(tried) > 2
    assert conflict.value.exit_code == 5


def test_a_second_writer_of_the_same_scope_is_noticed(
    sail_store: SparkTableStore, passage: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = layout.append

    def twice(*arguments: Any) -> None:
        append(*arguments)
        append(*arguments)

    monkeypatch.setattr(layout, "append", twice)
    with pytest.raises(CountMismatch, match="has 2 rows after the merge, expected 1"):
        sail_store.merge("chunks", ONE, [passage("a")])


def test_a_full_disk_loses_nothing(sail: Engine, small_disk: Path, passage: Make) -> None:
    store = SparkTableStore(small_disk / "tables", lambda: sail)
    store.merge("chunks", ONE, [passage("a")])
    chance = random.Random(1)
    large = [passage(str(i), f"{chance.getrandbits(8000):x}") for i in range(300)]
    with pytest.raises(StorageFull, match="the disk is full; free some space"):
        store.merge("chunks", ONE, [passage("a"), *large])
    assert store.version("chunks") == 1
    assert from_arrow("chunks", store.read("chunks", ONE)) == [passage("a")]
    store.merge("chunks", ONE, [passage("a", "2")])
    assert from_arrow("chunks", store.read("chunks", ONE)) == [passage("a", "2")]


def test_an_engines_own_complaint_is_one_sentence(sail_store: SparkTableStore) -> None:
    sail_store.bootstrap(["chunks"])
    wrong = sail_store.engine.spark.sql("SELECT 1 AS nothing")
    with pytest.raises(TableError, match="the engine refused: .*chunk_id") as refused:
        sail_store.merge_frame("chunks", ONE, wrong)
    assert "\n" not in str(refused.value)
    assert sail_store.version("chunks") == 0


def test_rows_are_updated_by_key_in_one_commit_or_none(store: SparkTableStore, passage: Make) -> None:
    store.merge("chunks", ONE, [passage("a"), passage("b")])
    before = store.version("chunks")
    store.update("chunks", ONE, [])
    assert store.version("chunks") == before
    store.update("chunks", ONE, [passage("a", "2")])
    assert store.version("chunks") == before + 1
    assert set(from_arrow("chunks", store.read("chunks", ONE))) == {passage("a", "2"), passage("b")}
