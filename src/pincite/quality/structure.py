"""Checks of headings, tables, dates, anchors and passages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from pincite.model import Node, Passage
from pincite.passages.budget import DEFAULT_BUDGET, estimate
from pincite.quality.codes import Problem
from pincite.quality.text import repeated
from pincite.quality.view import View
from pincite.references.names import anchor_key, fields_of, names_of

LONG_PARAGRAPH = 6 * DEFAULT_BUDGET
"""Estimated tokens above which a paragraph is better divided: it makes six passages or more."""
LONG_HEADING = 200
"""Characters."""
OVER_BUDGET = 1.5
"""Passages may be over the budget by so much before they are told: a sentence is not cut."""


def problems(view: View, as_of: str) -> Iterator[Problem]:
    """All checks of this module but those of passages."""
    yield from _headings(view)
    yield from _levels(view)
    yield from _tables(view)
    yield from _anchors(view)
    yield from _dates(view, as_of)
    for piece in view.pieces:
        if piece.block.role == "body" and not piece.is_code and estimate(piece.shown) > LONG_PARAGRAPH:
            yield view.problem("PQ106", f"a paragraph of {len(piece.shown.split())} words", piece.block)
    yield from repeated(view)


def _headings(view: View) -> Iterator[Problem]:
    """Headings without text below them, with the text of a paragraph, and two of one name under one heading."""
    nodes = view.document.nodes
    blocks = {piece.block.node_id: piece.block for piece in reversed(view.pieces) if piece.block.role == "heading"}
    filled = {piece.block.node_id for piece in view.pieces if piece.block.role != "heading"} | {
        node.parent_id for node in nodes
    }
    names: dict[tuple[str | None, str], Node] = {}
    for node in nodes:
        block = blocks.get(node.node_id)
        if node.kind != "heading" or block is None:
            continue
        if node.node_id not in filled:
            yield view.problem("PQ102", f"“{node.heading[:80]}” has no text", block)
        if len(node.heading) > LONG_HEADING:
            yield view.problem("PQ115", f"a heading of {len(node.heading)} characters", block)
        key = (node.parent_id, f"{node.label} {node.heading}".casefold())
        if names.setdefault(key, node) is not node:
            yield view.problem("PQ103", f"“{node.heading[:80]}” stands twice under one heading", block)


_MARKS = re.compile(r"(#{1,6})\s")


def _levels(view: View) -> Iterator[Problem]:
    """Markdown only: in other formats a heading's level is its place already."""
    last = 0
    for piece in view.pieces:
        mark = _MARKS.match(piece.text) if piece.block.role == "heading" else None
        if mark:
            level = len(mark[1])
            if last and level > last + 1:
                yield view.problem("PQ104", f"a heading of level {level} follows one of level {last}", piece.block)
            last = level


_PIPE = re.compile(r"(?<!\\)\|")


def _tables(view: View) -> Iterator[Problem]:
    """Markdown only: rows with another number of cells than the header. A renderer drops or pads them without a word."""
    node, expected = "", 0
    for piece in view.pieces:
        if piece.block.role != "table" or "|" not in piece.text or "|" not in piece.shown:
            continue
        row = piece.text.split("\n", 1)[0].strip().strip("|")
        cells = len(_PIPE.findall(row)) + 1
        if piece.block.node_id != node:
            node, expected = piece.block.node_id, cells
        elif cells != expected:
            yield view.problem("PQ105", f"a row of {cells} cells under a header of {expected}", piece.block)


def _anchors(view: View) -> Iterator[Problem]:
    """Links into the document itself that lead nowhere."""
    links = [link for link in view.document.hyperlinks if link.target.startswith("#") and link.target not in ("#", "#top")]
    if not links:
        return
    from urllib.parse import unquote

    known = {name for names in names_of(view.document) for name in names}
    blocks = [piece.block for piece in view.pieces]
    for link in links:
        if anchor_key(unquote(link.target[1:])) not in known:
            block = next((b for b in blocks if b.page == link.page and b.start <= link.start < b.end), None)
            yield view.problem("PQ107", f"nothing here is called {link.target}", block)


_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_REVIEW = re.compile(r"review|expir|valid[ _-]?(?:to|until)|next|retire|sunset")


def _dates(view: View, as_of: str) -> Iterator[Problem]:
    """Dates of the properties beside the date of the corpus. Without one nothing is said: there is no clock here."""
    today = _date(as_of)
    if today is None or not view.metadata:
        return
    block = view.metadata[0].block
    for key, value in fields_of(view.document):
        stated = _date(value)
        if stated is None:
            continue
        if _REVIEW.search(key):
            if stated < today:
                yield view.problem("PQ111", f"{key} is {stated}, before {today}", block)
        elif stated > today:
            yield view.problem("PQ112", f"{key} is {stated}, after {today}", block)


def _date(text: str) -> date | None:
    match = _ISO.search(text)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def of_passages(view: View, passages: Sequence[Passage]) -> Iterator[Problem]:
    """Passages that are longer than the budget, and a document of which none can be found."""
    blocks = {(piece.block.page, piece.block.start): piece.block for piece in view.pieces}
    for passage in passages:
        if passage.indexable and passage.tokens > OVER_BUDGET * DEFAULT_BUDGET:
            block = blocks.get((passage.spans[0].page, passage.spans[0].start))
            yield view.problem("PQ108", f"a passage of {passage.tokens} tokens, the budget is {DEFAULT_BUDGET}", block)
    if passages and not any(passage.indexable for passage in passages):
        reasons = sorted({passage.exclusion_reason for passage in passages})
        yield view.problem("PQ109", f"nothing of it is indexed: {'; '.join(reasons)[:200]}")
