"""Which passages hold a node: the other side of a resolved reference."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.model import Document, Passage


def chunks_of_nodes(document: Document, passages: Sequence[Passage]) -> dict[str, tuple[str, ...]]:
    """Every node's passages, in document order: those with a span of the node's own text or of anything below it.

    Passages that are not indexable (headings, notes on amendments) count only where a node has no others.
    """
    parents = {node.node_id: node.parent_id for node in document.nodes}
    owners = {(block.page, block.start): block.node_id for block in document.partition if block.node_id}
    main: dict[str, dict[str, None]] = {node.node_id: {} for node in document.nodes}
    aside: dict[str, dict[str, None]] = {node.node_id: {} for node in document.nodes}
    for passage in passages:
        target = main if passage.indexable else aside
        for span in passage.spans:
            node_id: str | None = owners.get((span.page, span.start), passage.node_id)
            while node_id in target:
                target[node_id][passage.chunk_id] = None
                node_id = parents[node_id]
    return {node_id: tuple(main[node_id] or aside[node_id]) for node_id in parents}
