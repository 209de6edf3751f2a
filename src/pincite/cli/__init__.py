"""The command line. Commands only read options, call one function of ``tasks`` or of a room, and print."""

from __future__ import annotations

import gc
import sys
from importlib import import_module

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


THEMES = (
    "accept",
    "ask",
    "bring",
    "bundle",
    "census",
    "corpus",
    "enrich",
    "folder",
    "formats",
    "look",
    "match",
    "measure",
    "quality",
    "rank",
    "refs",
    "staff",
    "tables",
)
"""The modules of this package, in the order of their names; each registers its commands when it is imported."""

for _theme in THEMES:
    import_module(f"{__name__}.{_theme}")
