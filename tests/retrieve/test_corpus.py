from __future__ import annotations

from pincite.model import Node
from pincite.retrieve import Corpus
from pincite.retrieve.cited import mentioned


def manual(corpus: Corpus) -> Corpus:
    """The invented rules as a numbered manual: two headings, numbered paragraphs below them."""
    spans = [passage.spans[0] for passage in corpus.passages.values()]
    nodes = [Node("DMG Chapter 90", None, "chapter", "", "", 0, 1, 0, 1, spans[-1].end)]
    passages = []
    for number, (passage, span) in enumerate(zip(corpus.passages.values(), spans), start=1):
        if number in (1, 4):
            heading = f"DMG Chapter 90: Part {number}"
            nodes.append(Node(heading, "DMG Chapter 90", "heading", "", "", number * 10, 1, span.start, 1, span.end))
        node_id = f"DMG 9000{number}"
        nodes.append(Node(node_id, heading, "paragraph", str(number), "", number * 10 + 1, 1, span.start, 1, span.end))
        passages.append(passage._replace(node_id=node_id))
    return Corpus(passages, [("doc", node) for node in nodes], (), corpus.origins.values())


def test_the_unit_of_a_paragraph_is_its_section(corpus: Corpus) -> None:
    units = {passage.node_id: corpus.unit(passage) for passage in corpus.passages.values()}
    assert units["21 CFR 901.42(b)"] == units["21 CFR 901.42(a)"] == "21 CFR 901.42"
    assert units["21 CFR 901.22"] == "21 CFR 901.22"


def test_in_a_manual_it_is_the_heading_above(corpus: Corpus) -> None:
    dmg = manual(corpus)
    assert [dmg.unit(passage)[-6:] for passage in dmg.passages.values()] == ["Part 1"] * 3 + ["Part 4"] * 3


def test_citations_of_a_manual_are_known_in_questions_to_it(corpus: Corpus) -> None:
    dmg = manual(corpus)
    assert dmg.has_manuals
    assert mentioned("what does DMG 90002 say", dmg) == ["DMG 90002"]
    assert not corpus.has_manuals


def test_passages_of_a_node_and_of_what_is_below_it(corpus: Corpus) -> None:
    assert [p.node_id for p in corpus.chunks_of("21 CFR 901.42")] == ["21 CFR 901.42(a)", "21 CFR 901.42(b)"]
    assert [p.node_id for p in corpus.chunks_of("21 CFR 901.42(b)")] == ["21 CFR 901.42(b)"]
    assert corpus.chunks_of("21 CFR 999.9") == ()
