"""Land what a connector offers in a folder: only what changed is read, nothing half-written keeps a name, nothing is lost.

``.pincite-landed.json`` in the folder remembers the version of each file. A file that is gone from its source goes from the
folder only when the listing was read to its end; a file that could not be read this time keeps the copy it had.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pincite.errors import SourceError, UsageError
from pincite.model import sha256_hex
from pincite.ports import Entry, Refusal, SourceConnector
from pincite.sources.acquire import replace

LANDED = ".pincite-landed.json"
LARGEST = 1 << 28


class Known(NamedTuple):
    """What is remembered of a landed file."""

    version: str
    sha256: str
    size: int


class Brought(NamedTuple):
    """What was, or would be, done with one file, and why."""

    path: str
    action: str  # new, changed, unchanged, removed, refused, failed
    reason: str = ""
    sha256: str = ""


def bring(connector: SourceConnector, folder: Path, *, largest: int = LARGEST, dry_run: bool = False) -> list[Brought]:
    """Make *folder* hold what *connector* offers; with *dry_run* only say what would be done, by the listing alone.

    Raises ``SourceError`` where the place cannot be listed: then nothing is changed.
    """
    known = remembered(folder)
    offered: list[Entry | Refusal] = list(connector.entries())
    if not dry_run:
        remember(folder, _under_way(offered) | known)  # a run that is killed leaves no files that nobody remembers
    done = [_one(connector, each, folder, known, largest, dry_run) for each in offered]
    paths = {each.path for each in offered}
    gone = [Brought(path, "removed", "it is no longer in the source") for path in known if path not in paths]
    if not dry_run:
        _remove(gone, folder, known)
        remember(folder, {path: each for path, each in known.items() if each.size >= 0})
    return [*done, *gone]


def _under_way(offered: Iterable[Entry | Refusal]) -> dict[str, Known]:
    """What is remembered of files before they are landed: nothing that a copy could be taken for."""
    return {each.path: Known("", "", -1) for each in offered if isinstance(each, Entry)}


def _one(
    connector: SourceConnector, offered: Entry | Refusal, folder: Path, known: dict[str, Known], largest: int, dry_run: bool
) -> Brought:
    if isinstance(offered, Refusal):
        return Brought(offered.path, "refused", offered.reason)
    if offered.path == LANDED:
        return Brought(offered.path, "refused", "this name is kept for the landing folder's own memory")
    before = _still_there(known.get(offered.path), folder / offered.path)
    if before and before.version and before.version == offered.version:
        return Brought(offered.path, "unchanged", "the source names the same version", before.sha256)
    if dry_run:
        action = "changed" if before else "new"
        return Brought(offered.path, action, "by the listing" if offered.version else "the listing names no version")
    try:
        return _read(connector, offered, folder, known, before, largest)
    except SourceError as error:
        return Brought(offered.path, "failed", str(error), before.sha256 if before else "")


def _read(
    connector: SourceConnector, entry: Entry, folder: Path, known: dict[str, Known], before: Known | None, largest: int
) -> Brought:
    if entry.size is not None and entry.size > largest:
        raise SourceError(f"the file is larger than the {largest} bytes allowed", where=entry.path, next="raise the limit")
    fetched = connector.fetch(entry.path, before.version if before else "", largest)
    if fetched is None and before:
        return Brought(entry.path, "unchanged", "the source says so", before.sha256)
    if fetched is None:
        raise SourceError("the source says that nothing changed, but there is nothing here", where=entry.path)
    sha256 = sha256_hex(fetched.data)
    known[entry.path] = Known(fetched.version or entry.version, sha256, len(fetched.data))
    if before and before.sha256 == sha256:
        return Brought(entry.path, "unchanged", "another version with the same bytes", sha256)
    replace(folder / entry.path, fetched.data)
    return Brought(entry.path, "changed" if before else "new", "", sha256)


def _still_there(known: Known | None, path: Path) -> Known | None:
    """What is remembered, if the copy is still of that size; a copy that somebody changed is brought again."""
    try:
        return known if known and path.stat().st_size == known.size else None
    except OSError:
        return None


def _remove(gone: Iterable[Brought], folder: Path, known: dict[str, Known]) -> None:
    for each in gone:
        with suppress(FileNotFoundError):
            (folder / each.path).unlink()
        known.pop(each.path)


def remembered(folder: Path) -> dict[str, Known]:
    """Path -> what was landed; empty for a folder nothing was brought to. ``UsageError`` for one that holds other files."""
    memory = folder / LANDED
    if memory.exists():
        try:
            return {path: Known(*values) for path, values in json.loads(memory.read_text(encoding="utf-8")).items()}
        except (ValueError, TypeError, AttributeError) as error:
            raise UsageError(
                "the landing folder's memory is damaged", where=str(memory), next="delete it and bring again"
            ) from error
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(
            "the folder holds files that were not brought here", where=str(folder), next="name an empty or new one"
        )
    return {}


def remember(folder: Path, known: dict[str, Known]) -> None:
    """Write the memory, whole or not at all; nothing is written where nothing changed."""
    text = json.dumps({path: list(known[path]) for path in sorted(known)}, indent=0)
    memory = folder / LANDED
    if not memory.exists() or memory.read_text(encoding="utf-8") != text:
        replace(memory, text.encode())
