"""The Databricks adapters talk to the fake workspace with the real clients."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bundle"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from pincite.databricks.connect import Connection
from pincite.databricks.wait import Patience

QUICK = Patience(limit=2.0, every=0.01, attempts=4, first_pause=0.01)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Any]:
    from workspace import Workspace

    with Workspace(tmp_path / "workspace") as running:
        yield running


@pytest.fixture
def connection(workspace: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Connection:
    """Credentials of the test only: nothing of the machine's own configuration is read."""
    for name in ("DATABRICKS_HOST", "DATABRICKS_TOKEN", "DATABRICKS_CONFIG_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABRICKS_CONFIG_FILE", str(tmp_path / "none"))
    return Connection(host=workspace.url, token=workspace.token, retry_timeout_seconds=3)


@pytest.fixture
def quick() -> Patience:
    return QUICK
