"""The tasks at home on Databricks: the same steps as ``pincite.tasks``, over a volume, a schema and a live index.

Each is safe to repeat: a run that was killed anywhere ends in the same tables when it is run again. With ``dry_run`` each
reports what it would do and writes nothing.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from pincite.databricks import session
from pincite.databricks.connect import Connection
from pincite.databricks.corpora import READERS, Corpus, corpora
from pincite.databricks.enrichment import endpoint_of, enrich_corpus, settings_of
from pincite.databricks.errors import platform
from pincite.databricks.landing import VolumeLanding
from pincite.databricks.live import open_index
from pincite.databricks.parameters import Parameters
from pincite.databricks.wait import Patience, patiently
from pincite.errors import CountMismatch, PartialFailure, PinciteError, SourceError
from pincite.model import DocumentRow, Scope, Source
from pincite.sources.verify import check_bytes
from pincite.tables import layout
from pincite.tables.plan import HEALTHY, PARSE, REMOVE, SKIP, Plan, plan_corpus
from pincite.tables.schema import sql_string
from pincite.tables.store import SparkTableStore
from pincite.tables.unfinished import staged
from pincite.tasks import AUTHOR_VERSION

Say = Callable[..., None]
MOST_TOLD = 2_000  # decisions told one by one; a task's output has a limit


# --- bootstrap and verify -------------------------------------------------------------------------------------------------


def bootstrap(parameters: Parameters, say: Say) -> None:
    """Check that every object of the bundle is there and may be used, then create or bring up to date the tables."""
    connection = Connection()
    preflight(parameters, connection)
    check_models(parameters, connection)
    store = session.open_store(parameters.catalog, parameters.schema)
    missing, older = session.pending(store)
    if parameters.dry_run:
        say(action="would create tables" if missing else "tables exist", tables=missing)
        for table, columns in older.items():
            say(action="would add columns", table=table, columns=columns)
        return
    touched = store.bootstrap([*missing, *older])
    say(action="created or altered tables" if touched else "nothing to do", tables=touched)


def preflight(parameters: Parameters, connection: Connection) -> None:
    """Schema, volume, the two endpoints and the experiment: one sentence for the first that is missing or forbidden."""
    p, workspace = parameters, connection.workspace
    looks: dict[str, Callable[[], Any]] = {
        f"{p.catalog}.{p.schema}": lambda: workspace.schemas.get(f"{p.catalog}.{p.schema}"),
        f"{p.catalog}.{p.schema}.{p.volume}": lambda: workspace.volumes.read(f"{p.catalog}.{p.schema}.{p.volume}"),
        p.search_endpoint: lambda: workspace.vector_search_endpoints.get_endpoint(p.search_endpoint),
        p.embedding_endpoint: lambda: workspace.serving_endpoints.get(p.embedding_endpoint),
        p.experiment: lambda: workspace.experiments.get_by_name(p.experiment),
    }
    for where, look in looks.items():
        made = where != p.embedding_endpoint  # the workspace's own, or somebody's: no part of the bundle
        step = "deploy the bundle, which makes it, or correct the parameter" if made else "correct embedding_endpoint"
        patiently(look, where, Patience(), missing=step)


def check_models(parameters: Parameters, connection: Connection) -> None:
    """The serving endpoint of each corpus that a model may help: asked for here, before anything is read or written."""
    for corpus in corpora(parameters):
        settings = settings_of(parameters, corpus)
        if settings is not None and (endpoint := endpoint_of(settings)):
            patiently(
                partial(connection.workspace.serving_endpoints.get, endpoint),
                endpoint,
                Patience(),
                missing=f"correct chat_endpoint, or 'enrich' in {corpus.manifest.path.name}",
            )


def verify(parameters: Parameters, say: Say) -> None:
    """Every landed file against the pinned manifest; raises the first difference after naming all. Looks through folders."""
    volume = f"/Volumes/{parameters.catalog}/{parameters.schema}/{parameters.volume}"
    landing = VolumeLanding(Connection(), volume)
    found: list[SourceError] = []
    for corpus in corpora(parameters, look="always"):
        if corpus.config is not None:
            tell_folder(corpus, say, parameters.dry_run)
            continue
        sources, name = corpus.manifest.sources, "/".join(corpus.scope)
        wrong = differences(landing, sources)
        say(corpus=name, files=len(sources), as_pinned=len(sources) - len(wrong))
        for error in wrong:
            say(corpus=name, difference=str(error))
        found += wrong
    if found:
        raise found[0]


def tell_folder(corpus: Corpus, say: Say, dry_run: bool) -> None:
    """What a folder holds, what will not be read of it and why, what was brought and what could not be."""
    name, sources = "/".join(corpus.scope), corpus.manifest.sources
    barred = Counter(each.kind for each in corpus.manifest.barred.values())
    for path, reason in corpus.absent:
        say(corpus=name, action="could not be brought", document=path, reason=reason)
    brought = {"would_bring" if dry_run else "brought": dict(corpus.brought)} if corpus.brought else {}
    say(corpus=name, files=len(sources), not_read=dict(barred), **brought)


def differences(landing: VolumeLanding, sources: Iterable[Source]) -> list[SourceError]:
    """The files that are missing or are not the pinned bytes, in the manifest's order."""
    with ThreadPoolExecutor(READERS) as pool:
        return [error for error in pool.map(lambda source: _difference(landing, source), sources) if error is not None]


