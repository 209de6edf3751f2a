"""What ``pincite score`` prints, as rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pincite.errors import UsageError
from pincite.rank import score
from pincite.rank.collection import read_passages, rows_of


def report(
    run: Path | None,
    qrels: Path | None,
    compare: Path | None = None,
    passages: Path | None = None,
    measures: str = "",
    abstentions: Path | None = None,
    labels: Path | None = None,
) -> Iterator[dict[str, Any]]:
    """Rows of a run against judgements, of two runs against each other, of abstentions against labels."""
    if (run is None) != (qrels is None) or (abstentions is None) != (labels is None) or (run is None and abstentions is None):
        raise UsageError("there is nothing to score", next="give --run with --qrels, or --abstentions with --labels")
    if run is not None and qrels is not None:
        yield from _ranking(run, qrels, compare, passages, measures)
    if abstentions is not None and labels is not None:
        yield from _abstention(abstentions, labels)


def _ranking(run: Path, qrels: Path, compare: Path | None, passages: Path | None, measures: str) -> Iterator[dict[str, Any]]:
    known = None if passages is None else [item.id for item in read_passages(passages)]
    judged = score.read_qrels(qrels, known)
    ranked = score.read_run(run)
    wanted = tuple(name.strip() for name in measures.split(",") if name.strip()) or score.MEASURES
    values = score.per_query(ranked, judged, wanted)
    for figure in score.figures(values):
        yield {"run": run.name, **figure._asdict()}
    missing = len(judged.relevant.keys() - ranked.keys())
    yield {"run": run.name, "judged": len(judged.relevant), "pairs": judged.pairs, "without_results": missing,
           "unjudged": len(ranked.keys() - judged.relevant.keys())}  # fmt: skip
    if compare is not None:
        other = score.per_query(score.read_run(compare), judged, wanted)
        for figure in score.figures(other):
            yield {"run": compare.name, **figure._asdict()}
        for difference in score.differences(values, other):
            yield {"difference": f"{compare.name} - {run.name}", **difference._asdict()}


def _abstention(abstentions: Path, labels: Path) -> Iterator[dict[str, Any]]:
    decisions: dict[str, tuple[bool, float]] = {}
    for where, row in rows_of(abstentions):
        decisions[_id(row, where)] = (_flag(row, "abstain", where), _number(row, "confidence", where))
    should = {_id(row, where): _flag(row, "abstain", where) for where, row in rows_of(labels)}
    if not should:
        raise UsageError("there is no label in the file", where=labels.name, next='give {"id": …, "abstain": true or false}')
    found = score.abstention(decisions, should)._asdict()
    yield {"abstention": abstentions.name, **found, "curve": [list(point) for point in found["curve"]]}


def _id(row: dict[str, Any], where: str) -> str:
    if not isinstance(row.get("id"), (str, int)):
        raise UsageError("id is missing", where=where, next='give "id" as a string')
    return str(row["id"])


def _flag(row: dict[str, Any], key: str, where: str) -> bool:
    if not isinstance(row.get(key), bool):
        raise UsageError(f'"{key}" is neither true nor false', where=where, next="correct the line")
    return bool(row[key])


def _number(row: dict[str, Any], key: str, where: str) -> float:
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        raise UsageError(f'"{key}" is no number', where=where, next="correct the line")
    return float(value)
