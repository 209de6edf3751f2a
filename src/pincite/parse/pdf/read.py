"""PDF bytes → raw pages, with PyMuPDF. Runs in a child process (``limits.run_limited``), never in the caller's.

Images are never decoded and raw streams never read: both are how a small file takes gigabytes. Nothing in a file is
executed, followed or fetched: text and positions are all that is asked for.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from pincite.errors import Forbidden, Malformed, NeedsPassword, TooExpensive
from pincite.parse.manual.observation import Observation, Style
from pincite.parse.pdf import forms, ocr
from pincite.parse.pdf.layout import lay_out
from pincite.parse.pdf.pieces import Aside, Piece, RawPage

MAX_PAGES = 5_000
MAX_CHARACTERS = 40_000_000  # of the whole file: 80 times the longest manual known
_PERMIT_EXTRACTION = 1 << 4  # PDF 32000-1, table 22, bit 5
_PERMIT_ACCESSIBILITY = 1 << 9  # bit 10


def read(data: bytes, where: str, styled: bool = True) -> Observation:
    """Every page of a PDF. A page that cannot be read is kept, empty, with its reason.

    *styled*: whether lines keep their runs of fonts; the structure layer does without.

    Raises ``Malformed``, ``NeedsPassword``, ``Forbidden`` and ``TooExpensive``.
    """
    import pymupdf

    document = open_pdf(pymupdf, data, where)
    try:
        pages = [_read_page(pymupdf, document, index, styled) for index in range(_page_count(pymupdf, document, where))]
    finally:
        document.close()
        pymupdf.TOOLS.store_shrink(100)
    if sum(len(piece[7]) for page in pages for piece in page.pieces) > MAX_CHARACTERS:
        raise TooExpensive(f"holds more than {MAX_CHARACTERS} characters", where=where, next="split the file")
    if pages and all(page.failure for page in pages):
        raise Malformed(f"no page can be read: {pages[0].failure}", where=where, next="repair the file or fetch it again")
    return Observation("pymupdf", pymupdf.__version__, True, lay_out(pages))


def _silence(pymupdf: Any) -> None:
    """MuPDF's complaints about a damaged file go nowhere: what matters of them becomes a finding or an error."""
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)


def open_pdf(pymupdf: Any, data: bytes, where: str) -> Any:
    if not data:
        raise Malformed("the file is empty", where=where, next="fetch it again")
    _silence(pymupdf)
    try:
        document = pymupdf.open(stream=data, filetype="pdf")
    except _faults(pymupdf) as error:
        raise Malformed(f"not a readable PDF ({_first_line(error)})", where=where, next="fetch it again") from error
    if document.needs_pass:
        raise NeedsPassword("a password is needed to open it", where=where, next="ask its publisher for an open copy")
    permissions = document.permissions
    if document.metadata.get("encryption") and not permissions & _PERMIT_EXTRACTION:
        raise Forbidden("its author forbids extracting text", where=where, next="ask its publisher for an open copy")
    return document


def _page_count(pymupdf: Any, document: Any, where: str) -> int:
    try:
        count = int(document.page_count)
    except _faults(pymupdf) as error:
        raise Malformed(f"its page tree is damaged ({_first_line(error)})", where=where, next="repair the file") from error
    if count > MAX_PAGES:
        raise TooExpensive(f"has {count} pages, more than {MAX_PAGES}", where=where, next="split the file")
    if count == 0:
        raise Malformed("it has no pages", where=where, next="repair the file or fetch it again")
    return count


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0][:120]


def _read_page(pymupdf: Any, document: Any, index: int, styled: bool) -> RawPage:
    flags = pymupdf.TEXTFLAGS_TEXT & ~pymupdf.TEXT_PRESERVE_LIGATURES & ~pymupdf.TEXT_PRESERVE_IMAGES
    try:
        page = document[index]
        content = page.get_textpage(flags=flags).extractDICT()
        annotations = page.annot_xrefs()
        if annotations and forms.shows_text(pymupdf, annotations):
            forms.tell_apart(pymupdf, page, content, flags)
    except _faults(pymupdf) as error:
        return RawPage(index + 1, 0.0, 0.0, [], [], False, "observed", None, _first_line(error) or "the page cannot be read")
    turn = _stand_upright(content)
    pieces: list[Piece] = []
    aside: list[Aside] = []
    for block in content["blocks"]:
        for line in block["lines"]:
            spans = line["spans"]
            if len(spans) == 1 or len({*map(_LOOK, spans)}) == 1:  # some files set every word apart
                piece = _piece(spans, styled)
            else:
                piece = _piece_of_many(spans, styled) if spans else None  # what has no extent has no spans
            if piece is None:
                continue
            if line["dir"] == (1.0, 0.0) and "zone" not in line:
                pieces.append(piece)
            else:
                aside.append((line.get("zone", "turned"), piece))
    raw = RawPage(index + 1, content["width"], content["height"], pieces, aside, False, "observed", None, "", turn)
    return raw if pieces or aside else _without_text(pymupdf, page, raw)


_TURNS = {(0.0, -1.0): 90, (-1.0, 0.0): 180, (0.0, 1.0): 270}


