"""What was seen on the pages, before anything is concluded from it: the observation layer.

A reader (PDF or plain pages of text) makes it, the structure layer only reads it, and it can be written as JSON. Lengths
are in points from the top left corner of the page; a reader without positions counts a character as 5 and a line as 12.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Style(NamedTuple):
    """A run of one font inside a line."""

    start: int  # character offset in the line's text
    font: str
    size: float
    flags: int  # PyMuPDF's: 1 raised, 2 italic, 4 serifed, 8 monospaced, 16 bold
    colour: int  # 0xRRGGBB
    x0: float
    x1: float


class Line(NamedTuple):
    """One visual line in reading order. ``page.text[start:end]`` are its bytes; the newline after it is not part of it."""

    text: str
    start: int  # byte offsets in the page's text
    end: int
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    size: float  # of most of its characters
    bold: bool
    column: int  # 0 where the page has one column
    zone: str  # "body", "head", "foot", "side" or "note" (in the margin), "turned" (rotated), "count" (of lines), "added"
    styles: tuple[Style, ...]
    cells: tuple[tuple[int, float, float], ...]  # (character offset, x0, x1) of each piece, where there are several
    markers: tuple[tuple[int, int], ...]  # character ranges of raised marks: found by flag, size and baseline


class Page(NamedTuple):
    """One page as read. ``failure`` says why it has no lines where it should have some."""

    number: int
    width: float
    height: float
    text: bytes  # UTF-8: the lines, each followed by a newline
    lines: tuple[Line, ...]
    columns: int
    images: bool  # whether it draws images: a page without text and with images needs OCR
    derivation: str  # observed, or extracted_by_ocr
    confidence: float | None  # of OCR, 0 to 100
    failure: str
    turn: int = 0  # degrees clockwise that the page was turned by to read from left to right; its lines' boxes are of then


class Observation(NamedTuple):
    """All pages of one file, by one reader."""

    reader: str
    reader_version: str
    fonts: bool  # whether sizes and weights mean anything
    pages: tuple[Page, ...]


def to_json(observation: Observation) -> str:
    """The observation as JSON; ``from_json`` gives it back equal."""
    pages = [{**page._asdict(), "text": page.text.decode()} for page in observation.pages]
    return json.dumps({**observation._asdict(), "pages": pages}, ensure_ascii=False)


def from_json(text: str) -> Observation:
    """The observation ``to_json`` wrote."""
    raw = json.loads(text)
    return Observation(raw["reader"], raw["reader_version"], raw["fonts"], tuple(_page(page) for page in raw["pages"]))


def _page(raw: dict[str, Any]) -> Page:
    return Page(**{**raw, "text": raw["text"].encode(), "lines": tuple(_line(line) for line in raw["lines"])})


def _line(raw: list[Any]) -> Line:
    *plain, styles, cells, markers = raw
    return Line._make([*plain, (), (), ()])._replace(
        styles=tuple(Style(*style) for style in styles),
        cells=tuple((start, x0, x1) for start, x0, x1 in cells),
        markers=tuple((start, end) for start, end in markers),
    )
