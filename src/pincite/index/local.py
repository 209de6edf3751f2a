"""The local index: BM25 and vectors over the indexable passages of one scope, fused by rank, kept in one folder.

It is built from the rows of the chunks table alone and can be thrown away at any time. A folder holds generations: each is
complete before ``current.json`` names it, by an atomic rename, so a reader never sees half of one.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pincite.errors import IndexFault, ModelMissing, UsageError
from pincite.index import bm25, threads, vectors
from pincite.index.analyze import terms
from pincite.index.fuse import fuse
from pincite.model import digest, sha256_hex
from pincite.ports import Embedder, Floor, Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Ints = NDArray[np.int64]

METHODS = ("hybrid", "bm25", "vector")
FORMAT = 1  # raise it whenever analysis, weighting or layout changes: older indexes are then rebuilt
_DEPTH = 100  # entries of each list that take part in the fusion
_LARGE = 50_000  # passages from which on words are searched on a thread of their own
_FEW = 10_000  # filtered passages that are scored one by one
_HASHED = 64 << 20  # files up to this size are hashed on loading, larger ones checked by size


class Entry(NamedTuple):
    """What the index needs of a passage. Any record or row with these fields can be indexed."""

    chunk_id: str
    document_id: str
    corpus_version: str
    node_id: str
    retrieval_text: str
    content_hash: str


class LocalIndex:
    """Implements ``VectorIndex``. ``version`` is the chunks table's version it was built from, -1 where none was named."""

    def __init__(
        self,
        keys: Mapping[str, Sequence[str]],
        words: bm25.Bm25,
        matrix: vectors.Matrix | None,
        *,
        embedder: Embedder | None,
        stamp: str,
        version: int = -1,
        read: Callable[[], Any] | None = None,
        floor: Floor | None = None,
        method: str = "hybrid",
    ) -> None:
        self.keys, self.words, self.matrix = keys, words, matrix
        self.method = method if matrix is not None else "bm25"
        self.embedder, self.stamp, self.version = embedder, stamp, version
        self._read, self._floor = read, floor
        self._last_vector: tuple[str, Vectors] | None = None
        self._last_scores: tuple[str, Vectors] | None = None
        self._by_key: dict[str, Mapping[str, Sequence[int]]] = {}

    @property
    def backend(self) -> str:
        """The name this backend logs and is calibrated under."""
        return "local" if self.method == "hybrid" else f"local-{self.method}"

    @property
    def model(self) -> str:
        """The embedding model's name, "none" without one."""
        return self.embedder.name if self.embedder else "none"

    def count(self) -> int:
        """How many passages it holds."""
        return len(self.keys["chunk_id"])

    def frequency(self, term: str) -> int:
        """How many passages hold a search term."""
        return self.words.frequency(term)

    def idf(self, term: str) -> float:
        """Lucene's idf of a search term."""
        return self.words.idf(term)

    def floor(self) -> Floor:
        """The declared floor; one of 0 where nothing was calibrated."""
        return self._floor or Floor(self.backend, self.method.upper(), 0.0, "not calibrated")

    def sync(self, version: int) -> None:
        """Rebuild from the chunks table when it has another *version*; needs the ``read`` given to ``build``."""
        if version == self.version:
            return
        if self._read is None:
            raise IndexFault("this index has no table to follow", next="build it again from the chunks table")
        fresh = build(self._read(), self.embedder, version=version, read=self._read, floor=self._floor)
        self.keys, self.words, self.matrix = fresh.keys, fresh.words, fresh.matrix
        self.stamp, self.version = fresh.stamp, version
        self._by_key = {}
        self.forget()

    def search(
        self,
        query: str,
        k: int,
        *,
        filters: Mapping[str, Any] | None = None,
        method: str | None = None,
        weights: Mapping[str, float] | None = None,
        depth: int = _DEPTH,
    ) -> list[Hit]:
        """The *k* best passages, best first. ``method`` is one of ``METHODS``, the index's own where not given.

        *filters* names document_id, corpus_version, node_id or chunk_id with one value or a list. Each hit carries its rank
        in every list that has it and its raw scores (``bm25``, ``vector``: a cosine) whether it is in that list or not.
        """
        method = method or self.method
        if method not in METHODS:
            raise UsageError(f"there is no search method '{method}'", next=f"name one of: {', '.join(METHODS)}")
        if k < 1 or self.count() == 0:
            return []
        lists, lookups = self._ranked(query, method, max(depth, k), self._allowed(filters))
        ids = self.keys["chunk_id"]
        best = fuse(lists, weights, limit=k)
        places = [at for at, _, _ in best]
        raw = {name: lookup(places) for name, lookup in lookups.items()}
        return [
            Hit(ids[at], score, ranks, {name: values[number] for name, values in raw.items()})
            for number, (at, score, ranks) in enumerate(best)
        ]

    def _ranked(
        self, query: str, method: str, depth: int, allowed: Ints | None
    ) -> tuple[dict[str, list[int]], dict[str, Callable[[list[int]], list[float]]]]:
        """Each list's positions among the *allowed* ones, best first, and for each the raw scores of any positions."""
        lists: dict[str, list[int]] = {}
        lookups: dict[str, Callable[[list[int]], list[float]]] = {}

        def words() -> tuple[Vectors, list[int]]:
            scores = self._word_scores(query)
            found = bm25.top(scores, depth) if allowed is None else allowed[bm25.top(scores[allowed], depth)]
            return scores, found.tolist()

        aside = method == "hybrid" and self.matrix is not None and self.count() >= _LARGE
        waiting = threads.begin(words) if aside else None  # the question is embedded meanwhile
        vector = self._embed(query) if method != "bm25" and self.matrix is not None else None
        if method != "vector":
            scores, lists["bm25"] = waiting.result() if waiting else words()
            lookups["bm25"] = lambda places: scores[places].tolist()
        if self.matrix is not None and vector is not None:
            matrix, asked = self.matrix, vector
            lists["vector"] = _nearest(matrix, asked, depth, allowed).tolist()
            lookups["vector"] = lambda places: matrix.cosines(asked, places).tolist()
        if not lists:
            raise ModelMissing("this index has no vectors", next="fetch the model and rebuild, or search with --method bm25")
        return lists, lookups

    def _embed(self, query: str) -> Vectors:
        """The query's vector; the last one is kept, because following references asks again for the same query."""
        if self.embedder is None:
            raise ModelMissing("this index has vectors, but no model was given to embed the query")
        last = self._last_vector
        if last is None or last[0] != query:
            last = self._last_vector = (query, self.embedder.embed([query])[0])
        return last[1]

    def _word_scores(self, query: str) -> Vectors:
        """The BM25 score of every passage; the last query's are kept, as its vector is."""
        last = self._last_scores
        if last is None or last[0] != query:
            last = self._last_scores = (query, self.words.scores(bm25.weigh(terms(query))))
        return last[1]

    def forget(self) -> None:
        """Drop what is kept of the last query."""
        self._last_vector = self._last_scores = None

    def _allowed(self, filters: Mapping[str, Any] | None) -> Ints | None:
        """Positions that pass every filter, in order; None where all do."""
        import numpy as np

        allowed: set[int] | None = None
        for name, wanted in (filters or {}).items():
            if name not in self.keys:
                raise UsageError(f"the index cannot be filtered by '{name}'", next=f"use one of: {', '.join(self.keys)}")
            values = [wanted] if isinstance(wanted, str) else wanted
            places = {at for value in values for at in self._positions(name).get(value, ())}
            allowed = places if allowed is None else allowed & places
        return None if allowed is None else np.array(sorted(allowed), dtype=np.int64)

    def _positions(self, name: str) -> Mapping[str, Sequence[int]]:
        """Positions by the value of a key, made when first asked for."""
        known = self._by_key.get(name)
        if known is None:
            lists: dict[str, list[int]] = {}
            for at, value in enumerate(self.keys[name]):
                lists.setdefault(value, []).append(at)
            known = self._by_key[name] = lists
        return known

    def save(self, folder: Path) -> None:
        """Write a new generation into *folder* and make it the current one; older generations are removed afterwards."""
        generation = folder / f"{self.stamp[:16]}-{uuid.uuid4().hex[:8]}"
        try:
            bm25.save(self.words, generation)
            _write_json(generation / "keys.json", dict(self.keys))
            if self.matrix is not None:
                vectors.save(self.matrix, generation)
            files = {path.name: [path.stat().st_size, _hash(path)] for path in sorted(generation.iterdir())}
            current = {"format": FORMAT, "generation": generation.name, "stamp": self.stamp, "version": self.version}
            current |= {"count": self.count(), "model": self.embedder.name if self.embedder else None, "files": files}
            _replace(folder / "current.json", current)
        except OSError as error:
            shutil.rmtree(generation, ignore_errors=True)
            raise IndexFault(
                f"the index cannot be written ({error})", where=str(folder), next="free space and repeat"
            ) from error
        for other in folder.iterdir():
            if other.is_dir() and other != generation:
                shutil.rmtree(other, ignore_errors=True)


