"""Passages from partition, nodes and links: units, rows, breadcrumbs. Where to cut is in :mod:`pincite.passages.cut`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from hashlib import sha256
from itertools import accumulate

from pincite.model import QUOTABLE_ROLES, Block, Document, Node, Passage, Span, is_generic
from pincite.passages.budget import DEFAULT_BUDGET, PER_HUNDRED, estimate
from pincite.passages.cut import LEAST_ROOM, Chain, Piece, Unit, cut
from pincite.passages.identity import Identities, content_hash
from pincite.passages.outlook import EXCLUSIONS, INNER_KINDS, MANUAL_KINDS, printed_name, role_of

BREADCRUMB_LIMIT = 260
"""Characters of the breadcrumb that go into the text for matching; outer levels are left out beyond that."""


def build(document: Document, budget: int = DEFAULT_BUDGET) -> tuple[Passage, ...]:
    """Every passage of *document*, in order; *budget* is in estimated tokens of the text for matching.

    What is no text of the rule (authority, amendment history, notices, contents, bare headings) becomes a passage too,
    marked not indexable, with the reason.
    """
    writer = _Writer(document, budget)
    return tuple([passage for node_id, blocks in writer.units() for passage in writer.unit(node_id, blocks)])


Words = tuple[str, tuple[Span, ...], str, str, str]
"""What a passage takes from its blocks: role, spans, their hashes joined, the document's own words, the words as shown."""

WHOLE_LIMIT = 4000
"""Tokens up to which a numbered paragraph of a manual is one passage, whatever the budget."""


