from __future__ import annotations

from pathlib import Path
from typing import Any

from pincite.index import local
from pincite.index.local import Entry
from pincite.index.refresh import refresh, stale


def rows(count: int) -> list[Entry]:
    return [Entry(f"c{at}", "d", "v", f"n{at}", f"rung number {at}", f"h{at}") for at in range(count)]


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


def test_it_is_built_once_and_left_alone_after(tmp_path: Path, embedder: Any) -> None:
    first = refresh(rows(3), tmp_path, embedder, version=1)
    assert (first.built, first.reason) == (True, "there is no index here")
    before = state(tmp_path)
    again = refresh(rows(3), tmp_path, embedder, version=2)
    assert not again.built
    assert state(tmp_path) == before
    assert embedder.calls == [f"rung number {at}" for at in range(3)]


def test_changed_rows_and_another_model_are_built_anew(tmp_path: Path, embedder: Any) -> None:
    refresh(rows(3), tmp_path, embedder)
    assert refresh(rows(4), tmp_path, embedder).built
    embedder.name = "hash/2"
    changed = refresh(rows(4), tmp_path, embedder)
    assert changed.built
    assert "hash/1, not hash/2" in changed.reason
    assert local.load(tmp_path, embedder).count() == 4


def test_a_damaged_index_is_replaced(tmp_path: Path, embedder: Any) -> None:
    refresh(rows(3), tmp_path, embedder)
    path = next(tmp_path.glob("*/vectors.npy"))
    path.write_bytes(path.read_bytes()[:-1])
    assert refresh(rows(3), tmp_path, embedder).reason == "a file of the index is missing or damaged"
    assert local.load(tmp_path, embedder).count() == 3


def test_what_would_be_built_is_known_beforehand_and_nothing_is_written(tmp_path: Path, embedder: Any) -> None:
    assert stale(rows(3), tmp_path, embedder.name) == "there is no index here"
    assert state(tmp_path) == {}
    refresh(rows(3), tmp_path, embedder)
    before = state(tmp_path)
    assert stale(rows(3), tmp_path, embedder.name) == ""
    assert stale(rows(4), tmp_path, embedder.name)
    assert stale(rows(3), tmp_path, None)
    assert state(tmp_path) == before
