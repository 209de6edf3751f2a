from __future__ import annotations

import compileall
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

import pincite


def _mini() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mini", Path(__file__).with_name("mini.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with mini.pdf and the protocol.json that registers it."""
    # a run is void where a file of ours changes, and another process of the tests may be compiling what it imports first
    compileall.compile_dir(str(Path(pincite.__file__).parent), quiet=2)
    made, folder = _mini(), tmp_path_factory.mktemp("mini")
    data = made.pdf()
    assert data == made.pdf(), "the manual must be the same bytes each time"
    (folder / "mini.pdf").write_bytes(data)
    (folder / "protocol.json").write_text(json.dumps(made.protocol(data)), encoding="utf-8")
    return folder
