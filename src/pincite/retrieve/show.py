"""One node of the corpus as a reader wants to see it: its text, its place, and what it cites and is cited by."""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple

from pincite.errors import UsageError
from pincite.model import Edge, Node, Passage, Span
from pincite.retrieve.corpus import Corpus


class Shown(NamedTuple):
    """``text`` is the document's own words of this node alone; ``spans`` are those of the passages it was cut from."""

    node_id: str
    document_id: str
    corpus_version: str
    kind: str
    heading: str
    path: tuple[str, ...]  # node_ids from the outermost in, this one excluded
    children: tuple[str, ...]
    text: str
    spans: tuple[Span, ...]
    raw: tuple[int | None, int | None]  # byte range of the element in the official file
    file: str
    source_sha256: str
    reason: str  # where several readings were admissible: what decided
    outgoing: tuple[Edge, ...]
    incoming: tuple[Edge, ...]


def show(citation: str, corpus: Corpus) -> list[Shown]:
    """The node in every document that has it; ``UsageError`` with the nearest citations where none has."""
    node_id = canonical(citation, corpus)
    held = corpus.nodes.get(node_id)
    if not held:
        near = difflib.get_close_matches(citation, list(corpus.nodes), n=3, cutoff=0.6)
        hint = f"the nearest are {', '.join(near)}" if near else "see what there is with 'pincite export nodes'"
        raise UsageError(f"this corpus has no '{citation}'", next=hint)
    return [_shown(document_id, node, corpus) for document_id, node in held]


def canonical(citation: str, corpus: Corpus) -> str:
    """The node_id a reader means: as it is, or as the reference grammar reads it."""
    wanted = " ".join(citation.split())
    if wanted in corpus.nodes:
        return wanted
    from pincite.retrieve.cited import mentioned

    for node_id in mentioned(wanted, corpus):
        if node_id in corpus.nodes:
            return node_id
    folded = {node_id.casefold(): node_id for node_id in corpus.nodes}
    return folded.get(wanted.casefold()) or _by_number(wanted, corpus) or _by_name(wanted.casefold(), corpus) or wanted


def _by_name(wanted: str, corpus: Corpus) -> str | None:
    """The one document of a team's own with this title, path or file name, with or without its extension."""
    found = set()
    for document_id, node in corpus.all_nodes:
        if node.kind != "document" or node.parent_id is not None or document_id not in corpus.origins:
            continue
        _, title, path, _ = corpus.origins[document_id]
        file = path.rpartition("/")[2]
        if wanted in {name.casefold() for name in (node.heading, title, path, file, file.rpartition(".")[0])}:
            found.add(node.node_id)
    return found.pop() if len(found) == 1 else None


def _by_number(wanted: str, corpus: Corpus) -> str | None:
    """The one paragraph a bare number names, or the reserved range it lies in: ``77161``, ``DMG 77038``."""
    reserved = [node_id for node_id, held in corpus.nodes.items() if any(node.reserved for _, node in held)]
    ranges = [name for name in reserved if in_range(wanted, name) or in_range(f"{name.split()[0]} {wanted}", name)]
    if len(ranges) == 1:
        return ranges[0]
    if not re.fullmatch(r"[A-Za-z]{0,3}\d+[A-Za-z]?(?:\.\d+)*", wanted):
        return None
    ending = f" {wanted.upper()}"
    found = [node_id for node_id in corpus.nodes if node_id.upper().endswith(ending) and " para " not in node_id]
    numbered = [node_id for node_id in found if node_id.count(" ") == 1]
    return numbered[0] if len(numbered) == 1 else None


_RANGE = re.compile(r"(.*?)(\d+)\s*[-‐-―]\s*(?:.*?)(\d+)$")


def in_range(node_id: str, reserved: str) -> bool:
    """Whether a numbered place lies in a range of them.

    >>> in_range("DMG 77038", "DMG 77036-77040"), in_range("DMG 77041", "DMG 77036-77040")
    (True, False)
    """
    at, found = re.fullmatch(r"(.*?)(\d+)", node_id), _RANGE.fullmatch(reserved)
    return at is not None and found is not None and at[1] == found[1] and int(found[2]) <= int(at[2]) <= int(found[3])


def _shown(document_id: str, node: Node, corpus: Corpus) -> Shown:
    passages = [passage for passage in corpus.by_document.get(document_id, ()) if _touches(passage, node)]
    nodes = [other for owner, other in corpus.all_nodes if owner == document_id]
    below = {other.node_id for other in nodes if _within(other, node)}
    origin = corpus.origins[document_id]
    outgoing = (edge for edge in corpus.edges if edge.document_id == document_id and _spanned(edge.mention_span, node))
    incoming = (edge for node_id in sorted(below) for edge in corpus.edges_to.get(node_id, ()))
    return Shown(
        node_id=node.node_id,
        document_id=document_id,
        corpus_version=passages[0].corpus_version if passages else "",
        kind=node.kind,
        heading=node.heading,
        path=tuple(reversed(list(_ancestors(document_id, node, corpus)))),
        children=tuple(other.node_id for other in nodes if other.parent_id == node.node_id),
        text="\n".join(piece for passage in passages for piece in _pieces(passage, node)),
        spans=tuple(span for passage in passages for span in passage.spans if _overlap(span, node)),
        raw=(node.raw_start, node.raw_end),
        file=origin.path,
        source_sha256=origin.source_sha256,
        reason=node.reason,
        outgoing=tuple(outgoing),
        incoming=tuple(edge for edge in incoming if not _spanned(edge.mention_span, node) or edge.document_id != document_id),
    )


def _ancestors(document_id: str, node: Node, corpus: Corpus) -> list[str]:
    found: list[str] = []
    while node.parent_id and node.parent_id not in found:
        found.append(node.parent_id)
        parent = corpus.node(document_id, node.parent_id)
        if parent is None:
            break
        node = parent
    return found


def _pieces(passage: Passage, node: Node) -> list[str]:
    """The parts of a passage's words that lie within the node, cut out by byte offsets."""
    evidence = passage.evidence_text.encode()
    pieces: list[str] = []
    at = 0
    for span in passage.spans:
        own = evidence[at : at + span.end - span.start]
        at += len(own) + 1  # the newline between two spans is ours
        if _overlap(span, node):
            first = node.start - span.start if (span.page, span.start) < (node.page, node.start) else 0
            last = node.end - span.start if (span.page, span.end) > (node.page_end, node.end) else len(own)
            pieces.append(own[first:last].decode())
    return pieces


def _overlap(span: Span, node: Node) -> bool:
    return (node.page, node.start) < (span.page, span.end) and (span.page, span.start) < (node.page_end, node.end)


def _touches(passage: Passage, node: Node) -> bool:
    return any(_overlap(span, node) for span in passage.spans)


def _within(inner: Node, outer: Node) -> bool:
    return (outer.page, outer.start) <= (inner.page, inner.start) and (inner.page_end, inner.end) <= (outer.page_end, outer.end)


def _spanned(span: Span, node: Node) -> bool:
    return (node.page, node.start) <= (span.page, span.start) and (span.page, span.end) <= (node.page_end, node.end)
