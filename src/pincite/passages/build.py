"""Passages from partition and nodes; see docs/parsing.md for the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pincite.model import QUOTABLE_ROLES, Block, Document, Node, Passage, Span, digest
from pincite.passages.budget import DEFAULT_BUDGET, estimate

INNER_KINDS = frozenset({"paragraph", "definition", "item"})
"""Nodes inside a section. Every other node is a unit of its own: no passage reaches across two of them."""

MANUAL_KINDS = frozenset({"manual", "volume", "chapter", "memo", "annex", "heading", "margin_section"})
"""Divisions of a numbered manual: a paragraph directly below one is a unit of its own, with its notes and examples."""

EXCLUSIONS = {
    "contents": "navigation: a table of contents",
    "reserved": "reserved: there is no text",
    "heading": "navigation: a heading with no text of its own",
    "authority": "authority statement, not regulation text",
    "source_note": "source note, not regulation text",
    "amendment_history": "amendment history, not regulation text",
    "notice": "editorial notice, not regulation text",
    "page_furniture": "page furniture",
    "reference_dictionary": "reference list, not text",
    "contact": "contact details",
}

SMALL = 30
"""Pieces below this many tokens are joined with their neighbour."""


class Part(NamedTuple):
    """A block with its text and price."""

    block: Block
    text: str
    tokens: int


class Tree:
    """A unit's nodes with their own parts, in document order."""

    __slots__ = ("entries", "node", "tokens")

    def __init__(self, node: Node | None) -> None:
        self.node = node
        self.entries: list[Part | Tree] = []
        self.tokens = 0


def build(document: Document, budget: int = DEFAULT_BUDGET) -> tuple[Passage, ...]:
    """Every passage of *document*, in order. What is no rule text is kept too, marked not indexable, with the reason."""
    return tuple(_Writer(document, budget).passages())


class Piece(NamedTuple):
    """What becomes one passage."""

    node: Node | None
    parts: list[Part]
    lead: tuple[str, ...]  # texts above it that are not in it
    tokens: int


class _Writer:
    def __init__(self, document: Document, budget: int) -> None:
        self.document, self.budget = document, budget
        self.nodes = {node.node_id: node for node in document.nodes}
        self.paths: dict[str, tuple[str, ...]] = {"": ()}
        self.seen: dict[str, int] = {}
        self.ordinal = 0
        self.headers = {(link.page, link.start): link for link in document.links if link.kind == "table_header"}

    def passages(self) -> Iterator[Passage]:
        for unit, blocks in self._units():
            yield from self._unit(unit, blocks)

    def _units(self) -> Iterator[tuple[Node | None, list[Block]]]:
        """Consecutive blocks of one unit."""
        unit_of: dict[str, str] = {"": ""}
        for node in self.document.nodes:
            inner = node.kind in INNER_KINDS and node.parent_id in unit_of and not self._is_manual_paragraph(node)
            unit_of[node.node_id] = unit_of[node.parent_id or ""] if inner else node.node_id
        groups: dict[tuple[str, int], list[Block]] = {}
        current, run = "", 0
        for block in self.document.partition:
            if block.role == "blank":
                continue
            unit = unit_of.get(block.node_id, "")
            run += unit != current
            current = unit
            # a numbered paragraph goes on after the footnotes of its page: all its blocks are one unit
            gathered = unit in self.nodes and self._is_manual_paragraph(self.nodes[unit])
            groups.setdefault((unit, -1 if gathered else run), []).append(block)
        for (unit, _), blocks in groups.items():
            yield self.nodes.get(unit), blocks

    def _is_manual_paragraph(self, node: Node) -> bool:
        parent = self.nodes.get(node.parent_id or "")
        return node.kind == "paragraph" and parent is not None and parent.kind in MANUAL_KINDS

    def _unit(self, unit: Node | None, blocks: list[Block]) -> Iterator[Passage]:
        rule = [block for block in blocks if block.role in QUOTABLE_ROLES]
        only_heading = all(block.role in ("heading", "reserved") for block in rule)
        first_rule = rule[0].ordinal if rule else -1
        done = False
        index = 0
        while index < len(blocks):
            block = blocks[index]
            if block.role in QUOTABLE_ROLES:
                if not done:
                    done = True
                    for piece in self._cut(unit, rule, only_heading):
                        yield self._passage(piece, None)
                index += 1
                continue
            last = index
            while last < len(blocks) and blocks[last].role == block.role:
                last += 1
            parts = [self._part(b) for b in blocks[index:last]]
            yield self._passage(Piece(unit, parts, (), sum(p.tokens for p in parts)), block.role)
            index = last
        del first_rule

    def _part(self, block: Block) -> Part:
        text = self.document.display.get(block.ordinal)
        if text is None:
            text = self.document.pages[block.page - 1][block.start : block.end].decode()
        return Part(block, text, estimate(text))

    def _cut(self, unit: Node | None, blocks: list[Block], only_heading: bool) -> list[Piece]:
        parts = [self._part(block) for block in blocks]
        total = sum(part.tokens for part in parts)
        return [Piece(unit, parts, (), total)]

    def _path(self, node: Node | None) -> tuple[str, ...]:
        if node is None:
            return ()
        path = self.paths.get(node.node_id)
        if path is None:
            above = self._path(self.nodes.get(node.parent_id or ""))
            printed = f"§ {node.label}" if node.kind == "section" else node.label
            path = self.paths[node.node_id] = (*above, f"{printed} {node.heading}".strip())
        return path

    def _passage(self, piece: Piece, excluded: str | None) -> Passage:
        document = self.document
        node_id = piece.node.node_id if piece.node else ""
        path = self._path(piece.node)
        spans = tuple(Span(b.page, b.start, b.end, b.sha256, b.raw_start, b.raw_end) for b, _, _ in piece.parts)
        evidence = "\n".join(document.slice(s.page, s.start, s.end).decode() for s in spans)
        breadcrumb = " > ".join(path)
        roles = {part.block.role for part in piece.parts}
        role = excluded or next(
            (r for r in ("body", "table", "example", "note", "footnote", "annotation", "reserved") if r in roles), "heading"
        )
        reason = EXCLUSIONS.get(role, "")
        retrieval = "\n".join([breadcrumb, *piece.lead, *(part.text for part in piece.parts)])
        tokens = estimate(retrieval)
        hashes = "".join(span.sha256 for span in spans)
        key = f"{node_id}\n{hashes}"
        count = self.seen[key] = self.seen.get(key, 0) + 1
        chunk_id = digest("chunk", document.source.document_id, node_id, hashes, count)
        fields = (
            document.source.document_id,
            document.source.corpus_version,
            node_id,
            self.ordinal,
            path,
            breadcrumb,
            role,
            evidence,
            retrieval,
            spans,
            tokens,
            "observed",
            None,
            not reason,
            reason,
        )
        self.ordinal += 1
        return Passage(chunk_id, *fields, digest(*fields))
