"""One run per scope and folder: an advisory file lock that the operating system drops when its process ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pincite.errors import ScopeBusy
from pincite.model import Scope, digest
from pincite.scope import checked_scope


@contextmanager
def scope_lock(location: Path | str, scope: Scope) -> Iterator[None]:
    """Hold *scope* in the folder *location*; ``ScopeBusy`` at once where another process or thread holds it."""
    import fcntl

    folder = Path(location) / "_locks"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{digest(*checked_scope(scope))}.lock").open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ScopeBusy(
                f"another run is writing project {scope.project!r}, collection {scope.collection!r}",
                where=str(location),
                next="wait until it has ended, then run again",
            ) from None
        yield
