"""Every entry below a folder, in the order of names. Symbolic links are never followed; what is no file is told, not opened."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pincite.errors import MissingSource


class Entry(NamedTuple):
    """One entry. ``trouble`` is "" for a file that can be tried: excluded, link, special, unreadable or name otherwise."""

    path: str  # relative, with "/"
    size: int
    trouble: str = ""
    reason: str = ""


_SPECIAL = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)


def walk(folder: Path, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Iterator[Entry]:
    """The entries below *folder*. *include* and *exclude* are patterns as :func:`matches` reads them.

    An excluded folder is one entry and is not entered. Raises ``MissingSource`` where *folder* is no folder.
    """
    try:
        names = sorted(os.scandir(folder), key=_order, reverse=True)
    except OSError as error:
        said = "there is no such folder" if isinstance(error, FileNotFoundError) else f"it cannot be listed ({error.strerror})"
        raise MissingSource(said, where=str(folder), next="name a folder that can be read") from None
    waiting = [("", entry) for entry in names]
    while waiting:
        above, entry = waiting.pop()
        path = above + entry.name
        found = _look(path, entry, folder, include, exclude)
        if found is not None:
            yield found
            continue
        try:
            waiting += [(f"{path}/", each) for each in sorted(os.scandir(entry.path), key=_order, reverse=True)]
        except OSError as error:
            yield Entry(path, 0, "unreadable", f"the folder cannot be listed ({error.strerror})")


def _order(entry: os.DirEntry[str]) -> bytes:
    return os.fsencode(entry.name)


def _look(path: str, entry: os.DirEntry[str], folder: Path, include: Sequence[str], exclude: Sequence[str]) -> Entry | None:
    """What an entry is; None for a folder to be entered."""
    try:
        is_folder = entry.is_dir(follow_symlinks=False)
        if pattern := matches(path, exclude):
            return Entry(path, 0, "excluded", f"the pattern {pattern!r} excludes {'the folder' if is_folder else 'it'}")
        if is_folder:
            return None
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        return Entry(path, 0, "unreadable", f"it cannot be looked at ({error.strerror})")
    if include and not matches(path, include):
        return Entry(path, status.st_size, "excluded", "no pattern includes it")
    if stat.S_ISLNK(status.st_mode):
        return Entry(path, 0, "link", _destination(entry.path, folder))
    for is_kind, name in _SPECIAL:
        if is_kind(status.st_mode):
            return Entry(path, 0, "special", f"it is {name}, not a file")
    if not _is_text(path):
        return Entry(path, status.st_size, "name", "its name is not in UTF-8: rename it")
    return Entry(path, status.st_size)


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _destination(link: str, folder: Path) -> str:
    """Where a link leads, without opening anything there."""
    try:
        target = Path(os.path.realpath(link))
        inside, there = target.is_relative_to(folder.resolve()), target.exists()
    except (OSError, RuntimeError):
        return "it is a symbolic link that leads nowhere"
    if not inside:
        return "it is a symbolic link out of the folder, which is never followed"
    return "it is a symbolic link to an entry of this folder" if there else "it is a symbolic link that leads nowhere"


# --- patterns ------------------------------------------------------------------------------------------------------------


def matches(path: str, patterns: Iterable[str]) -> str:
    """The first of *patterns* that fits *path*, "" where none does.

    ``*`` and ``?`` stay within a name, ``**`` crosses folders. A pattern without ``/`` fits a name at any depth.

    >>> matches("a/b/notes.md", ["*.md"]), matches("a/b/notes.md", ["a/*.md"]), matches("a/b/notes.md", ["a/**/*.md"])
    ('*.md', '', 'a/**/*.md')
    """
    for pattern in patterns:
        if _compiled(pattern).fullmatch(path):
            return pattern
    return ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    wanted = pattern.strip("/")
    tokens = re.findall(r"\*\*/|\*\*|\*|\?|\[!?[^\]]+\]|.", wanted, re.DOTALL)
    pieces = [_TOKENS.get(each) or (each.replace("[!", "[^") if len(each) > 2 else re.escape(each)) for each in tokens]
    return re.compile(("" if "/" in wanted else "(?:.*/)?") + "".join(pieces), re.DOTALL)


_TOKENS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
