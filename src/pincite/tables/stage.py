"""The stage: one row for every document of a plan, with the rows of all tables nested in it, made in a child process.

It is a table where an engine has workers of its own (:mod:`pincite.tables.author`), and files where the engine lives in this
process (:mod:`pincite.tables.spool`); ``publish`` merges either. What a child returns is an Arrow stream, so that no row is
pickled.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import ParseError, PinciteError
from pincite.model import DocumentRow, Scope, Source, digest
from pincite.parse.limits import run_limited
from pincite.sources.manifest import Limits
from pincite.sources.verify import read_verified
from pincite.tables.corpus import made_of
from pincite.tables.plan import FAIL, PARSE, Action
from pincite.tables.rows import document_row, node_rows, partition_rows, to_arrow
from pincite.tables.schema import SNAPSHOTS, arrow_schema, column_names, columns, sql_string, sql_type

BATCH_DOCUMENTS, BATCH_BYTES = 128, 2_000_000


class Mark(NamedTuple):
    """What every row of a stage carries: how many documents the whole stage has, who authored it."""

    planned: int
    version: str


class Job(NamedTuple):
    """One document of the plan, as a worker gets it."""

    action: str
    kind: str
    reason: str
    source: Source


def job_of(action: Action) -> Job:
    """A decision as a worker gets it; a document that is gone has a source with nothing but its id."""
    source = action.source or Source(action.document_id, "", "", "", "", "", 0, "")
    return Job(action.action, action.kind, action.reason, source)


# --- the stage: one row a document, the rows of each table nested --------------------------------------------------------


_TEXTS = ("project", "collection", "document_id", "corpus_version", "action", "kind", "reason", "source_sha256")
_NUMBERS = ("planned", "nodes_made", "blocks_made", "passages_made", "edges_made", "findings_made")


@cache
def stage_schema() -> Any:
    """The stage's ``pyarrow.Schema``: scope, decision, counts, and for each snapshot table a list of its rows."""
    import pyarrow as pa

    plain = [*((name, pa.string()) for name in _TEXTS), ("seconds", pa.float64()), *((name, pa.int64()) for name in _NUMBERS)]
    return pa.schema([*plain, *((name, pa.list_(pa.struct(list(arrow_schema(name))[2:]))) for name in SNAPSHOTS)])


@cache
def stage_ddl() -> str:
    """The same for Spark."""
    plain = [*(f"`{name}` STRING" for name in _TEXTS), "`seconds` DOUBLE", *(f"`{name}` BIGINT" for name in _NUMBERS)]
    return ", ".join([*plain, *(f"`{name}` ARRAY<STRUCT<{_fields(name)}>>" for name in SNAPSHOTS)])


def _fields(name: str) -> str:
    return ", ".join(f"`{column.name}`: {sql_type(column.annotation)}" for column in columns(name)[2:])


def rows_of_stage(stage: Any, scope: Scope, name: str) -> Any:
    """The staged rows of one table, as a DataFrame with all its columns."""
    literals = [f"{sql_string(value)} AS `{column}`" for column, value in zip(scope._fields, scope)]
    inner = [f"staged_row.`{column}` AS `{column}`" for column in column_names(name)[2:]]
    return stage.selectExpr(f"explode(`{name}`) AS staged_row").selectExpr(*literals, *inner)


# --- in the child process -------------------------------------------------------------------------------------------------


def batched(jobs: Iterable[Job], most: int = BATCH_DOCUMENTS) -> Iterator[list[Job]]:
    """Batches small enough to be lost without much harm, large enough to pay for their way to a child and back."""
    group: list[Job] = []
    size = 0
    for job in jobs:
        weight = job.source.source_bytes if job.action == PARSE else 0
        if group and (len(group) >= most or size + weight > BATCH_BYTES):
            yield group
            group, size = [], 0
        group.append(job)
        size += weight
    if group:
        yield group


def limited(jobs: list[Job], scope: Scope, landing: str, mark: Mark, limits: Limits) -> bytes:
    """Stage a batch in a child process; where that fails as a whole, its documents one by one, so that one fails alone."""
    try:
        return run_limited(stage_jobs, (jobs, scope, landing, mark), limits.seconds, limits.megabytes)
    except ParseError as error:
        if len(jobs) > 1:
            return joined([limited([job], scope, landing, mark, limits) for job in jobs])
        failed = _failed(jobs[0], f"{error.what}; {error.next}" if error.next else error.what, 0.0)
        return _stream([_batch([failed], scope, mark)])


