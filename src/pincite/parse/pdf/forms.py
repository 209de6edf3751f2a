"""What was put on a page after it was made: comments, stamps, what form fields hold.

PyMuPDF gives it with the page's own text. A comment is no text of the manual, so it is set aside; what a field holds is read
where it stands, but in the type of running text: it is no title, however it is set.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import Any


def shows_text(pymupdf: Any, annotations: Iterable[tuple[int, int, str]]) -> bool:
    """Whether one of a page's annotations (xref, kind, id) is of a kind that puts text on the page; links do not."""
    kinds = (pymupdf.PDF_ANNOT_FREE_TEXT, pymupdf.PDF_ANNOT_STAMP, pymupdf.PDF_ANNOT_WIDGET)
    return any(kind in kinds for _, kind, _ in annotations)


def tell_apart(document: Any, page: Any, content: dict[str, Any], flags: int) -> Any:
    """Mark the lines of *content* that annotations added: ``zone`` "added" for comments, plain type for form fields.

    The page as it is without its annotations, which the document in memory loses.
    """
    fields = [tuple(widget.rect) for widget in page.widgets()]
    document.xref_set_key(page.xref, "Annots", "null")
    page = document.reload_page(page)
    own = {_key(line) for line in _lines(page.get_textpage(flags=flags).extractDICT())}
    lines = [*_lines(content)]
    sizes = [span["size"] for line in lines if _key(line) in own for span in line["spans"]]
    usual = median(sizes) if sizes else 10.0
    for line in lines:
        if _key(line) not in own:
            if any(_inside(line["bbox"], field) for field in fields):
                for span in line["spans"]:
                    span.update(size=min(span["size"], usual), flags=0, font="")
            else:
                line["zone"] = "added"
    return page


def _lines(content: dict[str, Any]) -> list[dict[str, Any]]:
    return [line for block in content["blocks"] for line in block["lines"]]


def _key(line: dict[str, Any]) -> tuple[Any, ...]:
    return (*line["bbox"], *(span["text"] for span in line["spans"]))


def _inside(box: tuple[float, ...], field: tuple[float, ...]) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return field[0] <= x <= field[2] and field[1] <= y <= field[3]
