"""rank, score: any passages and queries through the product's retrieval, and a ranking against judgements."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from pincite.cli import app


class Method(str, Enum):
    """How to rank."""

    hybrid = "hybrid"
    bm25 = "bm25"
    vector = "vector"


@app.command()
def rank(
    passages: Annotated[Path, typer.Option(help="JSON lines: id, text, and if known title, document, heading_path, citation.")],
    queries: Annotated[Path, typer.Option(help="JSON lines: id, text.")],
    out: Annotated[Path, typer.Option(help="The TREC run to write.")],
    edges: Annotated[
        str,
        typer.Option(
            help="detect: find the references in the texts; terms: and the terms they define; none; or a file of them."
        ),
    ] = "detect",
    method: Annotated[
        Method, typer.Option(help="hybrid re-ranks BM25 and vectors together; bm25 needs no model.")
    ] = Method.hybrid,
    depth: Annotated[int, typer.Option(min=1, help="Passages to write for each query.")] = 100,
    abstain: Annotated[Path | None, typer.Option(help="Also write a decision and a confidence for each query.")] = None,
    calibration: Annotated[Path | None, typer.Option(help="How to decide; the shipped calibration where not given.")] = None,
) -> None:
    """Rank plain passages for plain queries, through the same index, references and fusion as the product's own."""
    from pincite.rank.run import rank_files

    rank_files(passages, queries, out, edges, method.value, depth, abstain, calibration)


@app.command()
def score(
    run: Annotated[Path | None, typer.Option(help="The TREC run to judge.")] = None,
    qrels: Annotated[Path | None, typer.Option(help="TREC judgements: query 0 passage grade.")] = None,
    compare: Annotated[Path | None, typer.Option(help="A second run; each difference is the second minus the first.")] = None,
    passages: Annotated[Path | None, typer.Option(help="The passages, to refuse judgements of ids that are none.")] = None,
    measures: Annotated[str, typer.Option(help="Names of ir_measures, and Both@k: all relevant passages in the first k.")] = "",
    abstentions: Annotated[Path | None, typer.Option(help="Decisions written by rank --abstain.")] = None,
    labels: Annotated[Path | None, typer.Option(help='JSON lines: id, and "abstain": true where there is no answer.')] = None,
) -> None:
    """Print measures with 95 % intervals, every judged query in the denominator; one JSON object a line."""
    from pincite.rank.report import report

    for row in report(run, qrels, compare, passages, measures, abstentions, labels):
        print(json.dumps(row))
