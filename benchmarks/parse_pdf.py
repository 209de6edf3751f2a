"""Parsing PDF manuals to complete passages, against PyMuPDF's own ``dict`` extraction of the same pages.

    python benchmarks/parse_pdf.py [FOLDER] [--rounds N] [--peers]

The anchor is ``page.get_text("dict", flags=TEXTFLAGS_TEXT)`` over every page: spans with fonts and boxes, no images. Ours is
everything from bytes to passages: reading, order, columns, running heads, structure, partition with hashes, passages. Ratios
are of the best processor time of several rounds, contenders interleaved in one process; then once through the child process
with its limits, by the clock, with the child's peak memory. The limit is 2. ``--peers`` adds pdfplumber and pymupdf4llm on the
first pages of each file, where they are installed.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib.util
import io
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf

from pincite.model import Source
from pincite.parse import parse
from pincite.parse.limits import close_workers
from pincite.parse.manual.structure import structure
from pincite.parse.pdf.read import read
from pincite.passages import build

LIMIT = 2.0
PEER_PAGES = 6


def source_of(path: Path, data: bytes) -> Source:
    return Source(path.stem, "1", "", "", "application/pdf", path.name, len(data), "")


def extract_dict(data: bytes, pages: int | None = None) -> None:
    """The anchor."""
    document = pymupdf.open(stream=data, filetype="pdf")
    for index in range(min(pages or document.page_count, document.page_count)):
        document[index].get_text("dict", flags=pymupdf.TEXTFLAGS_TEXT)


def to_passages(path: Path, data: bytes) -> None:
    """Ours, in this process."""
    gc.disable()
    document = structure(source_of(path, data), read(data, path.name, styled=False))
    gc.enable()
    build(document)


def best(rounds: int, *contenders: Callable[[], Any]) -> list[float]:
    """Best processor time of each contender, interleaved."""
    times = [float("inf")] * len(contenders)
    for _ in range(rounds):
        for index, contender in enumerate(contenders):
            started = time.process_time()
            contender()
            times[index] = min(times[index], time.process_time() - started)
    return times


def first_pages(data: bytes) -> bytes:
    """The file's first pages as a file of their own, so that every contender does the same work."""
    document = pymupdf.open(stream=data, filetype="pdf")
    document.select(range(min(PEER_PAGES, document.page_count)))
    cut: bytes = document.tobytes()
    return cut


def peers(path: Path, data: bytes) -> dict[str, tuple[float, float]]:
    """(seconds of the peer, ours) over the first pages of a file, for each peer that is installed."""
    cut = first_pages(data)
    (ours,) = best(3, lambda: to_passages(path, cut))
    found = {}
    for name, contender in (("pdfplumber", _pdfplumber), ("pymupdf4llm", _pymupdf4llm)):
        if importlib.util.find_spec(name) is None:
            print(f"    {name}: not installed here")
            continue
        with contextlib.redirect_stdout(io.StringIO()):
            (spent,) = best(1, lambda contender=contender: contender(cut))
        found[name] = (spent, ours)
        print(f"    {name}: {spent / ours:.1f} times ours over {PEER_PAGES} pages")
    return found


def _pdfplumber(data: bytes) -> None:
    import pdfplumber

    with pdfplumber.open(io.BytesIO(data)) as document:
        for page in document.pages:
            page.extract_text()


def _pymupdf4llm(data: bytes) -> None:
    import pymupdf4llm

    pymupdf4llm.to_markdown(pymupdf.open(stream=data, filetype="pdf"))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    default = Path(os.environ.get("PINCITE_SHARED_DATA", "../shared/data")) / "manuals"
    arguments.add_argument("folder", nargs="?", type=Path, default=default)
    arguments.add_argument("--rounds", type=int, default=4)
    arguments.add_argument("--peers", action="store_true")
    options = arguments.parse_args()
    files = sorted(path for path in options.folder.rglob("*.pdf") if path.parent.name != "bad")
    if not files:
        print(f"no PDFs in {options.folder}: nothing measured")
        return
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    anchors = ours = 0.0
    totals: dict[str, list[float]] = {}
    for path in files:
        data = path.read_bytes()
        contenders = (lambda data=data: extract_dict(data), lambda path=path, data=data: to_passages(path, data))
        anchor, mine = best(options.rounds, *contenders)
        anchors, ours = anchors + anchor, ours + mine
        started = time.perf_counter()
        build(parse(source_of(path, data), data))
        clock = time.perf_counter() - started
        print(f"{path.name}: {mine / anchor:.2f} times dict extraction ({anchor * 1000:.0f} ms); by the clock {clock:.2f} s")
        for name, spent in (peers(path, data) if options.peers else {}).items():
            totals[name] = [total + each for total, each in zip(totals.get(name, [0.0, 0.0]), spent, strict=True)]
    close_workers()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    for name, (spent, own) in totals.items():
        print(f"all files, first pages: {name} takes {spent / own:.1f} times ours")
    print(f"all files: {ours / anchors:.2f} times dict extraction (limit {LIMIT:g}); peak of the child process {peak} MB")


if __name__ == "__main__":
    main()
