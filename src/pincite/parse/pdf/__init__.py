"""PDF manuals: read in a child process under limits, then given their structure.

``observe`` gives what was seen (pages, lines, fonts, boxes), ``parse`` the ``Document``, ``render_page`` a picture of a
page with spans marked. A file that cannot be read raises one of ``Malformed``, ``NeedsPassword``, ``Forbidden``,
``NoText`` or ``TooExpensive``, and costs nothing but itself.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pincite.errors import Forbidden, NeedsPassword, ParseError, TooExpensive
from pincite.model import Block, Document, Finding, Link, Node, Source, Span
from pincite.parse.limits import run_limited
from pincite.parse.manual.observation import Observation
from pincite.parse.manual.structure import structure
from pincite.parse.pdf.read import open_pdf, read
from pincite.parse.pdf.render import draw_page

SECONDS = 60.0
MEGABYTES = 400


def observe(data: bytes, where: str = "", *, seconds: float = SECONDS, megabytes: int = MEGABYTES) -> Observation:
    """What is on the pages of a PDF. *where* names it in error messages."""
    return run_limited(read, (data, where), seconds, megabytes)


def parse_pdf(source: Source, data: bytes, *, seconds: float = SECONDS, megabytes: int = MEGABYTES) -> Document:
    """The ``Document`` of a PDF: its pages' text, the tree of numbered paragraphs, roles for every byte, findings.

    Raises a ``ParseError`` for a file that cannot be read at all, ``NoText`` where no page has text and there is no OCR.
    """
    return _unpack(run_limited(_parse_packed, (source, data), seconds, megabytes))


def outlook(data: bytes, where: str = "") -> tuple[str, str]:
    """What stands in the way of reading a PDF and the reason: "encrypted", "too_large", "damaged" or "needs_ocr"; or "", ""."""
    try:
        return run_limited(_outlook, (data, where), SECONDS, MEGABYTES)
    except (NeedsPassword, Forbidden) as error:
        return "encrypted", error.what
    except TooExpensive as error:
        return "too_large", error.what
    except ParseError as error:
        return "damaged", error.what


def _outlook(data: bytes, where: str) -> tuple[str, str]:
    import pymupdf

    from pincite.parse.pdf import ocr

    with open_pdf(pymupdf, data, where) as document:
        if ocr.available() or any(page.get_text("text").strip() for page in document):
            return "", ""
    return "needs_ocr", "no page has text, and there is no OCR here: install tesseract"


def _parse_packed(source: Source, data: bytes) -> tuple[Any, ...]:
    """The document with its records as plain tuples, which pickle ten times faster than named ones."""
    document = _parse(source, data)
    records = (document.nodes, document.partition, document.links, document.findings)
    return (tuple(document[:4]), *([tuple(record) for record in kind] for kind in records), dict(document.display))


def _unpack(packed: tuple[Any, ...]) -> Document:
    (source, parser, version, pages), nodes, blocks, links, findings, display = packed
    return Document(
        source,
        parser,
        version,
        pages,
        tuple(map(Node._make, nodes)),
        tuple(map(Block._make, blocks)),
        tuple(map(Link._make, links)),
        tuple(map(Finding._make, findings)),
        display,
    )


def _parse(source: Source, data: bytes) -> Document:
    collecting = gc.isenabled()
    gc.disable()  # nothing here makes cycles, and every collection would walk all lines read so far
    try:
        return structure(source, read(data, source.path or source.document_id, styled=False))
    finally:
        if collecting:
            gc.enable()


def render_page(path: str | Path, page: int, spans: Sequence[Span] = (), *, dpi: int = 110) -> bytes:
    """A PNG of the 1-based *page* with the *spans* on it marked."""
    return run_limited(draw_page, (Path(path).read_bytes(), page, tuple(spans), dpi), SECONDS, MEGABYTES)
