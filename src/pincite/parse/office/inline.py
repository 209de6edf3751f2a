"""The text of a Word paragraph as it is printed, and what stands where in it: notes, fields, links, tracked changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from lxml import etree

from pincite.parse.numbers import exponent
from pincite.parse.office.equations import linear
from pincite.parse.office.styles import Styles
from pincite.parse.office.symbols import symbol
from pincite.parse.office.words import MC, WP, A, M, R, V, W, chosen, description, flag, number, value

_REFERENCE = re.compile(r"\s*(?:REF|PAGEREF|NOTEREF)\s+\"?([^\s\"\\]+)", re.IGNORECASE)
_LINK = re.compile(r"\s*HYPERLINK\b(?:\s+(?:\"([^\"]*)\"|([^\s\\\"]+)))?(?:.*?\\l\s+\"([^\"]*)\")?", re.IGNORECASE | re.DOTALL)

_COUNTED = re.compile(r"\s*(?:LISTNUM|AUTONUM(?:LGL|OUT)?)\b", re.IGNORECASE)
"""Fields whose numbers Word counts anew each time and does not store."""


class Mark(NamedTuple):
    """Something that stands in a paragraph. ``start`` and ``end`` are character offsets into its text."""

    kind: str  # footnote, endnote, comment, bookmark, reference, hyperlink, picture, inserted, deleted, hidden, ...
    start: int
    end: int
    target: str  # the note's id, the bookmark's name, the address, the text taken out
    about: str = ""  # who and when, or what else there is to say


class Field(NamedTuple):
    """An open field. Its instruction is not printed, its result is."""

    code: list[str]
    begun: list[int]  # where its result begins; empty while the instruction is read
    data: etree._Element | None  # of a form field


class Line:
    """What one paragraph, or one table cell, prints."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.marks: list[Mark] = []
        self.boxes: list[etree._Element] = []  # text boxes anchored in it
        self.parts: list[tuple[str, str]] = []  # diagrams and charts anchored in it: kind and relationship id

    def put(self, text: str) -> None:
        """Append *text*."""
        self.pieces.append(text)
        self.length += len(text)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces)

    @property
    def unmarked(self) -> str:
        """All but the marks of notes: what a heading is called."""
        text, kept, at = self.text, list[str](), 0
        for mark in self.marks:
            if mark.kind in ("footnote", "endnote"):
                kept.append(text[at : mark.start])
                at = mark.end
        return "".join((*kept, text[at:]))


