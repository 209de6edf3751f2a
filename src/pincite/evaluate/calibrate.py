"""Fit the decision to abstain on dev questions, and say how often it was wrong on questions it had not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pincite.errors import UsageError
from pincite.ports import Floor
from pincite.retrieve.calibrated import CalibratedAbstainer, logistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

FEATURES = ("cosine", "bm25", "agreement")
"""The best cosine, the best BM25 score, and how far both lists agree. More features only overfitted some forty questions."""

PENALTY = 1.0  # of the squared weights, against a sum of log losses
_STEPS = 50
_SETTLED = 1e-9


class Seen(NamedTuple):
    """What was seen of one question, and whether the corpus answers it."""

    features: Mapping[str, float]
    answerable: bool


def fit(
    seen: Sequence[Seen], backend: str, query_type: str, stamp: str, names: Sequence[str] = FEATURES
) -> CalibratedAbstainer:
    """The abstainer for *seen*, its floor set where leaving each question out in turn gave the fewest errors.

    Errors on both sides weigh the same, whatever the numbers of questions; of equally good floors the middle of the widest
    gap is taken.
    """
    import numpy as np

    labels: Mask = np.array([one.answerable for one in seen], dtype=np.bool_)
    if not labels.any() or labels.all():
        raise UsageError("calibration needs dev questions in scope and out of scope", next="add some to the gold set")
    rows = np.array([[one.features[name] for name in names] for one in seen], dtype=np.float64)
    left_out = np.array([_left_out(rows, labels, at) for at in range(len(rows))])
    value = _floor(left_out, labels)
    wrong, missed = int((left_out[labels] < value).sum()), int((left_out[~labels] >= value).sum())
    text = (
        f"logistic over {', '.join(names)}; {len(seen)} dev questions, left out in turn: {wrong} of {int(labels.sum())} "
        f"answerable turned away, {missed} of {int((~labels).sum())} others answered"
    )
    weights, bias, centre, scale = _newton(rows, labels)
    return CalibratedAbstainer(
        tuple(names),
        tuple(centre.tolist()),
        tuple(scale.tolist()),
        tuple(weights.tolist()),
        bias,
        Floor(backend, query_type, value, text),
        stamp,
    )


def _left_out(rows: Floats, labels: Mask, at: int) -> float:
    """The confidence in question *at* of a model that has not seen it."""
    import numpy as np

    keep = np.arange(len(rows)) != at
    weights, bias, centre, scale = _newton(rows[keep], labels[keep])
    return logistic(float(bias + weights @ ((rows[at] - centre) / scale)))


def _newton(rows: Floats, labels: Mask) -> tuple[Floats, float, Floats, Floats]:
    """Weights and bias of ridge-penalised logistic regression over standardised columns, by Newton's method."""
    import numpy as np

    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    design = np.hstack([(rows - centre) / scale, np.ones((len(rows), 1))])
    penalty = np.diag([PENALTY] * rows.shape[1] + [0.0])
    solution = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(-(design @ solution).clip(-500, 500)))
        gradient = design.T @ (expected - labels) + penalty @ solution
        hessian = (design.T * (expected * (1 - expected))) @ design + penalty + 1e-9 * np.eye(len(solution))
        step = np.linalg.solve(hessian, gradient)
        solution = solution - step
        if abs(step).max() < _SETTLED:
            break
    return solution[:-1], float(solution[-1]), centre, scale


def _floor(confidences: Floats, labels: Mask) -> float:
    """The best cut between two neighbouring confidences: least balanced error, then the widest gap."""
    import numpy as np

    ordered = np.unique(confidences)
    cuts = (ordered[1:] + ordered[:-1]) / 2
    errors = [(confidences[labels] < cut).mean() + (confidences[~labels] >= cut).mean() for cut in cuts]
    gaps = ordered[1:] - ordered[:-1]
    best = min(range(len(cuts)), key=lambda at: (round(errors[at], 9), -gaps[at])) if len(cuts) else -1
    return float(cuts[best]) if best >= 0 else float(ordered[0])
