"""Words in drawings: diagrams and charts, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from pincite.parse.office.words import DGM, A, description, number

C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


def paragraph_text(paragraph: etree._Element) -> str:
    """The text of an ``a:p``: runs, fields and breaks in order."""
    signs = {A + "br": "\n", A + "tab": "\t"}
    return "".join(signs.get(str(child.tag)) or child.text or "" for child in paragraph.iter(A + "t", *signs))


def diagram_lines(root: etree._Element) -> Iterator[str]:
    """The texts of a SmartArt diagram's data, as its connections order them."""
    for point in _in_order(root):
        if point.get("type", "node") in ("node", "asst", "doc"):
            for paragraph in point.iter(A + "p"):
                text = paragraph_text(paragraph).strip()
                if text:
                    yield text


def _in_order(root: etree._Element) -> Iterator[etree._Element]:
    """The points from the outermost in; those that nothing connects come last, as they stand in the file."""
    points = {point.get("modelId", ""): point for point in root.iter(DGM + "pt")}
    below: dict[str, list[tuple[int, str]]] = {}
    for one in root.iter(DGM + "cxn"):
        if one.get("type", "parOf") == "parOf":
            below.setdefault(one.get("srcId", ""), []).append((number(one.get("srcOrd")), one.get("destId", "")))
    waiting = [name for name, point in reversed(points.items()) if point.get("type") == "doc"]
    while waiting:
        name = waiting.pop()
        point = points.pop(name, None)
        if point is not None:
            yield point
            waiting += [child for _, child in sorted(below.get(name, ()), reverse=True)]
    yield from points.values()


def chart_lines(root: etree._Element) -> Iterator[str]:
    """A chart's titles, and each series with its categories and values as they were last computed."""
    for title in root.iter(C + "title"):
        text = " ".join(paragraph_text(one).strip() for one in title.iter(A + "p")).strip()
        if text:
            yield text
    for series in root.iter(C + "ser"):
        name = " ".join(_points(series.find(C + "tx")).values())
        categories = _points(series.find(C + "cat")) or _points(series.find(C + "xVal"))
        values = _points(series.find(C + "val")) or _points(series.find(C + "yVal"))
        listed = "; ".join(f"{categories.get(at, str(at + 1))}: {value}" for at, value in values.items())
        line = ": ".join(text for text in (name, listed) if text)
        if line:
            yield line


def _points(parent: etree._Element | None) -> dict[int, str]:
    """The cached points of a reference, by their index; several levels of one category are joined."""
    found: dict[int, str] = {}
    if parent is None:
        return found
    for point in parent.iter(C + "pt"):
        at, text = number(point.get("idx")), (point.findtext(C + "v") or "").strip()
        found[at] = f"{text} {found[at]}" if at in found else text
    direct = parent.findtext(C + "v")
    return found or ({0: direct.strip()} if direct else {})


def words_of(root: etree._Element) -> Iterator[str]:
    """The texts of shapes in a drawing, and the descriptions of its pictures, in order."""
    for element in root.iter():
        tag = str(element.tag)
        if tag == A + "p":
            text = paragraph_text(element).strip()
            if text:
                yield text
        elif tag.endswith("}cNvPr") and description(element):
            yield description(element)
