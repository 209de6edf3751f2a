"""Paths that others give us: only those that stay inside the landing folder, on any system, are used."""

from __future__ import annotations

from pathlib import PurePosixPath

_LONGEST, _LONGEST_NAME = 1000, 255


def unsafe(path: str) -> str:
    r"""Why *path* cannot be landed, "" where it can.

    >>> unsafe("policies/über uns.md"), unsafe("../etc/passwd"), unsafe("C:\\x")
    ('', 'its path climbs out of the folder', 'its path names a drive or uses backslashes')
    """
    parts = path.split("/")
    if not path or path.startswith(("/", "~")):
        return "its path is not relative"
    if ".." in parts or PurePosixPath(path).is_absolute():
        return "its path climbs out of the folder"
    if "\0" in path or "\\" in path or (len(path) > 1 and path[1] == ":"):
        return "its path names a drive or uses backslashes" if "\0" not in path else "its name holds a null character"
    if "" in parts or "." in parts:
        return "its path has an empty step"
    if len(path.encode("utf-8", "surrogateescape")) > _LONGEST or any(
        len(p.encode("utf-8", "replace")) > _LONGEST_NAME for p in parts
    ):
        return "its path is too long for a file system"
    return ""
