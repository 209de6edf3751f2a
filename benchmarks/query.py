"""Warm hybrid queries beside their parts, and exact search at scale beside its anchors.

Latencies are for reading as ratios: everything compared runs in one process, in turns. Synthetic passages of 80 words, drawn
with the word frequencies of a Zipf law, and random unit vectors (which is fair for time, not for quality).

    python benchmarks/query.py            three parts, 100,000 passages
    python benchmarks/query.py 1000000    that many as well (about 5 GB, some minutes)
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from pincite import parse, passages, references
from pincite.index import bm25, kernels, local, vectors
from pincite.index.analyze import terms
from pincite.index.embed import ensure_model, load_embedder
from pincite.index.local import LocalIndex
from pincite.model import Source, sha256_hex
from pincite.passages import chunks_of_nodes
from pincite.references.resolve import known_of, resolve
from pincite.retrieve import Corpus, Decision, answer

QUESTIONS = (
    "who approves or rejects components and drug product containers",
    "how long are distribution records kept after the expiration date",
    "which written procedures are needed for cleaning of equipment",
    "what must a batch production record contain for each lot",
    "reserve samples of an active ingredient kept for one year",
    "who reviews the original laboratory test records and signs",
)
LIMITS = {100_000: 10.0, 1_000_000: 60.0}  # ms, of the exact hybrid query
PRODUCT = {100_000: 3.8, 1_000_000: 36.0}  # ms of numpy's product on the calm machine the limits were set for
CODES_LIMIT = 25.0  # ms at 1,000,000, with the int8 scan


def always(hits: Any, features: Any) -> Decision:
    """Answer, so that the whole way is measured."""
    return Decision(False, 1.0)


def median_ms(functions: dict[str, Callable[[str], Any]], rounds: int) -> dict[str, float]:
    """Median milliseconds of each function over all questions, the functions taking turns."""
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for question in QUESTIONS:
            for name, function in functions.items():
                started = time.perf_counter()
                function(question)
                seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(times[len(QUESTIONS) :]) * 1000 for name, times in seconds.items()}


def apart(functions: dict[str, Callable[[str], Any]], rounds: int) -> dict[str, float]:
    """The same of numpy's products, by themselves: the threads of its BLAS spin for a tenth of a second, on every core."""
    took = median_ms(functions, rounds)
    time.sleep(0.3)
    return took


def words_index(size: int, vocabulary: list[str], rng: np.random.Generator) -> bm25.Bm25:
    """BM25 over synthetic passages, built from term numbers (the text itself is not made)."""
    drawn = np.minimum(rng.zipf(1.3, size * 80), len(vocabulary)) - 1
    owners = np.repeat(np.arange(size, dtype=np.int64), 80)
    return bm25.from_numbers(dict(zip(vocabulary, range(len(vocabulary)))), drawn, owners, size)


def random_matrix(size: int, rng: np.random.Generator) -> np.ndarray:
    rows = np.empty((size, 384), np.float32)
    for at in range(0, size, 100_000):
        block = rng.standard_normal((min(100_000, size - at), 384), dtype=np.float32)
        rows[at : at + 100_000] = block / np.linalg.norm(block, axis=1, keepdims=True)
    return rows


def synthetic(size: int, embedder: Any) -> LocalIndex:
    rng = np.random.default_rng(size)
    asked = sorted({term for question in QUESTIONS for term in terms(question)})
    filler = [f"w{number}" for number in range(30_000 - len(asked))]
    vocabulary = [*filler[:20], *asked, *filler[20:]]  # the questions' words are common ones: long postings
    keys = {name: [f"{name}{at}" for at in range(size)] for name in ("chunk_id", "document_id", "corpus_version", "node_id")}
    matrix = vectors.matrix_of(random_matrix(size, rng))
    return LocalIndex(keys, words_index(size, vocabulary, rng), matrix, embedder=embedder, stamp="synthetic")


def real(embedder: Any) -> tuple[LocalIndex, Corpus] | None:
    """The three parts, indexed, with their references resolved, where they are at hand."""
    named = [Path(os.environ["PINCITE_MIRROR"])] if "PINCITE_MIRROR" in os.environ else []
    for root in (*named, Path("data/raw"), Path(__file__).parents[2] / "shared/data/ecfr"):
        paths = [root / "title-21" / f"part-{part}.xml" for part in ("11", "210", "211")]
        if all(path.exists() for path in paths):
            documents = [parse.parse(source_of(path), path.read_bytes()) for path in paths]
            rows = {document.source.document_id: passages.build(document) for document in documents}
            known = known_of(
                (document.source.document_id, node.node_id, chunk_ids)
                for document in documents
                for node, chunk_ids in zip(document.nodes, chunks_of_nodes(document.nodes, rows[document.source.document_id]))
            )
            edges = [
                edge
                for document in documents
                for edge in resolve(
                    references.observe(document), known, source=document.source, passages=rows[document.source.document_id]
                )
            ]
            every = [passage for part in rows.values() for passage in part]
            return local.build(every, embedder), Corpus.of(documents, every, edges)
    return None


def source_of(path: Path) -> Source:
    data = path.read_bytes()
    return Source(path.stem, "", "", "", "application/xml", f"title-21/{path.name}", len(data), sha256_hex(data))