def build(
    chunks: Any,
    embedder: Embedder | None,
    *,
    version: int = -1,
    read: Callable[[], Any] | None = None,
    floor: Floor | None = None,
) -> LocalIndex:
    """Index the indexable ones of *chunks*: ``Passage`` records, or a ``pyarrow.Table`` of the chunks table.

    Without an embedder the index holds words only. *version* is the table version the rows came from.
    """
    entries = _entries(chunks)
    texts = [entry.retrieval_text for entry in entries]
    matrix = vectors.matrix_of(embedder.embed(texts)) if embedder is not None and texts else None
    keys = {name: [entry[at] for entry in entries] for at, name in enumerate(Entry._fields[:4])}
    words = bm25.build(map(terms, texts))
    stamp = stamp_of(entries, embedder.name if embedder else None)
    return LocalIndex(keys, words, matrix, embedder=embedder, stamp=stamp, version=version, read=read, floor=floor)


def load(folder: Path, embedder: Embedder | None = None, *, floor: Floor | None = None, method: str = "hybrid") -> LocalIndex:
    """The current generation of *folder*; ``IndexFault`` where there is none, or it is damaged or of another model.

    *method* is how it searches unless told otherwise; with "bm25" no vectors are read and no embedder is needed.
    """
    current = read_current(folder)
    generation = folder / current["generation"]
    for name, (size, wanted) in current["files"].items():
        _check_file(generation / name, size, wanted)
    if embedder is not None and current["model"] not in (None, embedder.name):
        raise IndexFault(
            f"the index was built with the model {current['model']}, not {embedder.name}",
            where=str(folder),
            next="rebuild it with 'pincite index', or name that model",
        )
    keys = json.loads((generation / "keys.json").read_text(encoding="utf-8"))
    matrix = None if method == "bm25" else vectors.load(generation)
    words = bm25.load(generation)
    return LocalIndex(
        keys, words, matrix, embedder=embedder, stamp=current["stamp"], version=current["version"], floor=floor, method=method
    )