def stage_jobs(jobs: Sequence[Job], scope: Scope, landing: str, mark: Mark) -> bytes:
    """The staged rows of a few documents as an Arrow stream: what a child process returns."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # the others reserve a gigabyte, which counts as memory taken
    return _stream([_batch([stage_document(job, Path(landing), mark.version) for job in jobs], scope, mark)])


def skipped(jobs: Sequence[Job], scope: Scope, mark: Mark) -> bytes:
    """The staged rows of documents that are not read, as an Arrow stream."""
    return _stream([_batch([Staged(job, 0.0, {}) for job in jobs], scope, mark)])


def joined(streams: Iterable[bytes]) -> bytes:
    """Several Arrow streams as one."""
    import pyarrow as pa

    return _stream([batch for stream in streams for batch in pa.ipc.open_stream(stream)])


def _stream(batches: Sequence[Any]) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, stage_schema()) as writer:
        for batch in batches:
            writer.write_batch(batch)
    taken: bytes = sink.getvalue().to_pybytes()
    return taken


class Staged(NamedTuple):
    """One row of the stage, before it becomes Arrow."""

    job: Job
    seconds: float
    rows: dict[str, list[Any]]  # table → rows without the scope


def _batch(staged: Sequence[Staged], scope: Scope, mark: Mark) -> Any:
    import pyarrow as pa

    rows = [_plain(each, scope, mark) for each in staged]
    plain = [pa.array(values, field.type) for values, field in zip(zip(*rows), stage_schema())]
    nested = [_nested(name, [each.rows.get(name, []) for each in staged], scope) for name in SNAPSHOTS]
    return pa.RecordBatch.from_arrays(plain + nested, schema=stage_schema())


def _plain(staged: Staged, scope: Scope, mark: Mark) -> tuple[Any, ...]:
    """The values of a stage's row before its nested tables."""
    source = staged.job.source
    counts = [len(staged.rows.get(name, ())) for name in ("nodes", "partition", "chunks", "relation_edges")]
    findings = sum(len(row.findings) for row in staged.rows.get("documents", ()))
    job = staged.job
    texts = (*scope, source.document_id, source.corpus_version, job.action, job.kind, job.reason, source.source_sha256)
    return (*texts, staged.seconds, mark.planned, *counts, findings)


def _nested(name: str, rows: Sequence[list[Any]], scope: Scope) -> Any:
    """A list array: the rows of one table for each document."""
    import pyarrow as pa

    flat = to_arrow(name, scope, [row for each in rows for row in each]).combine_chunks()
    fields = list(arrow_schema(name))[2:]
    arrays = [flat.column(field.name).combine_chunks() for field in fields]
    offsets = [0]
    for each in rows:
        offsets.append(offsets[-1] + len(each))
    items = pa.StructArray.from_arrays(arrays, fields=fields)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), items)


def stage_document(job: Job, landing: Path, version: str) -> Staged:
    """Parse, observe and build passages of one document; a failure is a row with its reason."""
    started = time.perf_counter()
    if job.action != PARSE:
        return Staged(job, 0.0, {})
    try:
        rows = document_rows(job.source, read_verified(job.source, landing), version)
    except PinciteError as error:
        return _failed(job, str(error), time.perf_counter() - started)
    return Staged(job, time.perf_counter() - started, rows)


def document_rows(source: Source, data: bytes, version: str) -> dict[str, list[Any]]:
    """All rows of one document; its edges are undecided until the whole corpus is known."""
    from pincite.parse import parse
    from pincite.references.resolve import resolve

    document, passages, held, names, observed = made_of(parse(source, data))
    return {
        "partition": partition_rows(source.document_id, document.partition),
        "nodes": node_rows(source.document_id, document.nodes, held, names),
        "chunks": list(passages),
        "relation_edges": list(resolve(observed, {}, source=source, passages=passages)),
        "documents": [document_row(document, len(passages), version)],
    }


def _failed(job: Job, reason: str, seconds: float) -> Staged:
    """A document that could not be read: its row in ``documents`` counts only if there is none of an earlier version."""
    source = job.source
    values = (
        *source[:4], source.path, source.media_type, source.source_sha256, "", source.source_bytes, 0, 0, "", "", "", True,
        "failed", 0, 0, 0, (), (),
    )  # fmt: skip
    row = DocumentRow(*values, digest(*values))
    return Staged(Job(FAIL, job.kind, reason, source), seconds, {"documents": [row]})
