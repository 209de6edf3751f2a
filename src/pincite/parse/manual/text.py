"""Plain pages of text (as ``pdftotext -layout`` prints them) → the same observation a PDF gives, without fonts.

A character counts 5 points, a line 12; blank lines are space. Three and more spaces separate cells.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pincite.errors import Malformed
from pincite.model import Document, Source
from pincite.parse.manual.observation import Line, Observation, Page
from pincite.parse.manual.structure import structure
from pincite.parse.pdf.furniture import Band, Shape, repeating_bands, shape_of

WIDTH, HEIGHT = 5.0, 12.0
_PIECE = re.compile(r"\S(?:.*?\S)??(?=\s{3,}|\s*$)")


def parse_pages(source: Source, data: bytes) -> Document:
    """The ``Document`` of a ``*.pages.json`` file: ``{"pages": [{"page", "text", "raised_markers"}]}``.

    Its pages are the texts as they are; page *i* of the document is the *i*-th entry of the file.
    """
    try:
        raw = json.loads(data)
        pages = raw["pages"] if isinstance(raw, dict) else raw
        texts = [(str(page["text"]), page.get("raised_markers", ())) for page in pages]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Malformed(f"not a list of pages of text ({error})", where=source.path, next="see docs/manuals.md") from error
    return structure(source, observe_texts(texts))


def observe_texts(texts: list[tuple[str, Any]]) -> Observation:
    """The observation of pages of text, each with its raised markers as (character offset, text)."""
    split = [_split(text) for text, _ in texts]
    furniture = repeating_bands([_bands(lines) for lines in split])
    pages = [
        _page(number, text, markers, lines, furniture[number - 1])
        for number, ((text, markers), lines) in enumerate(zip(texts, split), 1)
    ]
    return Observation("text", "1", False, tuple(pages))


def _split(text: str) -> list[tuple[int, int, str]]:
    """(line number, character offset, line) of each line that is not blank."""
    found, offset = [], 0
    for number, line in enumerate(text.split("\n")):
        if line.strip():
            found.append((number, offset, line))
        offset += len(line) + 1
    return found


def _bands(lines: list[tuple[int, int, str]]) -> dict[Band, Shape]:
    bands: dict[Band, Shape] = {}
    for position in range(min(2, len(lines))):
        bands["head", position] = shape_of(lines[position][2], "head")
        bands["foot", position] = shape_of(lines[-1 - position][2], "foot")
    return bands


def _page(number: int, text: str, markers: Any, lines: list[tuple[int, int, str]], furniture: frozenset[Band]) -> Page:
    made = []
    for position, (line_number, offset, line) in enumerate(lines):
        zone = "body"
        if ("head", position) in furniture:
            zone = "head"
        elif ("foot", len(lines) - 1 - position) in furniture:
            zone = "foot"
        made.append(_line(text, line_number, offset, line, zone, markers))
    data = text.encode("utf-8", "replace")
    return Page(number, 600.0, 12.0 * (text.count("\n") + 2), data, tuple(made), 1, False, "observed", None, "")


def _line(text: str, number: int, offset: int, line: str, zone: str, markers: Any) -> Line:
    indent = len(line) - len(line.lstrip())
    body = line.strip()
    first = offset + indent
    start = len(text[:first].encode("utf-8", "replace"))
    pieces = [(found.start(), found.end()) for found in _PIECE.finditer(body)]
    cells = tuple((a, (indent + a) * WIDTH, (indent + b) * WIDTH) for a, b in pieces) if len(pieces) > 1 else ()
    raised = tuple((at - first, at - first + len(mark)) for at, mark in markers if first <= at < first + len(body))
    baseline = HEIGHT * (number + 1)
    return Line(
        body,
        start,
        start + len(body.encode("utf-8", "replace")),
        indent * WIDTH,
        baseline - 10.0,
        (indent + len(body)) * WIDTH,
        baseline + 2.0,
        baseline,
        10.0,
        False,
        0,
        zone,
        (),
        cells,
        raised,
    )