def _stand_upright(content: dict[str, Any]) -> int:
    """Turn a page whose text mostly runs along another side (a landscape table) so that it reads from left to right.

    The degrees it was turned by, clockwise; 0 for an ordinary page.
    """
    lines = [line for block in content["blocks"] for line in block["lines"]]
    if not lines or lines[0]["dir"] == lines[-1]["dir"] == (1.0, 0.0):
        return 0
    characters: Counter[tuple[float, float]] = Counter()
    for line in lines:
        x, y = line["dir"]
        characters[round(x, 3) + 0.0, round(y, 3) + 0.0] += sum(len(span["text"]) for span in line["spans"])
    direction, count = characters.most_common(1)[0]
    turn = _TURNS.get(direction, 0)
    if not turn or count < 0.6 * characters.total():
        return 0
    width, height = content["width"], content["height"]
    for line in lines:
        x, y = line["dir"]
        line["dir"] = (1.0, 0.0) if (round(x, 3), round(y, 3)) == direction else (0.0, 1.0)
        for span in line["spans"]:
            span["bbox"] = turn_box(span["bbox"], turn, width, height)
            x, y = span["origin"]
            span["origin"] = turn_box((x, y, x, y), turn, width, height)[:2]
    if turn != 180:
        content["width"], content["height"] = height, width
    return turn


def turn_box(box: Sequence[float], turn: int, width: float, height: float) -> tuple[float, float, float, float]:
    """A box on a page of this width and height, after the page is turned clockwise by *turn* degrees.

    >>> turn_box((10, 700, 20, 760), 90, 600, 800)
    (40, 10, 100, 20)
    """
    x0, y0, x1, y1 = box
    if turn == 90:
        return height - y1, x0, height - y0, x1
    if turn == 180:
        return width - x1, height - y1, width - x0, height - y0
    if turn == 270:
        return y0, width - x1, y1, width - x0
    return x0, y0, x1, y1


def _without_text(pymupdf: Any, page: Any, raw: RawPage) -> RawPage:
    """A page without text: blank, or a picture, which is read by OCR where that is installed."""
    if not page.get_images():
        return raw
    if not ocr.available():
        return raw._replace(images=True)
    try:
        pieces, confidence = ocr.ocr_page(pymupdf, page)
    except _faults(pymupdf) as error:
        return raw._replace(images=True, failure=f"OCR failed: {_first_line(error)}")
    return raw._replace(images=True, pieces=pieces, derivation="extracted_by_ocr", confidence=confidence)


def _faults(pymupdf: Any) -> tuple[type[Exception], ...]:
    """What MuPDF raises on damaged input, and what a program it starts may."""
    return (OSError, subprocess.TimeoutExpired, RuntimeError, ValueError, IndexError, pymupdf.mupdf.FzErrorBase)


_LOOK = itemgetter("size", "font", "flags")
_TEXT = itemgetter("text")
_SPAN = itemgetter("bbox", "size", "flags", "font", "origin")


def _piece(spans: list[dict[str, Any]], styled: bool) -> Piece | None:
    """A line of one style as one piece."""
    span = spans[0]
    text = (span["text"] if len(spans) == 1 else "".join(map(_TEXT, spans))).rstrip()
    if not text:
        return None
    (x0, y0, x1, y1), size, flags, font, origin = _SPAN(span)
    if len(spans) > 1:
        x1 = spans[-1]["bbox"][2]
    styles = (Style(0, font, size, flags, span["color"], x0, x1),) if styled else ()
    made: Piece = _new(Piece, (origin[1], x0, x1, y0, y1, size, flags & 16 > 0 or is_bold(font), text, styles, ()))
    return made


_new = tuple.__new__


def _piece_of_many(spans: list[dict[str, Any]], styled: bool) -> Piece | None:
    """A line of several styles as one piece. Neighbouring spans of one style become one run."""
    text = "".join(map(_TEXT, spans)).rstrip()
    if not text:
        return None
    main = max(spans, key=lambda span: len(span["text"]))
    size, baseline = main["size"], main["origin"][1]
    styles: list[Style] = []
    markers: list[tuple[int, int]] = []
    last: tuple[Any, ...] = ()
    offset = 0
    for span in spans:
        look = (span["font"], span["size"], span["flags"], span["color"])
        if look != last:
            if styled:
                styles.append(Style(offset, look[0], look[1], look[2], look[3], span["bbox"][0], span["bbox"][2]))
            last = look
            if look[1] < 0.9 * size or look[2] & 1:
                _add_marker(markers, span, offset, size, baseline)
        offset += len(span["text"])
    first, end = spans[0]["bbox"], spans[-1]["bbox"]
    return Piece(
        baseline,
        first[0],
        end[2],
        main["bbox"][1],
        main["bbox"][3],
        size,
        bool(main["flags"] & 16) or is_bold(main["font"]),
        text,
        tuple(styles),
        tuple(markers),
    )


def _add_marker(markers: list[tuple[int, int]], span: dict[str, Any], offset: int, size: float, baseline: float) -> None:
    """A raised mark shows at least two of: the raised flag, a smaller size, a higher baseline; and is short."""
    text = span["text"]
    mark = text.strip()
    if not mark or len(mark) > 4:
        return
    signs = (span["flags"] & 1) + (span["size"] < 0.85 * size) + (span["origin"][1] < baseline - 0.12 * size)
    if signs >= 2:
        start = offset + text.index(mark)
        markers.append((start, start + len(mark)))


@lru_cache(maxsize=4096)
def is_bold(font: str) -> bool:
    """Whether a font is bold by its name, where its flag does not say so."""
    return "bold" in font.lower() or "black" in font.lower()
