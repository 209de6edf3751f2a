"""The command line. Commands only read options, call one function of ``tasks`` or of a room, and print."""

from __future__ import annotations

import gc
import sys

import typer

from pincite import __version__
from pincite.errors import PinciteError

app = typer.Typer(
    name="pincite",
    help="Passages and cross-references of regulated documents, each traceable to the bytes of its source.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.command()
def version() -> None:
    """Print the version."""
    print(__version__)


def main() -> None:
    """Entry point: a ``PinciteError`` becomes one sentence on standard error and its documented exit code."""
    gc.set_threshold(100_000, 50, 100)  # a tenth of a short run is the collector looking through what imports have made
    try:
        app()
    except PinciteError as error:
        print(f"pincite: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)


from pincite.cli import (
    accept,
    ask,
    bring,
    bundle,
    census,
    corpus,
    folder,
    formats,
    look,
    match,
    measure,
    rank,
    refs,
    staff,
    tables,
)  # noqa: E402, F401  (commands register themselves)
