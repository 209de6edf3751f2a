"""Late interaction: a question's words against a passage's words, each as the encoder sees it in its sentence.

One vector for a whole passage forgets which word stood where. Here every token keeps a short vector, learned by ``make train``
as a projection of the frozen encoder's output; a passage scores, for each token of the question, its most similar token's
cosine, averaged with learned weights. Only candidates are scored, so a query costs a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pincite.rank.shipped import load_array, save_array

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

NAME = "late"
WIDTH = 64  # of a token's short vector
_RANGE = 127  # of its int8 code
SCALE, EPOCHS, BATCH, NEGATIVES, RATE, MOST_RELEVANT = 30.0, 4, 32, 8, 1e-3, 4


class Tokens(NamedTuple):
    """Rows for the tokens of texts, one below the other: those of text *i* are ``rows[starts[i]:starts[i + 1]]``."""

    rows: NDArray[Any]
    starts: Ints

    def of(self, text: int) -> NDArray[Any]:
        """The rows of one text."""
        return self.rows[self.starts[text] : self.starts[text + 1]]

    def places(self, texts: Iterable[int]) -> tuple[Ints, Ints]:
        """Which rows are those of *texts*, and where each text's begin among them, with the end."""
        import numpy as np

        spans = [(int(self.starts[text]), int(self.starts[text + 1])) for text in texts]
        begins = np.cumsum([0, *(end - start for start, end in spans)])
        return np.concatenate([np.arange(start, end) for start, end in spans]), begins


def stacked(rows: Sequence[NDArray[Any]]) -> Tokens:
    """The rows of each text as one."""
    import numpy as np

    return Tokens(np.concatenate(rows), np.cumsum([0, *map(len, rows)]))


class Late(NamedTuple):
    """The projection, shape (dimension, ``WIDTH``), and what a question's token weighs: ``softplus(row @ weight + bias)``."""

    projection: Floats
    weight: Floats
    bias: float
    sha256: str = ""


class Asked(NamedTuple):
    """Questions and passages of one collection as the encoder's outputs, the relevant passages, and rivals to learn from."""

    questions: Tokens
    passages: Tokens
    relevant: Sequence[Sequence[int]]
    rivals: Sequence[Sequence[int]]


def coded(rows: NDArray[Any], late: Late) -> NDArray[Any]:
    """Token outputs as records: ``code``, a short unit vector in int8, and ``weight``, what the token weighs in a question."""
    import numpy as np

    read = rows.astype(np.float32)
    records = np.empty(len(rows), record())
    records["code"] = np.rint(_unit(read @ late.projection)[0] * _RANGE)
    records["weight"] = _weights(read, late)
    return records


def record() -> np.dtype[Any]:
    """How a token is kept."""
    import numpy as np

    return np.dtype([("code", "i1", (WIDTH,)), ("weight", "<f4")])


def score(question: NDArray[Any], passages: Tokens, candidates: Sequence[int]) -> Floats:
    """One score in [-1, 1] for each candidate, from the records of the question's tokens and of the passages'."""
    import numpy as np

    rows, begins = passages.places(candidates)
    asked = question["code"].astype(np.float32) / np.float32(_RANGE**2)
    cosines = asked @ passages.rows["code"][rows].astype(np.float32).T
    best = np.maximum.reduceat(cosines, begins[:-1], axis=1)
    scores: Floats = (question["weight"] @ best) / question["weight"].sum()
    return scores


def _weights(question: Floats, late: Late) -> Floats:
    import numpy as np

    weights: Floats = np.logaddexp(np.float32(0), question @ late.weight + np.float32(late.bias))
    return weights


