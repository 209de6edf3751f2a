"""Scoped snapshot merge: Pincite on the embedded engine beside JVM Spark + Delta, in one run on one machine.

    python benchmarks/merge.py [--rows 100000] [--rounds 2] [--no-jvm]

The table has ROWS rows of some 500 characters in 10 projects. The snapshot is one project whole (ROWS/10 rows), given to
each contender as a Parquet file: 0.9 % of it changed, 0.1 % gone, 0.1 % new, so 0.1 % of the table. Contenders:
"pincite sail" and "pincite jvm" are ``SparkTableStore.merge`` on each engine; "plain jvm" is the MERGE one writes by hand on
JVM Spark + Delta (update where the hash differs, insert, delete what the source lacks in the scope). Targets: pincite on
Sail takes at most 1/3 of plain JVM's time, an unchanged snapshot at most 1/10, and no file of another scope is rewritten.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import pyarrow as pa
import pyarrow.parquet as pq

from pincite.model import Scope, digest
from pincite.tables import engine as engines
from pincite.tables.schema import SCOPE_COLUMNS, arrow_schema
from pincite.tables.store import SparkTableStore

PROJECTS = 10
CHANGED, GONE, NEW = 0.009, 0.001, 0.001
SCOPE = Scope("project 3", "all")


def rows(project: str, numbers: range, mark: str) -> pa.Table:
    """Passages with every column filled; *mark* makes another content."""
    n = len(numbers)
    text = "No person shall hold a record that is not attributable, legible, original and accurate. " * 4
    values: dict[str, Any] = {
        "project": [project] * n,
        "collection": ["all"] * n,
        "chunk_id": [digest(project, i) for i in numbers],
        "document_id": [f"doc-{i // 500}" for i in numbers],
        "corpus_version": ["2026-01-01"] * n,
        "node_id": [f"1 CFR {i}" for i in numbers],
        "ordinal": list(numbers),
        "heading_path": [["Rules", "Records"]] * n,
        "breadcrumb": ["Rules > Records"] * n,
        "role": ["body"] * n,
        "evidence_text": [f"{i} {mark} {text}" for i in numbers],
        "retrieval_text": [f"Rules {i} {mark}" for i in numbers],
        "spans": [
            [{"page": 1, "start": i, "end": i + 9, "sha256": "0" * 64, "raw_start": None, "raw_end": None}] for i in numbers
        ],
        "tokens": [90] * n,
        "derivation": ["observed"] * n,
        "groundedness": [None] * n,
        "indexable": [True] * n,
        "exclusion_reason": [""] * n,
        "content_hash": [digest(project, i, mark) for i in numbers],
    }
    return pa.table(values, schema=arrow_schema("chunks"))


def make_table(folder: Path, per_project: int) -> None:
    """The starting table, one file a project, written by delta-rs."""
    from deltalake import write_deltalake

    for project in range(PROJECTS):
        table = rows(f"project {project}", range(per_project), "first")
        write_deltalake(str(folder / "chunks"), table, partition_by=list(SCOPE_COLUMNS), mode="append")


def snapshot(per_project: int, round_number: int) -> pa.Table:
    """The state of one project after a round: some rows changed, some gone, some new, counted from the round before."""
    step, gone = int(1 / CHANGED), int(1 / GONE)
    base = rows(SCOPE.project, range(per_project), "first")
    number = base.column("ordinal").to_numpy()
    changed = rows(SCOPE.project, range(0, per_project, step), f"round {round_number}")
    new_count = max(1, int(per_project * NEW))
    first_new = 10_000_000 * (round_number + 1)
    new = rows(SCOPE.project, range(first_new, first_new + new_count), "new")
    stay = base.filter(pa.array((number % step != 0) & (number % gone != round_number)))
    return pa.concat_tables([stay, changed, new])


def pincite(store: SparkTableStore, file: Path) -> None:
    store.merge("chunks", SCOPE, pq.read_table(file, schema=arrow_schema("chunks")))


def plain(spark: Any, folder: Path, file: Path) -> None:
    """The MERGE one writes by hand, the whole snapshot as its source."""
    spark.read.parquet(str(file)).createOrReplaceTempView("snapshot")
    scope = f"t.project = '{SCOPE.project}' AND t.collection = '{SCOPE.collection}'"
    spark.sql(
        f"MERGE INTO delta.`{folder}/chunks` t USING snapshot s ON {scope} AND t.project = s.project "
        "AND t.collection = s.collection AND t.chunk_id = s.chunk_id "
        "WHEN MATCHED AND t.content_hash <> s.content_hash THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * "
        f"WHEN NOT MATCHED BY SOURCE AND {scope} THEN DELETE"
    ).collect()


def foreign_files(folder: Path) -> int:
    """Files of other scopes that the last commit added or removed."""
    log = sorted((folder / "chunks" / "_delta_log").glob("*.json"))[-1]
    entries = [
        each for line in log.read_text().splitlines() for kind, each in json.loads(line).items() if kind in ("add", "remove")
    ]
    return sum(entry["partitionValues"]["project"] != SCOPE.project for entry in entries)


def timed(action: Callable[[], None]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def measure(
    contenders: dict[str, tuple[Path, Callable[[Path], None]]], work: Path, per_project: int, rounds: int
) -> dict[str, Any]:
    """Seconds of each contender for a changed and for the same snapshot, in turn, the first round thrown away."""
    found: dict[str, Any] = {name: {"changed": [], "same": [], "foreign": 0} for name in contenders}
    for round_number in range(rounds + 1):
        file = work / f"snapshot-{round_number}.parquet"
        pq.write_table(snapshot(per_project, round_number), file)
        for name, (folder, merge) in contenders.items():
            for kind in ("changed", "same"):
                seconds = timed(lambda merge=merge, file=file: merge(file))
                if round_number:
                    found[name][kind].append(seconds)
                found[name]["foreign"] += foreign_files(folder)
        file.unlink()
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=100_000)
    arguments.add_argument("--rounds", type=int, default=2)
    arguments.add_argument("--no-jvm", action="store_true")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as work_name:
        work = Path(work_name)
        make_table(work / "sail", options.rows // PROJECTS)
        running = [engines.sail()]
        store = SparkTableStore(work / "sail", lambda: running[0])
        contenders: dict[str, tuple[Path, Callable[[Path], None]]] = {
            "pincite sail": (work / "sail", lambda f: pincite(store, f))
        }
        if not options.no_jvm:
            running.append(engines.jvm(memory="4g"))
            for name in ("jvm", "plain"):
                shutil.copytree(work / "sail", work / name)
            jvm_store = SparkTableStore(work / "jvm", lambda: running[1])
            contenders["pincite jvm"] = (work / "jvm", lambda f: pincite(jvm_store, f))
            contenders["plain jvm"] = (work / "plain", lambda f: plain(running[1].spark, work / "plain", f))
        try:
            found = measure(contenders, work, options.rows // PROJECTS, options.rounds)
        finally:
            for each in running:
                each.stop()
    report(found, options.rows)


def report(found: dict[str, Any], count: int) -> None:
    anchor = found.get("plain jvm")
    print(f"{count:,} rows, medians of {len(next(iter(found.values()))['changed'])} rounds after a first one")
    for name, seconds in found.items():
        changed, same = statistics.median(seconds["changed"]), statistics.median(seconds["same"])
        line = (
            f"{name:<12} 0.1 % changed {changed:7.3f} s   unchanged {same:7.3f} s   foreign files touched {seconds['foreign']}"
        )
        if anchor and anchor is not seconds:
            ratios = changed / statistics.median(anchor["changed"]), same / statistics.median(anchor["same"])
            line += f"   of plain JVM: {ratios[0]:.2f} (limit 0.33), {ratios[1]:.3f} (limit 0.10)"
        print(line)


if __name__ == "__main__":
    main()
