"""References in a parsed document: one scan of a page's whole text, each anchor read inside its own block.

A block of the partition is as far as a reference may reach: "… of § 211.22" at the end of one paragraph never takes the
"(a)" that opens the next. The block's node says where the reference stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from re import Match

from pincite.model import Block, Document, Mention, Node, Observed, Place, span_of
from pincite.references.act import abbreviations
from pincite.references.grammar import anchors, read
from pincite.references.place import Here, stand
from pincite.references.reading import Scan

CITING_ROLES = frozenset(
    {
        "heading",
        "body",
        "table",
        "example",
        "note",
        "footnote",
        "annotation",
        "notice",
        "authority",
        "source_note",
        "amendment_history",
    }
)
"""Roles whose text can cite. A table of contents, a running head or a reserved line names places without citing them."""

Anchor = tuple[int, int, Match[str]]


class Offsets:
    """Byte offsets of character offsets asked for in ascending order, each at the price of the characters between."""

    def __init__(self, text: str, data: bytes) -> None:
        self.text = text
        self.ascii = len(text) == len(data)
        self.char = self.byte = 0

    def __call__(self, char: int) -> int:
        if self.ascii:
            return char
        if char >= self.char:
            self.byte += len(self.text[self.char : char].encode())
        else:
            self.byte -= len(self.text[char : self.char].encode())
        self.char = char
        return self.byte


def observe_federal(document: Document, names: Mapping[str, str]) -> Iterator[Observed]:
    """Every federal citation of a document, page by page, in order."""
    places = _places(document.nodes)
    for number, data in enumerate(document.pages, start=1):
        text = data.decode()
        blocks = [block for block in document.partition if block.page == number]
        scan = Scan(text, names={**names, **abbreviations(text)})
        yield from _observe_page(scan, data, blocks, places)


def _places(nodes: tuple[Node, ...]) -> dict[str, Here]:
    """Where the text of each node stands. A parent comes before its children, so its place is ready when they need it."""
    places: dict[str, Here] = {}
    contexts: dict[str, tuple[str, ...]] = {}
    for node in nodes:
        above = (*contexts.get(node.parent_id, ()), node.parent_id) if node.parent_id else ()
        contexts[node.node_id] = above
        places[node.node_id] = _below(places.get(node.parent_id or ""), node, above)
    return places


def _below(parent: Here | None, node: Node, above: tuple[str, ...]) -> Here:
    """A paragraph stands where its section does; anything else is read from its id and its ancestors'."""
    if parent and parent.unit and node.node_id.startswith(parent.unit + "("):
        return Here(node.node_id, *parent[1:])
    return stand(Place(node.node_id, above))


def _observe_page(scan: Scan, data: bytes, blocks: list[Block], places: dict[str, Here]) -> Iterator[Observed]:
    """The references of one page. Anchors and blocks are both in order: one walk over the two."""
    to_byte = Offsets(scan.text, data)
    for block, start, end, found in _by_block(scan.text, data, anchors(scan.text), blocks):
        scan.floor, scan.end, scan.out = start, end, []
        scan.here = places.get(block.node_id, Here())
        read(scan, found)
        for mention in scan.out:
            if block.role == "heading" and _names_itself(mention, scan.here):
                continue
            first = to_byte(mention.start)
            last = first + len(mention.text if to_byte.ascii else mention.text.encode())
            yield Observed(block.node_id, span_of(data, block.page, first, last), mention)


def _names_itself(mention: Mention, here: Here) -> bool:
    """A heading's own number, or the part that "Appendix A to Part 800" belongs to, is no reference."""
    target = mention.target_node_id
    return target is None or target in (here.node_id, here.part, here.subpart, here.section, here.appendix)


def _by_block(
    text: str, data: bytes, found: list[Anchor], blocks: list[Block]
) -> Iterator[tuple[Block, int, int, list[Anchor]]]:
    """The anchors of each citing block that has any, with the block's character offsets."""
    to_byte, position, index = Offsets(text, data), 0, 0
    while index < len(found):
        byte = to_byte(found[index][0])
        while position < len(blocks) and blocks[position].end <= byte:
            position += 1
        if position == len(blocks):
            return
        block = blocks[position]
        char = found[index][0]
        start = char - len(data[block.start : byte].decode())
        end = char + len(data[byte : block.end].decode())
        stop = index
        while stop < len(found) and found[stop][0] < end:
            stop += 1
        if block.role in CITING_ROLES and block.start <= byte:
            yield block, start, end, found[index:stop]
        index = stop
