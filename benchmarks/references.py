"""Finding references in parsed regulations, against bare expat events over the same files.

    python benchmarks/references.py [FOLDER] [--rounds N]

Contenders, interleaved in one process, the best processor time of several rounds each: "expat events" (a callback for every
start, end and text, appended to a list: the anchor), "one pattern" (what one writes first: one alternation of all the words
that open a citation, only counted), "anchors" (this project's scan: one pattern for each word, each beginning with a literal),
and "observe" (everything: anchors, grammar, places, byte spans, hashes). Without FOLDER the fixtures are measured.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from parse_xml import expat_events
from pincite.errors import PinciteError
from pincite.model import Document, Source
from pincite.parse import parse
from pincite.references import observe
from pincite.references.grammar import anchors

ONE_PATTERN = re.compile(
    r"§|\b\d+\s+C\.?F\.?R\.?|\b\d+\s+U\.\s?S\.\s?C\.|\b(?:sub)?parts?\s+\w|\b[Ss]ections?\s+\d|\b[Pp]aragraphs?\s+\("
    r"|\bthis\s+(?:section|part)"
    r"|\b(?:sub)?chapters?\s+\w|\b[Aa]ppendix\s+\w|\b[Tt]itle\s+\d|Pub\.\s+L\.|\d+\s+Stat\.|\d+\s+FR\s+\d|E\.O\."
)


def read(folder: Path) -> list[tuple[bytes, Document]]:
    """Every file of a folder that is a regulation in XML, with its document."""
    files = []
    for path in sorted(folder.rglob("*.xml")):
        data = path.read_bytes()
        try:
            files.append((data, parse(Source(path.stem, "", "", "", "application/xml", path.name, len(data), ""), data)))
        except PinciteError:
            continue  # another kind of XML, or a fixture that is bad on purpose
    return files


def best_of(rounds: int, contenders: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The best processor time of each contender, in seconds; other work on the machine counts less in it."""
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, run in contenders.items():
            gc.collect()
            start = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - start)
    return best


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", nargs="?", type=Path, default=Path(os.environ.get("PINCITE_MIRROR", "fixtures")))
    options.add_argument("--rounds", type=int, default=9)
    given = options.parse_args()
    files = read(given.folder)
    if not files:
        print(f"{given.folder}: no regulation in XML here; name a folder, or set PINCITE_MIRROR")
        return
    texts = [document.pages[0].decode() for _, document in files]
    found = sum(len(observe(document)) for _, document in files)
    best = best_of(
        given.rounds,
        {
            "expat events": lambda: [expat_events(data) for data, _ in files],
            "one pattern": lambda: [sum(1 for _ in ONE_PATTERN.finditer(text)) for text in texts],
            "anchors": lambda: [anchors(text) for text in texts],
            "observe": lambda: [observe(document) for _, document in files],
        },
    )
    megabytes = sum(len(data) for data, _ in files) / 1e6
    print(f"{len(files)} files, {megabytes:.2f} MB, {found} references")
    for name, seconds in best.items():
        print(f"{name:<14} {seconds * 1000:8.1f} ms   {seconds / best['expat events']:5.2f} times expat events")
    print(f"a reference costs {best['observe'] / max(found, 1) * 1e6:.1f} µs, its share of the scan included")


if __name__ == "__main__":
    main()
