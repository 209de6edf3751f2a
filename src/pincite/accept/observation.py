"""What an engine hands to the gate: plain JSON, of which only positions and names are read, never a claim of success.

    source        {path, sha256}
    partition     [{page, start, end, role, sha256}]            every byte of every page, once, in order
    units         [{citation, heading, spans: [{page, start, end, sha256}], references: [{page, start, end, sha256, target,
                  target_end}]}]                                complete passages
    structures    [{kind, page, start, end, citation, targets}] reserved, contents, annotation, contact, notice, ...
    source_instructions_inert   true

Offsets are UTF-8 bytes into the registered extraction of the page (1-based). The gate slices them itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pincite.model import Document, Node, Observed, Passage, Source, Span, sha256_hex

Observation = Mapping[str, Any]


def baseline(source: Source, data: bytes, pages: Sequence[bytes]) -> Observation:
    """The plain parser to beat: one unit for each page, no structure. It must fail."""
    blocks = [_piece(pages, number, 0, len(text)) | {"role": "body"} for number, text in enumerate(pages, 1)]
    units = [
        {"citation": f"page {number}", "heading": "", "spans": [_piece(pages, number, 0, len(text))], "references": []}
        for number, text in enumerate(pages, 1)
    ]
    return _observation(source, data, blocks, units, [])


def candidate(source: Source, data: bytes, pages: Sequence[bytes]) -> Observation:
    """Pincite's own parser, seen through the contract."""
    from pincite.parse import parse
    from pincite.passages import build
    from pincite.references import observe

    document = parse(source, data)
    return of_document(document, build(document), observe(document))


def of_document(document: Document, passages: Iterable[Passage], observed: Iterable[Observed]) -> Observation:
    """A parsed document as an observation. A unit is a numbered paragraph with all its passages, or an example of its own."""
    parents = {node.node_id: node for node in document.nodes}
    spans: dict[str, list[Span]] = {}
    for passage in passages:
        unit = unit_of(passage.node_id, parents)
        if unit is not None:
            spans.setdefault(unit, []).extend(passage.spans)
    references: dict[str, list[dict[str, Any]]] = {}
    for seen in observed:
        unit = unit_of(seen.source_node_id, parents)
        if unit is not None and seen.mention.target_node_id:
            mention = seen.mention
            entry = _span(seen.span) | {"target": mention.target_node_id, "target_end": mention.target_end_node_id}
            references.setdefault(unit, []).append(entry)
    units = [
        {
            "citation": citation,
            "heading": heading_of(citation, parents),
            "spans": [_span(span) for span in sorted(set(held), key=lambda span: (span.page, span.start))],
            "references": references.get(citation, []),
        }
        for citation, held in spans.items()
    ]
    blocks = [_piece(document.pages, b.page, b.start, b.end) | {"role": b.role, "sha256": b.sha256} for b in document.partition]
    return _observation(document.source, None, blocks, units, _structures(document))


def unit_of(node_id: str, nodes: Mapping[str, Node]) -> str | None:
    """The numbered paragraph (or example that stands alone) a place belongs to; None for headings and the like."""
    node = nodes.get(node_id)
    while node is not None and node.kind not in ("paragraph", "example"):
        node = nodes.get(node.parent_id or "")
    return node.node_id if node else None


def heading_of(citation: str, nodes: Mapping[str, Node]) -> str:
    """The nearest heading above a unit."""
    node = nodes.get(nodes[citation].parent_id or "")
    while node is not None and not node.heading:
        node = nodes.get(node.parent_id or "")
    return node.heading if node else ""


def _structures(document: Document) -> list[dict[str, Any]]:
    kinds = {"reserved", "contents", "annotation", "contact", "notice", "example", "reference_dictionary", "page_furniture"}
    found: list[dict[str, Any]] = [
        {"kind": b.role, "page": b.page, "start": b.start, "end": b.end, "citation": b.node_id, "targets": []}
        for b in document.partition
        if b.role in kinds
    ]
    for entry in found:
        if entry["kind"] == "annotation":
            entry["targets"] = [
                document.slice(link.target_page, link.target_start, link.target_end).decode()
                for link in document.links
                if link.kind == "annotation" and link.page == entry["page"] and entry["start"] <= link.start < entry["end"]
            ]
    return found


def _observation(source: Source, data: bytes | None, partition: Any, units: Any, structures: Any) -> Observation:
    sha256 = sha256_hex(data) if data is not None else source.source_sha256
    return {
        "source": {"path": source.path, "sha256": sha256},
        "partition": partition,
        "units": units,
        "structures": structures,
        "source_instructions_inert": True,
    }


def _piece(pages: Sequence[bytes], page: int, start: int, end: int) -> dict[str, Any]:
    return {"page": page, "start": start, "end": end, "sha256": sha256_hex(pages[page - 1][start:end])}


def _span(span: Span) -> dict[str, Any]:
    return {"page": span.page, "start": span.start, "end": span.end, "sha256": span.sha256}
