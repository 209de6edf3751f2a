"""Parsing official XML to passages and references, against bare expat events over the same files.

    python benchmarks/parse_xml.py [FOLDER] [--rounds N]

The anchor is what any expat parser pays: a Python callback for every start, end and text, appended to a list, with
``buffer_text``. Ratios are of the best processor time of several rounds, contenders interleaved in one process, the garbage
collector off. The limit is 8 for everything together: text, nodes, partition, hashes, passages, references, every slice
checked against its hash.
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from pyexpat import ParserCreate

from pincite.model import Document, Passage, Source
from pincite.parse import parse
from pincite.passages import build
from pincite.references import observe

LIMIT = 8.0


def expat_events(data: bytes) -> int:
    """Bare events into a list."""
    events: list[object] = []
    parser = ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: events.append((name, attributes))
    parser.EndElementHandler = lambda name: events.append(name)
    parser.CharacterDataHandler = lambda text: events.append(text)
    parser.Parse(data, True)
    return len(events)


def check_slices(document: Document, passages: tuple[Passage, ...]) -> int:
    """Hash every slice of every passage again; raises where one differs."""
    checked = 0
    for passage in passages:
        for page, start, end, digest, _, _ in passage.spans:
            if sha256(document.pages[page - 1][start:end]).hexdigest() != digest:
                raise AssertionError(f"{passage.node_id}: a span does not slice back")
            checked += 1
    return checked


def best_of(rounds: int, contenders: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The best processor time of each contender in seconds, interleaved; other work on the machine counts less in it."""
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, run in contenders.items():
            start = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - start)
    return best


def measure(path: Path, folder: Path, rounds: int) -> tuple[float, float, float, float]:
    """Seconds of expat events, parse, passages and references with checks, for one file."""
    data = path.read_bytes()
    name = str(path.relative_to(folder))
    source = Source(name, "", "", "", "application/xml", name, len(data), "")
    document = parse(source, data)
    passages = build(document)
    best = best_of(
        rounds,
        {
            "events": lambda: expat_events(data),
            "parse": lambda: parse(source, data),
            "passages": lambda: (built := build(document)) and check_slices(document, built),
            "references": lambda: observe(document),
        },
    )
    del passages
    return best["events"], best["parse"], best["passages"], best["references"]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", nargs="?", default=os.environ.get("PINCITE_SHARED_DATA", "../shared/data") + "/ecfr")
    options.add_argument("--rounds", type=int, default=7)
    given = options.parse_args()
    folder = Path(given.folder)
    files = sorted(folder.rglob("*.xml"))
    if not files:
        print(f"no XML under {folder}: name the folder of the official files")
        return
    print(f"{'file':44} {'KB':>6} {'events ms':>9} {'parse':>6} {'+passages':>9} {'+references':>11}   (times of expat events)")
    gc.disable()
    totals = [0.0, 0.0, 0.0, 0.0]
    for path in files:
        seconds = measure(path, folder, given.rounds)
        totals = [total + one for total, one in zip(totals, seconds, strict=True)]
        _row(str(path.relative_to(folder)), path.stat().st_size, seconds)
    _row(f"all {len(files)} files", sum(path.stat().st_size for path in files), totals)
    print(f"limit {LIMIT:.0f}: {'met' if sum(totals[1:]) / totals[0] <= LIMIT else 'NOT met'}")


def _row(name: str, size: int, seconds: tuple[float, ...] | list[float]) -> None:
    events, parsing, passages, references = seconds
    ratios = (parsing / events, (parsing + passages) / events, (parsing + passages + references) / events)
    print(f"{name:44} {size / 1000:6.0f} {events * 1000:9.2f} {ratios[0]:6.2f} {ratios[1]:9.2f} {ratios[2]:11.2f}")


if __name__ == "__main__":
    main()
