"""formats: what can be read and what cannot."""

from __future__ import annotations

import json
import sys

import typer

from pincite.cli import app


@app.command()
def formats(
    as_json: bool = typer.Option(False, "--json", help="Print JSON, one format a line, also to a terminal."),
) -> None:
    """Print every format that is known: whether it is read, with which library, or why not."""
    from pincite.parse.formats import FORMATS

    for known in FORMATS:
        library = f"{known.library} {_version(known.library)}" if known.library else ""
        row = {
            "media_type": known.media_type,
            "name": known.name,
            "extensions": list(known.extensions),
            "read": bool(known.reader),
            "library": library,
            "reason": known.reason,
        }
        if as_json or not sys.stdout.isatty():
            print(json.dumps(row, ensure_ascii=False))
        else:
            how = library or "standard library" if known.reader else f"not read: {known.reason}"
            print(f"{known.name:26}  {' '.join(known.extensions[:5]):32}  {how}")


def _version(library: str) -> str:
    """The installed version, or that it is missing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(library)
    except PackageNotFoundError:
        return "(not installed)"
