"""Passages from partition, nodes and links: rows, breadcrumbs, identities. Where to cut is in :mod:`pincite.passages.cut`."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from pincite.model import QUOTABLE_ROLES, Block, Document, Node, Passage, Span, digest
from pincite.passages.budget import DEFAULT_BUDGET, estimate
from pincite.passages.cut import Cutter, Part, Piece, grow
from pincite.passages.outlook import DEFINITIONS, EXCLUSIONS, INNER_KINDS, MANUAL_KINDS, printed_name, role_of

BREADCRUMB_LIMIT = 60
"""Tokens of the breadcrumb that go into the text for matching; outer levels are left out beyond that."""


def build(document: Document, budget: int = DEFAULT_BUDGET) -> tuple[Passage, ...]:
    """Every passage of *document*, in order; *budget* is in estimated tokens of the text for matching.

    What is no text of the rule (authority, amendment history, notices, contents, bare headings) becomes a passage too,
    marked not indexable, with the reason.
    """
    return tuple(_Writer(document, budget).passages())


class _Writer:
    """Writes the passages of one document."""

    def __init__(self, document: Document, budget: int) -> None:
        self.document, self.budget = document, budget
        self.nodes = {node.node_id: node for node in document.nodes}
        self.paths: dict[str, tuple[str, ...]] = {"": ()}
        self.seen: dict[str, int] = {}
        self.ordinal = 0
        self.headers = self._table_headers()

    def passages(self) -> Iterator[Passage]:
        """All passages, unit by unit."""
        for unit, blocks in self._units():
            yield from self._unit(unit, blocks)

    def _units(self) -> Iterator[tuple[Node | None, list[Block]]]:
        """The blocks of each unit: of the nearest node that is not inside a section.

        A unit's blocks are consecutive, but for a numbered paragraph of a manual, which goes on after the footnotes of its
        page: all its blocks are gathered.
        """
        unit_of: dict[str, str] = {"": ""}
        gathered: set[str] = set()
        for node in self.document.nodes:
            above = self.nodes.get(node.parent_id or "")
            if node.kind == "paragraph" and above is not None and above.kind in MANUAL_KINDS:
                gathered.add(node.node_id)
            elif node.kind in INNER_KINDS and node.parent_id in unit_of:
                unit_of[node.node_id] = unit_of[node.parent_id or ""]
                continue
            unit_of[node.node_id] = node.node_id
        groups: dict[tuple[str, int], list[Block]] = {}
        current, run = "", 0
        for block in self.document.partition:
            if block.role == "blank":
                continue
            unit = unit_of.get(block.node_id, "")
            if unit != current:
                current, run = unit, run + 1
            groups.setdefault((unit, -1 if unit in gathered else run), []).append(block)
        for (unit, _), blocks in groups.items():
            yield self.nodes.get(unit), blocks

    def _unit(self, unit: Node | None, blocks: list[Block]) -> Iterator[Passage]:
        """The rule's text cut into passages, and each run of other text as a passage of its own, in document order."""
        rule: list[Block] = []
        other: list[Block] = []
        for block in blocks:
            if block.role in QUOTABLE_ROLES:
                rule.append(block)
            else:
                other.append(block)
        ready = [(piece.parts[0].block.ordinal, piece) for piece in self._cut(unit, rule)] if rule else []
        ready += [(run[0].ordinal, self._other(run)) for run in _runs(other)]
        if other and rule:
            ready.sort(key=lambda pair: pair[0])
        for _, piece in ready:
            yield self._passage(piece)

    def _part(self, block: Block) -> Part:
        text = self.document.display.get(block.ordinal)
        if text is None:
            text = self.document.pages[block.page - 1][block.start : block.end].decode()
        return Part(block, text, estimate(text), block.start, block.end)

    def _other(self, blocks: list[Block]) -> Piece:
        parts = [self._part(block) for block in blocks]
        return Piece(self.nodes.get(blocks[0].node_id), parts, (), sum(part.tokens for part in parts))

    def _cut(self, unit: Node | None, blocks: list[Block]) -> list[Piece]:
        parts = [self._part(block) for block in blocks]
        if len(parts) == 1 and parts[0].tokens < self.budget // 2:
            return [Piece(unit, parts, (), parts[0].tokens)]
        room = self.budget - estimate(self._shown(unit))
        definitions = bool(unit and DEFINITIONS.search(unit.heading))
        tree = grow(unit, parts, self.nodes)
        return Cutter(room, self.headers, definitions).cut(tree)

    def _table_headers(self) -> dict[int, str]:
        """Ordinal of each table row in a body -> the display text of its header."""
        links = [link for link in self.document.links if link.kind == "table_header"]
        headers: dict[int, str] = {}
        for link in links:
            rows = [b for b in self.document.partition if b.role == "table" and b.page in (link.page, link.target_page)]
            head = [b for b in rows if link.target_start <= b.start < link.target_end and b.page == link.target_page]
            text = "\n".join(self._part(block).text for block in head)
            for block in rows:
                if block.page == link.page and link.start <= block.start < link.end:
                    headers[block.ordinal] = text
        return headers

    # --- rows ------------------------------------------------------------------------------------------------------

    def _path(self, node: Node | None) -> tuple[str, ...]:
        """The headings from the outermost in."""
        if node is None:
            return ()
        path = self.paths.get(node.node_id)
        if path is None:
            above = self._path(self.nodes.get(node.parent_id or ""))
            path = self.paths[node.node_id] = (*above, printed_name(node))
        return path

    def _shown(self, node: Node | None) -> str:
        """The breadcrumb as far as it goes into the text for matching: the innermost levels."""
        path = list(self._path(node))
        while len(path) > 1 and estimate(" > ".join(path)) > BREADCRUMB_LIMIT:
            del path[0]
        return " > ".join(path)

    def _passage(self, piece: Piece) -> Passage:
        source, node_id = self.document.source, piece.node.node_id if piece.node else ""
        path = self._path(piece.node)
        spans = tuple(self._span(part) for part in piece.parts)
        evidence = "\n".join([self.document.slice(s.page, s.start, s.end).decode() for s in spans])
        retrieval = "\n".join([self._shown(piece.node), *piece.lead, *[part.text for part in piece.parts]])
        role = role_of([part.block.role for part in piece.parts])
        reason = EXCLUSIONS.get(role, "")
        hashes = "".join([span.sha256 for span in spans])
        count = self.seen[node_id + hashes] = self.seen.get(node_id + hashes, 0) + 1
        columns = (
            source.document_id, source.corpus_version, node_id, self.ordinal, path, " > ".join(path), role, evidence,
            retrieval, spans, estimate(retrieval), "observed", None, not reason, reason,
        )  # fmt: skip
        self.ordinal += 1
        return Passage(digest("chunk", source.document_id, node_id, hashes, count), *columns, digest(*columns))

    def _span(self, part: Part) -> Span:
        block = part.block
        if part.start == block.start and part.end == block.end:
            return Span(block.page, block.start, block.end, block.sha256, block.raw_start, block.raw_end)
        data = self.document.slice(block.page, part.start, part.end)
        return Span(block.page, part.start, part.end, sha256(data).hexdigest(), block.raw_start, block.raw_end)


def _runs(blocks: list[Block]) -> Iterator[list[Block]]:
    """Consecutive blocks of one role and node."""
    run: list[Block] = []
    for block in blocks:
        if run and (block.role, block.node_id) != (run[-1].role, run[-1].node_id):
            yield run
            run = []
        run.append(block)
    if run:
        yield run
