"""The pages a shown node stands on, as pictures with its words marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pincite.errors import HashMismatch, MissingSource, UsageError
from pincite.model import sha256_hex
from pincite.retrieve.show import Shown


def pages_of(shown: Shown) -> list[int]:
    """The pages of the file that hold the node's own words; none where the file has no pages."""
    return sorted({span.page for span in shown.spans}) if shown.file.lower().endswith(".pdf") else []


def write_pages(shown: Shown, raw: Path, folder: Path) -> Iterator[Path]:
    """Write a PNG of each of the node's pages into *folder*, the cited words marked; each path as it is written.

    Raises ``UsageError`` for a file without pages, ``MissingSource`` and ``HashMismatch`` where the landed file is not the one
    the tables were made of: a mark on other bytes would point at other words.
    """
    from pincite.parse.pdf import render_page

    pages = pages_of(shown)
    if not pages:
        raise UsageError(f"{shown.node_id} has no page to draw", where=shown.file, next="leave --page out")
    path = raw / shown.file
    _check(path, shown)
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w.-]+", "-", f"{shown.node_id}-{shown.document_id}").strip("-")
    for page in pages:
        written = folder / f"{name}-page-{page}.png"
        written.write_bytes(render_page(path, page, shown.spans))
        yield written


def _check(path: Path, shown: Shown) -> None:
    try:
        found = sha256_hex(path.read_bytes())
    except OSError as error:
        raise MissingSource(
            f"the file is not here ({error.strerror})", where=str(path), next="name the landing folder with --raw"
        ) from None
    if found != shown.source_sha256:
        raise HashMismatch(f"the file has sha256 {found}, the tables were made of {shown.source_sha256}", where=str(path))
