"""What retrieval knows of the corpus: passages, nodes and edges by the keys it asks for. Built from records or tables."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pincite.index.analyze import terms
from pincite.model import Document, Edge, Node, Passage, Scope

_CFR_TITLE = re.compile(r"(\d+) CFR ")
_UNITS = frozenset({"section", "appendix"})
MANUAL_KINDS = frozenset({"manual", "volume", "memo", "annex", "heading", "margin_section"})


_FAR = 64
"""Passages before one among which what it stands under is looked for."""


class Origin(NamedTuple):
    """The file a document came from."""

    document_id: str
    title: str
    path: str
    source_sha256: str


class Corpus:
    """The passages, nodes and edges of one scope, in memory. All orders are document order."""

    def __init__(
        self, passages: Iterable[Passage], nodes: Iterable[tuple[str, Node]], edges: Iterable[Edge], origins: Iterable[Origin]
    ) -> None:
        """*nodes* come with the id of their document, because a node does not name it."""
        self.passages: Mapping[str, Passage] = {passage.chunk_id: passage for passage in passages}
        self.origins: Mapping[str, Origin] = {origin.document_id: origin for origin in origins}
        held_nodes, held_edges = tuple(nodes), tuple(edges)
        self._read_nodes: Callable[[], Iterable[tuple[str, Node]]] = lambda: held_nodes
        self._read_edges: Callable[[], tuple[Edge, ...]] = lambda: held_edges

    @classmethod
    def of(cls, documents: Sequence[Document], passages: Iterable[Passage], edges: Iterable[Edge] = ()) -> Corpus:
        """Straight from the parser's output, without tables."""
        sources = [document.source for document in documents]
        origins = [Origin(source.document_id, source.title, source.path, source.source_sha256) for source in sources]
        nodes = [(document.source.document_id, node) for document in documents for node in document.nodes]
        return cls(passages, nodes, edges, origins)

    @classmethod
    def open(cls, tables: Path, scope: Scope) -> Corpus:
        """From the local Delta tables in the folder *tables*, without an engine. Nodes and edges are read when asked for."""
        from pincite.tables.read import read
        from pincite.tables.rows import from_arrow

        columns = ["document_id", "title", "source_path", "source_sha256"]
        documents = read(tables, "documents", scope, columns).to_pylist()
        corpus = cls(from_arrow("chunks", read(tables, "chunks", scope)), (), (), (Origin(*row.values()) for row in documents))
        corpus._read_nodes = lambda: _node_rows(read(tables, "nodes", scope))
        corpus._read_edges = lambda: tuple(from_arrow("relation_edges", read(tables, "relation_edges", scope)))
        return corpus

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Every cross-reference."""
        return self._read_edges()

    @cached_property
    def all_nodes(self) -> tuple[tuple[str, Node], ...]:
        """(document_id, node), in document order."""
        return tuple(sorted(self._read_nodes(), key=lambda pair: (pair[0], pair[1].ordinal)))

    @cached_property
    def cfr_titles(self) -> tuple[str, ...]:
        """The numbers of the CFR titles the corpus has nodes of."""
        return tuple(sorted({match[1] for node_id in self.nodes if (match := _CFR_TITLE.match(node_id))}, key=int))

    @cached_property
    def has_manuals(self) -> bool:
        """Whether some of it is a numbered manual, whose citations have a grammar of their own."""
        return any(node.kind in MANUAL_KINDS and "#" not in node.node_id for _, node in self.all_nodes)

    @cached_property
    def cited_targets(self) -> frozenset[str]:
        """Every node_id that some passage cites, in the corpus or outside it."""
        return frozenset(edge.target_node_id for edge in self.edges if edge.target_node_id and edge.source_chunk_id)

    @cached_property
    def nodes(self) -> Mapping[str, tuple[tuple[str, Node], ...]]:
        """(document_id, node) by node_id; several documents may hold one citation in different versions."""
        return _grouped((node.node_id, (document_id, node)) for document_id, node in self.all_nodes)

    @cached_property
    def edges_from(self) -> Mapping[str, tuple[Edge, ...]]:
        """Edges by the passage they stand in."""
        return _grouped((edge.source_chunk_id, edge) for edge in self.edges if edge.source_chunk_id)

    @cached_property
    def edges_to(self) -> Mapping[str, tuple[Edge, ...]]:
        """Resolved edges by the node they name."""
        return _grouped((edge.target_node_id, edge) for edge in self.edges if edge.status == "resolved")

    @cached_property
    def by_document(self) -> Mapping[str, tuple[Passage, ...]]:
        """A document's passages in their order."""
        ordered = sorted(self.passages.values(), key=lambda passage: (passage.document_id, passage.ordinal))
        return _grouped((passage.document_id, passage) for passage in ordered)

    @cached_property
    def by_unit(self) -> Mapping[tuple[str, str], tuple[Passage, ...]]:
        """Passages by (document_id, node_id of the enclosing section or other unit)."""
        return _grouped(
            ((document_id, self.unit(passage)), passage)
            for document_id, passages in self.by_document.items()
            for passage in passages
        )

    def parent(self, passage: Passage) -> Passage | None:
        """What a passage of a team's own document stands under: how its section begins, else the nearest text above it.

        The section tree is rebuilt from the breadcrumbs. None for a regulation or a manual, whose sections are delivered as
        units anyway.
        """
        path, opening = passage.heading_path, None
        for other in islice(self.before(passage), _FAR) if _is_own(passage) else ():
            above = path[: len(other.heading_path)] == other.heading_path
            if not other.indexable:
                continue
            if above and len(other.heading_path) == len(path):
                opening = other
            elif above or (opening is not None and other.heading_path[: len(path)] != path):
                return opening or other
        return opening

    def before(self, passage: Passage) -> Iterator[Passage]:
        """The passages before one in its document, the nearest first."""
        row = self.by_document[passage.document_id]
        at = bisect_left(row, passage.ordinal, key=lambda other: other.ordinal)
        return (row[place] for place in range(at - 1, -1, -1))

    def continuations(self, passage: Passage) -> list[Passage]:
        """The other pieces of the paragraph that *passage* is a piece of, the following ones first."""
        row = self.by_document[passage.document_id]
        at = bisect_left(row, passage.ordinal, key=lambda other: other.ordinal)
        after: list[Passage] = []
        before: list[Passage] = []
        while at + len(after) + 1 < len(row) and continues(row[at + len(after)], row[at + len(after) + 1]):
            after.append(row[at + len(after) + 1])
        while at - len(before) > 0 and continues(row[at - len(before) - 1], row[at - len(before)]):
            before.append(row[at - len(before) - 1])
        return after + before

    def unit(self, passage: Passage) -> str:
        """The node_id of the section, appendix or, in a manual, heading a passage stands under; its own where there is none."""
        known = self._units.get(passage.chunk_id)
        if known is None:
            known = self._units[passage.chunk_id] = self._find_unit(passage)
        return known

    @cached_property
    def _units(self) -> dict[str, str]:
        return {}

    def _find_unit(self, passage: Passage) -> str:
        node = self.node(passage.document_id, passage.node_id)
        heading = ""
        while node is not None and node.kind not in _UNITS:
            heading = heading or (node.node_id if node.kind in MANUAL_KINDS else "")
            node = self.node(passage.document_id, node.parent_id) if node.parent_id else None
        return node.node_id if node is not None else heading or passage.node_id

    def node(self, document_id: str, node_id: str) -> Node | None:
        """The node of this citation in that document."""
        for owner, node in self.nodes.get(node_id, ()):
            if owner == document_id:
                return node
        return None

    def chunks_of(self, node_id: str) -> tuple[Passage, ...]:
        """Indexable passages that show the node or part of it, in order; empty where the corpus does not hold it."""
        found: list[Passage] = []
        for document_id, node in self.nodes.get(node_id, ()):
            found += [
                passage
                for passage in self.by_document.get(document_id, ())
                if passage.indexable and any(overlaps(span, node) for span in passage.spans)
            ]
        return tuple(found)

    @cached_property
    def _term_sets(self) -> dict[str, frozenset[str]]:
        return {}

    def terms_of(self, chunk_id: str) -> frozenset[str]:
        """The search terms of one passage."""
        known = self._term_sets.get(chunk_id)
        if known is None:
            known = self._term_sets[chunk_id] = frozenset(terms(self.passages[chunk_id].retrieval_text))
        return known

    @cached_property
    def _frequencies(self) -> Counter[str]:
        indexable = [passage.chunk_id for passage in self.passages.values() if passage.indexable]
        return Counter(term for chunk_id in indexable for term in self.terms_of(chunk_id))

    def frequency(self, term: str) -> int:
        """How many indexable passages hold the search term."""
        return self._frequencies[term]

    def idf(self, term: str) -> float:
        """Lucene's idf of a search term over the indexable passages; the highest for one that none holds."""
        seen = self.frequency(term)
        return math.log(1 + (self.indexable - seen + 0.5) / (seen + 0.5))

    @cached_property
    def indexable(self) -> int:
        """How many passages a search can find."""
        return sum(passage.indexable for passage in self.passages.values())