def read_current(folder: Path) -> dict[str, Any]:
    """What ``current.json`` says: format, generation, stamp, version, count, model, files."""
    path = folder / "current.json"
    try:
        current: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if current["format"] == FORMAT:
            return _well_formed(current)
        problem = f"the index has format {current['format']}, this version needs {FORMAT}"
    except FileNotFoundError:
        problem = "there is no index here"
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = f"the index cannot be read ({error})"
    raise IndexFault(problem, where=str(folder), next="build it with 'pincite index' or 'pincite run'")


def _well_formed(current: dict[str, Any]) -> dict[str, Any]:
    names = [current["generation"], *current["files"]]
    if any(name != Path(name).name for name in names):
        raise ValueError("it names a file outside its folder")
    return {name: current[name] for name in ("format", "generation", "stamp", "version", "count", "model", "files")}


def stamp_of(chunks: Any, model: str | None) -> str:
    """A digest of all that an index depends on: rows, *model* (an embedder's name), format. Equal ones need no rebuild."""
    rows = chunks if isinstance(chunks, list) and (not chunks or isinstance(chunks[0], Entry)) else _entries(chunks)
    fields = (field for entry in rows for field in (entry.chunk_id, entry.content_hash))
    return digest(FORMAT, model, *fields)


def indexable(chunks: Any) -> int:
    """How many of *chunks* an index of them must hold."""
    return len(_entries(chunks))


def _nearest(matrix: vectors.Matrix, vector: Vectors, k: int, allowed: Ints | None) -> Ints:
    """The *k* best positions by cosine; a few allowed ones are scored alone, many by a scan with a mask."""
    import numpy as np

    if allowed is None:
        return matrix.top(vector, k)[0]
    if len(allowed) <= _FEW:
        few: Ints = allowed[bm25.ranked(matrix.cosines(vector, allowed), k)]
        return few
    mask = np.zeros(len(matrix.rows), dtype=np.bool_)
    mask[allowed] = True
    return matrix.top(vector, k, mask)[0]


def _entries(chunks: Any) -> list[Entry]:
    if hasattr(chunks, "to_pylist"):
        table = chunks.select([*Entry._fields, "indexable"])
        return [Entry(*(row[name] for name in Entry._fields)) for row in table.to_pylist() if row["indexable"]]
    rows: Iterable[Any] = chunks
    return [
        row if isinstance(row, Entry) else Entry(*(getattr(row, name) for name in Entry._fields))
        for row in rows
        if getattr(row, "indexable", True)
    ]


def _check_file(path: Path, size: int, wanted: str) -> None:
    try:
        found = path.stat().st_size
    except OSError:
        found = -1
    if found != size or (size <= _HASHED and _hash(path) != wanted):
        raise IndexFault("a file of the index is missing or damaged", where=str(path), next="rebuild it with 'pincite index'")


def _hash(path: Path) -> str:
    return sha256_hex(path.read_bytes()) if path.stat().st_size <= _HASHED else ""


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8", newline="\n")


def _replace(path: Path, value: Any) -> None:
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    _write_json(part, value)
    os.replace(part, path)
