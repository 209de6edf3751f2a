"""census: what a folder of documents holds, and what its parser could not settle."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pincite.cli import app


@app.command()
def census(
    folder: Annotated[Path, typer.Argument(help="The folder; every PDF and XML file below it is counted.")],
    output: Annotated[Path, typer.Option(help="Where documents.parquet and census.html are kept.")] = Path("data/census"),
    workers: Annotated[int, typer.Option(min=1, help="Child processes at a time.")] = 2,
    seconds: Annotated[float, typer.Option(min=0.1, help="What one document may take.")] = 60.0,
    megabytes: Annotated[int, typer.Option(min=50, help="The memory one document may take.")] = 400,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, for programs.")] = False,
) -> None:
    """Count pages, bytes, roles, passages and everything left open, per document and in all; a failure is a row of it."""
    from pincite.census import page, take
    from pincite.census.run import Limits
    from pincite.census.table import lines
    from pincite.retrieve.wire import line

    done = take(folder, output, workers, Limits(seconds, megabytes))
    html = page.write(done.rows, folder, output / "census.html")
    if as_json:
        for row in done.rows:
            print(line(row))
        return
    print("\n".join(lines(done.rows)))
    print(f"\n{done.kept} of {len(done.rows)} taken over from before; {len(done.other)} files of other kinds were not read")
    print(f"with pictures of the outliers: {html}")