class Inline:
    """Reads paragraphs. Fields may reach over several, so the open ones are kept between calls."""

    def __init__(self, styles: Styles, note_label: Callable[[str, str], str]) -> None:
        self.styles, self.note_label = styles, note_label
        self.fields: list[Field] = []
        self.line = Line()
        self.comments: dict[str, int] = {}
        self.deleting: list[str] | None = None
        self.hidden = False
        self.raised = False
        self.odd: list[tuple[str, str]] = []  # kind and subject of what is not supported

    def read(self, paragraph: etree._Element, line: Line, hidden: bool = False) -> Line:
        """Append what *paragraph* prints to *line*."""
        self.line, self.hidden = line, hidden
        self.comments.clear()
        for field in self.fields:  # a result that began in a paragraph before this one
            field.begun[:] = [line.length] if field.begun else []
        self.content(paragraph)
        self.hidden = False
        return line

    @property
    def in_contents(self) -> bool:
        """Whether a table of contents is open."""
        return any("".join(field.code).split()[:1] == ["TOC"] for field in self.fields)

    # --- content of a paragraph ------------------------------------------------------------------------------------

    def content(self, parent: etree._Element) -> None:
        """The children of a paragraph, or of what only wraps some of them."""
        for child in parent:
            handler = _CONTENT.get(child.tag)
            if handler is not None:
                handler(self, child)

    def run(self, run: etree._Element) -> None:
        """A stretch of one format."""
        properties = run.find(W + "rPr")
        if properties is None:
            for child in run:
                self._piece(child)
            return
        outside = self.hidden
        raised = value(properties, "vertAlign") == "superscript"
        own = flag(properties, "vanish")
        style = value(properties, "rStyle")
        self.hidden = own if own is not None else outside or bool(style and self.styles[style].hidden)
        self.raised = raised
        for child in run:
            self._piece(child)
        self.hidden, self.raised = outside, False

    def _piece(self, child: etree._Element) -> None:
        tag = child.tag
        if tag == _TEXT:
            self.put(child.text or "")
        elif tag in _SIGNS:
            self.put(_SIGNS[tag])
        else:
            handler = _PIECES.get(tag)
            if handler is not None:
                handler(self, child)

    def put(self, text: str) -> None:
        """Text at the current place: printed, or deleted, or hidden, or part of a field's instruction."""
        if self.fields and any(not field.begun for field in self.fields):
            return
        if self.deleting is not None:
            self.deleting.append(text)
        elif self.hidden:
            self._aside("hidden", text, "")
        else:
            self.line.put(exponent(self.line.pieces, text) if self.raised else text)

    def _aside(self, kind: str, text: str, about: str) -> None:
        marks, at = self.line.marks, self.line.length
        if marks and marks[-1][:3] == (kind, at, at) and marks[-1].about == about:
            text = marks.pop().target + text
        marks.append(Mark(kind, at, at, text, about))

    def mark(self, kind: str, start: int, target: str, about: str = "") -> None:
        """Note that what was printed since *start* is something."""
        if self.deleting is None:
            self.line.marks.append(Mark(kind, start, self.line.length, target, about))

    # --- tracked changes ---------------------------------------------------------------------------------------------

    def inserted(self, element: etree._Element) -> None:
        """An insertion not yet accepted: it is read, and said to be one."""
        start = self.line.length
        self.content(element)
        if self.line.length > start:
            self.mark("inserted", start, self.line.text[start:], _who(element))

    def deleted(self, element: etree._Element) -> None:
        """A deletion not yet accepted: its text is no part of the paragraph and is kept beside it."""
        if self.deleting is not None:
            self.content(element)
            return
        self.deleting = []
        self.content(element)
        text, self.deleting = "".join(self.deleting), None
        if text:
            self._aside("deleted", text, _who(element))

    # --- fields, links and marks -------------------------------------------------------------------------------------

    def field_sign(self, element: etree._Element) -> None:
        """The begin, separator or end of a field."""
        kind = element.get(W + "fldCharType")
        if kind == "begin":
            self.fields.append(Field([], [], element.find(W + "ffData")))
        elif kind == "separate" and self.fields:
            self.fields[-1].begun[:] = [self.line.length]
        elif kind == "end" and self.fields:
            field = self.fields.pop()
            self._settle("".join(field.code), field.begun[0] if field.begun else self.line.length)
            if _COUNTED.match("".join(field.code)) and not field.begun:
                self.odd.append(("unsupported_field", "".join(field.code).split()[0]))
            if field.data is not None and (not field.begun or field.begun[0] == self.line.length):
                self.put(_form_value(field.data))

    def instruction(self, element: etree._Element) -> None:
        """A piece of a field's instruction."""
        if self.fields and not self.fields[-1].begun:
            self.fields[-1].code.append(element.text or "")

    def simple_field(self, element: etree._Element) -> None:
        """A field in one element."""
        start, code = self.line.length, element.get(W + "instr", "")
        self.content(element)
        if _COUNTED.match(code) and self.line.length == start:
            self.odd.append(("unsupported_field", code.split()[0]))
        self._settle(code, start)

    def _settle(self, code: str, start: int) -> None:
        if match := _REFERENCE.match(code):
            self.mark("reference", start, match[1])
        elif match := _LINK.match(code):
            self._link(start, match[1] or match[2] or "", match[3] or "")

    def hyperlink(self, element: etree._Element) -> None:
        """A link; its text is printed."""
        start = self.line.length
        self.content(element)
        relation, anchor = element.get(R + "id", ""), element.get(W + "anchor", "")
        if relation:
            self.mark("hyperlink", start, relation, anchor)
        elif anchor:
            self.mark("reference", start, anchor)

    def _link(self, start: int, address: str, anchor: str) -> None:
        if address:
            self.mark("address", start, address + (f"#{anchor}" if anchor else ""))
        elif anchor:
            self.mark("reference", start, anchor)

    def bookmark(self, element: etree._Element) -> None:
        """A place that references may name."""
        self.mark("bookmark", self.line.length, element.get(W + "name", ""))

    def comment_start(self, element: etree._Element) -> None:
        """Where the text that a comment is about begins."""
        self.comments[element.get(W + "id", "")] = self.line.length

    def comment(self, element: etree._Element) -> None:
        """A comment's place."""
        note = element.get(W + "id", "")
        self.mark("comment", self.comments.get(note, self.line.length), note)

    def note(self, element: etree._Element) -> None:
        """The mark of a footnote or an endnote, printed in brackets so that no number runs into it."""
        kind = "footnote" if element.tag == W + "footnoteReference" else "endnote"
        note, start = element.get(W + "id", ""), self.line.length
        if self.deleting is not None:
            self.line.marks.append(Mark("deleted_note", start, start, note, kind))
            return
        if element.get(W + "customMarkFollows", "0") not in ("0", "false", "off"):
            own = "".join(sign.text or "" for sign in element.itersiblings(_TEXT))
            self.line.marks.append(Mark(kind, start, start + len(own), note, own.strip() or "*"))
            return
        if not self.hidden:
            self.put(f"[{self.note_label(kind, note)}]")
        self.mark(kind, start, note)

    # --- signs and pictures ------------------------------------------------------------------------------------------

    def sym(self, element: etree._Element) -> None:
        """A character of a symbol font."""
        font, code = element.get(W + "font", ""), element.get(W + "char", "")
        try:
            point = int(code, 16)
        except ValueError:
            return
        found = symbol(font, point)
        if found is None:
            self.odd.append(("unknown_symbol", f"{font} {code}"))
        self.put(found or "\ufffd")

    def line_break(self, element: etree._Element) -> None:
        """A line break; a page or column break separates as well."""
        self.put("\n")

    def ruby(self, element: etree._Element) -> None:
        """A reading printed over its base follows it in parentheses."""
        base, reading = element.find(W + "rubyBase"), element.find(W + "rt")
        if base is not None:
            self.content(base)
        if reading is not None:
            self.put("(")
            self.content(reading)
            self.put(")")

    def alternate(self, element: etree._Element) -> None:
        """One thing said in two ways, of which one is read."""
        branch = chosen(element)
        for child in () if branch is None else branch:
            if child.tag in _CONTENT and child.tag != MC + "AlternateContent":
                _CONTENT[child.tag](self, child)
            else:
                self._piece(child)

    def math(self, element: etree._Element) -> None:
        """An equation in one line."""
        start = self.line.length
        self.put(linear(element))
        self.mark("equation", start, self.line.text[start:])

    def drawing(self, element: etree._Element) -> None:
        """A picture, a shape, a text box, a diagram or a chart."""
        if self.deleting is not None:
            return
        boxed = next(element.iter(W + "txbxContent"), None) is not None
        for child in element.iter(W + "txbxContent", WP + "docPr", A + "graphicData", V + "textpath", MC + "Fallback"):
            if child.tag == MC + "Fallback":
                continue
            if any(above.tag in (W + "txbxContent", MC + "Fallback") for above in _between(child, element)):
                continue
            if not (boxed and child.tag == WP + "docPr" and not description(child)):  # a text box is no picture
                self._drawn(child)

    def _drawn(self, child: etree._Element) -> None:
        if child.tag == W + "txbxContent":
            self.line.boxes.append(child)
        elif child.tag == V + "textpath":
            self.mark("watermark", self.line.length, child.get("string", ""))
        elif child.tag == WP + "docPr":
            self.mark("picture", self.line.length, description(child), child.get("name", ""))
        else:
            for inner in child:
                for name in ("dm", "id"):
                    if inner.get(R + name):
                        kind = etree.QName(inner).localname
                        self.line.parts.append((kind, inner.get(R + name, "")))

    def embedded(self, element: etree._Element) -> None:
        """An object of another program: its picture is shown, its content is not read."""
        for child in element:
            if child.tag.endswith("}OLEObject"):
                self.odd.append(("embedded_object", child.get("ProgID", "")))
        self.drawing(element)

    def checkbox(self, element: etree._Element) -> None:
        """A content control: what it holds is printed."""
        content = element.find(W + "sdtContent")
        if content is not None:
            self.content(content)

    def odd_element(self, element: etree._Element) -> None:
        """Something that is known and not read."""
        self.odd.append(("unsupported_element", etree.QName(element).localname))


