"""The corpora of a run: pinned by a manifest of ``conf/corpora``, or a folder of the landing volume as it is.

What a run has seen of a folder is written down, beside the document ids, in the volume's folder ``_pincite``: the tasks that
follow act on that, whatever is landed meanwhile. A dry run writes nothing, so each of its tasks looks for itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pincite.databricks.parameters import Parameters
from pincite.errors import SourceError, UsageError
from pincite.model import Scope
from pincite.sources import catalogue, folder
from pincite.sources.acquire import replace
from pincite.sources.discover import Found
from pincite.sources.manifest import Manifest, load

STATE = "_pincite"  # in the landing volume: what is remembered of folders
READERS = 8  # files read at once; the time is the network's


class Corpus(NamedTuple):
    """One corpus: where its files lie, and what a run makes of them. ``config`` is of a folder, None for a pinned one."""

    name: str
    manifest: Manifest
    landing: Path  # what the sources' paths are relative to
    config: folder.Config | None = None
    brought: Mapping[str, int] = {}  # what was, or would be, done with the files of its source
    absent: tuple[tuple[str, str], ...] = ()  # (path, reason) of what could not be brought this time

    @property
    def scope(self) -> Scope:
        """Whose rows these are."""
        return self.manifest.scope


def corpora(parameters: Parameters, look: str = "never") -> list[Corpus]:
    """The corpora of this run. *look* into a folder: "always", "once" a run, or "never", which gives what was last seen of it.

    ``UsageError`` for a name that is none, and where two corpora share a scope.
    """
    owners: dict[Scope, Corpus] = {}
    found = [_corpus(parameters, name, look) for name in parameters.corpora]
    for corpus in found:
        other = owners.setdefault(corpus.scope, corpus)
        if other is not corpus:
            raise UsageError(
                f"the scope {'/'.join(corpus.scope)} is also that of {other.manifest.path.name}: each would delete the other's "
                "rows",
                where=str(corpus.manifest.path),
                next="give each corpus its own scope",
            )
    return found


def _corpus(parameters: Parameters, name: str, look: str) -> Corpus:
    config = _config(parameters, name)
    if config is None:
        return Corpus(name, load(_file(parameters, name)), Path(parameters.landing))
    seen = None if look == "always" else _Seen.read(_memory(parameters, name, "seen"))
    if look != "never" and (seen is None or seen.run_id != parameters.run_id):
        return _look(parameters, name, config)
    if seen is None:
        return Corpus(name, _manifest(config, []), config.folder, config)
    absent = seen.absent if seen.run_id == parameters.run_id else ()
    return Corpus(name, _manifest(config, seen.found), config.folder, config, absent=absent)


def _file(parameters: Parameters, name: str) -> Path:
    return Path(parameters.conf) / "corpora" / f"{name}.yml"


def _memory(parameters: Parameters, name: str, kind: str) -> Path:
    return Path(parameters.landing) / STATE / "corpora" / f"{name}.{kind}.jsonl"


def _config(parameters: Parameters, name: str) -> folder.Config | None:
    """The configuration of a folder corpus; None for a pinned one. A folder of the volume needs none."""
    file, landing = _file(parameters, name), Path(parameters.landing)
    memory = _memory(parameters, name, "ids")
    if file.is_file():
        if not folder.is_folder_corpus(file):
            return None
        config = folder.read_config(file, landing)._replace(memory=memory)
        if landing.resolve().is_relative_to(config.folder):
            raise UsageError(
                "the folder is the whole landing volume, where the corpora's memory lies too",
                where=str(file),
                next="name a folder in it",
            )
        folder.check(config, landing / STATE)
        return config
    if not (landing / name).is_dir():
        raise UsageError(
            f"there is no corpus {name!r}: neither a file {file} nor a folder {landing / name}",
            where="job parameters, corpora",
            next="correct the name, or land the folder",
        )
    return folder.first_look(landing / name, name, file)._replace(memory=memory)


def _look(parameters: Parameters, name: str, config: folder.Config) -> Corpus:
    """Bring what the folder's source offers, look through the folder, and write down what was seen."""
    done = folder.brought(config, dry_run=parameters.dry_run)
    counts = Counter(each.action for each in done)
    absent = tuple((each.path, each.reason) for each in done if each.action == "failed")
    if parameters.dry_run and done and not config.folder.is_dir():
        return Corpus(name, _manifest(config, []), config.folder, config, counts, absent)
    found = folder.seen(config, READERS)
    if not parameters.dry_run:
        catalogue.save(config.catalogue, found.catalogue)
        _Seen(parameters.run_id, absent, found.found).write(_memory(parameters, name, "seen"))
    return Corpus(name, found.manifest, config.folder, config, counts, absent)


def _manifest(config: folder.Config, found: list[Found]) -> Manifest:
    return folder.Discovery(config, found, catalogue.Catalogue()).manifest


class _Seen(NamedTuple):
    """What a run saw of a folder: a line about the run, then one for each entry."""

    run_id: str
    absent: tuple[tuple[str, str], ...]
    found: list[Found]

    def write(self, path: Path) -> None:
        lines: list[dict[str, Any]] = [{"run_id": self.run_id, "absent": self.absent}, *(each._asdict() for each in self.found)]
        replace(path, "".join(json.dumps(line) + "\n" for line in lines).encode("ascii"))

    @classmethod
    def read(cls, path: Path) -> _Seen | None:
        """What stands at *path*; None where nobody looked yet."""
        try:
            with path.open(encoding="ascii") as file:
                head = json.loads(next(file))
                absent = tuple((each[0], each[1]) for each in head["absent"])
                return cls(str(head["run_id"]), absent, [Found(**json.loads(line)) for line in file])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
            raise SourceError(
                f"what was seen of the folder cannot be read ({error})", where=str(path), next="remove it and run again"
            ) from error
