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
    """Term, document and frequency of every posting, in document order; Lucene's BM25 from them.

    Scores depend on the collection by df, N and the average length alone, so a case's documents are taken out by
    subtracting their share of those three: nothing is built again, and the scores equal those of a rebuilt index.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        import numpy as np

        self.vocabulary: dict[str, int] = {}
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
        self.terms: Integers = np.array(terms, dtype=np.int64)
        self.documents: Integers = np.array(documents, dtype=np.int64)
        self.frequencies: Floats = np.array(frequencies, dtype=np.float64)
        self.lengths: Floats = np.array(lengths, dtype=np.float64)
        self.document_frequency: Integers = np.bincount(self.terms, minlength=len(self.vocabulary))

    def query(self, text: str) -> list[int]:
        """The known terms of a chunk's query, each once."""
        known = (self.vocabulary.get(stem(word), -1) for word in query_words(text))
        return list(dict.fromkeys(term for term in known if term >= 0))

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

        found = np.zeros((len(queries), len(self.lengths)))
        wanted = np.zeros(len(self.vocabulary), dtype=np.bool_)
        for row, query in enumerate(queries):
            wanted[query] = True
            chosen = wanted[self.terms]
            found[row] = np.bincount(self.documents[chosen], weights[chosen], minlength=len(self.lengths))
            wanted[query] = False
        return found
