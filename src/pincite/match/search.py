"""Facts found for a case: BM25 and vectors over quotes, fused by rank, gathered to elements and laws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pincite.errors import ModelMissing, UsageError
from pincite.match.chunk import Chunk, chunks
from pincite.match.snapshot import Snapshot
from pincite.match.words import Postings
from pincite.ports import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Vectors = NDArray[np.float32]
    Integers = NDArray[np.int64]
    Mask = NDArray[np.bool_]

METHODS = ("hybrid", "bm25", "vector")
DEPTH = 20  # facts of each list and chunk that count
ELEMENTS_OF_A_LAW = 3  # a law's score is the sum of its best elements over this number


class Query(NamedTuple):
    """A case ready to be searched with: its chunks, their query terms, their vectors, shape (chunks, dimension), and the
    vectors' cosines with every fact, shape (chunks, facts).
    """

    chunks: list[Chunk]
    terms: list[list[int]]
    vectors: Vectors
    cosines: Vectors

    @property
    def vector(self) -> Vectors:
        """Of the whole case: the mean of its chunks', of norm 1; of dimension 0 without a model."""
        import numpy as np

        mean = self.vectors.mean(axis=0)
        unit: Vectors = mean / max(float(np.linalg.norm(mean)), 1e-12)
        return unit


class Found(NamedTuple):
    """Scores of one query. No score is a probability."""

    facts: Floats  # per fact, the best over the chunks
    best_chunk: Integers  # per fact, the chunk that gave it
    elements: Floats
    variants: Floats
    laws: Floats


class MatchIndex:
    """A snapshot's facts, searchable. Only exact quotes are indexed: no label, law title or element name."""

    def __init__(self, snapshot: Snapshot, embedder: Embedder | None) -> None:
        """Without an *embedder* only the method ``bm25`` can be asked for."""
        import numpy as np

        self.snapshot, self.embedder = snapshot, embedder
        self.quotes = [fact.quote for fact in snapshot.facts]
        self.words = Postings(self.quotes)
        self.vectors: Vectors = self._embed(self.quotes)
        facts = {fact.fact_id: at for at, fact in enumerate(snapshot.facts)}
        elements = {element.element_id: at for at, element in enumerate(snapshot.elements)}
        variants = {variant.variant_id: at for at, variant in enumerate(snapshot.variants)}
        laws = {law.law_id: at for at, law in enumerate(snapshot.laws)}
        pairs = [(facts[fact], instance) for instance in snapshot.instances for fact in instance.fact_ids]
        self.element_of = _pairs((fact, elements[instance.element_id]) for fact, instance in pairs)
        self.variant_of = _pairs((fact, variants[i.variant_id]) for fact, i in pairs if i.variant_id)
        self.satisfied_of = _pairs((fact, elements[i.element_id]) for fact, i in pairs if i.holding == "satisfied")
        self.law_of: Integers = np.array([laws[element.law_id] for element in snapshot.elements], dtype=np.int64)
        numbers = {case.case_id: at for at, case in enumerate(snapshot.cases)}
        self.case_of: Integers = np.array([numbers[fact.case_id] for fact in snapshot.facts], dtype=np.int64)

    def query(self, text: str) -> Query:
        """Cut, analyse and embed a case's text."""
        return self.queries([text])[0]

    def queries(self, texts: Sequence[str]) -> list[Query]:
        """As ``query``, for many cases at once: one call of the embedder."""
        cut = [chunks(text) for text in texts]
        vectors = self._embed([piece.text for pieces in cut for piece in pieces])
        cosines = vectors @ self.vectors.T
        found, start = [], 0
        for pieces in cut:
            terms = [self.words.query(piece.text) for piece in pieces]
            end = start + len(pieces)
            found.append(Query(pieces, terms, vectors[start:end], cosines[start:end]))
            start = end
        return found

    def _embed(self, texts: list[str]) -> Vectors:
        import numpy as np

        if self.embedder is None or not texts:
            return np.zeros((len(texts), 0), dtype=np.float32)
        vectors: Vectors = self.embedder.embed(texts)
        return vectors

    def without(self, cases: Sequence[int]) -> Mask:
        """Which facts belong to the cases at these positions."""
        import numpy as np

        return np.isin(self.case_of, list(cases))

    def search(self, query: Query, method: str = "hybrid", removed: Mask | None = None) -> Found:
        """Score every fact, variant, element and law; *removed* facts are out of the index for this query."""
        import numpy as np

        if method not in METHODS:
            raise UsageError(f"there is no method {method!r}", next=f"name one of {', '.join(METHODS)}")
        if method != "bm25" and self.embedder is None:
            raise ModelMissing(
                "this snapshot was opened without a model", next="fetch it with 'pincite model', or use --method bm25"
            )
        by_chunk = self._by_chunk(query, method, removed)
        facts = by_chunk.max(axis=0) if len(by_chunk) else np.zeros(len(self.case_of))
        best = by_chunk.argmax(axis=0) if len(by_chunk) else np.zeros(len(self.case_of), dtype=np.int64)
        elements = self.elements(facts)
        variants = _best_of(facts, self.variant_of, len(self.snapshot.variants))
        return Found(facts, best, elements, variants, self.laws(elements))

    def elements(self, facts: Floats, *, satisfied_only: bool = False) -> Floats:
        """Per element, the score of its best fact: of any holding, or of those alone that were held satisfied."""
        return _best_of(facts, self.satisfied_of if satisfied_only else self.element_of, len(self.snapshot.elements))

    def laws(self, elements: Floats) -> Floats:
        """Per law, the sum of its three best elements over three; a law with fewer elements adds nothing for those it lacks."""
        import numpy as np

        scores = np.zeros(len(self.snapshot.laws))
        for law in range(len(scores)):
            own = np.sort(elements[self.law_of == law])[::-1]
            scores[law] = own[:ELEMENTS_OF_A_LAW].sum() / ELEMENTS_OF_A_LAW
        return scores

    def _by_chunk(self, query: Query, method: str, removed: Mask | None) -> Floats:
        """Every fact's score for every chunk, 0 outside the best ``DEPTH`` of each list."""
        lists = []
        if method != "vector":
            lists.append(self.words.scores(query.terms, self.words.weights(removed)))
        if method != "bm25":
            cosines = query.cosines.astype("float64")
            if removed is not None:
                cosines[:, removed] = 0.0
            lists.append(cosines.clip(min=0.0))
        if method == "hybrid":
            return sum((0.5 * _rank_scores(scores) for scores in lists[1:]), 0.5 * _rank_scores(lists[0]))
        scores = _keep_best(lists[0])
        if method == "bm25":
            top = scores.max(axis=1, keepdims=True, initial=0.0)
            scores = scores / (top + (top == 0))
        return scores


