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

ALPHA = 0.1
"""The share of questions out of scope that may be answered."""

PENALTY = 1.0  # of the squared weights, against a sum of log losses
_STEPS = 50
_SETTLED = 1e-9


class Seen(NamedTuple):
    """What was seen of one question, and whether the corpus answers it."""

    features: Mapping[str, float]
    answerable: bool


def fit(
    seen: Sequence[Seen], backend: str, query_type: str, stamp: str, alpha: float = ALPHA, names: Sequence[str] = FEATURES
) -> CalibratedAbstainer:
    """The abstainer for *seen*. Its floor is the lowest that answers at most the share *alpha* of questions out of scope.

    That is promised for new ones like these (conformal, over the confidences of models that had not seen each question);
    everything above the floor is answered, so that nothing is turned away without need.
    """
    import numpy as np

    labels: Mask = np.array([one.answerable for one in seen], dtype=np.bool_)
    if not labels.any() or labels.all():
        raise UsageError("calibration needs dev questions in scope and out of scope", next="add some to the gold set")
    rows = np.array([[one.features[name] for name in names] for one in seen], dtype=np.float64)
    left_out = np.array([_left_out(rows, labels, at) for at in range(len(rows))])
    value = _floor(left_out, labels, alpha)
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


def _floor(confidences: Floats, labels: Mask, share: float) -> float:
    """Just above all but the k highest confidences of questions out of scope, k = share (n + 1).

    A new question out of scope, exchangeable with these n, ranks among the first k with probability at most *share*.
    """
    outside = sorted(confidences[~labels].tolist(), reverse=True)
    k = int(share * (len(outside) + 1) + 1e-9)
    limit = outside[k] if k < len(outside) else 0.0
    above = min((value for value in confidences.tolist() if value > limit), default=1.0)
    return float(limit + above) / 2
