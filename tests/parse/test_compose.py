"""The composer: offsets, ids and hashes that an extractor cannot get wrong."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pincite.model import Source, conserved
from pincite.parse.compose import Composer, one_line

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


_LEAVES = st.lists(
    st.tuples(
        st.sampled_from(["=row-1", "=row-2", "/items/0", "a", ""]),
        st.sampled_from(["", "\n", " "]),
        st.text("aß€ ", min_size=1),
        st.text("aß", max_size=2),
    ),
    max_size=8,
)


@given(_LEAVES, st.sampled_from(["", "=group", "data"]))
def test_places_made_together_are_those_made_one_by_one(leaves: list[tuple[str, str, str, str]], above: str) -> None:
    together, apart = Composer(SOURCE, "test", "1"), Composer(SOURCE, "test", "1")
    pieces = []
    for made in (together, apart):
        made.enter("heading", fragment=above)
        made.add("Lamps:", "body", raw=(0, 6))
    for number, (fragment, gap, text, shown) in enumerate(leaves):
        at = 10 * number + 6
        pieces.append((gap, text, at, at + 1, at + 10, (fragment, "label", "name", shown, "place")))
        apart.add(gap, "blank", raw=(at, at + 1))
        apart.enter("record", fragment=fragment, label="label", heading="name")
        apart.add(text, "table", origin="place", raw=(at + 1, at + 10), shown=shown or None)
        apart.leave()
    span = together.leaves("record", "table", iter(pieces))
    assert together.document() == apart.document()
    assert span == ((apart.nodes[2].start, apart.at) if leaves else None)


@given(st.text("a \t\n\x0b\x1c\x85\xa0\u2028\u3000\xad\u200b"))
def test_white_space_becomes_one_blank(words: str) -> None:
    assert one_line(words) == " ".join(words.split())
