"""A page as a picture, with the cited words marked."""

from __future__ import annotations

from typing import Any

from pincite.errors import UsageError
from pincite.model import Span
from pincite.parse.manual.observation import Line
from pincite.parse.pdf.read import open_pdf, read, turn_box

MARK = (1.0, 0.87, 0.25)  # a marker pen's yellow
_MAX_PIXELS = 40_000_000


def draw_page(data: bytes, page: int, spans: tuple[Span, ...], dpi: int) -> bytes:
    """A PNG of one page; each line a span covers is marked. Runs in a child process: drawing decodes images."""
    import pymupdf

    document = open_pdf(pymupdf, data, "")
    if not 1 <= page <= document.page_count:
        raise UsageError(f"there is no page {page}: the file has {document.page_count} pages")
    seen = read(data, "").pages[page - 1]
    target = document[page - 1]
    for line in seen.lines:
        if any(span.page == page and span.start < line.end and line.start < span.end for span in spans):
            box = turn_box(_box(line), -seen.turn % 360, seen.width, seen.height)
            target.draw_rect(pymupdf.Rect(*box), color=None, fill=MARK, overlay=False)
    scale = min(dpi / 72, (_MAX_PIXELS / max(target.rect.width * target.rect.height, 1.0)) ** 0.5)
    picture: Any = target.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
    png: bytes = picture.tobytes("png")
    return png


def _box(line: Line) -> tuple[float, float, float, float]:
    return line.x0 - 1, line.y0, line.x1 + 1, line.y1
