"""The bundle's checks and its fake workspace are modules beside the tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def repository() -> Path:
    return HERE.parents[1]


@pytest.fixture(scope="session")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from deploy import build_wheel

    return build_wheel(repository, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def shared(repository: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from workspace import Workspace

    with Workspace(tmp_path_factory.mktemp("workspace")) as running:
        yield running


@pytest.fixture(scope="module")
def home(shared: Any, repository: Path, wheel: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A deployment of its own schema in the shared workspace, whose engine runs on."""
    from homes import make_home

    shared.allow_all()
    quiet = {"retries": 0, "kill": None, "hold": None, "lose_rows": 0, "hang": None}
    shared.state.update(quiet, warm=Path(request.node.name).stem != "test_job")
    yield make_home(shared, repository, wheel, Path(request.node.name).stem)
    shared.allow_all()
    shared.state.update(quiet, warm=False)
