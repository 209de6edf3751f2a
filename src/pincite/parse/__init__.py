"""Bytes to documents: ``parse(source, data)`` finds the format and returns text, partition, nodes, links and findings."""

from __future__ import annotations

from pincite.model import Document, Source

__all__ = ["parse"]


def parse(source: Source, data: bytes) -> Document:
    """What the parser of the file's format makes of it. Raises ``ParseError``; never opens anything but *data*."""
    if data[:1024].lstrip().startswith(b"%PDF-") or source.media_type == "application/pdf":
        from pincite.parse.pdf import parse_pdf

        return parse_pdf(source, data)
    if source.media_type == "application/json":
        from pincite.parse.manual.text import parse_pages

        return parse_pages(source, data)
    from pincite.parse.xml import parse_xml

    return parse_xml(source, data)
