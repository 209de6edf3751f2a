"""``pincite export``: a table for other programs."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from pincite.cli import app


class Format(str, Enum):
    """What ``export`` can write."""

    jsonl = "jsonl"
    parquet = "parquet"


@app.command()
def export(
    table: Annotated[
        str,
        typer.Argument(help="documents, partition, nodes, chunks, relation_edges, ingest_log, enrichment_log, retrieval_log"),
    ],
    format: Annotated[Format, typer.Option(help="JSON Lines, or one Parquet file.")] = Format.jsonl,
    output: Annotated[Path | None, typer.Option(help="The file to write; standard output where not given.")] = None,
    project: Annotated[str | None, typer.Option(help="Only this project (with --collection).")] = None,
    collection: Annotated[str | None, typer.Option(help="Only this collection (with --project).")] = None,
    state: Annotated[Path, typer.Option(help="The folder that holds tables/.")] = Path("data"),
) -> None:
    """Write a table as JSON Lines (one row a line) or Parquet."""
    from pincite.tables.export import export_table, scope_option

    export_table(state / "tables", table, scope_option(project, collection), format.value, output, sys.stdout.buffer)