def fit(sets: Sequence[Asked], seed: int = 0) -> Late:
    """The projection and weights that raise the share of relevant passages among their rivals."""
    import numpy as np

    rng = np.random.default_rng(seed)
    width = sets[0].passages.rows.shape[1]
    values = [np.linalg.qr(rng.normal(size=(width, WIDTH)))[0].astype(np.float32), np.zeros(width + 1, dtype=np.float32)]
    examples = [(asked, at) for asked in sets for at in range(len(asked.relevant)) if asked.relevant[at] and asked.rivals[at]]
    moments = [(np.zeros_like(value), np.zeros_like(value)) for value in values]
    steps = EPOCHS * (len(examples) // BATCH)
    for step in range(1, steps + 1):
        if (step - 1) % (len(examples) // BATCH) == 0:
            order = rng.permutation(len(examples))
        first = (step - 1) % (len(examples) // BATCH) * BATCH
        late = Late(values[0], values[1][:-1], float(values[1][-1]))
        slopes = [_slope(examples[at][0], examples[at][1], late, rng) for at in order[first : first + BATCH]]
        rate = RATE * min(1.0, 10 * step / steps) * max(0.02, 1 - step / steps)
        for value, moment, each in zip(values, moments, zip(*slopes)):
            _adam(value, moment, sum(each) / np.float32(BATCH), rate, step)
    return Late(values[0], values[1][:-1], float(values[1][-1]))


def _adam(value: Floats, moment: tuple[Floats, Floats], slope: Floats, rate: float, step: int) -> None:
    import numpy as np

    first, second = moment
    first *= 0.9
    first += 0.1 * slope
    second *= 0.999
    second += 0.001 * slope**2
    value -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)


def _slope(asked: Asked, at: int, late: Late, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The gradients of one question's loss: the cross entropy of its relevant passages among some of its rivals."""
    import numpy as np

    relevant = list(asked.relevant[at][:MOST_RELEVANT])
    rivals = rng.choice(asked.rivals[at], min(NEGATIVES, len(asked.rivals[at])), replace=False).tolist()
    rows, begins = asked.passages.places(relevant + rivals)
    question, passages = asked.questions.of(at).astype(np.float32), asked.passages.rows[rows].astype(np.float32)
    q, q_norm = _unit(question @ late.projection)
    p, p_norm = _unit(passages @ late.projection)
    weights = _weights(question, late)
    cosines = q @ p.T
    best = np.stack([cosines[:, a:b].argmax(axis=1) + a for a, b in pairwise(begins)], axis=1)
    most = np.take_along_axis(cosines, best, axis=1)
    scores = weights @ most / weights.sum()
    pull = SCALE * _surprise(SCALE * scores, len(relevant))
    by_weight = (most @ pull - scores @ pull) / weights.sum()
    share = weights[:, None] * pull / weights.sum()
    to_q = _through(np.einsum("ic,icd->id", share, p[best]), q, q_norm)
    flat = best.ravel()
    to_p = _through((share[:, :, None] * q[:, None, :]).reshape(len(flat), -1), p[flat], p_norm[flat])
    projection = question.T @ to_q + passages[flat].T @ to_p
    by_logit = by_weight * (1 - np.exp(-weights))  # the slope of softplus is the logistic
    return projection, np.append(question.T @ by_logit, by_logit.sum()).astype(np.float32)


def _surprise(logits: Floats, relevant: int) -> Floats:
    """The slope of the cross entropy by the logits, the first *relevant* of which should share everything."""
    import numpy as np

    share: Floats = np.exp(logits - logits.max())
    share /= share.sum()
    share[:relevant] -= 1 / relevant
    return share


def _unit(rows: Floats) -> tuple[Floats, Floats]:
    import numpy as np

    norms = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
    return rows / norms, norms


def _through(slope: Floats, unit: Floats, norms: Floats) -> Floats:
    """A slope by unit vectors as one by the vectors before they were made so."""
    through: Floats = (slope - unit * (slope * unit).sum(axis=1, keepdims=True)) / norms
    return through


def save(late: Late, model: str, trained_on: Mapping[str, str], folder: Path) -> None:
    """Write the weights in half precision, and beside them what they are: the model, their hash and what trained them."""
    import numpy as np

    table = np.zeros((len(late.weight) + 1, WIDTH + 1))  # the last row holds the bias alone
    table[:-1, :-1], table[:-1, -1], table[-1, -1] = late.projection, late.weight, late.bias
    save_array(table, {"model": model}, trained_on, folder, NAME)


def load(model: str, folder: Path | None = None) -> Late | None:
    """The committed weights for *model*; None where none are; ``IndexFault`` where the bytes are not the sealed ones."""
    import numpy as np

    shipped = load_array(NAME, "the table of late interaction", folder)
    if shipped is None or shipped.seal["model"] != model:
        return None
    table = shipped.array
    return Late(np.ascontiguousarray(table[:-1, :-1]), table[:-1, -1].copy(), float(table[-1, -1]), shipped.seal["sha256"])