class _Writer:
    """Writes the passages of one document."""

    def __init__(self, document: Document, budget: int) -> None:
        self.document, self.budget = document, budget
        self.document_id, self.corpus_version = document.source.document_id, document.source.corpus_version
        self.nodes = {node.node_id: node for node in document.nodes}
        self.places: dict[str, tuple[str, Chain]] = {"": ("", ())}  # node -> its unit, and the nodes inside the unit
        self.paths: dict[str, tuple[tuple[str, ...], str, str]] = {"": ((), "", "")}
        self.identities = Identities(document.source.document_id)
        self.ordinal = 0
        self.defining: set[str] = set()  # units that have definitions without designator
        self.whole: set[str] = set()
        self.ocr = {finding.page for finding in document.findings if finding.kind == "extracted_by_ocr"}
        self.headers = _table_headers(document)
        self.generic = is_generic(document)

    def units(self) -> Iterator[tuple[str, list[Block]]]:
        """The blocks of each unit: of the nearest node that is not inside a section.

        A unit's blocks are consecutive, but for a numbered paragraph of a manual, which goes on after the footnotes of its
        page: all its blocks are gathered.
        """
        gathered = self._find_units()
        self.whole = gathered
        groups: dict[object, tuple[str, list[Block]]] = {}
        places, current, run, blocks = self.places, None, 0, list[Block]()
        paged = len(self.document.pages) > 1
        for block in self.document.partition:
            if block[4] == "blank":
                continue
            if paged and block[4] == "page_furniture" and not block[5]:
                groups[-block.ordinal - 1] = ("", [block])  # a running head interrupts nothing
                continue
            unit = places[block[5]][0]
            if unit != current:
                current, run = unit, run + 1
                blocks = groups.setdefault(unit if unit in gathered else run, (unit, []))[1]
            blocks.append(block)
        yield from groups.values()

    def _find_units(self) -> set[str]:
        """Place every node in its unit; the units whose blocks are to be gathered."""
        places, gathered = self.places, set[str]()
        for node in self.document.nodes:
            node_id, parent_id, kind = node[0], node[1] or "", node[2]
            if kind in INNER_KINDS and parent_id in places:
                unit, chain = places[parent_id]
                if kind != "paragraph" or unit != parent_id or self.nodes[unit].kind not in MANUAL_KINDS:
                    places[node_id] = unit, (*chain, node_id)
                    if kind == "definition":
                        self.defining.add(unit)
                    continue
                gathered.add(node_id)
            elif kind == "example":
                gathered.add(node_id)
            places[node_id] = node_id, ()
        return gathered

    def unit(self, node_id: str, blocks: list[Block]) -> list[Passage]:
        """The rule's text cut into passages, and each run of other text as a passage of its own, in document order."""
        rule = [block for block in blocks if block[4] in QUOTABLE_ROLES]
        if len(rule) == len(blocks):
            unit = self._unit(node_id, rule)
            return [self._passage(unit, piece) for piece in self._pieces(unit)]
        ready = []
        if rule:
            unit = self._unit(node_id, rule)
            ready = [(rule[piece[1]][0], unit, piece) for piece in self._pieces(unit)]
        for run in _runs(blocks):
            ready.append((run[0][0], self._aside(run), Piece(run[0][5], 0, len(run), ())))
        ready.sort(key=_ordinal)
        return [self._passage(unit, piece) for _, unit, piece in ready]

    def _pieces(self, unit: Unit) -> list[Piece]:
        """A numbered paragraph or example of a manual stays whole: its conditions, notes and citations make one rule."""
        if unit.node_id in self.whole and unit.sums[-1] <= WHOLE_LIMIT:
            return [Piece(unit.node_id, 0, len(unit.blocks), ())]
        if unit.blocks[0][0] in self.headers and unit.node_id in self.nodes and self.nodes[unit.node_id][2] == "record":
            header = self.headers[unit.blocks[0][0]]
            named = f"{header.partition(' | ')[0]}: " in unit.texts[0]  # each cell is shown with its column already
            return cut(unit) if named else _under_header(cut(unit), header)
        return cut(unit)

    def _aside(self, blocks: list[Block]) -> Unit:
        """Blocks that are no text of the rule: one passage, whatever its length."""
        pages = self.document.pages
        texts = [pages[block[1] - 1][block[2] : block[3]].decode() for block in blocks]
        return Unit(blocks[0][5], blocks, texts, {}, [], [], 0, {}, {}, False)

    def _unit(self, node_id: str, blocks: list[Block]) -> Unit:
        pages, display, places = self.document.pages, self.document.display, self.places
        texts = [pages[block[1] - 1][block[2] : block[3]].decode() for block in blocks]
        printed: dict[int, str] = {}
        if display:
            for index, block in enumerate(blocks):
                if block[0] in display:
                    printed[index], texts[index] = texts[index], display[block[0]]
        sums = [0, *accumulate([1 + len(text) * PER_HUNDRED // 100 for text in texts])]  # as cut.price has it
        chains = [places[block[5]][1] for block in blocks]
        heading = self.nodes[node_id][4] if node_id in self.nodes else ""
        defines = node_id in self.defining or "efinition" in heading or "DEFINITION" in heading
        room = max(self.budget - estimate(self._path(node_id)[2]), LEAST_ROOM)
        return Unit(node_id, blocks, texts, printed, chains, sums, room, self.headers, self.nodes, defines)

    # --- rows ------------------------------------------------------------------------------------------------------

    def _path(self, node_id: str) -> tuple[tuple[str, ...], str, str]:
        """The headings from the outermost in; the same in one line; and as much of the line as goes into matching."""
        path = self.paths.get(node_id)
        if path is None:
            node: Node = self.nodes[node_id]
            parent, name = node[1] or "", printed_name(node)
            names, line, shown = self.paths.get(parent) or self._path(parent if parent in self.nodes else "")
            repeated = node[2] != "paragraph" and names and name.casefold() == names[-1].casefold()
            if name and not repeated:  # a first heading may repeat the title
                names = (*names, name)
                line, shown = (f"{line} > {name}", f"{shown} > {name}") if line else (name, name)
                while len(shown) > BREADCRUMB_LIMIT and (at := shown.find(" > ")) >= 0:
                    shown = shown[at + 3 :]
            path = self.paths[node_id] = names, line, shown
        return path

    def _passage(self, unit: Unit, piece: Piece) -> Passage:
        node_id, first, last, lead, stretch = piece
        names, line, above = self.paths.get(node_id) or self._path(node_id)
        if last - first == 1:
            role, spans, hashes, evidence, shown = self._of_one(unit, first, stretch)
        else:
            role, spans, hashes, evidence, shown = self._of_several(unit, first, last)
        if shown.count("\n") >= last - first:  # lines of the file's layout
            texts = [shown] if last - first == 1 else unit.texts[first:last]
            shown = "\n".join([" ".join(text.split()) for text in texts])
        retrieval = "\n".join([above, *lead, shown]) if lead else f"{above}\n{shown}"
        if "\u00ad" in retrieval or "\u200b" in retrieval:  # places where a word may be broken: a question has none
            retrieval = retrieval.replace("\u00ad", "").replace("\u200b", "")
        reason = EXCLUSIONS.get(role, "") or (self._boilerplate(unit, piece) if self.generic else "")
        ordinal = self.ordinal
        self.ordinal = ordinal + 1
        derivation = self._derivation(spans) if self.ocr else "observed"
        columns = (
            self.document_id, self.corpus_version, node_id, ordinal, names, line, role, evidence,
            retrieval, spans, estimate(retrieval), derivation, None, not reason, reason,
        )  # fmt: skip
        chunk_id = self.identities.chunk_id(node_id, hashes)
        passage: Passage = tuple.__new__(Passage, (chunk_id, *columns, content_hash(columns, hashes)))
        return passage

    def _boilerplate(self, unit: Unit, piece: Piece) -> str:
        """Why a passage of a team's document is not applicable, judged by its words without the heading."""
        from pincite.passages.boilerplate import reason_of

        node = self.nodes.get(unit.node_id)
        if node is None or node.kind == "record" or piece.stretch:
            return ""
        inside = [index for index in range(piece.first, piece.last) if unit.blocks[index][4] != "heading"]
        evidence = "\n".join([unit.printed.get(index, unit.texts[index]) for index in inside])
        heading = "" if node.kind == "document" else node.heading
        return reason_of(heading, evidence, "\n".join([unit.texts[index] for index in inside]))

    def _of_one(self, unit: Unit, index: int, stretch: tuple[int, int] | None) -> Words:
        """The words of one block, or of a *stretch* of it."""
        _, page, start, end, role, _, digest, raw_start, raw_end, _ = unit.blocks[index]
        shown = evidence = unit.texts[index]
        if stretch:
            start, end = stretch
            words = self.document.pages[page - 1][start:end]
            digest, evidence = sha256(words).hexdigest(), words.decode()
            shown = evidence
        elif unit.printed:
            evidence = unit.printed.get(index, evidence)
        return role, (tuple.__new__(Span, (page, start, end, digest, raw_start, raw_end)),), digest, evidence, shown

    def _of_several(self, unit: Unit, first: int, last: int) -> Words:
        """The words of blocks that make one passage, a line break between them."""
        make, blocks = tuple.__new__, unit.blocks[first:last]
        spans = tuple([make(Span, (b[1], b[2], b[3], b[6], b[7], b[8])) for b in blocks])
        evidence = shown = "\n".join(unit.texts[first:last])
        if unit.printed:
            evidence = "\n".join([unit.printed.get(index, unit.texts[index]) for index in range(first, last)])
        return role_of([b[4] for b in blocks]), spans, "".join([b[6] for b in blocks]), evidence, shown

    def _derivation(self, spans: tuple[Span, ...]) -> str:
        return "extracted_by_ocr" if any(span.page in self.ocr for span in spans) else "observed"


def _ordinal(made: tuple[int, Unit, Piece]) -> int:
    return made[0]


def _under_header(pieces: list[Piece], header: str) -> list[Piece]:
    """The pieces of a record, each below the header of its columns."""
    return [piece._replace(lead=(header, *(text for text in piece.lead if text != header))) for piece in pieces]


def _table_headers(document: Document) -> dict[int, str]:
    """Ordinal of each row in a table's body -> the display text of its header."""
    headers: dict[int, str] = {}
    links = [link for link in document.links if link.kind == "table_header"]
    rows = [block for block in document.partition if block.role in ("table", "heading")] if links else []
    starts = [(block.page, block.start) for block in rows]
    for link in links:
        head = _rows_in(rows, starts, link.target_page, link.target_start, link.target_end)
        text = "\n".join(document.display.get(b.ordinal) or document.slice(b.page, b.start, b.end).decode() for b in head)
        for block in _rows_in(rows, starts, link.page, link.start, link.end):
            headers[block.ordinal] = text
    return headers


def _rows_in(rows: list[Block], starts: list[tuple[int, int]], page: int, start: int, end: int) -> list[Block]:
    """The rows that begin in a range of a page; both lists are in document order."""
    return rows[bisect_left(starts, (page, start)) : bisect_left(starts, (page, end))]


def _runs(blocks: list[Block]) -> list[list[Block]]:
    """The blocks that are no text of the rule, those of one role and node together where they follow one another."""
    runs: list[list[Block]] = []
    last: tuple[str, str] | None = None
    for block in blocks:
        if block[4] in QUOTABLE_ROLES:
            continue
        here = block[4], block[5]
        if here == last:
            runs[-1].append(block)
        else:
            runs.append([block])
            last = here
    return runs