def _difference(landing: VolumeLanding, source: Source) -> SourceError | None:
    try:
        data = landing.read(source.path)
        check_bytes(source, hashlib.sha256(data).hexdigest(), len(data), f"{landing.folder}/{source.path}")
    except SourceError as error:
        return error
    return None


# --- author and merge -----------------------------------------------------------------------------------------------------


def author(parameters: Parameters, say: Say) -> None:
    """Read every new or changed document on the workers and stage its rows; nothing is staged where nothing changed."""
    from pincite.tables.author import author as stage

    store = session.open_store(parameters.catalog, parameters.schema)
    for corpus in corpora(parameters, look="once"):
        planned = decide(store, corpus).plan
        name = "/".join(corpus.scope)
        tell_plan(planned, name, say, parameters.dry_run)
        if not parameters.dry_run and not planned.nothing_to_do:
            stage(store, corpus.scope, planned, corpus.landing, AUTHOR_VERSION, limits=corpus.manifest.limits)
        counts = {action: sum(each.action == action for each in planned.actions) for action in (PARSE, SKIP, REMOVE)}
        say(corpus=name, action="would stage" if parameters.dry_run else "staged", **counts)


def tell_plan(planned: Plan, name: str, say: Say, dry_run: bool) -> None:
    """Every decision that does something or is an incident, in a dry run every one; beyond the output's limit by kind."""
    told = [each for each in planned.actions if dry_run or each.action != SKIP or each.kind not in HEALTHY]
    for each in told[:MOST_TOLD]:
        say(corpus=name, document=each.document_id, action=each.action, reason=each.reason)
    if more := Counter(f"{each.action}, {each.kind}" for each in told[MOST_TOLD:]):
        say(corpus=name, action="and more, not told one by one", decisions=dict(more))


class Decided(NamedTuple):
    """What a run will do with each document of a scope, and the rows ``documents`` has of it."""

    plan: Plan
    known: list[DocumentRow]


def decide(store: SparkTableStore, corpus: Corpus) -> Decided:
    """What to do with each document; all are new where there is no table yet."""
    known = session.known_documents(store, corpus.scope)
    return Decided(plan_corpus(corpus.manifest, known, AUTHOR_VERSION, staged(store, corpus.scope)), known)


def merge(parameters: Parameters, say: Say) -> None:
    """The staged rows into the tables, scope by scope; then chunks, edges and documents must agree.

    Every stage of the run is looked at before the first is merged: where one must be refused, nothing is changed.
    """
    from pincite.tables.publish import publish

    store = session.open_store(parameters.catalog, parameters.schema)
    staged: list[Corpus] = []
    for corpus in corpora(parameters):
        if parameters.dry_run:
            say(corpus="/".join(corpus.scope), action="would merge what author stages")
        elif is_staged(store, corpus, parameters, [other.scope for other in staged]):
            staged.append(corpus)
        else:
            say(corpus="/".join(corpus.scope), action="nothing changed: no table version was written")
    for corpus in staged:
        name = "/".join(corpus.scope)
        done = publish(store, corpus.scope, parameters.run_id, session.now(), allow_empty=parameters.allow_empty)
        for table, change in done.tables.items():
            say(corpus=name, table=table, inserted=change.inserted, updated=change.updated, deleted=change.deleted,
                version=change.version_after)  # fmt: skip
        for document_id, reason in done.failed:
            say(corpus=name, document=document_id, action="fail", reason=reason)
        agree(store, corpus.scope)


def is_staged(store: SparkTableStore, corpus: Corpus, parameters: Parameters, beside: list[Scope]) -> bool:
    """Whether there is a stage to merge: one of this very plan, that may be merged *beside* others. Raises why it may not.

    False where nothing changed and where this run has merged it already (a task may be repeated); what an earlier run left
    is then removed.
    """
    from pincite.tables.publish import check_stage, is_published

    decided = decide(store, corpus)
    if decided.plan.nothing_to_do or is_published(store, corpus.scope, parameters.run_id):
        layout.drop_stage(store.engine, store.location, corpus.scope)
        return False
    check_stage(
        store, corpus.scope, decided.plan, decided.known, beside=beside, allow_empty=parameters.allow_empty
    )  # fmt: skip
    return True


