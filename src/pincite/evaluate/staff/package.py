"""An answer put together with the paths to its passages: plain JSON, so that it can be judged by anyone.

Keys: ``answer`` (as ``pincite query --json`` prints it), ``benefit``, ``records`` (chunk_id -> content hash), ``outgoing`` and
``incoming`` (the two copies of each directed edge between delivered passages, by its source and by its target), ``concepts``,
``paths`` (each *restored* by an exact edge, *declared* by a profile, or *inferred* from neighbourhood), ``scores`` (navigation
and support, apart; support is null: it is not measured here), and ``closed`` (always false: no package knows that nothing is
missing).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pincite.evaluate.staff.held import Held
from pincite.evaluate.staff.questions import Question
from pincite.model import Edge
from pincite.retrieve.profiles import Activation, activate

KINDS = ("restored", "declared", "inferred")


def package(answer: Mapping[str, Any], question: Question, held: Held) -> dict[str, Any]:
    """The package of an answer to *question*."""
    delivered = [passage["chunk_id"] for passage in answer["passages"]]
    concepts = [activate(concept, question.benefit, held) for concept in question.concepts if concept in held.profiles]
    outgoing, incoming = copies(delivered, held)
    paths = [
        *restored(answer["passages"], held),
        *declared(concepts, delivered, held),
        *inferred(answer["passages"], held),
    ]
    return {
        "answer": answer,
        "benefit": question.benefit,
        "records": {chunk_id: held.records[chunk_id].content_hash for chunk_id in delivered if chunk_id in held.records},
        "outgoing": outgoing,
        "incoming": incoming,
        "concepts": [{"concept": each.concept, "active": each.active, "routes": list(each.routes)} for each in concepts],
        "paths": paths,
        "scores": {"navigation": navigation(paths), "support": None},
        "closed": False,
    }


def navigation(paths: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many paths of each kind there are. The kinds are not added up."""
    kinds = [path["kind"] for path in paths]
    return {kind: kinds.count(kind) for kind in KINDS}


def copy_of(edge: Edge, target: str) -> dict[str, Any]:
    """One directed edge from its passage to the passage *target*, with the hash of its whole row."""
    return {
        "edge_id": edge.edge_id,
        "from": edge.source_chunk_id,
        "to": target,
        "mention": edge.mention,
        "target_node_id": edge.target_node_id,
        "target_end_node_id": edge.target_end_node_id,
        "content_hash": edge.content_hash,
    }


def copies(delivered: Sequence[str], held: Held) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Each resolved edge between two delivered passages, filed once under its source and once under its target."""
    here = frozenset(delivered)
    outgoing: dict[str, list[Any]] = {}
    incoming: dict[str, list[Any]] = {}
    for edge in held.edges.values():
        if edge.status == "resolved" and edge.source_chunk_id in here:
            for target in edge.target_chunk_ids:
                if target in here and target != edge.source_chunk_id:
                    outgoing.setdefault(edge.source_chunk_id, []).append(copy_of(edge, target))
                    incoming.setdefault(target, []).append(copy_of(edge, target))
    return outgoing, incoming


def restored(passages: Sequence[Mapping[str, Any]], held: Held) -> list[dict[str, Any]]:
    """The path of each passage that was reached by an exact reference."""
    return [
        _path("restored", held.edges[passage["edge_id"]].source_chunk_id, passage["chunk_id"], edge_ids=[passage["edge_id"]])
        for passage in passages
        if passage["step"] == "follow" and passage["edge_id"] in held.edges
    ]


def declared(concepts: Iterable[Activation], delivered: Sequence[str], held: Held) -> list[dict[str, Any]]:
    """The open routes whose passage was delivered."""
    return [
        _path("declared", "", chunk_id, concept=each.concept, route=route)
        for each in concepts
        for route in each.routes
        for chunk_id in delivered
        if chunk_id in held.shown.get(route, ())
    ]


def inferred(passages: Sequence[Mapping[str, Any]], held: Held) -> list[dict[str, Any]]:
    """Passages taken for standing beside another one: from the nearest passage of the same document that was not."""
    paths = []
    for passage in passages:
        if passage["step"] == "expand":
            beside = [
                held.records[other["chunk_id"]]
                for other in passages
                if other["step"] != "expand" and other["document_id"] == passage["document_id"]
            ]
            at = held.records[passage["chunk_id"]].ordinal
            nearest = min(beside, key=lambda other: (abs(other.ordinal - at), other.ordinal), default=None)
            if nearest is not None:
                paths.append(_path("inferred", nearest.chunk_id, passage["chunk_id"]))
    return paths


def _path(kind: str, first: str, last: str, edge_ids: Sequence[str] = (), concept: str = "", route: str = "") -> dict[str, Any]:
    return {"kind": kind, "from": first, "to": last, "edge_ids": list(edge_ids), "concept": concept, "route": route}
