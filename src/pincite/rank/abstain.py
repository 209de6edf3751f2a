"""When to say "nothing here answers this": a calibrated decision over the whole score distribution, with its guarantee.

A logistic model gives each query a score that an answer is there. The threshold is conformal: of *n* answerable queries, as
scored by models that did not see them, at most ``floor(level·(n+1)) - 1`` lie below it, so that a new answerable query from
the same source is turned away with probability at most ``level``. How many unanswerable ones it lets through is no guarantee
but a measurement, and is kept with the calibration. (Cross-conformal: the guarantee is that of the folds' scores.)
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pincite.errors import MissingSource, UsageError
from pincite.model import sha256_hex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_RIDGE = 1.0  # penalty on standardised coefficients; calibration sets are small
_ROUNDS = 50
_FORMAT = 1


class Calibration(NamedTuple):
    """A fitted abstainer. All counts come from folds the model was not fitted on."""

    names: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    coefficients: tuple[float, ...]
    intercept: float
    threshold: float  # on the model's score: below it the query is turned away
    level: float  # largest share of answerable queries that may be turned away
    answerable: int
    unanswerable: int
    turned_away: int  # answerable queries below the threshold: wrong abstentions in calibration
    let_through: int  # unanswerable queries above it: wrong answers in calibration
    auroc: float
    source: str = ""  # what it was fitted on


class Verdict(NamedTuple):
    """``confidence`` that an answer is there, between 0 and 1; it orders queries and is no probability elsewhere."""

    abstain: bool
    confidence: float


def describe(lists: Mapping[str, Sequence[float]], *, prefix: str = "", depth: int = 50) -> dict[str, float]:
    """Features of each list's whole distribution of scores, best first: its top, its gaps, its spread, its tail."""
    found: dict[str, float] = {}
    for name, scores in lists.items():
        top = sorted((float(score) for score in scores), reverse=True)[:depth] or [0.0]
        mean = sum(top) / len(top)
        spread = math.sqrt(sum((score - mean) ** 2 for score in top) / len(top)) or 1e-9
        key = f"{prefix}{name}"
        found[f"{key}_top"] = top[0]
        found[f"{key}_gap"] = top[0] - top[min(1, len(top) - 1)]
        found[f"{key}_lead"] = top[0] - sum(top[:5]) / len(top[:5])
        found[f"{key}_z"] = (top[0] - mean) / spread
        found[f"{key}_tail"] = mean
    return found


def fit(
    features: Sequence[Mapping[str, float]],
    answerable: Sequence[bool],
    level: float = 0.05,
    *,
    folds: int = 5,
    groups: Sequence[str] | None = None,
    source: str = "",
) -> Calibration:
    """Fit and calibrate. *groups* keeps queries of one origin in one fold; ``UsageError`` where a class has under 5 queries."""
    import numpy as np

    labels = np.array(answerable, dtype=bool)
    if min(int(labels.sum()), int((~labels).sum())) < 5:
        raise UsageError("a calibration needs at least 5 queries with and 5 without an answer", next="label more queries")
    if not 0 < level < 1:
        raise UsageError(f"level {level} is no share between 0 and 1", next="give for example 0.05")
    names = tuple(sorted(features[0]))
    rows = np.array([[row.get(name, 0.0) for name in names] for row in features], dtype=np.float64)
    fold = _folds(labels, groups or [str(at) for at in range(len(labels))], folds)
    scores = np.zeros(len(labels))
    for number in range(folds):
        inside = fold != number
        if inside.all():
            continue
        scores[~inside] = _score(rows[~inside], *_train(rows[inside], labels[inside]))
    means, scales, coefficients, intercept = _train(rows, labels)
    threshold = _conformal(scores[labels], level)
    return Calibration(
        names,
        tuple(means.tolist()),
        tuple(scales.tolist()),
        tuple(coefficients.tolist()),
        intercept,
        threshold,
        level,
        int(labels.sum()),
        int((~labels).sum()),
        int((scores[labels] < threshold).sum()),
        int((scores[~labels] >= threshold).sum()),
        auroc(scores.tolist(), labels.tolist()),
        source,
    )


def decide(calibration: Calibration, features: Mapping[str, float]) -> Verdict:
    """The verdict on one query. A feature that is absent counts as its mean."""
    score = calibration.intercept
    for name, mean, scale, weight in zip(
        calibration.names, calibration.means, calibration.scales, calibration.coefficients, strict=True
    ):
        score += weight * (features.get(name, mean) - mean) / scale
    return Verdict(score < calibration.threshold, 1 / (1 + math.exp(-max(min(score, 30.0), -30.0))))


