"""BM25 with Lucene's idf, over term weights computed once: a query only adds up postings.

The scores are those of ``bm25s`` (``method="lucene"``), which a test checks; building and scoring are a few array operations
here, because importing that library costs more than a whole query (``docs/decisions/0040-bm25-in-numpy.md``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pincite.errors import IndexFault
from pincite.index import kernels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]

K1, B = 0.9, 0.4  # the values the public baselines use


class Bm25(NamedTuple):
    """Postings by term: term ``t`` owns ``documents[starts[t]:starts[t+1]]`` and the ``weights`` beside them."""

    vocabulary: Mapping[str, int]
    starts: Ints
    documents: NDArray[np.int32]
    weights: Scores
    size: int  # documents, empty ones included
    frequencies: NDArray[np.int32]  # documents that hold each term

    def frequency(self, term: str) -> int:
        """How many documents hold *term*."""
        at = self.vocabulary.get(term)
        return 0 if at is None else int(self.frequencies[at])

    def idf(self, term: str) -> float:
        """Lucene's idf of *term*, positive always; that of a term seen nowhere is the highest."""
        seen = self.frequency(term)
        return math.log(1 + (self.size - seen + 0.5) / (seen + 0.5))

    def scores(self, query: Mapping[str, float]) -> Scores:
        """The score of every document, shape (size,), for a query of weighted terms."""
        import numpy as np

        total = np.zeros(self.size, dtype=np.float32)
        compiled = kernels.worth_it(self.size)
        for term in sorted(query):  # one order of addition, so that equal queries give equal floats
            at = self.vocabulary.get(term)
            if at is None:
                continue
            part = slice(self.starts[at], self.starts[at + 1])
            if compiled:
                kernels.add_postings(total, self.documents[part], self.weights[part], np.float32(query[term]))
            else:
                total[self.documents[part]] += self.weights[part] * np.float32(query[term])
        return total


def build(documents: Iterable[Sequence[str]], k1: float = K1, b: float = B) -> Bm25:
    """Index documents given as term lists."""
    import numpy as np

    lists = [list(terms) for terms in documents]
    vocabulary: dict[str, int] = {}
    numbers = np.fromiter((vocabulary.setdefault(term, len(vocabulary)) for term in chain.from_iterable(lists)), dtype=np.int64)
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    owners = np.repeat(np.arange(len(lists), dtype=np.int64), lengths)
    return from_numbers(vocabulary, numbers, owners, len(lists), k1, b)


def from_numbers(vocabulary: Mapping[str, int], numbers: Ints, owners: Ints, size: int, k1: float = K1, b: float = B) -> Bm25:
    """Index *size* documents given as the number of every term occurrence and the document that owns it, in parallel."""
    import numpy as np

    keys, counts = np.unique(numbers * max(size, 1) + owners, return_counts=True)
    terms, holders = np.divmod(keys, max(size, 1))
    frequencies = np.bincount(terms, minlength=len(vocabulary))
    starts = np.concatenate(([0], np.cumsum(frequencies))).astype(np.int64)
    idf = np.log(1 + (size - frequencies + 0.5) / (frequencies + 0.5))
    lengths = np.bincount(owners, minlength=size)
    norm = k1 * (1 - b + b * lengths / max(len(numbers) / max(size, 1), 1e-9))
    weights = idf[terms] * counts / (counts + norm[holders])
    small = np.int32
    return Bm25(vocabulary, starts, holders.astype(small), weights.astype(np.float32), size, frequencies.astype(small))


def weigh(terms: Iterable[str]) -> dict[str, float]:
    """A query's terms, each weighted by how often it occurs, as Lucene does."""
    query: dict[str, float] = {}
    for term in terms:
        query[term] = query.get(term, 0.0) + 1.0
    return query


def top(scores: Scores, k: int, mask: Mask | None = None) -> Ints:
    """Positions of the *k* best scores above zero, best first; equal scores by position, so the order is always the same."""
    return _best(scores, 0.0, k, mask)


def ranked(scores: Scores, k: int, mask: Mask | None = None) -> Ints:
    """Positions of the *k* best scores among those of *mask*, best first, equal scores by position."""
    return _best(scores, -math.inf, k, mask)


def _best(scores: Scores, floor: float, k: int, mask: Mask | None) -> Ints:
    import numpy as np

    if kernels.worth_it(len(scores)):
        found: Ints = kernels.best(scores, np.float32(floor), k, np.empty(0, np.bool_) if mask is None else mask)
        return found
    allowed = scores > floor if mask is None else (scores > floor) & mask
    places = np.flatnonzero(allowed)
    if k < len(places):
        values = scores[places]
        cut = np.partition(values, len(values) - k)[len(values) - k]
        places = places[values >= cut]  # every tie of the last place is kept until the stable sort below
    best: Ints = places[np.argsort(-scores[places], kind="stable")][:k]
    return best


_ARRAYS = ("starts", "documents", "weights", "frequencies")


def save(index: Bm25, folder: Path) -> None:
    """Write the index into *folder* as plain arrays and a vocabulary, one term a line."""
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    for name in _ARRAYS:
        np.save(folder / f"{name}.npy", getattr(index, name))
    np.save(folder / "size.npy", np.array(index.size))
    (folder / "vocabulary.txt").write_text("\n".join(index.vocabulary), encoding="utf-8", newline="\n")


def load(folder: Path) -> Bm25:
    """Read what ``save`` wrote; ``IndexFault`` where a file is missing or not what it should be."""
    import numpy as np

    try:
        arrays = {name: np.load(folder / f"{name}.npy", allow_pickle=False) for name in _ARRAYS}
        size = int(np.load(folder / "size.npy", allow_pickle=False))
        text = (folder / "vocabulary.txt").read_text(encoding="utf-8")
    except (OSError, ValueError, EOFError) as error:
        raise IndexFault(f"the word index cannot be read ({error})", where=str(folder), next="rebuild it") from error
    vocabulary = {term: at for at, term in enumerate(text.split("\n") if text else [])}
    if len(vocabulary) + 1 != len(arrays["starts"]) or arrays["starts"][-1] != len(arrays["documents"]):
        raise IndexFault("the word index is damaged: its parts do not fit together", where=str(folder), next="rebuild it")
    return Bm25(vocabulary, arrays["starts"], arrays["documents"], arrays["weights"], size, arrays["frequencies"])
