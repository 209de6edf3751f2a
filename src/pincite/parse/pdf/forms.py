"""What was put on a page after it was made: comments, stamps, what form fields hold.

PyMuPDF gives it with the page's own text. A comment is no text of the manual, so it is set aside; what a field holds is read
where it stands, but in the type of running text: it is no title, however it is set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import median
from typing import Any


def shows_text(pymupdf: Any, annotations: Iterable[tuple[int, int, str]]) -> bool:
    """Whether one of a page's annotations (xref, kind, id) is of a kind that puts text on the page; links do not."""
    kinds = (pymupdf.PDF_ANNOT_FREE_TEXT, pymupdf.PDF_ANNOT_STAMP, pymupdf.PDF_ANNOT_WIDGET)
    return any(kind in kinds for _, kind, _ in annotations)


def tell_apart(pymupdf: Any, page: Any, content: dict[str, Any], flags: int) -> None:
    """Mark the lines of *content* that annotations added: ``zone`` "added" for comments, plain type for form fields."""
    mupdf = pymupdf.mupdf
    comments = {_key(line) for line in _drawn(pymupdf, page, mupdf.fz_run_page_annots, flags)}
    fields = {_key(line) for line in _drawn(pymupdf, page, mupdf.fz_run_page_widgets, flags)}
    if not comments and not fields:
        return
    lines = [(_key(line), line) for line in _lines(content)]
    sizes = [span["size"] for key, line in lines if key not in comments and key not in fields for span in line["spans"]]
    usual = median(sizes) if sizes else 10.0
    for key, line in lines:
        if key in comments:
            line["zone"] = "added"
        elif key in fields:
            for span in line["spans"]:
                span.update(size=min(span["size"], usual), flags=0, font="")


def _drawn(pymupdf: Any, page: Any, draw: Callable[..., None], flags: int) -> list[dict[str, Any]]:
    """The lines of text that *draw* draws of a page, which is not turned."""
    mupdf = pymupdf.mupdf
    turned = page.rotation
    if turned:
        page.set_rotation(0)
    try:
        options = mupdf.FzStextOptions()
        options.flags = flags
        text = mupdf.FzStextPage(mupdf.FzRect(*page.rect))
        device = mupdf.fz_new_stext_device(text, options)
        drawn = page.this if isinstance(page.this, mupdf.FzPage) else page.this.super()
        draw(drawn, device, mupdf.FzMatrix(), mupdf.FzCookie())
        mupdf.fz_close_device(device)
    finally:
        if turned:
            page.set_rotation(turned)
    return _lines(pymupdf.TextPage(text).extractDICT())


def _lines(content: dict[str, Any]) -> list[dict[str, Any]]:
    return [line for block in content["blocks"] for line in block["lines"]]


def _key(line: dict[str, Any]) -> tuple[Any, ...]:
    return (*line["bbox"], *(span["text"] for span in line["spans"]))
