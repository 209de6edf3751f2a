"""Pages that are pictures: PyMuPDF draws the page, the ``tesseract`` program reads it, where it is installed.

Its table output gives a box and a confidence for every word; both are kept. Nothing is downloaded, and without the program
the page is reported as needing it.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from typing import Any

from pincite.parse.manual.observation import Style
from pincite.parse.pdf.pieces import Piece

DPI = 200
MAX_PIXELS = 25_000_000
SECONDS_PER_PAGE = 30


def available() -> bool:
    """Whether the program is here."""
    return shutil.which("tesseract") is not None


def ocr_page(pymupdf: Any, page: Any) -> tuple[list[Piece], float | None]:
    """The lines tesseract reads on *page*, and the mean confidence of its words (0 to 100, ``None`` without words)."""
    rect = page.rect
    scale = min(DPI / 72, (MAX_PIXELS / max(rect.width * rect.height, 1.0)) ** 0.5)
    picture = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False)
    program = shutil.which("tesseract") or "tesseract"
    run = subprocess.run(
        [program, "stdin", "stdout", "-l", "eng", "tsv"],
        input=picture.tobytes("png"),
        capture_output=True,
        timeout=SECONDS_PER_PAGE,
        check=False,
    )
    return pieces_of_table(run.stdout.decode("utf-8", "replace"), scale)


def pieces_of_table(table: str, scale: float) -> tuple[list[Piece], float | None]:
    """Tesseract's tab-separated words as lines; *scale* is pixels per point."""
    words: dict[tuple[str, ...], list[tuple[str, float, float, float, float]]] = defaultdict(list)
    confidences = []
    for row in table.splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) < 12 or cells[0] != "5" or not cells[11].strip():
            continue
        left, top, width, height = (float(value) / scale for value in cells[6:10])
        words[tuple(cells[1:5])].append((cells[11].strip(), left, top, left + width, top + height))
        confidences.append(float(cells[10]))
    mean = sum(confidences) / len(confidences) if confidences else None
    return [_line_piece(line) for line in words.values()], mean


def _line_piece(words: list[tuple[str, float, float, float, float]]) -> Piece:
    x0, y0 = min(word[1] for word in words), min(word[2] for word in words)
    x1, y1 = max(word[3] for word in words), max(word[4] for word in words)
    size = y1 - y0
    text = " ".join(word[0] for word in words)
    return Piece(y1 - 0.2 * size, x0, x1, y0, y1, size, False, text, (Style(0, "ocr", size, 0, 0, x0, x1),), ())
