"""Judge an assembled package by what the tables hold, without changing it and without believing what it says of itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pincite.evaluate.staff.held import Held
from pincite.evaluate.staff.package import KINDS, copy_of, navigation
from pincite.model import Edge, Passage, sha256_hex
from pincite.retrieve.profiles import activate, is_reserved, known_benefits, not_one_place, unrelated


class Fault(NamedTuple):
    """``check`` is one of record, version, endpoint, copies, path, guard, benefit, reserved, scores, closure, form."""

    check: str
    subject: str
    reason: str


class Observed(NamedTuple):
    """``navigation`` counts the paths that hold, by kind. ``support`` is never measured here."""

    faults: tuple[Fault, ...]
    navigation: Mapping[str, int]
    support: None = None


def observe(package: Mapping[str, Any], held: Held) -> Observed:
    """What is wrong with *package*, and how many of its paths of each kind hold."""
    try:
        faults = [*_records(package, held), *_concepts(package, held), *_copies(package, held), *_missing(package)]
        broken = [list(_path(path, package, held)) for path in package["paths"]]
        faults += [fault for each in broken for fault in each]
        faults += [*_scores(package), *_closure(package)]
        sound = [path for path, wrong in zip(package["paths"], broken) if not wrong]
        return Observed(tuple(faults), navigation(sound))
    except (KeyError, TypeError, AttributeError) as error:
        return Observed((Fault("form", "package", f"it is not complete ({error!r})"),), navigation(()))


# --- records ----------------------------------------------------------------------------------------------------------


def _records(package: Mapping[str, Any], held: Held) -> Iterator[Fault]:
    """Every delivered record must be the table's, in every field, under its complete hash."""
    versions: dict[str, set[str]] = {}
    passages = package["answer"]["passages"]
    for passage in passages:
        chunk_id = passage["chunk_id"]
        versions.setdefault(passage["document_id"], set()).add(passage["corpus_version"])
        record = held.records.get(chunk_id)
        if record is None:
            yield Fault("record", chunk_id, "no such record is held")
            continue
        changed = [name for name, value in _fields(record).items() if passage[name] != value]
        if changed:
            yield Fault("record", passage["node_id"], f"changed: {', '.join(changed)}")
        elif package["records"].get(chunk_id) != record.content_hash:
            yield Fault("record", passage["node_id"], "its hash is not the record's complete hash")
        yield from _spans(passage)
    yield from (Fault("record", chunk_id, "hashed, but not delivered") for chunk_id in _undelivered(package))
    for document_id, found in sorted(versions.items()):
        if len(found) > 1 or found != {held.editions.get(document_id)}:
            yield Fault("version", document_id, f"delivered as of {', '.join(sorted(found))}")


def _fields(record: Passage) -> dict[str, Any]:
    """What a delivered passage must share with its record."""
    spans = [span._asdict() for span in record.spans]
    same = ("document_id", "corpus_version", "node_id", "breadcrumb", "role", "evidence_text", "derivation", "tokens")
    return {name: getattr(record, name) for name in same} | {"spans": spans}


def _spans(passage: Mapping[str, Any]) -> Iterator[Fault]:
    """The words of each span must have the hash the span names."""
    words, at = passage["evidence_text"].encode(), 0
    for span in passage["spans"]:
        piece = words[at : at + span["end"] - span["start"]]
        at += len(piece) + 1
        if sha256_hex(piece) != span["sha256"]:
            yield Fault("record", passage["node_id"], f"the words of page {span['page']} have another hash than their span")


def _undelivered(package: Mapping[str, Any]) -> list[str]:
    delivered = {passage["chunk_id"] for passage in package["answer"]["passages"]}
    return [chunk_id for chunk_id in package["records"] if chunk_id not in delivered]


# --- concepts ---------------------------------------------------------------------------------------------------------


def _concepts(package: Mapping[str, Any], held: Held) -> Iterator[Fault]:
    """A concept counts as active only where every guard resolves now; the benefit must be exactly one that is known."""
    benefit = package["benefit"]
    if benefit not in known_benefits(held):
        yield Fault("benefit", str(benefit), "it is not exactly one benefit that is known")
    for entry in package["concepts"]:
        found = activate(entry["concept"], benefit, held)
        if entry["active"] and not found.active:
            yield Fault("guard", entry["concept"], "; ".join(found.reasons))
        elif entry["active"] != found.active or list(entry["routes"]) != list(found.routes):
            yield Fault("guard", entry["concept"], "its routes are not those that are declared and open")


# --- edges ------------------------------------------------------------------------------------------------------------


