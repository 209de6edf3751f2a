"""VectorIndex over Vector Search, by the real client, against indexes of real Delta tables."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from pincite.databricks.connect import Connection
from pincite.databricks.search import COLUMNS, FLOORS, Counted, Place, VectorSearchIndex
from pincite.databricks.wait import Patience
from pincite.errors import CountMismatch, IndexFault, PlatformError, UsageError
from pincite.model import Scope

SCOPE = Scope("fda", "gmp")
PLACE = Place("main.reg.passages", "search-test", "main.reg.chunks", "databricks-gte-large-en")
TEXTS = {
    "a": "Laboratory records shall include complete data derived from all tests",
    "b": "The quality control unit shall approve or reject all components",
    "c": "Equipment shall be cleaned and maintained at appropriate intervals",
    "d": "Authority of this part",
}


class Table:
    """The chunks table, as the merge leaves it."""

    def __init__(self, workspace: Any) -> None:
        self.folder = workspace.folder / "tables" / "main" / "reg" / "chunks"
        self.rows: list[dict[str, Any]] = []
        workspace.table("tables")["main.reg.chunks"] = {"properties": {"delta.enableChangeDataFeed": "true"}}

    def write(self, texts: dict[str, str], scope: Scope = SCOPE) -> int:
        """Replace the rows of one scope; the table's version."""
        from deltalake import DeltaTable, write_deltalake

        kept = [row for row in self.rows if (row["project"], row["collection"]) != scope]
        self.rows = kept + [row(key, text, scope) for key, text in texts.items()]
        write_deltalake(str(self.folder), pa.Table.from_pylist(self.rows), mode="overwrite")
        return int(DeltaTable(str(self.folder)).version())

    def counted(self) -> Counted:
        mine = [row for row in self.rows if (row["project"], row["collection"]) == SCOPE and row["indexable"]]
        return Counted(len(self.rows), len(mine))


def row(key: str, text: str, scope: Scope) -> dict[str, Any]:
    values = {"chunk_id": f"{scope.collection}-{key}", "document_id": f"document-{key}", "retrieval_text": text}
    common = {"corpus_version": "2026-07-29", "node_id": f"21 CFR 211.{key}", "indexable": key != "d", "evidence_text": text}
    return {"project": scope.project, "collection": scope.collection, **values, **common}


@pytest.fixture
def table(workspace: Any, connection: Connection) -> Table:
    from databricks.sdk.service.vectorsearch import EndpointType

    connection.workspace.vector_search_endpoints.create_endpoint(name="search-test", endpoint_type=EndpointType.STANDARD)
    return Table(workspace)


@pytest.fixture
def index(connection: Connection, table: Table, quick: Patience) -> VectorSearchIndex:
    return VectorSearchIndex(connection, PLACE, SCOPE, table.counted, patience=quick)


@pytest.fixture
def waiting(connection: Connection, table: Table, quick: Patience, clock: Any) -> VectorSearchIndex:
    """One that looks once a second."""
    return VectorSearchIndex(connection, PLACE, SCOPE, table.counted, patience=quick._replace(every=1.0))


def syncs(workspace: Any) -> int:
    return int(workspace.called("POST", "/sync$"))


# --- the contract -----------------------------------------------------------------------------------------------------


