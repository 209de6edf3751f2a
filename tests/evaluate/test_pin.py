"""Pinning fills hashes from nodes, changes nothing else, and refuses a node that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import UsageError
from pincite.evaluate.gold import load
from pincite.evaluate.pin import documents, main, own_text, pin
from pincite.model import Block

REPOSITORY = Path(__file__).parents[2]
TEXT = """# a comment
questions:
  - id: a
    expect:
      - node: 1 CFR 1.1(a)   
      - {node: 1 CFR 1.2, via: 1 CFR 1.1(a), spans: [00]}
"""
HASHES = {"1 CFR 1.1(a)": ("aa",), "1 CFR 1.2": ("bb", "cc")}


def test_pin_changes_only_the_node_lines():
    assert pin(TEXT, HASHES).splitlines() == [
        "# a comment",
        "questions:",
        "  - id: a",
        "    expect:",
        "      - {node: 1 CFR 1.1(a), spans: [aa]}",
        "      - {node: 1 CFR 1.2, via: 1 CFR 1.1(a), spans: [bb, cc]}",
    ]
    assert pin(pin(TEXT, HASHES), HASHES) == pin(TEXT, HASHES)


@pytest.mark.parametrize("missing", ["1 CFR 1.1(a)", "1 CFR 1.2"])
def test_pin_refuses_a_node_without_text(missing: str):
    with pytest.raises(UsageError, match="no node"):
        pin(TEXT, {name: value for name, value in HASHES.items() if name != missing})


def test_own_text_leaves_out_headings_blanks_and_descendants():
    rows = [("heading", "s", "h"), ("body", "s", "one"), ("blank", "s", "b"), ("body", "s(a)", "two"), ("note", "s", "three")]
    partition = [Block(number, 1, 0, 0, role, node, sha) for number, (role, node, sha) in enumerate(rows)]
    assert own_text(partition) == {"s": ("one", "three"), "s(a)": ("two",)}


@pytest.mark.data
def test_the_gold_set_is_pinned_to_the_real_parts(shared_data: Path):
    arguments = [REPOSITORY / "conf/gold/cfr-gmp.yml", REPOSITORY / "conf/corpora/cfr-gmp.yml", shared_data / "ecfr", "--check"]
    assert main([str(argument) for argument in arguments]) == 0


@pytest.mark.data
def test_each_edge_question_is_answered_by_a_citation_that_stands_in_the_source(shared_data: Path):
    """The citing node's text names the target's section, so nobody invented the edge."""
    from pincite.sources.manifest import load as manifest

    texts = {}
    for document in documents(manifest(REPOSITORY / "conf/corpora/cfr-gmp.yml").sources, shared_data / "ecfr"):
        for block in document.partition:
            texts[block.node_id] = texts.get(block.node_id, "") + document.slice(block.page, block.start, block.end).decode()
    gold = load(REPOSITORY / "conf/gold/cfr-gmp.yml")
    needed = [(q, e) for q in gold.questions for e in q.expected if e.via]
    assert len({q.question_id for q, _ in needed}) >= 12
    for question, expected in needed:
        section = expected.node_id.removeprefix("21 CFR ").split("(")[0]
        assert section in texts[expected.via], (question.question_id, expected)


def test_the_gold_set_is_as_large_as_agreed():
    questions = load(REPOSITORY / "conf/gold/cfr-gmp.yml").questions
    count = {kind: sum(q.kind == kind for q in questions) for kind in ("direct", "edge", "near", "far")}
    assert count["direct"] + count["edge"] >= 30
    assert count["edge"] >= 14
    assert min(count["near"], count["far"]) >= 5
    for kind, number in count.items():
        assert abs(number - 2 * sum(q.kind == kind and q.part == "dev" for q in questions)) <= 1


def test_the_evidence_of_a_folder_is_pinned_by_its_configuration(tmp_path: Path) -> None:
    folder, corpora = tmp_path / "rules", tmp_path / "state" / "corpora"
    folder.mkdir()
    corpora.mkdir(parents=True)
    (folder / "leave.md").write_text("# Leave\n\n## Notice\n\nAsk two weeks before.\n", encoding="utf-8")
    (folder / "broken.docx").write_bytes(b"no Word file")
    (corpora / "rules.yml").write_text(f"folder: {folder}\ncollection: rules\n", encoding="utf-8")
    gold = tmp_path / "questions.yml"
    gold.write_text(TEXT.replace("1 CFR 1.1(a)", "leave#notice").replace("1 CFR 1.2", "leave#notice"), encoding="utf-8")
    assert main([str(gold), str(corpora / "rules.yml"), str(folder)]) == 0
    assert "spans: [" in gold.read_text(encoding="utf-8")
    assert main([str(gold), str(corpora / "rules.yml"), str(folder), "--check"]) == 0
