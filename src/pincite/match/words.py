"""BM25 over facts, from postings that a case can be subtracted from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from pincite.index.analyze import STOP_WORDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Mask = NDArray[np.bool_]

K1, B = 0.9, 0.4  # the values of the published BM25 lines
COMMON = 8  # a term in one document of so many is scored by a dense product, a rarer one posting by posting
QUERY_TERMS = 200  # distinct alphabetic tokens of a chunk that are asked for

_ALPHABETIC = re.compile(r"[^\W\d_]+")


def alphabetic(text: str) -> list[str]:
    """The alphabetic tokens of *text*, lower-case, in order."""
    return _ALPHABETIC.findall(text.lower())


def query_words(text: str) -> list[str]:
    """The first ``QUERY_TERMS`` distinct alphabetic tokens."""
    return list(dict.fromkeys(alphabetic(text)))[:QUERY_TERMS]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The search term of a lower-case word, "" for a stop word."""
    return "" if word in STOP_WORDS else str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer():  # type: ignore[no-untyped-def]
    import Stemmer

    return Stemmer.Stemmer("english")


class Postings:
    """Term, document and frequency of every posting, in the order of terms; Lucene's BM25 from them.

    Scores depend on the collection by df, N and the average length alone, so a case's documents are taken out by
    subtracting their share of those three: nothing is built again, and the scores equal those of a rebuilt index.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        import numpy as np

        self.vocabulary: dict[str, int] = {}
        self._term = lru_cache(maxsize=1 << 16)(lambda word: self.vocabulary.get(stem(word), -1))
        terms: list[int] = []
        documents: list[int] = []
        frequencies: list[int] = []
        lengths: list[int] = []
        for document, text in enumerate(texts):
            counts: dict[int, int] = {}
            for word in alphabetic(text):
                term = stem(word)
                if term:
                    number = self.vocabulary.setdefault(term, len(self.vocabulary))
                    counts[number] = counts.get(number, 0) + 1
            terms += counts.keys()
            documents += [document] * len(counts)
            frequencies += counts.values()
            lengths.append(sum(counts.values()))
        by_term = np.argsort(np.array(terms, dtype=np.int64), kind="stable")
        self.terms: Integers = np.array(terms, dtype=np.int64)[by_term]
        self.documents: Integers = np.array(documents, dtype=np.int64)[by_term]
        self.frequencies: Floats = np.array(frequencies, dtype=np.float64)[by_term]
        self.lengths: Floats = np.array(lengths, dtype=np.float64)
        self.document_frequency: Integers = np.bincount(self.terms, minlength=len(self.vocabulary))
        self._starts: Integers = np.concatenate([[0], np.cumsum(self.document_frequency)])
        common = self.document_frequency * COMMON >= len(self.lengths)
        self._row: Integers = np.where(common, np.cumsum(common) - 1, -1)  # of a common term in the dense part, else -1
        self._dense: Integers = np.flatnonzero(common[self.terms])  # positions of the common terms' postings

    def query(self, text: str) -> list[int]:
        """The known terms of a chunk's query, each once."""
        return list(dict.fromkeys(term for term in map(self._term, query_words(text)) if term >= 0))

    def weights(self, removed: Mask | None = None) -> Floats:
        """The score each posting adds, with the *removed* documents gone from every count; theirs are 0."""
        import numpy as np

        lengths, frequency = self.lengths, self.document_frequency
        gone: Mask | None = None
        if removed is not None and removed.any():
            gone = removed[self.documents]
            frequency = frequency - np.bincount(self.terms[gone], minlength=len(self.vocabulary))
            lengths = lengths[~removed]
        count = max(len(lengths), 1)
        average = max(float(lengths.sum()) / count, 1.0)
        idf = np.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
        norm = K1 * (1 - B + B * self.lengths / average)
        weights: Floats = idf[self.terms] * self.frequencies / (self.frequencies + norm[self.documents])
        if gone is not None:
            weights[gone] = 0.0
        return weights

    def scores(self, queries: Sequence[Sequence[int]], weights: Floats) -> Floats:
        """BM25 of every document for every query, shape (queries, documents)."""
        import numpy as np

        asked = np.array([term for query in queries for term in query], dtype=np.int64)
        rows = np.repeat(np.arange(len(queries)), [len(query) for query in queries])
        common = self._row[asked] >= 0
        rare = self._by_posting(asked[~common], rows[~common], len(queries), weights)
        wanted = np.zeros((len(queries), int(self._row.max(initial=-1)) + 1))
        wanted[rows[common], self._row[asked[common]]] = 1.0
        dense = np.zeros((wanted.shape[1], len(self.lengths)))
        dense[self._row[self.terms[self._dense]], self.documents[self._dense]] = weights[self._dense]
        found: Floats = rare + wanted @ dense
        return found

    def _by_posting(self, asked: Integers, rows: Integers, height: int, weights: Floats) -> Floats:
        """The sums of the asked terms' postings by row: every range of positions laid end to end, without a loop."""
        import numpy as np

        size = len(self.lengths)
        counts = self.document_frequency[asked]
        ends = np.cumsum(counts)
        at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self._starts[asked] - ends + counts, counts)
        cells = np.repeat(rows, counts) * size + self.documents[at]
        return np.bincount(cells, weights[at], minlength=height * size).astype(np.float64).reshape(height, size)
