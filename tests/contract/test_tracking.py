"""Evaluation runs in the workspace's MLflow, by MLflow's own client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pincite.databricks.errors import platform
from pincite.errors import PlatformError
from pincite.evaluate.tracking import Run, log

RUN = Run(
    name="edge-aware",
    parameters={"mode": "edge-aware", "follow": "1"},
    metrics={"test.citation_recall": 0.97},
    tags={"pincite.table_version.chunks": "4"},
    data="fda/gmp",
    data_digest="d" * 64,
    columns=("question_id", "status"),
    rows=(("q1", "answered"),),
)
EXPERIMENT = "/Users/someone@example.com/pincite-evaluation"


@pytest.fixture
def tracked(workspace: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("DATABRICKS_HOST", workspace.url)
    monkeypatch.setenv("DATABRICKS_TOKEN", workspace.token)
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR", "0")
    return workspace


def test_a_run_has_parameters_metrics_tags_and_its_table(tracked: Any) -> None:
    (logged,) = log([RUN], EXPERIMENT, "databricks")
    (found,) = tracked.table("runs").values()
    data = {kind: {entry["key"]: entry["value"] for entry in found["data"][kind]} for kind in ("params", "metrics", "tags")}
    assert data["params"] == {"mode": "edge-aware", "follow": "1"}
    assert data["metrics"] == {"test.citation_recall": 0.97}
    assert data["tags"]["pincite.table_version.chunks"] == "4"
    assert found["info"]["status"] == "FINISHED"
    assert logged.new
    table = tracked.folder / "artifacts" / found["info"]["experiment_id"] / logged.run_id / "artifacts" / "questions.json"
    assert json.loads(table.read_text())["data"] == [["q1", "answered"]]


def test_the_same_run_is_logged_once(tracked: Any) -> None:
    first = log([RUN], EXPERIMENT, "databricks")
    second = log([RUN], EXPERIMENT, "databricks")
    assert [each.new for each in (*first, *second)] == [True, False]
    assert first[0].run_id == second[0].run_id
    log([RUN._replace(metrics={"test.citation_recall": 0.5})], EXPERIMENT, "databricks")
    assert len(tracked.table("runs")) == 2


@pytest.mark.parametrize("path", ["experiments/get-by-name", "runs/create", "runs/log-batch"])
def test_a_missing_right(tracked: Any, path: str) -> None:
    tracked.deny("GET" if path.endswith("name") else "POST", path)
    with pytest.raises(PlatformError, match=r"HTTP 403, PERMISSION_DENIED") as caught, platform(EXPERIMENT):
        log([RUN], EXPERIMENT, "databricks")
    assert caught.value.where == EXPERIMENT


@pytest.mark.parametrize("failure", [{"status": 429, "headers": {"Retry-After": "0"}}, {"status": 500}, {"status": 0}])
def test_a_failure_that_passes_by_itself(tracked: Any, failure: dict[str, Any]) -> None:
    tracked.fail("POST", "runs/log-batch$", **failure)
    (logged,) = log([RUN], EXPERIMENT, "databricks")
    assert logged.new
    (found,) = tracked.table("runs").values()
    assert {entry["key"]: entry["value"] for entry in found["data"]["metrics"]} == {"test.citation_recall": 0.97}


def test_a_token_that_ends(tracked: Any) -> None:
    tracked.expire()
    with pytest.raises(PlatformError, match="HTTP 401") as caught, platform(EXPERIMENT):
        log([RUN], EXPERIMENT, "databricks")
    assert caught.value.status == 401
    assert "sign in again or renew the run's credentials" in str(caught.value)
