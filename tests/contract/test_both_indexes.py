"""The VectorIndex contract, passed by the local index and by Vector Search alike."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from pincite.databricks.connect import Connection
from pincite.databricks.search import Counted, Place, VectorSearchIndex
from pincite.databricks.wait import Patience
from pincite.errors import UsageError
from pincite.index.local import build
from pincite.model import Scope
from pincite.ports import VectorIndex

SCOPE = Scope("fda", "gmp")
TEXTS = {
    "a": "Laboratory records shall include complete data derived from all tests",
    "b": "The quality control unit shall approve or reject all components",
    "c": "Equipment shall be cleaned and maintained at appropriate intervals",
    "d": "Authority of this part",
}


class Row(NamedTuple):
    chunk_id: str
    document_id: str
    corpus_version: str
    node_id: str
    retrieval_text: str
    content_hash: str
    indexable: bool


def rows(texts: dict[str, str]) -> list[Row]:
    return [Row(key, f"document-{key}", "1", f"21 CFR 1.{key}", text, text, key != "d") for key, text in texts.items()]


class Table:
    """A chunks table that both kinds of index follow."""

    def __init__(self, workspace: Any) -> None:
        self.folder = workspace.folder / "tables" / "main" / "reg" / "chunks"
        self.rows: list[Row] = []
        workspace.table("tables")["main.reg.chunks"] = {"properties": {"delta.enableChangeDataFeed": "true"}}

    def write(self, texts: dict[str, str]) -> int:
        import pyarrow as pa
        from deltalake import DeltaTable, write_deltalake

        self.rows = rows(texts)
        scoped = [{**row._asdict(), "project": SCOPE.project, "collection": SCOPE.collection} for row in self.rows]
        write_deltalake(str(self.folder), pa.Table.from_pylist(scoped), mode="overwrite")
        return int(DeltaTable(str(self.folder)).version())

    def counted(self) -> Counted:
        return Counted(len(self.rows), sum(row.indexable for row in self.rows))


@pytest.fixture
def table(workspace: Any) -> Table:
    return Table(workspace)


@pytest.fixture(params=["local", "databricks"])
def index(request: pytest.FixtureRequest, table: Table, connection: Connection, quick: Patience) -> VectorIndex:
    if request.param == "local":
        return build([], None, read=lambda: table.rows)
    from databricks.sdk.service.vectorsearch import EndpointType

    connection.workspace.vector_search_endpoints.create_endpoint(name="e", endpoint_type=EndpointType.STANDARD)
    place = Place("main.reg.passages", "e", "main.reg.chunks", "databricks-gte-large-en")
    return VectorSearchIndex(connection, place, SCOPE, table.counted, patience=quick)


def test_it_finds_what_it_was_brought_to(index: VectorIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    hits = index.search("who may reject components", 2)
    assert hits[0].chunk_id == "b"
    assert all(a.score >= b.score for a, b in pairwise(hits))
    assert all(list(hit.ranks.values()) for hit in hits)


def test_it_counts_indexable_passages_only_and_finds_no_other(index: VectorIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    assert index.count() == 3
    assert "d" not in {hit.chunk_id for hit in index.search("authority of this part", 10)}


def test_it_follows_the_table(index: VectorIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    version = table.write({key: text for key, text in TEXTS.items() if key != "b"} | {"e": "Air filtration systems"})
    index.sync(version)
    index.sync(version)
    assert index.search("air filtration", 1)[0].chunk_id == "e"
    assert "b" not in {hit.chunk_id for hit in index.search("reject components", 10)}
    assert index.count() == 3


def test_filters(index: VectorIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    assert {hit.chunk_id for hit in index.search("shall", 9, filters={"chunk_id": ["a", "c"]})} == {"a", "c"}
    assert {hit.chunk_id for hit in index.search("shall", 9, filters={"document_id": "document-b"})} == {"b"}
    with pytest.raises(UsageError, match="cannot be filtered by"):
        index.search("shall", 9, filters={"evidence_text": "x"})


def test_nothing_asked_nothing_found(index: VectorIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    assert list(index.search("shall", 0)) == []


def test_its_floor_says_how_it_was_made(index: VectorIndex, table: Table) -> None:
    floor = index.floor()
    assert floor.backend
    assert floor.query_type
    assert floor.calibration
