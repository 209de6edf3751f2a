"""``pincite run FOLDER``: a first look without configuration, and everything that may happen to the folder afterwards."""

from __future__ import annotations

import hashlib
import os
import shutil
from datetime import datetime, tzinfo
from pathlib import Path

import pytest

from pincite import tasks
from pincite.errors import EmptySnapshot, MissingSource, PartialFailure, UsageError
from pincite.model import Scope
from pincite.sources.folder import look, read_config
from pincite.tables.read import read

pytestmark = pytest.mark.sail

SCOPE = Scope("local", "procedures")
HANDBOOK = "# Handbook\n\nAsk the desk first.\n\n## Targets\n\nAn answer within 8 business hours.\n"


class Bench:
    """A folder that changes, the state beside it, and what was said."""

    def __init__(self, base: Path) -> None:
        self.folder, self.state = base / "procedures", base / "state"
        (self.folder / "guides").mkdir(parents=True)
        self.write("handbook.md", HANDBOOK)
        self.write("guides/escalation.md", "# Escalation\n\nCall within 3 hours.\n")
        self.said: list[str] = []

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def run(self, path: Path | None = None, *, dry_run: bool = False, allow_empty: bool = False) -> None:
        self.said.clear()
        looked = look(path or self.folder, self.state)
        manifest = looked.manifest._replace(vectors="no")
        job = tasks.Job(
            manifest, self.state, looked.config.folder, None, None, self.said.append, looked.remember, dry_run, allow_empty
        )
        tasks.run(job)

    def rows(self, table: str, *columns: str) -> list[tuple[object, ...]]:
        found = read(self.state / "tables", table, SCOPE, list(columns)).to_pylist()
        return sorted(tuple(row.values()) for row in found)

    def texts(self) -> dict[str, str]:
        passages = self.rows("chunks", "document_id", "ordinal", "evidence_text")
        return {str(document): str(text) for document, _, text in passages}

    def log(self) -> dict[str, tuple[str, str, str]]:
        """The last decision about each document."""
        rows = read(self.state / "tables", "ingest_log", SCOPE).to_pylist()
        rows.sort(key=lambda row: row["logged_at"])
        return {row["document_id"]: (row["action"], row["kind"], row["reason"]) for row in rows}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def snapshot(folder: Path) -> dict[str, tuple[object, ...]]:
    """Every entry below a folder with its kind, time and bytes."""
    found = {}
    for path in sorted([folder, *folder.rglob("*")]):
        status = path.lstat()
        data = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""
        found[str(path)] = (status.st_mode, status.st_mtime_ns, data)
    return found


def test_a_first_look_writes_a_configuration_that_works_by_its_path(bench: Bench) -> None:
    bench.run()
    assert set(bench.texts()) == {"handbook", "guides-escalation"}
    config = bench.state / "corpora" / "procedures.yml"
    assert read_config(config).folder == bench.folder
    bench.run(config)
    assert any("nothing is parsed, no table version written" in line for line in bench.said)
    config.write_text(config.read_text().replace("include: []", 'include: ["guides/**"]'))
    bench.run()
    assert set(bench.texts()) == {"guides-escalation"}
    assert bench.log()["handbook"][:2] == ("remove", "excluded")


def test_a_gold_set_beside_the_configurations_is_none(bench: Bench) -> None:
    bench.run()
    (bench.state / "corpora" / "a-gold.yml").write_text("corpus: local/procedures\nquestions: []\n", encoding="utf-8")
    bench.run()
    assert any("unchanged" in line for line in bench.said)


def test_a_pdf_is_cited_by_its_file(bench: Bench) -> None:
    import pymupdf

    with pymupdf.open() as paper:
        paper.new_page().insert_text((72, 72), "Signals of the harbour. Two flashes mean fog.")
        paper.save(bench.folder / "signals.pdf")
    bench.write("handbook.md", HANDBOOK + "\nSee [the signals](signals.pdf).\n")
    bench.run()
    edges = [edge for edge in read(bench.state / "tables", "relation_edges", SCOPE).to_pylist() if "signals" in edge["mention"]]
    assert {edge["status"] for edge in edges} == {"resolved"}


def test_moves_and_edits_keep_the_document_and_a_removed_file_takes_its_rows(bench: Bench) -> None:
    bench.run()
    (bench.folder / "handbook.md").rename(bench.folder / "guides" / "desk.md")
    bench.write("guides/escalation.md", "# Escalation\n\nCall within 2 hours.\n")
    bench.run()
    assert set(bench.texts()) == {"handbook", "guides-escalation"}
    assert "2 hours" in bench.texts()["guides-escalation"]
    kinds = {each: kind for each, (_, kind, _) in bench.log().items()}
    assert kinds == {"handbook": "moved", "guides-escalation": "changed"}
    (bench.folder / "guides" / "desk.md").unlink()
    bench.run()
    assert set(bench.texts()) == {"guides-escalation"}
    assert bench.log()["handbook"][:2] == ("remove", "removed")


