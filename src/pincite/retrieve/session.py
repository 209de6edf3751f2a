"""What a question on the command line needs: the corpus and the index of one scope, opened from the state folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import IndexFault, UsageError
from pincite.index import local
from pincite.index.embed import LazyEmbedder
from pincite.index.local import LocalIndex
from pincite.index.refresh import Refreshed, refresh
from pincite.model import Answer, Scope
from pincite.retrieve import calibrated
from pincite.retrieve.abstain import Abstainer
from pincite.retrieve.answer import answer
from pincite.retrieve.assemble import Budget
from pincite.retrieve.corpus import Corpus
from pincite.retrieve.profiles import Places, open_routes


class Session(NamedTuple):
    """An opened scope. ``abstainer`` is None where nothing was calibrated: the index's floor then decides."""

    scope: Scope
    corpus: Corpus
    searcher: LocalIndex
    abstainer: Abstainer | None


def open_session(state: Path, project: str | None = None, collection: str | None = None, method: str = "hybrid") -> Session:
    """Open tables and index of one scope. ``IndexFault`` where the index is missing or lags behind the chunks table."""
    tables = state / "tables"
    scope = scope_of(tables, project, collection)
    folder = index_folder(state, scope)
    current = local.read_current(folder)
    embedder = None if method == "bm25" or current["model"] is None else LazyEmbedder(current["model"].split("/")[0])
    index = local.load(folder, embedder, method=method)
    corpus = Corpus.open(tables, scope)
    _check_rows(tables, corpus, index, current["model"], folder)
    return Session(scope, corpus, index, calibrated.load(folder, index.stamp, index.floor().backend))


def ask(
    session: Session,
    question: str,
    budget: Budget,
    follow: int = 1,
    held: Places | None = None,
    concepts: Sequence[str] = (),
    benefit: str = "",
) -> Answer:
    """The answer of an opened scope, as it is printed and as it is evaluated.

    *held* is what the scope holds for its profiles (``known_places``): those of the concepts that the question names, and
    of *concepts*, open their routes where every guard resolves for *benefit*.
    """
    routes = open_routes(question, concepts, benefit, held) if held is not None else []
    return answer(question, session.searcher, session.corpus, budget, follow, session.abstainer, routes)


def refresh_index(state: Path, project: str | None = None, collection: str | None = None, method: str = "hybrid") -> Refreshed:
    """Bring the index of a scope in line with the chunks table. Embeddings are cached in *state*."""
    from pincite.index.cache import CachedEmbedder
    from pincite.tables.read import read, version

    tables = state / "tables"
    scope = scope_of(tables, project, collection)
    embedder = None if method == "bm25" else CachedEmbedder(LazyEmbedder(), state / "embeddings")
    chunks = read(tables, "chunks", scope)
    return refresh(chunks, index_folder(state, scope), embedder, version=version(tables, "chunks"))


def outlook(state: Path, project: str | None = None, collection: str | None = None, method: str = "hybrid") -> str:
    """What ``refresh_index`` would do, with nothing written and no model loaded."""
    from pincite.index.refresh import stale
    from pincite.tables.read import read

    scope = scope_of(state / "tables", project, collection)
    model = None if method == "bm25" else LazyEmbedder().name
    reason = stale(read(state / "tables", "chunks", scope), index_folder(state, scope), model)
    return f"would build the index: {reason}" if reason else "would leave the index as it is: it is current"


def index_folder(state: Path, scope: Scope) -> Path:
    """Where the index of a scope lies."""
    return state / "index" / scope.project / scope.collection


def scope_of(tables: Path, project: str | None, collection: str | None) -> Scope:
    """The scope that is meant; it may be named in part, or not at all where the tables hold only one."""
    from pincite.tables.read import read

    rows: list[dict[str, Any]] = read(tables, "documents", None, ["project", "collection"]).to_pylist()
    scopes = sorted({Scope(row["project"], row["collection"]) for row in rows})
    if not scopes:
        below = ", ".join(sorted(str(each.parent) for each in tables.parent.glob("*/tables")))
        known = f"name one with --state: {below}" if below else "make them with 'pincite run', or name --state"
        raise UsageError("there are no tables here", where=str(tables), next=known)
    meant = [s for s in scopes if project in (None, s.project) and collection in (None, s.collection)]
    if len(meant) != 1:
        known = ", ".join("/".join(each) for each in scopes)
        problem = "several corpora are meant" if meant else "there is no such corpus"
        raise UsageError(problem, next=f"name one with --project and --collection: {known}")
    return meant[0]


def _check_rows(tables: Path, corpus: Corpus, index: LocalIndex, model: str | None, folder: Path) -> None:
    """The index must hold the rows of the chunks table: of the same version, or with the same digest in another one."""
    from pincite.tables.read import version

    if index.version != version(tables, "chunks") and index.stamp != local.stamp_of(corpus.passages.values(), model):
        raise IndexFault(
            f"the index was built from version {index.version} of the chunks table, which holds other passages now",
            where=str(folder),
            next="rebuild it with 'pincite index' or 'pincite run'",
        )
