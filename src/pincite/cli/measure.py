"""evaluate: how good the answers are."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from pincite.cli import app

evaluation = typer.Typer(
    help="Measure answers against gold questions, and the law matcher against held-out cases.", rich_markup_mode=None
)
app.add_typer(evaluation, name="evaluate", invoke_without_command=True)


class Part(str, Enum):
    """Which questions."""

    dev = "dev"
    test = "test"
    all = "all"


@evaluation.callback()
def evaluate(
    context: typer.Context,
    gold: Annotated[Path, typer.Option(help="The gold set.")] = Path("conf/gold/cfr-gmp.yml"),
    state: Annotated[Path, typer.Option(help="The folder that holds tables/ and index/; runs are logged here.")] = Path("data"),
    raw: Annotated[Path | None, typer.Option(help="The published files; STATE/raw where not given.")] = None,
    project: Annotated[str | None, typer.Option(help="Whose corpus; may be left out where there is only one.")] = None,
    collection: Annotated[str | None, typer.Option(help="Which corpus; the gold set's where not given.")] = None,
    split: Annotated[Part, typer.Option(help="The questions to ask. Floors are always calibrated on dev.")] = Part.all,
    track: Annotated[bool, typer.Option(help="Log both modes to MLflow.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, for programs.")] = False,
) -> None:
    """Ask the gold questions without and with following references; fails where an agreed floor is missed."""
    if context.invoked_subcommand is not None:
        return
    from pincite.errors import FloorMissed
    from pincite.evaluate import report
    from pincite.evaluate.job import evaluate_state
    from pincite.evaluate.run import shortfalls

    parts = ("dev", "test") if split is Part.all else (split.value,)
    done = evaluate_state(gold, state, raw or state / "raw", project, collection, parts, track=track)
    pairs = done.evaluation.parts
    if as_json:
        for row in report.rows([each for pair in pairs.values() for each in pair]):
            print(json.dumps(row, ensure_ascii=False))
    else:
        print(f"calibration: {done.evaluation.abstainer.floor.calibration}")
        for part, (baseline, aware) in pairs.items():
            print(f"\n{part}: {len(aware.outcomes)} questions, {aware.setting.index_kind}, floor {aware.setting.floor:.3f}")
            print("\n".join([*report.table(baseline, aware), *report.failures(aware)]))
        print("\n".join(done.notes()))
    missed = shortfalls(done.evaluation.gold, *pairs["test"]) if "test" in pairs else []
    if missed:
        raise FloorMissed("; ".join(missed), where=str(gold), next="the questions that failed are listed above")


@evaluation.command()
def grounding(
    pairs: Annotated[Path, typer.Option(help="The folder of pairs.")] = Path("conf/gold/grounding"),
    split: Annotated[str, typer.Option(help="dev, holdout, fresh, unseen, written or all.")] = "all",
    model: Annotated[bool, typer.Option(help="With the nearness of words by the embedding model, where it is here.")] = True,
    failures: Annotated[bool, typer.Option(help="Also the pairs that were told wrongly, with the reasons.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, for programs.")] = False,
) -> None:
    """How many faithful rewrites the gate of enrichment lets through, and how many corrupted ones it catches, by kind."""
    from pincite.enrich.gate.near import open_near
    from pincite.evaluate import grounding as room

    judged = room.judge(room.part(room.load(pairs), split), open_near() if model else None)
    if as_json:
        for pair, found in judged:
            reasons = [reason._asdict() for reason in found.reasons]
            row = {"id": pair.id, "part": pair.part, "kind": pair.kind, "score": found.score, "verdict": found.verdict}
            print(json.dumps({**row, "right": room.is_right(pair, found), "reasons": reasons}, ensure_ascii=False))
        return
    print("\n".join(room.lines(judged, failures)))


@evaluation.command()
def matcher(
    snapshot: Annotated[Path, typer.Option(help="The annotation snapshot.")] = Path("fixtures/match/snapshot.json"),
    cases: Annotated[
        Path | None, typer.Option(help="Also these cases, labelled with laws only: JSON Lines with id, name, facts, law, kind.")
    ] = None,
    state: Annotated[Path, typer.Option(help="The folder whose embeddings/ are kept.")] = Path("data"),
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, for programs.")] = False,
) -> None:
    """Leave each case of the law matcher out in turn; everything that is counted forgets it first."""
    from pincite.evaluate import matcher_report
    from pincite.evaluate.matcher import leave_one_out
    from pincite.evaluate.matcher_cases import load as load_cases
    from pincite.match.open import embedder, open_index
    from pincite.match.search import MatchIndex

    reports = [leave_one_out(open_index(snapshot, "hybrid", state), f"{snapshot} (invented cases, elements and laws)")]
    for mask in (False, True):
        if cases is None:
            break
        found = load_cases(cases, mask=mask)
        how = "statutes' names masked" if mask else f"as published; {found.naming} lawful texts name their statute"
        index = MatchIndex(found.snapshot, embedder(state))
        reports.append(leave_one_out(index, f"{cases} (laws only, {how})", element_level=False, kinds=found.kinds))
    for report in reports:
        if as_json:
            for row in matcher_report.rows(report):
                print(json.dumps(row, ensure_ascii=False))
        else:
            print("\n".join(matcher_report.lines(report)), end="\n\n")
