"""The composer: offsets, ids and hashes that an extractor cannot get wrong."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pincite.model import Source, conserved
from pincite.parse.compose import Composer

SOURCE = Source("handbook", "1", "Handbook", "handbook.md", "text/markdown", "handbook.md", 0, "")


def test_ids_follow_the_headings_and_repeats_are_told_apart() -> None:
    made = Composer(SOURCE, "test", "1")
    made.enter("heading", fragment="targets", heading="Targets")
    made.enter("heading", fragment="targets", heading="Targets")
    made.leave(1)
    made.enter("heading", fragment="targets", heading="Targets")
    made.enter("heading", fragment="p1")
    made.leave(1)
    made.enter("item", fragment="/items/3")
    ids = [node.node_id for node in made.document().nodes]
    assert ids == [
        "handbook",
        "handbook#targets",
        "handbook#targets/targets",
        "handbook#targets-2",
        "handbook#targets-2/p1",
        "handbook#/items/3",
    ]


def test_nodes_span_what_was_added_while_they_were_open() -> None:
    made = Composer(SOURCE, "test", "1")
    made.add("Before. ", "body", raw=(0, 8))
    made.enter("heading", fragment="a")
    made.add("Größe\n", "heading", origin="paragraph 2")
    made.page()
    made.add("next page", "body")
    document = made.document()
    node = document.nodes[1]
    assert (node.page, node.start, node.page_end, node.end) == (1, 8, 2, 9)
    assert document.partition[1].origin == "paragraph 2"
    assert document.partition[0][7:9] == (0, 8)
    assert document.slice(1, 8, 16).decode() == "Größe\n"


@given(st.lists(st.tuples(st.text(), st.booleans()), max_size=20))
def test_every_byte_is_covered_once(pieces: list[tuple[str, bool]]) -> None:
    made = Composer(SOURCE, "test", "1")
    for text, turn in pieces:
        made.add(text.encode("utf-8", "ignore").decode(), "body")
        if turn:
            made.page()
    assert conserved(made.document())
