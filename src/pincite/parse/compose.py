"""A document made piece by piece: how every format that is not a regulation or a manual becomes a ``Document``.

An extractor walks its file once and calls ``enter`` and ``leave`` for places, ``add`` for text. What it adds, in order, *is*
the canonical text; blocks, nodes, ids, hashes and offsets follow from it here, so that no extractor can get them wrong.

Two kinds of formats use it:

- formats that are text (Markdown, CSV, JSON, plain text): the pieces are the file's own characters, in order and without a gap,
  each with its ``raw`` byte range in the file;
- formats without text of their own (DOCX, XLSX, PPTX, e-mail): the pieces are what the extractor reads, each with an ``origin``
  that a person can find in the original ("word/document.xml paragraph 12", "Prices!B7", "slide 3, shape 2").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from pincite.model import Block, Document, Finding, Hyperlink, Link, Node, Source
from pincite.parse.numbers import split_number

_NOT_IN_SLUG = re.compile(r"[^\w.]+")


def slug(words: str, limit: int = 60) -> str:
    """A heading as it stands in a node id: lower case, words joined with ``-``, any script.

    >>> slug("Response targets (P1–P4)")
    'response-targets-p1-p4'
    """
    plain = _NOT_IN_SLUG.sub("-", unicodedata.normalize("NFKC", words).casefold()).strip("-.")
    return plain[:limit].strip("-.") or "untitled"


def one_line(words: str) -> str:
    """*words* with one blank for each stretch of white space and none at the ends."""
    if words.isprintable() and "  " not in words and words[:1] != " " != words[-1:]:
        return words  # the only white space that can be printed is the blank
    return " ".join(words.split())


_new = tuple.__new__  # a record costs a third of the time without the call of its own constructor (decision 0001)


@lru_cache(maxsize=256)
def _hash_of_blank(data: bytes) -> str:
    """White space between blocks is mostly the same."""
    return sha256(data).hexdigest()


class _Open(NamedTuple):
    """An open place; ``place`` is where its node stands in the list."""

    node_id: str
    fragment: str
    place: int


_RESUMED = -1
_NOWHERE = None, None

Place = tuple[str, str, str, str, str]
"""A place of one block: its fragment, label, heading, display text ("" where that is its text) and origin."""
Piece = tuple[str, str, int, int, int, Place]
"""A stretch of a text format that is a place: the white space before it, its characters, where in the file the bytes of the one
and of the other begin, where they end, and the place."""


class Composer:
    """Collects one document. The root node has the document's id; every other id is ``document_id#fragment``.

    Offsets are UTF-8 bytes in the current page's text. The pieces of a text format must be added without a gap.
    """

    def __init__(self, source: Source, parser: str, version: str) -> None:
        self.source, self.parser, self.version = source, parser, version
        self.texts: list[list[bytes]] = [[]]
        self.at = 0
        self.blocks: list[Block] = []
        self.nodes: list[Node] = []
        self.links: list[Link] = []
        self.findings: list[Finding] = []
        self.display: dict[int, str] = {}
        self.hyperlinks: list[Hyperlink] = []
        self.anchors: dict[str, str] = {}
        self._sections: list[tuple[int, int]] = []  # level and depth of each open heading
        self._paragraph = (0, "")  # how deep the numbered paragraph is that was opened last, and its id
        self._base = 1  # how deep the place is that they are in
        self._seen: dict[str, int] = {}
        self._open: list[_Open] = []
        self._prefix = f"{source.document_id}#"
        self.enter("document", heading=source.title, node_id=source.document_id)

    # --- places -----------------------------------------------------------------------------------------------------

    @property
    def node_id(self) -> str:
        """The innermost open place."""
        return self._open[-1].node_id

    @property
    def depth(self) -> int:
        """How many places are open; 1 is the document alone."""
        return len(self._open)

    @property
    def kind(self) -> str:
        """What the innermost open place is."""
        return self.nodes[self._open[-1].place].kind

    def enter(self, kind: str, *, fragment: str = "", label: str = "", heading: str = "", node_id: str = "") -> str:
        """Open a place below the current one and return its id.

        *fragment* is appended to that of the place above with ``/``; one that begins with ``/`` or ``=`` stands for itself
        (a JSON pointer ``/items/3``; ``=row-7`` becomes ``row-7``). A repeated id gets ``-2``, ``-3``, ...
        """
        opened, at = self._open, self.at
        above, path = (opened[-1][0], _joined(opened[-1][1], fragment)) if opened else (None, fragment)
        wanted = node_id or self._prefix + path
        name = self._distinct(wanted)
        if name is not wanted:
            path += name[len(wanted) :]
        place, page = len(self.nodes), len(self.texts)
        opened.append(_new(_Open, (name, path, place)))
        columns = (name, above, kind, label, heading, place, page, at, page, at, None, None, False, (), "")
        self.nodes.append(_new(Node, columns))
        return name

    def leaves(self, kind: str, role: str, pieces: Iterable[Piece]) -> tuple[int, int] | None:
        """Places of one block each below the current one, for rows and records; the byte range from the first to the last.

        It is what ``enter``, ``add`` and ``leave`` make of each, in a third of the time.
        """
        above, path, _ = self._open[-1]
        nodes, blocks, texts, seen = self.nodes, self.blocks, self.texts[-1], self._seen
        page, at, ordinal, first = len(self.texts), self.at, len(blocks), len(nodes)
        for gap, words, before, raw_start, raw_end, (fragment, label, heading, shown, origin) in pieces:
            if gap:
                data = gap.encode()
                end = at + len(data)
                blank = (ordinal, page, at, end, "blank", "", _hash_of_blank(data), before, raw_start, "")
                blocks.append(_new(Block, blank))
                texts.append(data)
                at, ordinal = end, ordinal + 1
            data = words.encode()
            end = at + len(data)
            name = self._prefix + _joined(path, fragment)
            if name in seen:
                name = self._distinct(name)
            seen[name] = 1
            columns = (name, above, kind, label, heading, len(nodes), page, at, page, end, None, None, False, (), "")
            nodes.append(_new(Node, columns))
            if shown and shown != words:
                self.display[ordinal] = shown
            block = (ordinal, page, at, end, role, name, sha256(data).hexdigest(), raw_start, raw_end, origin)
            blocks.append(_new(Block, block))
            texts.append(data)
            at, ordinal = end, ordinal + 1
        self.at = at
        return (nodes[first].start, at) if len(nodes) > first else None

    def resume(self, node_id: str) -> None:
        """Open a place again that was closed: what is entered now is below it too. Its own range stays that of before."""
        self._open.append(_Open(node_id, node_id.partition("#")[2], _RESUMED))

    def leave(self, depth: int | None = None) -> None:
        """Close the innermost place, or all until *depth* are open."""
        target = len(self._open) - 1 if depth is None else depth
        nodes = self.nodes
        while len(self._open) > max(target, 0):
            index = self._open.pop()[2]
            if index != _RESUMED:
                node = nodes[index]
                nodes[index] = _new(Node, (*node[:8], len(self.texts), self.at, *node[10:]))

    def title(self, words: str) -> None:
        """What the document itself gives as its title becomes the heading of the root node."""
        self.nodes[0] = self.nodes[0]._replace(heading=words)

    def entitle(self, words: str) -> None:
        """Call an open attachment by the title of what it holds; its label stays its file's name."""
        at = self._open[-1].place
        if words and self.nodes[at].kind == "attachment":
            self.nodes[at] = self.nodes[at]._replace(heading=words)

    def section(self, level: int, words: str, name: str = "") -> str:
        """Open the ``heading`` place of a heading, after closing what a heading of its *level* ends; its node id.

        A number it begins with becomes the label ("3.2"); *name* is an id of its own, where the document gives one.
        """
        while self._sections and (self._sections[-1][0] >= level or self._sections[-1][1] > self.depth):
            self._sections.pop()
        self.leave(self._sections[-1][1] if self._sections else self._base)
        self._sections.append((level, self.depth + 1))
        label, heading = split_number(words)
        return self.enter("heading", fragment=slug(name or f"{label} {heading}"), label=label, heading=heading)

    def paragraph(self, label: str, fragment: str = "") -> str:
        """Open a paragraph with a number of its own ("2.1"); it holds what follows up to the next one or the next heading."""
        depth, node_id = self._paragraph
        if 0 < depth <= self.depth and self._open[depth - 1][0] == node_id:
            self.leave(depth - 1)
        name = self.enter("item", fragment=fragment or label, label=label)
        self._paragraph = self.depth, name
        return name

    def enclose(self) -> Callable[[], None]:
        """Until what is returned is called, headings open places below the current one, and end with it: those of a box."""
        before = self._sections, self._base
        depth = self.depth
        self._sections, self._base = [], depth

        def end() -> None:
            self.leave(min(depth, self.depth))
            self._sections, self._base = before

        return end

    def ends_in(self, role: str) -> bool:
        """Whether the last text that was added has this role."""
        return next((block.role == role for block in reversed(self.blocks) if block.role != "blank"), False)

    def _distinct(self, wanted: str) -> str:
        if wanted not in self._seen:
            self._seen[wanted] = 1
            return wanted
        name = wanted
        while name in self._seen:
            self._seen[wanted] += 1
            name = f"{wanted}-{self._seen[wanted]}"
        self._seen[name] = 1
        return name

    # --- text -------------------------------------------------------------------------------------------------------

    def add(
        self, text: str, role: str, *, origin: str = "", raw: tuple[int, int] | None = None, shown: str | None = None
    ) -> tuple[int, int]:
        """Append *text* as one block of the current place and return its byte range; an empty text makes no block.

        *shown*: display text where it differs from the source (markup taken off).
        """
        data, start = text.encode(), self.at
        if not data:
            return start, start
        end = self.at = start + len(data)
        blocks, blank = self.blocks, role == "blank"
        ordinal = len(blocks)
        if shown is not None and shown != text:
            self.display[ordinal] = shown
        digest = _hash_of_blank(data) if blank else sha256(data).hexdigest()
        raw_start, raw_end = raw or _NOWHERE
        node_id = "" if blank else self._open[-1][0]
        columns = (ordinal, len(self.texts), start, end, role, node_id, digest, raw_start, raw_end, origin)
        blocks.append(_new(Block, columns))
        self.texts[-1].append(data)
        return start, end

    def page(self) -> None:
        """Begin the next page (a slide, a sheet): offsets start again at 0. Places may stay open across pages.

        A page without text yet is the next page already.
        """
        if self.texts[-1]:
            self.texts.append([])
        self.at = 0

    def link(self, kind: str, mark: tuple[int, int, int], target: tuple[int, int, int]) -> None:
        """Tie two ranges ``(page, start, end)``: a footnote's mark and its text."""
        self.links.append(Link(kind, *mark, *target))

    def hyperlink(self, target: str, start: int, end: int) -> None:
        """The words at bytes *start* to *end* of the current page lead to *target* (an href, as written)."""
        self.hyperlinks.append(Hyperlink(len(self.texts), start, end, target))

    def anchor(self, name: str) -> None:
        """Links to ``#name`` lead to the current place; the first place of that name keeps it."""
        self.anchors.setdefault(name, self.node_id)

    def find(self, kind: str, subject: str, reason: str, start: int | None = None, end: int | None = None) -> None:
        """Note what is not supported or could not be settled; here, unless a byte range is given."""
        start = self.at if start is None else start
        self.findings.append(Finding(kind, len(self.texts), start, max(start, end or start), subject, reason))

    def embed(self, inner: Document, where: str) -> None:
        """Take in the document of an attachment: its pages follow, its nodes stand below the current place.

        *inner* has the current place's id as its document_id; *where* is put before the origins.
        """
        if not self.texts[-1]:
            self.texts.pop()
        ids = {inner.source.document_id: self.node_id, "": ""}
        pages, blocks = len(self.texts), len(self.blocks)
        for node in inner.nodes[1:]:
            ids[node.node_id] = self._distinct(_below(self.node_id, node.node_id))
            above = ids.get(node.parent_id or "") or self.node_id
            moved = node._replace(page=node.page + pages, page_end=node.page_end + pages, raw_start=None, raw_end=None)
            self.nodes.append(moved._replace(node_id=ids[node.node_id], parent_id=above, ordinal=len(self.nodes)))
        for block in inner.partition:
            origin = ", ".join(filter(None, (where, block.origin or _byte_range(block))))
            placed = block._replace(page=block.page + pages, raw_start=None, raw_end=None, origin=origin)
            self.blocks.append(placed._replace(ordinal=block.ordinal + blocks, node_id=ids[block.node_id]))
        self.display.update({blocks + ordinal: words for ordinal, words in inner.display.items()})
        self.links += [at._replace(page=at.page + pages, target_page=at.target_page + pages) for at in inner.links]
        self.findings += [found._replace(page=found.page + pages) for found in inner.findings]
        self.hyperlinks += [link._replace(page=link.page + pages) for link in inner.hyperlinks]
        for name, node_id in inner.anchors.items():
            self.anchors.setdefault(name, ids[node_id])
        self.texts += [[page] for page in inner.pages]
        self.at = len(inner.pages[-1]) if inner.pages else self.at

    def document(self) -> Document:
        """The finished document, everything closed."""
        self.leave(0)
        pages = tuple(b"".join(texts) for texts in self.texts)
        parts = tuple(self.nodes), tuple(self.blocks), tuple(self.links), tuple(self.findings)
        return Document(
            self.source, self.parser, self.version, pages, *parts, self.display, tuple(self.hyperlinks), self.anchors
        )


def _below(above: str, node_id: str) -> str:
    """The id of a node of an attachment whose own id is *above*."""
    bare = node_id.removeprefix(above).lstrip("#/")
    return f"{above}{'/' if '#' in above else '#'}{bare}"


def _byte_range(block: Block) -> str:
    return "" if block.raw_start is None else f"bytes {block.raw_start} to {block.raw_end}"


def _joined(above: str, fragment: str) -> str:
    first = fragment[:1]
    if first == "=":
        return fragment[1:]
    if first == "/" or not above:
        return fragment
    return f"{above}/{fragment}" if fragment else above
