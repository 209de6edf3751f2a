"""Rows to Arrow and back without loss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.model import Block, Candidate, Node, Passage, RetrievalRow, Scope, Span
from pincite.passages import chunks_of_nodes
from pincite.tables.rows import from_arrow, node_rows, partition_rows, to_arrow

SCOPE = Scope("p", "c")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.integers(0, 2**40)
spans = st.builds(Span, numbers, numbers, numbers, texts, st.none() | numbers, st.none() | numbers)
passages = st.builds(
    Passage, texts, texts, texts, texts, numbers, st.lists(texts).map(tuple), texts, texts, texts, texts,
    st.lists(spans, max_size=3).map(tuple), numbers, texts, st.none() | st.floats(0, 1), st.booleans(), texts, texts,
)  # fmt: skip


@given(st.lists(passages, max_size=5))
def test_passages_survive_the_round_trip(rows: list[Passage]) -> None:
    table = to_arrow("chunks", SCOPE, rows)
    assert from_arrow("chunks", table) == rows
    assert set(table.column("project").to_pylist()) <= {"p"}


def test_nested_optional_numbers_survive() -> None:
    candidates = (Candidate("a", "n", 0.5, 1, None, 9.5, None, True), Candidate("b", "n", 0.25, None, 2, None, 0.5, False))
    row = RetrievalRow(
        "r", "t", "q", "baseline", "local", "HYBRID", None, "", 0.5, candidates, ("a",), (), (), 10, 99, "answered", "", 0.1, 3
    )  # fmt: skip
    assert from_arrow("retrieval_log", to_arrow("retrieval_log", SCOPE, [row])) == [row]


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="values"):
        to_arrow("chunks", SCOPE, [("too", "short")])


def test_a_blocks_hash_covers_its_role() -> None:
    block = Block(0, 1, 0, 3, "body", "n", "s")
    body, note = partition_rows("d", [block, block._replace(role="note")])
    assert body[-1] != note[-1]


def passage(chunk_id: str, node_id: str, *ranges: tuple[int, int]) -> Passage:
    held = tuple(Span(1, start, end, "") for start, end in ranges)
    return Passage(chunk_id, "d", "v", node_id, 0, (), "", "body", "", "", held, 1, "observed", None, True, "", "h")


def node(node_id: str, kind: str, start: int, end: int) -> Node:
    return Node(node_id, None, kind, "", "", 0, 1, start, 1, end)


def test_a_node_knows_the_passages_that_hold_its_text() -> None:
    nodes = [
        node("P", "part", 0, 40),
        node("S1", "section", 0, 20),
        node("S1(a)", "paragraph", 5, 10),
        node("S2", "section", 20, 40),
    ]
    held = chunks_of_nodes(
        nodes, [passage("c1", "S1", (0, 3), (4, 20)), passage("c2", "S2", (20, 30)), passage("c3", "S2", (30, 40))]
    )
    assert held == [(), ("c1",), ("c1",), ("c2", "c3")]


def test_two_nodes_of_one_name_keep_their_own_passages() -> None:
    nodes = [node("S", "section", 0, 10), node("S", "section", 10, 20)]
    rows = node_rows("d", nodes, chunks_of_nodes(nodes, [passage("c1", "S", (0, 10)), passage("c2", "S", (10, 20))]))
    assert [row[-2] for row in rows] == [("c1",), ("c2",)]
