"""A small linear map of question vectors, one for each model, learned so that they lie nearer to the rules that answer them.

Passages keep the vectors of the plain model, so nothing is embedded twice: only ``question + question @ matrix`` changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pincite.rank.shipped import load_array, save_array

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NAME = "adapter"
STEPS, BATCH, DECAY = 40, 256, 0.25


class Pace(NamedTuple):
    """How a map is learned. ``scale`` sharpens cosines: the narrower a model's lie together, the more it takes."""

    scale: float = 20.0
    rate: float = 2e-3


class Asked(NamedTuple):
    """Questions and passages of one collection as unit vectors, and the positions of each question's relevant passages."""

    questions: Floats
    passages: Floats
    relevant: Sequence[Sequence[int]]


def fit(sets: Sequence[Asked], pace: Pace = Pace(), seed: int = 0) -> Floats:  # noqa: B008
    """The matrix that raises the softmax share of relevant passages among **all** passages; starts at, and decays to, zero."""
    import numpy as np

    width = sets[0].questions.shape[1]
    matrix, first, second = (np.zeros((width, width), dtype=np.float32) for _ in range(3))
    rng = np.random.default_rng(seed)
    sizes = np.array([len(asked.relevant) for asked in sets], dtype=np.float64)
    for step in range(1, STEPS + 1):
        asked = sets[int(rng.choice(len(sets), p=sizes / sizes.sum()))]
        chosen = rng.choice(len(asked.relevant), min(BATCH, len(asked.relevant)), replace=False)
        gradient = _gradient(asked, chosen, matrix, pace.scale)
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        rate = pace.rate * min(1.0, step / 6) * (1 - step / STEPS)
        matrix -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return matrix.astype(np.float32)


def _gradient(asked: Asked, chosen: NDArray[np.int64], matrix: Floats, scale: float) -> Floats:
    import numpy as np

    questions = asked.questions[chosen]
    scores = scale * ((questions + questions @ matrix) @ asked.passages.T)
    scores -= scores.max(axis=1, keepdims=True)
    share = np.exp(scores)
    share /= share.sum(axis=1, keepdims=True)
    for row, question in enumerate(chosen):
        relevant = list(asked.relevant[question])
        share[row, relevant] -= 1 / len(relevant)
    gradient: Floats = questions.T @ (share @ asked.passages) * (scale / len(chosen)) + DECAY * matrix
    return gradient


def adapt(questions: Floats, matrix: Floats) -> Floats:
    """Question vectors moved by the map; not of norm 1, which changes no order."""
    moved: Floats = questions + questions @ matrix
    return moved


def save_adapters(maps: Mapping[str, Floats], trained_on: Mapping[str, str], folder: Path) -> None:
    """Write the maps by signal in half precision, and beside them their names, their hash and what trained them."""
    import numpy as np

    save_array(np.stack(list(maps.values())), {"signals": list(maps)}, trained_on, folder, NAME)


def load_adapters(folder: Path | None = None) -> dict[str, Floats]:
    """The committed maps by signal; none where none is shipped; ``IndexFault`` where the bytes are not the sealed ones."""
    shipped = load_array(NAME, "the question adapter", folder)
    return dict(zip(shipped.seal["signals"], shipped.array)) if shipped else {}
