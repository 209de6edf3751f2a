"""Entry points of the job's wheel tasks: arguments in, one JSON line per finished step out, an error that fails the task.

Serverless gives a task no environment variables of ours and no working directory: everything comes as an argument.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Sequence
from typing import Any

from pincite.databricks.errors import platform
from pincite.databricks.parameters import PARAMETERS, Parameters, parameters
from pincite.errors import PinciteError

__all__ = ["PARAMETERS", "author", "bootstrap", "enrich", "evaluate", "merge", "report", "run", "sync", "verify"]


def report(task: str, **fields: Any) -> None:
    """One line of the task's output, for people and for ``scripts/evidence_panel.py``."""
    sys.stdout.write(json.dumps({"task": task, **fields}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def run(name: str, arguments: Sequence[str]) -> None:
    """One task by name, with ``--name=value`` arguments: what every entry point and ``pincite task`` call."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    logging.getLogger("pincite").setLevel(logging.INFO)
    from pincite.databricks import tasks

    task: Callable[[Parameters, Callable[..., None]], None] = getattr(tasks, name)
    try:
        given = parameters(arguments)
        with platform(f"{given.catalog}.{given.schema}"):  # whatever no finer place has named: a statement, a read, a commit
            task(given, lambda **fields: report(name, **fields))
    except PinciteError as error:  # its sentence says it all: what the run's page shows is not buried in frames of libraries
        raise error.with_traceback(None) from None


def bootstrap() -> None:
    """``pincite-bootstrap``."""
    run("bootstrap", sys.argv[1:])


def verify() -> None:
    """``pincite-verify``."""
    run("verify", sys.argv[1:])


def author() -> None:
    """``pincite-author``."""
    run("author", sys.argv[1:])


def merge() -> None:
    """``pincite-merge``."""
    run("merge", sys.argv[1:])


def enrich() -> None:
    """``pincite-enrich``."""
    run("enrich", sys.argv[1:])


def sync() -> None:
    """``pincite-sync``."""
    run("sync", sys.argv[1:])


def evaluate() -> None:
    """``pincite-evaluate``."""
    run("evaluate", sys.argv[1:])
