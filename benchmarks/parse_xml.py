"""Parsing official XML to passages and references, against bare expat events over the same files.

    python benchmarks/parse_xml.py [FOLDER] [--rounds N] [--floor]

The anchor is what any expat parser pays: a Python callback for every start, end and text, appended to a list, with
``buffer_text``. Ratios are of the best processor time of several rounds, contenders interleaved in one process, the garbage
collector off. The limit is 8 for everything together: text, nodes, partition, hashes, passages, references, every slice
checked against its hash. ``--floor`` prints what the records alone cost, made from parts that are already known.
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
from typing import Any

from pincite.model import Document, Observed, Passage, Source
from pincite.parse import parse
from pincite.passages import build
from pincite.references import observe
from pincite.references.grammar import anchors

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


def read_all(folder: Path, files: list[Path]) -> list[tuple[bytes, Document, tuple[Passage, ...], tuple[Observed, ...]]]:
    """Every file with what becomes of it."""
    read = []
    for path in files:
        data, name = path.read_bytes(), str(path.relative_to(folder))
        document = parse(Source(name, "", "", "", "application/xml", name, len(data), ""), data)
        read.append((data, document, build(document), observe(document)))
    return read


def records(rows: list[tuple[Any, ...]]) -> Callable[[], object]:
    """Makes the same named tuples again, from columns."""
    kinds: dict[type, list[tuple[Any, ...]]] = {}
    for row in rows:
        kinds.setdefault(type(row), []).append(tuple(row))
    columns = [(kind, list(zip(*made, strict=True))) for kind, made in kinds.items()]
    return lambda: [[tuple.__new__(kind, row) for row in zip(*each, strict=True)] for kind, each in columns]


def floor(folder: Path, files: list[Path], rounds: int) -> None:
    """What no design can save in Python: the parser's judgement, the hashes, the texts, the records, the search for anchors.

    Everything is known beforehand: there is no paragraph level, no cutting and no grammar in it.
    """
    read = read_all(folder, files)
    slices = [(d.pages[0], [b[2:4] for b in d.partition], [s[1:3] for p in ps for s in p.spans]) for _, d, ps, _ in read]
    passages = [passage for _, _, ps, _ in read for passage in ps]
    observed = [one for *_, found in read for one in found]
    spans: list[tuple[Any, ...]] = [*(s for p in passages for s in p.spans), *(one.span for one in observed)]
    rows: list[tuple[Any, ...]] = [*(r for _, d, _, _ in read for r in (*d.nodes, *d.partition)), *passages, *spans, *observed]
    best = best_of(
        rounds,
        {
            "bare expat events": lambda: [expat_events(data) for data, *_ in read],
            "well-formed?": lambda: [ParserCreate().Parse(data, True) for data, *_ in read],
            "a hash of each block": lambda: [sha256(p[a:b]).hexdigest() for p, blocks, _ in slices for a, b in blocks],
            "a text of each span": lambda: [page[a:b].decode() for page, _, each in slices for a, b in each],
            "a text for matching": lambda: [f"{p.breadcrumb}\n{p.evidence_text}" for p in passages],
            "two hashes of each passage": lambda: [_two_hashes(passage) for passage in passages],
            "a hash of each mention": lambda: [sha256(one.mention.text.encode()).hexdigest() for one in observed],
            "all records": records([*rows, *(one.mention for one in observed)]),
            "anchors of references": lambda: [anchors(d.pages[0].decode()) for _, d, _, _ in read],
            "every slice checked": lambda: [check_slices(d, ps) for _, d, ps, _ in read],
        },
    )
    events = best.pop("bare expat events")
    for name, seconds in best.items():
        print(f"{name:32} {seconds / events:6.2f}")
    print(f"{'together':32} {sum(best.values()) / events:6.2f}   (times of expat events)")


def _two_hashes(p: Passage) -> tuple[str, str]:
    identity = f"5:chunk{p.document_id}{p.node_id}{p.chunk_id}1:1"
    content = f"{p.document_id}{p.node_id}{p.ordinal}{p.role}{p.chunk_id}{p.tokens}{p.breadcrumb}{p.retrieval_text}"
    return sha256(identity.encode()).hexdigest(), sha256(content.encode()).hexdigest()


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
    options.add_argument("--floor", action="store_true", help="what the records alone cost")
    given = options.parse_args()
    folder = Path(given.folder)
    files = sorted(folder.rglob("*.xml"))
    if not files:
        print(f"no XML under {folder}: name the folder of the official files")
        return
    if given.floor:
        gc.disable()
        floor(folder, files, given.rounds)
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
