"""The rows of one scope by their keys, fetched from the tables in batches: what ``PartialCorpus`` asks for.

Each method is one statement, or two: the keys go to the engine as a small table and are joined there, so that only what was
asked for comes back, however large the scope is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pincite.model import Block, Edge, Node, Passage, Scope
from pincite.retrieve.corpus import MANUAL_KINDS, Origin
from pincite.retrieve.partial import WINDOW, Facts
from pincite.tables.rows import from_arrow
from pincite.tables.schema import sql_string
from pincite.tables.store import SparkTableStore

_ORIGIN = ("document_id", "title", "source_path", "source_sha256")
_WITHIN = (
    "n.document_id = t.document_id AND (n.page > t.page OR n.page = t.page AND n.start >= t.start) "
    "AND (n.page_end < t.page_end OR n.page_end = t.page_end AND n.`end` <= t.`end`)"
)
"""A node *n* lies within a node *t* of its document."""


class TableRows:
    """Implements ``Rows`` over the tables of *store*."""

    def __init__(self, store: SparkTableStore, scope: Scope) -> None:
        self._store, self._scope = store, scope

    def facts(self) -> Facts:
        """Counts of the scope, by the engine."""
        nodes = self._frame("nodes")
        titles = nodes.selectExpr("regexp_extract(node_id, '^([0-9]+) CFR ', 1) AS title").distinct().toArrow()
        kinds = ", ".join(sql_string(kind) for kind in sorted(MANUAL_KINDS))
        return Facts(
            int(self._frame("chunks").where("indexable").count()),
            tuple(sorted(filter(None, titles.column("title").to_pylist()), key=int)),
            bool(nodes.where(f"kind IN ({kinds}) AND instr(node_id, '#') = 0").limit(1).count()),
        )

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        """As ``Rows``."""
        return self._passages(self._matching("chunks", chunk_id=chunk_ids))

    def windows(self, windows: Sequence[tuple[str, int]]) -> list[Passage]:
        """As ``Rows``."""
        documents, numbers = zip(*windows)
        placed = self._frame("chunks").selectExpr("*", f"CAST(floor(ordinal / {WINDOW}) AS BIGINT) AS window_number")
        wanted = self._keys(document_id=documents, window_number=numbers)
        return self._passages(placed.join(wanted, ["document_id", "window_number"], "left_semi"))

    def nodes(self, node_ids: Sequence[str]) -> list[tuple[str, Node]]:
        """As ``Rows``."""
        return _nodes(self._matching("nodes", node_id=node_ids))

    def lineages(self, places: Sequence[tuple[str, str]]) -> list[tuple[str, Node]]:
        """As ``Rows``: what a node stands in are the nodes of its document whose range holds its own."""
        return _nodes(self._related(places, "n", "t"))

    def below(self, places: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, Node]], list[Passage]]:
        """As ``Rows``."""
        within = self._related(places, "t", "n")
        reaching = within.selectExpr("explode(chunk_ids) AS chunk_id")
        named = within.select("document_id", "node_id").union(self._places(places)).distinct()
        chunks = self._frame("chunks")
        own = chunks.join(named, ["document_id", "node_id"], "left_semi").select("chunk_id")
        ids = own.union(reaching).distinct()
        return _nodes(within), self._passages(chunks.join(ids, "chunk_id", "left_semi"))

    def edges(self, chunk_ids: Sequence[str]) -> list[Edge]:
        """As ``Rows``."""
        return list(from_arrow("relation_edges", self._matching("relation_edges", source_chunk_id=chunk_ids).toArrow()))

    def cited(self, node_ids: Sequence[str]) -> list[str]:
        """As ``Rows``."""
        found = self._matching("relation_edges", target_node_id=node_ids).where("source_chunk_id <> ''")
        return list(found.select("target_node_id").distinct().toArrow().column("target_node_id").to_pylist())

    def origins(self, document_ids: Sequence[str]) -> list[Origin]:
        """As ``Rows``."""
        found = self._matching("documents", document_id=document_ids).select(*_ORIGIN).toArrow().to_pylist()
        return [Origin(*(row[name] for name in _ORIGIN)) for row in found]

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """As ``Rows``: the workers read each passage once, whatever the number of terms, and only counts come back."""
        texts = self._frame("chunks").where("indexable").select("retrieval_text")
        wanted = frozenset(terms)
        counts = texts.mapInArrow(lambda batches: _counted(batches, wanted), "term STRING, passages BIGINT")
        found = counts.groupBy("term").agg({"passages": "sum"}).toArrow()
        return dict(zip(*(column.to_pylist() for column in found.columns)))

    def blocks(self, evidence: Iterable[tuple[str, str]]) -> dict[str, list[Block]]:
        """By document, the blocks of these (node_id, sha256)."""
        node_ids, hashes = zip(*sorted(set(evidence)))
        partition = self._frame("partition").select("document_id", *Block._fields)
        wanted = self._keys(node_id=node_ids, sha256=hashes)
        found: dict[str, list[Block]] = {}
        for row in partition.join(wanted, ["node_id", "sha256"], "left_semi").toArrow().to_pylist():
            found.setdefault(row.pop("document_id"), []).append(Block(**row))
        return found

    # --- statements

    def _frame(self, table: str) -> Any:
        return self._store.frame(table, self._scope)

    def _keys(self, **columns: Sequence[Any]) -> Any:
        import pyarrow as pa

        return self._store.engine.spark.createDataFrame(pa.table({name: list(values) for name, values in columns.items()}))

    def _matching(self, table: str, **key: Sequence[Any]) -> Any:
        """The rows of *table* whose one key column has one of the values."""
        return self._frame(table).join(self._keys(**key), list(key), "left_semi")

    def _places(self, places: Sequence[tuple[str, str]]) -> Any:
        documents, node_ids = zip(*places)
        return self._keys(document_id=documents, node_id=node_ids)

    def _related(self, places: Sequence[tuple[str, str]], named: str, kept: str) -> Any:
        """The nodes on one side of ``_WITHIN`` whose other side, *named*, is one of *places*."""
        from pyspark.sql import functions as F

        here = self._frame("nodes").join(self._places(places), ["document_id", "node_id"], "left_semi")
        return self._frame("nodes").alias(kept).join(here.alias(named), F.expr(_WITHIN), "left_semi")

    def _passages(self, frame: Any) -> list[Passage]:
        return list(from_arrow("chunks", frame.select(*Passage._fields).toArrow()))


def _nodes(frame: Any) -> list[tuple[str, Node]]:
    table = frame.select("document_id", *Node._fields).toArrow()
    rows = zip(*(column.to_pylist() for column in table.columns))
    nodes = ((document_id, Node(*fields)) for document_id, *fields in rows)
    return [(document_id, node._replace(readings=tuple(node.readings or ()))) for document_id, node in nodes]


def _counted(batches: Iterable[Any], wanted: frozenset[str]) -> Iterator[Any]:
    """Texts → for each wanted search term the number of texts that hold it, batch by batch."""
    from collections import Counter

    import pyarrow as pa

    from pincite.index.analyze import terms

    for batch in batches:
        counts: Counter[str] = Counter()
        for text in batch.column("retrieval_text").to_pylist():
            counts.update(wanted.intersection(terms(text)))
        arrays = [pa.array(list(counts), pa.string()), pa.array(list(counts.values()), pa.int64())]
        yield pa.RecordBatch.from_arrays(arrays, names=["term", "passages"])
