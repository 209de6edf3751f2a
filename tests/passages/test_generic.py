"""Passages of documents made by a composer: procedures, registers, slides."""

from __future__ import annotations

import time

from pincite.model import Document, Passage, Source
from pincite.parse.compose import Composer
from pincite.passages import build, chunks_of_nodes
from pincite.passages.budget import DEFAULT_BUDGET

LONG = "The duty engineer writes down what was seen, who was told and what was decided about it. "


def source(title: str = "Service handbook", name: str = "handbook") -> Source:
    return Source(name, "1", title, f"{name}.md", "text/markdown", f"{name}.md", 0, "")


def put(made: Composer, text: str, role: str = "body", shown: str | None = None) -> tuple[int, int]:
    span = made.add(text, role, shown=shown)
    made.add("\n\n", "blank")
    return span


def section(made: Composer, name: str, depth: int = 1) -> None:
    made.leave(depth)
    made.enter("heading", fragment=name.lower().replace(" ", "-"), heading=name)
    put(made, f"{'#' * (depth + 1)} {name}", "heading", name)


def item(made: Composer, label: str, text: str) -> None:
    made.enter("item", fragment=f"item-{label}", label=label)
    put(made, f"- {text}", shown=text)
    made.leave()


def indexed(document: Document) -> list[Passage]:
    return [passage for passage in build(document) if passage.indexable]


def test_no_passage_reaches_across_headings_and_each_has_its_breadcrumb() -> None:
    made = Composer(source(), "test", "1")
    put(made, "# Service handbook", "heading", "Service handbook")
    put(made, "How we work.")
    section(made, "Escalation")
    section(made, "Response targets", 2)
    put(made, "**Four** hours.", shown="Four hours.")
    section(made, "Contacts")
    put(made, "Ask the desk.")
    passages = indexed(made.document())
    assert [(p.node_id, p.breadcrumb) for p in passages] == [
        ("handbook", "Service handbook"),
        ("handbook#escalation/response-targets", "Service handbook > Escalation > Response targets"),
        ("handbook#contacts", "Service handbook > Contacts"),
    ]
    assert passages[1].evidence_text == "### Response targets\n**Four** hours."
    assert passages[1].retrieval_text.endswith("\nResponse targets\nFour hours.")


def test_a_heading_that_repeats_the_title_is_shown_once() -> None:
    made = Composer(source(), "test", "1")
    section(made, "Service Handbook")
    section(made, "Scope", 2)
    put(made, "Everyone.")
    assert [p.breadcrumb for p in indexed(made.document())] == ["Service handbook > Scope"]


def test_each_list_of_a_section_stands_below_the_sentence_before_it() -> None:
    made = Composer(source(), "test", "1")
    section(made, "Incidents")
    for name in ("The first responder does this", "The manager does this"):
        put(made, f"{name}:")
        for number in (1, 2):
            item(made, f"{name[4]}{number}", LONG * 6)
    passages = indexed(made.document())
    assert len(passages) == 4
    assert all("The first responder does this:" in p.retrieval_text for p in passages[:2])
    assert all("The manager does this:" in p.retrieval_text for p in passages[2:])
    assert not any("first responder does" in p.retrieval_text for p in passages[2:])


def table(made: Composer, rows: int) -> None:
    made.enter("table", fragment="table")
    head = put(made, "| Priority | Target |", "table", "Priority | Target")
    spans = [put(made, f"| P{n} | {LONG}|", "table", f"P{n} | {LONG}") for n in range(rows)]
    made.link("table_header", (1, spans[0][0], spans[-1][1]), (1, *head))
    made.leave()


def test_a_small_table_stays_with_the_sentence_that_introduces_it() -> None:
    made = Composer(source(), "test", "1")
    section(made, "Targets")
    put(made, "These are the targets:")
    table(made, 2)
    (passage,) = indexed(made.document())
    assert passage.evidence_text.startswith("## Targets\nThese are the targets:\n| Priority")
    assert passage.node_id == "handbook#targets"


def test_every_piece_of_a_long_table_has_the_header_and_stays_within_the_budget() -> None:
    made = Composer(source(), "test", "1")
    section(made, "Targets")
    put(made, "These are the targets:")
    table(made, 40)
    lead_in, *passages = indexed(made.document())
    assert lead_in.node_id == "handbook#targets"
    assert len(passages) > 4
    assert all("Priority | Target" in p.retrieval_text for p in passages)
    assert all("These are the targets:" in p.retrieval_text for p in passages)
    assert all(p.tokens <= DEFAULT_BUDGET + 10 for p in passages)
    rows = [row for p in passages for row in p.evidence_text.split("\n") if row.startswith("| P")]
    assert len(rows) == len(set(rows)) == 41


def register(rows: int) -> Document:
    made = Composer(source("Risk register", "register"), "test", "1")
    head = made.add("ID,Risk,Owner\n", "table")
    first = made.at
    for number in range(1, rows + 1):
        made.enter("record", fragment=f"=row-{number}", label=str(number))
        made.add(f"R-{number},Flood,Facilities\n", "table")
        made.leave()
    made.link("table_header", (1, first, made.at), (1, *head))
    return made.document()


def test_a_record_is_one_passage_with_the_header_in_its_text_for_matching() -> None:
    passages = indexed(register(3))[1:]
    assert [p.node_id for p in passages] == ["register#row-1", "register#row-2", "register#row-3"]
    assert passages[1].evidence_text == "R-2,Flood,Facilities\n"
    assert "ID,Risk,Owner" in passages[1].retrieval_text


def test_passages_of_a_register_take_time_in_proportion_to_its_rows() -> None:
    def seconds(rows: int) -> float:
        document = register(rows)
        started = time.process_time()
        chunks_of_nodes(document.nodes, build(document))
        return time.process_time() - started

    seconds(100)
    assert min(seconds(16_000) for _ in range(2)) < 30 * min(
        seconds(2_000) for _ in range(3)
    )  # 8 times the rows; squared it is 64


def test_a_document_is_held_by_how_it_begins() -> None:
    document = register(300)
    passages = build(document)
    held = dict(zip([node.node_id for node in document.nodes], chunks_of_nodes(document.nodes, passages)))
    assert held["register"] == (passages[0].chunk_id,)
    assert held["register#row-7"] == (passages[7].chunk_id,)


def test_a_document_without_an_opening_is_held_by_its_first_passage() -> None:
    made = Composer(source(), "test", "1")
    put(made, "# Service handbook", "heading")
    section(made, "Purpose")
    put(made, "To serve.")
    section(made, "Targets")
    put(made, "Four hours.")
    document = made.document()
    passages = build(document)
    held = chunks_of_nodes(document.nodes, passages)
    assert [p.evidence_text for p in passages if p.chunk_id in held[0]] == ["## Purpose\nTo serve."]


def test_places_where_a_word_may_be_broken_are_none_of_what_is_searched() -> None:
    made = Composer(source(), "test", "1")
    put(made, "The light\u00adhouse burns whale\u200boil.")
    (passage,) = indexed(made.document())
    assert passage.retrieval_text.endswith("The lighthouse burns whaleoil.")
    assert "light\u00adhouse" in passage.evidence_text
