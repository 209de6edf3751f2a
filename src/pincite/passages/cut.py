"""Where a unit is cut: along its paragraph tree, each piece under its lead-in, tables by rows under their header.

A *unit* is a section, an appendix, or in a manual a numbered paragraph: no passage reaches across two of them. A unit that
fits the budget stays whole. Otherwise each paragraph with all below it is a piece if it fits, and is cut the same way if
not; small neighbours are joined. The lead-in of a list ("The following apply:") is repeated over every piece below it, in
the text for matching only. Definitions are always pieces of their own.

The blocks of a unit are in document order, so a paragraph with all below it is a range of them, its price a difference of
two sums, and a piece is a range too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import islice, takewhile
from typing import NamedTuple

from pincite.model import Block, Node
from pincite.passages.budget import PER_HUNDRED, estimate

SMALL = 30
"""Tokens below which a piece is joined with its neighbour."""
LEAD_LIMIT = 160
"""Characters of a lead-in that are repeated."""
LEAD_LEAST = 12
"""Characters below which a lead-in is no more than a designator."""
LISTS_OF_THEIR_OWN = frozenset({"document", "heading", "slide", "message", "attachment", "item", "sheet"})
"""Kinds whose text may hold several lists, each below a sentence of its own; the paragraphs of a section are one list."""
LEAST_ROOM = 100
"""Tokens a piece may have even where breadcrumb and lead-ins leave less."""

_SENTENCE = re.compile(r"(?<=[.;:!?])[)”\"’]?\s+(?=[\w(“\"§])")

Chain = tuple[str, ...]
"""The nodes of a block inside its unit, outermost first; () for the unit's own."""


class Piece(NamedTuple):
    """What becomes one passage: blocks *first* to *last* (excluded) of the unit, or a *stretch* of the one block."""

    node_id: str  # the deepest node that covers all of it
    first: int
    last: int
    lead: tuple[str, ...]  # texts that stand above it and are not in it
    stretch: tuple[int, int] | None = None  # bytes of the page


class Unit(NamedTuple):
    """The blocks of one unit that are text of the rule, and what is needed to cut them."""

    node_id: str
    blocks: list[Block]
    texts: list[str]  # of each block, as it is shown
    printed: Mapping[int, str]  # index -> the block's own words, where they are shown otherwise
    chains: list[Chain]
    sums: list[int]  # tokens of all blocks before each
    room: int  # tokens the breadcrumb leaves
    headers: Mapping[int, str]  # ordinal of a table row -> the text of its header
    nodes: Mapping[str, Node]
    definitions: bool


def price(text: str) -> int:
    """The estimated tokens of a text beside others: the fixed cost of a passage counts once."""
    return 1 + len(text) * PER_HUNDRED // 100


def cut(unit: Unit) -> list[Piece]:
    """The pieces of a unit, in document order."""
    if len(unit.blocks) == 1 and unit.sums[1] <= unit.room:
        return [Piece(unit.chains[0][-1] if unit.chains[0] else unit.node_id, 0, 1, ())]
    return _cut(unit, 0, len(unit.blocks), (), (), unit.room)


def _cut(unit: Unit, first: int, last: int, chain: Chain, lead: tuple[str, ...], room: int) -> list[Piece]:
    """The pieces of the blocks *first* to *last*, which are those of the last node of *chain*, under *lead*."""
    node_id = chain[-1] if chain else unit.node_id
    apart = unit.definitions and _keeps_apart(unit, first, last, len(chain))
    if not apart and unit.sums[last] - unit.sums[first] <= room:
        return [tuple.__new__(Piece, (node_id, first, last, lead, None))]
    below = lead + _lead_in(unit, first, last, len(chain))
    room_below = max(unit.room - sum(map(estimate, below)), LEAST_ROOM) if below else unit.room
    groups: list[list[Piece]] = []
    openers: set[int] = set()  # texts that introduce the list after them, not the end of the one before
    own_lists = bool(node_id) and unit.nodes[node_id].kind in LISTS_OF_THEIR_OWN
    for begin, end, child in _segments(unit.chains, first, last, len(chain)):
        if child and not unit.definitions and unit.sums[end] - unit.sums[begin] <= room_below:
            groups.append([tuple.__new__(Piece, (child[-1], begin, end, below, None))])  # as nearly every child is: it fits
        elif child:
            groups.append(_cut(unit, begin, end, child, below, room_below))
        else:
            groups.append(_own(unit, node_id, begin, end, lead if begin == first or own_lists else below, room))
            if begin > first and end < last and own_lists:
                below = lead + _lead_in(unit, begin, last, len(chain))
                openers.add(begin)
    if apart:
        return [piece for group in groups for piece in group]
    return _join_small(unit, node_id, groups, openers, room)


def _segments(chains: list[Chain], first: int, last: int, depth: int) -> Iterator[tuple[int, int, Chain]]:
    """The blocks of one node as ranges: its own texts (chain ()), and each child with all below it."""
    begin = first
    while begin < last:
        chain, end = chains[begin], begin + 1
        if len(chain) == depth:
            while end < last and len(chains[end]) == depth:
                end += 1
            yield begin, end, ()
        else:
            node_id = chain[depth]
            while end < last and len(chains[end]) > depth and chains[end][depth] == node_id:
                end += 1
            yield begin, end, chain[: depth + 1]
        begin = end


