"""Word documents: headings, list labels as printed, tables, notes, comments, and tracked changes as if accepted.

The XML parts are read directly with lxml: python-docx has no list labels, notes, text boxes, fields or tracked changes, and
its object layer takes several times as long (``docs/decisions/0120-office-files-are-read-from-their-parts.md``).
"""

from __future__ import annotations

from typing import NamedTuple

from lxml import etree

from pincite.errors import Malformed
from pincite.model import Document, Source
from pincite.parse.compose import Composer, slug
from pincite.parse.numbers import split_number
from pincite.parse.office.drawing import chart_lines, diagram_lines
from pincite.parse.office.inline import Inline, Line, Mark
from pincite.parse.office.looks import headings_by_look
from pincite.parse.office.notes import Notes, Range
from pincite.parse.office.numbering import Label, Numbering
from pincite.parse.office.package import Package
from pincite.parse.office.properties import add_properties
from pincite.parse.office.styles import Style, Styles, indent, is_drop_cap
from pincite.parse.office.words import MC, W, chosen, number, value
from pincite.parse.office.wordtable import Cell, Row, bookmarks_around, is_layout, paragraphs_of, rows_of, words_of_row

VERSION = "1"
_LISTED = ("list continue", "list paragraph")
_CONTENTS = ("toc ", "table of figures", "table of authorities")


class Part(NamedTuple):
    """A part that is being read: its paragraphs and tables are numbered as they stand in its XML, from 1."""

    name: str
    paragraphs: dict[etree._Element, int]
    tables: dict[etree._Element, int]


class Open(NamedTuple):
    """An open heading or list item: how many places are open with it."""

    depth: int
    level: int  # of a heading
    abstract: str = ""  # of an item: the list it counts in
    indent: int = 0


def parse_docx(source: Source, data: bytes) -> Document:
    """The document in a ``.docx`` file. Raises ``Malformed``, ``NeedsPassword``, ``Forbidden`` or ``TooExpensive``."""
    return _Word(source, data).document()


