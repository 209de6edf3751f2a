"""The job as plain functions: verify → author → merge → sync → evaluate. The command line and the bundle call the same ones.

Each step is skipped where its input has not changed, and says so; nothing is written then, not even a log row.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pincite import __version__
from pincite.errors import FloorMissed, IndexFault, ParseError, PartialFailure, PinciteError, SourceError, UsageError
from pincite.model import Answer, Document, DocumentRow, Edge, IngestRow, Scope, Source, digest
from pincite.sources import acquire as acquiring
from pincite.sources.manifest import Manifest
from pincite.sources.verify import read_verified
from pincite.tables import engine
from pincite.tables.corpus import Authored, made_of, write_corpus
from pincite.tables.lock import scope_lock
from pincite.tables.plan import FAIL, SKIP, Plan, plan_corpus, summary
from pincite.tables.read import read
from pincite.tables.rows import from_arrow
from pincite.tables.store import Merged, SparkTableStore
from pincite.tables.unfinished import unfinished

if TYPE_CHECKING:
    from pincite.enrich.run import Run as EnrichmentRun
    from pincite.enrich.settings import Settings
    from pincite.index.local import LocalIndex

AUTHOR_VERSION = f"pincite {__version__}"
"""Decides, with a source's bytes, a document's rows. It changes with every release, so a new parser reads everything again."""

MOST_IN_MEMORY = 1000
"""Documents; a larger corpus goes through a stage."""

AUTO_EMBEDDED, EMBEDDED_A_SECOND = 20_000, 100
"""With ``vectors: auto`` so many passages are embedded unasked; at so many a second, to tell what more would take."""

MOST_TOLD = 20

Say = Callable[[str], None]


class Job(NamedTuple):
    """One corpus and where it lives on this machine."""

    manifest: Manifest
    state: Path  # tables/, index/, mlflow.db
    raw: Path  # landed sources
    mirror: Path | None
    model: str | None  # embedding model's name; None for the default
    say: Say  # one line for people per finished step
    remember: Callable[[], None] = lambda: None  # of a folder: writes its configuration and its documents' ids
    dry_run: bool = False  # report every action, write nothing
    allow_empty: bool = False  # a corpus without a document deletes its rows
    until: str = "evaluate"  # the last step: merge, sync or evaluate

    @property
    def tables(self) -> Path:
        return self.state / "tables"

    @property
    def index_folder(self) -> Path:
        return self.state / "index" / self.manifest.scope.project / self.manifest.scope.collection


Failures = tuple[tuple[str, str], ...]
"""(document_id, reason) of what could not be read in a run."""


class Failure(NamedTuple):
    """A document that could not be read this time. Its rows stay as they were."""

    source: Source
    error: PinciteError
    seconds: float


class Authoring(NamedTuple):
    """What came of the documents that had to be read."""

    done: tuple[Authored, ...]
    seconds: tuple[float, ...]
    failures: tuple[Failure, ...]


def verify(job: Job) -> None:
    """Bring what is missing; acquiring checks every byte, landed before or now, and raises before anything is parsed.

    A folder has just been looked through, byte by byte; what changes before it is parsed costs only itself.
    """
    if job.manifest.folder is not None:
        barred = len(job.manifest.barred)
        job.remember()
        job.say(f"discover  {len(job.manifest.sources)} entries" + (f", {barred} of them are not read" if barred else ""))
        return
    brought = acquiring.acquire(job.manifest.sources, job.raw, job.mirror)
    fresh = sum(step.action != "present" for step in brought)
    job.say(f"verify    {len(brought)} files are as pinned" + (f", {fresh} of them brought now" if fresh else ""))


def decide(job: Job) -> Plan:
    """What to do with each document."""
    known: list[DocumentRow] = rows(job, "documents")
    return plan_corpus(job.manifest, known, AUTHOR_VERSION, unfinished(str(job.tables), job.manifest.scope))


def author(job: Job, sources: Sequence[Source]) -> Authoring:
    """Parse each source to nodes, passages and references; a failure costs only its own document."""
    done, seconds, failures = [], [], []
    for source in _progress(sources):
        started = time.perf_counter()
        try:
            done.append(author_one(source, read_verified(source, job.raw)))
            seconds.append(time.perf_counter() - started)
        except (ParseError, SourceError) as error:
            failures.append(Failure(source, error, time.perf_counter() - started))
    passages = sum(len(each.passages) for each in done)
    mentions = sum(len(each.observed) for each in done)
    job.say(
        f"author    {len(done)} documents: {passages} passages, {mentions} references"
        + (f"; {len(failures)} failed" if failures else "")
    )
    return Authoring(tuple(done), tuple(seconds), tuple(failures))


def author_one(source: Source, data: bytes) -> Authored:
    """One document's rows, from its bytes."""
    from pincite.parse import parse

    return made_of(parse(source, data))


