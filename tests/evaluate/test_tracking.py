"""What is written directly is what MLflow reads; the same run is not logged twice."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from pincite.errors import TableError
from pincite.evaluate import tracking
from pincite.evaluate.tracking import Run, log

RUN = Run(
    name="baseline",
    parameters={"follow": "0", "model": "toy"},
    metrics={"test.mrr": 0.75, "test.mrr.denominator": 4.0},
    tags={"pincite.table_version.chunks": "3"},
    data="fda/toy",
    data_digest="ab" * 32,
    columns=("question_id", "passed"),
    rows=(("q1", True), ("§ 2", False)),
)
AWARE = RUN._replace(name="edge-aware", parameters={**RUN.parameters, "follow": "1"}, metrics={"test.mrr": 1.0})


def test_a_repeated_run_logs_nothing_and_says_so(tmp_path: Path):
    store = tmp_path / "state" / "mlflow.db"
    first = log([RUN, AWARE], "fda/toy", store)
    before = store.read_bytes()
    second = log([RUN, AWARE], "fda/toy", store)
    assert [each.new for each in first] == [True, True]
    assert [each.new for each in second] == [False, False]
    assert [each.run_id for each in first] == [each.run_id for each in second]
    assert store.read_bytes() == before
    assert len(list((tmp_path / "state" / "mlartifacts").rglob("questions.json"))) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"data_digest": "cd" * 32},
        {"tags": {"pincite.table_version.chunks": "4"}},
        {"parameters": {**RUN.parameters, "model": "other"}},
        {"metrics": {"test.mrr": 0.5}},
    ],
)
def test_other_data_versions_parameters_or_results_are_another_run(tmp_path: Path, change):
    store = tmp_path / "mlflow.db"
    log([RUN], "fda/toy", store)
    assert log([RUN._replace(**change)], "fda/toy", store)[0].new


def test_the_same_run_of_another_experiment_is_logged(tmp_path: Path):
    store = tmp_path / "mlflow.db"
    log([RUN], "fda/toy", store)
    assert log([RUN], "fda/other", store)[0].new


def test_a_deleted_run_is_logged_again(tmp_path: Path):
    store = tmp_path / "mlflow.db"
    log([RUN], "fda/toy", store)
    connection = sqlite3.connect(store)
    connection.execute("UPDATE runs SET lifecycle_stage = 'deleted'")
    connection.commit()
    connection.close()
    assert log([RUN], "fda/toy", store)[0].new


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning")
def test_mlflow_reads_what_was_written_and_its_client_writes_the_same(tmp_path: Path, monkeypatch):
    from mlflow import MlflowClient

    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    store = tmp_path / "mlflow.db"
    direct = log([RUN, AWARE], "fda/toy", store)
    uri = f"sqlite:///{store}"
    client = MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("fda/toy")
    found = {run.info.run_id: run for run in client.search_runs([experiment.experiment_id])}
    assert set(found) == {each.run_id for each in direct}
    run = found[direct[0].run_id]
    assert run.info.run_name == "baseline"
    assert run.info.status == "FINISHED"
    assert run.data.params == RUN.parameters
    assert run.data.metrics == RUN.metrics
    assert run.data.tags["pincite.table_version.chunks"] == "3"
    assert run.data.tags["pincite.data_digest"] == RUN.data_digest
    assert run.inputs.dataset_inputs[0].dataset.name == "fda/toy"
    assert run.inputs.dataset_inputs[0].tags[0].value == "evaluation"
    assert client.get_metric_history(direct[1].run_id, "test.mrr")[0].value == 1.0
    table = json.loads(Path(client.download_artifacts(direct[0].run_id, "questions.json", str(tmp_path))).read_text("utf-8"))
    assert table == {"columns": ["question_id", "passed"], "data": [["q1", True], ["§ 2", False]]}
    assert [item.path for item in client.list_artifacts(direct[0].run_id)] == ["questions.json"]

    assert log([RUN], "fda/toy", uri) == [tracking.Logged("baseline", direct[0].run_id, False)]
    changed = RUN._replace(metrics={"test.mrr": 0.25})
    by_client = log([changed], "fda/toy", uri)[0]
    assert by_client.new
    assert log([changed], "fda/toy", store) == [tracking.Logged("baseline", by_client.run_id, False)]


def test_a_store_with_other_columns_goes_through_the_client(tmp_path: Path, monkeypatch):
    store = tmp_path / "mlflow.db"
    log([RUN], "fda/toy", store)
    connection = sqlite3.connect(store)
    connection.execute("ALTER TABLE runs RENAME COLUMN user_id TO who")
    connection.commit()
    connection.close()
    asked = []
    monkeypatch.setattr(tracking, "_log_by_client", lambda run, experiment, uri: asked.append(uri))
    log([RUN], "fda/toy", store)
    assert asked == [f"sqlite:///{store.resolve()}"]


def test_a_store_that_cannot_be_written_is_one_clear_sentence(tmp_path: Path):
    store = tmp_path / "mlflow.db"
    log([RUN], "fda/toy", store)
    connection = sqlite3.connect(store)
    connection.execute("DROP TABLE params")
    connection.execute("CREATE VIEW params AS SELECT '' AS key, '' AS value, '' AS run_uuid")
    connection.commit()
    connection.close()
    with pytest.raises(TableError, match=r"mlflow\.db: the run cannot be logged"):
        log([AWARE], "fda/toy", store)