def test_sync_makes_the_index_and_search_finds(index: VectorSearchIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    hits = index.search("who may reject components", 2)
    assert hits[0].chunk_id == "gmp-b"
    assert [hit.ranks for hit in hits] == [{"hybrid": 1}, {"hybrid": 2}]
    assert hits[0].score >= hits[1].score > 0
    assert index.count() == 3  # d is not indexable


@pytest.mark.parametrize("query_type", ["HYBRID", "ANN", "FULL_TEXT"])
def test_every_query_type(connection: Connection, table: Table, quick: Patience, query_type: str) -> None:
    index = VectorSearchIndex(connection, PLACE, SCOPE, table.counted, query_type=query_type, patience=quick)
    index.sync(table.write(TEXTS))
    assert index.search("cleaned equipment", 1)[0].chunk_id == "gmp-c"
    assert index.floor() == FLOORS[query_type]
    assert index.floor().calibration


def test_only_indexable_passages_of_the_scope_are_found(index: VectorSearchIndex, table: Table) -> None:
    table.write({"x": "Laboratory records of another scope"}, Scope("fda", "other"))
    index.sync(table.write(TEXTS))
    found = {hit.chunk_id for hit in index.search("laboratory records authority of this part", 50)}
    assert found == {"gmp-a", "gmp-b", "gmp-c"}
    assert index.count() == 3


def test_filters_narrow_a_search(index: VectorSearchIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    assert {h.chunk_id for h in index.search("shall", 9, filters={"chunk_id": ["gmp-a", "gmp-c"]})} == {"gmp-a", "gmp-c"}
    assert {h.chunk_id for h in index.search("shall", 9, filters={"document_id": "document-b"})} == {"gmp-b"}
    with pytest.raises(UsageError, match="cannot be filtered by 'evidence_text'"):
        index.search("shall", 9, filters={"evidence_text": "x"})


def test_more_than_the_service_gives_is_not_asked(index: VectorSearchIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    assert len(index.search("shall", 5000)) == 3  # the service refuses more than 200 for HYBRID


def test_the_reranker_reorders(connection: Connection, table: Table, quick: Patience) -> None:
    index = VectorSearchIndex(connection, PLACE, SCOPE, table.counted, rerank=True, patience=quick)
    index.sync(table.write(TEXTS))
    assert index.search("appropriate intervals", 2)[0].chunk_id == "gmp-c"


def test_a_second_sync_of_the_same_version_sends_nothing(workspace: Any, index: VectorSearchIndex, table: Table) -> None:
    version = table.write(TEXTS)
    index.sync(version)
    index.sync(version)
    assert syncs(workspace) == 0  # the first version came with the creation


def test_a_new_version_is_synced(workspace: Any, index: VectorSearchIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    changed = {**TEXTS, "b": "Drug product containers shall not be reactive"}
    index.sync(table.write(changed))
    assert syncs(workspace) == 1
    assert index.search("reactive containers", 1)[0].chunk_id == "gmp-b"


def test_the_columns_that_filter_are_synced() -> None:
    assert {"project", "collection", "indexable", "chunk_id"} <= set(COLUMNS)


# --- waiting ----------------------------------------------------------------------------------------------------------


def test_a_slow_sync_is_awaited_with_progress(
    workspace: Any, index: VectorSearchIndex, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    workspace.sleep_for_sync = 0.3
    with caplog.at_level(logging.INFO, "pincite.databricks"):
        index.sync(table.write(TEXTS))
    assert index.count() == 3
    assert "syncing main.reg.passages to version 0: PROVISIONING_INITIAL_SNAPSHOT, 0 rows" in caplog.text


def test_a_sync_refused_because_another_runs_is_awaited(workspace: Any, index: VectorSearchIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    workspace.sleep_for_sync = 1.0
    version = table.write({**TEXTS, "e": "Air filtration systems"})
    workspace.state["hang"] = True  # another writer's update is under way when ours is sent, and ends without our version
    index._connection.workspace.vector_search_indexes.sync_index("main.reg.passages")
    workspace.sleep_for_sync = 0.0
    status = workspace.table("indexes")["main.reg.passages"]["status"]

    def end() -> None:
        workspace.state["hang"] = False
        status.update(detailed_state="ONLINE_NO_PENDING_UPDATE")

    threading.Timer(0.6, end).start()
    index.sync(version)
    assert index.search("air filtration", 1)[0].chunk_id == "gmp-e"
    assert syncs(workspace) >= 3  # refused at least once


def test_a_sync_that_hangs_ends_at_the_limit(workspace: Any, waiting: VectorSearchIndex, table: Table, clock: Any) -> None:
    waiting.sync(table.write(TEXTS))
    workspace.state["hang"] = True
    with pytest.raises(PlatformError, match="it did not end within 60 s; its state is ONLINE_TRIGGERED_UPDATE"):
        waiting.sync(table.write({**TEXTS, "e": "new"}))
    assert 60 <= clock.now < 61


def test_a_sync_that_ended_short_of_the_version_is_sent_again(
    workspace: Any, connection: Connection, table: Table, quick: Patience
) -> None:
    """Another writer's update began before our commit: it ends well, and the index is still behind."""
    index = VectorSearchIndex(connection, PLACE, SCOPE, table.counted, patience=quick._replace(idle=0.1))
    index.sync(table.write(TEXTS))
    version = table.write({**TEXTS, "e": "Air filtration systems"})
    workspace.state["stale_syncs"] = 1
    index.sync(version)
    assert index.search("air filtration", 1)[0].chunk_id == "gmp-e"
    assert syncs(workspace) == 2


def test_an_index_that_stays_behind_is_told(workspace: Any, connection: Connection, table: Table, quick: Patience) -> None:
    index = VectorSearchIndex(connection, PLACE, SCOPE, table.counted, patience=quick._replace(idle=0.05))
    index.sync(table.write(TEXTS))
    workspace.state["stale_syncs"] = 99
    with pytest.raises(IndexFault, match="after 3 syncs the index says it holds version 0, its table is at 1; look at its"):
        index.sync(table.write({**TEXTS, "e": "new"}))
    assert syncs(workspace) == 3


def test_all_waits_of_a_sync_share_one_limit(workspace: Any, waiting: VectorSearchIndex, table: Table, clock: Any) -> None:
    """And it is below the task's own, so that the sentence comes before the platform ends the task."""
    waiting.sync(table.write(TEXTS))
    workspace.state["hang"] = True
    waiting._connection.workspace.vector_search_indexes.sync_index("main.reg.passages")  # never ends, so ours is refused
    version = table.write({**TEXTS, "e": "new"})
    with pytest.raises(PlatformError, match="starting the sync of main.reg.passages: it did not end within"):
        waiting.sync(version)
    assert 60 <= clock.now < 61
    job = yaml.safe_load((Path(__file__).parents[2] / "resources" / "ingest.job.yml").read_text())
    (task,) = (each for each in job["resources"]["jobs"]["ingest"]["tasks"] if each["task_key"] == "sync")
    assert Patience().limit + 600 <= task["timeout_seconds"]


def test_a_failed_pipeline_is_told_at_once(workspace: Any, index: VectorSearchIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    workspace.state["hang"] = True
    index._connection.workspace.vector_search_indexes.sync_index("main.reg.passages")
    workspace.table("indexes")["main.reg.passages"]["status"].update(
        detailed_state="ONLINE_PIPELINE_FAILED", message="out of quota"
    )
    with pytest.raises(IndexFault, match=r"the sync failed \(ONLINE_PIPELINE_FAILED\): out of quota"):
        index._arrived(99, 0.0)


def test_an_endpoint_that_is_starting_is_awaited(workspace: Any, index: VectorSearchIndex, table: Table) -> None:
    status = workspace.table("endpoints")["search-test"]["endpoint_status"]
    status["state"] = "PROVISIONING"
    threading.Timer(0.2, lambda: status.update(state="ONLINE")).start()
    index.sync(table.write(TEXTS))
    assert index.count() == 3


# --- failures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 429, "headers": {"Retry-After": "0"}},
        {"status": 500},
        {"status": 503, "headers": {"Retry-After": "0"}},
        {"status": 0},
    ],
    ids=["throttled", "internal error", "unavailable", "dropped connection"],
)
@pytest.mark.parametrize(("method", "path"), [("POST", "/sync$"), ("GET", "/query$"), ("GET", "/endpoints/search-test$")])
def test_failures_that_pass(
    workspace: Any, index: VectorSearchIndex, table: Table, fault: dict[str, Any], method: str, path: str
) -> None:
    index.sync(table.write(TEXTS))
    workspace.fail(method, path, times=1, **fault)
    index.sync(table.write({**TEXTS, "e": "Air filtration systems"}))
    assert index.search("air filtration", 1)[0].chunk_id == "gmp-e"
    assert not [f for f in workspace.faults if f.times]


@pytest.mark.parametrize("status", [0, 500, 503])
def test_a_creation_whose_answer_was_lost_is_not_made_twice(
    workspace: Any, index: VectorSearchIndex, table: Table, status: int
) -> None:
    workspace.fail("POST", "/indexes$", status=status, headers={"Retry-After": "0"}, after=True)
    index.sync(table.write(TEXTS))
    assert list(workspace.table("indexes")) == ["main.reg.passages"]
    assert index.count() == 3
    assert not [fault for fault in workspace.faults if fault.times]


def test_an_index_that_loses_rows_fails_the_task(workspace: Any, index: VectorSearchIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    workspace.state["lose_rows"] = 1
    with pytest.raises(CountMismatch, match="the index holds 4 rows, its table 5"):
        index.sync(table.write({**TEXTS, "e": "new"}))
    assert index.count() == 4 - 1  # four are indexable, one row is lost: never counted as all


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"endpoint_name": "other"}, "its endpoint is other, not search-test"),
        ({"primary_key": "id"}, "its primary key is id, not chunk_id"),
        (
            {"delta_sync_index_spec": {"source_table": "main.reg.other"}},
            "its source table is main.reg.other, not main.reg.chunks",
        ),
        ({"delta_sync_index_spec": {"columns_to_sync": ["chunk_id"]}}, r"its columns is \['chunk_id'\], not"),
        (
            {
                "delta_sync_index_spec": {
                    "embedding_source_columns": [{"name": "x", "embedding_model_endpoint_name": "databricks-bge"}]
                }
            },
            "its embedded column is x, not retrieval_text; its embedding endpoint is databricks-bge",
        ),
    ],
)
def test_another_index_is_refused_and_left_alone(
    workspace: Any, index: VectorSearchIndex, table: Table, change: dict[str, Any], says: str
) -> None:
    index.sync(table.write(TEXTS))
    there = workspace.table("indexes")["main.reg.passages"]
    spec = {**there["delta_sync_index_spec"], **change.pop("delta_sync_index_spec", {})}
    there.update(change, delta_sync_index_spec=spec)
    before = {k: dict(v) for k, v in workspace.table("indexes").items()}
    with pytest.raises(IndexFault, match=says):
        index.sync(table.write({**TEXTS, "e": "new"}))
    assert workspace.table("indexes") == before
    assert syncs(workspace) == 0


def test_an_endpoint_of_another_type_is_refused(workspace: Any, index: VectorSearchIndex, table: Table) -> None:
    workspace.table("endpoints")["search-test"]["endpoint_type"] = "STORAGE_OPTIMIZED"
    with pytest.raises(IndexFault, match="search-test: the endpoint is of type STORAGE_OPTIMIZED, not STANDARD"):
        index.sync(table.write(TEXTS))
    assert not workspace.table("indexes")


def test_a_missing_endpoint(connection: Connection, workspace: Any, quick: Patience) -> None:
    index = VectorSearchIndex(connection, PLACE, SCOPE, lambda: Counted(0, 0), patience=quick)
    with pytest.raises(PlatformError, match=r"search-test: .*does not exist \(HTTP 404, .*request id .*\); deploy the bundle"):
        index.sync(0)


def test_a_source_table_without_change_data_feed(workspace: Any, index: VectorSearchIndex, table: Table) -> None:
    workspace.table("tables")["main.reg.chunks"] = {"properties": {}}
    with pytest.raises(PlatformError, match="Change Data Feed is not enabled"):
        index.sync(table.write(TEXTS))
    assert not workspace.table("indexes")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/vector-search/endpoints/search-test$"),
        ("POST", "/indexes$"),
        ("GET", "/indexes/main.reg.passages$"),
        ("GET", "/serving-endpoints/"),
        ("POST", "/sync$"),
        ("GET", "/query$"),
    ],
)
def test_a_missing_right_is_told_with_object_and_request(
    workspace: Any, index: VectorSearchIndex, table: Table, method: str, path: str
) -> None:
    version = table.write(TEXTS)
    if path != "/indexes$":
        index.sync(version)
        version = table.write({**TEXTS, "e": "new"})
    workspace.deny(method, path)
    with pytest.raises(
        PlatformError, match=r"HTTP 403, PERMISSION_DENIED, request id [0-9a-f-]{36}\); ask the owner"
    ) as caught:
        index.search("x", 1) if path == "/query$" else index.sync(version)
    assert caught.value.where in ("search-test", "main.reg.passages")