def merge(job: Job, store: SparkTableStore, planned: Plan, authoring: Authoring) -> dict[str, Merged]:
    """Resolve every reference of the scope against every node of it, and write the new state of all tables.

    Rows of skipped and of failed documents stay; their edges are resolved again, because a document that came or went may
    have changed where they lead.
    """
    failed = {failure.source.document_id for failure in authoring.failures}
    kept = frozenset(planned.kept | failed)
    edges = resolved_edges(job, authoring.done, kept)
    merged = write_corpus(
        store,
        job.manifest.scope,
        authoring.done,
        edges,
        author_version=AUTHOR_VERSION,
        kept=kept,
        removed=planned.removed,
    )
    job.say(f"merge     {_changes(merged)}")
    return merged


def resolved_edges(job: Job, done: Sequence[Authored], kept: frozenset[str]) -> list[Edge]:
    """The edges of the whole scope: those of newly authored documents, and those of kept ones looked at again."""
    from pincite.references.resolve import known_of, reresolve, resolve

    old_edges, held = [], []
    if kept:
        scope = job.manifest.scope
        old_edges = [edge for edge in rows(job, "relation_edges") if edge.document_id in kept]
        columns = read(job.tables, "nodes", scope, ["document_id", "node_id", "chunk_ids", "names"]).to_pylist()
        held = [
            (row["document_id"], row["node_id"], tuple(row["chunk_ids"]), tuple(row["names"] or ()))
            for row in columns
            if row["document_id"] in kept
        ]
    for each in done:
        document_id, nodes = each.document.source.document_id, each.document.nodes
        held += [
            (document_id, n.node_id, ids, names) for n, ids, names in zip(nodes, each.held, each.names or [()] * len(nodes))
        ]
    known = known_of(held)
    fresh = [
        edge for each in done for edge in resolve(each.observed, known, source=each.document.source, passages=each.passages)
    ]
    return [*reresolve(old_edges, known), *fresh]


def rows(job: Job, table: str) -> list[Any]:
    """All rows of the job's scope, as records."""
    return from_arrow(table, read(job.tables, table, job.manifest.scope))


def log_ingest(job: Job, store: SparkTableStore, planned: Plan, authoring: Authoring, merged: dict[str, Merged]) -> None:
    """One row per document of this run, skipped ones included."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    run_id = digest(now, time.time_ns(), os.getpid(), *job.manifest.scope)
    spent = {each.document.source.document_id: (each, took) for each, took in zip(authoring.done, authoring.seconds)}
    failures = {failure.source.document_id: failure for failure in authoring.failures}
    entries = []
    for action in planned.actions:
        version, sha256 = (action.source.corpus_version, action.source.source_sha256) if action.source else ("", "")
        kind, reason, counts, seconds = action.action, action.reason, (0, 0, 0, 0, 0), 0.0
        if action.document_id in spent:
            authored, seconds = spent[action.document_id]
            counts = _counts(authored.document, authored)
        if action.document_id in failures:
            kind, reason = FAIL, str(failures[action.document_id].error)
            seconds = failures[action.document_id].seconds
        about = (action.document_id, version, kind, reason, sha256)
        entries.append(IngestRow(run_id, now, *about, *counts, round(seconds, 4), action.kind))
    store.append("ingest_log", job.manifest.scope, entries)


def _counts(document: Document, authored: Authored) -> tuple[int, int, int, int, int]:
    sizes = (document.nodes, document.partition, authored.passages, authored.observed, document.findings)
    nodes, blocks, passages, edges, findings = map(len, sizes)
    return nodes, blocks, passages, edges, findings


def _changes(merged: dict[str, Merged]) -> str:
    changed = [
        f"{each.table} +{each.inserted} ~{each.updated} -{each.deleted} (version {each.version_after})"
        for each in merged.values()
        if each.committed
    ]
    return ", ".join(changed) if changed else "nothing changed: no table version was written"


# --- enrichment ------------------------------------------------------------------------------------------------------


def enrich(job: Job, settings: Settings) -> EnrichmentRun:
    """Ask a model about the scope's passages and keep what the gate accepts; a repeated run asks and writes nothing."""
    from pincite.enrich.clients import open_client
    from pincite.enrich.run import enriched

    client = open_client(settings.model, settings.base_url)
    scope, passages = job.manifest.scope, rows(job, "chunks")
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    run_id = digest(now, time.time_ns(), os.getpid(), *scope)
    done = enriched(passages, settings, client, job.state / "enrichment", run_id=run_id, logged_at=now, say=job.say)
    if list(done.passages) != passages or done.rows:
        with closing(SparkTableStore(job.tables)) as store:
            store.merge("chunks", scope, done.passages)
            store.append("enrichment_log", scope, done.rows)
    job.say(f"enrich    {done.told()}")
    return done


