"""quality, author: what is wrong with a team's documents, and what they look like as authored Markdown."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pincite.cli import app
from pincite.cli.corpus import DRY_RUN, STATE, opened
from pincite.errors import PartialFailure, PinciteError, UsageError

if TYPE_CHECKING:
    from pincite.model import Document
    from pincite.quality import Problem

CORPUS = typer.Argument(..., help="A folder, a file in one, its configuration, or a corpus manifest.")


@app.command()
def quality(
    corpus: Path = CORPUS,
    state: Path = STATE,
    as_json: bool = typer.Option(False, "--json", help="One JSON object a line, for programs."),
    as_of: str = typer.Option("", "--as-of", help="The date review dates are compared with, YYYY-MM-DD."),
) -> None:
    """Look at every document of a team's own: issues stop a document in a run, warnings do not. Nothing is written.

    The codes are explained in docs/quality.md. Exit code 10 where an issue was found or a document could not be read.
    """
    from datetime import date

    from pincite.passages import build
    from pincite.quality import ISSUE, across, check

    try:
        date.fromisoformat(as_of or "2000-01-01")
    except ValueError as error:
        raise UsageError(f"--as-of is {as_of!r}", next="give a date as YYYY-MM-DD") from error
    documents, failed = _documents(corpus, state)
    passages = [build(document) for document in documents]
    found = [problem for each, made in zip(documents, passages) for problem in check(each, made, as_of)]
    found += across(documents, passages)
    for line in _lines(found) if as_json else _told(found, len(documents)):
        print(line)
    stopped = {problem.document_id for problem in found if problem.level == ISSUE}
    if stopped or failed:
        raise PartialFailure(
            f"{_counted(len(stopped), 'document')} would be stopped and {failed} could not be read",
            next="docs/quality.md explains the codes",
        )


@app.command()
def author(
    corpus: Path = CORPUS,
    out: Path = typer.Option(..., "--out", help="The folder for authored documents."),
    state: Path = STATE,
    dry_run: bool = DRY_RUN,
) -> None:
    """Write each document as Markdown: provenance in front matter, prose in the body, the same byte for byte each time."""
    from pincite.passages.authored import authored

    folder = (corpus if corpus.is_dir() else corpus.parent).resolve()
    if corpus.suffix not in (".yml", ".yaml") and out.resolve().is_relative_to(folder):
        raise UsageError(
            "--out lies in the folder that is read", where=str(out), next="name another: what is read stays as it is"
        )
    documents, failed = _documents(corpus, state)
    taken = {document.source.path for document in documents}
    for document in documents:
        path = document.source.path
        while not path.endswith(".md") or (path != document.source.path and path in taken):
            path += ".md"
        target = out / path
        print(f"{'would write' if dry_run else 'wrote'} {str(target)!r}")
        if not dry_run:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(authored(document).encode())
    if failed:
        raise PartialFailure(f"{_counted(failed, 'document')} could not be read", next="the others are written")


def _documents(corpus: Path, state: Path) -> tuple[list[Document], int]:
    """The parsed documents of a corpus, or of one file; and how many could not be read, each told on standard error."""
    from pincite.parse import parse
    from pincite.sources.verify import read_verified

    one = corpus.is_file() and corpus.suffix not in (".yml", ".yaml")
    manifest, _ = opened(corpus.parent if one else corpus, state)
    wanted = [source for source in manifest.sources if not one or source.path == corpus.name]
    if one and not wanted:
        raise UsageError("this file is not read", where=str(corpus), next="'pincite formats' lists what is")
    documents, failed = list[Any](), 0
    for source in wanted:
        if source.document_id in manifest.barred:
            if one:
                raise UsageError(manifest.barred[source.document_id].reason, where=source.path)
            continue
        try:
            documents.append(parse(source, read_verified(source, manifest.folder or state / "raw")))
        except PinciteError as error:
            failed += 1
            print(f"pincite: {error if str(error).startswith(source.path) else f'{source.path}: {error}'}", file=sys.stderr)
    return documents, failed


def _lines(found: Iterable[Problem]) -> Iterator[str]:
    for problem in found:
        yield json.dumps({"level": problem.level, **problem._asdict()}, ensure_ascii=False)


def _told(found: Sequence[Problem], documents: int) -> Iterator[str]:
    """A line for each problem, a summary by code at the end."""
    from pincite.quality import CODES

    for problem in found:
        yield f"{problem.path}:{problem.line}: {problem.level} {problem.code} {problem.message}"
    counts = Counter(problem.code for problem in found)
    yield f"{_counted(documents, 'document')}, {_counted(len(found), 'problem')}"
    for code, count in sorted(counts.items()):
        yield f"{count:>8} {code} {CODES[code]}"


def _counted(count: int, what: str) -> str:
    """How many of something.

    >>> _counted(1, "document"), _counted(0, "problem")
    ('1 document', '0 problems')
    """
    return f"{count} {what}{'' if count == 1 else 's'}"