class _Word:
    """Reads one document."""

    def __init__(self, source: Source, data: bytes) -> None:
        self.made = Composer(source, "docx", VERSION)
        self.package = package = Package(data, source.path or source.document_id)
        self.main = package.main("word/document.xml")
        self.root = package.tree(self.main)
        if self.root.tag != W + "document":
            raise Malformed("its main part is no Word document", where=package.where, next="check its extension")
        self.styles = Styles(package.optional(package.first(self.main, "styles")))
        self.numbering = Numbering(package.optional(package.first(self.main, "numbering")), self.styles)
        self.notes = Notes(package, self.main, self.root)
        self.inline = Inline(self.styles, self.notes.label)
        self.looks = headings_by_look(self.root, self.styles, self.numbering)
        self.part = self._part(self.main, self.root)
        self.headings: list[Open] = []
        self.items: list[Open] = []
        self.counted: dict[str, int] = {}  # bullets below each place
        self.waiting: list[tuple[Mark, Range]] = []  # notes and the like, read when their section ends
        self.titled = False
        self.carried: Line | None = None  # a paragraph whose mark is deleted goes on in the next

    def _part(self, name: str, root: etree._Element) -> Part:
        paragraphs = {one: at for at, one in enumerate(root.iter(W + "p"), 1)}
        return Part(name, paragraphs, {one: at for at, one in enumerate(root.iter(W + "tbl"), 1)})

    def document(self) -> Document:
        """Properties, page heads and feet, body, notes."""
        add_properties(self.made, self.package)
        self._furniture()
        for body in self.root.findall(W + "body"):
            self.blocks(body, "body")
        self._close(0)
        self._end_notes()
        self._check_references()
        for trouble in dict.fromkeys(self.package.troubles):
            self.made.find(*trouble, 0, 0)
        for kind, subject in dict.fromkeys(self.inline.odd):
            self.made.find(kind, subject, "it is known and not read", 0, 0)
        return self.made.document()

    def _furniture(self) -> None:
        """Page headers and footers, each part once."""
        seen: set[str] = set()
        relations = self.package.relationships(self.main)
        for reference in self.root.iter(W + "headerReference", W + "footerReference"):
            relation = next(
                (relations[str(at)] for name, at in reference.items() if str(name).endswith("}id") and at in relations), None
            )
            if relation is None or relation.target in seen:
                continue
            seen.add(relation.target)
            root = self.package.optional(relation.target)
            if root is not None:
                self._elsewhere(relation.target, root, root, "page_furniture")

    def _elsewhere(self, name: str, root: etree._Element, element: etree._Element, role: str) -> None:
        """Read *element* of another part with *role*."""
        outside, self.part = self.part, self.notes.part_of(name, lambda: self._part(name, root))
        with self.numbering.story(name):
            self.blocks(element, role)
        self.part = outside

    # --- blocks ----------------------------------------------------------------------------------------------------

    def blocks(self, parent: etree._Element, role: str) -> None:
        """Paragraphs and tables, and what wraps them."""
        for child in parent:
            tag = child.tag
            if tag == W + "p":
                self.paragraph(child, role)
            elif tag == W + "tbl":
                self.table(child, role)
            elif tag == W + "sdt":
                self._control(child, role)
            elif tag in (W + "ins", W + "moveTo", W + "customXml", W + "smartTag"):
                self.blocks(child, role)
            elif tag == MC + "AlternateContent":
                branch = chosen(child)
                if branch is not None:
                    self.blocks(branch, role)
            elif tag == W + "altChunk":
                self._chunk(child)
            elif tag == W + "bookmarkStart":
                self.made.anchor(child.get(W + "name", ""))

    def _chunk(self, chunk: etree._Element) -> None:
        from pincite.parse.office.chunk import take_in

        self._end_items(-1)
        take_in(
            self.made,
            self.package,
            self.part.name,
            next((str(at) for name, at in chunk.items() if str(name).endswith("}id")), ""),
        )

    def _control(self, control: etree._Element, role: str) -> None:
        """A content control; one made from a gallery says what it is."""
        gallery = control.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
        contents = gallery is not None and gallery.get(W + "val", "") in ("Table of Contents", "List of Figures")
        inner = control.find(W + "sdtContent")
        if inner is not None:
            self.blocks(inner, "contents" if contents and role == "body" else role)

    def paragraph(self, paragraph: etree._Element, role: str) -> None:
        """One paragraph: its label, its text, its place."""
        properties = paragraph.find(W + "pPr")
        style_id = value(properties, "pStyle") or self.styles.default
        style = self.styles[style_id]
        if (level := self.looks.get(paragraph, -1)) >= 0:
            style = style._replace(level=level, name=style.name if level else "title")
        contents = self.inline.in_contents
        line = self.inline.read(paragraph, self.carried or Line(), style.hidden)
        if properties is not None and (properties.find(f"{W}rPr/{W}del") is not None or is_drop_cap(properties)):
            self.carried = line
            return
        self.carried = None
        if properties is not None and properties.find(W + "sectPr") is not None:
            self.notes.end_of_section()
        label = self._label(properties, style, line)
        if role == "body":
            self._body(properties, style, line, label, self._origin(paragraph), contents or self.inline.in_contents)
        else:
            self.write(line, role, self._origin(paragraph), label.text if label else "")

    def _origin(self, paragraph: etree._Element) -> str:
        return f"{self.part.name} paragraph {self.part.paragraphs.get(paragraph, 0)}"

    def _label(self, properties: etree._Element | None, style: Style, line: Line) -> Label | None:
        """The label the paragraph is printed with. A hidden or wholly deleted paragraph is not counted."""
        if not line.length and any(mark.kind in ("deleted", "hidden") for mark in line.marks):
            return None
        own = None if properties is None else properties.find(W + "numPr")
        num_id, ilvl = style.num_id, style.ilvl
        if own is not None:
            num_id = value(own, "numId") or num_id
            ilvl = number(value(own, "ilvl"), ilvl if ilvl >= 0 or num_id == style.num_id else 0)
        label = self.numbering.label(num_id, ilvl, style.numbered_by)
        if label is not None and label.trouble:
            self.made.find("uncertain_label", label.text, label.trouble)
        return label

    def _body(
        self, properties: etree._Element | None, style: Style, line: Line, label: Label | None, origin: str, contents: bool
    ) -> None:
        """A paragraph of the document's own text."""
        outline = value(properties, "outlineLvl")
        level = style.level if not outline.isdigit() else 0 if int(outline) > 8 else int(outline) + 1
        if contents or style.name.startswith(_CONTENTS):
            self._end_items(-1)
            self.write(line, "contents", origin, label.text if label else "")
        elif level and line.text.strip():
            self._heading(level, line, label, origin)
        elif label is not None:
            own = indent(properties)
            self._item(label, line, origin, label.indent if own is None else own)
        else:
            left = indent(properties)
            margin = (style.indent or 0) if left is None else left
            if line.text.strip() and not style.name.startswith(_LISTED):
                self._end_items(margin)
            titled = style.name in ("title", "subtitle") and bool(line.text.strip())
            if style.name == "title" and titled and not self.titled:
                self.titled = True
                self.made.title(" ".join(line.text.split()))
            self.write(line, "heading" if titled else "body", origin, "")

    def _heading(self, level: int, line: Line, label: Label | None, origin: str) -> None:
        text = " ".join(line.unmarked.split())
        printed = label.text if label and not label.bullet else ""
        number, name = (printed.rstrip(".:"), text) if printed else split_number(text)
        self._close(level)
        self.made.enter("heading", fragment=slug(text), label=number, heading=name)
        self.headings.append(Open(self.made.depth, level))
        self.write(line, "heading", origin, printed)

    def _item(self, label: Label, line: Line, origin: str, left: int) -> None:
        """A list item is a place of its own; an empty one only counts."""
        while self.items:
            top = self.items[-1]
            if label.ilvl > top.level if label.abstract == top.abstract else left > top.indent:
                break
            self._pop_item()
        if label.text and line.text.strip():
            above = self.made.node_id
            self.counted[above] = self.counted.get(above, 0) + 1
            name = f"item-{self.counted[above]}" if label.bullet else _fragment(label.text)
            self.made.enter("item", fragment=name, label=label.text)
            self.items.append(Open(self.made.depth, label.ilvl, label.abstract, left))
        self.write(line, "body", origin, label.text)

    def _pop_item(self) -> None:
        self.made.leave(self.items.pop().depth - 1)

    def _end_items(self, margin: int) -> None:
        """Close the items that text at *margin* twips does not belong to."""
        while self.items and not 0 < self.items[-1].indent <= margin:
            self._pop_item()

    def _close(self, level: int) -> None:
        """Close items, read the notes of what ends, and close headings down to above *level*; 0 closes all."""
        self._end_items(-1)
        self._read_notes()
        while self.headings and (not level or self.headings[-1].level >= level):
            self.made.leave(self.headings.pop().depth - 1)

    # --- tables ----------------------------------------------------------------------------------------------------

    def table(self, table: etree._Element, role: str) -> None:
        """Rows, each one block; a table that only lays out text is read as that text."""
        rows = list(rows_of(table))
        if role == "body" and is_layout(rows, self.styles):
            for row in rows:
                for cell in row.cells:
                    self._flow(cell, role)
            return
        depth, role = self.made.depth, "table" if role == "body" else role
        if role == "table":
            self.made.enter("table", fragment="table")
            for mark in bookmarks_around(table):
                self.made.anchor(mark)
        head, body = list[Range](), list[Range]()
        for at, row in enumerate(rows, 1):
            where = f"{self.part.name} table {self.part.tables.get(table, 0)} row {at}"
            if row.deleted or row.hidden:
                self._row_aside(row, where)
                continue
            spans = self._row(row.cells, role, where)
            (head if row.header else body).extend(spans)
        if head and body:
            self.made.link("table_header", _whole(body), _whole(head))
        self.made.leave(depth)

    def _row_aside(self, row: Row, where: str) -> None:
        """A row that is deleted or hidden: its words are kept as text when the section ends."""
        kind, how = ("tracked_deletion", f"deleted by {row.deleted}") if row.deleted else ("hidden_text", "hidden")
        self.made.find(kind, where, f"a row {how}, not part of the text")
        self.waiting.append((Mark("deleted" if row.deleted else "hidden", 0, 0, words_of_row(row), where), self._here()))

    def _row(self, cells: list[Cell], role: str, where: str) -> list[Range]:
        """One row in one block, cells apart by tabs; a row that holds a table is read cell by cell."""
        if any(cell.element is not None and cell.element.find(f".//{W}tbl") is not None for cell in cells):
            for cell in cells:
                self._flow(cell, role)
            return []
        line = Line()
        for at, cell in enumerate(cells):
            if at:
                line.put("\t")
            if cell.element is not None:
                self._cell(cell.element, line)
        shown = " | ".join(" ".join(part.split()) for part in line.text.split("\t"))
        start = self.made.at
        self.write(line, role, where, "", shown if shown.strip(" |") else "")
        return [(len(self.made.texts), start, self.made.at)] if self.made.at > start else []

    def _cell(self, cell: etree._Element, line: Line) -> None:
        """The paragraphs of one cell, each on its own line, with their labels. A tab inside is a space: tabs part cells.

        A cell without words shows the number it has: that is how rows are counted.
        """
        begun, alone = False, ""
        for paragraph in paragraphs_of(cell):
            properties = paragraph.find(W + "pPr")
            style = self.styles[value(properties, "pStyle") or self.styles.default]
            own = self.inline.read(paragraph, Line(), style.hidden)
            label = self._label(properties, style, own)
            if not own.text.strip() and not own.marks and not own.boxes and not own.parts:
                alone = alone or (label.text if label and not label.bullet else "")
                continue
            line.put("\n" if begun else "")
            line.put(f"{label.text} " if label and label.text else "")
            base = line.length
            line.put(own.text.replace("\t", " "))
            line.marks += [mark._replace(start=mark.start + base, end=mark.end + base) for mark in own.marks]
            line.boxes += own.boxes
            line.parts += own.parts
            begun = begun or bool(own.text.strip())
        line.put("" if begun else alone)

    def _flow(self, cell: Cell, role: str) -> None:
        if cell.element is not None:
            self.blocks(cell.element, role)

    # --- text ------------------------------------------------------------------------------------------------------

    def _here(self) -> Range:
        return len(self.made.texts), self.made.at, self.made.at

    def write(self, line: Line, role: str, origin: str, label: str, shown: str | None = None) -> None:
        """Add a line as a block, its label before it, and deal with what stands in it; *shown* is given for a table's row."""
        whole = line.text
        text = whole.strip() if shown is None or not whole.strip() else whole  # a row keeps its empty columns
        cut = len(whole) - len(whole.lstrip()) if shown is None else 0
        prefix = f"{label} " if label and text else ""
        start, _ = self.made.add(prefix + text, role, origin=origin, shown=shown)
        page = len(self.made.texts)
        begin = start + len(prefix.encode())

        def place(offset: int) -> int:
            return begin + len(text[: min(max(offset - cut, 0), len(text))].encode())

        if text:
            self.made.add("\n", "blank")
        for mark in line.marks:
            self._marked(mark, (page, place(mark.start), place(mark.end)), role, origin)
        for box in line.boxes:
            self.blocks(box, role if role not in ("heading", "table") else "body")
        for kind, relation in line.parts:
            self._drawn(kind, relation)

    def _marked(self, mark: Mark, at: Range, role: str, origin: str) -> None:
        """What a mark means for the document."""
        kind, target = mark.kind, mark.target
        if kind == "bookmark":
            self.made.anchor(target)
        elif kind in ("reference", "hyperlink", "address"):
            self._link(mark, at, role)
        elif kind in ("footnote", "endnote", "comment", "deleted_note"):
            self.waiting.append((mark, at))
        elif kind in ("deleted", "hidden"):
            self._set_aside(mark, at, origin)
        elif kind == "inserted":
            self.made.find("tracked_insertion", target, f"inserted by {mark.about}; read as accepted", *at[1:])
        elif kind == "equation":
            self.made.find("equation", target, "an equation, written in one line", *at[1:])
        else:
            self._picture(mark, at, role, origin)

    def _link(self, mark: Mark, at: Range, role: str) -> None:
        """A link or a field that names a place. What only leads from a table of contents to its own entries is left out."""
        target = f"#{mark.target}" if mark.kind == "reference" else mark.target
        if mark.kind == "hyperlink":
            relation = self.package.relationships(self.part.name).get(mark.target)
            target = (relation.target if relation else "") + (f"#{mark.about}" if mark.about else "")
        if target and not (role == "contents" and target.startswith("#")):
            self.made.hyperlink(target, *at[1:])

    def _set_aside(self, mark: Mark, at: Range, origin: str) -> None:
        """Deleted and hidden text: found at its place, and kept as text when the section ends."""
        if not mark.target.strip():
            return
        if mark.kind == "deleted":
            self.made.find("tracked_deletion", mark.target, f"deleted by {mark.about}; not part of the text", *at[1:])
        else:
            self.made.find("hidden_text", mark.target, "hidden in the document; not part of the text", *at[1:])
        self.waiting.append((mark._replace(about=origin), at))

    def _picture(self, mark: Mark, at: Range, role: str, origin: str) -> None:
        """A picture's description is kept where it stands; a watermark is furniture."""
        if mark.kind == "picture":
            self.made.find("image", mark.target or mark.about, "a picture; its content is not in the text", *at[1:])
        aside = "page_furniture" if mark.kind == "watermark" or role == "page_furniture" else "annotation"
        if mark.target.strip():
            self.made.add(mark.target.strip(), aside, origin=f"{origin} {mark.kind} {mark.about}".rstrip())
            self.made.add("\n", "blank")

    def _drawn(self, kind: str, relation: str) -> None:
        """A diagram or a chart anchored in the line before: its words, where they can be read."""
        related = self.package.relationships(self.part.name).get(relation)
        if related is None or related.external or kind not in ("relIds", "chart"):
            return
        root = self.package.optional(related.target) if related.target in self.package else None
        lines = () if root is None else diagram_lines(root) if kind == "relIds" else chart_lines(root)
        for at, text in enumerate(lines, 1):
            self.made.add(text, "annotation", origin=f"{related.target} text {at}")
            self.made.add("\n", "blank")

    # --- notes -----------------------------------------------------------------------------------------------------

    def _read_notes(self) -> None:
        """Footnotes, comments, deleted and hidden texts of the section that ends; endnotes wait for the document's end."""
        while self.waiting:
            waiting, self.waiting = self.waiting, []
            for mark, at in waiting:
                if mark.kind == "endnote":
                    self.notes.at_end.append((mark, at))
                elif mark.kind in ("deleted", "hidden"):
                    self.made.add(mark.target.strip(), "metadata", origin=f"{mark.about} {mark.kind}")
                    self.made.add("\n", "blank")
                elif mark.kind == "deleted_note":
                    self._deleted_note(mark, at)
                else:
                    self._note(mark.kind, mark.target, at, mark.about)

    def _deleted_note(self, mark: Mark, at: Range) -> None:
        """A note whose mark is deleted goes with it: kept beside the text, like any deletion."""
        note = self.notes.take(mark.about, mark.target, mark.about)
        if note is not None:
            self.made.find(
                "tracked_deletion", f"{mark.about} {mark.target}", "deleted with its mark; not part of the text", *at[1:]
            )
            self._elsewhere(note.part, note.root, note.element, "metadata")

    def _note(self, kind: str, note_id: str, mark: Range | None, sign: str = "") -> None:
        """One note as a place of its own, linked to its mark."""
        note = self.notes.take(kind, note_id, sign)
        if note is None:
            if mark is not None and not self.notes.has(kind, note_id):
                self.made.find("missing_note", f"{kind} {note_id}", "the text has a mark whose note is missing", *mark[1:])
            return
        start = self._here()
        if kind == "comment":
            self.made.enter("note", fragment=f"comment-{note.label}", label=note.label, heading=note.heading)
        else:
            known = any(sign.isalnum() for sign in note.label)
            self.made.enter("footnote", fragment=f"{kind}-{slug(note.label)}" if known else kind, label=note.label)
        self._elsewhere(note.part, note.root, note.element, "annotation" if kind == "comment" else "footnote")
        self.made.leave()
        if mark is not None:
            kind_of_link = "annotation" if kind == "comment" else "footnote"
            self.made.link(kind_of_link, mark, (start[0], start[1], self.made.at))

    def _end_notes(self) -> None:
        """Endnotes, and every note whose mark was never met."""
        for mark, at in self.notes.at_end:
            self._note(mark.kind, mark.target, at, mark.about)
        for kind, note_id in self.notes.left():
            self.made.find("unmarked_note", f"{kind} {note_id}", "no mark in the text leads to this note")
            self._note(kind, note_id, None)
        self._read_notes()

    def _check_references(self) -> None:
        """Fields and links that name a bookmark which is not there."""
        for _, start, end, target in self.made.hyperlinks:
            name = target[1:]
            if target.startswith("#") and name not in self.made.anchors and name not in ("_top", "_GoBack"):
                self.made.find("broken_reference", name, "the text refers to a bookmark that is not there", start, end)


def _fragment(label: str) -> str:
    """A label as it stands in a node id: "1.2", "(a)"."""
    return label.strip().rstrip(".:").replace(" ", "-").replace("/", "-").replace("=", "-") or "item"


def _whole(ranges: list[Range]) -> Range:
    return ranges[0][0], ranges[0][1], ranges[-1][2]
