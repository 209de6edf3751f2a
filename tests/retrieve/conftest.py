"""A small invented rulebook as records: no parser, no tables, no model."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pincite.index import local
from pincite.index.local import LocalIndex
from pincite.model import Edge, Node, Passage, Span, digest, sha256_hex, span_of
from pincite.retrieve import Corpus
from pincite.retrieve.corpus import Origin

RULES = {
    "21 CFR 901.3": "Definitions. The terms in § 900.3 of this chapter apply to this part.",
    "21 CFR 900.3": "Lot means a batch, or a specific identified portion of a batch, with uniform character.",
    "21 CFR 901.22": "The quality control unit shall approve or reject all components and closures.",
    "21 CFR 901.42(a)": "Buildings shall be of suitable size to ease cleaning and proper operations.",
    "21 CFR 901.42(b)": "Adequate space prevents mixups. See §§ 900.3 through 901.22.",
    "21 CFR 901.180": "Records of distribution shall be kept for one year after the expiry date. See 21 CFR 820.30.",
}
TEXT = "\n".join(RULES.values()).encode()


def _span(text: str) -> Span:
    start = TEXT.index(text.encode())
    return span_of(TEXT, 1, start, start + len(text.encode()))


def make_passage(node_id: str, ordinal: int, indexable: bool = True) -> Passage:
    text = RULES[node_id]
    return Passage(
        chunk_id="chunk " + node_id,
        document_id="doc",
        corpus_version="2026-07-29",
        node_id=node_id,
        ordinal=ordinal,
        heading_path=("Invented rules",),
        breadcrumb="Invented rules > " + node_id,
        role="body",
        evidence_text=text,
        retrieval_text="Invented rules " + text,
        spans=(_span(text),),
        tokens=len(text.split()),
        derivation="observed",
        groundedness=None,
        indexable=indexable,
        exclusion_reason="" if indexable else "navigation",
        content_hash=digest(node_id, text),
    )


def make_edge(source: str, mention: str, target: str | None, status: str, end: str | None = None) -> Edge:
    chunks = tuple("chunk " + node_id for node_id in (target, end) if node_id in RULES)
    return Edge(
        digest(source, mention), "doc", source, "chunk " + source, mention, _span(mention), "cfr", target, end, chunks,
        status, (), "", "unresolved", "2026-07-29", digest(mention),
    )  # fmt: skip


def make_node(node_id: str, ordinal: int, kind: str, parent: str | None, start: int, end: int) -> Node:
    return Node(node_id, parent, kind, node_id.split()[-1], "", ordinal, 1, start, 1, end)


@pytest.fixture
def corpus() -> Corpus:
    passages = [make_passage(node_id, at) for at, node_id in enumerate(RULES)]
    nodes = [make_node("21 CFR Part 901", 0, "part", None, 0, len(TEXT))]
    for at, passage in enumerate(passages, start=1):
        span = passage.spans[0]
        kind = "paragraph" if "(" in passage.node_id else "section"
        parent = "21 CFR 901.42" if kind == "paragraph" else "21 CFR Part 901"
        nodes.append(make_node(passage.node_id, at, kind, parent, span.start, span.end))
    first, last = nodes[4], nodes[5]
    nodes.append(make_node("21 CFR 901.42", 9, "section", "21 CFR Part 901", first.start, last.end))
    edges = [
        make_edge("21 CFR 901.3", "§ 900.3 of this chapter", "21 CFR 900.3", "resolved"),
        make_edge("21 CFR 901.42(b)", "§§ 900.3 through 901.22", "21 CFR 900.3", "resolved", "21 CFR 901.22"),
        make_edge("21 CFR 901.180", "21 CFR 820.30", "21 CFR 820.30", "out_of_corpus"),
    ]
    origins = [Origin("doc", "Invented rules", "invented.xml", sha256_hex(TEXT))]
    return Corpus(passages, [("doc", node) for node in nodes], edges, origins)


@pytest.fixture
def index(corpus: Corpus) -> LocalIndex:
    return local.build(list(corpus.passages.values()), None)


@pytest.fixture
def rebuilt(corpus: Corpus) -> Callable[[int], LocalIndex]:
    """An index over the first so many passages only, as one that lags behind its table."""
    return lambda count: local.build(list(corpus.passages.values())[:count], None)
