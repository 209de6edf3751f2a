"""An evaluation as runs to track: one per mode."""

from __future__ import annotations

from collections.abc import Mapping

from pincite.evaluate.corpus import Evaluation
from pincite.evaluate.measures.question_pass import passed
from pincite.evaluate.run import Report
from pincite.evaluate.tracking import Run
from pincite.model import Scope, digest

COLUMNS = (
    "question_id",
    "part",
    "kind",
    "question",
    "status",
    "passed",
    "expected",
    "cited",
    "whole",
    "delivered",
    "confidence",
    "error",
)


def runs(evaluation: Evaluation, scope: Scope, versions: Mapping[str, int], stamp: str) -> list[Run]:
    """A run for the baseline and one for following references. *versions* are those of the tables, *stamp* the index's."""
    return [_run(evaluation, at, scope, versions, stamp) for at in range(2)]


def _run(evaluation: Evaluation, at: int, scope: Scope, versions: Mapping[str, int], stamp: str) -> Run:
    reports = {part: pair[at] for part, pair in evaluation.parts.items()}
    setting = next(iter(reports.values())).setting
    metrics: dict[str, float] = {}
    for part, report in reports.items():
        for share in report.shares:
            metrics[f"{part}.{share.name}"] = share.value
            metrics[f"{part}.{share.name}.numerator"] = float(share.numerator)
            metrics[f"{part}.{share.name}.denominator"] = float(share.denominator)
    return Run(
        name=setting.name,
        parameters={**setting.parameters, "gold": evaluation.gold.digest},
        metrics=metrics,
        tags={f"pincite.table_version.{table}": str(version) for table, version in versions.items()},
        data="/".join(scope),
        data_digest=digest(stamp, evaluation.gold.digest),
        columns=COLUMNS,
        rows=tuple(row for report in reports.values() for row in _rows(report)),
    )


def _rows(report: Report) -> list[tuple[object, ...]]:
    return [
        (
            outcome.question.question_id,
            report.part,
            outcome.question.kind,
            outcome.question.text,
            outcome.status,
            passed(outcome),
            ", ".join(expected.node_id for expected in outcome.question.expected),
            sum(rank is not None for rank in outcome.cited),
            sum(outcome.whole),
            ", ".join(passage.node_id for passage in outcome.delivered),
            round(outcome.score, 6),
            outcome.error,
        )
        for outcome in report.outcomes
    ]
