"""References between a team's own documents: by title, code, file name, heading, number and link.

    [the policy](../policies/incident.md#targets)      a link
    see the Incident Response Policy                    a title
    section 4.2 of SOP-012 rev 3; Annex B; row 7        a number, here or in a document that is named
    see "Response targets" below                        a heading
    escalation.md                                       a file

The grammar knows no title: what a mention seeks is kept as a name and found when the corpus is known (``named.py``). It is
conservative. An unquoted title must be capitalised and end in a word that says what a document is ("Policy"), or follow a word
that refers ("see the leave policy"); a name made of common words only names nothing; a document's own title is no reference.
Federal citations inside such documents are found as everywhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from pincite.model import Block, Document, Mention, Observed, Place, span_of
from pincite.references.internal_files import Found, Home
from pincite.references.internal_text import read
from pincite.references.named import FIRST
from pincite.references.names import HERE, anchor_key, folded_path, is_common_file, names_of, url_key
from pincite.references.observing import CITING_ROLES, observe_federal, together

__all__ = ["mentions", "observed"]

_WEB = ("http://", "https://", "//")


def mentions(text: str, at: Place, names: Mapping[str, str]) -> list[Mention]:
    """The references in a text that stands at a place of a document: ``handbook#targets``, or ``handbook``."""
    document_id = at.node_id.partition("#")[0]
    return [_mention(text, found) for found in read(text, Home(document_id))]


def observed(document: Document, names: Mapping[str, str]) -> list[Observed]:
    """Every reference of a document, in order: links, names and numbers, and federal citations. None overlaps another."""
    home = _home(document)
    links = [(link.page, link.start, link.end) for link in document.hyperlinks]
    return together([*_links(document, home), *_federal(document, names)], _in_text(document, home), links)


def _home(document: Document) -> Home:
    """Where mentions stand: the document's id, its folder, and the names that would be itself."""
    own = frozenset(names_of(document)[0]) if document.nodes else frozenset()
    has_rows = any(node.kind == "record" for node in document.nodes)
    folder, _, file = document.source.path.rpartition("/")
    return Home(document.source.document_id, folder, own, has_rows, file.rpartition(".")[0])


def _mention(text: str, found: Found) -> Mention:
    words = text[found.start : found.end]
    return Mention(found.start, found.end, words, found.kind, None, reason=found.reason, sought=found.sought)


def _federal(document: Document, names: Mapping[str, str]) -> list[Observed]:
    """Citations that say which authority they are of; "§ 4.2" alone is of the document itself here."""
    return [each for each in observe_federal(document, names) if each.mention.target_node_id]


# --- text ---------------------------------------------------------------------------------------------------------------


def _in_text(document: Document, home: Home) -> Iterator[Observed]:
    records = {node.node_id for node in document.nodes if node.kind == "record"}
    called = dict(zip((node.node_id for node in document.nodes), names_of(document))) if records else {}
    labels = {node.node_id: node.label for node in document.nodes if node.kind == "item"}
    links = _Links(document, home)
    for block in document.partition:
        if block.role not in CITING_ROLES:
            continue
        data = document.slice(block.page, block.start, block.end)
        text = data.decode()
        at = reached = 0
        for found in read(text, home, heading=block.role == "heading", links=links.of(block, data)):
            at += len(text[reached : found.start].encode())
            reached = found.start
            if found.end <= len(label := labels.get(block.node_id, "")) and text.startswith(label):
                continue  # "Section 1.01" before its own text
            if found.sought in called.get(block.node_id, ()):
                continue  # the code a record begins with is its own
            end = at + len(text[found.start : found.end].encode())
            span = span_of(document.pages[block.page - 1], block.page, block.start + at, block.start + end)
            yield Observed(block.node_id, span, _mention(text, found))


class _Links:
    """The links to other documents that stand in a block, in characters of its text."""

    def __init__(self, document: Document, home: Home) -> None:
        self.links = sorted(document.hyperlinks, key=lambda link: (link.page, link.start))
        self.starts = [(link.page, link.start) for link in self.links]
        self.home = home

    def of(self, block: Block, data: bytes) -> list[tuple[int, int, str]]:
        first, last = (bisect_left(self.starts, (block.page, place)) for place in (block.start, block.end))
        found = [(link, sought_by(link.target.partition("#")[0], self.home)) for link in self.links[first:last]]
        return [
            (_characters(data, link.start - block.start), _characters(data, link.end - block.start), sought)
            for link, sought in found
            if sought and link.start < link.end <= block.end
        ]


def _characters(data: bytes, end: int) -> int:
    return len(data[:end].decode(errors="ignore"))


# --- links --------------------------------------------------------------------------------------------------------------


class _Blocks:
    """Finds the block a byte stands in."""

    def __init__(self, partition: Sequence[Block]) -> None:
        self.partition = partition
        self.starts = [(block.page, block.start) for block in partition]

    def at(self, page: int, start: int) -> Block | None:
        index = bisect_right(self.starts, (page, start)) - 1
        return self.partition[index] if index >= 0 and self.partition[index].page == page else None