def enrich_only(job: Job, settings: Settings) -> None:
    """Enrich the passages of a corpus that has been run, and bring its index in line."""
    from pincite.enrich.clients import open_client
    from pincite.enrich.run import outlook

    if job.dry_run:
        seen = outlook(rows(job, "chunks"), settings, open_client(settings.model, settings.base_url), job.state / "enrichment")
        job.say(
            f"enrich    {seen.candidates} passages: {seen.cached} have a reply, {seen.withheld} would be withheld; at most "
            f"{seen.tokens} tokens" + (f" and {seen.cost:.4f} of money" if seen.cost else "") + "; nothing was asked or written"
        )
        return
    if not rows(job, "chunks"):
        raise UsageError("there are no passages to help yet", where=str(job.tables), next="run the corpus first: pincite run")
    with scope_lock(job.tables, job.manifest.scope):
        enrich(job, settings)
        sync(job)


# --- index -----------------------------------------------------------------------------------------------------------


def sync(job: Job) -> LocalIndex:
    """The index of the scope, built from the chunks table alone; nothing is done where it holds these very rows."""
    from pincite.index.refresh import refresh

    chunks = read(job.tables, "chunks", job.manifest.scope)
    version = SparkTableStore(job.tables).version("chunks")
    done = refresh(chunks, job.index_folder, embedder_for(job, chunks.num_rows), version=version)
    job.say(f"sync      {done.searcher.count()} passages indexed" + ("" if done.built else ": the index is current"))
    return done.searcher


def embedder_for(job: Job, passages: int) -> Any:
    """The embedding model behind its cache on disk; None, said aloud, where the model is not here or so many are too many."""
    from pincite.index.cache import CachedEmbedder
    from pincite.index.embed import LazyEmbedder, have_model

    if not _embedded(job, passages):
        return None
    if not have_model(job.model):
        job.say("note      the embedding model is not here ('pincite setup' brings it): searching by words alone")
        return None
    return CachedEmbedder(LazyEmbedder(job.model), job.state / "embeddings")


def _embedded(job: Job, passages: int) -> bool:
    """Whether the corpus is searched by vectors too. An index that has them keeps them."""
    from pincite.index.local import read_current

    wanted = job.manifest.vectors
    if wanted == "auto" and passages > AUTO_EMBEDDED:
        with suppress(IndexFault):
            return read_current(job.index_folder)["model"] is not None
        minutes = passages / EMBEDDED_A_SECOND / 60
        job.say(
            f"note      {passages} passages are searched by words alone: embedding them would take some {minutes:.0f} minutes "
            "here ('pincite run --vectors' does it)"
        )
        return False
    return wanted != "no"


def log_answers(tables: Path, scope: Scope, answered: Sequence[tuple[Answer, float]]) -> None:
    """One row of ``retrieval_log`` for each answer and the seconds it took, in one commit."""
    from pincite.retrieve import log_row
    from pincite.tables.read import version

    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    chunks = version(tables, "chunks")
    SparkTableStore(tables).append("retrieval_log", scope, [log_row(given, now, took, chunks) for given, took in answered])


# --- evaluation ------------------------------------------------------------------------------------------------------


def evaluate(job: Job, index: LocalIndex) -> None:
    """Ask the corpus' gold questions without and with following references, log both to MLflow, and hold the agreed floors.

    Raises ``FloorMissed``. A corpus without a gold set is not evaluated, and that is said.
    """
    from pincite.evaluate import report
    from pincite.evaluate.job import evaluate_scope
    from pincite.evaluate.run import shortfalls

    if job.manifest.gold is None:
        job.say("evaluate  no gold set is named in the manifest: nothing is measured")
        return
    done = evaluate_scope(job.manifest.gold, job.state, job.raw, job.manifest.scope, index)
    baseline, aware = done.evaluation.parts["test"]
    asked = sum(len(pair[1].outcomes) for pair in done.evaluation.parts.values())
    job.say(f"evaluate  {asked} questions asked, those of the test part ({len(aware.outcomes)}):")
    for line in report.table(baseline, aware):
        job.say(f"          {line}")
    for line in done.notes():
        job.say(f"          {line}")
    missed = shortfalls(done.evaluation.gold, baseline, aware)
    if missed:
        raise FloorMissed("; ".join(missed), where=str(job.manifest.gold), next="'pincite evaluate' lists what failed")


# --- the whole job ---------------------------------------------------------------------------------------------------


