"""A warm interpreter for tasks whose freshness is not what a test is about.

What is heavy to import is imported once, by a server process; each task is a child of it. Nothing of Pincite is imported
before the child starts, so the child runs the wheel. The run that is timed in ``test_job.py`` starts real ones.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import traceback
from pathlib import Path
from typing import Any

HEAVY = ["pyspark.sql.connect.session", "pandas", "pyarrow.dataset", "deltalake", "databricks.sdk", "mlflow.tracking"]
HEAVY += ["databricks.ai_search.client"]


class Warm:
    """A task in a child of the warm interpreter, with as much of ``Popen`` as a run needs."""

    def __init__(self, command: list[str], environment: dict[str, str], folder: Path, outputs: Path) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(HEAVY)
        self._outputs = [outputs.with_suffix(".out"), outputs.with_suffix(".err")]
        paths = [str(path) for path in self._outputs]
        self._process = context.Process(target=child, args=(command, environment, str(folder), *paths), daemon=True)
        self._process.start()

    def kill(self) -> None:
        self._process.kill()

    def poll(self) -> int | None:
        return self._process.exitcode

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def communicate(self) -> tuple[str, str]:
        self._process.join()
        texts = [path.read_text() if path.exists() else "" for path in self._outputs]
        return texts[0], texts[1]


def child(command: list[str], environment: dict[str, str], folder: str, output: str, errors: str) -> Any:
    """The task itself: its output in files, its environment and nothing else, its own packages first."""
    for number, target in ((1, output), (2, errors)):
        os.dup2(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
    for name in [name for name in sys.modules if name.split(".")[0] in ("pincite", "session")]:
        del sys.modules[name]
    from session import main

    code = 0
    try:
        main(command[0], command[1], command[2:])
    except BaseException:  # noqa: BLE001 - what a fresh interpreter does with any
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