def compare(name: str, index: LocalIndex, rounds: int, limit: float, corpus: Corpus | None = None) -> None:
    """Print a hybrid query beside its parts; whether it keeps within *limit* milliseconds is said, not enforced.

    With a *corpus* the whole answer is measured as well: abstention, references followed, neighbours.
    """
    size = index.count()
    embedder, matrix, words = index.embedder, index.matrix, index.words
    assert embedder is not None
    assert matrix is not None
    known = {question: embedder.embed([question])[0] for question in QUESTIONS}

    def hybrid(question: str) -> Any:
        index.forget()  # or the question before would be reused, where it is the same
        return index.search(question, 20)

    def answered(question: str) -> Any:
        index.forget()
        return answer(question, index, corpus, abstainer=always) if corpus is not None else None

    took = median_ms(
        {
            "answer": answered,
            "embedding": lambda question: embedder.embed([question]),
            "bm25": lambda question: bm25.top(words.scores(bm25.weigh(terms(question))), 100),
            "scan": lambda question: matrix.top(known[question], 100),
            "hybrid": hybrid,
        },
        rounds,
    )
    took |= apart({"product": lambda question: matrix.rows @ known[question]}, rounds)
    parts = took["embedding"] + took["bm25"] + took["scan"]
    split = ", ".join(f"{part} {took[part]:.2f}" for part in ("embedding", "bm25", "scan"))
    how = "int8 scan, exact result" if matrix.codes is not None else "float32 scan"
    print(
        f"{name}: hybrid {took['hybrid']:.2f} ms, parts {parts:.2f} ({split}): ratio {took['hybrid'] / parts:.2f} (at most 1.5)"
    )
    times = f", {took['hybrid'] / took['product']:.2f} times numpy's bare product of all vectors" if size >= 100_000 else ""
    agreed = f" (agreed {limit / PRODUCT[size]:.2f})" if size in PRODUCT else ""
    print(f"    {how}{times}{agreed}; {limit:g} ms: {'within' if took['hybrid'] <= limit else 'over, here and now'}")
    if corpus is not None:
        print(f"    whole answer, references followed: {took['answer']:.2f} ms, ratio {took['answer'] / parts:.2f}")


def anchors(name: str, index: LocalIndex, rounds: int) -> None:
    """The scan beside numpy's product over all rows, and the proof that its 20 best are the exact ones."""
    matrix = index.matrix
    assert matrix is not None
    rng = np.random.default_rng(1)
    queries = {
        question: vector / np.linalg.norm(vector)
        for question, vector in zip(QUESTIONS, rng.standard_normal((6, 384), dtype=np.float32))
    }
    functions: dict[str, Callable[[str], Any]] = {
        "numpy": lambda question: vectors.Matrix(matrix.rows).top(queries[question], 20),
        "bare product": lambda question: matrix.rows @ queries[question],
    }
    took = median_ms({"ours": lambda question: matrix.top(queries[question], 20)}, rounds) | apart(functions, rounds)
    equal = all(matrix.top(q, 20)[0].tolist() == vectors.Matrix(matrix.rows).top(q, 20)[0].tolist() for q in queries.values())
    print(
        f"{name}: exact top 20 {took['ours']:.2f} ms, numpy's {took['numpy']:.2f} "
        f"(the product alone {took['bare product']:.2f}): ratio {took['ours'] / took['numpy']:.2f}; same 20: {equal}"
    )
    if not equal:
        sys.exit("the int8 scan did not give the exact 20 best")


def words_anchor(name: str, index: LocalIndex, rounds: int) -> None:
    """BM25 beside bm25s with its numba backend, over the same postings."""
    import bm25s

    words = index.words
    peer = bm25s.BM25(k1=bm25.K1, b=bm25.B, method="lucene", backend="numba")
    peer.scores = {
        "data": words.weights,
        "indices": words.documents,
        "indptr": words.starts.astype(np.int32),
        "num_docs": words.size,
    }
    peer.vocab_dict = dict(words.vocabulary)
    peer.unique_token_ids_set = set(peer.vocab_dict.values())
    peer.nonoccurrence_array = None

    def theirs(question: str) -> Any:
        return peer.retrieve([terms(question)], k=100, show_progress=False, n_threads=1)

    took = median_ms({"ours": lambda q: bm25.top(words.scores(bm25.weigh(terms(q))), 100), "bm25s": theirs}, rounds)
    ratio = took["ours"] / took["bm25s"]
    print(f"{name}: BM25 top 100 {took['ours']:.2f} ms, bm25s (numba) {took['bm25s']:.2f}: ratio {ratio:.2f}")


def main() -> None:
    ensure_model()
    embedder = load_embedder()
    parts = real(embedder)
    if parts is not None:
        index, corpus = parts
        compare(f"three parts ({index.count()} passages)", index, 15, 5.0, corpus)
    for size in (100_000, *map(int, sys.argv[1:])):
        index = synthetic(size, embedder)
        name = f"{size:,} passages"
        limit = LIMITS.get(size, 10.0 * size / 100_000)
        if index.matrix is not None and index.matrix.codes is not None:
            compare(name, index, 7, CODES_LIMIT if size >= 1_000_000 else limit)
            anchors(name, index, 5)
            words_anchor(name, index, 5)
        index.matrix = vectors.Matrix(index.matrix.rows) if index.matrix else None
        compare(name, index, 5, limit)
    if not kernels.worth_it(kernels.WORTH):
        print("numba is not here: large indexes are searched by arrays alone")


if __name__ == "__main__":
    main()
