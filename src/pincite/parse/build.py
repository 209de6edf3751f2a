"""From texts to a ``Document``: one page, a gapless partition, a tree of nodes.

A format's own module is the scanner's reader and calls a :class:`Builder`; what the formats share is here: the tree of
divisions, the texts of a section handed to :mod:`pincite.parse.section`, and the records made at the end in one go.

A node under construction is a list with the fields of ``Node`` in order; :data:`END` and the like name its places.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from pincite.model import Block, Document, Finding, Link, Node, Source
from pincite.parse.footnotes import Footnotes
from pincite.parse.scan import Text

VERSION = "1"

Draft = list[Any]
"""A node under construction: the fields of ``Node`` in order."""

NODE_ID, KIND, LABEL, HEADING, START, END, RAW_END, RESERVED = 0, 2, 3, 4, 7, 9, 11, 12


CONTINUING = frozenset({"LDRFIG"})
"""Leaves that go on with the text before them: the figure at the end of a line of leaders."""


class Roles(dict[str, tuple[str, bool]]):
    """Element name -> (role, whether designators in it open paragraphs of the section), for one place in a file.

    The scanner stamps every text with the ``Roles`` that held where it stood. *role* overrides what the element says.
    """

    def __init__(self, leaves: Mapping[str, str], role: str = "", quoting: int = 0) -> None:
        super().__init__()
        self.leaves, self.role = leaves, role
        self.quoting = quoting  # 0: the section's own texts; 1: an extract; 2: a note, an example, a table

    def __missing__(self, tag: str) -> tuple[str, bool]:
        role = self.role or self.leaves.get(tag, "body")
        found = self[tag] = (role, role == "body" and not self.quoting and tag not in CONTINUING)
        return found


class Builder:
    """Collects one document. Positions are bytes of the extracted text unless named raw."""

    def __init__(self, source: Source, parser: str) -> None:
        self.source, self.parser = source, parser
        self.nodes: list[Draft] = []
        self.ids: dict[str, int] = {}
        self.blocks: list[tuple[int, int, str, str, int, int]] = []  # start, end, role, node_id, raw_start, raw_end
        self.display: dict[int, str] = {}  # start of a block -> its display text
        self.findings: list[Finding] = []
        self.links: list[Link] = []
        self.footnotes = Footnotes()

    def open(self, node_id: str, kind: str, label: str, heading: str, parent: str | None, start: int, raw: int) -> Draft:
        """A new node; its id is made distinct where another node has it already."""
        ids = self.ids
        if node_id in ids:
            node_id = self._distinct(node_id, start)
        ids[node_id] = 1
        draft = [node_id, parent, kind, label, heading, len(self.nodes), 1, start, 1, start, raw, raw, False, (), ""]
        self.nodes.append(draft)
        return draft

    def _distinct(self, node_id: str, position: int) -> str:
        self.ids[node_id] += 1
        name = f"{node_id} [{self.ids[node_id]}]"
        while name in self.ids:
            self.ids[node_id] += 1
            name = f"{node_id} [{self.ids[node_id]}]"
        reason = f"{node_id} occurs again in this document; this one is called {name}"
        self.find("duplicate_node", node_id, reason, position, candidates=(node_id, name))
        return name

    def find(self, kind: str, subject: str, reason: str, start: int, end: int = -1, candidates: tuple[str, ...] = ()) -> None:
        """Note what could not be settled or is not supported, and where."""
        self.findings.append(Finding(kind, 1, start, max(start, end), subject, reason, candidates))

    def block(self, text: Text, role: str, node_id: str) -> None:
        """A whole text as one entry of the partition."""
        self.blocks.append((text.start, text.end, role, node_id, text.raw_start, text.raw_end))

    def document(self, page: bytes) -> Document:
        """The finished document: gaps between texts become blank blocks, hashes are taken of the page's own slices."""
        partition, display = self._partition(page)
        make, node = tuple.__new__, Node
        return Document(
            self.source,
            self.parser,
            VERSION,
            (page,),
            tuple([make(node, draft) for draft in self.nodes]),
            tuple(partition),
            (*self.links, *self.footnotes.links),
            (*self.findings, *self.footnotes.close()),
            display,
        )

    def _partition(self, page: bytes) -> tuple[list[Block], dict[int, str]]:
        blocks: list[Block] = []
        display: dict[int, str] = {}
        blanks: dict[bytes, str] = {}
        make, new, shown, edge, ordinal = tuple.__new__, Block, self.display, 0, 0
        for start, end, role, node_id, raw_start, raw_end in self.blocks:
            if start > edge:
                gap = page[edge:start]
                digest = blanks.get(gap) or blanks.setdefault(gap, sha256(gap).hexdigest())
                blocks.append(make(new, (ordinal, 1, edge, start, "blank", "", digest, None, None, "")))
                ordinal += 1
            if start in shown:
                display[ordinal] = shown[start]
            digest = sha256(page[start:end]).hexdigest()
            blocks.append(make(new, (ordinal, 1, start, end, role, node_id, digest, raw_start, raw_end, "")))
            ordinal += 1
            edge = end
        if edge < len(page):
            gap = page[edge:]
            blocks.append(Block(ordinal, 1, edge, len(page), "blank", "", sha256(gap).hexdigest(), None, None))
        return blocks, display
