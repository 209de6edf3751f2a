"""Record the bytes of a new as-of date in a manifest: trust on first use, then pinned."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import NamedTuple

from pincite.errors import UsageError
from pincite.model import Source, sha256_hex
from pincite.sources import download
from pincite.sources.manifest import Manifest, load

AS_OF = re.compile(r"\d{4}-\d{2}-\d{2}")


class Pin(NamedTuple):
    """What one document's bytes were pinned to, and what they are now."""

    source: Source
    uri: str
    old_sha256: str
    new_sha256: str
    new_bytes: int
    data: bytes

    @property
    def changed(self) -> bool:
        return self.old_sha256 != self.new_sha256


Reader = Callable[[Source, str], bytes]


def published(source: Source, uri: str) -> bytes:
    """The bytes the publisher serves at *uri* now."""
    return download.fetch(uri, download.LARGEST)


def from_folder(folder: Path) -> Reader:
    """Read each source from *folder* instead of from the publisher."""

    def read(source: Source, uri: str) -> bytes:
        try:
            return (folder / source.path).read_bytes()
        except OSError as error:
            raise UsageError(
                f"{source.document_id} cannot be read ({error.strerror})",
                where=str(folder / source.path),
                next="put the new file there, or leave out --from",
            ) from error

    return read


def look(manifest: Manifest, as_of: str, reader: Reader = published) -> list[Pin]:
    """What the manifest's files are at *as_of* (YYYY-MM-DD). Nothing is written."""
    if not AS_OF.fullmatch(as_of) or not _is_date(as_of):
        raise UsageError(f"as-of date {as_of!r} is not YYYY-MM-DD", next="give a date such as 2026-07-29")
    pins = []
    for source in manifest.sources:
        uri = source.uri.replace(manifest.corpus_version, as_of)
        data = reader(source, uri)
        pins.append(Pin(source, uri, source.source_sha256, sha256_hex(data), len(data), data))
    return pins


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def write(manifest: Manifest, as_of: str, pins: list[Pin]) -> None:
    """Put the new date, sizes and hashes into the manifest, keeping its comments and layout."""
    text = manifest.path.read_text(encoding="utf-8")
    text, found = re.subn(r"(?m)^(as_of:\s*).*$", rf"\g<1>{as_of}", text, count=1)
    if not found:
        raise UsageError("no line 'as_of:' to change", where=str(manifest.path), next="write it on a line of its own")
    for pin in pins:
        text = _with_pin(text, pin, manifest.path)
    part = manifest.path.with_suffix(".yml.part")
    part.write_text(text, encoding="utf-8")
    written = load(part)
    if [(s.source_sha256, s.source_bytes) for s in written.sources] != [(p.new_sha256, p.new_bytes) for p in pins]:
        part.unlink()
        raise UsageError(
            "the manifest's layout is not one that can be edited line by line",
            where=str(manifest.path),
            next="write each document's fields on lines of their own",
        )
    part.replace(manifest.path)


def _with_pin(text: str, pin: Pin, path: Path) -> str:
    entry = re.compile(rf"(?ms)^\s*-\s+id:\s*['\"]?{re.escape(pin.source.document_id)}['\"]?\s*$.*?(?=^\s*-\s+id:|\Z)")
    match = entry.search(text)
    if match is None:
        raise UsageError(
            f"document {pin.source.document_id!r} does not begin with a line '- id:'",
            where=str(path),
            next="write each document's fields on lines of their own",
        )
    block = re.sub(r"(?m)^(\s*bytes:\s*).*$", rf"\g<1>{pin.new_bytes}", match.group(), count=1)
    block = re.sub(r"(?m)^(\s*sha256:\s*).*$", rf"\g<1>{pin.new_sha256}", block, count=1)
    return text[: match.start()] + block + text[match.end() :]
