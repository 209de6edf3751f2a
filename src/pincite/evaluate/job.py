"""Evaluate a corpus as it lies in the state folder: calibrate, ask, keep the calibration, track."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pincite.evaluate.corpus import Evaluation, evaluate, materials
from pincite.evaluate.gold import load
from pincite.evaluate.runs import runs
from pincite.evaluate.tracking import Logged, log
from pincite.index.local import LocalIndex
from pincite.model import Scope
from pincite.ports import Embedder
from pincite.retrieve import calibrated
from pincite.retrieve.session import index_folder, open_session

TABLES = ("documents", "partition", "nodes", "chunks", "relation_edges")
STORE = "mlflow.db"


class Done(NamedTuple):
    evaluation: Evaluation
    logged: tuple[Logged, ...]
    store: Path

    def notes(self) -> list[str]:
        """What was logged, a line each."""
        where = f"in {self.store} (see it with: mlflow ui --backend-store-uri sqlite:///{self.store})"
        new = [each for each in self.logged if each.new]
        same = [each for each in self.logged if not each.new]
        lines = [f"logged {', '.join(each.name for each in new)} {where}"] if new else []
        if same:
            lines.append(f"nothing logged for {', '.join(each.name for each in same)}: the same run is there already")
        return lines


class Remembering:
    """An embedder that embeds the gold questions once, together: each is asked three times over."""

    def __init__(self, inner: Embedder, texts: Sequence[str]) -> None:
        self.name, self.dimension = inner.name, inner.dimension
        self._inner = inner
        self._known = dict(zip(texts, inner.embed(texts)))

    def embed(self, texts: Sequence[str]) -> Any:
        """As the inner embedder."""
        import numpy as np

        if all(text in self._known for text in texts):
            return np.stack([self._known[text] for text in texts])
        return self._inner.embed(texts)


def remembering(inner: Embedder | None, texts: Sequence[str]) -> Embedder | None:
    """*inner* with the vectors of *texts* at hand; None where there is no model."""
    return Remembering(inner, list(dict.fromkeys(texts))) if inner is not None else None


def evaluate_state(
    gold: Path,
    state: Path,
    raw: Path,
    project: str | None = None,
    collection: str | None = None,
    parts: Sequence[str] = ("dev", "test"),
    *,
    track: bool = True,
) -> Done:
    """Open the state folder and evaluate; the gold set names the collection where none is given."""
    from pincite.index.cache import CachedEmbedder

    questions = load(gold)
    session = open_session(state, project, collection or questions.corpus or None)
    index = session.searcher
    if index.embedder is not None:
        index.embedder = CachedEmbedder(index.embedder, state / "embeddings")
    return evaluate_scope(gold, state, raw, session.scope, index, parts, track=track)


def evaluate_scope(
    gold: Path,
    state: Path,
    raw: Path,
    scope: Scope,
    index: LocalIndex,
    parts: Sequence[str] = ("dev", "test"),
    *,
    track: bool = True,
) -> Done:
    """Evaluate one scope with an open *index*; the calibration goes beside it, where questions find it."""
    from pincite.tables.read import version

    questions = load(gold)
    index.embedder = remembering(index.embedder, [question.text for question in questions.questions])
    evaluation = evaluate(questions, index, materials(state / "tables", raw, scope), parts)
    calibrated.save(evaluation.abstainer, index_folder(state, scope))
    if not track:
        return Done(evaluation, (), state / STORE)
    versions = {table: version(state / "tables", table) for table in TABLES}
    entries = runs(evaluation, scope, versions, index.stamp)
    return Done(evaluation, tuple(log(entries, "/".join(scope), state / STORE)), state / STORE)
