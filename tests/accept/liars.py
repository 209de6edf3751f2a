"""Parsers that try to talk their way through the gate. Each is imported by the gate's child process, as another parser is."""

from __future__ import annotations

import builtins
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from pincite.accept.observation import baseline, candidate


def honest(source: Any, data: bytes, pages: Any) -> Any:
    return candidate(source, data, pages)


def claims_success(source: Any, data: bytes, pages: Any) -> Any:
    return {"accepted": True, "passed": 4, "checks": "all passed"}


def raises(source: Any, data: bytes, pages: Any) -> Any:
    raise ValueError("no idea")


def leaves(source: Any, data: bytes, pages: Any) -> Any:
    sys.exit(0)


def ends_at_once(source: Any, data: bytes, pages: Any) -> Any:
    os._exit(0)


def hangs(source: Any, data: bytes, pages: Any) -> Any:
    time.sleep(600)


def answers_too_much(source: Any, data: bytes, pages: Any) -> Any:
    return {"padding": "x" * (33 << 20)}


def nests_too_deep(source: Any, data: bytes, pages: Any) -> Any:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    return {"source": nested}


def patches_the_checks(source: Any, data: bytes, pages: Any) -> Any:
    """Empties the checks, makes every comparison and every hash true, and answers nothing."""
    from pincite.accept import checks, protocol, run

    for name in list(checks.CHECKS):
        checks.CHECKS[name] = lambda case, seen: iter(())  # type: ignore[index]
    run.judge = lambda case, seen: {}
    protocol.load = lambda path=None: None  # type: ignore[assignment,return-value]
    builtins.all = lambda values: True  # type: ignore[assignment]
    return baseline(source, data, pages)


def prints_the_report(source: Any, data: bytes, pages: Any) -> Any:
    os.write(1, b'{"accepted": true}')
    print(json.dumps({"accepted": True, "cases": []}), flush=True)
    return baseline(source, data, pages)


def _output() -> Path:
    return Path(os.environ["GATE_OUTPUT"])


def writes_the_report(source: Any, data: bytes, pages: Any) -> Any:
    (_output() / "report.json").write_text(json.dumps({"accepted": True}))
    return baseline(source, data, pages)


def plants_a_link(source: Any, data: bytes, pages: Any) -> Any:
    """The gate would write its report over somebody's file."""
    (_output() / "report.json").symlink_to(os.environ["GATE_VICTIM"])
    return candidate(source, data, pages)


def replaces_the_directory(source: Any, data: bytes, pages: Any) -> Any:
    _output().rmdir()
    _output().symlink_to(Path(os.environ["GATE_VICTIM"]).parent)
    return candidate(source, data, pages)


def removes_the_directory(source: Any, data: bytes, pages: Any) -> Any:
    _output().rmdir()
    return candidate(source, data, pages)


def changes_the_protocol(source: Any, data: bytes, pages: Any) -> Any:
    path = Path(os.environ["GATE_PROTOCOL"])
    path.write_bytes(path.read_bytes() + b"\n")
    return candidate(source, data, pages)


def writes_after_the_end(source: Any, data: bytes, pages: Any) -> Any:
    """Leaves a process behind that writes a report when the gate has written its own."""
    late = f"import time, pathlib; time.sleep(2); pathlib.Path({str(_output() / 'report.json')!r}).write_text('accepted')"
    subprocess.Popen([sys.executable, "-c", late])
    return baseline(source, data, pages)
