"""Where a unit is cut: along its paragraph tree, each piece under its lead-in, tables by rows under their header.

A *unit* is a section, an appendix, or in a manual an item: no passage reaches across two of them. A unit that fits the
budget stays whole. Otherwise each paragraph with all below it is a piece if it fits, and is cut the same way if not; small
neighbours are joined. The lead-in of a list ("The following apply:") is repeated over every piece below it, in the text for
matching only. Definitions are always pieces of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from pincite.model import Block, Node
from pincite.passages.budget import estimate

SMALL = 30
"""Tokens below which a piece is joined with its neighbour."""
LEAD_LIMIT = 160
"""Characters of a lead-in that are repeated."""
LEAST_ROOM = 100
"""Tokens a piece may have even where breadcrumb and lead-ins leave less."""

_SENTENCE = re.compile(r"(?<=[.;:!?])[)”\"’]?\s+(?=[\w(“\"§])")


class Part(NamedTuple):
    """A block, or a stretch of one, with its text and price."""

    block: Block
    text: str
    tokens: int
    start: int  # bytes of the block's page; equal to the block's unless the block had to be cut
    end: int


class Piece(NamedTuple):
    """What becomes one passage: ``node`` is the deepest that covers all of it; ``lead`` stands above it and is not in it."""

    node: Node | None
    parts: list[Part]
    lead: tuple[str, ...]
    tokens: int


class Tree:
    """A node's own parts and its children, in document order."""

    __slots__ = ("defines", "entries", "node", "tokens")

    def __init__(self, node: Node | None) -> None:
        self.node = node
        self.entries: list[Part | Tree] = []
        self.tokens = 0
        self.defines = False

    def parts(self) -> list[Part]:
        """All parts below, in document order."""
        found: list[Part] = []
        for entry in self.entries:
            if isinstance(entry, Tree):
                found.extend(entry.parts())
            else:
                found.append(entry)
        return found


def grow(unit: Node | None, parts: Iterable[Part], nodes: dict[str, Node]) -> Tree:
    """The tree of a unit's parts."""
    root = Tree(unit)
    trees = {unit.node_id if unit else "": root}

    def tree_of(node_id: str) -> Tree:
        tree = trees.get(node_id)
        if tree is None:
            node = nodes[node_id]
            above = tree_of(node.parent_id or "") if node.parent_id in trees or node.parent_id in nodes else root
            tree = trees[node_id] = Tree(node)
            above.entries.append(tree)
        return tree

    for part in parts:
        tree_of(part.block.node_id).entries.append(part)
    _sum(root)
    return root


def _sum(tree: Tree) -> int:
    tree.tokens = sum(_sum(entry) if isinstance(entry, Tree) else entry.tokens for entry in tree.entries)
    children = [entry.node for entry in tree.entries if isinstance(entry, Tree) and entry.node]
    tree.defines = len(children) > 1 and all(node.kind == "definition" for node in children)
    return tree.tokens


class Cutter:
    """Cuts one unit. *room* is the budget left by the breadcrumb; *headers* gives the header text of a table's rows."""

    def __init__(self, room: int, headers: dict[int, str], definitions: bool) -> None:
        self.room, self.headers, self.definitions = room, headers, definitions

    def cut(self, tree: Tree, lead: tuple[str, ...] = ()) -> list[Piece]:
        """The pieces of *tree* under *lead*."""
        room = max(self.room - sum(map(estimate, lead)), LEAST_ROOM)
        apart = self._keeps_apart(tree)
        if tree.tokens <= room and not apart:
            return [Piece(tree.node, tree.parts(), lead, tree.tokens)]
        below = lead + _lead_in(tree)
        pieces: list[Piece] = []
        own: list[Part] = []
        first = True
        for entry in tree.entries:
            if not isinstance(entry, Tree):
                own.append(entry)
                continue
            pieces += self._own(tree.node, own, lead if first else below, room)
            own, first = [], False
            pieces += self.cut(entry, below)
        pieces += self._own(tree.node, own, lead if first else below, room)
        return pieces if apart else _join_small(tree, pieces, lead, below, room)

    def _keeps_apart(self, tree: Tree) -> bool:
        """Whether each child is a definition, to be found and cited alone."""
        if tree.defines:
            return True
        if not self.definitions:
            return False
        children = [entry.node for entry in tree.entries if isinstance(entry, Tree) and entry.node]
        return len(children) > 1 and 2 * len([node for node in children if node.heading]) >= len(children)

    def _own(self, node: Node | None, parts: list[Part], lead: tuple[str, ...], room: int) -> list[Piece]:
        """A node's own texts: together where they fit, tables apart from text, else as many at once as fit."""
        pieces: list[Piece] = []
        for group in _tables_apart(parts, room):
            pieces += self._pack(node, group, lead, room)
        return pieces

    def _pack(self, node: Node | None, parts: list[Part], lead: tuple[str, ...], room: int) -> list[Piece]:
        pieces: list[Piece] = []
        packed: list[Part] = []
        tokens, above = 0, lead
        for part in [stretch for whole in parts for stretch in _sentences(whole, room)]:
            if packed and tokens + part.tokens > room:
                pieces.append(Piece(node, packed, above, tokens))
                packed, tokens = [], 0
                header = self.headers.get(part.block.ordinal)
                above = (*lead, header) if header else lead
            packed.append(part)
            tokens += part.tokens
        if packed:
            pieces.append(Piece(node, packed, above, tokens))
        return pieces


