"""discover, plan, config: what a folder holds, what a run would do with it, and with which settings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pincite.cli import app
from pincite.cli.corpus import MIRROR, MODEL, STATE, VECTORS, opened

if TYPE_CHECKING:
    from pincite.sources.discover import Found
    from pincite.sources.folder import Config

AS_JSON = typer.Option(False, "--json", help="One JSON object a line, for programs.")


@app.command()
def discover(
    folder: Path = typer.Argument(..., help="A folder, or the configuration of one."),
    state: Path | None = typer.Option(
        None, "--state", help="Where document ids are remembered; 'data' is read where not given."
    ),
    as_json: bool = AS_JSON,
) -> None:
    """Catalogue a folder: every file with its class by content, its hash and its document id. The folder is only read.

    With --json: the manifest, first a line about the corpus, then one for each entry. Ids are remembered for later discoveries
    where --state is given; a run remembers them anyway.
    """
    from pincite.sources.folder import look

    looked = look(folder, state or Path("data"))
    if state is not None:
        looked.remember()
    lines = _manifest_lines(looked.config, looked.found) if as_json else _told(looked.found)
    for line in lines:
        print(line)


@app.command()
def plan(
    corpus: Path = typer.Argument(..., help="A folder, its configuration, or a corpus manifest."),
    state: Path = STATE,
    as_json: bool = AS_JSON,
) -> None:
    """Say for each document what a run would do and why; a summary keeps what is healthy apart from what needs a look.

    Documents that nothing would be done about are counted in the summary; --json prints them too. Nothing is written.
    """
    from pincite import tasks
    from pincite.tables.plan import decisions, summary

    manifest, _ = opened(corpus, state)
    planned = tasks.decide(tasks.Job(manifest, state, state / "raw", None, None, print))
    if not as_json:
        print("\n".join([*decisions(planned), *summary(planned)]))
        return
    for action in planned.actions:
        path = action.source.path if action.source else ""
        row = {"document_id": action.document_id, "path": path, "action": action.action, "kind": action.kind}
        print(_json(row | {"reason": action.reason}))


@app.command()
def config(
    context: typer.Context,
    corpus: Path | None = typer.Argument(None, help="A folder, its configuration, or a corpus manifest."),
    state: Path = STATE,
    mirror: Path | None = MIRROR,
    model: str | None = MODEL,
    vectors: bool | None = VECTORS,
    as_json: bool = AS_JSON,
) -> None:
    """Resolve and check the settings of a run, and show where each comes from: option, environment, file or default.

    The options are those of `run`. Nothing is written.
    """
    from pincite.settings import resolve

    wanted = None if vectors is None else "yes" if vectors else "no"
    values = {"state": str(state), "mirror": mirror and str(mirror), "model": model, "vectors": wanted}
    options = {name: (value, _origin(context, name)) for name, value in values.items()}
    for setting in resolve(corpus, options):
        value = str(setting.value) if isinstance(setting.value, Path) else setting.value
        if as_json:
            print(_json({"name": setting.name, "value": value, "origin": setting.origin}))
        else:
            shown = "-" if value is None or value == "" else ", ".join(value) or "-" if isinstance(value, list) else value
            print(f"{setting.name:<15} {shown}  ({setting.origin})")


def _origin(context: typer.Context, name: str) -> str:
    """Where the command line's parser found a parameter."""
    source = getattr(context.get_parameter_source(name), "name", "DEFAULT")
    return {"COMMANDLINE": f"option --{name}", "ENVIRONMENT": f"environment PINCITE_{name.upper()}"}.get(source, "default")


def _manifest_lines(config: Config, found: Sequence[Found]) -> Iterator[str]:
    yield _json({"type": "corpus", **config.values})
    for each in found:
        yield _json({"type": "entry", **each._asdict()})


def _json(row: dict[str, Any]) -> str:
    """One line; a name that is not in UTF-8 is escaped, since it cannot be printed."""
    line = json.dumps(row, ensure_ascii=False)
    return line if line.isprintable() or _encodes(line) else json.dumps(row)


def _encodes(line: str) -> bool:
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True


def _told(found: Sequence[Found]) -> Iterator[str]:
    """Counts by format, then every entry that cannot be read, with its reason."""
    readable = [each for each in found if not each.trouble]
    size = sum(each.bytes for each in readable)
    yield f"{len(found)} entries, {len(readable)} of them can be read ({size / 2**20:.1f} MB)"
    for name, count in Counter(each.format for each in readable).most_common():
        yield f"{count:>8} {name}"
    for trouble, count in Counter(each.trouble for each in found if each.trouble).most_common():
        yield f"{count:>8} not read: {trouble.replace('_', ' ')}"
        for each in [each for each in found if each.trouble == trouble][:5]:
            yield f"         {ascii(each.path)[1:-1] if not each.path.isprintable() else each.path}: {each.reason}"
