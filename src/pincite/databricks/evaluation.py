"""Baseline and edge-aware answers against the live index, measured, logged to MLflow and to the tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pincite.databricks import session
from pincite.databricks.errors import platform
from pincite.databricks.live import open_index
from pincite.errors import FloorMissed
from pincite.evaluate import Gold, shortfalls
from pincite.evaluate import load as load_gold
from pincite.evaluate.corpus import Evaluation, Materials, evaluate, published
from pincite.evaluate.runs import runs
from pincite.evaluate.tracking import Logged, log
from pincite.model import Answer, Block, EvaluationRow, Node, RetrievalRow, Scope, digest
from pincite.retrieve import Corpus, calibrated, log_row
from pincite.retrieve.corpus import Origin
from pincite.sources.manifest import Manifest
from pincite.tables.rows import from_arrow
from pincite.tables.schema import SNAPSHOTS
from pincite.tables.store import SparkTableStore

if TYPE_CHECKING:
    from pincite.databricks.connect import Connection
    from pincite.databricks.parameters import Parameters

AGREED = "test"  # the part the agreed floors hold for; the decision to abstain is calibrated on dev
FEATURES = ("coverage_top3", "known")
"""What the decision to abstain looks at here: shares of the question's terms, which need the passages' text and no score. A
HYBRID score is fused from ranks and is as high for the best of nothing as for a hit, so it cannot tell."""
DOCUMENT = ["document_id", "title", "source_path", "source_sha256"]

Say = Callable[..., None]


def evaluate_corpus(
    parameters: Parameters, store: SparkTableStore, connection: Connection, manifest: Manifest, say: Say
) -> list[FloorMissed]:
    """Calibrate on dev, run and log both modes; the agreed floors that the edge-aware one misses. Nothing is written where
    the very same runs are logged already."""

    assert manifest.gold is not None
    gold, name = load_gold(manifest.gold), "/".join(manifest.scope)
    if parameters.dry_run:
        say(corpus=name, action=f"would ask {len(gold.questions)} questions twice and log to {parameters.experiment}")
        return []
    index = open_index(parameters, store, manifest.scope, connection)
    corpus = read_corpus(store, manifest.scope)
    known = Materials(corpus, read_partition(store, manifest.scope), published(corpus, Path(parameters.landing)))
    answers: list[tuple[Answer, float]] = []
    evaluation = evaluate(gold, index, known, names=FEATURES, observe=lambda given, seconds: answers.append((given, seconds)))
    calibrated.save(evaluation.abstainer, calibration_folder(parameters.landing, manifest.scope))
    logged = track(parameters.experiment, evaluation, store, manifest.scope, index.stamp)
    if any(each.new for each in logged):
        write_logs(store, manifest.scope, evaluation, answers, parameters.run_id)
    baseline, aware = evaluation.parts[AGREED]
    for report in (baseline, aware):
        say(corpus=name, setting=report.setting.name, **{share.name: round(share.value, 4) for share in report.shares})
    say(corpus=name, experiment=parameters.experiment, logged=[each.name for each in logged if each.new])
    missed = shortfalls(gold, baseline, aware)
    return [FloorMissed("; ".join(missed), where=name, next="compare the two runs in notebook 3")] if missed else []


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


# --- the tables of one scope, in memory -------------------------------------------------------------------------------------


def read_corpus(store: SparkTableStore, scope: Scope) -> Corpus:
    """One scope's passages, nodes and edges, as retrieval needs them."""
    documents = store.read("documents", scope, DOCUMENT).to_pylist()
    return Corpus(
        from_arrow("chunks", store.read("chunks", scope)),
        _nodes(store.read("nodes", scope, ["document_id", *Node._fields])),
        from_arrow("relation_edges", store.read("relation_edges", scope)),
        (Origin(*(row[name] for name in DOCUMENT)) for row in documents),
    )


def _nodes(table: Any) -> list[tuple[str, Node]]:
    rows = zip(*(table.column(name).to_pylist() for name in table.column_names))
    nodes = [(document_id, Node(*fields)) for document_id, *fields in rows]
    return [(document_id, node._replace(readings=tuple(node.readings or ()))) for document_id, node in nodes]


def read_partition(store: SparkTableStore, scope: Scope) -> dict[str, list[Block]]:
    """Each document's partition."""
    blocks: dict[str, list[Block]] = {}
    for row in store.read("partition", scope, ["document_id", *Block._fields]).to_pylist():
        blocks.setdefault(row.pop("document_id"), []).append(Block(**row))
    return {document_id: sorted(found, key=lambda block: block.ordinal) for document_id, found in blocks.items()}