def agree(store: SparkTableStore, scope: Scope) -> None:
    """``CountMismatch`` where the documents' passages are not the rows of chunks, or an edge stands in no passage."""
    inside = f"project = {sql_string(scope.project)} AND collection = {sql_string(scope.collection)}"
    documents, chunks, edges = (session.qualified(store, name) for name in ("documents", "chunks", "relation_edges"))
    with platform(store.location):
        row = store.engine.spark.sql(
            f"SELECT (SELECT coalesce(sum(passages), 0) FROM {documents} WHERE {inside}) AS told, "
            f"(SELECT count(*) FROM {chunks} WHERE {inside}) AS held, "
            f"(SELECT count(*) FROM {edges} e LEFT ANTI JOIN (SELECT chunk_id FROM {chunks} WHERE {inside}) c "
            f"ON e.source_chunk_id = c.chunk_id WHERE {inside} AND e.source_chunk_id <> '') AS loose"
        ).collect()[0]
    if int(row["told"]) != int(row["held"]) or int(row["loose"]):
        raise CountMismatch(
            f"documents tell of {row['told']} passages, chunks holds {row['held']}, {row['loose']} edges stand in none",
            where="/".join(scope),
            next="run the job again; if it stays, roll the tables back (docs/runbook.md, Roll back)",
        )


# --- enrich ---------------------------------------------------------------------------------------------------------------


def enrich(parameters: Parameters, say: Say) -> None:
    """What a model may add to help search, behind the gate; passages keep their own words whatever it says or fails to say."""
    store, connection = session.open_store(parameters.catalog, parameters.schema), Connection()
    there = store.version("chunks") >= 0
    for corpus in corpora(parameters):
        settings = settings_of(parameters, corpus)
        if settings is None or not there:
            say(corpus="/".join(corpus.scope), action="nothing to enrich" if settings else "no model is named for it")
            continue
        enrich_corpus(parameters, store, connection, corpus, settings, say)


# --- sync -----------------------------------------------------------------------------------------------------------------


def sync(parameters: Parameters, say: Say) -> None:
    """Create or sync the index, wait until it holds the table's version, and compare its rows with the table's."""
    store, connection = session.open_store(parameters.catalog, parameters.schema), Connection()
    version = session.data_version(store, "chunks")
    if version < 0:
        say(action="there is no chunks table yet, so there is nothing to sync")
        return
    session.refuse_repeated_keys(store)
    for corpus in corpora(parameters):
        index = open_index(parameters, store, corpus.scope, connection)
        if parameters.dry_run:
            say(corpus="/".join(corpus.scope), action=f"would {index.plan()}")
            continue
        index.sync(version)
        say(corpus="/".join(corpus.scope), index=index.place.name, version=version, passages=index.count())


# --- evaluate -------------------------------------------------------------------------------------------------------------


def evaluate(parameters: Parameters, say: Say) -> None:
    """Baseline and edge-aware answers against the live index, logged; fails below the agreed floor or where one failed."""
    from pincite.databricks.evaluation import evaluate_corpus

    store, connection = session.open_store(parameters.catalog, parameters.schema), Connection()
    missed: list[PinciteError] = []
    ran = corpora(parameters)
    for corpus in ran:
        if corpus.manifest.gold is None:
            say(corpus="/".join(corpus.scope), action="no gold set is named, so nothing is evaluated")
            continue
        try:
            missed += evaluate_corpus(parameters, store, connection, corpus, say)
        except PinciteError as error:  # of this corpus: the others are evaluated all the same
            say(corpus="/".join(corpus.scope), action=f"not evaluated: {error}")
            missed.append(error)
    if not parameters.dry_run:
        missed += failures(store, ran, parameters.run_id)
    if missed:
        raise missed[0]


def failures(store: SparkTableStore, ran: Iterable[Corpus], run_id: str) -> list[PartialFailure]:
    """What this run could not bring or read (see ``ingest_log``): the others are done, but the run is not a success."""
    found = []
    for corpus in ran:
        if corpus.absent:
            path, reason = corpus.absent[0]
            told = f"{len(corpus.absent)} files could not be brought, the others are done; {path}: {reason}"
            found.append(
                PartialFailure(told, where="/".join(corpus.scope), next="earlier copies are kept; run again to try them")
            )
        frame = store.frame("ingest_log", corpus.scope).where(f"run_id = {sql_string(run_id)} AND action = 'fail'")
        rows = frame.select("document_id", "reason").limit(20).toArrow().to_pylist()
        if rows:
            found.append(
                PartialFailure(
                    f"{len(rows)} documents could not be read, the others are done; "
                    f"{rows[0]['document_id']}: {rows[0]['reason']}",
                    where="/".join(corpus.scope),
                    next="their earlier rows are kept; see ingest_log for all reasons",
                )
            )
    return found
