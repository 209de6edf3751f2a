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

QUICK = Patience(limit=60.0, every=0.01, attempts=4, first_pause=0.01)


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
    """Hardly any pauses, and a limit that no loaded machine reaches."""
    return QUICK


class Clock:
    """Time that passes only while somebody waits, in the place of the module ``time``."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of every wait for the platform."""
    clock = Clock()
    for module in ("wait", "search"):
        monkeypatch.setattr(f"pincite.databricks.{module}.time", clock)
    return clock
