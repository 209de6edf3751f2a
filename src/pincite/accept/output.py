"""The directory of a run: new, ours alone, and written only once the parser has ended."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from pincite.errors import CheckFailed, UsageError


class Output:
    """A directory that did not exist before. Raises ``UsageError`` where it does."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            raise UsageError(
                "the output directory exists", where=str(path), next="name a new one: no run is overwritten"
            ) from None
        self._open()

    def _open(self) -> None:
        # kept open, so that the number of a directory that was removed is not given to what replaces it
        self._held = os.open(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        self._identity = self._seen()

    def _seen(self) -> tuple[int, int]:
        found = os.lstat(self.path)
        return found.st_dev, found.st_ino

    def intruders(self) -> list[str]:
        """What was put here, or done to the directory, since it was made; it is taken away.

        Raises ``CheckFailed`` where something else stands in the directory's place: nothing is written through that.
        """
        if not os.path.lexists(self.path):
            self.path.mkdir(parents=True)
            os.close(self._held)
            self._open()
            return ["the output directory was removed during the run"]
        if self._seen() != self._identity:
            raise CheckFailed(
                "the output directory was replaced during the run, which is void",
                where=str(self.path),
                next="look at the parser",
            )
        found = sorted(self.path.iterdir())
        for each in found:
            if each.is_dir() and not each.is_symlink():
                shutil.rmtree(each)
            else:
                each.unlink()
        return [f"{each.name} was put into the output directory during the run" for each in found]

    def write(self, name: str, text: str) -> None:
        """A new file. What already stands there, a link included, is never written through."""
        file = os.open(self.path / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o644)
        with open(file, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)

    def close(self) -> None:
        """Let go of the directory."""
        os.close(self._held)
