"""Baseline and edge-aware answers against the live index, measured, logged to MLflow and to the tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pincite.databricks import session
from pincite.databricks.errors import platform
from pincite.databricks.live import open_index
from pincite.databricks.rows import TableRows
from pincite.errors import FloorMissed, PinciteError
from pincite.evaluate import Gold, shortfalls
from pincite.evaluate import load as load_gold
from pincite.evaluate.corpus import Evaluation, Materials, Searched, evaluate, published
from pincite.evaluate.runs import runs
from pincite.evaluate.tracking import Logged, log
from pincite.model import Answer, EvaluationRow, RetrievalRow, Scope, digest
from pincite.ports import Hit
from pincite.retrieve import answer, calibrated, log_row
from pincite.retrieve.abstain import Decision
from pincite.retrieve.partial import PartialCorpus, RememberedIndex
from pincite.tables.schema import SNAPSHOTS, sql_string
from pincite.tables.store import SparkTableStore

if TYPE_CHECKING:
    from pincite.databricks.connect import Connection
    from pincite.databricks.corpora import Corpus
    from pincite.databricks.parameters import Parameters

AGREED = "test"  # the part the agreed floors hold for; the decision to abstain is calibrated on dev
FEATURES = ("coverage_top3", "known")
"""What the decision to abstain looks at here: shares of the question's terms, which need the passages' text and no score. A
HYBRID score is fused from ranks and is as high for the best of nothing as for a hit, so it cannot tell."""

Say = Callable[..., None]


def evaluate_corpus(
    parameters: Parameters, store: SparkTableStore, connection: Connection, corpus: Corpus, say: Say
) -> list[FloorMissed]:
    """Calibrate on dev, run and log both modes; the agreed floors that the edge-aware one misses. Nothing is written where
    the very same runs are logged already."""
    assert corpus.manifest.gold is not None
    gold, name, scope = load_gold(corpus.manifest.gold), "/".join(corpus.scope), corpus.scope
    if parameters.dry_run:
        say(corpus=name, action=f"would ask {len(gold.questions)} questions twice and log to {parameters.experiment}")
        return []
    index = open_index(parameters, store, scope, connection)
    evaluation, answers = ask(gold, index, TableRows(store, scope), corpus.landing)
    calibrated.save(evaluation.abstainer, calibration_folder(parameters.landing, scope))
    logged = track(parameters.experiment, evaluation, store, scope, index.stamp)
    if any(each.new for each in logged) or not is_recorded(store, scope, gold):
        write_logs(store, scope, evaluation, answers, parameters.run_id)
    baseline, aware = evaluation.parts[AGREED]
    for report in (baseline, aware):
        say(corpus=name, setting=report.setting.name, **{share.name: round(share.value, 4) for share in report.shares})
    say(corpus=name, experiment=parameters.experiment, logged=[each.name for each in logged if each.new])
    missed = shortfalls(gold, baseline, aware)
    return [FloorMissed("; ".join(missed), where=name, next="compare the two runs in notebook 3")] if missed else []


def ask(gold: Gold, index: Searched, rows: TableRows, landing: Path) -> tuple[Evaluation, list[tuple[Answer, float]]]:
    """Every question in both modes, and the answers with their seconds, those of the searches included.

    Only the rows that answers need come here; they are gathered for all questions together, before any is asked for good.
    """
    corpus = PartialCorpus(rows)
    remembered = RememberedIndex(index, corpus)
    corpus.gather(
        partial(_tried, question.text, remembered, corpus, follow) for question in gold.questions for follow in (0, 1)
    )
    evidence = [(e.node_id, sha256) for question in gold.questions for e in question.expected for sha256 in e.spans]
    known = Materials(corpus, rows.blocks(evidence) if evidence else {}, published(corpus, landing))
    answers: list[tuple[Answer, float]] = []

    done = evaluate(
        gold,
        cast("Searched", remembered),
        known,
        names=FEATURES,
        observe=lambda given, seconds: answers.append((given, seconds)),
        clock=remembered.clock,
    )
    return done, answers


def _tried(question: str, index: RememberedIndex, corpus: PartialCorpus, follow: int) -> None:
    """An answer to learn what it needs: whatever may be found is wanted, so nothing is abstained from."""
    with suppress(PinciteError):  # told when the question is asked for good, and counted against it then
        answer(question, index, corpus, follow=follow, abstainer=_never)


def _never(hits: Sequence[Hit], features: Mapping[str, float]) -> Decision:
    return Decision(False, 1.0)


def calibration_folder(landing: str, scope: Scope) -> Path:
    """Where the decision calibrated on the live index lies, beside the landed sources, for whoever asks questions."""
    return Path(landing) / "_calibrated" / scope.project / scope.collection


def track(experiment: str, evaluation: Evaluation, store: SparkTableStore, scope: Scope, stamp: str) -> list[Logged]:
    """Both modes as MLflow runs of *experiment*, in the workspace."""
    versions = {table: session.data_version(store, table) for table in SNAPSHOTS}
    with platform(experiment, "deploy the bundle, which makes the experiment, or name another"):
        return log(runs(evaluation, scope, versions, stamp), experiment, "databricks")


def write_logs(
    store: SparkTableStore, scope: Scope, evaluation: Evaluation, answers: list[tuple[Answer, float]], run_id: str
) -> None:
    """Every answer into ``retrieval_log``, every measure into ``evaluation_log``."""

    logged_at, version = session.now(), session.data_version(store, "chunks")
    asked: list[RetrievalRow] = [log_row(given, logged_at, seconds, version) for given, seconds in answers]
    store.append("retrieval_log", scope, list({row.retrieval_id: row for row in asked}.values()))
    store.append("evaluation_log", scope, evaluation_rows(evaluation, run_id, logged_at, version))


def is_recorded(store: SparkTableStore, scope: Scope, gold: Gold) -> bool:
    """Whether ``evaluation_log`` has this gold set on these passages: MLflow may have the runs of a task that then died."""
    version = session.data_version(store, "chunks")
    same = f"gold_sha256 = {sql_string(gold.digest)} AND chunks_version = {version}"
    return bool(store.frame("evaluation_log", scope).where(same).limit(1).count())


def evaluation_rows(evaluation: Evaluation, run_id: str, logged_at: str, version: int) -> list[EvaluationRow]:
    """One row for each part, mode and measure."""
    gold: Gold = evaluation.gold
    return [
        EvaluationRow(
            digest(run_id, logged_at, report.part, report.setting.name, share.name), run_id, logged_at, gold.digest,
            report.part, report.setting.name, share.name, float(share.numerator), int(share.denominator), float(share.value),
            report.setting.index_kind, report.setting.floor, version,
        )
        for pair in evaluation.parts.values()
        for report in pair
        for share in report.shares
    ]  # fmt: skip
