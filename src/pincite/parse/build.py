"""From runs of text to a ``Document``: one page of text, a gapless partition, a tree of nodes.

A format's own module walks the scanner's items and calls a :class:`Builder`; what the formats share is here: byte positions,
the tree of divisions, the paragraphs of a section placed at their levels, footnotes linked to their marks, table rows.
"""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from pincite.model import Block, Document, Finding, Link, Node, Source
from pincite.parse.footnotes import MARK_TAGS, Footnotes
from pincite.parse.scan import Run
from pincite.parse.section import lay_out

VERSION = "1"
_RAISED = MARK_TAGS | {"FTREF"}


class Paragraph(NamedTuple):
    """One text of a section, before its level is known. ``start`` is its byte position, whitespace around it cut off."""

    tag: str
    role: str
    text: str
    data: bytes
    start: int
    run: Run
    numbered: bool  # its designators open paragraphs of the section


class Place:
    """A node under construction."""

    __slots__ = (
        "end",
        "heading",
        "index",
        "kind",
        "label",
        "node_id",
        "parent",
        "raw",
        "raw_end",
        "readings",
        "reason",
        "reserved",
        "start",
    )

    def __init__(self, node_id: str, parent: Place | None, kind: str, label: str, start: int, raw: int) -> None:
        self.node_id, self.parent, self.kind, self.label = node_id, parent, kind, label
        self.start = self.end = start
        self.raw, self.raw_end = raw, raw
        self.heading, self.reserved = "", False
        self.readings: tuple[str, ...] = ()
        self.reason = ""
        self.index = -1

    def node(self) -> Node:
        """The finished record."""
        parent = self.parent.node_id if self.parent else None
        return Node(
            self.node_id, parent, self.kind, self.label, self.heading, self.index, 1, self.start, 1, self.end,
            self.raw, self.raw_end, self.reserved, self.readings, self.reason,
        )  # fmt: skip


