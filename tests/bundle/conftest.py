"""The bundle's checks and its fake workspace are modules beside the tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def repository() -> Path:
    return HERE.parents[1]
