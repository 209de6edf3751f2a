"""The stage of an engine that lives in this process: files of Arrow, written batch by batch and merged slice by slice.

Such an engine would hold every row in memory, and convert it several times, on the way from a child process to a table. Here
the child's bytes are a file, a table's rows are a view of it, and only what was there already is compared; rows of documents
without any are appended in one commit. The engine decides the edges, because that is a join over the whole corpus.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from pincite.errors import EmptySnapshot, TableError
from pincite.model import Scope
from pincite.sources.manifest import Limits
from pincite.tables import layout, read, resolution
from pincite.tables.plan import FAIL, PARSE, SKIP, Plan
from pincite.tables.schema import SNAPSHOTS, arrow_schema
from pincite.tables.stage import BATCH_DOCUMENTS, Job, Mark, batched, job_of, limited, skipped, stage_schema
from pincite.tables.statement import Merged
from pincite.tables.store import SparkTableStore

SLICE_DOCUMENTS, SLICE_BYTES, SLICE_EDGES = 5_000, 96 << 20, 100_000
"""How much is in memory at once."""
ROUND_EDGES = 20_000
"""Up to how many edges of several slices are decided in one round: each costs a second, and a wide one a gigabyte."""


# --- writing -------------------------------------------------------------------------------------------------------------


def write(
    store: SparkTableStore, scope: Scope, plan: Plan, landing: Path | str, version: str, workers: int, limits: Limits
) -> None:
    """Stage every document of *plan*, in the place of an earlier stage; *workers* child processes read."""
    folder = Path(layout.stage_path(store.location, scope, "spool"))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    mark = Mark(len(plan.actions), version)
    jobs = [job_of(action) for action in plan.actions]
    for number, rest in enumerate(_cut([job for job in jobs if job.action != PARSE], SLICE_DOCUMENTS)):
        (folder / f"decided-{number:06}.arrow").write_bytes(skipped(rest, scope, mark))
    reading = [job for job in jobs if job.action == PARSE]
    with ThreadPoolExecutor(workers) as pool:
        waiting: list[Future[int]] = []
        for number, batch in enumerate(batched(reading, min(BATCH_DOCUMENTS, 1 + len(reading) // (4 * workers)))):
            path = folder / f"read-{number:06}.arrow"
            waiting.append(pool.submit(_stage, path, batch, scope, str(landing), mark, limits))
            if len(waiting) > 2 * workers:
                waiting.pop(0).result()
        for each in waiting:
            each.result()


def _stage(path: Path, jobs: list[Job], scope: Scope, landing: str, mark: Mark, limits: Limits) -> int:
    return path.write_bytes(limited(jobs, scope, landing, mark, limits))


def _cut(jobs: Sequence[Job], size: int) -> Iterator[Sequence[Job]]:
    for start in range(0, len(jobs), size):
        yield jobs[start : start + size]


# --- merging -------------------------------------------------------------------------------------------------------------


class Spool:
    """A finished stage. Raises ``TableError`` where there is none or it is unfinished."""

    def __init__(self, store: SparkTableStore, scope: Scope) -> None:
        self.store, self.scope = store, scope
        self.folder = Path(layout.stage_path(store.location, scope, "spool"))
        self._settled = self.folder.with_name(f"{self.folder.name}.settled")
        self._changed: set[str] | None = None
        self.files = sorted([*self.folder.glob("decided-*.arrow"), *self.folder.glob("read-*.arrow")])
        where = "/".join(scope)
        if not self.files:
            raise TableError("there is no stage to merge", where=where, next="run the author task first")
        decided = self.decisions
        if len(decided["action"]) != max(decided["planned"], default=-1):
            raise TableError("the stage is unfinished", where=where, next="run the author task again")

    @cached_property
    def decisions(self) -> dict[str, list[Any]]:
        """The columns of all decisions but their nested rows."""
        names = [field.name for field in stage_schema() if field.name not in SNAPSHOTS]
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for path in self.files:
            for batch in _batches(path):
                for name in names:
                    columns[name] += batch.column(name).to_pylist()
        return columns

    def documents(self, *actions: str) -> set[str]:
        """The documents with one of these actions."""
        return set().union(*(self._by_action.get(action, ()) for action in actions))

    @cached_property
    def _by_action(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for document_id, action in zip(self.decisions["document_id"], self.decisions["action"]):
            found.setdefault(action, set()).add(document_id)
        return found

    @cached_property
    def failed(self) -> tuple[tuple[str, str], ...]:
        """(document_id, reason) of those that could not be read."""
        d = self.decisions
        triples = zip(d["document_id"], d["reason"], d["action"])
        return tuple((document_id, reason) for document_id, reason, action in triples if action == FAIL)

    def decided(self) -> list[tuple[Any, ...]]:
        """For each document: its id, action, SHA-256, and how many nodes, blocks and passages were made."""
        names = ("document_id", "action", "source_sha256", "nodes_made", "blocks_made", "passages_made")
        return list(zip(*(self.decisions[name] for name in names)))

    def passage_ids(self) -> Any:
        """A DataFrame of the staged passages: scope, document_id, chunk_id."""
        columns = ["project", "collection", "document_id", "chunk_id"]
        parts = [part.select(columns) for part in self._staged("chunks", self.documents(PARSE))]
        ids = _whole(parts) if parts else arrow_schema("chunks").empty_table().select(columns)
        return self._frame(ids, "passages")

    def _frame(self, table: Any, name: str) -> Any:
        """A table as a DataFrame, by way of a file: sent along, it would go once for each mention in a plan, up to a limit."""
        import pyarrow.parquet as pq

        path = self.folder / f"{name}.parquet"
        pq.write_table(table.cast(layout.plain(table.schema)), path)
        return self.store.engine.spark.read.parquet(str(path))

    def refuse_empty(self, allow_empty: bool) -> None:
        """``EmptySnapshot`` where nothing would be left of what is there."""
        present = set(self.store.documents("documents", self.scope))
        stays = (present & self.documents(SKIP, FAIL)) | self.documents(PARSE)
        if present and not stays and not allow_empty:
            raise EmptySnapshot(
                f"an empty snapshot would delete all {len(present)} documents of {'/'.join(self.scope)}",
                where="documents",
                next="pass allow_empty (--allow-empty) if that is meant",
            )

    def merge(self, name: str) -> Merged:
        """Bring one table to its new state: compare what is there, append what is new, remove what nobody keeps."""
        store, scope = self.store, self.scope
        before, total = store.version(name), read.count(store.location, name, scope)
        present, written = set(store.documents(name, scope)), self._written(name)
        if name == "nodes":
            self._changed = self._names_that_change(present, written)
        compared = present & (written | self._looked_at_again(name))
        if name == "relation_edges":
            self._decide_edges(written, compared - written)
        counts = [0, 0, 0, 0]
        left = compared | (present - self.documents(SKIP, FAIL) - written)
        for part in self._parts(name, compared):
            documents = set(_unique(part))
            left -= documents
            _add(counts, store.merge(name, scope, part, among=documents, allow_empty=True))
        if left:
            _add(counts, store.merge(name, scope, arrow_schema(name).empty_table(), among=left, allow_empty=True))
        inserted = counts[0] + store.extend(name, lambda: self._parts(name, written - present))
        total += inserted - counts[2]
        store.check_count(name, scope, total)
        _let_go()
        return Merged(name, inserted, counts[1], counts[2], total - inserted - counts[1], before, store.version(name))

    def _written(self, name: str) -> set[str]:
        """The documents whose rows the stage has. A failed one is in ``documents`` unless an earlier version of it is."""
        read_now = self.documents(PARSE)
        if name == SNAPSHOTS[-1]:
            read_now |= self.documents(FAIL) - set(self.store.documents(name, self.scope, {"status": "parsed"}))
        return read_now

    def _looked_at_again(self, name: str) -> set[str]:
        """Kept documents whose edges may lead elsewhere now; all of them where it is not known what changed."""
        if name != "relation_edges":
            return set()
        kept = self.documents(SKIP, FAIL)
        return kept if self._changed is None else kept & self._asking(self._changed)

    def _names_that_change(self, present: set[str], written: set[str]) -> set[str] | None:
        """Names that will not mean what they meant; None where that is too much to compare, or the edges are not settled."""
        gone = present - self.documents(SKIP, FAIL) - written
        if len(written) + len(gone) > SLICE_DOCUMENTS or not self._is_settled():
            return None
        before = read.read(self.store.location, "nodes", self.scope, resolution.NAMED, written | gone)
        return resolution.names_that_changed([before], self._staged("nodes", written))

    def _is_settled(self) -> bool:
        """Whether nobody has written nodes or edges since a merge went to its end."""
        return self._settled.is_file() and self._settled.read_text() == self._versions()

    def _asking(self, names: set[str]) -> set[str]:
        """Documents with an edge whose decision looks at one of these names."""
        columns = ("document_id", "target_node_id", "target_end_node_id", "sought")
        found: set[str] = set()
        for batch in read.read(self.store.location, "relation_edges", self.scope, columns).to_batches(max_chunksize=1 << 16):
            for document_id, target, end, sought in zip(*(column.to_pylist() for column in batch.columns)):
                if document_id not in found and not names.isdisjoint(resolution.asked(target or "", end or "", sought or "")):
                    found.add(document_id)
        return found

    def _versions(self) -> str:
        """The tables that edges are decided from and written to, as they are."""
        return " ".join(f"{name} {self.store.version(name)}" for name in ("nodes", "relation_edges"))

    def _parts(self, name: str, documents: set[str]) -> Iterator[Any]:
        """The new rows of these documents, as Arrow tables of a bearable size; a document is never in two of them."""
        if not documents:
            return
        if name != "relation_edges":
            yield from self._staged(name, documents)
            return
        for path in sorted(self.folder.glob("edges-*.arrow")):
            for batch in _batches(path):
                yield _of(_whole([batch]), documents)

    def _staged(self, name: str, documents: set[str], most_rows: int = 1 << 40) -> Iterator[Any]:
        taken: list[Any] = []
        size = seen = rows = 0
        for path in self.files:
            for batch in _batches(path):
                wanted = documents.intersection(batch.column("document_id").to_pylist())
                if not wanted:
                    continue
                part = _of(_rows_of(batch, name, self.scope), wanted, whole=len(wanted) == batch.num_rows)
                if taken and (seen > SLICE_DOCUMENTS or size > SLICE_BYTES or rows + part.num_rows > most_rows):
                    yield _whole(taken)
                    taken, size, seen, rows = [], 0, 0, 0
                if part.num_rows:
                    taken.append(part)
                size, seen, rows = size + part.nbytes, seen + batch.num_rows, rows + part.num_rows
        if taken:
            yield _whole(taken)

    def _decide_edges(self, written: set[str], kept: set[str]) -> None:
        """Staged edges, and those that kept documents have, into files of their own, each document's in one batch."""
        there = self.store.documents("relation_edges", self.scope)
        parts = groups({each: rows for each, rows in there.items() if each in kept}, SLICE_EDGES)
        older = (read.read(self.store.location, "relation_edges", self.scope, documents=group) for group in parts)
        slices = chain(self._staged("relation_edges", written, SLICE_EDGES), older)
        for number, part in enumerate(_together(slices, ROUND_EDGES)):
            _write(self.folder / f"edges-{number:06}.arrow", self._resolved(part))

    def _resolved(self, edges: Any) -> Any:
        """Decided against the nodes as they are: a new document settles what waited for it."""
        frame = self._frame(edges, "asked")
        decided = resolution.resolved(frame, self.store.frame("nodes", self.scope), self.scope).toArrow()
        return decided.cast(arrow_schema("relation_edges"))

    def log(self, run_id: str, logged_at: str) -> None:
        """One row of ``ingest_log`` a document, unless this run has logged already."""
        import pyarrow as pa

        if self.store.documents("ingest_log", self.scope, {"run_id": run_id}):
            return
        count = len(self.decisions["action"])
        given = {"run_id": [run_id] * count, "logged_at": [logged_at] * count}
        named = {
            name: self.decisions.get(f"{name}_made", self.decisions.get(name)) for name in arrow_schema("ingest_log").names
        }
        arrays = [pa.array(given.get(field.name) or named[field.name], field.type) for field in arrow_schema("ingest_log")]
        rows = pa.Table.from_arrays(arrays, schema=arrow_schema("ingest_log"))
        self.store.extend("ingest_log", lambda: iter([rows]))

    def drop(self) -> None:
        """Remove it, and note that every edge is decided from the nodes as they are now."""
        self._settled.write_text(self._versions())
        shutil.rmtree(self.folder, ignore_errors=True)