def _lead_in(tree: Tree) -> tuple[str, ...]:
    """The text of *tree* that introduces its children, shortened; a heading is in the breadcrumb already."""
    texts: list[str] = []
    for entry in tree.entries:
        if isinstance(entry, Tree):
            break
        if entry.block.role == "body":
            texts.append(entry.text)
    if not texts or len(texts) == len(tree.entries):
        return ()
    text = " ".join(" ".join(texts).split())
    if len(text) > LEAD_LIMIT:
        text = "… " + text[-LEAD_LIMIT:].split(" ", 1)[-1]
    return (text,)


def _tables_apart(parts: list[Part], room: int) -> list[list[Part]]:
    """The parts in one group, or tables and text in groups of their own where all together do not fit."""
    if sum(part.tokens for part in parts) <= room:
        return [parts] if parts else []
    groups: list[list[Part]] = []
    for part in parts:
        if groups and (groups[-1][-1].block.role == "table") == (part.block.role == "table"):
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups


def _sentences(part: Part, room: int) -> list[Part]:
    """One part, or where it alone is over the room its sentences, packed; nothing is cut inside a sentence that fits."""
    if part.tokens <= room or part.block.role == "table":
        return [part]
    text, count = part.text, -(-part.tokens // room)
    breaks = [match.end() for match in _SENTENCE.finditer(text)]
    pieces, begin = list[Part](), 0
    for number in range(1, count):
        aim = len(text) * number // count
        later = [place for place in breaks if place > begin]
        end = min(later, key=lambda place: abs(place - aim)) if later else 0
        if not end or estimate(text[begin:end]) > room:
            end = text.rfind(" ", begin + 1, max(aim, begin + 2)) + 1 or aim
        pieces.append(_stretch(part, begin, end))
        begin = end
    return [*pieces, _stretch(part, begin, len(text))]


def _stretch(part: Part, begin: int, end: int) -> Part:
    """The characters *begin* to *end* of a part, without whitespace at the end."""
    text = part.text[begin:end].rstrip()
    start = part.start + len(part.text[:begin].encode())
    return Part(part.block, text, estimate(text), start, start + len(text.encode()))


def _join_small(tree: Tree, pieces: list[Piece], lead: tuple[str, ...], below: tuple[str, ...], room: int) -> list[Piece]:
    """Join neighbours where one is small and both fit, never a bare heading, a footnote or a stretch of a paragraph."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and _both_fit(last, piece, room):
            above = lead if last.node is tree.node and last.lead == lead else below
            joined[-1] = Piece(tree.node, last.parts + piece.parts, above, last.tokens + piece.tokens)
        else:
            joined.append(piece)
    return joined


def _both_fit(one: Piece, two: Piece, room: int) -> bool:
    if min(one.tokens, two.tokens) >= SMALL or one.tokens + two.tokens > room:
        return False
    if any(part.start != part.block.start or part.end != part.block.end for part in (*one.parts, *two.parts)):
        return False
    return all(any(part.block.role == "body" for part in piece.parts) for piece in (one, two))
