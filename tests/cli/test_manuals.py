"""Manuals are a corpus like any other: show, show --page, query, check and evaluate staff on a PDF of our own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from pincite import parse, passages, references
from pincite.cli import app
from pincite.errors import HashMismatch, MissingSource, PinciteError, UsageError
from pincite.model import Scope, Source, sha256_hex
from pincite.references.resolve import known_of, resolve
from pincite.retrieve.session import refresh_index
from pincite.tables import rows as table_rows

SCOPE = Scope("home", "manuals")
PAGES = (
    (
        "DMG Chapter 99: Ladders",
        "Subpages",
        "99001 The DM should accept a ladder with pegs, see DMG 99002.",
        "99002 A cracked rung is replaced where",
    ),
    ("1. it is of oak or", "2. it bears less than 90 kg.", "99003 A stool is no ladder."),
)
FILE = "dmg/chapter-99.pdf"


def _pdf() -> bytes:
    import pymupdf

    document = pymupdf.open()
    for lines in PAGES:
        sheet = document.new_page()
        for at, text in enumerate(lines):
            sheet.insert_text((60, 80 + 26 * at), text, fontsize=10)
    data: bytes = document.tobytes(no_new_id=True)
    document.close()
    return data


@pytest.fixture
def state(tmp_path: Path) -> Path:
    from deltalake import write_deltalake

    data = _pdf()
    title = "DMG Chapter 99: Ladders"
    source = Source("chapter-99", "2026-09-19", title, "", "application/pdf", FILE, len(data), sha256_hex(data))
    document = parse.parse(source, data)
    chunks = passages.build(document)
    nodes = table_rows.node_rows("chapter-99", document.nodes, passages.chunks_of_nodes(document.nodes, chunks))
    known = known_of(zip(["chapter-99"] * len(nodes), (node[1] for node in nodes), (node[-2] for node in nodes)))
    edges = resolve(references.observe(document), known, source=source, passages=chunks)
    content: dict[str, Any] = {"chunks": chunks, "nodes": nodes, "relation_edges": edges}
    content["partition"] = table_rows.partition_rows("chapter-99", document.partition)
    content["documents"] = [table_rows.document_row(document, len(chunks), "v1")]
    for name, rows in content.items():
        arrow = table_rows.to_arrow(name, SCOPE, rows)
        write_deltalake(str(tmp_path / "tables" / name), arrow, partition_by=["project", "collection"])
    (tmp_path / "raw" / FILE).parent.mkdir(parents=True)
    (tmp_path / "raw" / FILE).write_bytes(data)
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


def test_a_paragraph_is_shown_whole_with_its_pages(pincite: Callable[..., str]) -> None:
    shown = pincite("show", "DMG 99002")
    assert f"({FILE}, pages 1, 2, 2026-09-19)" in shown
    for words in ("99002 A cracked rung", "1. it is of oak or", "2. it bears less than 90 kg.", "cited by:\n    DMG 99001"):
        assert words in shown
    assert "99003" not in shown


def test_its_pages_are_drawn_with_the_words_marked(pincite: Callable[..., str], tmp_path: Path) -> None:
    import pymupdf

    printed = pincite("show", "DMG 99002", "--page", "--output", str(tmp_path / "png")).split()
    assert [Path(path).name for path in printed] == [f"DMG-99002-chapter-99-page-{page}.png" for page in (1, 2)]
    for path, first, other in ((printed[0], 3, 2), (printed[1], 0, 2)):
        picture = pymupdf.Pixmap(path)
        assert _yellow(picture, first)
        assert not _yellow(picture, other), "the paragraph beside it is not marked"


def _yellow(picture: Any, line: int) -> bool:
    """Whether the line of the page is marked: yellow has little blue."""
    y = round((80 + 26 * line - 3) * picture.height / 842)
    return any(picture.pixel(x, y)[2] < 128 < picture.pixel(x, y)[0] for x in range(picture.width))


def test_other_bytes_are_not_drawn(pincite: Callable[..., str], state: Path) -> None:
    (state / "raw" / FILE).write_bytes(b"%PDF-1.7")
    with pytest.raises(HashMismatch, match="the tables were made of"):
        pincite("show", "DMG 99002", "--page", "--output", str(state / "png"))
    (state / "raw" / FILE).unlink()
    with pytest.raises(MissingSource, match="--raw"):
        pincite("show", "DMG 99002", "--page", "--output", str(state / "png"))
    assert not (state / "png").exists()


def test_an_answer_carries_the_whole_unit_and_is_as_published(pincite: Callable[..., str], state: Path) -> None:
    answer = pincite("query", "when is a cracked rung replaced", "--no-log", "--json")
    unit = next(each for each in json.loads(answer)["passages"] if each["node_id"] == "DMG 99002")
    assert {span["page"] for span in unit["spans"]} == {1, 2}
    assert unit["evidence_text"].endswith("2. it bears less than 90 kg.")
    (state / "answer.json").write_text(answer, encoding="utf-8")
    assert "are as published" in pincite("check", str(state / "answer.json"), "--raw", str(state / "raw"))


def test_questions_of_staff_keep_their_denominator(pincite: Callable[..., str], state: Path) -> None:
    owed = [{"kind": "rule", "at": f"DMG {number}", "page": 1, "need": "it"} for number in (99001, 99002)]
    question = {"id": "a", "question": "when is a cracked rung replaced", "benefit": "SPC", "document": "chapter-99"}
    gold = {"corpus": "manuals", "questions": [{**question, "concepts": [], "obligations": owed}]}
    (state / "gold.yml").write_text(yaml.safe_dump(gold), encoding="utf-8")
    figures = {}
    for budget in ("3000", "1"):
        arguments = ("evaluate", "staff", "--gold", str(state / "gold.yml"), "--bm25", "--tokens", budget)
        rows = [json.loads(line) for line in pincite(*arguments, "--json").splitlines()]
        figures[budget] = {row["measure"]: (row["value"], row["denominator"]) for row in rows}
    assert figures["3000"]["whole-unit delivery"][1] == 2
    assert figures["3000"]["whole-unit delivery"][0] >= 1
    assert figures["1"]["whole-unit delivery"] == (0, 2)
    assert figures["1"]["discovery@5"] == figures["3000"]["discovery@5"]
    printed = pincite("evaluate", "staff", "--gold", str(state / "gold.yml"), "--bm25", "--packages", str(state / "p.jsonl"))
    assert "claim support" in printed
    assert "not measured" in printed
    assert json.loads((state / "p.jsonl").read_text(encoding="utf-8"))["closed"] is False


def test_a_place_without_words_of_its_own_has_no_page(pincite: Callable[..., str]) -> None:
    with pytest.raises(UsageError, match="no 'DMG 99777'"):
        pincite("show", "DMG 99777", "--page")
