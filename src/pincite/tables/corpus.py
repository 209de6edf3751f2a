"""All tables of one scope, written in the order that makes a killed run harmless."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from pincite.model import Document, Edge, Observed, Passage, Scope, is_generic
from pincite.tables.rows import document_row, node_rows, partition_rows
from pincite.tables.schema import SNAPSHOTS
from pincite.tables.statement import Merged
from pincite.tables.store import SparkTableStore
from pincite.tables.unfinished import noted


class Authored(NamedTuple):
    """One document with everything made from it."""

    document: Document
    passages: tuple[Passage, ...]
    held: Sequence[tuple[str, ...]]  # the passages of each node: ``passages.chunks_of_nodes``
    names: Sequence[tuple[str, ...]]  # what each node may be called: ``references.names.names_of``
    observed: tuple[Observed, ...] = ()


def made_of(document: Document) -> Authored:
    """Everything that is made from one parsed document. ``PoorQuality`` where an issue stops it."""
    from pincite.passages import build, chunks_of_nodes
    from pincite.references import observe
    from pincite.references.names import names_of

    passages = build(document)
    if is_generic(document):
        from pincite.quality import checked

        document = checked(document, passages)
    return Authored(document, passages, chunks_of_nodes(document.nodes, passages), names_of(document), observe(document))


def write_corpus(
    store: SparkTableStore,
    scope: Scope,
    authored: Sequence[Authored],
    edges: Iterable[Edge],
    *,
    author_version: str,
    kept: Collection[str] = (),
    removed: Collection[str] = (),
    allow_empty: bool = False,
) -> dict[str, Merged]:
    """Merge a corpus held in memory. *edges* are those of the whole scope, kept documents' edges included.

    Rows of documents in *kept* (skipped as unchanged, or failed this time) stay; those of any other document not in
    *authored* are deleted, *removed* ones by plan. ``documents`` is written last, and what is written is noted before: a run
    killed between the tables is planned again, also where what it read was taken back.
    """
    rows: dict[str, list[Any]] = {name: [] for name in SNAPSHOTS}
    for document, passages, held, names, _ in authored:
        document_id = document.source.document_id
        rows["partition"] += partition_rows(document_id, document.partition)
        rows["nodes"] += node_rows(document_id, document.nodes, held, names)
        rows["chunks"] += passages
        rows["documents"].append(document_row(document, len(passages), author_version))
    rows["relation_edges"] = list(edges)
    no_keeping = {"relation_edges"}
    with noted(store.location, scope, [*(each.document.source.document_id for each in authored), *removed]):
        return {
            name: store.merge(
                name,
                scope,
                rows[name],
                kept=() if name in no_keeping else kept,
                allow_empty=allow_empty or name == "relation_edges",  # a corpus without references is no accident
            )
            for name in SNAPSHOTS
        }
