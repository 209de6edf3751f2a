"""What the tests of the formats share: a source, what a document shows, and whether it leads back to its file."""

from __future__ import annotations

from pincite.model import Document, Source, conserved


def source_of(media_type: str, document_id: str = "doc") -> Source:
    return Source(document_id, "1", "Doc", f"{document_id}.x", media_type, f"{document_id}.x", 0, "")


def shown(document: Document, role: str = "") -> list[str]:
    """The display text of each block of a role, of all but the blank ones without."""
    return [
        document.display.get(block.ordinal) or document.slice(block.page, block.start, block.end).decode()
        for block in document.partition
        if (block.role == role if role else block.role != "blank")
    ]


def places(document: Document) -> list[tuple[str, str, str, str]]:
    """Id after the document's, kind, label and heading of each node but the first."""
    start = len(document.source.document_id)
    return [(node.node_id[start:], node.kind, node.label, node.heading) for node in document.nodes[1:]]


def leads_back(document: Document, data: bytes, encoding: str = "utf-8") -> bool:
    """Whether each block is, decoded, exactly its range of the file, and the ranges follow one another to the end."""
    assert conserved(document)
    at = document.partition[0].raw_start if document.partition else 0
    for block in document.partition:
        assert block.raw_start == at
        assert block.raw_end is not None
        words = document.slice(1, block.start, block.end).decode()
        assert data[block.raw_start : block.raw_end].decode(encoding) == words
        at = block.raw_end
    return at == len(data)


def sound(document: Document) -> bool:
    """Whether the partition covers the text, every node lies in its parent's document and every block in a node."""
    ids = {node.node_id for node in document.nodes}
    assert conserved(document)
    assert len(ids) == len(document.nodes)
    assert all(block.node_id in ids for block in document.partition if block.role != "blank")
    assert all(node.parent_id in ids for node in document.nodes[1:])
    assert all((node.page, node.start) <= (node.page_end, node.end) for node in document.nodes)
    for page, start, end, _ in document.hyperlinks:
        assert 0 <= start <= end <= len(document.pages[page - 1])
    for link in document.links:
        assert 0 <= link.target_start <= link.target_end <= len(document.pages[link.target_page - 1])
    return True
