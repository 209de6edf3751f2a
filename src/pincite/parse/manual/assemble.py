"""Rows with roles and places → the ``Document``: partition, nodes, links, findings, display text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

from pincite.model import Block, Document, Finding, Link, Node, Source
from pincite.parse.manual.display import Joiner
from pincite.parse.manual.flow import BEGINS, Cell, Flow, Row
from pincite.parse.manual.observation import Line, Observation
from pincite.parse.manual.places import Place
from pincite.parse.manual.tables import Table
from pincite.parse.manual.unclear import Doubt
from pincite.parse.manual.walk import Walk

_ENTRY = re.compile(r"(?:^|[;.]\s*|\s)(\d{1,2})\.?\s+(?=[A-Za-z(])")
_TARGET = re.compile(r"\b(?:Appendix \d+ to (?:ADM|DMG) Chapter [A-Z]?\d+|[A-Z]?\d{4,6})(?: \([^)]*\))?")


def assemble(
    source: Source,
    observation: Observation,
    flow: Flow,
    walk: Walk,
    findings: list[Finding],
    doubts: Sequence[Doubt],
    tables: Sequence[Table],
) -> Document:
    """The finished document. Every byte of every page is in exactly one block."""
    blocks, display = _partition(observation, flow, walk, tables)
    findings = [*findings, *(_doubt(flow.rows, doubt) for doubt in doubts), *walk.findings]
    return Document(
        source,
        "manual",
        f"1 {observation.reader} {observation.reader_version}",
        tuple(page.text for page in observation.pages),
        tuple(_nodes(walk.tree.places)),
        tuple(blocks),
        (*_links(flow.rows, walk), *_header_links(flow.rows, tables)),
        tuple(findings),
        display,
    )


# --- the partition --------------------------------------------------------------------------------------------------


Run = tuple[str, int, list[Line], list[Sequence[Cell]], tuple[float, ...]]
"""Lines that follow one another with one role and node; of a row of a table, its cells and the left edges of its columns."""


def _partition(observation: Observation, flow: Flow, walk: Walk, tables: Sequence[Table]) -> tuple[list[Block], dict[int, str]]:
    """Blocks of consecutive lines with one role and one node; what lies between them is blank."""
    written = _Blocks(Joiner(observation, flow.spaced_pages), walk.tree.places)
    begins = {index: table.columns for table in tables for index in table.begins}
    opening = {table.again[0] for table in tables if table.again[1]}
    rows, position, node = flow.rows, 0, 0
    for number, page in enumerate(observation.pages):
        runs: list[Run] = []
        last: tuple[str, int] | None = None
        columns: tuple[float, ...] = ()
        for line in page.lines:
            role, opens, cells = "page_furniture", False, _NO_CELLS
            if position < len(rows) and rows[position].line is line:
                row = rows[position]
                role, node, cells = row.role or "body", row.node, row.cells
                opens = row.mark == BEGINS or position in opening
                if role == "table" and position in begins:
                    opens, columns = True, begins[position]
                position += 1
            if not opens and last == (role, node):
                runs[-1][2].append(line)
                runs[-1][3].append(cells)
            else:
                last = role, node
                runs.append((role, node, [line], [cells], columns if role == "table" else ()))
        written.page(number + 1, page.text, runs, number in flow.spaced_pages)
    return written.blocks, written.display


class _Blocks:
    """Writes the blocks of the pages, their display texts, and how far each node reaches."""

    def __init__(self, joiner: Joiner, places: Sequence[Place]) -> None:
        self.blocks: list[Block] = []
        self.display: dict[int, str] = {}
        self.joiner, self.places = joiner, places

    def page(self, page: int, text: bytes, runs: Sequence[Run], spaced: bool) -> None:
        blocks, edge = self.blocks, 0
        for role, node, lines, cells, columns in runs:
            start, end = lines[0][1], lines[-1][2]
            if start > edge:
                blocks.append(_blank(len(blocks), page, edge, start, text))
            name = ""
            if node >= 0 and role != "page_furniture":
                name = self.places[node].node_id
                _extend(self.places, node, page, start, end)
            shown = self.joiner.row(lines, cells, columns) if columns and not spaced else self.joiner.display(lines, spaced)
            if shown is not None:
                self.display[len(blocks)] = shown
            digest = sha256(text[start:end]).hexdigest()
            blocks.append(_new(Block, (len(blocks), page, start, end, role, name, digest, None, None, "")))
            edge = end
        if edge < len(text):
            blocks.append(_blank(len(blocks), page, edge, len(text), text))


_new = tuple.__new__
_NO_CELLS: Sequence[Cell] = ()
_BLANKS: dict[bytes, str] = {}


def _blank(ordinal: int, page: int, start: int, end: int, text: bytes) -> Block:
    gap = text[start:end]
    digest = _BLANKS.get(gap)
    if digest is None:
        digest = sha256(gap).hexdigest()
        if len(gap) < 8:
            _BLANKS[gap] = digest
    block: Block = _new(Block, (ordinal, page, start, end, "blank", "", digest, None, None, ""))
    return block


def _extend(places: Sequence[Place], index: int, page: int, start: int, end: int) -> None:
    """Let a node and all above it reach over this block."""
    while index >= 0:
        place = places[index]
        if not place.page:
            place.page, place.start = page, start
        if (page, end) > (place.page_end, place.end):
            place.page_end, place.end = page, end
        index = place.parent


def _nodes(places: Sequence[Place]) -> list[Node]:
    nodes = []
    for ordinal, place in enumerate(places):
        parent = places[place.parent].node_id if place.parent >= 0 else None
        where = (ordinal, place.page or 1, place.start, place.page_end or 1, place.end)
        nodes.append(Node(place.node_id, parent, place.kind, place.label, place.heading, *where, reserved=place.reserved))
    return nodes


# --- links ----------------------------------------------------------------------------------------------------------


def _links(rows: Sequence[Row], walk: Walk) -> list[Link]:
    """Raised markers to the citation or footnote with their number, in the same unit; annotation texts to their targets."""
    links: list[Link] = []
    waiting: dict[int, list[tuple[str, int, int, int]]] = {}
    lead: Row | None = None
    for row in rows:
        if row.role == "footnote":
            _close_marks(links, waiting.get(row.node, []), row)
        elif row.line.markers:
            unit = walk.tree.unit_of(row.node)
            for start, end in row.line.markers:
                mark = row.line.text[start:end].strip()
                if mark[:1].isdigit() or mark in "*†‡":
                    waiting.setdefault(unit, []).append((mark, row.page + 1, *_bytes(row.line, start, end)))
        if row.role == "annotation":
            lead = _annotation(links, row, lead)
    return links


def _header_links(rows: Sequence[Row], tables: Sequence[Table]) -> list[Link]:
    """The rows of a table on each of its pages to its header, and each repetition of the header to the first."""
    links = []
    for table in tables:
        if not table.header[1]:
            continue
        head = _extent(rows[slice(*table.header)])
        first = table.header[1] if table.header[0] >= table.first else table.first
        inside = [row for row in rows[first : table.last] if row.role == "table"]
        if inside:
            links.append(Link("table_header", *_extent(inside), *head))
        if table.again[1]:
            links.append(Link("table_header", *_extent(rows[slice(*table.again)]), *head))
    return links


def _extent(rows: Sequence[Row]) -> tuple[int, int, int]:
    return rows[0].page + 1, rows[0].line.start, rows[-1].line.end


def _close_marks(links: list[Link], waiting: list[tuple[str, int, int, int]], row: Row) -> None:
    for mark, first, last in citation_entries(row):
        for position, (name, page, start, end) in enumerate(waiting):
            if name == mark:
                kind = "legal_citation" if not row.line.markers else "footnote"
                links.append(Link(kind, page, start, end, row.page + 1, *_bytes(row.line, first, last)))
                del waiting[position]
                break


def citation_entries(row: Row) -> list[tuple[str, int, int]]:
    """(mark, first, last) of each entry of a citation or footnote line, in characters."""
    text = row.line.text
    if row.line.markers and row.line.markers[0][0] == 0:
        end = row.line.markers[0][1]
        return [(text[:end].strip(), 0, len(text))]
    found, expected = [], 0
    for match in _ENTRY.finditer(text):
        number = int(match.group(1))
        if match.start() == 0 or number == expected or text[match.start()] in ";.":
            found.append((match.group(1), match.start(1)))
            expected = number + 1
    ends = [start for _, start in found[1:]] + [len(text)]
    return [(mark, start, len(text[:end].rstrip(" ;"))) for (mark, start), end in zip(found, ends)]


def _annotation(links: list[Link], row: Row, lead: Row | None) -> Row:
    """From the sentence that asks for the annotation to each paragraph it names."""
    lead = lead or row
    start, end = lead.line.start, lead.line.end
    links.extend(
        Link("annotation", lead.page + 1, start, end, row.page + 1, *_bytes(row.line, found.start(), found.end()))
        for found in _TARGET.finditer(row.line.text)
    )
    return lead


def _bytes(line: Line, start: int, end: int) -> tuple[int, int]:
    """A character range of a line as byte offsets in its page."""
    first = line.start + len(line.text[:start].encode("utf-8", "replace"))
    return first, first + len(line.text[start:end].encode("utf-8", "replace"))


def _doubt(rows: Sequence[Row], doubt: Doubt) -> Finding:
    candidate, taken, reason = doubt
    row = rows[candidate.row]
    readings = ("a numbered paragraph", "text that goes on") if taken else ("text that goes on", "a numbered paragraph")
    return Finding("uncertain_boundary", row.page + 1, row.line.start, row.line.end, row.label or row.text, reason, readings)
