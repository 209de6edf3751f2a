"""Baseline and edge-aware answers against the live index, measured, logged to MLflow and to the tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pincite.databricks import session, tracking
from pincite.databricks.connect import Connection
from pincite.errors import FloorMissed
from pincite.evaluate import Gold, Reply, Report, Setting, run, shortfalls
from pincite.evaluate import load as load_gold
from pincite.evaluate.outcome import Delivered
from pincite.model import Answer, Block, EvaluationRow, Node, RetrievalRow, Scope, digest
from pincite.retrieve import Corpus, answer, log_row
from pincite.retrieve.corpus import Origin
from pincite.sources.manifest import Manifest
from pincite.tables.rows import from_arrow
from pincite.tables.store import SparkTableStore

if TYPE_CHECKING:
    from pincite.databricks.job import Parameters
    from pincite.ports import VectorIndex

PART = "test"  # floors were calibrated on dev
SETTINGS = {"baseline": 0, "edge_aware": 1}
DOCUMENT = ["document_id", "title", "source_path", "source_sha256"]


def evaluate_corpus(
    parameters: Parameters, store: SparkTableStore, connection: Connection, manifest: Manifest, say: Callable[..., None]
) -> list[FloorMissed]:
    """Run and log both settings; the agreed floors that the edge-aware one misses."""
    from pincite.databricks.tasks import now, open_index

    assert manifest.gold is not None
    gold, name = load_gold(manifest.gold), "/".join(manifest.scope)
    if parameters.dry_run:
        say(corpus=name, action=f"would ask {len(gold.part(PART))} questions twice and log to {parameters.experiment}")
        return []
    corpus = read_corpus(store, manifest.scope)
    index = open_index(parameters, store, manifest.scope, connection)
    version = session.data_version(store, "chunks")
    log: list[RetrievalRow] = []
    settings = [asking(setting, follow, index, corpus, version, log) for setting, follow in SETTINGS.items()]
    reports = run(gold, PART, settings, read_partition(store, manifest.scope), pages_of(manifest, Path(parameters.landing)))
    store.append("retrieval_log", manifest.scope, log)
    store.append("evaluation_log", manifest.scope, evaluation_rows(reports, gold, parameters.run_id, now(), version))
    _log(parameters, store, manifest, gold, reports, say)
    missed = shortfalls(gold, *reports)
    for report in reports:
        say(corpus=name, setting=report.setting.name, **{share.name: round(share.value, 4) for share in report.shares})
    return [FloorMissed("; ".join(missed), where=name, next="compare the two runs in MLflow, notebook 3")] if missed else []


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
    return [
        (document_id, Node(*fields)._replace(readings=tuple(Node(*fields).readings or ()))) for document_id, *fields in rows
    ]


def read_partition(store: SparkTableStore, scope: Scope) -> dict[str, list[Block]]:
    """Each document's partition."""
    blocks: dict[str, list[Block]] = {}
    for row in store.read("partition", scope, ["document_id", *Block._fields]).to_pylist():
        blocks.setdefault(row.pop("document_id"), []).append(Block(**row))
    return {document_id: sorted(found, key=lambda block: block.ordinal) for document_id, found in blocks.items()}


def pages_of(manifest: Manifest, landing: Path) -> Callable[[str], tuple[bytes, ...]]:
    """The extracted text of a document, read from its landed file again, so that quotes are checked against the source."""
    from pincite.parse import parse
    from pincite.sources.verify import read_verified

    sources = {source.document_id: source for source in manifest.sources}

    @cache
    def pages(document_id: str) -> tuple[bytes, ...]:
        source = sources[document_id]
        return parse(source, read_verified(source, landing)).pages

    return pages


def asking(name: str, follow: int, index: VectorIndex, corpus: Corpus, version: int, log: list[RetrievalRow]) -> Setting:
    """A setting whose every answer is also a row of *log*."""
    from pincite.databricks.tasks import now

    def ask(question: str) -> Reply:
        started = time.perf_counter()
        given = answer(question, index, corpus, follow=follow)
        log.append(log_row(given, now(), time.perf_counter() - started, version))
        return reply(given)

    floor = index.floor()
    return Setting(name, ask, f"{floor.backend} {floor.query_type}", floor.value, {"follow": str(follow)})


def reply(given: Answer) -> Reply:
    """An answer as the measures count it."""
    passages = tuple(Delivered(p.document_id, p.node_id, p.evidence_text, p.spans) for p in given.passages)
    best = max((candidate.score for candidate in given.trace.candidates), default=0.0)
    return Reply(given.status, passages, best)


def evaluation_rows(reports: Sequence[Report], gold: Gold, run_id: str, logged_at: str, version: int) -> list[EvaluationRow]:
    """One row for each setting and measure."""
    return [
        EvaluationRow(
            digest(run_id, logged_at, report.setting.name, share.name), run_id, logged_at, gold.digest, report.part,
            report.setting.name, share.name, float(share.numerator), int(share.denominator), float(share.value),
            report.setting.index_kind, report.setting.floor, version,
        )
        for report in reports
        for share in report.shares
    ]  # fmt: skip


def _log(
    parameters: Parameters,
    store: SparkTableStore,
    manifest: Manifest,
    gold: Gold,
    reports: Sequence[Report],
    say: Callable[..., None],
) -> None:
    common: Mapping[str, Any] = {
        "corpus_version": manifest.corpus_version,
        "gold_sha256": gold.digest,
        "sources_sha256": digest(*(source.source_sha256 for source in manifest.sources)),
        "query_type": parameters.query_type,
        **{f"{table}_version": store.version(table) for table in ("documents", "chunks", "relation_edges")},
    }
    tags = {"pincite.scope": "/".join(manifest.scope), "pincite.run_id": parameters.run_id}
    runs = tracking.log_reports(parameters.experiment, reports, common, tags)
    say(corpus="/".join(manifest.scope), experiment=parameters.experiment, runs=runs)