def _node_rows(table: Any) -> list[tuple[str, Node]]:
    columns = [table.column(name).to_pylist() for name in ("document_id", *Node._fields)]
    return [(values[0], Node(*values[1:])._replace(readings=tuple(values[-2] or ()))) for values in zip(*columns)]


def _is_own(passage: Passage) -> bool:
    """Whether a passage is from a document of a team's own: its node is named by the document."""
    return passage.node_id == passage.document_id or passage.node_id.startswith(f"{passage.document_id}#")


def continues(first: Passage, second: Passage) -> bool:
    """Whether one paragraph was cut between the two: the same element of the file, or in a PDF the very next byte."""
    if first.node_id != second.node_id or not (first.indexable and second.indexable):
        return False
    end, start = first.spans[-1], second.spans[0]
    if end.raw_start is not None:
        return (end.raw_start, end.raw_end) == (start.raw_start, start.raw_end)
    return end.page == start.page and 0 <= start.start - end.end <= 1


def overlaps(span: Any, node: Node) -> bool:
    """Whether a span and a node's range share a byte."""
    return (node.page, node.start) < (span.page, span.end) and (span.page, span.start) < (node.page_end, node.end)


def _grouped(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, tuple[Any, ...]]:
    lists: dict[Any, list[Any]] = {}
    for key, value in pairs:
        lists.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in lists.items()}
