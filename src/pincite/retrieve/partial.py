"""A corpus of which only what is asked for is here: for scopes that must not be held in memory, on a driver above all.

``PartialCorpus`` answers whatever ``Corpus`` answers a question with, from rows it fetches when they are asked for and then
keeps. Asked one by one that would be a statement a row, so ``gather`` asks many questions at once: each is answered again and
again from what is here, what was missed is noted and fetched for all of them together, until nothing is missed any more.
What is here grows with the questions, never with the corpus.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from pincite.model import Edge, Node, Passage
from pincite.ports import Floor, Hit, VectorIndex
from pincite.retrieve.corpus import Corpus, Origin, continues, overlaps

V = TypeVar("V")
Key = tuple[str, ...] | tuple[str, int]
WINDOW = 16  # passages that stand beside each other and are fetched together


class Facts(NamedTuple):
    """What is known of the scope as a whole, counted where the rows are."""

    indexable: int  # passages a search can find
    cfr_titles: tuple[str, ...]
    has_manuals: bool


class Rows(Protocol):
    """Who has the rows of one scope. Every method takes many keys and answers those it knows; orders do not matter."""

    def facts(self) -> Facts:
        """Counted once."""

    def passages(self, chunk_ids: Sequence[str]) -> Iterable[Passage]:
        """By their ids."""

    def windows(self, windows: Sequence[tuple[str, int]]) -> Iterable[Passage]:
        """By (document_id, ordinal // WINDOW)."""

    def nodes(self, node_ids: Sequence[str]) -> Iterable[tuple[str, Node]]:
        """(document_id, node) of every document that has the citation."""

    def lineages(self, places: Sequence[tuple[str, str]]) -> Iterable[tuple[str, Node]]:
        """By (document_id, node_id): the node and whatever it stands in."""

    def below(self, places: Sequence[tuple[str, str]]) -> tuple[Iterable[tuple[str, Node]], Iterable[Passage]]:
        """By (document_id, node_id): the node and all within it, and the passages of all these and those reaching into it."""

    def edges(self, chunk_ids: Sequence[str]) -> Iterable[Edge]:
        """By the passage they stand in."""

    def cited(self, node_ids: Sequence[str]) -> Iterable[str]:
        """Those of *node_ids* that some passage cites."""

    def origins(self, document_ids: Sequence[str]) -> Iterable[Origin]:
        """By document."""

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """How many indexable passages hold each search term."""


class _Missed(Exception):
    """Something was asked for that is not here yet and has no honest stand-in."""


class PartialCorpus(Corpus):
    """Implements what ``answer`` asks of a corpus; what only a whole one has (all edges, all nodes) it refuses."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._here: dict[str, dict[Any, Any]] = {name: {} for name in _KINDS}
        self._missed: dict[str, dict[Any, None]] | None = None  # only while gathering
        super().__init__((), (), (), ())
        self.passages = _Keyed(self, "passages")
        self.origins = _Keyed(self, "origins")
        facts = rows.facts()
        self.indexable, self.cfr_titles, self.has_manuals = facts
        self._places: dict[tuple[str, str], Node] = {}

    # --- gathering

    def gather(self, questions: Iterable[Callable[[], object]]) -> None:
        """Answer *questions* until none misses anything; their answers are thrown away, what they needed is here then."""
        waiting = list(questions)
        while waiting:
            missed: dict[str, dict[Any, None]] = {name: {} for name in _KINDS}
            waiting = [question for question in waiting if self._misses(question, missed)]
            for name, keys in missed.items():
                if keys:
                    self._fetch(name, list(keys))

    def _misses(self, question: Callable[[], object], missed: dict[str, dict[Any, None]]) -> bool:
        """Whether *question* could not be answered from what is here; what it lacks is added to *missed*."""
        self._missed = {name: {} for name in _KINDS}
        try:
            question()
        except _Missed:
            pass
        finally:
            lacking, self._missed = self._missed, None
        for name, keys in lacking.items():
            missed[name].update(keys)
        return any(lacking.values())

    @property
    def unsettled(self) -> bool:
        """Whether the answer being given rests on something that is not here yet."""
        return self._missed is not None and any(self._missed.values())

    def get(self, kind: str, key: Any, stand_in: V) -> V:
        """What is here under *key*; fetched now, or noted and *stand_in* given while gathering."""
        here = self._here[kind]
        if key not in here:
            if self._missed is not None:
                self._missed[kind][key] = None
                return stand_in
            self._fetch(kind, [key])
        found: V = here[key]
        return found

    def _fetch(self, kind: str, keys: list[Any]) -> None:
        self._here[kind].update(getattr(self, f"_fetch_{kind}")(keys))

    def _fetch_passages(self, keys: list[str]) -> dict[str, Passage | None]:
        found = list(self._rows.passages(keys))
        self._remember_origins(found)
        return {**dict.fromkeys(keys), **{passage.chunk_id: passage for passage in found}}

    def _remember_origins(self, passages: Sequence[Passage]) -> None:
        wanted = {passage.document_id for passage in passages} - self._here["origins"].keys()
        if wanted:
            self._fetch("origins", sorted(wanted))

    def _keep(self, passages: Iterable[Passage]) -> list[Passage]:
        """Passages that came with others: here from now on under their own ids too."""
        found = list(passages)
        self._remember_origins(found)
        self._here["passages"].update((passage.chunk_id, passage) for passage in found)
        return found

    def _fetch_origins(self, keys: list[str]) -> dict[str, Origin | None]:
        return {**dict.fromkeys(keys), **{origin.document_id: origin for origin in self._rows.origins(keys)}}

    def _fetch_windows(self, keys: list[tuple[str, int]]) -> dict[tuple[str, int], list[Passage]]:
        found: dict[tuple[str, int], list[Passage]] = {key: [] for key in keys}
        for passage in sorted(self._keep(self._rows.windows(keys)), key=_in_order):
            found[passage.document_id, passage.ordinal // WINDOW].append(passage)
        return found

    def _fetch_nodes(self, keys: list[str]) -> dict[str, tuple[tuple[str, Node], ...]]:
        found: dict[str, list[tuple[str, Node]]] = {key: [] for key in keys}
        for document_id, node in sorted(self._rows.nodes(keys), key=_node_order):
            found[node.node_id].append((document_id, node))
        return {key: tuple(pairs) for key, pairs in found.items()}

    def _fetch_places(self, keys: list[tuple[str, str]]) -> dict[tuple[str, str], Node | None]:
        return {**dict.fromkeys(keys), **_first_of_each(self._rows.lineages(keys))}

    def _fetch_below(self, keys: list[tuple[str, str]]) -> dict[tuple[str, str], list[Passage]]:
        nodes, passages = self._rows.below(keys)
        self._here["places"].update(_first_of_each(nodes))
        by_document: dict[str, list[Passage]] = {}
        for passage in sorted(self._keep(passages), key=_in_order):
            by_document.setdefault(passage.document_id, []).append(passage)
        return {key: by_document.get(key[0], []) for key in keys}

    def _fetch_edges(self, keys: list[str]) -> dict[str, tuple[Edge, ...]]:
        found: dict[str, list[Edge]] = {key: [] for key in keys}
        for edge in sorted(self._rows.edges(keys), key=lambda edge: (edge.mention_span.page, edge.mention_span.start, edge)):
            found[edge.source_chunk_id].append(edge)
        return {key: tuple(edges) for key, edges in found.items()}

    def _fetch_cited(self, keys: list[str]) -> dict[str, bool]:
        return {**dict.fromkeys(keys, False), **dict.fromkeys(self._rows.cited(keys), True)}

    def _fetch_terms(self, keys: list[str]) -> dict[str, int]:
        return {**dict.fromkeys(keys, 0), **self._rows.frequencies(keys)}

    # --- what a corpus is asked

    @property
    def nodes(self) -> Mapping[str, tuple[tuple[str, Node], ...]]:
        """(document_id, node) by node_id."""
        return _Grouped(self, "nodes")

    @property
    def edges_from(self) -> Mapping[str, tuple[Edge, ...]]:
        """Edges by the passage they stand in, in the order of their mentions."""
        return _Grouped(self, "edges")

    @property
    def cited_targets(self) -> Any:
        """Whatever some passage cites: to be asked with ``in``."""
        return _Cited(self)

    @property
    def by_unit(self) -> Mapping[tuple[str, str], tuple[Passage, ...]]:
        """Passages by (document_id, node_id of the enclosing unit)."""
        return _ByUnit(self)

    def node(self, document_id: str, node_id: str) -> Node | None:
        """As of a whole corpus."""
        return self.get("places", (document_id, node_id), None)

    def unit(self, passage: Passage) -> str:
        """As of a whole corpus; it is found anew each time, because it may have been guessed while gathering."""
        return self._find_unit(passage)

    def chunks_of(self, node_id: str) -> tuple[Passage, ...]:
        """As of a whole corpus."""
        found: list[Passage] = []
        for document_id, node in self.nodes.get(node_id, ()):
            within: list[Passage] = self.get("below", (document_id, node_id), [])
            found += [p for p in within if p.indexable and any(overlaps(span, node) for span in p.spans)]
        return tuple(found)

    def continuations(self, passage: Passage) -> list[Passage]:
        """As of a whole corpus."""
        after, before, at = [], [], passage
        while (following := self._beside(at, 1)) is not None and continues(at, following):
            after.append(following)
            at = following
        at = passage
        while (preceding := self._beside(at, -1)) is not None and continues(preceding, at):
            before.append(preceding)
            at = preceding
        return after + before

    def before(self, passage: Passage) -> Iterator[Passage]:
        """As of a whole corpus."""
        at: Passage | None = passage
        while at is not None and (at := self._beside(at, -1)) is not None:
            yield at

    def _beside(self, passage: Passage, step: int) -> Passage | None:
        ordinal = passage.ordinal + step
        row: list[Passage] = self.get("windows", (passage.document_id, ordinal // WINDOW), []) if ordinal >= 0 else []
        return next((other for other in row if other.ordinal == ordinal), None)

    def frequency(self, term: str) -> int:
        """As of a whole corpus."""
        return self.get("terms", term, 0)

    def _whole(self) -> Any:
        raise NotImplementedError("only a whole corpus has all of these; this one is asked for single rows")

    edges = all_nodes = edges_to = by_document = property(_whole)


_KINDS = ("passages", "origins", "windows", "nodes", "places", "below", "edges", "cited", "terms")


def _in_order(passage: Passage) -> tuple[str, int]:
    return passage.document_id, passage.ordinal


def _node_order(pair: tuple[str, Node]) -> tuple[str, int]:
    return pair[0], pair[1].ordinal


def _first_of_each(pairs: Iterable[tuple[str, Node]]) -> dict[tuple[str, str], Node]:
    """(document_id, node_id) → its first node: a document may have two of one citation."""
    found: dict[tuple[str, str], Node] = {}
    for document_id, node in sorted(pairs, key=_node_order):
        found.setdefault((document_id, node.node_id), node)
    return found


class _Lazy(Mapping[Any, Any]):
    """A mapping that can be asked, but not listed."""

    def __init__(self, corpus: PartialCorpus, kind: str) -> None:
        self._corpus, self._kind = corpus, kind

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("only a whole corpus can be listed")

    def __len__(self) -> int:
        raise NotImplementedError("only a whole corpus can be counted")


class _Keyed(_Lazy):
    """One row by its id."""

    def __getitem__(self, key: Any) -> Any:
        found: Any = self._corpus.get(self._kind, key, None)
        if found is None:
            raise _Missed if self._corpus.unsettled else KeyError(key)
        return found

    def __contains__(self, key: object) -> bool:
        return self._corpus.get(self._kind, key, None) is not None


class _Grouped(_Lazy):
    """All rows of a key."""

    def __getitem__(self, key: Any) -> Any:
        found: tuple[Any, ...] = self._corpus.get(self._kind, key, ())
        if not found:
            raise KeyError(key)
        return found


class _ByUnit(_Lazy):
    def __init__(self, corpus: PartialCorpus) -> None:
        super().__init__(corpus, "below")

    def __getitem__(self, key: Any) -> Any:
        if self._corpus.unsettled:
            raise KeyError(key)  # the unit may have been guessed: it is asked for when it is known
        within: list[Passage] = self._corpus.get("below", key, [])
        found = tuple(passage for passage in within if self._corpus.unit(passage) == key[1])
        if not found:
            raise KeyError(key)
        return found


class _Cited:
    def __init__(self, corpus: PartialCorpus) -> None:
        self._corpus = corpus

    def __contains__(self, node_id: object) -> bool:
        return self._corpus.get("cited", node_id, False)


class RememberedIndex:
    """An index asked each question once, for a corpus that is gathered: the same search is sent again for every round.

    Nothing is sent for an answer that rests on rows that are not here yet.
    """

    def __init__(self, inner: VectorIndex, corpus: PartialCorpus) -> None:
        self._inner, self._corpus = inner, corpus
        self._found: dict[Any, tuple[list[Hit], float]] = {}
        self._count: int | None = None
        self._spent = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def floor(self) -> Floor:
        """The inner index's."""
        return self._inner.floor()

    def count(self) -> int:
        """How many passages the inner index holds, asked once."""
        if self._count is None:
            self._count = self._inner.count()
        return self._count

    def clock(self) -> float:
        """Seconds as ``time.perf_counter`` has them, with those that searches answered from memory took when they were sent."""
        return time.perf_counter() + self._spent

    def search(self, query: str, k: int, *, filters: Mapping[str, Any] | None = None) -> list[Hit]:
        """The inner index's hits."""
        key = (query, k, tuple(sorted((name, _hashable(value)) for name, value in (filters or {}).items())))
        if key not in self._found:
            if self._corpus.unsettled:
                return []
            started = time.perf_counter()
            hits = list(self._inner.search(query, k, filters=filters))
            self._found[key] = (hits, time.perf_counter() - started)
            return hits
        hits, seconds = self._found[key]
        self._spent += seconds
        return hits


def _hashable(value: Any) -> Any:
    return value if isinstance(value, (str, bool)) else tuple(value)
