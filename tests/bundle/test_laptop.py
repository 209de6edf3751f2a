"""The notebooks run top to bottom, and every query of the dashboard answers, over the tables the main job made."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.sail, pytest.mark.slow, pytest.mark.timeout(600)]
HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def home(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``tables/main/pincite``, made by the main job from the invented corpus, with an evaluation and logged answers."""
    from pincite.databricks.evaluation import evaluation_rows
    from pincite.errors import FloorMissed
    from pincite.evaluate.job import evaluate_state
    from pincite.retrieve import answer, log_row
    from pincite.retrieve.session import open_session
    from pincite.sources.manifest import load
    from pincite.tables import health
    from pincite.tables.store import SparkTableStore
    from pincite.tasks import Job, run

    folder = tmp_path_factory.mktemp("laptop")
    manifest = load(repository / "conf" / "corpora" / "demo.yml")
    mirror = repository / "fixtures" / "ecfr"
    with suppress(FloorMissed):  # how well it retrieves is tested elsewhere
        run(Job(manifest, folder / "state", folder / "state" / "raw", mirror, None, lambda line: None))
    assert manifest.gold is not None
    done = evaluate_state(manifest.gold, folder / "state", folder / "state" / "raw", *manifest.scope)
    store = SparkTableStore(folder / "state" / "tables")
    session = open_session(folder / "state")
    asked = [answer(text, session.searcher, session.corpus) for text in ("How is the lamp lit in fog?", "Who keeps bicycles?")]
    store.bootstrap()
    store.append("retrieval_log", manifest.scope, [log_row(given, "2026-01-01T00:00:00+00:00", 0.01, 0) for given in asked])
    health.log(store, manifest.scope, "run", "2026-01-01T00:00:00+00:00")
    store.append("evaluation_log", manifest.scope, evaluation_rows(done.evaluation, "run", "2026-01-01T00:00:00+00:00", 0))
    store.close()
    (folder / "tables" / "main").mkdir(parents=True)
    (folder / "tables" / "main" / "pincite").symlink_to(folder / "state" / "tables")
    return folder


@pytest.fixture(scope="module")
def seen(home: Path, repository: Path) -> dict[str, Any]:
    """What notebooks and queries gave, run in a fresh interpreter."""
    from routes_jobs import start_engine, stop_process

    from pincite.sources.manifest import load

    scope = load(repository / "conf" / "corpora" / "demo.yml").scope
    both = {"project": scope.project, "collection": scope.collection}
    widgets = {
        "1_explore_a_corpus": both,
        "2_ask_a_question": {**both, "question": "Must the lamp be lit in fog?"},
        "3_compare_runs": {"experiment": "/".join(scope), "tracking_uri": f"sqlite:///{home / 'state' / 'mlflow.db'}"},
        "4_open_ends": both,
    }
    port, process = start_engine(repository / "src")
    try:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(repository / "src"), str(HERE)]),
            "SPARK_REMOTE": f"sc://127.0.0.1:{port}",
            "MPLBACKEND": "Agg",
            "MLFLOW_DISABLE_TELEMETRY": "true",
        }
        command = [sys.executable, "-m", "laptop", str(home), str(repository), json.dumps(widgets)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500, check=False)
    finally:
        stop_process(process)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def test_every_notebook_runs_to_its_end(seen: dict[str, Any], repository: Path) -> None:
    from laptop import cells

    sources = {path.stem: path.read_text() for path in (repository / "notebooks").glob("*.py")}
    assert len(sources) >= 4
    for name, source in sources.items():
        assert source.startswith("# Databricks notebook source\n"), name
        assert seen["notebooks"][name]["cells"] == len(cells(source)) > 2, name


def test_the_notebooks_show_something(seen: dict[str, Any]) -> None:
    shown = {name: found["shown"] for name, found in seen["notebooks"].items()}
    assert shown["1_explore_a_corpus"].count("figure True") == 3
    assert "rows 2" in shown["1_explore_a_corpus"]  # two documents
    assert not any(item == "rows 0" for item in shown["1_explore_a_corpus"])
    assert shown["2_ask_a_question"][0] != "rows 0"  # there is an answer
    assert shown["3_compare_runs"].count("figure True") == 2
    assert "figure True" in shown["4_open_ends"]


def test_every_query_of_the_dashboard_answers(seen: dict[str, Any]) -> None:
    for name, answer in seen["queries"].items():
        assert answer["rows"], name
    edges = {row["status"]: row["edges"] for row in seen["queries"]["edges"]["rows"]}
    assert set(edges) <= {"resolved", "out_of_corpus", "ambiguous", "unresolved", "unsupported"}
    assert sum(row["documents"] for row in seen["queries"]["documents"]["rows"]) == 2
    over_versions = {row["kind"]: row["value"] for row in seen["queries"]["references_over_versions"]["rows"]}
    assert over_versions == {
        status: sum(row["edges"] for row in seen["queries"]["edges"]["rows"] if row["status"] == status) for status in edges
    }
    assert len({row["series"] for row in seen["queries"]["measures_over_time"]["rows"]}) == 6  # three measures, twice


def test_every_widget_asks_for_what_its_query_gives(seen: dict[str, Any], repository: Path) -> None:
    dashboard = json.loads((repository / "resources" / "corpus_health.lvdash.json").read_text())
    for page in dashboard["pages"]:
        for item in page["layout"]:
            (query,) = item["widget"]["queries"]
            columns = seen["queries"][query["query"]["datasetName"]]["columns"]
            given = {field["name"] for field in query["query"]["fields"]}
            for field in query["query"]["fields"]:
                named = field["expression"].split("`")[1]
                assert named in columns, (item["widget"]["name"], field)
            assert _fields(item["widget"]["spec"]["encodings"]) <= given, item["widget"]["name"]


def _fields(encodings: Any) -> set[str]:
    if isinstance(encodings, dict):
        own = {encodings["fieldName"]} if "fieldName" in encodings else set()
        return own.union(*(_fields(value) for value in encodings.values()))
    return set().union(*(_fields(value) for value in encodings)) if isinstance(encodings, list) else set()
