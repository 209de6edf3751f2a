"""The bundle's job in the fake workspace: its wheel tasks in fresh interpreters, against the limit of 40 s on two cores.

python benchmarks/bundle_job.py
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "bundle"), str(ROOT / "src")]
LIMIT_SECONDS = 40.0


def main() -> None:
    from deploy import build_wheel
    from homes import make_home
    from workspace import Workspace

    with tempfile.TemporaryDirectory() as scratch, Workspace(Path(scratch) / "workspace") as workspace:
        home = make_home(workspace, ROOT, build_wheel(ROOT, Path(scratch) / "wheel"), "timed")
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        print(f"{'':24} {'seconds':>8} {'of 40 s':>8} {'processor s':>12}")
        for name, parameters in (("dry run", {"dry_run": "true"}), ("first run", {}), ("nothing changed", {})):
            started = time.monotonic()
            home.succeed(**parameters)
            seconds = time.monotonic() - started
            times = home.times()
            spent = sum(cpu for _, cpu in times.values())
            print(f"{name:24} {seconds:8.1f} {seconds / LIMIT_SECONDS:8.2f} {spent:12.1f}")
            for task, (wall, cpu) in times.items():
                print(f"  {task:22} {wall:8.1f} {wall / LIMIT_SECONDS:8.2f} {cpu:12.1f}")


if __name__ == "__main__":
    main()
