"""Enrichment in the job, on the embedded engine: after it the tables are the same, but for the words that help search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pincite import tasks
from pincite.enrich.settings import Settings
from pincite.sources.manifest import load
from pincite.tables.read import read, version
from pincite.tables.schema import SNAPSHOTS

REPOSITORY = Path(__file__).resolve().parents[2]
HELP = {"retrieval_text", "derivation", "groundedness", "content_hash"}

pytestmark = pytest.mark.sail


def test_only_the_words_for_search_change_and_a_repeated_run_changes_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    manifest = load(REPOSITORY / "conf/corpora/demo.yml")._replace(gold=None, vectors="no")
    job = tasks.Job(manifest, tmp_path, tmp_path / "raw", REPOSITORY / "fixtures/ecfr", None, said.append)
    tasks.run(job)
    before = tables(tmp_path)
    tasks.enrich_only(job._replace(dry_run=True), Settings())
    assert tables(tmp_path) == before
    tasks.enrich_only(job, Settings())
    after = tables(tmp_path)
    assert {name for name in SNAPSHOTS if before[name] != after[name]} == {"chunks"}
    old, new = ({row["chunk_id"]: row for row in state["chunks"]} for state in (before, after))
    assert old.keys() == new.keys()
    changed = {name for key in old for name in old[key] if old[key][name] != new[key][name]}
    assert changed == HELP
    log = read(tmp_path / "tables", "enrichment_log").to_pylist()
    accepted = {row["chunk_id"] for row in log if row["status"] == "accepted"}
    assert accepted == {key for key, row in new.items() if row["derivation"] == "model_rewritten"}
    versions = [version(tmp_path / "tables", name) for name in (*SNAPSHOTS, "enrichment_log")]
    tasks.run(job._replace(manifest=manifest._replace(enrich=Settings())))
    assert [version(tmp_path / "tables", name) for name in (*SNAPSHOTS, "enrichment_log")] == versions
    assert said[-3].startswith("enrich    ")


def tables(state: Path) -> dict[str, Any]:
    return {name: sorted(read(state / "tables", name).to_pylist(), key=str) for name in SNAPSHOTS}
