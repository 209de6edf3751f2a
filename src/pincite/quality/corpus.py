"""Checks across documents: what is there twice, names that several bear, links that lead to nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pincite.model import Document, Passage, is_generic, sha256_hex
from pincite.passages import build
from pincite.quality.codes import Problem
from pincite.quality.similar import THRESHOLD, pairs
from pincite.references.names import names_of


class Read(NamedTuple):
    """A document with its passages."""

    document: Document
    passages: Sequence[Passage]


def across(
    documents: Sequence[Document], passages: Sequence[Sequence[Passage]] = (), threshold: float = THRESHOLD
) -> list[Problem]:
    """The problems between *documents*, whose *passages* are made where they are not given, in order of code."""
    read = [Read(*each) for each in zip(documents, passages or [build(document) for document in documents])]
    generic = [each for each in read if is_generic(each.document)]
    found = [*_copies(generic), *_alike(generic, threshold), *_names(generic), *_links(generic)]
    return sorted(found, key=lambda problem: (problem.code, problem.path, problem.page, problem.start))


def _of_document(code: str, document: Document, message: str, others: tuple[str, ...]) -> Problem:
    source = document.source
    return Problem(code, source.document_id, source.path, source.document_id, 1, 0, 0, 1, message, others)


def _copies(read: Sequence[Read]) -> Iterator[Problem]:
    """Documents whose whole text is the same."""
    seen: dict[str, Document] = {}
    for document, _ in read:
        first = seen.setdefault(sha256_hex(b"\f".join(document.pages)), document)
        if first is not document:
            other = first.source
            yield _of_document("PQ205", document, f"word for word the same as {other.path}", (other.document_id,))


def _alike(read: Sequence[Read], threshold: float) -> Iterator[Problem]:
    """Passages of different documents that say the same, or nearly."""
    rows = [(document, passage) for document, passages in read for passage in passages if passage.indexable]
    for first, second, similarity in pairs([passage.evidence_text for _, passage in rows], threshold):
        (one, passage), (two, other) = rows[first], rows[second]
        if one is not two:
            yield _pair(one, passage, two, other, similarity)


def _pair(one: Document, passage: Passage, two: Document, other: Passage, similarity: float) -> Problem:
    code = "PQ201" if similarity == 1.0 else "PQ202"
    how = "the same as" if similarity == 1.0 else f"{similarity:.0%} the same as"
    span, page = other.spans[0], two.pages[other.spans[0].page - 1]
    line = page.count(b"\n", 0, span.start) + 1
    place = two.source.document_id, two.source.path, other.node_id, span.page, span.start, other.spans[-1].end, line
    return Problem(code, *place, f"{how} {passage.node_id} in {one.source.path}", (passage.node_id, other.node_id), similarity)


def _names(read: Sequence[Read]) -> Iterator[Problem]:
    """Titles and codes that several documents bear: a reference to one of them stays ambiguous."""
    bearers: dict[str, list[Document]] = defaultdict(list)
    for document, _ in read:
        for name in names_of(document)[0]:
            if name.startswith(("title:", "code:")) and "@" not in name:
                bearers[name].append(document)
    for name, documents in bearers.items():
        if len(documents) > 1:
            ids = tuple(document.source.document_id for document in documents[:20])
            yield _of_document("PQ204", documents[0], f"{len(documents)} documents bear the {name.replace(':', ' ', 1)}", ids)


def _links(read: Sequence[Read]) -> Iterator[Problem]:
    """Links to a file that is not here."""
    from pincite.references import observe
    from pincite.references.resolve import known_of, reresolve, resolve

    nodes = ((d.source.document_id, node.node_id, (), names) for d, _ in read for node, names in zip(d.nodes, names_of(d)))
    known = known_of(nodes)
    for document, _ in read:
        seen = [each for each in observe(document) if each.mention.sought.startswith("path:") and each.mention.kind == "link"]
        for edge in reresolve(resolve(seen, known, source=document.source), known):
            if edge.status == "unresolved":
                span, source = edge.mention_span, document.source
                line = document.pages[span.page - 1].count(b"\n", 0, span.start) + 1
                place = source.document_id, source.path, edge.source_node_id, span.page, span.start, span.end, line
                yield Problem("PQ203", *place, edge.reason)
