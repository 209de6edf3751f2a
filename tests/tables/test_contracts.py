"""docs/data-contracts.md is what the row types say."""

from __future__ import annotations

from pathlib import Path

from pincite.tables.contracts import document, main
from pincite.tables.schema import TABLES, columns

PAGE = Path(__file__).parents[2] / "docs" / "data-contracts.md"


def test_the_page_is_up_to_date() -> None:
    assert main(["--check", str(PAGE)]) == 0, "run: python -m pincite.tables.contracts"


def test_a_stale_page_is_noticed(tmp_path: Path) -> None:
    stale = tmp_path / "page.md"
    stale.write_text(document().replace("| `evidence_text` |", "| `evidence` |"), encoding="utf-8")
    assert main(["--check", str(stale)]) == 1
    assert main([str(stale)]) == 0
    assert main(["--check", str(stale)]) == 0


def test_every_column_of_every_table_is_described() -> None:
    page = document()
    for name in TABLES:
        for column in columns(name):
            assert column.comment, f"{name}.{column.name} has no comment in model.py"
            assert f"| `{column.name}` |" in page
