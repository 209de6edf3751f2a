"""What discovery remembers of a folder: one JSON line a document, replaced as a whole or not at all."""

from __future__ import annotations

import json
from array import array
from base64 import b64decode, b64encode
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pincite import __version__
from pincite.errors import SourceError
from pincite.sources.acquire import replace
from pincite.sources.classify import Class
from pincite.sources.identity import Remembered

FORMAT = 1
_FIELDS = ("id", "path", "sha256", "media_type", "format", "trouble", "reason", "title", "explicit", "lines")


class Record(NamedTuple):
    """One document: where it was, what it was, and what it may be recognised by."""

    document_id: str
    path: str
    sha256: str
    media_type: str
    format: str
    trouble: str
    reason: str
    title: str
    explicit: str
    sketch: tuple[int, ...]
    gone: bool = False

    @property
    def kind(self) -> Class:
        """Its class when it was read."""
        return Class(*self[3:7])

    @property
    def remembered(self) -> Remembered:
        """What identity needs of it."""
        return Remembered(self.document_id, self.path, self.sha256, self.sketch, self.gone)


class Catalogue(NamedTuple):
    """All documents a folder has or had. *version* is of the Pincite that classified them."""

    records: tuple[Record, ...] = ()
    version: str = __version__

    def by_hash(self) -> dict[str, Record]:
        """What is known of bytes, if this version of Pincite looked at them and could read them."""
        if self.version != __version__:
            return {}
        return {record.sha256: record for record in self.records if record.sha256 and not record.trouble}

    def followed_by(self, records: Sequence[Record]) -> Catalogue:
        """The catalogue after another discovery: what is not there any more stays, so that its id is not given away."""
        here = {record.document_id for record in records}
        gone = [record._replace(gone=True) for record in self.records if record.document_id not in here]
        return Catalogue((*records, *gone))


def load(path: Path) -> Catalogue:
    """The catalogue at *path*, empty where there is none. ``SourceError`` where it is damaged: ids must not be guessed."""
    try:
        with path.open(encoding="ascii") as file:
            head = json.loads(next(file))
            if head["catalogue"] != FORMAT:
                raise ValueError(f"format {head['catalogue']}")
            return Catalogue(tuple(_record(json.loads(line)) for line in file), head["version"])
    except FileNotFoundError:
        return Catalogue()
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise SourceError(
            f"the catalogue of document ids cannot be read ({error})",
            where=str(path),
            next="restore it, or remove it: moved files then get new ids",
        ) from error


def save(path: Path, catalogue: Catalogue) -> bool:
    """Write the catalogue beside *path* and rename it; False, and nothing written, where it says the same already."""
    lines = [json.dumps({"catalogue": FORMAT, "version": catalogue.version}), *map(_line, catalogue.records)]
    data = ("\n".join(lines) + "\n").encode("ascii")
    with suppress(OSError):
        if path.stat().st_size == len(data) and path.read_bytes() == data:
            return False
    replace(path, data)
    return True


def _line(record: Record) -> str:
    values: dict[str, Any] = {name: value for name, value in zip(_FIELDS, record) if value}
    if record.sketch:
        values["lines"] = b64encode(array("I", record.sketch).tobytes()).decode()
    if record.gone:
        values["gone"] = True
    return json.dumps(values)


def _record(values: dict[str, Any]) -> Record:
    known = {field: values.get(name, "") for field, name in zip(Record._fields, _FIELDS)}
    return Record(**known | {"sketch": tuple(array("I", b64decode(known["sketch"]))), "gone": values.get("gone", False)})
