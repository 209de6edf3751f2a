"""PowerPoint decks: one page and one node per slide; shapes in reading order, notes and comments after them.

The XML parts are read directly: python-pptx has no diagrams, comments or alternate content, and its object layer takes
several times as long (``docs/decisions/0120-office-files-are-read-from-their-parts.md``).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from lxml import etree

from pincite.errors import Malformed
from pincite.model import Document, Source
from pincite.parse.compose import Composer
from pincite.parse.numbers import exponent
from pincite.parse.office.drawing import chart_lines, diagram_lines, paragraph_text
from pincite.parse.office.equations import linear
from pincite.parse.office.numerals import numeral
from pincite.parse.office.package import Package
from pincite.parse.office.properties import add_properties
from pincite.parse.office.words import MC, A, M, P, R, chosen, description, number

VERSION = "1"
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("dt", "ftr", "sldNum", "hdr")
_NOT_ON_SLIDE = "{http://schemas.microsoft.com/office/powerpoint/2010/main}"
ROW_BAND = 457_200
"""Shapes whose tops are within half an inch (in EMU) are read from left to right."""


class Shape(NamedTuple):
    """One shape of a slide. Groups are opened: their members are shapes of their own."""

    element: etree._Element
    kind: str  # "sp", "graphicFrame", "pic", "cxnSp", ...
    number: int  # counted from 1 as the shapes stand in the slide's XML, groups' members included
    role: str  # of its placeholder: "title", "body", "ftr", ... or ""
    top: int
    left: int


def parse_pptx(source: Source, data: bytes) -> Document:
    """The document in a ``.pptx`` file. Raises ``Malformed``, ``NeedsPassword``, ``Forbidden`` or ``TooExpensive``."""
    return _Deck(source, data).document()


class _Deck:
    """Reads one deck."""

    def __init__(self, source: Source, data: bytes) -> None:
        self.made = Composer(source, "pptx", VERSION)
        self.package = package = Package(data, source.path or source.document_id)
        self.main = package.main("ppt/presentation.xml")
        self.root = package.tree(self.main)
        if self.root.tag != P + "presentation":
            raise Malformed("its main part is no PowerPoint deck", where=package.where, next="check its extension")
        self.authors = self._authors()
        self.part = ""
        self.slides: dict[str, int] = {}
        self.read = 0  # slides that could be read

    def document(self) -> Document:
        """Properties, then every slide in the order it is shown."""
        add_properties(self.made, self.package)
        parts = list(self._parts())
        self.slides = {part: at for at, part in enumerate(parts, 1)}
        sections = self._sections()
        for at, part in enumerate(parts, 1):
            if at > 1:
                self.made.page()
            if at in sections:
                self.made.leave(1)
                self.made.enter("heading", fragment=f"=section-{at}", heading=sections[at])
            self._slide(part, at)
        if parts and not self.read:
            raise Malformed(
                "every slide of it is damaged", where=self.package.where, next="open it in PowerPoint and save it again"
            )
        for trouble in dict.fromkeys(self.package.troubles):
            self.made.find(*trouble, 0, 0)
        return self.made.document()

    def _parts(self) -> Iterator[str]:
        """The slides' parts in order."""
        relations = self.package.relationships(self.main)
        for element in self.root.iterfind(f"{P}sldIdLst/{P}sldId"):
            relation = relations.get(element.get(R + "id", ""))
            if relation is not None and relation.target in self.package:
                yield relation.target
            else:
                self.package.trouble(
                    "missing_part", element.get(R + "id", ""), "the deck lists this slide and does not have it"
                )

    def _sections(self) -> dict[int, str]:
        """Names of the deck's sections by the number of their first slide."""
        order = [one.get("id", "") for one in self.root.iterfind(f"{P}sldIdLst/{P}sldId")]
        found = {}
        for section in self.root.iter(_NOT_ON_SLIDE + "section"):
            first = section.find(f"{_NOT_ON_SLIDE}sldIdLst/{_NOT_ON_SLIDE}sldId")
            if first is not None and first.get("id", "") in order:
                found[order.index(first.get("id", "")) + 1] = section.get("name", "")
        return found

    def _line(self, text: str, role: str, origin: str, shown: str | None = None) -> tuple[int, int]:
        span = self.made.add(text, role, origin=origin, shown=shown)
        self.made.add("\n", "blank")
        return span

    # --- slides ----------------------------------------------------------------------------------------------------

    def _slide(self, part: str, at: int) -> None:
        """One slide: title, shapes in reading order, comments, notes."""
        root = self.package.optional(part)
        self.part = part
        self.read += root is not None
        tree = None if root is None else root.find(f"{P}cSld/{P}spTree")
        shapes = [] if tree is None else list(_shapes(tree))
        title = next((shape for shape in shapes if shape.role in _TITLES), None)
        heading = "" if title is None else " ".join(" ".join(_texts(title.element)).split())
        self.made.enter("slide", fragment=f"=slide-{at}", label=str(at), heading=heading)
        self.made.anchor(f"slide-{at}")
        if root is not None and root.get("show", "1") in ("0", "false"):
            self.made.find("hidden_slide", f"slide {at}", "the slide is hidden in the deck; it is read all the same")
        for shape in _in_reading_order(shapes):
            self._shape(shape, f"slide {at}, shape {shape.number}")
        for kind in ("oleObject", "video", "audio"):
            for relation in self.package.relationships(part).values():
                if relation.kind == kind:
                    self.made.find("embedded_object", relation.target, f"a {kind}; its content is not in the text")
        self._comments(part, at)
        self._notes(part, at)
        self.made.leave()

    def _shape(self, shape: Shape, origin: str) -> None:
        """The text of one shape, and what describes it."""
        element, role = shape.element, "page_furniture" if shape.role in _FURNITURE else "body"
        if shape.role in _TITLES:
            role = "heading"
        body, start, page = element.find(P + "txBody"), self.made.at, len(self.made.texts)
        if body is not None:
            self._paragraphs(body, role, origin)
        if shape.kind == "graphicFrame":
            self._frame(element, origin)
        properties = element.find(f"./*/{P}cNvPr")
        if properties is None:
            return
        click = properties.find(A + "hlinkClick")
        if click is not None and (target := self._target(click)) and len(self.made.texts) == page:
            self.made.hyperlink(target, start, max(start, self.made.at - 1))  # a shape that is a button: its words lead there
        described = description(properties)
        if shape.kind == "pic":
            self.made.find("image", described or properties.get("name", ""), "a picture; its content is not in the text")
        if described:
            self._line(described, "annotation", f"{origin} description")

    def _paragraphs(self, body: etree._Element, role: str, origin: str) -> None:
        """Paragraphs of a shape; the levels of a list nest."""
        depth = self.made.depth
        levels: list[int] = []
        counts: dict[int, tuple[str, int]] = {}
        own = body.find(A + "lstStyle")
        for at, paragraph in enumerate(body.findall(A + "p"), 1):
            text, links = self._text(paragraph)
            if not text.strip():
                continue
            properties = paragraph.find(A + "pPr")
            level = number(None if properties is None else properties.get("lvl"))
            label = _label(properties, None if own is None else own.find(f"{A}lvl{level + 1}pPr"), level, counts)
            if role == "body" and level and levels:
                while levels and levels[-1] >= level:
                    levels.pop()
                    self.made.leave()
            elif levels:
                levels.clear()
                self.made.leave(depth)
            if role == "body" and (label or level):
                self.made.enter("item", fragment=label.strip(".()") if label[:1].isalnum() else "item", label=label or "•")
                levels.append(level)
            self._write(
                f"{label} {text}" if label else text, links, len(label) + 1 if label else 0, role, f"{origin}, paragraph {at}"
            )
        self.made.leave(depth)

    def _write(self, text: str, links: list[tuple[int, int, str]], prefix: int, role: str, origin: str) -> None:
        cut = len(text) - len(text.lstrip())
        start, end = self._line(text.strip(), role, origin)
        for first, last, target in links:
            begin = start + len(text[cut : prefix + first].encode())
            self.made.hyperlink(target, begin, min(begin + len(text[prefix + first : prefix + last].encode()), end))

    def _text(self, paragraph: etree._Element) -> tuple[str, list[tuple[int, int, str]]]:
        """A paragraph's text, and the links in it as (start, end, target)."""
        pieces, links, length = list[str](), list[tuple[int, int, str]](), 0
        for child in _flat(paragraph):
            if child.tag == A + "br":
                piece = "\n"
            elif child.tag in (A + "r", A + "fld"):
                piece = "".join(text.text or "" for text in child.findall(A + "t"))
                looks = child.find(A + "rPr")
                if looks is not None and number(looks.get("baseline")) > 0:
                    piece = exponent(pieces, piece)
            elif str(child.tag).startswith(M):
                piece = linear(child)
            else:
                continue
            click = child.find(f"{A}rPr/{A}hlinkClick")
            target = "" if click is None else self._target(click)
            if target:
                links.append((length, length + len(piece), target))
            pieces.append(piece)
            length += len(piece)
        return "".join(pieces).replace("\v", "\n"), links

    def _target(self, click: etree._Element) -> str:
        """Where a link leads: an address, or ``#slide-3``."""
        relation = self.package.relationships(self.part).get(click.get(R + "id", ""))
        if relation is None:
            return ""
        if relation.kind == "slide":
            return f"#slide-{self.slides[relation.target]}" if relation.target in self.slides else ""
        return relation.target

    # --- frames ----------------------------------------------------------------------------------------------------

    def _frame(self, element: etree._Element, origin: str) -> None:
        """A table, a chart, a diagram, or an object of another program."""
        for table in element.iter(A + "tbl"):
            self._table(table, origin)
            return
        relations = self.package.relationships(self.part)
        for inner in element.iter():
            relation = relations.get(inner.get(R + "dm") or inner.get(R + "id") or "")
            if relation is None or relation.external or relation.target not in self.package:
                continue
            if relation.kind == "chart":
                self.made.find("chart", relation.target, "a chart; its titles and the values it shows are kept as text")
            root = self.package.optional(relation.target) if relation.kind in ("chart", "diagramData") else None
            if root is not None:
                lines = chart_lines(root) if relation.kind == "chart" else diagram_lines(root)
                for text in lines:
                    self._line(text, "annotation" if relation.kind == "chart" else "body", origin)

    def _table(self, table: etree._Element, origin: str) -> None:
        """Rows, each one block; what a merge covers is empty."""
        self.made.enter("table", fragment="table")
        spans = []
        for at, row in enumerate(table.findall(A + "tr"), 1):
            texts, links = list[str](), list[tuple[int, int, str]]()
            length = 0
            for cell in row.findall(A + "tc"):
                text, found = self._cell(cell)
                if cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true"):
                    if text:
                        self.made.find(
                            "covered_text", text, f"{origin}, row {at}: in a cell that a merged one covers; not shown, not read"
                        )
                    text, found = "", []
                links += [(length + first, length + last, target) for first, last, target in found]
                texts.append(text)
                length += len(text) + 1
            if not any(texts):
                continue
            whole = "\t".join(texts)
            start, end = self._line(whole, "table", f"{origin}, row {at}", " | ".join(" ".join(one.split()) for one in texts))
            spans.append((start, end))
            for first, last, target in links:
                begin = start + len(whole[:first].encode())
                self.made.hyperlink(target, begin, begin + len(whole[first:last].encode()))
        properties = table.find(A + "tblPr")
        page = len(self.made.texts)
        if len(spans) > 1 and properties is not None and properties.get("firstRow") in ("1", "true"):
            self.made.link("table_header", (page, spans[1][0], spans[-1][1]), (page, *spans[0]))
        self.made.leave()

    def _cell(self, cell: etree._Element) -> tuple[str, list[tuple[int, int, str]]]:
        lines, links, length = list[str](), list[tuple[int, int, str]](), 0
        for paragraph in cell.iterfind(f"{A}txBody/{A}p"):
            text, found = self._text(paragraph)
            text = text.replace("\t", " ")
            if text.strip():
                links += [(length + first, length + last, target) for first, last, target in found]
                lines.append(text)
                length += len(text) + 1
        return "\n".join(lines), links

    # --- notes and comments ----------------------------------------------------------------------------------------

    def _notes(self, part: str, at: int) -> None:
        """The speaker's notes of a slide."""
        name = self.package.first(part, "notesSlide")
        root = self.package.optional(name)
        tree = None if root is None else root.find(f"{P}cSld/{P}spTree")
        shapes = [] if tree is None else [one for one in _shapes(tree) if one.element.find(P + "txBody") is not None]
        shapes = [one for one in shapes if one.role != "sldImg"]
        if not any(text.strip() for one in shapes for text in _texts(one.element)):
            return
        self.part = name
        self.made.enter("note", fragment="notes", heading="Notes")
        for shape in shapes:
            body = shape.element.find(P + "txBody")
            if body is not None:
                role = "page_furniture" if shape.role in _FURNITURE else "note"
                self._paragraphs(body, role, f"slide {at} notes, shape {shape.number}")
        self.made.leave()
        self.part = part

    def _authors(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for part in (*self.package.related(self.main, "commentAuthors"), *self.package.related(self.main, "authors")):
            root = self.package.optional(part)
            found |= {} if root is None else {one.get("id", ""): one.get("name", "") for one in root}
        return found

    def _comments(self, part: str, at: int) -> None:
        """Comments on a slide, of the older and the newer kind."""
        for name in self.package.related(part, "comments"):
            root = self.package.optional(name)
            for comment in () if root is None else root.iter():
                tag = str(comment.tag).rpartition("}")[2]
                if tag not in ("cm", "reply"):
                    continue
                text = comment.findtext(P + "text") or "\n".join(
                    paragraph_text(one) for body in comment if str(body.tag).endswith("txBody") for one in body.iter(A + "p")
                )
                author = self.authors.get(comment.get("authorId", ""), "")
                if text.strip():
                    self._line(text.strip(), "annotation", f"slide {at} comment" + (f" by {author}" if author else ""))


# --- shapes --------------------------------------------------------------------------------------------------------------


def _flat(parent: etree._Element) -> Iterator[etree._Element]:
    """Runs, breaks and equations of a paragraph, with one branch of what is said in two ways."""
    for child in parent:
        if child.tag == MC + "AlternateContent":
            branch = chosen(child)
            yield from () if branch is None else _flat(branch)
        elif child.tag == _NOT_ON_SLIDE.replace("powerpoint/2010/main", "drawing/2010/main") + "m":
            yield from child
        else:
            yield child


def _shapes(tree: etree._Element) -> Iterator[Shape]:
    """The shapes of a slide as they stand in its XML, groups opened."""
    for at, (element, top, left) in enumerate(_walk(tree, 0, 0), 1):
        place = element.find(f"./*/{P}nvPr/{P}ph")
        role = "" if place is None else place.get("type", "body")
        yield Shape(element, etree.QName(element).localname, at, role, top, left)


def _walk(parent: etree._Element, top: int, left: int) -> Iterator[tuple[etree._Element, int, int]]:
    for child in parent:
        if child.tag in (P + "sp", P + "graphicFrame", P + "pic", P + "cxnSp", P + "contentPart"):
            own = _offset(child)
            yield child, *(own if own is not None else (top, left))
        elif child.tag == P + "grpSp":
            own = _offset(child)
            yield from ((one, *(own or (top, left))) for one, _, _ in _walk(child, top, left))
        elif child.tag == MC + "AlternateContent":
            branch = chosen(child)
            yield from () if branch is None else _walk(branch, top, left)


def _offset(element: etree._Element) -> tuple[int, int] | None:
    """Top and left of a shape, None where its layout says them."""
    for path in (f"{P}spPr/{A}xfrm/{A}off", f"{P}grpSpPr/{A}xfrm/{A}off", f"{P}xfrm/{A}off"):
        found = element.find(path)
        if found is not None:
            return number(found.get("y")), number(found.get("x"))
    return None


def _in_reading_order(shapes: list[Shape]) -> list[Shape]:
    """Titles, then placeholders that the layout places, then the others from top to bottom and left to right; page furniture
    last. The members of a group stay together, in their own order."""
    titles = [one for one in shapes if one.role in _TITLES]
    last = [one for one in shapes if one.role in _FURNITURE]
    rest = [one for one in shapes if one.role not in (*_TITLES, *_FURNITURE)]
    laid_out = [one for one in rest if one.role and _offset(one.element) is None]
    placed = [one for one in rest if not (one.role and _offset(one.element) is None)]
    placed.sort(key=lambda one: (one.top, one.left))
    rows: list[list[Shape]] = []
    for shape in placed:
        if rows and shape.top - rows[-1][0].top < ROW_BAND:
            rows[-1].append(shape)
        else:
            rows.append([shape])
    for row in rows:
        row.sort(key=lambda one: one.left)
    return [*titles, *laid_out, *chain.from_iterable(rows), *last]


def _texts(element: etree._Element) -> Iterator[str]:
    for paragraph in element.iter(A + "p"):
        yield paragraph_text(paragraph)


def _label(own: etree._Element | None, style: etree._Element | None, level: int, counts: dict[int, tuple[str, int]]) -> str:
    """The number of a numbered paragraph as it is shown; "" for a bullet, which slides have everywhere.

    A paragraph with another scheme or start than the one before it counts anew.
    """
    numbered = next((found for found in map(_bullet, (own, style)) if found is not None), None)
    for deeper in [one for one in counts if one > level]:
        del counts[deeper]
    if numbered is None or numbered.tag != A + "buAutoNum":
        counts.pop(level, None)
        return ""
    scheme, start = numbered.get("type", "arabicPeriod"), number(numbered.get("startAt"), 1)
    before, count = counts.get(level, ("", 0))
    counts[level] = f"{scheme} {start}", count + 1 if before == f"{scheme} {start}" else start
    return automatic(counts[level][1], scheme)


def _bullet(properties: etree._Element | None) -> etree._Element | None:
    """What paragraph properties say of the sign before a paragraph: a number, a character, a picture, or none."""
    signs = ("buAutoNum", "buNone", "buChar", "buBlip")
    return (
        None
        if properties is None
        else next((one for one in map(properties.find, (A + name for name in signs)) if one is not None), None)
    )


def automatic(count: int, scheme: str) -> str:
    """A number in one of PowerPoint's schemes.

    >>> automatic(3, "alphaUcParenR"), automatic(4, "romanLcPeriod"), automatic(2, "arabicParenBoth")
    ('C)', 'iv.', '(2)')
    """
    forms = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}
    form = next((name for start, name in forms.items() if scheme.startswith(start)), "decimal")
    shown = numeral(count, form) or str(count)
    if scheme.endswith("ParenBoth"):
        return f"({shown})"
    return shown + (")" if scheme.endswith("ParenR") else "." if scheme.endswith("Period") else "")