class Builder:
    """Collects one document. Positions are bytes of the extracted text unless named raw."""

    def __init__(self, source: Source, parser: str) -> None:
        self.source, self.parser = source, parser
        self.pieces: list[bytes] = []
        self.position = 0
        self.places: list[Place] = []
        self.ids: dict[str, int] = {}
        self.blocks: list[tuple[int, int, str, Place | None, bytes | None, int, int]] = []
        self.display: dict[int, str] = {}  # start byte of a block -> its display text
        self.findings: list[Finding] = []
        self.links: list[Link] = []
        self.pending: list[Paragraph] = []
        self.place: Place | None = None
        self.has_definitions = False
        self.footnotes = Footnotes()
        self.begins_footnote = False

    # --- divisions -------------------------------------------------------------------------------------------------

    def open(self, node_id: str, kind: str, label: str, raw: int, parent: Place | None = None) -> Place:
        """A new node below *parent*; its id is made distinct where another node has it already."""
        place = Place(self._distinct(node_id), parent, kind, label, self.position, raw)
        place.index = len(self.places)
        self.places.append(place)
        return place

    def _distinct(self, node_id: str) -> str:
        count = self.ids.get(node_id, 0) + 1
        self.ids[node_id] = count
        if count == 1:
            return node_id
        name = f"{node_id} [{count}]"
        reason = f"{node_id} occurs again in this document; this one is called {name}"
        self.find("duplicate_node", node_id, reason, (node_id, name))
        return name

    def find(self, kind: str, subject: str, reason: str, candidates: tuple[str, ...] = ()) -> None:
        """Note what could not be settled, here."""
        self.findings.append(Finding(kind, 1, self.position, self.position, subject, reason, candidates))

    # --- text ------------------------------------------------------------------------------------------------------

    def take(self, run: Run) -> tuple[str, bytes, int]:
        """Append a run to the page. Its text without surrounding whitespace, that as bytes, and where it starts."""
        text = run.text
        data = text.encode()
        self.pieces.append(data)
        start = self.position
        self.position = start + len(data)
        stripped = text.strip()
        if len(stripped) == len(text):
            return text, data, start
        if not stripped:
            return "", b"", start
        lead = len(text) - len(text.lstrip())
        return stripped, stripped.encode(), start + len(text[:lead].encode())

    def block(self, start: int, end: int, role: str, place: Place | None, data: bytes | None, run: Run) -> None:
        """One entry of the partition; *data* are its bytes where they are at hand."""
        self.blocks.append((start, end, role, place, data, run.raw_start, run.raw_end))

    def row(self, runs: list[tuple[str, int, int, Run]], display: str, tag: str = "TR") -> tuple[int, int] | None:
        """A table row of several cells: one text, with a display that keeps the cells apart. Returns its bytes' range."""
        filled = [cell for cell in runs if cell[0]]
        if not filled:
            return None
        start, end = filled[0][1], filled[-1][2]
        run = Run("TR", "", filled[0][3].raw_start, filled[-1][3].raw_end)
        data = self._tail(start)[: end - start]
        self.pending.append(Paragraph(tag, "table", display, data, start, run, False))
        return start, end

    def _tail(self, start: int) -> bytes:
        """The page from *start* on; only for stretches of the last few runs."""
        position, pieces = self.position, []
        for piece in reversed(self.pieces):
            if position <= start:
                break
            pieces.append(piece)
            position -= len(piece)
        return b"".join(reversed(pieces))[start - position :]

    # --- sections --------------------------------------------------------------------------------------------------

    def text(self, run: Run, role: str, numbered: bool) -> None:
        """A run of ordinary text, to be placed when its section ends."""
        before = self.position
        text, data, start = self.take(run)
        if text:
            if run.marks or self.begins_footnote:
                self._note(run, before, start, start + len(data))
            self.pending.append(Paragraph(run.tag, role, text, data, start, run, numbered))

    def _note(self, run: Run, before: int, start: int, end: int) -> None:
        """Footnotes: a text that begins one, or has marks in it."""
        if self.begins_footnote:
            self.footnotes.footnote(run, start, end)
            self.begins_footnote = False
        elif run.marks and any(tag in _RAISED for _, tag, _ in run.marks):
            self.footnotes.marks(run, before)

    def flush(self) -> None:
        """Place what is pending below the current division."""
        if self.pending:
            lay_out(self, self.place, self.pending)
            self.pending = []

    @staticmethod
    def extend(place: Place | None, end: int, raw_end: int) -> None:
        """Let a node and all its ancestors reach at least to here."""
        while place is not None:
            if end > place.end:
                place.end = end
            if raw_end > place.raw_end:
                place.raw_end = raw_end
            place = place.parent

    # --- the document ----------------------------------------------------------------------------------------------

    def document(self, pages: tuple[bytes, ...] | None = None) -> Document:
        """The finished document: gaps between the texts become blank blocks, hashes are taken here."""
        self.flush()
        page = b"".join(self.pieces)
        partition, display = self._partition(page)
        return Document(
            self.source, self.parser, VERSION, (page,), tuple(place.node() for place in self.places), tuple(partition),
            (*self.links, *self.footnotes.links), (*self.findings, *self.footnotes.close()), display,
        )  # fmt: skip

    def _partition(self, page: bytes) -> tuple[list[Block], dict[int, str]]:
        blocks: list[Block] = []
        display: dict[int, str] = {}
        blanks: dict[bytes, str] = {}
        make, new, edge = tuple.__new__, Block, 0
        end_of_page = (len(page), len(page), "", None, b"", 0, 0)
        for start, end, role, place, data, raw_start, raw_end in [*self.blocks, end_of_page]:
            if start > edge:
                gap = page[edge:start]
                digest = blanks.get(gap) or blanks.setdefault(gap, sha256(gap).hexdigest())
                blocks.append(make(new, (len(blocks), 1, edge, start, "blank", "", digest, None, None)))
            if role:
                digest = sha256(page[start:end] if data is None else data).hexdigest()
                if start in self.display:
                    display[len(blocks)] = self.display[start]
                node_id = place.node_id if place else ""
                blocks.append(make(new, (len(blocks), 1, start, end, role, node_id, digest, raw_start, raw_end)))
            edge = end
        return blocks, display