# --- views of the files --------------------------------------------------------------------------------------------------


def _batches(path: Path) -> Iterator[Any]:
    import pyarrow as pa

    with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as stream:
        yield from stream


def _write(path: Path, table: Any) -> None:
    """A table as a file of one batch."""
    import pyarrow as pa

    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table.combine_chunks(), max_chunksize=max(1, table.num_rows))


def _rows_of(batch: Any, name: str, scope: Scope) -> Any:
    """A table's rows in a batch of the stage, without a copy."""
    import pyarrow as pa

    items = batch.column(name).flatten()
    columns = [pa.array([value] * len(items), pa.string()) for value in scope]
    return pa.Table.from_arrays([*columns, *items.flatten()], schema=arrow_schema(name))


def _whole(parts: list[Any]) -> Any:
    """Tables or record batches as one table."""
    import pyarrow as pa

    return pa.concat_tables([each if isinstance(each, pa.Table) else pa.Table.from_batches([each]) for each in parts])


def _together(tables: Iterator[Any], most: int) -> Iterator[Any]:
    """Small tables that follow one another as one, until it has half of so many rows; no other is made while one is in use."""
    taken: list[Any] = []
    for table in tables:
        taken.append(table.cast(layout.plain(table.schema)))
        del table
        if sum(each.num_rows for each in taken) >= most // 2:
            whole, taken = _whole(taken), []
            yield whole
            del whole
    if taken:
        yield _whole(taken)


def _let_go() -> None:
    """Give back what tables of Arrow have freed: its pool keeps it for later, and there is little of that."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


def _unique(table: Any) -> list[str]:
    import pyarrow.compute as pc

    found: list[str] = pc.unique(table.column("document_id")).to_pylist()
    return found


def _of(table: Any, documents: Collection[str], whole: bool = False) -> Any:
    """The rows of these documents; all of them where that is the *whole* table."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if whole:
        return table
    return table.filter(pc.is_in(table.column("document_id"), value_set=pa.array(list(documents), pa.string())))


def groups(rows: Mapping[str, int], most: int) -> Iterator[set[str]]:
    """Documents together while they have no more than so many rows."""
    group: set[str] = set()
    size = 0
    for document_id, count in rows.items():
        if group and size + count > most:
            yield group
            group, size = set(), 0
        group.add(document_id)
        size += count
    if group:
        yield group


def _add(counts: list[int], report: Merged) -> None:
    for i, count in enumerate(report[1:5]):
        counts[i] += count
