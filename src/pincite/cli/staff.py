"""evaluate staff: the questions of staff, measured apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pincite.cli.measure import evaluation


@evaluation.command()
def staff(
    gold: Annotated[Path, typer.Option(help="The questions, their obligations and profiles.")] = Path("conf/gold/manuals.yml"),
    state: Annotated[Path, typer.Option(help="The folder that holds tables/ and index/.")] = Path("data"),
    project: Annotated[str | None, typer.Option(help="Whose corpus; may be left out where there is only one.")] = None,
    collection: Annotated[str | None, typer.Option(help="Which corpus; the questions' where not given.")] = None,
    tokens: Annotated[int, typer.Option(min=1, help="The budget of an answer, in estimated tokens.")] = 3000,
    bm25: Annotated[bool, typer.Option("--bm25", help="Search by words alone: needs no model.")] = False,
    packages: Annotated[
        Path | None, typer.Option(help="Also write each answer's package here, one JSON object a line.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, for programs.")] = False,
) -> None:
    """Ask the questions of staff; each measure stands alone, over all obligations, and is never added to another."""
    from pincite.evaluate.staff import report, run
    from pincite.evaluate.staff.questions import load

    asking = load(gold)
    method = "bm25" if bm25 else "hybrid"
    ask, corpus, partition = run.open_asker(asking, state, project, collection or asking.corpus, tokens, method)
    asked = run.ask_all(asking, ask, corpus, partition)
    found = run.readings(asked)
    if packages is not None:
        put = run.packaged(asked, corpus, asking)
        packages.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in put), encoding="utf-8")
    if as_json:
        for row in report.rows(found, tokens, asking.digest):
            print(json.dumps(row, ensure_ascii=False))
        return
    print(f"{len(asked)} questions, {asking.obligations} obligations, budget {tokens} tokens; no figure is a sum of others\n")
    print("\n".join(report.lines(found)))
    print("\nnot delivered whole:")
    print("\n".join(report.missed(asked)))
