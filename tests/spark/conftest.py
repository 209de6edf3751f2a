"""One engine of each kind for the whole test run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.tables import engine as engines
from pincite.tables.engine import Engine
from pincite.tables.store import SparkTableStore


@pytest.fixture(scope="session")
def sail() -> Iterator[Engine]:
    engine = engines.sail()
    yield engine
    engine.stop()


@pytest.fixture(scope="session")
def jvm() -> Iterator[Engine]:
    engine = engines.jvm()
    yield engine
    engine.stop()


@pytest.fixture(params=[pytest.param("sail", marks=pytest.mark.sail), pytest.param("jvm", marks=pytest.mark.jvm)])
def engine(request: pytest.FixtureRequest) -> Engine:
    found: Engine = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def store(engine: Engine, tmp_path: Path) -> SparkTableStore:
    return SparkTableStore(tmp_path / "tables", lambda: engine)


@pytest.fixture
def sail_store(sail: Engine, tmp_path: Path) -> SparkTableStore:
    return SparkTableStore(tmp_path / "tables", lambda: sail)
