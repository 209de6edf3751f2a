"""task: one task of the Databricks job, by the function its wheel entry point calls."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from pincite.cli import app


class TaskName(str, Enum):
    """The job's tasks, in their order."""

    bootstrap = "bootstrap"
    verify = "verify"
    author = "author"
    merge = "merge"
    enrich = "enrich"
    sync = "sync"
    evaluate = "evaluate"


@app.command()
def task(
    name: Annotated[TaskName, typer.Argument(help="Which task of the job.")],
    parameter: Annotated[
        list[str] | None, typer.Option("--parameter", "-p", help="NAME=VALUE, as in resources/ingest.job.yml; all are needed.")
    ] = None,
) -> None:
    """Run one task of the Databricks job from here: for a workspace reached by Databricks Connect and a profile."""
    from pincite.databricks.job import run

    run(name.value, [f"--{each}" for each in parameter or []])