def _links(document: Document, home: Home) -> Iterator[Observed]:
    blocks = _Blocks(document.partition)
    for link in document.hyperlinks:
        block = blocks.at(link.page, link.start)
        sought = sought_by(link.target, home)
        if block is None or not sought or block.role not in CITING_ROLES or link.end <= link.start:
            continue
        link = link._replace(end=min(link.end, block.end))  # a reference never reaches beyond its block
        words = document.slice(link.page, link.start, link.end).decode(errors="replace")
        mention = Mention(0, len(words), words, "link", None, sought=sought)
        yield Observed(block.node_id, span_of(document.pages[link.page - 1], link.page, link.start, link.end), mention)


def sought_by(target: str, home: Home) -> str:
    """What the target of a link seeks; "" for what is no reference: an e-mail address, a script, the top of the page."""
    target = target.strip()
    if target.startswith(_WEB):
        return url_key(target) if len(target) < 2000 and url_key(target) != "url:" else ""
    if "{{" in target or "{%" in target:
        return ""  # a template's directive, which only the site's generator understands
    if "\\" in target:  # Windows and what is saved there
        target = target.replace("\\", "/")
    path, _, fragment = target.partition("#")
    places = _places(_plain(fragment)) if fragment and fragment != "top" else [""]
    if _ON_A_DISK.match(target):
        return FIRST.join(f"{each}{place}" for each in _on_a_disk(_plain(path)) for place in places)
    scheme = target.partition(":")[0]
    if ":" in target and scheme.isalpha():
        return ""
    path = _plain(path.partition("?")[0])
    if not path:
        return FIRST.join(f"here:{home.document_id}{place}" for place in places) if places[0] else ""
    paths = _paths(path, home)
    files = [*(f"path:{each}" for each in paths), *map(folded_path, paths)]
    return FIRST.join(f"{each}{place}" for each in files for place in places)


_ON_A_DISK = re.compile(r"file:|[A-Za-z]:/|//[^/.]+/", re.IGNORECASE)


def _on_a_disk(path: str) -> list[str]:
    """What a path on somebody's disk or share may mean: a file that lies alike in the corpus, the longest way first."""
    steps = [step for step in path.partition(":")[2].split("/") if step] if ":" in path else path.strip("/").split("/")
    ways = ["/".join(steps[start:]) for start in range(max(len(steps) - _DEPTH, 0), len(steps))]
    file = [f"file:{steps[-1].casefold()}"] if steps and not is_common_file(steps[-1]) else []
    return [key for way in ways for key in (f"path:{way}", folded_path(way))] + file


_OF_NODE = re.compile(r"(?:row|slide)-\d+|/.+")
_OF_CELL = re.compile(r"'?(?P<sheet>[^'!]+)'?!\$?(?P<column>[A-Z]{1,3})\$?(?P<row>\d{1,7})(?::.*)?")


def _places(fragment: str) -> list[str]:
    """What a fragment may name: an anchor; of a record or a member of JSON the node itself, whose id ends like that.

    A cell is in the record that begins in it or in the first column of its row; else its sheet is meant.
    """
    of_node = [f" {HERE}node {fragment}"] if _OF_NODE.fullmatch(fragment) else []
    if cell := _OF_CELL.fullmatch(fragment):
        sheet, rows = cell["sheet"], dict.fromkeys((cell["column"], "A"))
        of_node = [*(f" {HERE}node {sheet}!{column}{cell['row']}" for column in rows), f" {anchor_key(sheet)}"]
    return [f" {anchor_key(fragment)}", *of_node]


def _plain(text: str) -> str:
    """Percent signs read; what would be read as our own marks is taken apart."""
    from urllib.parse import unquote

    return unquote(text).replace(" | ", " ").replace(" + ", " ").replace(" § ", " ")


def _paths(path: str, home: Home) -> list[str]:
    """What a path may mean, the likeliest first.

    Relative to the folder of the document; on a site that shows ``a.md`` as ``a/`` relative to that; where it begins with a
    slash relative to the corpus or, where a site's root lies deeper, to a folder above the document.
    """
    above = [part for part in home.folder.split("/") if part]
    if path.startswith("/"):
        bases = [above[:depth] for depth in range(min(len(above), _DEPTH) + 1)]
    elif "." in path.rpartition("/")[2].strip("."):
        bases = [above]
    else:
        bases = [above, [*above, home.stem]]
    found = dict.fromkeys(each for base in bases if (each := _joined(base, path)))
    return list(found) or [path]  # one that leads out of the corpus is kept as it stands, and nothing has it


_DEPTH = 4
"""Folders below the corpus in which the root of a site is looked for."""


def _joined(base: list[str], path: str) -> str:
    """*path* seen from *base*; "" where it leads out of the corpus."""
    parts = list(base)
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or "."
