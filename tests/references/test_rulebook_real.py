"""The rulebook grammar and shelf on real rulebooks, against gold rows that are kept out of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.rank.gold_edges import edge_recall
from pincite.rank.public import rulebook_rows


@pytest.mark.data
@pytest.mark.slow
def test_recall_of_the_gold_references(shared_data: Path) -> None:
    root = shared_data / "benchmarks"
    recall = {row.kind: row.recall for row in edge_recall(rulebook_rows(root), root)}
    assert recall["internal"] >= 0.95
    assert recall["external"] >= 0.80
