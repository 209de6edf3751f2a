from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from pincite.errors import IndexFault, ModelMissing, UsageError
from pincite.index import local
from pincite.index.local import Entry

TEXTS = {
    "211.22": "Responsibilities of the quality control unit: approve or reject components",
    "211.42": "Design and construction features of buildings",
    "211.100": "Written procedures for production and process control",
    "211.110": "Sampling and testing of in-process materials by the quality control unit",
}


def entries(texts: dict[str, str] = TEXTS) -> list[Entry]:
    return [
        Entry(f"chunk-{node}", "doc-211" if node < "211.4" else "doc-x", "2026-07-29", f"21 CFR {node}", text, f"hash-{node}")
        for node, text in texts.items()
    ]


def test_hybrid_search_carries_ranks_and_raw_scores(embedder: Any) -> None:
    index = local.build(entries(), embedder)
    hits = index.search("quality control unit", 3)
    assert {hits[0].chunk_id, hits[1].chunk_id} == {"chunk-211.22", "chunk-211.110"}
    assert hits[0].scores["bm25"] > 0
    assert -1 <= hits[0].scores["vector"] <= 1.001
    assert set(hits[0].ranks) == {"bm25", "vector"}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_words_searched_beside_the_embedding_give_the_same(embedder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    index = local.build(entries(), embedder)
    asked: list[tuple[str, dict[str, Any] | None]] = [
        ("quality control unit", None),
        ("written procedures", None),
        ("nothing of it", None),
        ("unit", {"document_id": "doc-211"}),
    ]
    alone = [index.search(query, 3, filters=filters) for query, filters in asked]
    index.forget()
    begun: list[Any] = []
    monkeypatch.setattr(local, "_LARGE", 0)
    monkeypatch.setattr(local.threads, "begin", lambda function, begin=local.threads.begin: begun.append(0) or begin(function))
    assert [index.search(query, 3, filters=filters) for query, filters in asked] == alone
    assert len(begun) == len(asked)
    index.embedder = None
    index.forget()
    with pytest.raises(ModelMissing):
        index.search("unit", 3)


def test_words_alone_need_no_model() -> None:
    index = local.build(entries(), None)
    assert [hit.chunk_id for hit in index.search("buildings", 5)] == ["chunk-211.42"]
    assert index.backend == "local-bm25"
    with pytest.raises(ModelMissing, match="bm25"):
        index.search("buildings", 5, method="vector")


def test_filters(embedder: Any) -> None:
    index = local.build(entries(), embedder)
    assert {hit.chunk_id for hit in index.search("unit", 9, filters={"document_id": "doc-211"})} <= {
        "chunk-211.22", "chunk-211.100", "chunk-211.110",
    }  # fmt: skip
    wanted = ["chunk-211.42", "chunk-211.100"]
    assert {hit.chunk_id for hit in index.search("unit", 9, filters={"chunk_id": wanted})} == set(wanted)
    assert index.search("unit", 9, filters={"corpus_version": "1999-01-01"}) == []
    with pytest.raises(UsageError, match="colour"):
        index.search("unit", 9, filters={"colour": "red"})


def test_filters_meet_and_give_what_a_full_search_would(embedder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    index = local.build(entries(), embedder)
    both = {"document_id": "doc-211", "chunk_id": ["chunk-211.22", "chunk-211.42"]}
    assert [hit.chunk_id for hit in index.search("unit", 9, filters=both)] == ["chunk-211.22"]
    wanted = [hit for hit in index.search("quality", 9) if hit.chunk_id != "chunk-211.42"]
    others = {"chunk_id": [hit.chunk_id for hit in wanted]}
    for few in (10_000, 0):  # scored alone, and by a scan with a mask
        monkeypatch.setattr(local, "_FEW", few)
        assert [hit.chunk_id for hit in index.search("quality", 9, filters=others)] == [hit.chunk_id for hit in wanted]


def test_the_last_query_is_not_taken_for_another(embedder: Any) -> None:
    index = local.build(entries(), embedder)
    fresh = local.build(entries(), embedder)
    for query in ("buildings", "quality unit", "buildings", "testing"):
        assert index.search(query, 4) == fresh.search(query, 4)
        fresh.forget()


def test_an_unknown_method_and_no_results_wanted(embedder: Any) -> None:
    index = local.build(entries(), embedder)
    assert index.search("unit", 0) == []
    with pytest.raises(UsageError, match="psychic"):
        index.search("unit", 1, method="psychic")


def test_an_empty_scope(embedder: Any, tmp_path: Path) -> None:
    index = local.build([], embedder)
    assert index.count() == 0
    assert index.search("unit", 5) == []
    index.save(tmp_path)
    assert local.load(tmp_path, embedder).count() == 0


def test_rows_that_are_not_indexable_stay_out(embedder: Any) -> None:
    rows = [entry._asdict() | {"indexable": entry.node_id != "21 CFR 211.42"} for entry in entries()]
    index = local.build(pa.Table.from_pylist(rows), embedder)
    assert index.count() == 3
    assert "chunk-211.42" not in {hit.chunk_id for hit in index.search("buildings", 9)}
    assert index.stamp == local.build([entry for entry in entries() if entry.node_id != "21 CFR 211.42"], embedder).stamp


def test_save_and_load_answer_alike(embedder: Any, tmp_path: Path) -> None:
    index = local.build(entries(), embedder, version=7)
    index.save(tmp_path)
    back = local.load(tmp_path, embedder)
    assert (back.version, back.count(), back.stamp) == (7, 4, index.stamp)
    assert back.search("quality control", 4) == index.search("quality control", 4)


def test_a_new_generation_replaces_the_old_one(embedder: Any, tmp_path: Path) -> None:
    local.build(entries(), embedder, version=1).save(tmp_path)
    reader = local.load(tmp_path, embedder)
    local.build(entries()[:2], embedder, version=2).save(tmp_path)
    assert local.load(tmp_path, embedder).count() == 2
    assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == 1
    assert len(reader.search("unit", 9)) == 4  # one that was open stays whole


def test_the_stamp_changes_with_rows_and_model(embedder: Any) -> None:
    one = local.stamp_of(entries(), embedder.name)
    assert one == local.stamp_of(entries(), embedder.name)
    changed = [entries()[0]._replace(content_hash="other"), *entries()[1:]]
    assert one != local.stamp_of(changed, embedder.name)
    assert one != local.stamp_of(entries(), None)


def test_sync_follows_the_table(embedder: Any) -> None:
    rows = entries()[:3]
    index = local.build(rows, embedder, version=1, read=lambda: rows)
    rows = entries()
    index.sync(1)
    assert index.count() == 3
    assert len(index.search("unit", 9)) == 3
    index.sync(2)
    assert (index.count(), index.version) == (4, 2)
    assert len(index.search("unit", 9, filters={"corpus_version": "2026-07-29"})) == 4
    with pytest.raises(IndexFault, match="no table"):
        local.build(rows, embedder, version=1).sync(2)


def test_no_index_here(tmp_path: Path) -> None:
    with pytest.raises(IndexFault, match="there is no index here"):
        local.load(tmp_path)


@pytest.mark.parametrize("name", ["vectors.npy", "weights.npy", "keys.json", "vocabulary.txt"])
def test_one_flipped_byte_is_found(embedder: Any, tmp_path: Path, name: str) -> None:
    local.build(entries(), embedder).save(tmp_path)
    path = next(tmp_path.glob(f"*/{name}"))
    data = bytearray(path.read_bytes())
    data[-2] ^= 1
    path.write_bytes(data)
    with pytest.raises(IndexFault, match="missing or damaged"):
        local.load(tmp_path, embedder)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 0}', '{"format": 1}'])
def test_a_damaged_pointer_says_so(embedder: Any, tmp_path: Path, content: str) -> None:
    local.build(entries(), embedder).save(tmp_path)
    (tmp_path / "current.json").write_text(content)
    with pytest.raises(IndexFault, match="build it"):
        local.load(tmp_path, embedder)


def test_a_generation_that_climbs_out_of_the_folder_is_refused(embedder: Any, tmp_path: Path) -> None:
    local.build(entries(), embedder).save(tmp_path / "a")
    current = json.loads((tmp_path / "a" / "current.json").read_text())
    current["generation"] = "../a/" + current["generation"]
    (tmp_path / "a" / "current.json").write_text(json.dumps(current))
    with pytest.raises(IndexFault, match="cannot be read"):
        local.load(tmp_path / "a", embedder)


def test_another_model_than_the_index_was_built_with(embedder: Any, tmp_path: Path) -> None:
    local.build(entries(), embedder).save(tmp_path)
    embedder.name = "hash/2"
    with pytest.raises(IndexFault, match="hash/1, not hash/2"):
        local.load(tmp_path, embedder)


def test_vectors_without_a_model_to_embed_the_question(embedder: Any, tmp_path: Path) -> None:
    local.build(entries(), embedder).save(tmp_path)
    assert local.load(tmp_path, method="bm25").search("buildings", 1)[0].chunk_id == "chunk-211.42"
    with pytest.raises(ModelMissing):
        local.load(tmp_path).search("buildings", 1)


def test_nothing_half_written_is_left(embedder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    local.build(entries(), embedder, version=1).save(tmp_path)

    def full(*args: Any, **kwargs: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(IndexFault, match="No space left"):
        local.build(entries()[:1], embedder, version=2).save(tmp_path)
    monkeypatch.undo()
    assert local.load(tmp_path, embedder).version == 1
    assert len(list(tmp_path.iterdir())) == 2