_TEXT = W + "t"
_SIGNS = {
    W + "tab": "\t", W + "ptab": "\t", W + "cr": "\n", W + "noBreakHyphen": "-", W + "softHyphen": "",
    W + "lastRenderedPageBreak": "",
}  # fmt: skip
_HANDLERS: dict[str, Callable[[Inline, etree._Element], None]] = {
    "r": Inline.run, "ins": Inline.inserted, "moveTo": Inline.inserted, "del": Inline.deleted, "moveFrom": Inline.deleted,
    "hyperlink": Inline.hyperlink, "fldSimple": Inline.simple_field, "smartTag": Inline.content, "customXml": Inline.content,
    "sdt": Inline.checkbox, "dir": Inline.content, "bdo": Inline.content, "bookmarkStart": Inline.bookmark,
    "commentRangeStart": Inline.comment_start, "subDoc": Inline.odd_element,
}  # fmt: skip
_CONTENT: dict[object, Callable[[Inline, etree._Element], None]] = {W + name: read for name, read in _HANDLERS.items()}
_CONTENT |= {M + "oMath": Inline.math, M + "oMathPara": Inline.math, MC + "AlternateContent": Inline.alternate}
_RUN: dict[str, Callable[[Inline, etree._Element], None]] = {
    "delText": lambda inline, child: inline.put(child.text or ""), "br": Inline.line_break, "sym": Inline.sym,
    "fldChar": Inline.field_sign, "instrText": Inline.instruction, "footnoteReference": Inline.note,
    "endnoteReference": Inline.note, "commentReference": Inline.comment, "drawing": Inline.drawing, "pict": Inline.drawing,
    "object": Inline.embedded, "ruby": Inline.ruby, "contentPart": Inline.odd_element,
}  # fmt: skip
_PIECES: dict[object, Callable[[Inline, etree._Element], None]] = {W + name: read for name, read in _RUN.items()}
_PIECES |= {MC + "AlternateContent": Inline.alternate}


def _between(child: etree._Element, top: etree._Element) -> list[etree._Element]:
    """What *child* stands in, up to *top*."""
    found = []
    above = child.getparent()
    while above is not None and above is not top:
        found.append(above)
        above = above.getparent()
    return found


def _who(element: etree._Element) -> str:
    """Author and date of a tracked change."""
    return ", ".join(text for text in (element.get(W + "author", ""), element.get(W + "date", "")) if text)


def _form_value(data: etree._Element) -> str:
    """What a legacy form field shows: a ticked box, the chosen entry."""
    box = data.find(W + "checkBox")
    if box is not None:
        state = flag(box, "checked")
        return "☒" if (state if state is not None else flag(box, "default")) else "☐"
    choices = data.find(W + "ddList")
    if choices is None:
        return ""
    entries = [entry.get(W + "val", "") for entry in choices.findall(W + "listEntry")]
    chosen_one = number(value(choices, "result"))
    return entries[chosen_one] if 0 <= chosen_one < len(entries) else ""