def _keeps_apart(unit: Unit, first: int, last: int, depth: int) -> bool:
    """Whether the children are definitions, each to be found and cited alone."""
    children = [unit.nodes[child[-1]] for _, _, child in _segments(unit.chains, first, last, depth) if child]
    defining = [node for node in children if node.kind == "definition" or node.heading]
    return len(children) > 1 and 2 * len(defining) >= len(children)


def _lead_in(unit: Unit, first: int, last: int, depth: int) -> tuple[str, ...]:
    """The text that introduces a node's children, shortened; a heading is in the breadcrumb already."""
    end = first
    while end < last and len(unit.chains[end]) == depth:
        end += 1
    texts = [unit.texts[index] for index in range(first, end) if unit.blocks[index].role == "body"]
    if not texts or end == last:
        return ()
    text = " ".join(" ".join(texts).split())
    if len(text) < LEAD_LEAST:
        return ()
    if len(text) > LEAD_LIMIT:
        text = "… " + text[-LEAD_LIMIT:].split(" ", 1)[-1]
    return (text,)


def _own(unit: Unit, node_id: str, first: int, last: int, lead: tuple[str, ...], room: int) -> list[Piece]:
    """A node's own texts: together where they fit, tables apart from text, else as many at once as fit."""
    if unit.sums[last] - unit.sums[first] <= room:
        return [Piece(node_id, first, last, lead)]
    pieces: list[Piece] = []
    begin, above = first, lead
    for index in range(first, last):
        table = unit.blocks[index].role == "table"
        turns = index > begin and table != (unit.blocks[index - 1].role == "table")
        if index > begin and (turns or unit.sums[index + 1] - unit.sums[begin] > room):
            pieces.append(Piece(node_id, begin, index, above))
            header = "" if turns else unit.headers.get(unit.blocks[index].ordinal, "")
            begin, above = index, ((*lead, header) if header else lead)
        if not table and unit.sums[index + 1] - unit.sums[index] > room:
            pieces += [Piece(node_id, index, index + 1, above, stretch) for stretch in _stretches(unit, index, room)]
            begin = index + 1
    if begin < last:
        pieces.append(Piece(node_id, begin, last, above))
    return pieces


def _stretches(unit: Unit, index: int, room: int) -> Iterator[tuple[int, int]]:
    """The bytes of a text that alone is over the room, cut at ends of sentences into parts of about the same size."""
    block, text = unit.blocks[index], unit.printed.get(index, unit.texts[index])
    breaks = [match.end() for match in _SENTENCE.finditer(text)]
    count = -(-price(text) // room)
    begin, start, number = 0, block.start, 0
    while begin < len(text):
        number += 1
        rest = 1 + (len(text) - begin) * PER_HUNDRED // 100  # as price has it
        if number < count:
            end = _break(text, breaks, begin, len(text) * number // count, room)
        elif rest * 4 > room * 5:  # early breaks have left too much for one part, even with some patience
            end = _break(text, breaks, begin, begin + (len(text) - begin) // -(-rest // room), room)
        else:
            end = len(text)
        kept = text[begin:end].rstrip()
        if kept:
            yield start, start + len(kept.encode())
        start += len(text[begin:end].encode())
        begin = end


def _break(text: str, breaks: list[int], begin: int, aim: int, room: int) -> int:
    """Where to cut nearest to *aim*: after a sentence if one ends in reach, else between words."""
    first = bisect_right(breaks, begin)
    in_reach = list(takewhile(lambda place: estimate(text[begin:place]) <= room, islice(breaks, first, None)))
    if in_reach:
        return min(in_reach, key=lambda place: abs(place - aim))
    return text.rfind(" ", begin + 1, max(aim, begin + 2)) + 1 or max(aim, begin + 1)


def _join_small(unit: Unit, node_id: str, groups: list[list[Piece]], openers: set[int], room: int) -> list[Piece]:
    """Join neighbours where one is small and both fit: whole paragraphs and texts of their own, never part of either.

    Only a short lead-in goes with the first part of the list it introduces.
    """
    joined: list[Piece] = []
    sums = unit.sums
    before = room + 1  # tokens of the last piece, or too many where it must stay alone
    for group in groups:
        piece = group[0]
        tokens = sums[piece[2]] - sums[piece[1]]
        leads_in = before < SMALL and bool(joined) and joined[-1].node_id == node_id and len(joined) == 1
        small = before < SMALL or tokens < SMALL if len(group) == 1 else leads_in
        if small and before + tokens <= room and piece.first not in openers and _may_join(unit, joined[-1], piece):
            joined[-1] = Piece(node_id, joined[-1].first, piece.last, joined[-1].lead)
            before += tokens
        else:
            joined.append(piece)
            before = tokens
        if len(group) > 1:
            joined += group[1:]
            before = room + 1
    return joined


def _may_join(unit: Unit, one: Piece, two: Piece) -> bool:
    if one.stretch or two.stretch:
        return False
    return _has_body(unit.blocks, one) and _has_body(unit.blocks, two)


def _has_body(blocks: list[Block], piece: Piece) -> bool:
    return any(block[4] == "body" for block in blocks[piece[1] : piece[2]])
