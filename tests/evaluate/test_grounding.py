"""Pairs of passage and rewrite: how files of them are read, and what is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pincite.enrich.ground import Grounding
from pincite.errors import MissingSource, UsageError
from pincite.evaluate import grounding

LINE = {
    "s": "Keep the key.",
    "f": ["The key must be kept.", "The key is to be kept."],
    "c": [["modality", "You may keep the key."]],
}


def test_lines_of_pairs_are_read_with_their_kinds(tmp_path: Path) -> None:
    (tmp_path / "somebody.jsonl").write_text(json.dumps(LINE) + "\n", "utf-8")
    pairs = grounding.load(tmp_path)
    assert [(pair.kind, pair.rewrite) for pair in pairs] == [
        ("faithful", "The key must be kept."),
        ("faithful", "The key is to be kept."),
        ("modality", "You may keep the key."),
    ]
    assert {pair.part for pair in pairs} == {"written"}
    assert len({pair.id for pair in pairs}) == 3


@pytest.mark.parametrize("line", ["{", '{"s": "A.", "f": []}', '{"s": "A.", "f": [], "c": [["x"]]}', "[]"])
def test_a_line_that_is_none_is_told_with_its_place(tmp_path: Path, line: str) -> None:
    (tmp_path / "somebody.jsonl").write_text(json.dumps(LINE) + "\n" + line + "\n", "utf-8")
    with pytest.raises(UsageError) as told:
        grounding.load(tmp_path)
    assert "somebody.jsonl:2" in str(told.value)


def test_a_folder_without_pairs_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingSource):
        grounding.load(tmp_path)


def test_letting_a_corrupted_one_through_is_wrong_and_so_is_refusing_a_faithful_one() -> None:
    pairs = [
        grounding.Pair(str(at), "written", kind, "text", "", "") for at, kind in enumerate(("faithful", "faithful", "roles"))
    ]
    judged = [(pair, Grounding(1.0, verdict)) for pair, verdict in zip(pairs, ("grounded", "unsupported", "grounded"))]
    assert [(tally.kind, tally.right, tally.total) for tally in grounding.tallies(judged)] == [
        ("faithful", 1, 2),
        ("corrupted", 0, 1),
        ("roles", 0, 1),
    ]
