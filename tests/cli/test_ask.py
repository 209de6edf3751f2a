"""query, show, check and index on a state folder written without an engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pincite import parse, passages, references
from pincite.cli import app
from pincite.errors import IndexFault, PinciteError, UsageError
from pincite.model import Scope, Source, sha256_hex
from pincite.references.resolve import known_of, resolve
from pincite.retrieve.session import refresh_index
from pincite.tables import rows as table_rows

RULES = b"""<?xml version="1.0" encoding="UTF-8"?>
<DIV5 N="7" TYPE="PART"><HEAD>PART 7&#x2014;LADDERS</HEAD>
<DIV8 N="7.1" TYPE="SECTION"><HEAD>&#xA7; 7.1 Rungs.</HEAD>
<P>(a) A rung and its pegs shall bear 90 kg.</P>
<P>(b) A cracked rung shall be replaced at once, as &#xA7; 7.2 sets out.</P>
</DIV8>
<DIV8 N="7.2" TYPE="SECTION"><HEAD>&#xA7; 7.2 Repair.</HEAD><P>Glue shall dry for a day before a ladder is climbed.</P></DIV8>
</DIV5>
"""
SCOPE = Scope("home", "ladders")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    from deltalake import write_deltalake

    source = Source(
        "ladders", "2026-01-01", "Ladders", "", "application/xml", "title-5/part-7.xml", len(RULES), sha256_hex(RULES)
    )
    document = parse.parse(source, RULES)
    chunks = passages.build(document)
    nodes = table_rows.node_rows("ladders", document.nodes, passages.chunks_of_nodes(document.nodes, chunks))
    known = known_of(zip(["ladders"] * len(nodes), (node[1] for node in nodes), (node[-2] for node in nodes)))
    edges = resolve(references.observe(document), known, source=source, passages=chunks)
    content: dict[str, Any] = {"chunks": chunks, "nodes": nodes, "relation_edges": edges}
    content["documents"] = [table_rows.document_row(document, len(chunks), "v1")]
    for name, rows in content.items():
        arrow = table_rows.to_arrow(name, SCOPE, rows)
        write_deltalake(str(tmp_path / "tables" / name), arrow, partition_by=["project", "collection"])
    raw = tmp_path / "raw" / "title-5" / "part-7.xml"
    raw.parent.mkdir(parents=True)
    raw.write_bytes(RULES)
    refresh_index(tmp_path, method="bm25")
    return tmp_path


@pytest.fixture
def pincite(state: Path) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, [*arguments, "--state", str(state)] if arguments[0] != "check" else list(arguments))
        if isinstance(result.exception, PinciteError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


def test_a_question_its_json_and_its_check(pincite: Callable[..., str], state: Path) -> None:
    text = pincite("query", "what about a cracked rung", "--no-log")
    assert text.startswith("ANSWERED (local-bm25, following references")
    assert "followed from 5 CFR 7.1" in text
    answer = pincite("query", "what about a cracked rung", "--no-log", "--json")
    assert answer.count("\n") == 1
    assert json.loads(answer)["status"] == "answered"
    (state / "answer.json").write_text(answer, encoding="utf-8")
    assert "are as published" in pincite("check", str(state / "answer.json"), "--raw", str(state / "raw"))


def test_the_baseline_does_not_follow(pincite: Callable[..., str]) -> None:
    steps = [p["step"] for p in json.loads(pincite("query", "cracked rung", "--baseline", "--no-log", "--json"))["passages"]]
    assert "search" in steps
    assert "follow" not in steps


@pytest.mark.parametrize(("question", "reason"), [("", "empty"), ("a\x00b", "binary"), ("rung " * 5000, "25000 characters")])
def test_what_cannot_be_asked_exits_with_a_sentence(pincite: Callable[..., str], question: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        pincite("query", question, "--no-log")


def test_a_node_with_what_cites_it(pincite: Callable[..., str]) -> None:
    assert "cited by:\n    5 CFR 7.1(b) (“§ 7.2”, resolved)" in pincite("show", "5 CFR 7.2")
    shown = json.loads(pincite("show", "7.1 (a)", "--json"))
    assert (shown["node_id"], shown["text"]) == ("5 CFR 7.1(a)", "(a) A rung and its pegs shall bear 90 kg.")


def test_an_index_that_is_gone_or_of_other_rows(pincite: Callable[..., str], state: Path) -> None:
    from deltalake import DeltaTable

    assert "left as it is" in pincite("index", "--method", "bm25")
    DeltaTable(str(state / "tables" / "chunks")).delete("node_id = '5 CFR 7.2'")
    with pytest.raises(IndexFault, match="holds other passages now"):
        pincite("query", "rung", "--no-log")
    assert "built: the passages or the model changed" in pincite("index", "--method", "bm25")
    assert pincite("query", "rung", "--no-log").startswith("ANSWERED")


def test_a_corpus_that_is_not_there(pincite: Callable[..., str], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such corpus; name one with --project and --collection: home/ladders"):
        pincite("query", "rung", "--project", "none")
    with pytest.raises(UsageError, match="there are no tables here; make them"):
        refresh_index(tmp_path / "empty")
    (tmp_path / "empty" / "house" / "tables").mkdir(parents=True)
    with pytest.raises(UsageError, match=r"name one with --state: .*house"):
        refresh_index(tmp_path / "empty")
