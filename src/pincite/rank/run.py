"""Passages and queries in, a ranking out: one index, references as edges, fusion, one hop, re-ranking."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pincite.errors import UsageError
from pincite.index import bm25
from pincite.index.analyze import terms
from pincite.rank import features, late, signals
from pincite.rank.abstain import decide, statement
from pincite.rank.adapter import adapt, load_adapters
from pincite.rank.answerable import describe_ranking, load_calibration
from pincite.rank.collection import Collection, Query, collect, opening, read_passages, read_queries
from pincite.rank.edges import detect, none, read
from pincite.rank.features import Links
from pincite.rank.late import Tokens
from pincite.rank.models import open_encoders
from pincite.rank.rerank import load_reranker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pincite.ports import Embedder
    from pincite.rank.models import Encoder
    from pincite.rank.rerank import Reranker

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

METHODS = ("bm25", "vector", "hybrid")
_STATEMENT_TERMS, _STATEMENT_CLAUSES = 60, 4
_FACTS = ("clause_words", "vector", "opening")  # signals that rank for a statement of facts, equally weighted
_SLICE = 512  # passages embedded at once
_BLOCK = 64  # queries whose cosines are computed at once


class Ranking(NamedTuple):
    """One query's passages, best first, with descending scores, and what was measured on the way."""

    query: Query
    places: Sequence[int]
    scores: Sequence[float]
    found: Mapping[str, Floats]


class Asked(NamedTuple):
    """A query with its vector signals, and the records of its tokens where there is late interaction."""

    query: Query
    cosines: Mapping[str, Floats]
    words: NDArray[Any] | None


class Ranker:
    """A collection indexed for ranking; without an encoder by words alone."""

    def __init__(
        self,
        collection: Collection,
        links: Links,
        encoders: Sequence[Encoder] = (),
        reranker: Reranker | None = None,
        adapters: Mapping[str, Floats] = {},
    ) -> None:
        self.collection, self.reranker, self.adapters = collection, reranker, adapters
        self.fields = signals.index(collection)
        self.shape = features.structure(collection, links)
        self.encoders = encoders
        self.speller = next((encoder for encoder in encoders if encoder.words is not None), None)
        self.words = words_of(collection, self.speller)  # before the vectors, which come of it on the way
        self.vectors = vectors_of(collection, encoders)

    def rank(self, queries: Sequence[Query], method: str, depth: int) -> Iterator[Ranking]:
        """Rankings in the order of the queries, at most *depth* passages each."""
        order: Callable[[Asked, Mapping[str, Floats]], tuple[Ints, Floats]]
        order = {"bm25": self._by_words, "vector": self._by_vector, "hybrid": self._by_all}[method]
        for asked in self._asked(queries):
            found = signals.measure(asked.query.text, self.fields, asked.cosines)
            places, scores = order(asked, found)
            yield Ranking(asked.query, places[:depth].tolist(), scores[:depth].tolist(), found)

    def describe(self, ranking: Ranking) -> dict[str, float]:
        """What the abstainer looks at: the whole distribution of scores, and the question against the first passages."""
        texts = [self.collection.items[place].text for place in ranking.places[:3]]
        return describe_ranking(ranking.query.text, ranking.scores, ranking.found, texts)

    def _asked(self, queries: Sequence[Query]) -> Iterator[Asked]:
        for start in range(0, len(queries), _BLOCK):
            block = queries[start : start + _BLOCK]
            texts = [query.text for query in block]
            words = None if self.speller is None else self.speller.ask_words(texts)
            rows = cosines(texts, self.encoders, self.vectors, self.adapters)
            for at, query in enumerate(block):
                each = {name: matrix[at] for name, matrix in rows.items()}
                yield Asked(query, each, None if words is None else words.of(at))

    def _by_words(self, asked: Asked, found: Mapping[str, Floats]) -> tuple[Ints, Floats]:
        return _sorted(found["words"])

    def _by_vector(self, asked: Asked, found: Mapping[str, Floats]) -> tuple[Ints, Floats]:
        import numpy as np

        order: Ints = np.argsort(-found["vector"], kind="stable")
        return order, found["vector"][order]

    def _by_facts(self, found: Mapping[str, Floats]) -> tuple[Ints, Floats]:
        """A rule answers to one sentence of a long statement: the best by words, and the vectors of the whole."""
        import numpy as np

        total = sum(
            (_standard(found[name]) for name in ("clause_words", "vector", "opening") if name in found), start=np.float32(0)
        )
        order: Ints = np.argsort(-total, kind="stable")
        return order, total[order]

    def _by_all(self, asked: Asked, found: Mapping[str, Floats]) -> tuple[Ints, Floats]:
        """Fusion picks the candidates and orders the tail; the re-ranker orders the first of them."""
        import numpy as np

        text = asked.query.text
        if is_statement(text):
            return self._by_facts(found)
        base = features.fused(found, features.FUSION)
        order, scores = _sorted(base)
        if self.reranker is None or not len(order):
            return order, scores
        pool = features.candidates(base, self.shape)
        by_words = None
        if self.words is not None and asked.words is not None:
            by_words = late.score(asked.words, self.words, pool.tolist())
        rows, names = features.matrix(found, base, pool, self.fields, self.shape, len(terms(text)), by_words)
        judged = self.reranker.score(rows, names)
        best = np.argsort(-judged, kind="stable")
        rest = order[~np.isin(order, pool)]
        places = np.concatenate([pool[best], rest])
        return places, np.concatenate([judged[best], float(judged.min()) - 1 - np.arange(len(rest), dtype=np.float32) / 1e3])


