"""Bytes to documents: ``parse(source, data)`` finds the format and returns text, partition, nodes, links and findings."""

from __future__ import annotations

from pincite.model import Document, Source

__all__ = ["parse"]


def parse(source: Source, data: bytes) -> Document:
    """What the parser of the file's format makes of it. Raises ``ParseError``; never opens anything but *data*."""
    from pincite.parse.formats import reader_of

    media_type = "application/pdf" if data[:1024].lstrip().startswith(b"%PDF-") else source.media_type
    return reader_of(media_type)(source, data)
