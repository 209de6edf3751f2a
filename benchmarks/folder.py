"""A folder of many small Markdown files: discover, plan, parse, merge; then the same again, and again after a few changes.

    python benchmarks/folder.py [--files 100000] [--folder DIR]

Limits for 100,000 files on two cores: 300 s for the first run, 30 s for a second one of an unchanged folder, 2 GB of memory at
the peak. Each run is ``pincite run`` without an index (``--until merge``) in a process of its own. Memory is the sum of the
proportional set sizes (``/proc/PID/smaps_rollup``: shared pages divided among those who share them) of that process and of all
its children, sampled four times a second. With fewer files the limits are scaled down, memory excepted.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parent.parent / "src"
FIRST, AGAIN, MEGABYTES = 300.0, 30.0, 2000.0
SUBJECTS = ("intake", "escalation", "refund", "access", "backup", "retention", "incident", "change", "release", "audit")
_TEXT = (
    "the requester desk officer must answer within hours of business record each case in register before closing it unless "
    "manager approves a longer period for reasons that are written down and kept with file"
)
WORDS = _TEXT.split()


class Run(NamedTuple):
    """Seconds, megabytes at the peak, and processor seconds of all processes, of one run."""

    seconds: float
    peak: float
    processor: float


def write_files(folder: Path, count: int) -> None:
    """So many procedures of about 1 kB: front matter, sections, a list, a table, links to two others."""
    chance = random.Random(7)
    for number in range(count):
        path = folder / f"{number // 1000:03}" / f"{SUBJECTS[number % len(SUBJECTS)]}-{number:06}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(procedure(number, count, chance), encoding="utf-8")


def procedure(number: int, count: int, chance: random.Random) -> str:
    """One procedure, of words drawn by chance."""

    def sentence() -> str:
        return " ".join(chance.choices(WORDS, k=12)).capitalize() + "."

    other = chance.randrange(count)
    link = f"../{other // 1000:03}/{SUBJECTS[other % len(SUBJECTS)]}-{other:06}.md"
    subject = SUBJECTS[number % len(SUBJECTS)]
    front = f"---\ntitle: Procedure {number} for {subject}\nowner: desk {number % 17}\n---\n"
    return front + (
        f"\n# Procedure {number} for {subject}\n\n{sentence()} {sentence()}\n"
        f"\n## Scope\n\n{sentence()} See [the other procedure]({link}).\n"
        f"\n## Response targets\n\n1. {sentence()}\n2. {sentence()}\n3. {sentence()}\n"
        f"\n| Priority | Target |\n|---|---|\n| P1 | {number % 9 + 1} hours |\n| P2 | {number % 5 + 1} days |\n"
        f"\n## Exceptions\n\n{sentence()}\n\n{sentence()} See Procedure {chance.randrange(count)}.\n"
    )


def change_some(folder: Path, count: int) -> None:
    """One in a thousand edited, as many moved."""
    files = sorted(folder.rglob("*.md"))
    for path in files[:: max(1, count // max(1, count // 1000))][: max(1, count // 1000)]:
        path.write_text(path.read_text(encoding="utf-8") + "\nOne more sentence.\n", encoding="utf-8")
    for path in files[5 :: max(7, count // max(1, count // 1000))][: max(1, count // 1000)]:
        path.rename(path.with_name(f"moved-{path.name}"))


def run(folder: Path, state: Path) -> Run:
    """One run in a process of its own."""
    command = [sys.executable, "-m", "pincite", "run", str(folder), "--state", str(state), "--until", "merge"]
    before = os.times()
    started = time.perf_counter()
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(SOURCE)})
    peaks = [0.0]
    watching = threading.Thread(target=_watch, args=(process, peaks))
    watching.start()
    if process.wait():
        raise SystemExit(f"the run failed with exit code {process.returncode}")
    seconds = time.perf_counter() - started
    watching.join()
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(seconds, peaks[0], spent)


def _watch(process: subprocess.Popen[bytes], peaks: list[float]) -> None:
    while process.poll() is None:
        peaks[0] = max(peaks[0], sum(map(_megabytes, _tree(process.pid))))
        time.sleep(0.25)


def _tree(root: int) -> list[int]:
    """The process and everything below it."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def _megabytes(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--files", type=int, default=2000, help="100000 for the real thing")
    arguments.add_argument("--folder", type=Path, help="keep files and state here")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        base = options.folder or Path(name)
        folder, state = base / "procedures", base / "state"
        if not folder.exists():
            write_files(folder, options.files)
        share = max(options.files / 100_000, 0.1)
        for title, limit in (("first", FIRST), ("again", AGAIN)):
            tell(title, options.files, run(folder, state), limit * share)
        change_some(folder, options.files)
        tell("after changes", options.files, run(folder, state), None)


def tell(title: str, files: int, done: Run, limit: float | None) -> None:
    """One line: figures beside their limits."""
    against = f" (limit {limit:.0f}, ratio {done.seconds / limit:.2f})" if limit else ""
    print(
        f"{title:<14} {files} files: {done.seconds:.1f} s{against}, {done.processor:.0f} s of processor time, "
        f"peak {done.peak:.0f} MB of the whole process tree (limit {MEGABYTES:.0f}, ratio {done.peak / MEGABYTES:.2f})",
        flush=True,
    )


if __name__ == "__main__":
    main()
