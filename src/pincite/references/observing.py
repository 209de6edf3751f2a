"""References in a parsed document: one scan of a page's whole text, each anchor read inside its own block.

A block of the partition is as far as a reference may reach: "… of § 211.22" at the end of one paragraph never takes the
"(a)" that opens the next. The block's node says where the reference stands.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from pincite.model import Block, Document, Mention, Node, Observed, Span
from pincite.references.act import abbreviations
from pincite.references.grammar import Anchor, anchors, read
from pincite.references.place import Here, codified, is_within, read_id
from pincite.references.reading import UNTITLED, Scan

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


def observe_federal(document: Document, names: Mapping[str, str]) -> list[Observed]:
    """Every federal citation of a document, page by page, in order."""
    places = Places(document.nodes)
    observed: list[Observed] = []
    title = places.base.title or (read_id(document.nodes[-1].node_id).title if document.nodes else "")
    for number, data in enumerate(document.pages, start=1):
        text = data.decode()
        found = anchors(text, title=title)
        if found:
            blocks = document.partition
            if len(document.pages) > 1:
                blocks = tuple([block for block in blocks if block[1] == number])
            _observe_page(Scan(text, names={**names, **abbreviations(text)}), data, found, blocks, places, observed)
    return observed


class Places:
    """Where the text of each node stands. A paragraph stands where its section does, so few places are ever read."""

    def __init__(self, nodes: tuple[Node, ...]) -> None:
        self.parents = {node[0]: node[1] for node in nodes}
        self.known: dict[str, Here] = {}
        self.last = self.base = Here(title=_title_amended(nodes))

    def __getitem__(self, node_id: str) -> Here:
        if not is_within(node_id, self.last.unit):
            self.last = self._read(node_id) if node_id else self.base
        return self.last

    def _read(self, node_id: str) -> Here:
        here = self.known.get(node_id)
        if here is None:
            parent = self.parents.get(node_id)
            above = self._read(parent) if parent else self.base
            name = codified(node_id)
            here = self.known[node_id] = above if is_within(name, above.unit) else above.down_to(name)
        return here


def _title_amended(nodes: tuple[Node, ...]) -> str:
    """The one title of the Code that a Federal Register document amends; "" for any other document."""
    if not nodes or not nodes[0].node_id.startswith("FR Doc. "):
        return ""
    titles = {read_id(codified(node.node_id)).title for node in nodes} - {""}
    return titles.pop() if len(titles) == 1 else ""


def _observe_page(
    scan: Scan, data: bytes, found: list[Anchor], blocks: Sequence[Block], places: Places, observed: list[Observed]
) -> None:
    """The references of one page. Anchors and blocks are both in order: one walk over the two.

    Anchors are counted in characters and blocks in bytes; each step costs the bytes between one anchor's block and the next.
    """
    text, index, count = scan.text, 0, len(found)
    ends = [block[3] for block in blocks]
    char = byte = number = 0  # the same place in both, no later than the next anchor; and the block that it is in or before
    while index < count:
        anchor = found[index][0]
        byte += len(text[char:anchor].encode())
        number = bisect_right(ends, byte, number)
        if number == len(blocks):
            return
        _, _, begin, stop, role, node_id, *_ = block = blocks[number]
        start = anchor - len(data[begin:byte].decode())
        end = anchor + len(data[byte:stop].decode())
        first = index
        while index < count and found[index][0] < end:
            index += 1
        char, byte = end, stop
        alone = index - first == 1 or (index - first == 2 and found[first + 1][0] < start + 8)
        if alone and role == "heading" and text.startswith(("§ ", "Subpart "), start) and anchor < start + 4:
            continue  # "§ 211.22 Responsibilities": its only anchors are its own number
        if role in CITING_ROLES:
            scan.floor, scan.end, scan.out = start, end, []
            scan.node_id, scan.here, scan.near, scan.titled = codified(node_id), places[node_id], "", UNTITLED
            read(scan, found[first:index])
            if scan.out:
                _add(scan, data, block, start, observed)


def _add(scan: Scan, data: bytes, block: Block, start: int, observed: list[Observed]) -> None:
    """What was read in a block, with byte spans. *start* is the character the block begins at."""
    _, page, byte, stop, role, node_id, *_ = block
    text, make = scan.text, tuple.__new__
    plain, heading = scan.end - start == stop - byte, role == "heading"
    for mention in scan.out:
        begin, end, words = mention[:3]
        byte += begin - start if plain else len(text[start:begin].encode())
        last = byte + (len(words) if plain or words.isascii() else len(words.encode()))
        if not (heading and _names_itself(mention, scan)):
            span = make(Span, (page, byte, last, sha256(data[byte:last]).hexdigest(), None, None))
            observed.append(make(Observed, (node_id, span, mention)))
        start, byte = end, last


def _names_itself(mention: Mention, scan: Scan) -> bool:
    """A heading's own number, or the part that "Appendix A to Part 800" belongs to, is no reference."""
    target, here = mention.target_node_id, scan.here
    return target is None or target in (scan.node_id, here.part, here.subpart, here.section, here.appendix)


# --- two grammars over one document ------------------------------------------------------------------------------------


def together(
    first: Sequence[Observed], second: Iterable[Observed], taken: Iterable[tuple[int, int, int]] = ()
) -> list[Observed]:
    """The references of two grammars in order; of the second only what overlaps none of the first, nor of *taken*, which
    are (page, start, end)."""
    spans = sorted([*((each.span.page, each.span.start, each.span.end) for each in first), *taken])
    found = [*first, *(each for each in second if not _overlaps(each, spans))]
    return sorted(found, key=lambda each: (each.span.page, each.span.start))


def _overlaps(each: Observed, taken: Sequence[tuple[int, int, int]]) -> bool:
    span = each.span
    at = bisect_right(taken, (span.page, span.end - 1, 1 << 62)) - 1
    return at >= 0 and taken[at][0] == span.page and taken[at][2] > span.start
