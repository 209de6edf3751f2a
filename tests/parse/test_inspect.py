"""``pincite inspect``: one JSON object a line, for one file, without a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pincite.cli import app
from pincite.errors import Malformed, MissingSource

FIXTURE = Path(__file__).parents[2] / "fixtures" / "ecfr" / "title-99" / "part-2.xml"


def test_every_line_is_an_object_of_one_of_four_types() -> None:
    result = CliRunner().invoke(app, ["inspect", str(FIXTURE)])
    assert result.exit_code == 0
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert {row["type"] for row in rows} == {"node", "partition", "passage", "reference"}
    resolved = next(row for row in rows if row["type"] == "reference" and row["target_node_id"] == "99 CFR 2.4(b)(1)")
    assert (resolved["source_node_id"], resolved["status"], resolved["mention"]) == ("99 CFR 2.7(b)", "resolved", "§ 2.4(b)(1)")


def test_without_references_none_are_sought() -> None:
    result = CliRunner().invoke(app, ["inspect", str(FIXTURE), "--no-references"])
    assert '"type": "reference"' not in result.stdout
    assert '"type": "passage"' in result.stdout


@pytest.mark.parametrize(("content", "error"), [(None, MissingSource), (b"hello", Malformed)])
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, content: bytes | None, error: type[Exception]) -> None:
    file = tmp_path / "file.xml"
    if content is not None:
        file.write_bytes(content)
    result = CliRunner().invoke(app, ["inspect", str(file)])
    assert isinstance(result.exception, error)
    assert result.stdout == ""
