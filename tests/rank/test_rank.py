"""Ranking plain passages: reading, indexing, the command's files. All passages are invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pincite.cli import app
from pincite.errors import PinciteError, UsageError
from pincite.rank import edges
from pincite.rank.collection import Item, collect, read_passages, read_queries
from pincite.rank.run import Ranker, rank_files

PASSAGES: list[dict[str, Any]] = [
    {"id": "b1", "document": "BERTH", "citation": "1", "text": "MOORING"},
    {
        "id": "b11",
        "document": "BERTH",
        "citation": "1.1",
        "text": "A pilot must moor a tanker at the oil jetty, subject to TOLL 2.1.",
    },
    {
        "id": "b12",
        "document": "BERTH",
        "citation": "1.2",
        "text": "A ferry may moor at any free berth. Rule 1.1 does not apply to it.",
    },
    {
        "id": "t21",
        "document": "TOLL",
        "citation": "2.1",
        "text": "The cashier sets the fee for each tonne of cargo discharged.",
    },
    {"id": "t22", "document": "TOLL", "citation": "2.2", "text": "Demurrage is due after three days."},
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def items() -> list[Item]:
    return [Item(row["id"], row["text"], document=row["document"], citation=row["citation"]) for row in PASSAGES]


def test_places_come_from_numbers_and_neighbours() -> None:
    collection = collect(items())
    assert collection.parents == (-1, 0, 0, -1, -1)
    assert collection.previous == (-1, 0, 1, -1, 3)
    assert collection.following == (1, 2, -1, 4, -1)
    assert collection.contexts[1] == "MOORING"


def test_references_between_the_passages_are_found_and_resolved() -> None:
    links = edges.detect(items())
    assert links.out[1] == [3]
    assert links.out[2] == [1]
    assert links.into[1] == [2]
    assert edges.none(2).out == [[], []]


def test_federal_citations_use_the_federal_grammar() -> None:
    rows = [Item("a", "See § 211.25(a).", citation="21 CFR 211.22"), Item("b", "Personnel.", citation="21 CFR 211.25")]
    assert edges.detect(rows).out == [[1], []]


def test_words_alone_rank_by_bm25_and_the_run_is_trec(tmp_path: Path) -> None:
    passages, queries = (
        write(tmp_path / "p.jsonl", PASSAGES),
        write(tmp_path / "q.jsonl", [{"id": "q", "text": "fee for cargo"}]),
    )
    rank_files(passages, queries, tmp_path / "run", method="bm25")
    first = (tmp_path / "run").read_text().splitlines()[0].split()
    assert first[:4] == ["q", "Q0", "t21", "1"]
    assert first[5] == "pincite-bm25"


def test_a_cited_passage_is_a_candidate() -> None:
    from pincite.rank import features, signals

    collection = collect(items())
    ranker = Ranker(collection, edges.detect(collection.items))
    base = features.fused(signals.measure("tanker oil jetty", ranker.fields, {}), features.FUSION)
    assert base[3] == 0
    assert 3 in features.candidates(base, ranker.shape).tolist()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n', "occurs again"),
        (b"\x89PNG\r\n\x1a\n\x00", "not JSON in UTF-8"),
        (b"[1]\n", "no object"),
        (b"\n", "no passage"),
        (b'{"text": "x"}\n', "id is missing"),
        (b'{"id": "a", "contents": "x"}\n', "text is missing"),
        (b'{"id": "a b", "text": "x"}\n', "white space"),
        (b'{"id": "a", "text": 7, "heading_path": 5}\n', "heading_path"),
    ],
)
def test_bad_passages_are_refused_in_one_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=says):
        read_passages(path)


def test_a_mark_of_byte_order_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_bytes(b'\xef\xbb\xbf{"id": "a", "text": "x"}\r\n')
    assert [item.id for item in read_passages(tmp_path / "p.jsonl")] == ["a"]


def test_an_empty_query_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is empty"):
        read_queries(write(tmp_path / "q.jsonl", [{"id": "q", "text": " ? "}]))


def test_a_failed_run_leaves_nothing(tmp_path: Path) -> None:
    passages = write(tmp_path / "p.jsonl", PASSAGES)
    queries = write(tmp_path / "q.jsonl", [{"id": "q", "text": "fee"}, {"id": "q", "text": "again"}])
    with pytest.raises(PinciteError):
        rank_files(passages, queries, tmp_path / "run", method="bm25")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.jsonl", "q.jsonl"]


DEFINED: list[dict[str, Any]] = [
    *PASSAGES,
    {"id": "t1", "document": "TOLL", "citation": "1", "text": "In these Rules:\nCoal Hulk\tMeans a ship that bunkers others."},
    {
        "id": "t23",
        "document": "TOLL",
        "citation": "2.3",
        "text": "A Coal Hulk pays half of what Rule 2.1 sets, never Rule 9.9.",
    },
]


def test_a_defined_term_is_listed_and_is_a_link_only_where_it_is_asked_for(tmp_path: Path) -> None:
    known = [Item(row["id"], row["text"], document=row["document"], citation=row["citation"]) for row in DEFINED]
    assert edges.detect(known).out[6] == [3]
    assert edges.detect(known, terms=True).out[6] == [5, 3]
    listed = [row for row in edges.rows(known) if row["source"] == "t23"]
    assert [(row["kind"], row["mention"], row["target"], row["status"]) for row in listed] == [
        ("term", "Coal Hulk", "t1", "resolved"),
        ("rule", "Rule 2.1", "t21", "resolved"),
        ("rule", "Rule 9.9", None, "unresolved"),
    ]
    result = CliRunner().invoke(app, ["refs", "--passages", str(write(tmp_path / "p.jsonl", DEFINED))])
    assert [json.loads(line) for line in result.output.splitlines()] == list(edges.rows(known))
    (tmp_path / "edges").write_text(result.output, encoding="utf-8")
    assert edges.read(tmp_path / "edges", known) == edges.detect(known)


def test_federal_passages_have_no_terms() -> None:
    rows = [
        Item("a", '"Cover" means a lid. See 21 CFR 911.2.', citation="21 CFR 911.1"),
        Item("b", "A Cover is clean.", citation="21 CFR 911.2"),
    ]
    assert [(row["kind"], row["target"]) for row in edges.rows(rows)] == [("cfr", "b")]


def test_edges_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "edges"
    path.write_text('source,target\n{"source_id": "b1", "target_id": "t22"}\nb12\tt21\n')
    links = edges.read(path, items())
    assert (links.out[0], links.out[2]) == ([4], [3])
    path.write_text("b1 nowhere\n")
    with pytest.raises(UsageError, match="no passage"):
        edges.read(path, items())


def test_the_commands(tmp_path: Path) -> None:
    write(tmp_path / "p.jsonl", PASSAGES)
    write(tmp_path / "q.jsonl", [{"id": "q", "text": "demurrage days"}])
    (tmp_path / "qrels").write_text("q 0 t22 1\n")
    runner = CliRunner()
    arguments = ["rank", "--passages", str(tmp_path / "p.jsonl"), "--queries", str(tmp_path / "q.jsonl"), "--method", "bm25"]
    assert runner.invoke(app, [*arguments, "--out", str(tmp_path / "run")]).exit_code == 0
    result = runner.invoke(app, ["score", "--run", str(tmp_path / "run"), "--qrels", str(tmp_path / "qrels")])
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert {row["measure"]: row["value"] for row in rows if "measure" in row}["RR"] == 1.0


def test_a_statement_of_facts_is_told_from_a_question() -> None:
    from pincite.rank.run import is_statement

    facts = "The master of a ferry moored it at the oil jetty. The pilot warned him of the tanker. He refused to move it. "
    assert is_statement(facts * 6)
    assert not is_statement(
        "Which berth may a ferry moor at, and what fee is due for each tonne of cargo that it discharges there?"
    )


def test_capitalised_terms_are_kept_whole() -> None:
    from pincite.rank.signals import capitals

    assert capitals("Must the Fund Manager of a Domestic Fund report?") == [
        "fund", "manag", "fund manag", "domest", "fund", "domest fund",
    ]  # fmt: skip


@pytest.mark.data
def test_the_public_sets_are_read_whole(shared_data: Path) -> None:
    from pincite.rank.public import load, present

    root = shared_data / "benchmarks"
    sizes = {name: (len(data.items), len(data.queries)) for name in present(root) if (data := load(name, root))}
    assert sizes["obliqa dev"] == (13012, 2764)
    assert sizes["obliqa_mp val"] == (13012, 427)
    assert (sizes["obliqa_xref train"][1], sizes["obliqa_xref dev"][1]) == (429, 92)
    assert sizes["pdpabench train"] == (315, 399)
    assert sizes["aila2019"] == (197, 10)
    assert sizes["scifact"] == (5183, 809)
