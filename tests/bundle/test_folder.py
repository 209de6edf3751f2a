"""A folder of a volume as a corpus: no configuration for a first look, settings and a source where there are some."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy import put
from homes import TASKS, Home

pytestmark = [pytest.mark.sail, pytest.mark.slow, pytest.mark.timeout(900)]
STAGING = TASKS[1:4]


@pytest.fixture(scope="module")
def house(home: Home, repository: Path) -> Path:
    """``fixtures/house`` landed in the volume."""
    folder = home.workspace.folder / home.corpus.folder.strip("/") / "house"
    shutil.copytree(repository / "fixtures" / "house", folder)
    (folder / "scan.bin").write_bytes(bytes(range(256)))
    return folder


@pytest.fixture(scope="module", autouse=True)
def tables(home: Home) -> None:
    """The tables, and nothing in them."""
    home.succeed(["bootstrap"])


def told(said: dict[str, list[dict[str, Any]]], task: str) -> dict[str, str]:
    """Document → what the task said was done with it."""
    return {line["document"]: line["action"] for line in said[task] if "document" in line}


def test_the_life_of_a_folder(home: Home, house: Path) -> None:
    """Dry, real, again, changed and moved, removed: without a line of configuration."""
    names = {"briefing", "contacts", "duty", "handbook", "lamps", "log-rules", "procedure", "storm", "supplies", "watches"}
    memory, empty = house.parent / "_pincite", home.versions()
    dry = home.succeed(STAGING, corpora="house", dry_run="true")
    assert {name for name, action in told(dry, "author").items() if action == "parse"} == names
    assert home.versions() == empty
    assert not memory.exists()

    said = home.succeed(TASKS[1:], corpora="house")
    assert said["verify"] == [{"task": "verify", "corpus": "local/house", "files": 11, "not_read": {"unsupported": 1}}]
    assert said["author"][-1] == {
        "task": "author", "corpus": "local/house", "action": "staged", "parse": 10, "skip": 1, "remove": 0
    }  # fmt: skip
    assert {row["document_id"] for row in home.rows("documents", "document_id")} == names
    assert "resolved" in {row["status"] for row in home.rows("relation_edges", "status")}
    assert len(home.indexed) == len(home.rows("chunks", "chunk_id")) > 40
    assert said["evaluate"][-1]["action"] == "no gold set is named, so nothing is evaluated"
    skipped = [row for row in home.rows("ingest_log") if row["action"] == "skip"]
    assert [(row["kind"], row["document_id"]) for row in skipped] == [("unsupported", "scan")]

    before, state, files = home.versions(), home.state(), {path: path.stat().st_mtime_ns for path in memory.rglob("*.ids.*")}
    home.succeed([*STAGING, "sync"], corpora="house")
    assert home.versions() == before
    assert home.state() == state
    assert {path: path.stat().st_mtime_ns for path in memory.rglob("*.ids.*")} == files

    (house / "rules").mkdir()
    (house / "handbook.md").rename(house / "rules" / "manual.md")
    edited = (house / "log-rules.txt").read_text().replace("keeper", "watchman", 1)
    (house / "log-rules.txt").write_text(edited)
    (house / "storm.eml").unlink()
    said = home.succeed([*STAGING, "sync"], corpora="house")
    assert told(said, "author") == {"handbook": "parse", "log-rules": "parse", "storm": "remove", "scan": "skip"}
    paths = {row["document_id"]: row["source_path"] for row in home.rows("documents", "document_id", "source_path")}
    assert paths["handbook"] == "rules/manual.md"  # the same document at another place
    assert set(paths) == names - {"storm"}
    assert {row["document_id"] for row in home.indexed} == names - {"storm"}


def test_what_is_landed_during_a_run_is_the_next_runs(home: Home, house: Path) -> None:
    """Tasks after the first act on what it saw; a file that came later is no fault."""
    late = house / "late.md"

    def land(task: str, process: Any) -> None:
        if task == "merge":
            late.write_text("# Late\n\nThe keeper came late.\n")

    home.workspace.state["kill"] = land
    home.succeed(STAGING, corpora="house")
    home.workspace.state["kill"] = None
    assert "late" not in {row["document_id"] for row in home.rows("documents", "document_id")}
    home.succeed(STAGING, corpora="house")
    assert "late" in {row["document_id"] for row in home.rows("documents", "document_id")}


def test_settings_and_a_source(home: Home, repository: Path, tmp_path: Path) -> None:
    """The deployed configuration names a folder, what is read of it, and where it is brought from; one file cannot be had."""
    archive = tmp_path / "team.zip"
    shutil.copytree(repository / "fixtures" / "team", tmp_path / "team")
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted((tmp_path / "team").rglob("*.*")):
            packed.write(path, path.relative_to(tmp_path / "team").as_posix())
    settings = {"folder": "brought", "project": "desk", "source": str(archive), "exclude": ["registers"]}
    conf = f"{home.deployment.base}/files/conf/corpora/desk.yml"
    put(home.client, conf, yaml.safe_dump(settings).encode())

    landed = home.workspace.folder / home.corpus.folder.strip("/") / "brought"
    dry = home.succeed(TASKS[1:3], corpora="desk", dry_run="true")
    assert dry["verify"][-1]["would_bring"] == {"new": 8}
    assert not landed.exists()
    said = home.succeed(STAGING, corpora="desk")
    assert said["verify"][-1]["brought"] == {"new": 8}
    assert {row["document_id"] for row in home.rows("documents", "document_id", "project") if row["project"] == "desk"} == {
        "exports-assets", "HB-01", "POL-003", "POL-004", "POL-007", "procedures-escalation", "procedures-key-rotation"
    }  # fmt: skip
    said = home.succeed(STAGING, corpora="desk")
    assert said["verify"][-1]["brought"] == {"unchanged": 8}
    assert said["merge"][-1]["action"] == "nothing changed: no table version was written"


def test_a_corpus_that_is_nowhere_and_one_that_is_too_much(home: Home) -> None:
    before = home.versions()
    said = home.fail("verify", corpora="nowhere")
    assert "UsageError: job parameters, corpora: there is no corpus 'nowhere': neither a file " in said
    put(home.client, f"{home.deployment.base}/files/conf/corpora/all.yml", b"folder: .\n")
    said = home.fail("verify", corpora="all")
    assert "the folder is the whole landing volume, where the corpora's memory lies too; name a folder in it" in said
    assert home.versions() == before
