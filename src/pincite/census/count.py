"""One document of a census: its counts and the places to look at. Runs in a child process; only the row comes back."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pincite.errors import MissingSource, PinciteError
from pincite.model import Document, Edge, Finding, Node, Passage, Source, sha256_hex

PLACES_PER_KIND = 10
"""Places kept of each kind: the counts are whole, the places are examples to look at."""

_NO_FAULT = frozenset({"profile", "blank_page", "extracted_by_ocr", "uncertain_boundary"})


class Counted(NamedTuple):
    """How often."""

    name: str
    number: int


class Row(NamedTuple):
    """One document of a census. All counts are 0 where it failed; ``failure`` is then the error's class."""

    path: str  # relative to the folder
    sha256: str  # of the file
    version: str  # of everything that decides the counts
    bytes: int  # of the file
    parser: str
    profile: str  # of the manual family, with its evidence
    pages: int
    text_bytes: int  # extracted
    conserved_bytes: int  # of these, in exactly one block of the partition, with the right hash
    roles: tuple[Counted, ...]  # bytes by role
    passages: int
    indexable: int
    paragraphs: int  # numbered places
    uncertain_boundaries: int
    unsupported: tuple[Counted, ...]  # structures and pages the parser could not read, by kind
    unresolved_headings: int  # indexable passages under no heading of the document
    references: int
    references_outside: int  # understood, and leading outside the document
    unresolved_references: int  # not understood, not completed, ambiguous, or leading to nothing in a document that is here
    failure: str
    sentence: str  # of the failure: what, where, what next
    seconds: float
    output_bytes: int  # of its rows for all tables, as JSON
    places: tuple[Finding, ...]  # what to look at, at most ``PLACES_PER_KIND`` of a kind

    @property
    def conserved(self) -> bool:
        return self.conserved_bytes == self.text_bytes

    @property
    def unsupported_count(self) -> int:
        return sum(each.number for each in self.unsupported)


def failed(path: str, sha256: str, version: str, size: int, error: PinciteError, seconds: float) -> Row:
    """The row of a document that could not be read."""
    nothing: tuple[Counted, ...] = ()
    return Row(
        path, sha256, version, size, "", "", 0, 0, 0, nothing, 0, 0, 0, 0, nothing, 0, 0, 0, 0,
        type(error).__name__, error.sentence(), seconds, 0, (),
    )  # fmt: skip


def read_file(folder: str, path: str) -> bytes:
    """The bytes of a file of the folder; ``MissingSource`` where it cannot be read."""
    try:
        return (Path(folder) / path).read_bytes()
    except OSError as error:
        raise MissingSource(f"the file cannot be read ({error.strerror})", where=path, next="see its permissions") from None


def count_file(folder: str, path: str, version: str) -> Row:
    """The row of one file. Raises ``ParseError`` and ``SourceError``."""
    started = time.perf_counter()
    data = read_file(folder, path)
    source = Source(_name(path), "census", _name(path), "", _media_type(path), path, len(data), sha256_hex(data))
    document = _parsed(source, data)
    row = count(document, version)
    return row._replace(seconds=round(time.perf_counter() - started, 4))


def _parsed(source: Source, data: bytes) -> Document:
    """Parsed in this process, which is a limited child already: a second child would only cost another start."""
    from pincite.parse.manual.structure import structure
    from pincite.parse.pdf.read import read
    from pincite.parse.xml import parse_xml

    if source.media_type == "application/pdf" or data[:1024].lstrip().startswith(b"%PDF-"):
        return structure(source, read(data, source.path, styled=False))
    return parse_xml(source, data)


def _name(path: str) -> str:
    return Path(path).name.split(".")[0]


def _media_type(path: str) -> str:
    return "application/pdf" if path.lower().endswith(".pdf") else "application/xml"


