"""Authoring at scale: Spark tasks of a second or more, documents read in a child process, rows straight into a staged table.

``author`` writes the stage (:mod:`pincite.tables.stage`): a row for every document of the plan. ``publish``
(:mod:`pincite.tables.publish`) merges it into the tables. Nothing of a document ever comes to the driver.
``mapInArrow`` rather than ``mapInPandas``: the same distribution, without an object column of dictionaries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from pincite.errors import UsageError
from pincite.model import Scope, Source
from pincite.sources.manifest import Limits
from pincite.tables import layout, spool
from pincite.tables.plan import Action, Plan
from pincite.tables.stage import Job, Mark, batched, job_of, limited, stage_ddl
from pincite.tables.store import SparkTableStore

TASK_DOCUMENTS, TASK_BYTES = 256, 4 << 20
FEWEST_TASKS, MOST_TASKS = 16, 2_000
"""A task costs the engine a sixth of a second and a file, whatever it does: it is given a second or more of reading. Work of up
to so few tasks is cut finer, a document each at most, so that a small corpus keeps a cluster busy too."""
PLANNED = ("document_id", "action", "kind", "reason", *Source._fields[1:])


LIMITS = Limits()


def author(
    store: SparkTableStore,
    scope: Scope,
    plan: Plan,
    landing: Path | str,
    version: str,
    *,
    workers: int = 2,
    limits: Limits = LIMITS,
) -> None:
    """Read every document that *plan* wants parsed and write the stage of *scope*; an earlier stage is replaced.

    *landing* is the folder the sources' paths are relative to, as the workers see it. *workers* is the number of child
    processes where the engine's Python functions share one process; elsewhere each task has one child. A plan without a
    document is a ``UsageError``.
    """
    if not plan.actions:
        raise UsageError("there is nothing to author: the manifest names no source, and the tables hold none")
    engine = store.engine
    if engine.one_process:
        spool.write(store, scope, plan, landing, version, workers, limits)
        return
    planned = engine.spark.createDataFrame(planned_rows(plan.actions))
    read = partial(stage_batches, scope=scope, landing=str(landing), mark=Mark(len(plan.actions), version), limits=limits)
    frame = planned.repartition(tasks_for(plan.parse)).mapInArrow(read, stage_ddl())
    layout.write_stage(engine, store.location, scope, frame)


def tasks_for(sources: Sequence[Source]) -> int:
    """How many tasks read these documents: by their number and bytes, never more than there are, bounded at both ends.

    >>> small = Source("a", "", "", "", "", "", 1_000, "")
    >>> [tasks_for([small] * count) for count in (0, 3, 2_000, 100_000)]
    [1, 3, 16, 391]
    """
    documents, size = len(sources), sum(source.source_bytes for source in sources)
    wanted = max(FEWEST_TASKS, -(-documents // TASK_DOCUMENTS), -(-size // TASK_BYTES))
    return max(1, min(documents, wanted, MOST_TASKS))


def planned_rows(actions: Sequence[Action]) -> Any:
    """Decisions as an Arrow table: what goes to the workers."""
    import pyarrow as pa

    jobs = [job_of(action) for action in actions]
    values: dict[str, list[Any]] = {name: [getattr(job.source, name) for job in jobs] for name in Source._fields}
    for name in ("action", "kind", "reason"):
        values[name] = [getattr(job, name) for job in jobs]
    types = {"source_bytes": pa.int64()}
    return pa.table({name: pa.array(values[name], types.get(name, pa.string())) for name in PLANNED})


def stage_batches(batches: Iterable[Any], scope: Scope, landing: str, mark: Mark, limits: Limits) -> Iterator[Any]:
    """The function of ``mapInArrow``: planned documents in, staged rows out, in order, a batch ahead of the writer."""
    import pyarrow as pa

    waiting: list[Future[bytes]] = []
    with ThreadPoolExecutor(1) as pool:
        for jobs in batched(job for batch in batches for job in _jobs(batch)):
            waiting.append(pool.submit(limited, jobs, scope, landing, mark, limits))
            if len(waiting) > 1:
                yield from pa.ipc.open_stream(waiting.pop(0).result())
        for each in waiting:
            yield from pa.ipc.open_stream(each.result())


def _jobs(batch: Any) -> Iterator[Job]:
    named = {name: batch.column(name).to_pylist() for name in PLANNED}
    sources = zip(*(named[name] for name in Source._fields))
    for action, kind, reason, values in zip(named["action"], named["kind"], named["reason"], sources):
        yield Job(action, kind, reason, Source(*values))
