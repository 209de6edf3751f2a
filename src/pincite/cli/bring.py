"""bring: files from wherever they are into a folder."""

from __future__ import annotations

from pathlib import Path

import typer

from pincite.cli import app


@app.command()
def bring(
    uri: str = typer.Argument(
        ...,
        help="A folder, .zip, https:// file or listing/, s3:// abfs:// gs:// store, git+https://…@commit#folder, volume.",
    ),
    into: Path = typer.Option(..., "--into", help="The landing folder: new, empty, or one that was brought before."),
    largest: int = typer.Option(1 << 28, "--largest", help="Bytes a single file may have."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Say what would be done by the listing; write nothing."),
    json_lines: bool = typer.Option(False, "--json", help="One JSON object a file."),
) -> None:
    """Land what a source offers; only what changed is read. Files that cannot be had are named, the others are brought."""
    import json
    from collections import Counter
    from contextlib import closing

    from pincite.errors import PartialFailure
    from pincite.sources.bring import bring as land
    from pincite.sources.connectors import connect

    with closing(connect(uri, keep=not dry_run)) as connector:
        done = land(connector, into, largest=largest, dry_run=dry_run)
    for each in done:
        if json_lines:
            print(json.dumps(each._asdict(), ensure_ascii=False))
        elif each.action != "unchanged":
            print(f"{each.action:<10} {each.path!r}" + (f": {each.reason}" if each.reason else ""))
    counts = Counter(each.action for each in done)
    if not json_lines:
        print(
            f"{'would bring' if dry_run else 'brought'} from {uri}: "
            + ", ".join(f"{n} {action}" for action, n in counts.items())
        )
    if counts["failed"]:
        raise PartialFailure(
            f"{counts['failed']} files could not be brought", next="the others are here; run again to try them"
        )