def count(document: Document, version: str) -> Row:
    """The counts of a parsed document."""
    from pincite.passages import build, chunks_of_nodes
    from pincite.references import observe
    from pincite.references.resolve import known_of, resolve

    source, passages = document.source, build(document)
    held = zip(document.nodes, chunks_of_nodes(document.nodes, passages))
    known = known_of((source.document_id, node.node_id, ids) for node, ids in held)
    edges = resolve(observe(document), known, source=source, passages=passages)
    headless = list(without_heading(document.nodes, passages))
    open_edges = [edge for edge in edges if edge.status not in ("resolved", "out_of_corpus")]
    kinds = Counter(finding.kind for finding in document.findings)
    return Row(
        path=source.path,
        sha256=source.source_sha256,
        version=version,
        bytes=source.source_bytes,
        parser=f"{document.parser} {document.parser_version}",
        profile=next((f"{each.subject}: {each.reason}" for each in document.findings if each.kind == "profile"), ""),
        pages=len(document.pages),
        text_bytes=sum(len(page) for page in document.pages),
        conserved_bytes=conserved_bytes(document),
        roles=_roles(document),
        passages=len(passages),
        indexable=sum(passage.indexable for passage in passages),
        paragraphs=sum(node.kind in ("paragraph", "section") and not node.reserved for node in document.nodes),
        uncertain_boundaries=kinds["uncertain_boundary"],
        unsupported=tuple(Counted(kind, n) for kind, n in sorted(kinds.items()) if kind not in _NO_FAULT),
        unresolved_headings=len(headless),
        references=len(edges),
        references_outside=sum(edge.status == "out_of_corpus" for edge in edges),
        unresolved_references=len(open_edges),
        failure="",
        sentence="",
        seconds=0.0,
        output_bytes=_output_bytes(document, passages, edges),
        places=tuple(_first_of_each_kind([*document.findings, *map(_headless, headless), *map(_open, open_edges)])),
    )


def conserved_bytes(document: Document) -> int:
    """How many extracted bytes lie in exactly one block, in order, under the right hash."""
    total, position = 0, dict.fromkeys(range(1, len(document.pages) + 1), 0)
    for block in document.partition:
        if position.get(block.page) != block.start:
            continue
        position[block.page] = block.end
        if sha256_hex(document.slice(block.page, block.start, block.end)) == block.sha256:
            total += block.end - block.start
    return total


def without_heading(nodes: Sequence[Node], passages: Iterable[Passage]) -> Iterator[Passage]:
    """Indexable passages of places with no heading between them and the document's own name.

    What belongs to no place but the document itself (its opening words) stands under its name, and is not counted.
    """
    by_id = {node.node_id: node for node in nodes}
    roots = {node.node_id for node in nodes if node.parent_id is None} | {""}
    headed: dict[str, bool] = {}
    for passage in passages:
        if passage.indexable and passage.node_id not in roots and not _headed(passage.node_id, by_id, headed):
            yield passage


def _headed(node_id: str, by_id: dict[str, Node], known: dict[str, bool]) -> bool:
    way: list[str] = []
    while node_id not in known and node_id not in way:
        way.append(node_id)
        node = by_id.get(node_id)
        if node is None or node.parent_id is None:
            known[node_id] = False
        elif node.heading:
            known[node_id] = True
        else:
            node_id = node.parent_id
    found = known.get(node_id, False)
    known.update(dict.fromkeys(way, found))
    return found


def _headless(passage: Passage) -> Finding:
    span = passage.spans[0]
    return Finding("unresolved_heading", span.page, span.start, span.end, passage.node_id, "it stands under no heading")


def _open(edge: Edge) -> Finding:
    span = edge.mention_span
    why = f"{edge.status}: {edge.reason}" if edge.reason else edge.status
    return Finding("unresolved_reference", span.page, span.start, span.end, edge.mention, why, edge.candidates)


def _roles(document: Document) -> tuple[Counted, ...]:
    sizes: Counter[str] = Counter()
    for block in document.partition:
        sizes[block.role] += block.end - block.start
    return tuple(Counted(role, size) for role, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])))


def _first_of_each_kind(findings: Iterable[Finding]) -> Iterator[Finding]:
    seen: Counter[str] = Counter()
    for finding in findings:
        seen[finding.kind] += 1
        if finding.kind not in ("profile", "blank_page") and seen[finding.kind] <= PLACES_PER_KIND:
            yield finding


def _output_bytes(document: Document, passages: Sequence[Passage], edges: Sequence[Edge]) -> int:
    """The rows' size without any table's encoding, so that it can be measured within a reader's memory."""
    rows = (document.partition, document.nodes, passages, edges, document.links, document.findings)
    return len(json.dumps(rows, ensure_ascii=False).encode("utf-8", "surrogatepass"))
