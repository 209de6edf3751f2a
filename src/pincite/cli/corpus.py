"""acquire, verify, lock: the sources of a corpus."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from pincite.cli import app
from pincite.errors import PartialFailure

if TYPE_CHECKING:
    from pincite.sources.manifest import Manifest

CORPUS = typer.Argument(Path("conf/corpora/cfr-gmp.yml"), help="The corpus manifest.")
RAW = typer.Option(Path("data/raw"), "--raw", help="The landing folder.")
STATE = typer.Option(Path("data"), "--state", envvar="PINCITE_STATE", help="The folder for tables, index and runs.")
MODEL = typer.Option(None, "--model", envvar="PINCITE_MODEL", help="The embedding model's name.")
VECTORS = typer.Option(
    None, "--vectors/--no-vectors", envvar="PINCITE_VECTORS", help="Embed all passages, or none; as the corpus says otherwise."
)
DRY_RUN = typer.Option(False, "--dry-run", help="Report every action; write nothing, contact nobody.")
MIRROR = typer.Option(None, "--mirror", envvar="PINCITE_MIRROR", help="A folder to look in before the publisher.")


class Step(str, Enum):
    """Where a run may end."""

    merge = "merge"
    sync = "sync"
    evaluate = "evaluate"


@app.command()
def acquire(
    corpus: Path = CORPUS,
    raw: Path = RAW,
    mirror: Path | None = MIRROR,
    check: bool = typer.Option(False, "--check", "--dry-run", help="Say what would be done; write nothing, contact nobody."),
) -> None:
    """Bring every pinned file into the landing folder, verified before it gets its name."""
    from pincite.sources import acquire as room
    from pincite.sources.manifest import load

    sources = load(corpus).sources
    for done in room.plan(sources, raw, mirror) if check else room.acquire(sources, raw, mirror):
        print(f"{done.action:<10} {done.source.document_id:<24} {done.origin}")


@app.command()
def run(
    corpus: Path = typer.Argument(Path("conf/corpora/cfr-gmp.yml"), help="A folder, its configuration, or a corpus manifest."),
    state: Path = STATE,
    raw: Path | None = typer.Option(None, "--raw", help="The landing folder of a manifest; STATE/raw where not given."),
    mirror: Path | None = MIRROR,
    model: str | None = MODEL,
    vectors: bool | None = VECTORS,
    until: Step = typer.Option(Step.evaluate, "--until", help="The last step; merge leaves the index as it is."),
    allow_empty: bool = typer.Option(False, "--allow-empty", help="A corpus without any document may delete all its rows."),
    dry_run: bool = DRY_RUN,
) -> None:
    """The main job: verify or discover, author, merge, sync, evaluate. Repeating it changes nothing, and says so.

    A FOLDER needs no configuration: one is written to STATE/corpora, to be edited. The folder itself is only read.
    """
    import time

    from pincite import tasks

    started = time.perf_counter()
    absent = brought(corpus, state, dry_run)
    manifest, remember = opened(corpus, state, vectors)
    version = f", as of {manifest.corpus_version}" if manifest.corpus_version else ""
    print(f"{manifest.title} ({'/'.join(manifest.scope)}){version}")
    landing = manifest.folder or raw or state / "raw"
    tasks.run(tasks.Job(manifest, state, landing, mirror, model, print, remember, dry_run, allow_empty, until.value))
    print(f"done      in {time.perf_counter() - started:.1f} s")
    if absent:
        raise PartialFailure(f"{absent} files could not be brought", next="earlier copies are kept; run again to try them")


def brought(corpus: Path, state: Path, dry_run: bool) -> int:
    """Bring what the source of a folder offers, if its configuration names one; how many files could not be had."""
    from collections import Counter

    from pincite.sources import folder

    done = folder.brought(folder.config_of(corpus, state), dry_run=dry_run) if folder.is_folder_corpus(corpus) else []
    if done:
        counts = Counter(each.action for each in done)
        print(
            "bring     " + ("would be " if dry_run else "") + ", ".join(f"{count} {action}" for action, count in counts.items())
        )
    failed = [each for each in done if each.action == "failed"]
    for each in failed:
        print(f"          {each.path!r}: {each.reason}")
    return len(failed)


def opened(corpus: Path, state: Path, vectors: bool | None = None) -> tuple[Manifest, Callable[[], None]]:
    """The corpus that is named, pinned or a folder, and what is to be remembered of it when a run begins."""
    from pincite.sources import folder, manifest

    if not folder.is_folder_corpus(corpus):
        found, remember = manifest.load(corpus), _nothing
    else:
        looked = folder.look(corpus, state)
        found, remember = looked.manifest, looked.remember
    return (found if vectors is None else found._replace(vectors="yes" if vectors else "no")), remember


def _nothing() -> None:
    """A pinned corpus has nothing to remember."""


@app.command()
def setup() -> None:
    """Fetch what a run needs and no package brings, so that it then works offline: the model, and MLflow's empty store."""
    from pincite.evaluate.tracking import template
    from pincite.index.models import ensure_model

    print(f"model     {ensure_model()}")
    print(f"tracking  {template()}")


@app.command()
def verify(corpus: Path = CORPUS, raw: Path = RAW) -> None:
    """Re-check every landed file against the manifest's size and SHA-256."""
    import sys

    from pincite.sources.manifest import load
    from pincite.sources.verify import problems

    sources = load(corpus).sources
    found = problems(sources, raw)
    for problem in found[1:]:
        print(f"pincite: {problem}", file=sys.stderr)
    if found:
        raise found[0]
    print(f"{len(sources)} of {len(sources)} files are as pinned in {corpus}")


@app.command()
def lock(
    corpus: Path = CORPUS,
    as_of: str = typer.Option(..., "--as-of", help="The new as-of date, YYYY-MM-DD."),
    source_folder: Path | None = typer.Option(None, "--from", help="Read the files from this folder, not the publisher."),
    raw: Path = RAW,
    yes: bool = typer.Option(False, "--yes", help="Write without asking."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Show the hashes; pin and land nothing."),
) -> None:
    """Show the hashes of a new as-of date, then pin them in the manifest and land the files."""
    from pincite.sources import acquire as room
    from pincite.sources import lock as locking
    from pincite.sources.manifest import load

    manifest = load(corpus)
    reader = locking.from_folder(source_folder) if source_folder else locking.published
    pins = locking.look(manifest, as_of, reader)
    for pin in pins:
        mark = "changed  " if pin.changed else "unchanged"
        print(f"{mark} {pin.source.document_id}\n  was {pin.old_sha256}\n  now {pin.new_sha256} ({pin.new_bytes} bytes)")
    if dry_run:
        print(f"would pin {len(pins)} files as of {as_of} in {corpus}; nothing was written")
        return
    if not yes and not typer.confirm(f"Pin these in {corpus} as of {as_of}?"):
        raise PartialFailure("nothing was pinned", next="run again and confirm, or pass --yes")
    locking.write(manifest, as_of, pins)
    for source, pin in zip(load(corpus).sources, pins, strict=True):
        room.land(source, (piece for piece in [pin.data]), raw / source.path, pin.uri)
    print(f"pinned {len(pins)} files as of {as_of} in {corpus}")
