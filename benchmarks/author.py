"""Authoring at scale: does a second worker halve the time, and does the driver stay small?

    python benchmarks/author.py [--documents 2000] [--rounds 2] [--engines sail jvm]
    python benchmarks/author.py --whole 100000 [--engines sail]

The first form writes the stage of DOCUMENTS generated parts (some 9 kB each) with one worker and with two, in turn: child
processes on the embedded engine, ``local[1]`` and ``local[2]`` on JVM Spark. Limit: 0.65 of the time of one.
The second form authors and merges so many small parts and prints the driver's peak resident memory. Limit: 1.5 GB. On the
embedded engine the driver is this process, engine included; on JVM Spark it is the server's.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from pincite.model import Scope, Source, sha256_hex
from pincite.tables import engine as engines
from pincite.tables.author import author
from pincite.tables.plan import Plan, plan
from pincite.tables.publish import publish
from pincite.tables.store import SparkTableStore

SCOPE = Scope("benchmark", "author")
PARTS_OF_A_TITLE = 9000
WARM = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""A young JVM's second compiler takes as much as all readers, and one worker leaves it a core to itself: that would
be measured. A cluster's JVM has that behind it."""
SENTENCE = (
    "Each person who keeps such records shall retain them under § {other}.{section}(a)(1) of this chapter for {section} years."
)


def part(number: int, sections: int) -> bytes:
    """A part with so many sections, each referring to another part."""
    other = number + 1
    divs = []
    for section in range(1, sections + 1):
        sentence = SENTENCE.format(other=other, section=section)
        paragraphs = "".join(f"<P>({letter}) {sentence}</P><P>(1) {sentence}</P>" for letter in "abc")
        divs.append(
            f'<DIV8 N="{number}.{section}" TYPE="SECTION"><HEAD>§ {number}.{section} Records.</HEAD>{paragraphs}</DIV8>'
        )
    return f'<DIV5 N="{number}" TYPE="PART"><HEAD>PART {number}—RECORDS</HEAD>{"".join(divs)}</DIV5>'.encode()


def landed(folder: Path, documents: int, sections: int) -> list[Source]:
    """So many parts on disk, a folder for each title."""
    sources = []
    for number in range(1, documents + 1):
        title, name = 10 + number // PARTS_OF_A_TITLE, 1 + number % PARTS_OF_A_TITLE
        path = f"title-{title}/part-{name}.xml"
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        data = part(name, sections)
        (folder / path).write_bytes(data)
        uri = f"https://example.org/title-97/part-{number}.xml"
        sources.append(
            Source(f"p{number}", "2026-01-01", f"Part {number}", uri, "application/xml", path, len(data), sha256_hex(data))
        )
    return sources


def planned(sources: list[Source]) -> Plan:
    return plan(sources, [], lambda _: "1")


def seconds(action: Callable[[], None]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def staged(engine: engines.Engine, work: Path, sources: list[Source], workers: int) -> float:
    """Seconds to write the stage of these sources."""
    store = SparkTableStore(work / engine.name, lambda: engine)
    return seconds(lambda: author(store, SCOPE, planned(sources), work / "raw", "1", workers=workers))


class Spent(NamedTuple):
    """Processor seconds so far below a process: of each that reads documents, and of the process and all below it."""

    reading: dict[str, float]
    whole: float


def processor_seconds(root: int) -> Spent:
    """Processor time so far of *root* and of what it started."""
    parents, spent, reading = {}, {}, []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            if b"pincite.parse.limits" in (process / "cmdline").read_bytes():
                reading.append(process.name)
        except OSError:
            continue  # it has ended
        parents[process.name] = fields[1]
        spent[process.name] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    below = {pid for pid in spent if _is_below(pid, str(root), parents)}
    return Spent({pid: spent[pid] for pid in reading if pid in below}, sum(spent[pid] for pid in below))


def _is_below(pid: str, root: str, parents: dict[str, str]) -> bool:
    while pid in parents and pid != root:
        pid = parents[pid]
    return pid == root


def two_workers(name: str, work: Path, sources: list[Source], rounds: int) -> None:
    """Time of the stage with one worker and with two, in turn; children and Python workers are started before the clock."""
    engines.JVM_START_SECONDS = 600.0  # on a busy machine too
    started = [engines.sail()] if name == "sail" else [engines.jvm(cores, settings=WARM) for cores in (1, 2)]
    running = {1: started[0], 2: started[-1]}
    times: dict[int, list[float]] = {1: [], 2: []}
    busiest: dict[int, list[float]] = {1: [], 2: []}
    whole: dict[int, list[float]] = {1: [], 2: []}
    try:
        for workers, engine in running.items():
            staged(engine, work, sources[:64], workers)
        for _ in range(rounds):
            for workers, engine in running.items():
                root = engine.pid or os.getpid()
                before = processor_seconds(root)
                times[workers].append(staged(engine, work, sources, workers))
                after = processor_seconds(root)
                busiest[workers].append(max(spent - before.reading.get(pid, 0.0) for pid, spent in after.reading.items()))
                whole[workers].append(after.whole - before.whole)
    finally:
        for engine in started:
            engine.stop()
    one, two = min(times[1]), min(times[2])
    print(
        f"{name:<5} {len(sources)} documents, best of {rounds}: one worker {one:.2f} s, two {two:.2f} s, "
        f"ratio {two / one:.2f} (limit 0.65)"
    )
    shared = f"{min(busiest[2]):.2f} s of {min(busiest[1]):.2f} s: {min(busiest[2]) / min(busiest[1]):.2f}"
    print(f"      processor time, which a busy machine blurs less: of the busier reader {shared}, of everything", end=" ")
    print(f"{min(whole[1]):.1f} s and {min(whole[2]):.1f} s; load {os.getloadavg()[0]:.1f}")


def whole(name: str, work: Path, sources: list[Source]) -> None:
    """Author and merge everything; the driver's peak memory."""
    engine = engines.start(name)
    store = SparkTableStore(work / name, lambda: engine)
    try:
        staged = seconds(lambda: author(store, SCOPE, planned(sources), work / "raw", "1"))
        published = seconds(lambda: print({n: m.inserted for n, m in publish(store, SCOPE, "r", "t").tables.items()}))
        peak = driver_peak(engine)
    finally:
        engine.stop()
    print(
        f"{name:<5} {len(sources)} documents: author {staged:.1f} s, merge {published:.1f} s, "
        f"driver's peak resident memory {peak:.0f} MB (limit 1500)"
    )


def driver_peak(engine: engines.Engine) -> float:
    """Megabytes: this process's peak, or the JVM's where that is the driver."""
    if engine.pid is None:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    status = Path(f"/proc/{engine.pid}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--documents", type=int, default=2000)
    arguments.add_argument("--rounds", type=int, default=2)
    arguments.add_argument("--whole", type=int, default=0)
    arguments.add_argument("--engines", nargs="+", default=["sail", "jvm"])
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        sources = landed(work / "raw", options.whole or options.documents, 1 if options.whole else 8)
        for engine in options.engines:
            if options.whole:
                whole(engine, work, sources)
            else:
                two_workers(engine, work, sources, options.rounds)


if __name__ == "__main__":
    main()
