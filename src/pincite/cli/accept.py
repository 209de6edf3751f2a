"""accept: the gate a parser of manuals has to pass."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from pincite.cli import app


class Stage(str, Enum):
    """How many cases: four known defects, or all eight."""

    initial = "initial"
    expanded = "expanded"


@app.command()
def accept(
    sources: Annotated[Path, typer.Option(help="The folder of the registered documents.")],
    output: Annotated[Path, typer.Option(help="A new directory for report and observations.")],
    engine: Annotated[str, typer.Option(help="baseline, candidate, or MODULE:FUNCTION of another parser.")] = "candidate",
    stage: Annotated[Stage, typer.Option(help="initial: four cases; expanded: eight.")] = Stage.initial,
    initial_report: Annotated[Path | None, typer.Option(help="The passing report that the expanded stage needs.")] = None,
    protocol: Annotated[Path | None, typer.Option(help="Another registered protocol than the shipped one.")] = None,
) -> None:
    """Accept or refuse a parser by checks that do not believe it; exits non-zero where a case fails."""
    from pincite.accept.run import accept as run
    from pincite.accept.run import refuse_unless_accepted

    report = run(engine, stage.value, output, sources, initial_report, protocol)
    for case in report["cases"]:
        print(f"{'pass' if case['passed'] else 'FAIL'}  {case['case']}")
        for check, reasons in case["failures"].items():
            for reason in reasons[:5]:
                print(f"        {check}: {reason}")
    refuse_unless_accepted(report, output)
    print(f"accepted: {report['passed']} of {report['denominator']} cases; report in {output / 'report.json'}")
