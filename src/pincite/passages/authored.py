"""Authored documents: Markdown with provenance in front matter and prose in the body, the same byte for byte every time.

The front matter says where the text is from (path, sha256, document id, format, parser and its version, hash of the extracted
text) and which bytes of it each paragraph below is; there is no clock and no path of a machine in it. ``read_back`` gives the
structure again: the same headings, paragraphs and tables in the same order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pincite.errors import Malformed
from pincite.model import QUOTABLE_ROLES, Block, Document, Node, sha256_hex
from pincite.passages.outlook import printed_name

FORM = 1
"""Version of this form, in the front matter as ``authored``."""
DEEPEST = 6


class Paragraph(NamedTuple):
    """One paragraph of an authored document: the node it stands in, its role, its bytes in the extracted text, its words."""

    node_id: str
    role: str
    page: int
    start: int
    end: int
    text: str


def authored(document: Document) -> str:
    """*document* as Markdown."""
    depths = _depths(document.nodes)
    paragraphs, body = list[Paragraph](), list[str]()
    nodes = {node.node_id: node for node in document.nodes}
    opened: set[str] = {document.nodes[0].node_id} if document.nodes else set()
    for block in document.partition:
        if block.role not in QUOTABLE_ROLES:
            continue
        for node in _unopened(block.node_id, nodes, opened):
            body.append(f"{'#' * min(depths[node.node_id], DEEPEST)} {_one_line(_heading_of(node))}")
        if block.role == "heading":
            continue
        text = _words(document, block)
        paragraphs.append(Paragraph(block.node_id, block.role, block.page, block.start, block.end, text))
        body.append(_escaped(text))
    title = _one_line(document.nodes[0].heading or document.source.title) if document.nodes else document.source.title
    return "\n".join(["---", *_front(document, title, paragraphs), "---", "", f"# {title}", "", *_spaced(body)])


def read_back(text: str) -> tuple[dict[str, str], list[Paragraph]]:
    """Properties and paragraphs of an authored document; ``Malformed`` for any other."""
    match = re.match(r"---\n(.*?)\n---\n\n# [^\n]*\n\n?(.*)\Z", text, re.DOTALL)
    if not match or "\nauthored: " not in f"\n{match[1]}":
        raise Malformed("this is no authored document", next="make one with 'pincite author'")
    given, spans = dict[str, str](), list[list[object]]()
    for line in match[1].split("\n"):
        key, _, value = line.partition(": ")
        if line.startswith("  - "):
            spans.append(json.loads(line[4:]))
        elif value:
            given[key] = json.loads(value)
    blocks = [_plain(piece) for piece in re.split(r"\n\n", match[2].rstrip("\n")) if piece and not re.match(r"#{1,6} ", piece)]
    if len(blocks) != len(spans):
        raise Malformed(f"{len(spans)} paragraphs are listed and {len(blocks)} are here", next="make it again from its source")
    return given, [Paragraph._make([*span, words]) for span, words in zip(spans, blocks)]


# --- parts --------------------------------------------------------------------------------------------------------------


def _front(document: Document, title: str, paragraphs: Sequence[Paragraph]) -> Iterator[str]:
    source = document.source
    properties = {
        "authored": str(FORM),
        "title": title,
        "document_id": source.document_id,
        "source_path": source.path,
        "source_sha256": source.source_sha256,
        "text_sha256": sha256_hex(b"".join(document.pages)),
        "media_type": source.media_type,
        "parser": f"{document.parser} {document.parser_version}",
    }
    for key, value in properties.items():
        yield f"{key}: {json.dumps(value, ensure_ascii=False)}"
    yield "spans:"
    for each in paragraphs:
        yield f"  - {json.dumps(each[:5], ensure_ascii=False)}"


def _depths(nodes: Sequence[Node]) -> dict[str, int]:
    depths: dict[str, int] = {}
    for node in nodes:
        depths[node.node_id] = depths.get(node.parent_id or "", 0) + 1
    return depths


def _unopened(node_id: str, nodes: dict[str, Node], opened: set[str]) -> list[Node]:
    """The places with a name that begin here, the outermost first."""
    chain: list[Node] = []
    while node_id and node_id not in opened:
        opened.add(node_id)
        node = nodes[node_id]
        if _heading_of(node):
            chain.append(node)
        node_id = node.parent_id or ""
    return chain[::-1]


def _heading_of(node: Node) -> str:
    """The heading a place gets; list items and unnamed tables get none."""
    return "" if node.kind in ("item", "footnote", "note") else printed_name(node)


def _words(document: Document, block: Block) -> str:
    shown = document.display.get(block.ordinal)
    return shown if shown is not None else document.slice(block.page, block.start, block.end).decode()


def _one_line(text: str) -> str:
    return " ".join(text.split())


_MARK = re.compile(r"^(?=[\\#]|---|[^\S\n]*$)", re.MULTILINE)


def _escaped(text: str) -> str:
    """A paragraph that no reader takes for two, or for a heading."""
    return _MARK.sub(r"\\", text.replace("\r\n", "\n").replace("\r", "\n").strip("\n"))


def _plain(text: str) -> str:
    return re.sub(r"^\\", "", text, flags=re.MULTILINE)


def _spaced(body: Sequence[str]) -> Iterator[str]:
    for piece in body:
        yield piece
        yield ""
