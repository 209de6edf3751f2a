"""The scoped snapshot merge, on each engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import EmptySnapshot
from pincite.model import Passage, Scope, Span, digest
from pincite.tables.rows import from_arrow
from pincite.tables.store import SparkTableStore

ONE, OTHER = Scope("p", "one"), Scope("p", "other two")


def passage(key: str, text: str, document_id: str = "d") -> Passage:
    span = Span(1, 0, len(text), digest(text))
    return Passage(
        key, document_id, "v", f"{document_id} {key}", 0, ("a", "b"), "a > b", "body", text, text, (span,), 1,
        "observed", None, True, "", digest(key, text, document_id),
    )  # fmt: skip


def held(store: SparkTableStore, scope: Scope) -> set[Any]:
    return set(from_arrow("chunks", store.read("chunks", scope)))


def files_of_version(store: SparkTableStore, version: int) -> list[dict[str, Any]]:
    log = Path(store.location) / "chunks" / "_delta_log" / f"{version:020d}.json"
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    return [each for entry in entries for kind, each in entry.items() if kind in ("add", "remove")]


def test_changed_new_and_gone_rows_in_one_commit(store: SparkTableStore) -> None:
    store.merge("chunks", ONE, [passage("a", "1"), passage("b", "1"), passage("c", "1")])
    new = [passage("a", "1"), passage("b", "it's \u2014 2"), passage("d", "1")]
    report = store.merge("chunks", ONE, new)
    assert (report.inserted, report.updated, report.deleted, report.unchanged) == (1, 1, 1, 1)
    assert report.version_after == report.version_before + 1
    assert held(store, ONE) == set(new)


def test_an_unchanged_snapshot_commits_nothing(store: SparkTableStore) -> None:
    rows = [passage("a", "1"), passage("b", "1")]
    before = store.merge("chunks", ONE, rows).version_after
    report = store.merge("chunks", ONE, rows[::-1])
    assert not report.committed
    assert store.version("chunks") == before == report.version_after


def test_another_scope_keeps_its_rows_and_its_files(store: SparkTableStore) -> None:
    others = [passage("a", "other"), passage("z", "other")]
    store.merge("chunks", OTHER, others)
    store.merge("chunks", ONE, [passage("a", "1"), passage("b", "1")])
    report = store.merge("chunks", ONE, [passage("a", "2")])
    touched = files_of_version(store, report.version_after)
    assert touched
    assert {file["partitionValues"]["collection"] for file in touched} == {"one"}
    assert held(store, OTHER) == set(others)


def test_an_empty_snapshot_is_refused_unless_named(store: SparkTableStore) -> None:
    store.merge("chunks", ONE, [passage("a", "1")])
    with pytest.raises(EmptySnapshot, match="would delete all 1 rows"):
        store.merge("chunks", ONE, [])
    assert held(store, ONE) == {passage("a", "1")}
    assert store.merge("chunks", ONE, [], allow_empty=True).deleted == 1
    assert held(store, ONE) == set()


def test_a_document_that_was_not_read_keeps_its_rows(store: SparkTableStore) -> None:
    kept, read, gone = passage("a", "1", "unread"), passage("b", "1", "read"), passage("c", "1", "gone")
    store.merge("chunks", ONE, [kept, read, gone])
    store.merge("chunks", ONE, [passage("b", "2", "read")], kept={"unread"})
    assert held(store, ONE) == {kept, passage("b", "2", "read")}
