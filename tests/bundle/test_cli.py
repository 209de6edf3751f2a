"""The real CLI against the fake workspace, on both targets; collected only where ``databricks`` is on PATH.

Nothing that is promised rests on this file alone: ``test_checks.py`` finds what a CLI would refuse and more, and
``test_job.py`` deploys and runs the same YAML with the SDK.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from workspace import Workspace

CLI = shutil.which("databricks")
pytestmark = [pytest.mark.sail, pytest.mark.slow, pytest.mark.timeout(600)]


class Cli:
    def __init__(self, workspace: Workspace, root: Path, target: str, home: Path) -> None:
        self.root, self.target = root, target
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("DATABRICKS_", "BUNDLE_VAR_"))}
        self.environment |= {
            "DATABRICKS_HOST": workspace.url,
            "DATABRICKS_TOKEN": workspace.token,
            "DATABRICKS_CONFIG_FILE": str(home / "none"),
            "DATABRICKS_CACHE_DIR": str(home / "cache"),
            "DATABRICKS_CACHE_ENABLED": "false",
            "DATABRICKS_CLI_DISABLE_TELEMETRY": "true",
            "DATABRICKS_CLI_DISABLE_UPDATE_CHECK": "true",
            "HOME": str(home),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "BUNDLE_VAR_service_principal": "pincite-runner",
            "BUNDLE_VAR_corpora": "demo",
        }

    def __call__(self, *arguments: str, code: int = 0) -> str:
        command = [str(CLI), "bundle", arguments[0], "-t", self.target, *arguments[1:]]
        done = subprocess.run(
            command, cwd=self.root, env=self.environment, capture_output=True, text=True, timeout=400, check=False
        )
        assert done.returncode == code, f"{' '.join(command[1:])}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr


@pytest.fixture
def root(repository: Path, tmp_path: Path) -> Path:
    """What a checkout holds, without what tests and builds leave in it."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in ("databricks.yml", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(repository / name, folder / name)
    for name in ("resources", "notebooks", "conf", "src"):
        shutil.copytree(repository / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as running:
        yield running


def the_whole_cycle(workspace: Workspace, root: Path, target: str, tmp_path: Path, repository: Path) -> None:
    cli = Cli(workspace, root, target, tmp_path)
    assert "Validation OK!" in cli("validate", "--strict")
    assert "0 to change, 0 to delete, 0 unchanged" in cli("plan")
    cli("deploy", "--auto-approve")
    assert "Plan: 0 to add, 0 to change, 0 to delete" in cli("plan")
    schema = "dev_someone_pincite" if target == "dev" else "pincite"
    _granted(workspace, f"main.{schema}", target)
    _land(workspace, repository, f"Volumes/main/{schema}/landing")
    said = cli("run", "ingest")
    assert "SUCCESS" in said  # the default: a dry run
    assert not (workspace.folder / "tables").exists()
    cli("destroy", "--auto-approve")
    kinds: dict[str, Any] = {kind: workspace.table(kind) for kind in ("jobs", "schemas", "volumes", "endpoints", "dashboards")}
    assert {kind: len(held) for kind, held in kinds.items()} == dict.fromkeys(kinds, 0)


def _granted(workspace: Workspace, schema: str, target: str) -> None:
    """Nobody was named, so nobody reads but who deployed; in production the service principal may also write."""
    grants = workspace.table("grants")[("schema", schema)]
    writing = {who for who, privileges in grants.items() if "MODIFY" in privileges}
    assert writing == ({"pincite-runner"} if target == "prod" else set())
    assert set(grants) == {"someone@example.com"} | writing
    assert grants["someone@example.com"] == {"USE_SCHEMA", "SELECT", "READ_VOLUME"}


def production_needs_its_principal(workspace: Workspace, root: Path, tmp_path: Path) -> None:
    cli = Cli(workspace, root, "prod", tmp_path)
    del cli.environment["BUNDLE_VAR_service_principal"]
    assert "service_principal" in cli("validate", code=1)


if CLI:  # without the CLI there is nothing to collect: a skipped test would be a promise not kept
    test_the_whole_cycle = pytest.mark.parametrize("target", ["dev", "prod"])(the_whole_cycle)
    test_production_needs_its_principal = production_needs_its_principal


def _land(workspace: Workspace, repository: Path, volume: str) -> None:
    for path in ("title-99/part-1.xml", "title-99/part-2.xml"):
        target = workspace.folder / volume / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(repository / "fixtures" / "ecfr" / path, target)


def test_the_job_the_cli_would_make_is_the_one_the_tests_run(repository: Path) -> None:
    """Without a CLI too: the resolved job has no reference left and the names of its target."""
    from deploy import Deployment

    for target, schema in (("dev", "dev_someone_pincite"), ("prod", "pincite")):
        deployment = Deployment(repository, None, target)
        job = deployment.resolve(deployment.bundle.resources["jobs", "ingest"])
        assert "${" not in json.dumps(job)
        given = {parameter["name"]: parameter["default"] for parameter in job["parameters"]}
        assert given["schema"] == schema
        assert given["landing"] == f"/Volumes/main/{schema}/landing"
        assert given["search_endpoint"].endswith(f"-{target}")
        assert given["dry_run"] == "true"
