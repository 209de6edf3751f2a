"""``pincite inspect``: one JSON object a line, for one file, without a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize(
    ("content", "error"), [(None, MissingSource), (b"", Malformed), (b"<catalog/>", Malformed), (b"MZ\0\0\1\2", Malformed)]
)
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, content: bytes | None, error: type[Exception]) -> None:
    file = tmp_path / "file.xml"
    if content is not None:
        file.write_bytes(content)
    result = CliRunner().invoke(app, ["inspect", str(file)])
    assert isinstance(result.exception, error)
    assert result.stdout == ""


def _rows(file: Path, *options: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(app, ["inspect", str(file), *options])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("notes", b"# Lamps\n\n## Trim\n\nTrim the wick.\n", "heading"),
        ("table.txt", b"Lamp;Place\nL-1;Pier\nL-2;Quay\n", "record"),
        ("export.dat", b'{"lamps": [{"id": "L-1"}, {"id": "L-2"}]}', "record"),
        ("page.md", b"<!DOCTYPE html><html><body><h1>A</h1><h2>B</h2><p>c</p></body></html>", "heading"),
    ],
)
def test_a_file_is_read_as_what_it_holds_whatever_its_name(tmp_path: Path, name: str, content: bytes, kind: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert kind in {row["kind"] for row in _rows(tmp_path / name) if row["type"] == "node"}


def test_a_media_type_that_is_given_is_believed_with_its_parameters(tmp_path: Path) -> None:
    (tmp_path / "lamps.csv").write_text("L-1,Pier\nL-2,Quay\n")
    rows = _rows(tmp_path / "lamps.csv", "--media-type", "text/csv; header=absent")
    assert [row["node_id"] for row in rows if row["type"] == "node"] == ["lamps", "lamps#row-1", "lamps#row-2"]


def test_references_to_headings_and_numbers_of_the_file_itself_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "lamps.md").write_text(
        "# Lamps\n\n## 1.2 Trimming\n\nDaily.\n\n## Oil\n\nSee section 1.2 and [it](#12-trimming).\n"
    )
    found = [row for row in _rows(tmp_path / "lamps.md") if row["type"] == "reference"]
    assert [(row["mention"], row["target_node_id"]) for row in found] == [
        ("section 1.2", "lamps#1.2-trimming"),
        ("[it](#12-trimming)", "lamps#1.2-trimming"),
    ]