def test_a_token_that_ends_is_told(workspace: Any, index: VectorSearchIndex, table: Table) -> None:
    index.sync(table.write(TEXTS))
    workspace.expire()
    with pytest.raises(PlatformError, match=r"The token has expired \(HTTP 401, UNAUTHENTICATED, .*\); sign in again"):
        index.search("x", 1)


def test_a_long_wait_outlives_its_token(
    workspace: Any, table: Table, quick: Patience, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A service principal's token ends during the sync; the next look is made with a new one."""
    monkeypatch.setenv("DATABRICKS_CONFIG_FILE", str(tmp_path / "none"))
    workspace.clients["robot"] = "secret"
    workspace.token_seconds = 41.0  # the SDK renews a token 40 s before it ends
    connection = Connection(host=workspace.url, client_id="robot", client_secret="secret")
    index = VectorSearchIndex(connection, PLACE, SCOPE, table.counted, patience=quick)
    workspace.sleep_for_sync = 1.5
    index.sync(table.write(TEXTS))
    assert index.count() == 3
    assert workspace.called("POST", "/oidc/v1/token") >= 2


@pytest.mark.parametrize("name", ["passages", "main.passages", "main.reg.my-index", "main.reg.a b", "a.b.c.d"])
def test_an_index_name_of_another_form(connection: Connection, name: str) -> None:
    with pytest.raises(UsageError, match="is no index name"):
        VectorSearchIndex(connection, PLACE._replace(name=name), SCOPE, lambda: Counted(0, 0))
