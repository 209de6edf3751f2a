"""Which passages hold a node: the other side of a resolved reference. The only such rule."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from pincite.model import Node, Passage

CONTAINERS = frozenset({"title", "subtitle", "chapter", "subchapter", "part", "subpart", "subject_group", "manual", "volume"})
"""Kinds of nodes that hold other addressable texts rather than a text of their own."""
OPENED = frozenset({"document", "sheet", "attachment"})
"""Kinds that are shown by how they begin: a reference to a whole policy sends the reader to its first passage."""
WHOLE = 100
"""Spans up to which a heading is held by every passage below it; a larger one is shown by how it begins."""


class _Held(NamedTuple):
    """Where the passages of a document stand: spans in order, and what each passage names as its own node."""

    spans: list[tuple[int, int, int, str, bool]]
    starts: list[tuple[int, int]]
    own: dict[str, list[tuple[str, bool]]]


def chunks_of_nodes(nodes: Sequence[Node], passages: Sequence[Passage]) -> list[tuple[str, ...]]:
    """For each node, in order, the passages with a span inside its range, or reaching into it.

    Passages that are not indexable (bare headings, notes on amendments) count only where a node has no others. A container
    (a part, a subpart) holds only what cites the container itself: a list of everything below it would be copied into each
    edge that names it. A document, a sheet or a very long heading is held by its own text, else by its first passage.
    """
    spans = sorted((s.page, s.start, s.end, p.chunk_id, p.indexable) for p in passages for s in p.spans)
    own: dict[str, list[tuple[str, bool]]] = {}
    for passage in passages:
        own.setdefault(passage.node_id, []).append((passage.chunk_id, passage.indexable))
    held = _Held(spans, [(page, start) for page, start, *_ in spans], own)
    return [_of_node(node, held) for node in nodes]


def _of_node(node: Node, held: _Held) -> tuple[str, ...]:
    if node.kind in CONTAINERS:
        return _preferred(held.own.get(node.node_id, ()))
    first = bisect_left(held.starts, (node.page, node.start))
    last = bisect_left(held.starts, (node.page_end, node.end), first)
    if node.kind in OPENED or (node.kind == "heading" and last - first > WHOLE):
        return _opening(node, held, first, last)
    if first and held.spans[first - 1][0] == node.page and held.spans[first - 1][2] > node.start:
        first -= 1  # a span that begins before the node reaches into it
    return _preferred([span[3:] for span in held.spans[first:last]])


def _opening(node: Node, held: _Held, first: int, last: int) -> tuple[str, ...]:
    """The node's own indexable passages, else its first one, else whatever it has of its own."""
    own = held.own.get(node.node_id, ())
    if any(indexable for _, indexable in own):
        return _preferred(own)
    inside = next((held.spans[at][3] for at in range(first, last) if held.spans[at][4]), None)
    return (inside,) if inside else _preferred(own)


def _preferred(found: Sequence[tuple[str, bool]]) -> tuple[str, ...]:
    indexable = dict.fromkeys([chunk_id for chunk_id, good in found if good])
    return tuple(indexable or dict.fromkeys([chunk_id for chunk_id, _ in found]))
