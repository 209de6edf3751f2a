"""The census of a folder: which files, which of them anew, each in a limited child process."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import cache
from importlib.metadata import version as installed
from pathlib import Path
from typing import NamedTuple

from pincite.census import store
from pincite.census.count import Row, count_file, failed
from pincite.errors import PinciteError, SourceError, UsageError
from pincite.parse.limits import run_limited
from pincite.sources.verify import sha256_of

SUFFIXES = (".pdf", ".xml")
DECIDING = ("parse", "passages", "references", "census/count.py", "model.py")
"""Rooms and modules that decide a row."""
SAVE_SECONDS = 5.0


class Limits(NamedTuple):
    """What one document may take."""

    seconds: float = 60.0
    megabytes: int = 400


class Census(NamedTuple):
    """All rows, in the order of their paths; how many were taken over from before; the files of other kinds."""

    rows: tuple[Row, ...]
    kept: int
    other: tuple[str, ...]


def take(folder: Path, output: Path, workers: int = 2, limits: Limits = Limits()) -> Census:  # noqa: B008 - immutable
    """Count every PDF and XML file under *folder*, and keep ``documents.parquet`` in *output* current on the way.

    A file with the bytes of an earlier row of the same version is not read again, unless it failed past a limit.
    ``UsageError`` where there is nothing to count.
    """
    paths, other = files(folder)
    known = {row.sha256: row for row in store.read(output) if row.version == version() and row.failure != "TooExpensive"}
    rows: list[Row] = []
    fresh = 0
    saved = time.monotonic()
    for row, again in _rows(folder, paths, known, workers, limits):
        rows.append(row)
        fresh += again
        if again and time.monotonic() - saved > SAVE_SECONDS:
            store.write(sorted([*rows, *_unseen(rows, known)]), output)
            saved = time.monotonic()
    rows.sort()
    store.write(rows, output)
    return Census(tuple(rows), len(rows) - fresh, other)


def _unseen(rows: Sequence[Row], known: dict[str, Row]) -> list[Row]:
    """Earlier rows not reached yet: a census that is killed now must not forget them."""
    seen = {row.sha256 for row in rows}
    return [row for sha256, row in known.items() if sha256 not in seen]


def files(folder: Path) -> tuple[list[str], tuple[str, ...]]:
    """Relative paths of the files to count, sorted, and of those of other kinds."""
    if not folder.is_dir():
        raise UsageError("there is no such folder", where=str(folder), next="name a folder of PDF or XML files")
    every = sorted(
        os.path.relpath(os.path.join(root, name), folder) for root, _, names in os.walk(folder) for name in sorted(names)
    )
    wanted = [path for path in every if path.lower().endswith(SUFFIXES) and not _is_device(folder / path)]
    if not wanted:
        raise UsageError("the folder holds no PDF or XML file", where=str(folder), next="name a folder of documents")
    return wanted, tuple(sorted(set(every) - set(wanted)))


def _is_device(path: Path) -> bool:
    """Whether reading it could wait for ever: a pipe, a socket. A link that leads nowhere is a file that fails."""
    return path.exists() and not path.is_file()


@cache
def version() -> str:
    """Of all code and data that decide a row, and of the PDF reader: another parser reads every document again."""
    root = Path(__file__).resolve().parents[1]
    found: list[Path] = []
    for name in DECIDING:
        found += sorted((root / name).rglob("*")) if (root / name).is_dir() else [root / name]
    hasher = hashlib.sha256()
    for path in found:
        if path.suffix in (".py", ".yml", ".txt"):
            hasher.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return f"{hasher.hexdigest()[:16]} pymupdf {installed('pymupdf')}"


def _rows(
    folder: Path, paths: Sequence[str], known: dict[str, Row], workers: int, limits: Limits
) -> Iterator[tuple[Row, bool]]:
    """Each row as it is done, and whether it was counted now. Only a few documents are under way at a time."""
    waiting: set[Future[tuple[Row, bool]]] = set()
    with ThreadPoolExecutor(max(1, workers)) as pool:
        for path in paths:
            waiting.add(pool.submit(_row, str(folder), path, known, limits))
            if len(waiting) > 2 * workers:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in done)
        yield from (each.result() for each in waiting)


def _row(folder: str, path: str, known: dict[str, Row], limits: Limits) -> tuple[Row, bool]:
    """The row of one file; a failure is a row as well."""
    started = time.perf_counter()
    sha256, size = "", 0
    try:
        sha256, size = _hashed(folder, path)
        if sha256 in known:
            return known[sha256]._replace(path=printable(path)), False
        row = run_limited(count_file, (folder, path, version()), limits.seconds, limits.megabytes)
    except PinciteError as error:
        row = failed(path, sha256, version(), size, error, round(time.perf_counter() - started, 4))
    return row._replace(path=printable(path), sentence=printable(row.sentence)), True


def printable(name: str) -> str:
    """A file's name as text: bytes that are none stand in it escaped, so that it can be stored and printed."""
    return name.encode("utf-8", "backslashreplace").decode()


def _hashed(folder: str, path: str) -> tuple[str, int]:
    """SHA-256 and size, read in pieces: a file larger than the memory fails in its child, not here."""
    try:
        with open(Path(folder) / path, "rb") as stream:
            return sha256_of(stream)
    except OSError as error:
        raise SourceError(f"the file cannot be read ({error.strerror})", where=path, next="see its permissions") from None
