"""Which XML dialect a file is in, by its root element."""

from __future__ import annotations

from pincite.model import Document, Source


def parse_xml(source: Source, data: bytes) -> Document:
    """The document in an XML file of any supported dialect."""
    from pincite.parse.ecfr import parse_ecfr

    return parse_ecfr(source, data)
