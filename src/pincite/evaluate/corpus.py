"""A corpus' gold set, asked of its index twice: without and with following references."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from pincite.evaluate.calibrate import ALPHA, FEATURES, Seen, fit
from pincite.evaluate.gold import Gold, Question
from pincite.evaluate.outcome import Delivered, Pages
from pincite.evaluate.run import Reply, Report, Setting, run
from pincite.model import Answer, Block, Scope
from pincite.ports import VectorIndex
from pincite.retrieve import Budget, Corpus, answer
from pincite.retrieve.abstain import Decision
from pincite.retrieve.calibrated import CalibratedAbstainer

KEPT_BYTES = 256 << 20
MODES = (("baseline", 0), ("edge-aware", 1))
Observe = Callable[[Answer, float], None]


class Searched(VectorIndex, Protocol):
    """An index under evaluation: it also names its embedding model and the rows it holds."""

    @property
    def model(self) -> str:
        """The embedding model's name, "none" without one."""

    @property
    def stamp(self) -> str:
        """Equal for indexes that hold the same rows and were made by the same model."""


class Evaluation(NamedTuple):
    """Reports by part, each baseline first; ``abstainer`` is the one calibrated on dev that decided in all of them."""

    gold: Gold
    abstainer: CalibratedAbstainer
    parts: Mapping[str, tuple[Report, Report]]


class Materials(NamedTuple):
    """What an evaluation reads besides the index: the corpus, where evidence stands, and the published text."""

    corpus: Corpus
    blocks: Mapping[str, Sequence[Block]]
    pages: Pages


def materials(tables: Path, raw: Path, scope: Scope) -> Materials:
    """From the tables of one scope and the folder of published files, which quotes are verified against."""
    corpus = Corpus.open(tables, scope)
    return Materials(corpus, partition(tables, scope), published(corpus, raw))


def partition(tables: Path, scope: Scope) -> dict[str, list[Block]]:
    """Each document's partition: node, hash and position of every block; raw offsets are left out."""
    from pincite.tables.read import read

    names = ["document_id", "ordinal", "page", "start", "end", "role", "node_id", "sha256"]
    found: dict[str, list[Block]] = {}
    for row in read(tables, "partition", scope, names).to_pylist():
        found.setdefault(row.pop("document_id"), []).append(Block(**row))
    return found


def published(corpus: Corpus, raw: Path) -> Pages:
    """The pages of each document, extracted from the published file by the independent checker.

    The files read last are kept, up to ``KEPT_BYTES`` of text.
    """
    from pincite.check import read_pages

    kept: dict[str, tuple[bytes, ...]] = {}

    def pages(document_id: str) -> tuple[bytes, ...]:
        if document_id in kept:
            kept[document_id] = kept.pop(document_id)  # the last is the one used last
            return kept[document_id]
        origin = corpus.origins[document_id]
        kept[document_id] = read = read_pages(raw, origin.path, origin.source_sha256)
        while len(kept) > 1 and sum(len(page) for texts in kept.values() for page in texts) > KEPT_BYTES:
            del kept[next(iter(kept))]
        return read

    return pages


def evaluate(
    gold: Gold,
    index: Searched,
    known: Materials,
    parts: Sequence[str] = ("dev", "test"),
    *,
    names: Sequence[str] = FEATURES,
    observe: Observe | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Evaluation:
    """Calibrate on dev by the features *names*, then ask every question of *parts* in both modes.

    *observe* is told every answer and the seconds it took by *clock*.
    """
    abstainer = calibrate(gold, index, known.corpus, names)
    settings = [setting(name, follow, index, known.corpus, abstainer, observe, clock) for name, follow in MODES]
    reports: dict[str, tuple[Report, Report]] = {}
    for part in parts:
        baseline, aware = run(gold, part, settings, known.blocks, known.pages)
        reports[part] = (baseline, aware)
    return Evaluation(gold, abstainer, reports)


def calibrate(gold: Gold, index: Searched, corpus: Corpus, names: Sequence[str] = FEATURES) -> CalibratedAbstainer:
    """The abstainer fitted on the dev questions. Those that a citation in the question decides take no part."""
    seen = []
    for question in gold.part("dev"):
        features = _features(question, index, corpus)
        if features is not None:
            seen.append(Seen(features, question.in_scope))
    floor = index.floor()
    alpha = 1 - gold.agreed.get("abstention", 1 - ALPHA)
    return fit(seen, floor.backend, floor.query_type, index.stamp, alpha, names)


def _features(question: Question, index: Searched, corpus: Corpus) -> dict[str, float] | None:
    """What is seen of a question before the decision; None where the decision never looks at it."""
    asked = False

    def never(hits: Sequence[Any], features: Mapping[str, float]) -> Decision:
        nonlocal asked
        asked = True
        return Decision(True, 0.0, "calibration")

    given = answer(question.text, index, corpus, follow=0, abstainer=never)
    return dict(given.trace.features) if asked else None


def setting(
    name: str,
    follow: int,
    index: Searched,
    corpus: Corpus,
    abstainer: CalibratedAbstainer,
    observe: Observe | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Setting:
    """One mode of answering, with everything that could change its result as parameters."""
    budget = Budget()

    def ask(text: str) -> Reply:
        started = clock()
        given = answer(text, index, corpus, budget, follow, abstainer)
        if observe is not None:
            observe(given, clock() - started)
        return reply(given)

    floor = abstainer.floor
    parameters = {
        "mode": name,
        "follow": str(follow),
        "backend": floor.backend,
        "query_type": floor.query_type,
        "model": index.model,
        "floor": f"{floor.value:.6f}",
        "floor_calibration": floor.calibration,
        **{f"budget.{key}": str(value) for key, value in budget._asdict().items()},
    }
    return Setting(name, ask, f"{floor.backend} {floor.query_type.lower()}", floor.value, parameters)


def reply(given: Answer) -> Reply:
    """An answer in the terms of the measures."""
    passages = tuple(Delivered(one.document_id, one.node_id, one.evidence_text, one.spans) for one in given.passages)
    return Reply(given.status, passages, given.trace.confidence)
