"""Which XML dialect a file is in, by its root element."""

from __future__ import annotations

import re
from collections.abc import Callable

from pincite.errors import Malformed
from pincite.model import Document, Source

_ROOT = re.compile(rb"<([A-Za-z_][\w.:-]*)")
_SKIPPED = re.compile(rb"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)


def parse_xml(source: Source, data: bytes) -> Document:
    """The document in an XML file of any supported dialect. Raises ``Malformed`` for a root of none of them."""
    if data.strip() and not data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<") and b"\0" not in data[:4]:
        raise Malformed("the file is neither XML nor PDF", where=source.path, next="give an official XML file or a PDF")
    return reader_for(_root(data))(source, data)


def reader_for(root: str) -> Callable[[Source, bytes], Document]:
    """What reads files with this root element; the eCFR's reader, which refuses it, where none does."""
    from pincite.parse.annual import ANNUAL, AnnualReader
    from pincite.parse.ecfr import ECFR, EcfrReader
    from pincite.parse.fedreg import FEDREG, parse_fedreg
    from pincite.parse.uslm import ROOTS, parse_uslm

    if root in ROOTS:
        return parse_uslm
    if root in FEDREG.roots and root not in ANNUAL.roots:
        return parse_fedreg
    if root in ANNUAL.roots and root not in ECFR.roots:
        return lambda source, data: AnnualReader(source).document(data)
    return lambda source, data: EcfrReader(source).document(data)


def reads(root: str) -> bool:
    """Whether some reader knows this root element."""
    from pincite.parse.annual import ANNUAL
    from pincite.parse.ecfr import ECFR
    from pincite.parse.fedreg import FEDREG
    from pincite.parse.uslm import ROOTS

    return any(root in roots for roots in (ECFR.roots, ANNUAL.roots, FEDREG.roots, ROOTS))


def _root(data: bytes) -> str:
    """The name of the root element, "" where the file does not begin with one."""
    position = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    while match := _SKIPPED.match(data, position):
        position = match.end()
    match = _ROOT.match(data, position)
    return match.group(1).decode() if match else ""
