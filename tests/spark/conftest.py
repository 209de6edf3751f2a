"""One engine of each kind for the whole test run, and small rows for it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pincite.model import Passage, Span, digest
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
    engine = engines.jvm(settings=engines.SMALL_DATA)
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


@pytest.fixture
def passage() -> Callable[..., Passage]:
    """A passage with every kind of column filled: ``passage(key, text, document_id)``."""

    def make(key: str, text: str = "1", document_id: str = "d") -> Passage:
        span = Span(1, 0, len(text), digest(text), None, 7)
        hashed = digest(key, text, document_id)
        return Passage(
            key, document_id, "v", f"{document_id} {key}", 0, ("a", "b"), "a > b", "body", text, text, (span,), 1,
            "observed", None, True, "", hashed,
        )  # fmt: skip

    return make


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a file system of 256 kilobytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    if (
        os.geteuid()
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)], check=False).returncode
    ):
        pytest.skip("only root can mount a small file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
