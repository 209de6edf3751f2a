"""Whether any law of the snapshot is touched at all, and which: calibrated on the cases of the snapshot themselves.

A new case is compared with *every* case, those no law reaches included, and the whole distribution of similarities decides:
kernel ridge regression on one column per law and one for "none", over a cosine of weighted words and a share of the
embeddings'. Leaving cases out has a closed form: no model is fitted again. See docs/decisions/0082-law-decision.md.

The margin (best law minus none) is ranked among the margins of the cases known: see ``decide``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pincite.match.words import alphabetic, stem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Vectors = NDArray[np.float32]

CONSTANT = 0.1  # in the kernel: an intercept that is shrunk like everything else
RIDGE = 0.1
VECTOR_SHARE = 0.1  # of the embeddings' cosine in the kernel
NONE = "none"


class Verdict(NamedTuple):
    """``laws`` are scores of this model, not probabilities. ``standing`` counts the ``lawful`` cases known whose own margin,
    left out, is no higher than this one's; the fewer, the less the case looks like them.
    """

    laws: Mapping[str, float]
    margin: float
    standing: int
    lawful: int
    keep: bool


class Calibration(NamedTuple):
    """How often the decision was wrong on the cases it knows, each left out in turn, at the level ``alpha``."""

    alpha: float
    lawful: int
    wrongly_rejected: int
    background: int
    wrongly_accepted: int

    @property
    def guarantee(self) -> str:
        """What may be relied on, in one sentence."""
        return (
            f"aims at rejecting at most {self.alpha:.0%} of new cases drawn like the {self.lawful} lawful ones "
            f"(jackknife+ conformal rank: proven to reject at most {2 * self.alpha:.0%} of exchangeable cases)"
        )


class Lexicon:
    """Texts as unit rows of damped stem counts. A stem weighs by how rare it is among *background* texts alone: the cases that
    laws reach are then never counted, whether left out or not.
    """

    def __init__(self, texts: Sequence[str], background: Sequence[int]) -> None:
        import numpy as np

        counts = [_counts(text) for text in texts]
        self._columns = {word: at for at, word in enumerate(dict.fromkeys(word for count in counts for word in count))}
        self._frequency = Counter(word for at in background for word in counts[at])
        self._background = len(background)
        self.rows: NDArray[np.float32] = np.zeros((len(texts), len(self._columns)), dtype=np.float32)
        for row, count in enumerate(counts):
            self.rows[row, [self._columns[word] for word in count]] = self._weigh(count)

    def similarities(self, text: str) -> Floats:
        """The cosine of *text* with every row. Words no row has count in its length."""
        import numpy as np

        count = _counts(text)
        known = [(self._columns[word], weight) for word, weight in zip(count, self._weigh(count)) if word in self._columns]
        if not known:
            return np.zeros(len(self.rows))
        columns, values = zip(*known)
        return (self.rows[:, list(columns)] @ np.array(values, dtype=np.float32)).astype(np.float64)

    def _weigh(self, count: Mapping[str, int]) -> Floats:
        """Unit-length weights: the logarithm of the count, and the root of the idf so that a product holds the idf once."""
        import numpy as np

        seen = np.array([self._frequency[word] for word in count], dtype=np.float64)
        idf = np.log(1 + (self._background - seen + 0.5) / (seen + 0.5))
        weights = np.log1p(np.fromiter(count.values(), dtype=np.float64, count=len(count))) * np.sqrt(idf)
        length = float(np.sqrt((weights**2).sum()))
        return weights / (length or 1.0)


def _counts(text: str) -> Counter[str]:
    count = Counter(map(stem, alphabetic(text)))
    del count[""]
    return count


class Decider:
    """Fitted on whole cases with their laws (several, or none at all); every prediction is linear in the kernel.

    *vectors* are the cases', rows of norm 1, shape (cases, dimension); of dimension 0 where there is no model. Each class
    weighs the same, however many cases it has.
    """

    def __init__(self, texts: Sequence[str], vectors: Vectors, labels: Sequence[frozenset[str]], laws: Sequence[str]) -> None:
        import numpy as np

        self.laws = tuple(laws)
        self.labels = tuple(labels)
        self._lexicon = Lexicon(texts, [at for at, label in enumerate(labels) if not label])
        self._vectors = vectors.astype(np.float64)
        kernel = (self._lexicon.rows @ self._lexicon.rows.T).astype(np.float64) + CONSTANT
        kernel += VECTOR_SHARE * (self._vectors @ self._vectors.T)
        classes = (*self.laws, NONE)
        self._targets = np.array([[float(name in (label or {NONE})) for name in classes] for label in labels])
        weights = (self._targets / np.maximum(self._targets.sum(axis=0), 1)).max(axis=1)
        self._inverse: Floats = np.linalg.inv(kernel + RIDGE * np.diag(weights.mean() / weights))
        self._coefficients: Floats = self._inverse @ self._targets

    def kernel(self, text: str, vector: Vectors) -> Floats:
        """The similarity of a new case, given by its text and its vector, to every case known."""
        found: Floats = self._lexicon.similarities(text) + VECTOR_SHARE * (self._vectors @ vector) + CONSTANT
        return found

    def scores(self, kernel: Floats) -> Floats:
        """One score per law and the last for none, of a new case with these similarities."""
        found: Floats = kernel @ self._coefficients
        return found

    def margins_without_each(self, kernel: Floats) -> Floats:
        """The new case's margin under the model that has not seen case i, for every i."""
        import numpy as np

        share = (kernel @ self._inverse) / np.diag(self._inverse)
        scores = self.scores(kernel) - share[:, None] * self._coefficients
        found: Floats = scores[:, :-1].max(axis=1) - scores[:, -1]
        return found

    @cached_property
    def left_out_margins(self) -> Floats:
        """Every case's margin had it alone never been seen."""
        return self.margins([[at] for at in range(len(self.labels))])

    def left_out(self, group: Sequence[int]) -> Floats:
        """The scores of *group*'s first case had the whole group never been seen (class weights as fitted)."""
        import numpy as np

        at = np.asarray(group)
        block = self._inverse[np.ix_(at, at)]
        predicted = self._targets[at] - np.linalg.solve(block, self._coefficients[at])
        found: Floats = predicted[0]
        return found

    def margins(self, groups: Iterable[Sequence[int]]) -> Floats:
        """The left-out margin of each group's first case."""
        import numpy as np

        return np.array([margin(self.left_out(group)) for group in groups])