def test_what_cannot_be_read_is_logged_with_its_reason_and_keeps_its_rows(bench: Bench) -> None:
    bench.write("plan.md", "# Plan\n\nThe plan.\n")
    bench.run()
    bench.write("plan.md", "")
    (bench.folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    (bench.folder / "copy\nof.md").write_text(HANDBOOK)
    (bench.folder / "etc").symlink_to("/etc")
    os.mkfifo(bench.folder / "pipe")
    bench.write("new.md", "# New\n\nText.\n")
    bench.run()
    kinds = {each: (action, kind) for each, (action, kind, _) in bench.log().items()}
    assert kinds == {
        "plan": ("skip", "empty"), "picture": ("skip", "unsupported"), "copy-of": ("skip", "duplicate"),
        "etc": ("skip", "link"), "pipe": ("skip", "special"), "new": ("parse", "new"), "handbook": ("skip", "unchanged"),
        "guides-escalation": ("skip", "unchanged"),
    }  # fmt: skip
    assert "The plan." in bench.texts()["plan"]
    assert any(line.startswith("incident") and "4 files" in line for line in bench.said)


def test_a_file_that_changes_while_it_is_read_costs_only_itself(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.run()
    bench.write("handbook.md", HANDBOOK.replace("8 business", "6 business"))
    bench.write("guides/escalation.md", "# Escalation\n\nCall within 2 hours.\n")
    verify = tasks.verify

    def then_edited(job: tasks.Job) -> None:
        verify(job)
        bench.write("handbook.md", HANDBOOK.replace("8 business", "4 business"))

    monkeypatch.setattr(tasks, "verify", then_edited)
    with pytest.raises(PartialFailure, match="1 of the documents"):
        bench.run()
    action, _, reason = bench.log()["handbook"]
    assert action == "fail"
    assert "changed while it was read" in reason
    assert any("8 business" in str(text) for _, text in bench.rows("chunks", "document_id", "evidence_text"))
    assert "2 hours" in bench.texts()["guides-escalation"]
    monkeypatch.undo()
    bench.run()
    assert any("4 business" in str(text) for _, text in bench.rows("chunks", "document_id", "evidence_text"))


def test_two_runs_within_a_second_are_two_runs_in_the_log(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    class Frozen(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Frozen:
            return cls(2026, 1, 1, tzinfo=tz)

    monkeypatch.setattr(tasks, "datetime", Frozen)
    bench.run()
    bench.write("handbook.md", HANDBOOK + "More.\n")
    bench.run()
    assert len(set(bench.rows("ingest_log", "run_id"))) == 2


def test_a_dry_run_tells_everything_and_writes_nothing(bench: Bench, tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    bench.run(dry_run=True)
    assert snapshot(tmp_path) == before
    assert any("would parse handbook: it is new" in line for line in bench.said)
    bench.run()
    bench.write("handbook.md", HANDBOOK + "More.\n")
    before = snapshot(tmp_path)
    bench.run(dry_run=True)
    assert snapshot(tmp_path) == before
    assert any("would parse handbook: its bytes changed" in line for line in bench.said)
    assert not any("escalation" in line for line in bench.said)


def test_a_run_never_writes_into_the_folder(bench: Bench) -> None:
    before = snapshot(bench.folder)
    bench.run()
    assert snapshot(bench.folder) == before


def test_an_emptied_folder_is_refused_until_it_is_meant(bench: Bench) -> None:
    bench.run()
    shutil.rmtree(bench.folder)
    bench.folder.mkdir()
    with pytest.raises(EmptySnapshot):
        bench.run()
    assert bench.texts()
    bench.run(allow_empty=True)
    assert bench.texts() == {}


def test_a_folder_that_is_not_there_or_entangled_with_the_state_is_one_sentence(bench: Bench) -> None:
    bench.run()
    for state in (bench.folder, bench.folder / "state", bench.folder.parent):
        with pytest.raises(UsageError, match="the state folder"):
            look(bench.folder, state)
    with pytest.raises(MissingSource, match="no such folder"):
        look(bench.folder / "none", bench.state)
    shutil.rmtree(bench.folder)
    with pytest.raises(MissingSource, match="no such folder"):
        look(bench.state / "corpora" / "procedures.yml", bench.state)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("duplicates: never", "use one of skip, read"),
        ("exclude: text", "must be a list"),
        ("file_megabytes: -1", "a number above 0"),
        ("colour: red", "unknown colour"),
        ("project: ../x", "is not allowed"),
        ("title: [1]", "must be a text"),
    ],
)
def test_a_wrong_configuration_is_one_sentence(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "c.yml"
    path.write_text(f"folder: docs\n{line}\n")
    with pytest.raises(UsageError, match=said) as raised:
        read_config(path)
    assert str(path) in str(raised.value)


def test_two_folders_of_one_name_are_two_corpora(bench: Bench, tmp_path: Path) -> None:
    bench.run()
    other = tmp_path / "other" / "procedures"
    other.mkdir(parents=True)
    (other / "x.md").write_text("# X\n\nText.\n")
    looked = look(other, bench.state)
    assert looked.config.values["collection"] == "procedures-2"


def test_a_folder_with_a_name_in_another_script_can_be_run_and_read(bench: Bench) -> None:
    folder = bench.folder.rename(bench.folder.with_name("手順書 2026"))
    bench.run(folder)
    found = read(bench.state / "tables", "documents", Scope("local", "手順書-2026"), ["document_id"]).to_pylist()
    assert {row["document_id"] for row in found} == {"handbook", "guides-escalation"}