def statement(calibration: Calibration) -> str:
    """What the calibration promises and how often it was wrong, for people."""
    share = calibration.let_through / calibration.unanswerable
    return (
        f"at most {calibration.level:.0%} of answerable queries are turned away (conformal, {calibration.answerable} of them; "
        f"{calibration.turned_away} were); of {calibration.unanswerable} unanswerable ones {calibration.let_through} "
        f"({share:.0%}) were let through; AUROC {calibration.auroc:.2f}"
    )


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """Probability that a positive scores above a negative, ties one half; 0.5 where a class is empty."""
    ordered = sorted(zip(scores, positive))
    ranks, at = 0.0, 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end][0] == ordered[at][0]:
            end += 1
        ranks += (at + end + 1) / 2 * sum(flag for _, flag in ordered[at:end])
        at = end
    count = sum(positive)
    other = len(ordered) - count
    return (ranks - count * (count + 1) / 2) / (count * other) if count and other else 0.5


def save(calibration: Calibration, path: Path) -> None:
    """Write as JSON with a seal over its content."""
    content = {"format": _FORMAT, **calibration._asdict()}
    text = json.dumps(content, indent=1, sort_keys=True)
    path.write_text(json.dumps({"sha256": sha256_hex(text.encode()), "calibration": content}, indent=1, sort_keys=True) + "\n")


def load(path: Path) -> Calibration:
    """Read what ``save`` wrote; a changed or foreign file is refused."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        content = dict(read["calibration"])
        text = json.dumps(content, indent=1, sort_keys=True)
        if read["sha256"] != sha256_hex(text.encode()) or content.pop("format") != _FORMAT:
            raise UsageError("the calibration was changed after it was written", where=path.name, next="calibrate again")
        lists: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}
        return Calibration(**lists)
    except OSError as error:
        raise MissingSource(f"cannot be read ({error.strerror})", where=str(path), next="check the path") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError("this is no calibration", where=path.name, next="write one with fit") from error


def _folds(labels: NDArray[np.bool_], groups: Sequence[str], folds: int) -> NDArray[np.int64]:
    """A fold per query: groups whole, each class spread over the folds in the order of the groups' hashes."""
    import numpy as np

    fold = np.zeros(len(labels), dtype=np.int64)
    assigned: dict[str, int] = {}
    counts = [0, 0]
    for at in sorted(range(len(labels)), key=lambda place: sha256_hex(groups[place].encode())):
        if groups[at] not in assigned:
            kind = int(labels[at])
            assigned[groups[at]] = counts[kind] % folds
            counts[kind] += 1
        fold[at] = assigned[groups[at]]
    return fold


def _train(rows: Floats, labels: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats, float]:
    """Ridge logistic regression by Newton steps, the classes weighted equally: (means, scales, coefficients, intercept)."""
    import numpy as np

    means, scales = rows.mean(axis=0), rows.std(axis=0)
    scales[scales < 1e-9] = 1.0
    design = np.column_stack([np.ones(len(rows)), (rows - means) / scales])
    target = labels.astype(np.float64)
    weight = np.where(labels, len(labels) / (2 * labels.sum()), len(labels) / (2 * (~labels).sum()))
    penalty = np.diag([1e-6] + [_RIDGE] * rows.shape[1])
    beta = np.zeros(design.shape[1])
    for _ in range(_ROUNDS):
        probability = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (weight * (target - probability)) - penalty @ beta
        hessian = (design * (weight * probability * (1 - probability))[:, None]).T @ design + penalty
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if np.abs(step).max() < 1e-8:
            break
    return means, scales, beta[1:], float(beta[0])


def _score(rows: Floats, means: Floats, scales: Floats, coefficients: Floats, intercept: float) -> Floats:
    scores: Floats = intercept + ((rows - means) / scales) @ coefficients
    return scores


def _conformal(scores: Floats, level: float) -> float:
    """The score below which fewer than ``level·(n+1)`` of the answerable queries lie; minus infinity where n is too small."""
    import numpy as np

    rank = math.floor(level * (len(scores) + 1))
    return float(np.sort(scores)[rank - 1]) if rank >= 1 else -1e308