def margin(scores: Floats) -> float:
    """The best law's score less that of none."""
    return float(scores[:-1].max() - scores[-1])


def least_kept(margins: Sequence[float], alpha: float) -> float:
    """The smallest of lawful left-out *margins* that is still kept when a share *alpha* at most is given up."""
    return sorted(margins)[int(alpha * len(margins) + 1e-9)]


def calibrate(decider: Decider, groups: Sequence[Sequence[int]], alpha: float) -> Calibration:
    """Leave every case out with its copies (*groups*: one per case, the case first) and count both kinds of error.

    A left-out case is judged as a new one is: rejected where no more than alpha (n + 1) lawful cases, itself one of them,
    have a margin as low.
    """
    margins = decider.margins(groups)
    lawful = sorted(float(margins[at]) for at, label in enumerate(decider.labels) if label)
    background = [float(margins[at]) for at, label in enumerate(decider.labels) if not label]
    wrong = sum(bisect_right(lawful, value) <= alpha * (len(lawful) + 1) for value in lawful)
    accepted = sum(bisect_right(lawful, value) + 1 > alpha * (len(lawful) + 1) for value in background)
    return Calibration(alpha, len(lawful), wrong, len(background), accepted)


def decide(decider: Decider, text: str, vector: Vectors, alpha: float) -> Verdict:
    """Keep a new case unless its margin ranks among the lowest *alpha* of the lawful cases'.

    Each lawful case i is compared under the model that has not seen i: the rule known as jackknife+, whose error over
    exchangeable cases is proven to stay below twice *alpha* and lies near *alpha* in practice.
    """
    kernel = decider.kernel(text, vector)
    scores = decider.scores(kernel)
    own = decider.left_out_margins
    without = decider.margins_without_each(kernel)
    at = [row for row, label in enumerate(decider.labels) if label]
    standing = sum(bool(own[row] <= without[row]) for row in at)
    keep = standing + 1 > alpha * (len(at) + 1)
    return Verdict(dict(zip(decider.laws, scores[:-1].tolist())), margin(scores), standing, len(at), keep)