def _copies(package: Mapping[str, Any], held: Held) -> Iterator[Fault]:
    """Each directed edge stands twice, under its source and under its target, and both copies are the table's edge."""
    filed = {"outgoing": _filed(package["outgoing"], "from"), "incoming": _filed(package["incoming"], "to")}
    for key in sorted(filed["outgoing"].keys() | filed["incoming"].keys()):
        edge_id, target, under = key
        edge, there = held.edges.get(edge_id), [filed[side].get(key) for side in ("outgoing", "incoming")]
        if not under:
            yield Fault("copies", edge_id, "it is filed under another passage than its own end")
        elif None in there:
            yield Fault("copies", edge_id, "one of its two copies is missing")
        elif edge is None:
            yield Fault("copies", edge_id, "no such edge is held")
        elif any(copy != copy_of(edge, target) for copy in there):
            yield Fault("copies", edge_id, "a copy is not the edge that is held")


def _filed(side: Mapping[str, Any], end: str) -> dict[tuple[str, str, bool], Any]:
    """Copies by edge, target, and whether they are filed under their own end."""
    return {(copy["edge_id"], copy["to"], copy[end] == under): copy for under, found in side.items() for copy in found}


# --- paths ------------------------------------------------------------------------------------------------------------


def _missing(package: Mapping[str, Any]) -> Iterator[Fault]:
    """What was not found by search or named in the question must say how it was reached."""
    reached = {(path["kind"], path["to"]) for path in package["paths"]}
    for passage in package["answer"]["passages"]:
        kind = {"follow": "restored", "expand": "inferred", "declared": "declared"}.get(passage["step"])
        if kind and (kind, passage["chunk_id"]) not in reached:
            yield Fault("path", passage["node_id"], f"it was reached by {passage['step']}, and no {kind} path leads to it")


def _path(path: Mapping[str, Any], package: Mapping[str, Any], held: Held) -> Iterator[Fault]:
    """What is wrong with one path."""
    delivered = {passage["chunk_id"] for passage in package["answer"]["passages"]}
    if path["kind"] not in KINDS:
        yield Fault("path", str(path["kind"]), "there is no such kind of path")
        return
    if path["to"] not in delivered or (path["kind"] != "declared" and path["from"] not in delivered):
        yield Fault("endpoint", path["to"], "an end of the path was not delivered")
        return
    if path["kind"] == "declared":
        yield from _declared(path, package, held)
    elif path["kind"] == "restored":
        yield from _restored(path, package, held)
    elif path["edge_ids"]:
        yield Fault("path", path["to"], "an inferred path claims an edge")


def _declared(path: Mapping[str, Any], package: Mapping[str, Any], held: Held) -> Iterator[Fault]:
    route = path["route"]
    if route not in activate(path["concept"], package["benefit"], held).routes:
        yield Fault("guard", path["concept"], f"{route} is not an open route of it")
    yield from (Fault("benefit", route, reason) for reason in unrelated(route, package["benefit"], held))
    yield from (Fault(_check_of(route, held), route, reason) for reason in not_one_place(route, held))
    if path["to"] not in held.shown.get(route, ()):
        yield Fault("endpoint", route, "the passage does not show it")


def _check_of(node_id: str, held: Held) -> str:
    return "reserved" if is_reserved(node_id, held.reserved) else "endpoint"


def _restored(path: Mapping[str, Any], package: Mapping[str, Any], held: Held) -> Iterator[Fault]:
    """A restored path is one exact edge, in its own direction, with both copies there."""
    edge = held.edges.get(path["edge_ids"][0]) if len(path["edge_ids"]) == 1 else None
    if edge is None:
        yield Fault("path", path["to"], "a restored path names exactly one edge that is held")
        return
    if edge.status != "resolved":
        yield Fault("path", edge.mention, f"its edge is {edge.status}: it leads nowhere")
    if path["from"] != edge.source_chunk_id or path["to"] not in edge.target_chunk_ids:
        yield Fault("endpoint", edge.mention, "the path's ends are not the edge's, in its direction")
    elif edge.edge_id not in _ids(package["outgoing"], path["from"]) or edge.edge_id not in _ids(
        package["incoming"], path["to"]
    ):
        yield Fault("copies", edge.edge_id, "the path's edge does not stand under both its ends")
    for target in _ends(edge):
        if is_reserved(target, held.reserved):
            yield Fault("reserved", target, "the path leads to a place that is reserved")


def _ends(edge: Edge) -> list[str]:
    return [target for target in (edge.target_node_id, edge.target_end_node_id) if target]


def _ids(side: Mapping[str, Any], under: str) -> set[str]:
    return {copy["edge_id"] for copy in side.get(under, ())}


# --- what it says of itself -------------------------------------------------------------------------------------------


def _scores(package: Mapping[str, Any]) -> Iterator[Fault]:
    scores = package["scores"]
    if set(scores) != {"navigation", "support"}:
        yield Fault("scores", ", ".join(sorted(scores)), "navigation and support stand apart, and nothing else is scored")
    elif scores["support"] is not None:
        yield Fault("scores", "support", "it is not measured here")
    elif dict(scores["navigation"]) != navigation(package["paths"]):
        yield Fault("scores", "navigation", "it is not the count of the package's paths")


def _closure(package: Mapping[str, Any]) -> Iterator[Fault]:
    if package["closed"] is not False:
        yield Fault("closure", "package", "it claims to hold all that matters, which no package can know")
