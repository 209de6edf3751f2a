"""Bring the index of one scope in line with its chunks, doing nothing where nothing changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import CountMismatch, IndexFault
from pincite.index import local
from pincite.index.local import LocalIndex
from pincite.ports import Embedder


class Refreshed(NamedTuple):
    """The index as it is now, whether it had to be built, and why."""

    searcher: LocalIndex
    built: bool
    reason: str


def stale(chunks: Any, folder: Path, model: str | None) -> str:
    """Why ``refresh`` would build the index of *chunks* with this model (an embedder's name) anew; "" where it would not."""
    try:
        current = local.read_current(folder)["stamp"]
    except IndexFault as fault:
        return fault.what
    return "" if current == local.stamp_of(chunks, model) else "the passages or the model changed"


def refresh(chunks: Any, folder: Path, embedder: Embedder | None, *, version: int = -1) -> Refreshed:
    """Index *chunks* (rows or an Arrow table of one scope, at the table's *version*) into *folder*.

    An index of the same rows, model and format is left as it is, to the byte. A missing, older or damaged one is replaced;
    the old one stays until the new one is whole. Raises ``CountMismatch`` where chunks and index do not agree afterwards.
    """
    stamp = local.stamp_of(chunks, embedder.name if embedder else None)
    try:
        current = local.load(folder, embedder)
        reason = "the passages or the model changed"
        if current.stamp == stamp:
            return Refreshed(current, False, "unchanged: the same passages and the same model")
    except IndexFault as fault:
        reason = fault.what
    fresh = local.build(chunks, embedder, version=version)
    fresh.save(folder)
    wanted = local.indexable(chunks)
    if fresh.count() != wanted:
        raise CountMismatch(f"the index holds {fresh.count()} passages, the chunks table {wanted}", where=str(folder))
    return Refreshed(fresh, True, reason)
