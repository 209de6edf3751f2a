"""Which XML dialect a file is in, by its root element."""

from __future__ import annotations

from pincite.errors import Malformed
from pincite.model import Document, Source


def parse_xml(source: Source, data: bytes) -> Document:
    """The document in an XML file of any supported dialect."""
    if data.strip() and not data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<") and b"\0" not in data[:4]:
        raise Malformed("the file is neither XML nor PDF", where=source.path, next="give an official XML file or a PDF")
    from pincite.parse.ecfr import parse_ecfr

    return parse_ecfr(source, data)