def _pairs(pairs: object) -> Integers:
    import numpy as np

    found: Integers = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)  # type: ignore[call-overload]
    return found


def _best_of(facts: Floats, pairs: Integers, size: int) -> Floats:
    """The best fact's score of each of *size* things that facts stand for."""
    import numpy as np

    scores = np.zeros(size)
    np.maximum.at(scores, pairs[:, 1], facts[pairs[:, 0]])
    return scores


def _best(scores: Floats) -> tuple[Integers, Integers, Integers]:
    """Row, column and 1-based rank of each row's best ``DEPTH`` scores above 0; ties in column order."""
    import numpy as np

    candidates = scores > 0
    if scores.shape[1] > DEPTH:
        candidates &= scores >= np.partition(scores, -DEPTH, axis=1)[:, -DEPTH, None]
    rows, columns = np.nonzero(candidates)
    order = np.lexsort((columns, -scores[rows, columns], rows))
    rows, columns = rows[order], columns[order]
    first = np.searchsorted(rows, rows)
    ranks = np.arange(1, len(rows) + 1) - first
    kept = ranks <= DEPTH
    return rows[kept], columns[kept], ranks[kept]


def _rank_scores(scores: Floats) -> Floats:
    """61/(60+rank) for the best of each row, 0 for the rest."""
    import numpy as np

    rows, columns, ranks = _best(scores)
    found = np.zeros_like(scores)
    found[rows, columns] = 61 / (60 + ranks)
    return found


def _keep_best(scores: Floats) -> Floats:
    import numpy as np

    rows, columns, _ = _best(scores)
    found = np.zeros_like(scores)
    found[rows, columns] = scores[rows, columns]
    return found


def best_first(scores: Sequence[float], ids: Sequence[str]) -> list[int]:
    """Positions of *ids* by falling score, ties by id."""
    return sorted(range(len(ids)), key=lambda at: (-scores[at], ids[at]))
