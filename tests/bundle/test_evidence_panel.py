"""The evidence panel shows what a run did and nothing of where and by whom."""

from __future__ import annotations

import importlib.util
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

PRIVATE = [
    "https://adb-1234567890123456.7.azuredatabricks.net/?o=1234567890123456#job/987654321098765/run/1",
    "dbc-a1b2c3d4-e5f6.cloud.databricks.com",
    "http://127.0.0.1:8080/api/2.0",
    "10.11.12.13",
    "fe80:0:0:0:1ff:fe23:4567:890a",
    "workspace.example.internal:443",
    "localhost:15002",
    "jo.bloggs@example.com",
    "/Workspace/Users/jo.bloggs/pincite",
    "/Users/jo/.databrickscfg",
    "/Volumes/main/secret_schema/landing/file.xml",
    "/home/jo/data",
    "/tmp/spark-123/blocks",
    "C:\\Users\\jo\\data",
    "s3://my-bucket/unity/metastore",
    "abfss://container@account.dfs.core.windows.net/path",
    "gs://bucket-of-ours/x",
    "dbfs:/mnt/raw",
    "dapi0123456789abcdef0123456789abcdef",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk",
    "password: hunter2hunter2",
    "Bearer abcdefghijklmnop",
    "123e4567-e89b-42d3-a456-426614174000",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "1234567890123456",
    "70b5f3a2c9d841e8",
]


@pytest.fixture(scope="module")
def panel(repository: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("evidence_panel", repository / "scripts" / "evidence_panel.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def output(private: str) -> str:
    """A run's output that holds *private* in every place where a text can stand, and in unknown fields."""
    steps = [
        {"task": "bootstrap", "action": f"created tables at {private}", "tables": [private], "host": private},
        {"task": "verify", "corpus": f"fda/{private}", "files": 3, "as_pinned": 3, "difference": private},
        {"task": "verify", "corpus": "local/x", "files": 2, "not_read": {private: 1, "unsupported": 1}, "brought": {"new": 2}},
        {"task": "author", "corpus": "fda/gmp", "document": private, "action": "parse", "reason": private},
        {"task": "merge", "corpus": "fda/gmp", "table": private, "inserted": 12, "updated": 0, "deleted": 1, "version": 4},
        {"task": "enrich", "corpus": "local/x", "action": f"asked {private}", "accepted": 7, "tokens": 1200},
        {"task": "sync", "index": private, "passages": 412, "run_id": 1234567890123456, private: private},
        {"task": "evaluate", "setting": "edge-aware", "citation_recall": 0.97, "experiment": private, "runs": [private]},
    ]
    noise = [f"INFO {private}", f"🏃 View run at: {private}", '{"task": "other", "action": "' + "x" + '"}', "not json {"]
    return "\n".join([*noise, *(json.dumps(step) for step in steps), f"prefix {json.dumps(steps[1])}"])


@pytest.mark.parametrize("private", PRIVATE)
def test_nothing_private_is_in_the_picture(panel: ModuleType, private: str, tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text(output(private), encoding="utf-8")
    arguments = [str(tmp_path / "run.txt"), str(tmp_path / "panel.svg"), "--title", f"Run of {private}"]
    assert panel.main(arguments) == 0
    picture = "".join(ET.fromstring((tmp_path / "panel.svg").read_text(encoding="utf-8")).itertext())
    assert private not in picture
    for piece in private.replace("\\", "/").replace("@", "/").replace("?", "/").replace("#", "/").split("/"):
        if len(piece) > 5 and piece not in ("https:", "dbfs:/", "landing", "metastore"):
            assert piece not in picture, piece
    assert "citation recall 0.970" in picture
    assert "inserted 12" in picture
    assert "unsupported 1 · brought: new 2" in picture
    assert "accepted 7" in picture


def test_every_task_has_its_box_and_says_what_it_did(panel: ModuleType) -> None:
    told = panel.sections(panel.lines(output("x")))
    assert [task for task, _ in told] == list(panel.TASKS)
    picture = panel.draw(told)
    root = ET.fromstring(picture)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert all(task in texts for task in panel.TASKS)
    assert "fda/gmp · x · inserted 12 · updated 0 · deleted 1 · version 4" in texts


def test_a_task_that_reported_nothing_says_so(panel: ModuleType) -> None:
    told = dict(panel.sections(panel.lines('{"task": "verify", "files": 2, "as_pinned": 2}')))
    assert told["verify"] == ["files 2 · as pinned 2"]
    assert told["evaluate"] == ["no report"]


def test_markup_in_the_output_stays_text(panel: ModuleType) -> None:
    step = json.dumps({"task": "author", "action": "<script>alert(1)</script> & more"})
    picture = panel.draw(panel.sections(panel.lines(step)))
    ET.fromstring(picture)
    assert "<script" not in picture


def test_output_without_reports_is_refused(panel: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.txt").write_text("nothing here\n")
    assert panel.main([str(tmp_path / "run.txt"), str(tmp_path / "panel.svg")]) == 2
    assert "no task reported anything in it" in capsys.readouterr().err
    assert not (tmp_path / "panel.svg").exists()
    assert panel.main([str(tmp_path / "none.txt"), str(tmp_path / "panel.svg")]) == 2
