"""What a run that did not end may have written: documents whose rows can be of two versions until they are read again.

A merge writes ``documents`` last, so a run that dies between the tables leaves rows of its own under the older document's
row. The next run sees the change and mends it; but where the change was taken back meanwhile, nothing would look changed. So
a merge notes beforehand which documents it is about to write, and forgets them at its end. Where tables live in a catalog,
the stage is that note: it is there until all is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.model import Scope
from pincite.sources.acquire import replace
from pincite.tables import layout
from pincite.tables.plan import SKIP

if TYPE_CHECKING:
    from pincite.tables.store import SparkTableStore


@contextmanager
def noted(location: str, scope: Scope, documents: Iterable[str]) -> Iterator[None]:
    """Note the *documents* that are written within; an exception or a kill leaves the note."""
    path, writing = _path(location, scope), set(documents)
    earlier = unfinished(location, scope)
    _write(path, earlier | writing)
    yield
    _write(path, earlier - writing)


def unfinished(location: str, scope: Scope) -> frozenset[str]:
    """The documents of *scope* that a run noted and did not come to the end of; of tables in a folder."""
    path = _path(location, scope)
    return frozenset(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else frozenset()


def staged(store: SparkTableStore, scope: Scope) -> frozenset[str]:
    """The documents of a stage that are not just skipped; of tables in a catalog."""
    stage = layout.stage(store.engine, store.location, scope)
    if stage is None:
        return frozenset()
    return frozenset(stage.where(f"action <> '{SKIP}'").select("document_id").toArrow().column(0).to_pylist())


def _path(location: str, scope: Scope) -> Path:
    return Path(layout.stage_path(location, scope, "writing"))


def _write(path: Path, documents: Iterable[str]) -> None:
    """Replace the note in one step; one that names nothing goes."""
    named = sorted(documents)
    if not named:
        path.unlink(missing_ok=True)
        return
    replace(path, json.dumps(named).encode())
