"""Evaluation runs in the workspace's MLflow: parameters, every measure, the per-question table, table versions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from pincite.databricks.errors import platform
from pincite.evaluate.run import Report


def log_reports(experiment: str, reports: Sequence[Report], common: Mapping[str, Any], tags: Mapping[str, str]) -> list[str]:
    """One MLflow run for each report in *experiment* (made where it is missing); their run ids, in order."""
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri="databricks")
    with platform(experiment, "deploy the bundle, which makes the experiment, or name another"):
        found = client.get_experiment_by_name(experiment)
        experiment_id = client.create_experiment(experiment) if found is None else found.experiment_id
        return [_log(client, experiment_id, report, common, tags) for report in reports]


def _log(client: Any, experiment_id: str, report: Report, common: Mapping[str, Any], tags: Mapping[str, str]) -> str:
    from mlflow.entities import Metric, Param

    setting, now = report.setting, int(time.time() * 1000)
    parameters = {**common, **setting.parameters, "setting": setting.name, "part": report.part}
    parameters |= {"index_kind": setting.index_kind, "floor": setting.floor}
    metrics = {share.name: float(share.value) for share in report.shares}
    metrics |= {f"{share.name}_denominator": float(share.denominator) for share in report.shares}
    name = f"{setting.name} {report.part}"
    run_id = str(client.create_run(experiment_id, run_name=name, tags={**tags, "mlflow.runName": name}).info.run_id)
    client.log_batch(
        run_id,
        metrics=[Metric(key, value, now, 0) for key, value in metrics.items()],
        params=[Param(key, str(value)) for key, value in parameters.items()],
    )
    client.log_dict(run_id, {"questions": [question_row(outcome) for outcome in report.outcomes]}, "questions.json")
    client.set_terminated(run_id)
    return run_id


def question_row(outcome: Any) -> dict[str, Any]:
    """One question of a report, for the table beside the run."""
    return {
        "question_id": outcome.question.question_id,
        "kind": outcome.question.kind,
        "status": outcome.status,
        "expected": [expected.node_id for expected in outcome.question.expected],
        "cited": list(outcome.cited),
        "whole": list(outcome.whole),
        "delivered": [passage.node_id for passage in outcome.delivered],
        "quotable": outcome.quotable,
        "score": outcome.score,
        "error": outcome.error,
    }