def run(job: Job) -> None:
    """All steps, in order, holding the scope. Raises ``PartialFailure`` at the end where documents failed."""
    if job.dry_run:
        rehearse(job)
        return
    with scope_lock(job.tables, job.manifest.scope):
        verify(job)
        planned = decide(job)
        failures: Failures = ()
        if job.manifest.folder is not None:
            for line in summary(planned):
                job.say(line)
        if planned.nothing_to_do:
            job.say(
                f"author    all {len(planned.actions)} documents are unchanged: nothing is parsed, no table version written"
                if planned.actions
                else "author    there is no document: nothing is parsed, no table version written"
            )
        else:
            rewrite = _rewrite_staged if _is_staged(job, planned) else _rewrite_in_memory
            failures = rewrite(job, planned)
        if job.manifest.enrich is not None:
            enrich(job, job.manifest.enrich)
        if job.until == "merge":
            job.say("sync      left out: 'pincite index' brings the index in line")
        else:
            index = sync(job)
            if job.until == "evaluate":
                evaluate(job, index)
    if failures:
        raise partial(failures)


def rehearse(job: Job) -> None:
    """What ``run`` would do, step by step. Nothing is written, brought or started."""
    if job.manifest.folder is None:
        for step in acquiring.plan(job.manifest.sources, job.raw, job.mirror):
            if step.action != "present":
                job.say(f"verify    would {step.action} {step.source.document_id} from {step.origin}")
    planned = decide(job)
    for action in planned.actions:
        if action.action != SKIP:
            job.say(f"plan      would {action.action} {action.document_id}: {action.reason}")
    for line in summary(planned):
        job.say(line)
    then = "would bring the index in line with the passages" if not planned.nothing_to_do else "would leave the index as it is"
    job.say(f"sync      {then}; nothing was written")


def _is_staged(job: Job, planned: Plan) -> bool:
    """Whether documents go through a stage, as on Databricks: unknown files, and what is too much to hold at once."""
    return job.manifest.folder is not None or len(planned.actions) > MOST_IN_MEMORY


def _rewrite_staged(job: Job, planned: Plan) -> Failures:
    """author and merge by way of a stage: child processes read under limits, and nothing of a document comes here."""
    from pincite.tables.author import author as stage
    from pincite.tables.publish import publish

    scope = job.manifest.scope
    with closing(SparkTableStore(job.tables)) as store:
        stage(store, scope, planned, job.raw, AUTHOR_VERSION, limits=job.manifest.limits)
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        published = publish(store, scope, digest(now, time.time_ns(), os.getpid(), *scope), now, allow_empty=job.allow_empty)
    unread = f", {len(published.failed)} could not be" if published.failed else ""
    job.say(f"author    {len(planned.parse) - len(published.failed)} documents read{unread}")
    job.say(f"merge     {_changes(published.tables)}")
    return published.failed


def _rewrite_in_memory(job: Job, planned: Plan) -> Failures:
    """author and merge of a small corpus, in seconds.

    The engine and the model are started while the sources are parsed: both are slow to load and neither needs the other.
    """
    with ThreadPoolExecutor(2) as background:
        return _rewrite(job, planned, background)


def _rewrite(job: Job, planned: Plan, background: ThreadPoolExecutor) -> Failures:
    """author and merge, with the engine starting and the passages being embedded beside them."""
    starting = background.submit(engine.sail)
    store = SparkTableStore(job.tables, starting.result)
    try:
        authoring = author(job, planned.parse)
        embedding = _embed_ahead(job, authoring.done, background)
        merged = merge(job, store, planned, authoring)
        log_ingest(job, store, planned, authoring, merged)
        embedding.result()
    finally:
        starting.result().stop()
    return tuple((failure.source.document_id, str(failure.error)) for failure in authoring.failures)


def _embed_ahead(job: Job, done: Sequence[Authored], background: ThreadPoolExecutor) -> Future[Any]:
    """Fill the embedding cache while the tables are written; ``sync`` then finds every vector there."""
    texts = [passage.retrieval_text for each in done for passage in each.passages if passage.indexable]
    embedder = embedder_for(job, len(texts))
    return background.submit(embedder.embed if embedder is not None else len, texts)


def partial(failures: Failures) -> PartialFailure:
    """The failures of a run as one error; the first of them are lines on standard error."""
    for document_id, reason in failures[:MOST_TOLD]:
        print(f"pincite: {document_id}: {reason}", file=sys.stderr)  # noqa: T201 - the run goes on
    return PartialFailure(
        f"{len(failures)} of the documents could not be read, the others are done",
        next="their earlier rows are kept; see ingest_log for the reasons",
    )


def _progress(sources: Sequence[Source]) -> Iterable[Source]:
    """A progress bar on a terminal, for more than a few documents."""
    if len(sources) < 10 or not sys.stderr.isatty():
        return sources
    from tqdm import tqdm

    bar: Iterable[Source] = tqdm(sources, unit="document")
    return bar
