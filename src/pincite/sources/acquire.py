"""Bring every pinned file into the landing folder: from there, from a mirror folder, or from the publisher.

A file gets its final name only after its bytes were verified, by atomic rename; a killed run leaves a ``.part`` file that
the next one overwrites.
"""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pincite.errors import MissingSource, SourceError, StorageFull
from pincite.model import Source
from pincite.sources import download
from pincite.sources.verify import CHUNK, check_bytes, verify_file

Opener = Callable[[Source], Generator[bytes, None, None]]


class Acquired(NamedTuple):
    """What was, or would be, done for one source. ``origin`` is the folder or address it comes from."""

    source: Source
    action: str  # present, copied, downloaded; with --check: present, copy, download
    origin: str


def plan(sources: Iterable[Source], folder: Path, mirror: Path | None) -> list[Acquired]:
    """What ``acquire`` would do, with nothing written and no address contacted. A landed file is verified."""
    return [_decide(source, folder, mirror) for source in sources]


def acquire(
    sources: Iterable[Source],
    folder: Path,
    mirror: Path | None = None,
    opener: Opener = download.stream,
) -> list[Acquired]:
    """Bring all *sources* into *folder*; stops at the first that is not what the manifest pins."""
    return [_bring(decision, folder, mirror, opener) for decision in plan(sources, folder, mirror)]


def _decide(source: Source, folder: Path, mirror: Path | None) -> Acquired:
    landed = folder / source.path
    if landed.exists():
        verify_file(source, folder)
        return Acquired(source, "present", str(landed))
    if mirror is not None and (mirror / source.path).is_file():
        return Acquired(source, "copy", str(mirror / source.path))
    if mirror is not None and not mirror.is_dir():
        raise MissingSource("the mirror folder does not exist", where=str(mirror), next="correct PINCITE_MIRROR or unset it")
    return Acquired(source, "download", source.uri)


def _bring(decision: Acquired, folder: Path, mirror: Path | None, opener: Opener) -> Acquired:
    source = decision.source
    if decision.action == "present":
        return decision
    if decision.action == "copy":
        assert mirror is not None
        land(source, _read_pieces(mirror / source.path), folder / source.path, decision.origin)
        return decision._replace(action="copied")
    land(source, opener(source), folder / source.path, decision.origin)
    return decision._replace(action="downloaded")


def land(source: Source, pieces: Generator[bytes, None, None], target: Path, origin: str) -> None:
    """Write *pieces* beside *target*, verify them against the pin, then rename; nothing half-written keeps the name."""
    with whole_file(target) as stream, closing(pieces):
        hasher, size = hashlib.sha256(), 0
        for piece in pieces:
            stream.write(piece)
            hasher.update(piece)
            size += len(piece)
        check_bytes(source, hasher.hexdigest(), size, origin)


@contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """A stream beside *target* that takes its name when all was written; after an error *target* is as it was.

    An ``OSError`` within becomes one of ours.
    """
    part = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, part = tempfile.mkstemp(dir=target.parent, prefix=".pincite-", suffix=".part")
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(part, 0o644)
        os.replace(part, target)
    except OSError as error:
        raise storage_error(error, target) from error
    finally:
        if part:
            with suppress(FileNotFoundError):
                os.unlink(part)


def replace(target: Path, data: bytes) -> None:
    """Give *target* these bytes, all or none."""
    with whole_file(target) as stream:
        stream.write(data)


def storage_error(error: OSError, target: Path) -> SourceError | StorageFull:
    """An ``OSError`` of writing *target* as one of ours."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFull("no space is left", where=str(target.parent), next="free some space and run again: nothing was lost")
    return SourceError(f"the file cannot be written ({error.strerror})", where=str(target), next="check the folder's rights")


def _read_pieces(path: Path) -> Generator[bytes, None, None]:
    with path.open("rb") as stream:
        while piece := stream.read(CHUNK):
            yield piece