def words_of(collection: Collection, encoder: Encoder | None) -> Tokens | None:
    """The tokens of the passages as *encoder* sees them; None where there is none."""
    return None if encoder is None or encoder.words is None else encoder.words.read(texts_of(collection))


def texts_of(collection: Collection) -> list[str]:
    """What is read of each passage: its text, or the headings above one that has none."""
    return [item.text if item.text.strip() else collection.contexts[at] for at, item in enumerate(collection.items)]


def vectors_of(collection: Collection, encoders: Sequence[Encoder]) -> dict[str, Floats]:
    """Vectors of the passages by each model, and of what each passage says it is about."""
    texts = texts_of(collection)
    openings = [opening(item) or texts[at] for at, item in enumerate(collection.items)]
    found = {}
    for encoder in encoders:
        found[encoder.signal] = _embed(texts, encoder.embedder)
        if encoder.opening:
            found[encoder.opening] = _embed(openings, encoder.embedder)
    return found


def _embed(texts: Sequence[str], embedder: Embedder) -> Floats:
    """As the embedder does, in slices of like length, so that what is done is cached should the run be stopped."""
    import numpy as np

    vectors: Floats = np.zeros((len(texts), embedder.dimension), dtype=np.float32)
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    for start in range(0, len(order), _SLICE):
        part = order[start : start + _SLICE]
        vectors[part] = embedder.embed([texts[at] for at in part])
    return vectors


def cosines(
    questions: Sequence[str], encoders: Sequence[Encoder], vectors: Mapping[str, Floats], adapters: Mapping[str, Floats]
) -> dict[str, Floats]:
    """Vector signals of a block of questions, each of shape (questions, passages)."""
    found: dict[str, Floats] = {}
    for encoder in encoders:
        found |= signals_of(encoder, encoder.ask(questions), vectors, adapters.get(encoder.signal))
    return found


def signals_of(encoder: Encoder, asked: Floats, vectors: Mapping[str, Floats], adapter: Floats | None) -> dict[str, Floats]:
    """The same of one model, from the questions' vectors."""
    found = {name: asked @ vectors[name].T for name in (encoder.signal, encoder.opening) if name}
    if adapter is not None:
        found[encoder.moved] = adapt(asked, adapter) @ vectors[encoder.signal].T
    return found


def is_statement(text: str) -> bool:
    """Whether a query is a statement of facts, not a question: long, in several sentences."""
    return len(terms(text)) > _STATEMENT_TERMS and len(signals.clauses(text)) >= _STATEMENT_CLAUSES


def _standard(scores: Floats) -> Floats:
    deviation = float(scores.std()) or 1.0
    standard: Floats = (scores - scores.mean()) / deviation
    return standard


def _sorted(scores: Floats) -> tuple[Ints, Floats]:
    order = bm25.top(scores, len(scores))
    return order, scores[order]


def write_run(rankings: Iterable[Ranking], collection: Collection, path: Path, tag: str) -> None:
    """Write a TREC run, whole or not at all; scores fall strictly, so that no evaluator has to break ties."""
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as out:
            for ranking in rankings:
                for rank, (place, score) in enumerate(zip(ranking.places, ranking.scores), start=1):
                    id = collection.items[place].id
                    out.write(f"{ranking.query.id} Q0 {id} {rank} {score - rank * 1e-6:.6f} {tag}\n")
            partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def rank_files(
    passages: Path,
    queries: Path,
    out: Path,
    edges: str = "detect",
    method: str = "hybrid",
    depth: int = 100,
    abstain: Path | None = None,
    calibration: Path | None = None,
) -> None:
    """``pincite rank``: read, rank, write. Nothing is left half-written."""
    collection = collect(read_passages(passages))
    asked = read_queries(queries)
    verdicts = None if abstain is None else load_calibration(calibration)
    if not out.parent.is_dir() or (abstain is not None and not abstain.parent.is_dir()):
        raise UsageError("the folder to write into does not exist", where=str(out.parent), next="make it first")
    links = _links(edges, collection)
    encoders = open_encoders() if method != "bm25" else ()
    ranker = Ranker(collection, links, encoders, load_reranker(), load_adapters())
    rows: list[dict[str, Any]] = []

    def judged() -> Iterator[Ranking]:
        for ranking in ranker.rank(asked, method, depth):
            if verdicts is not None:
                verdict = decide(verdicts, ranker.describe(ranking))
                rows.append({"id": ranking.query.id, "abstain": verdict.abstain, "confidence": round(verdict.confidence, 6)})
            yield ranking

    write_run(judged(), collection, out, f"pincite-{method}")
    if abstain is not None and verdicts is not None:
        abstain.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        note(f"abstaining as calibrated on {verdicts.source or 'labelled queries'}: {statement(verdicts)}")


def _links(edges: str, collection: Collection) -> Links:
    if edges in {"detect", "terms"}:
        return detect(collection.items, terms=edges == "terms")
    return none(len(collection.items)) if edges == "none" else read(Path(edges), collection.items)


def note(text: str) -> None:
    """One line for a person, on standard error."""
    sys.stderr.write(f"pincite: {text}\n")
