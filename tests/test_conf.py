"""Everything under conf/ is YAML to a strict parser too: the C loader lets faults pass that others refuse."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

FILES = sorted((Path(__file__).parents[1] / "conf").rglob("*.yml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_is_strict_yaml(path: Path) -> None:
    assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict)
