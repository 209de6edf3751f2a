"""`pincite quality` and `pincite author` on a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pincite.cli import app
from pincite.errors import PartialFailure, UsageError

GOOD = "# Leave Policy\n\n## Days\n\nEveryone has ten days of leave a year.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "share"
    (found / "hr").mkdir(parents=True)
    (found / "hr" / "leave.md").write_text(GOOD, encoding="utf-8")
    (found / "draft.md").write_text("# Draft\n\nLorem ipsum dolor sit amet.\n\nSee [it](gone.md), TODO.\n", encoding="utf-8")
    return found


def test_quality_tells_issues_and_warnings_and_stops_with_a_code(folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["quality", str(folder), "--state", str(tmp_path / "state"), "--json"])
    assert isinstance(done.exception, PartialFailure)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["path"], row["code"], row["level"]) for row in rows] == [
        ("draft.md", "PQ005", "issue"),
        ("draft.md", "PQ101", "warning"),
        ("draft.md", "PQ203", "warning"),
    ]
    assert not (tmp_path / "state").exists()


def test_a_folder_without_problems_says_so(folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["quality", str(folder / "hr"), "--state", str(tmp_path / "state")])
    assert (done.exit_code, done.stdout) == (0, "1 document, 0 problems\n")


def test_author_writes_the_same_bytes_each_time_and_nothing_when_it_is_dry(folder: Path, tmp_path: Path) -> None:
    from pincite.passages.authored import read_back

    out, command = tmp_path / "out", ["author", str(folder), "--state", str(tmp_path / "state"), "--out"]
    assert CliRunner().invoke(app, [*command, str(out), "--dry-run"]).exit_code == 0
    assert not out.exists()
    assert CliRunner().invoke(app, [*command, str(out)]).exit_code == 0
    first = (out / "hr" / "leave.md").read_bytes()
    assert CliRunner().invoke(app, [*command, str(tmp_path / "again")]).exit_code == 0
    assert (tmp_path / "again" / "hr" / "leave.md").read_bytes() == first
    assert str(tmp_path).encode() not in first
    assert read_back(first.decode())[1][0].text == "Everyone has ten days of leave a year."


def test_one_file_is_authored_alone(folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["author", str(folder / "hr" / "leave.md"), "--state", str(tmp_path / "s"), "--out", str(tmp_path / "o")]
    )
    assert (done.exit_code, [path.name for path in (tmp_path / "o").rglob("*.md")]) == (0, ["leave.md"])


def test_two_documents_are_not_authored_into_one_file(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "rules.txt").write_text("Trim the wick each day.\n")
    (folder / "rules.txt.md").write_text("# Rules\n\nTrim it each night.\n")
    done = CliRunner().invoke(app, ["author", str(folder), "--state", str(tmp_path / "s"), "--out", str(tmp_path / "o")])
    assert done.exit_code == 0
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == ["rules.txt.md", "rules.txt.md.md"]


def test_nothing_is_authored_into_the_folder_that_is_read_and_a_date_that_is_none_is_refused(folder: Path) -> None:
    state = ["--state", str(folder.parent / "s")]
    done = CliRunner().invoke(app, ["author", str(folder), *state, "--out", str(folder / "out")])
    assert isinstance(done.exception, UsageError)
    assert "lies in the folder that is read" in str(done.exception)
    assert not (folder / "out").exists()
    done = CliRunner().invoke(app, ["quality", str(folder), *state, "--as-of", "2026-13-45"])
    assert "give a date as YYYY-MM-DD" in str(done.exception)
