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
import gc
import importlib.util
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


def peers(path: Path, data: bytes) -> None:
    """pdfplumber and pymupdf4llm over the first pages, as ratios to the anchor over the same pages."""
    (anchor,) = best(3, lambda: extract_dict(data, PEER_PAGES))
    for name, contender in (("pdfplumber", _pdfplumber), ("pymupdf4llm", _pymupdf4llm)):
        if importlib.util.find_spec(name) is None:
            print(f"    {name}: not installed here")
            continue
        (spent,) = best(1, lambda contender=contender: contender(path))
        print(f"    {name}: {spent / anchor:.1f} times the anchor over {PEER_PAGES} pages")


def _pdfplumber(path: Path) -> None:
    import pdfplumber

    with pdfplumber.open(path) as document:
        for page in document.pages[:PEER_PAGES]:
            page.extract_text()


def _pymupdf4llm(path: Path) -> None:
    import pymupdf4llm

    pymupdf4llm.to_markdown(str(path), pages=list(range(PEER_PAGES)))


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
    for path in files:
        data = path.read_bytes()
        contenders = (lambda data=data: extract_dict(data), lambda path=path, data=data: to_passages(path, data))
        anchor, mine = best(options.rounds, *contenders)
        anchors, ours = anchors + anchor, ours + mine
        started = time.perf_counter()
        build(parse(source_of(path, data), data))
        clock = time.perf_counter() - started
        print(f"{path.name}: {mine / anchor:.2f} times dict extraction ({anchor * 1000:.0f} ms); by the clock {clock:.2f} s")
        if options.peers:
            peers(path, data)
    close_workers()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"all files: {ours / anchors:.2f} times dict extraction (limit {LIMIT:g}); peak of the child process {peak} MB")


if __name__ == "__main__":
    main()
