"""Reports for people: one table of both modes, and what the difference is worth."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.evaluate.measures.question_pass import passed
from pincite.evaluate.run import Report
from pincite.evaluate.significance import mcnemar, paired_bootstrap

_LOWER_IS_BETTER = frozenset({"wrong_abstention"})


def table(baseline: Report, aware: Report) -> list[str]:
    """Each measure with numerator and denominator in both modes, then the paired comparison."""
    lines = [f"{'':18} {'baseline':>19} {'edge-aware':>19}   difference"]
    for first, second in zip(baseline.shares, aware.shares):
        change = second.value - first.value
        note = " (lower is better)" if first.name in _LOWER_IS_BETTER else ""
        cells = [f"{share.numerator:g}/{share.denominator} = {share.value:.3f}" for share in (first, second)]
        lines.append(f"{first.name:18} {cells[0]:>19} {cells[1]:>19}   {change:+.3f}{note}")
    return [*lines, *comparison(baseline, aware)]


def comparison(baseline: Report, aware: Report) -> list[str]:
    """Exact McNemar over passed questions, and a bootstrap interval of the gain in edge recall."""
    test = mcnemar([passed(outcome) for outcome in baseline.outcomes], [passed(outcome) for outcome in aware.outcomes])
    gain = paired_bootstrap(edge_units(baseline), edge_units(aware))
    return [
        f"questions passed only by the baseline {test.only_first}, only edge-aware {test.only_second}: "
        f"exact two-sided McNemar p = {test.p_value:.4f}",
        f"gain in edge recall {gain.value:+.3f}, 95 % bootstrap interval {gain.low:+.3f} to {gain.high:+.3f}",
    ]


def edge_units(report: Report) -> list[tuple[float, int]]:
    """Expected nodes cited, and all, of each question that needs a cross-reference."""
    outcomes = [outcome for outcome in report.outcomes if outcome.question.kind == "edge"]
    return [(float(sum(rank is not None for rank in outcome.cited)), len(outcome.cited)) for outcome in outcomes]


def failures(report: Report) -> list[str]:
    """Each question that did not pass, with what was missing or should not have been there."""
    lines = []
    for outcome in report.outcomes:
        if passed(outcome):
            continue
        question = outcome.question
        missing = [expected.node_id for expected, whole in zip(question.expected, outcome.whole) if not whole]
        what = f"not delivered whole: {', '.join(missing)}" if missing and outcome.answered else outcome.error or outcome.status
        lines.append(f"{question.kind:6} {question.question_id}: {what}")
    return lines


def rows(reports: Sequence[Report]) -> list[dict[str, object]]:
    """One row a measure, for programs."""
    return [
        {"part": report.part, "mode": report.setting.name, **share._asdict(), "value": share.value}
        for report in reports
        for share in report.shares
    ]
