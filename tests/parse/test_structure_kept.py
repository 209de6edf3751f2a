"""What the comparison with other extractors counts: in our own documents everything is kept."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_every_heading_number_cell_and_note_is_kept_once_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    structure = import_module("structure")
    for made in structure.DOCUMENTS:
        for kind, (kept, total) in structure.kept(made, structure.ours(made.name, made.data)).items():
            assert kept == total, (made.name, kind)
