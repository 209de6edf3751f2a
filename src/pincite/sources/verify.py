"""Whether a landed file is exactly the pinned one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from pincite.errors import HashMismatch, MissingSource, SourceError
from pincite.model import Source

CHUNK = 1 << 20


def sha256_of(stream: BinaryIO) -> tuple[str, int]:
    """SHA-256 and number of bytes of a stream, read once in pieces."""
    hasher, size = hashlib.sha256(), 0
    while piece := stream.read(CHUNK):
        hasher.update(piece)
        size += len(piece)
    return hasher.hexdigest(), size


def check_bytes(source: Source, sha256: str, size: int, where: str) -> None:
    """``HashMismatch`` where the bytes at *where* are not those the manifest pins."""
    if (sha256, size) == (source.source_sha256, source.source_bytes):
        return
    raise HashMismatch(
        f"{source.document_id} has sha256 {sha256} ({size} bytes) but the manifest pins {source.source_sha256} "
        f"({source.source_bytes} bytes)",
        where=where,
        next="remove the file to fetch it again, or run 'pincite lock' if the publisher's text was meant to change",
    )


def verify_file(source: Source, folder: Path) -> None:
    """Check one landed file; raises ``MissingSource`` or ``HashMismatch``."""
    path = folder / source.path
    try:
        with path.open("rb") as stream:
            sha256, size = sha256_of(stream)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise MissingSource(
            f"{source.document_id} is not here", where=str(path), next="run 'pincite acquire' to bring it"
        ) from error
    except OSError as error:
        raise MissingSource(f"{source.document_id} cannot be read ({error.strerror})", where=str(path)) from error
    check_bytes(source, sha256, size, str(path))


def problems(sources: Iterable[Source], folder: Path) -> list[SourceError]:
    """Every fault of every file; empty where all is as pinned."""
    found: list[SourceError] = []
    for source in sources:
        try:
            verify_file(source, folder)
        except SourceError as error:
            found.append(error)
    return found


def read_verified(source: Source, folder: Path) -> bytes:
    """The bytes of one landed file, checked as they are read, so that what is parsed is what was verified.

    Raises ``MissingSource``, or ``HashMismatch`` where it changed since it was verified or discovered.
    """
    path = folder / source.path
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MissingSource(
            f"{source.document_id} is not here ({error.strerror})", where=str(path), next="run 'pincite acquire' to bring it"
        ) from error
    found = hashlib.sha256(data).hexdigest()
    if found != source.source_sha256:
        raise HashMismatch(
            f"{source.document_id} changed while it was read: it has sha256 {found} ({len(data)} bytes), it had "
            f"{source.source_sha256} ({source.source_bytes} bytes) when it was looked at",
            where=str(path),
            next="run again when it is at rest",
        )
    return data
