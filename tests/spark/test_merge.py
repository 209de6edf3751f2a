"""The scoped snapshot merge: the same tests on each engine, given rows in memory and given a DataFrame."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chispa import assert_df_equality

from pincite.errors import EmptySnapshot, TableError
from pincite.model import Passage, Scope
from pincite.tables.rows import from_arrow, to_arrow
from pincite.tables.statement import Merged
from pincite.tables.store import SparkTableStore

ONE, OTHER = Scope("p", "one"), Scope("p", "other two")
Make = Callable[..., Passage]
Merge = Callable[..., Merged]


def as_frame(store: SparkTableStore, rows: list[Passage], scope: Scope = ONE) -> Any:
    some = rows or [Passage("", "", "", "", 0, (), "", "", "", "", (), 0, "", None, False, "", "")]
    frame = store.engine.spark.createDataFrame(to_arrow("chunks", scope, some))
    return frame if rows else frame.where("false")


@pytest.fixture(params=["rows", "frame"])
def merge(request: pytest.FixtureRequest, store: SparkTableStore) -> Merge:
    """``merge(scope, rows, kept=, allow_empty=)`` by either door of the store."""

    def by_frame(scope: Scope, rows: list[Passage], *, kept: tuple[str, ...] = (), allow_empty: bool = False) -> Merged:
        named = store.engine.spark.sql(
            "SELECT * FROM VALUES " + ", ".join(f"('{each}')" for each in (*kept, "")) + " AS t(document_id)"
        )
        return store.merge_frame("chunks", scope, as_frame(store, rows, scope), kept=named, allow_empty=allow_empty)

    def by_rows(scope: Scope, rows: list[Passage], **more: Any) -> Merged:
        return store.merge("chunks", scope, rows, **more)

    return by_frame if request.param == "frame" else by_rows


def held(store: SparkTableStore, scope: Scope) -> set[Any]:
    return set(from_arrow("chunks", store.read("chunks", scope)))


def files_of_version(store: SparkTableStore, version: int) -> list[dict[str, Any]]:
    log = Path(store.location) / "chunks" / "_delta_log" / f"{version:020d}.json"
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    return [each for entry in entries for kind, each in entry.items() if kind in ("add", "remove")]


def test_changed_new_and_gone_rows_in_one_commit_of_one_scope(store: SparkTableStore, merge: Merge, passage: Make) -> None:
    others = [passage(key, "other") for key in "abcd"]  # the same keys: only the scope tells them apart
    merge(OTHER, others)
    merge(ONE, [passage("a"), passage("b"), passage("c")])
    new = [passage("a"), passage("b", "it's \u2014 2"), passage("d")]
    report = merge(ONE, new)
    assert (report.inserted, report.updated, report.deleted, report.unchanged) == (1, 1, 1, 1)
    assert report.version_after == report.version_before + 1
    assert_df_equality(
        store.frame("chunks", ONE).orderBy("chunk_id"),
        as_frame(store, new).orderBy("chunk_id"),
        ignore_nullable=True,
        ignore_metadata=True,  # comments, which JVM Spark reads and Sail does not
    )
    # no file of another scope was written or removed
    touched = files_of_version(store, report.version_after)
    assert {file["partitionValues"]["collection"] for file in touched} == {"one"}
    assert held(store, OTHER) == set(others)
    # the same snapshot again, in another order, is no commit
    again = merge(ONE, new[::-1])
    assert not again.committed
    assert store.version("chunks") == report.version_after == again.version_after


def test_an_empty_snapshot_is_refused_unless_named(store: SparkTableStore, merge: Merge, passage: Make) -> None:
    merge(ONE, [passage("a")])
    merge(OTHER, [passage("a")])
    with pytest.raises(EmptySnapshot, match="would delete all 1 rows"):
        merge(ONE, [])
    assert held(store, ONE) == {passage("a")}
    assert merge(ONE, [], allow_empty=True).deleted == 1
    assert held(store, ONE) == set()
    assert held(store, OTHER) == {passage("a")}


def test_a_document_that_was_not_read_keeps_its_rows(store: SparkTableStore, merge: Merge, passage: Make) -> None:
    kept, read, gone = passage("a", "1", "unread"), passage("b", "1", "read"), passage("c", "1", "gone")
    merge(ONE, [kept, read, gone])
    report = merge(ONE, [passage("b", "2", "read")], kept=("unread",))
    assert (report.updated, report.deleted, report.unchanged) == (1, 1, 1)
    assert held(store, ONE) == {kept, passage("b", "2", "read")}
    assert not merge(ONE, [], kept=("unread", "read")).committed


def test_two_rows_with_one_key_are_refused(store: SparkTableStore, merge: Merge, passage: Make) -> None:
    merge(ONE, [passage("a")])
    with pytest.raises(TableError, match="not unique"):
        merge(ONE, [passage("b", "1"), passage("b", "2")])
    assert held(store, ONE) == {passage("a")}
