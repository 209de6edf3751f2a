"""A folder of a volume as a corpus: no configuration for a first look, settings and a source where there are some."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy import put
from homes import TASKS, Home

pytestmark = [pytest.mark.sail, pytest.mark.slow, pytest.mark.timeout(900)]
STAGING = TASKS[1:4]
HOUSE = ["briefing.pptx", "contacts.json", "duty.html", "handbook.md", "lamps.csv", "log-rules.txt", "procedure.docx"]
HOUSE += ["storm.eml", "supplies.xlsx", "watches.jsonl"]


@pytest.fixture(scope="module")
def house(home: Home, repository: Path) -> Path:
    """Documents of ``fixtures/house``, one of each format, landed in the volume."""
    folder = home.workspace.folder / home.corpus.folder.strip("/") / "house"
    folder.mkdir()
    for name in HOUSE:
        shutil.copy(repository / "fixtures" / "house" / name, folder)
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
    names = {name.partition(".")[0] for name in HOUSE}
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
    assert told(home.succeed(["author"], corpora="house", dry_run="true"), "author")["late"] == "parse"


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


# --- a model helps ---------------------------------------------------------------------------------------------------------

MODEL = "databricks-helper"


@pytest.fixture
def helped(home: Home) -> Iterator[Path]:
    """Three documents, a configuration that lets a model help, and a model that writes what stands there."""
    from pincite.enrich.extractive import ExtractiveClient

    folder = home.workspace.folder / home.corpus.folder.strip("/") / "helped"
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(("lamp must be lit within 2 hours", "log is kept for 5 years", "fog signal may be sounded")):
        (folder / f"rule-{number}.md").write_text(f"# Rule {number}\n\nThe {text} after dusk, unless the keeper is away.\n")
    put(home.client, f"{home.deployment.base}/files/conf/corpora/helped.yml", b"folder: helped\nenrich: {model: local}\n")
    home.workspace.state["chat"] = lambda messages: ExtractiveClient().complete(messages[0]["content"], messages[1:])
    yield folder
    home.workspace.state.pop("chat")
    home.workspace.allow_all()


ASK = f"/serving-endpoints/{MODEL}/invocations"


def asked(home: Home) -> int:
    return home.workspace.called("POST", ASK)


def passages(home: Home) -> dict[str, dict[str, Any]]:
    return {row["chunk_id"]: row for row in home.rows("chunks") if row["collection"] == "helped"}


def test_a_model_helps_and_the_passages_stay_what_they_are(home: Home, helped: Path) -> None:
    """Dry, killed, resumed, repeated, then with a model that refuses: searched by more words, quoted by the same."""
    home.succeed(STAGING, corpora="helped")
    plain = passages(home)
    dry = home.succeed(["enrich"], corpora="helped", chat_endpoint=MODEL, dry_run="true")
    assert dry["enrich"][0]["action"] == f"would ask databricks/{MODEL}"
    assert dry["enrich"][0]["candidates"] == 3
    assert asked(home) == 0

    home.workspace.state["kill"] = lambda task, process: home.workspace.at_next("POST", ASK, process.kill)
    run = home.run(["enrich"], corpora="helped", chat_endpoint=MODEL)
    home.workspace.state["kill"] = None
    assert run["tasks"][0]["state"]["result_state"] == "FAILED"
    said = home.succeed(["enrich", "sync"], corpora="helped", chat_endpoint=MODEL)
    assert said["enrich"][0]["accepted"] == 3
    with_help = passages(home)
    assert {row["derivation"] for row in with_help.values()} == {"model_rewritten"}
    for chunk_id, row in with_help.items():
        assert row["evidence_text"] == plain[chunk_id]["evidence_text"]
        assert row["retrieval_text"].startswith(plain[chunk_id]["retrieval_text"])
    log = home.rows("enrichment_log")
    assert {row["model"] for row in log} == {f"databricks/{MODEL}"}
    assert {row["chunk_id"] for row in log if row["status"] == "accepted"} == set(with_help)
    assert {row["retrieval_text"] for row in home.indexed if row["collection"] == "helped"} == {
        row["retrieval_text"] for row in with_help.values()
    }

    before, told = home.versions(), asked(home)
    home.succeed(["enrich"], corpora="helped", chat_endpoint=MODEL)
    assert home.versions() == before
    assert asked(home) == told

    (helped / "rule-1.md").write_text("# Rule 1\n\nThe log is kept for 6 years, unless the keeper is away.\n")
    home.workspace.fail("POST", ASK, status=400, times=100)
    said = home.succeed([*STAGING, "enrich", "sync"], corpora="helped", chat_endpoint=MODEL)
    assert said["enrich"][0]["failed"] == 1
    rows = [row for row in passages(home).values() if row["document_id"] == "rule-1"]
    assert any("6 years" in row["retrieval_text"] for row in rows)
    assert {row["derivation"] for row in rows} == {"observed"}


def test_an_endpoint_that_is_not_there_is_told_before_anything_is_done(home: Home, helped: Path) -> None:
    before = home.versions()
    said = home.fail("bootstrap", corpora="helped", chat_endpoint="nobody")
    assert "PlatformError: nobody: " in said
    assert "correct chat_endpoint, or 'enrich' in helped.yml" in said
    assert home.versions() == before


def test_a_corpus_that_is_nowhere_and_one_that_is_too_much(home: Home) -> None:
    before = home.versions()
    said = home.fail("verify", corpora="nowhere")
    assert "UsageError: job parameters, corpora: there is no corpus 'nowhere': neither a file " in said
    put(home.client, f"{home.deployment.base}/files/conf/corpora/all.yml", b"folder: .\n")
    said = home.fail("verify", corpora="all")
    assert "the folder is the whole landing volume, where the corpora's memory lies too; name a folder in it" in said
    assert home.versions() == before
