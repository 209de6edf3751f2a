"""A corpus manifest: which files make up a scope, where they are published, and the bytes they must have.

A manifest is YAML (``conf/corpora/*.yml``). Everything in it is checked when it is read, because its names become table
partitions and its paths become files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from pincite.errors import UsageError
from pincite.model import Scope, Source
from pincite.parse.formats import check_settings

if TYPE_CHECKING:
    from pincite.enrich.settings import Settings

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
SHA256 = re.compile(r"[0-9a-f]{64}")

_TOP = {"project", "collection", "title", "as_of", "documents"}
_OPTIONAL_TOP = {"gold", "enrich"}
_ENTRY = {"id", "title", "uri", "path", "media_type", "bytes", "sha256"}


class Barred(NamedTuple):
    """Why a source will not be read, found before anything is parsed: one of ``discover.TROUBLES``, and the reason."""

    kind: str
    reason: str


class Limits(NamedTuple):
    """What a child process may take for one batch of documents."""

    seconds: float = 300.0
    megabytes: int = 2000


class Manifest(NamedTuple):
    """One scope's sources. ``gold`` is the path of its question set, or None.

    The rest is for a corpus that is a folder (:mod:`pincite.sources.folder`): where it is, which entries of it cannot be
    read, what its configuration says.
    """

    path: Path
    scope: Scope
    title: str
    corpus_version: str
    sources: tuple[Source, ...]
    gold: Path | None
    folder: Path | None = None
    barred: Mapping[str, Barred] = {}  # by document id
    skip_duplicates: bool = False
    limits: Limits = Limits()
    vectors: str = "yes"  # whether passages are embedded: yes, no, or auto
    enrich: Settings | None = None  # what a model may write; nothing where not given


def load(path: Path) -> Manifest:
    """The manifest at *path*; ``UsageError`` with the place of the fault where it is not one."""
    return _manifest(path, read_yaml(path))


def read_yaml(path: Path) -> object:
    """What the YAML file at *path* holds; ``UsageError`` where it cannot be read or is not YAML."""
    if path.suffix and not {*map(str.lower, path.suffixes)} & {".yml", ".yaml", ".json"} and path.is_file():
        step = "name the folder it lies in, or read it alone with 'pincite inspect'"
        raise UsageError("it is a document, neither a folder nor a configuration", where=str(path), next=step)
    if not path.exists():
        raise UsageError("there is no such file or folder", where=str(path), next="name a folder, or a corpus' YAML file")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the manifest cannot be read ({error})", where=str(path), next="name an existing YAML file"
        ) from error
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # "2026-13-45" is a date to YAML, and none
        raise UsageError(f"the manifest is not YAML ({_told(error)})", where=str(path), next="correct its syntax") from error


def _told(error: Exception) -> str:
    """What is wrong with a YAML file, and where, without the lines that are shown around it."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    return f"{problem}, line {mark.line + 1}, column {mark.column + 1}" if mark and problem else str(error)


def check_name(name: object, what: str, where: str) -> str:
    """*name* as a project, collection or document id; ``UsageError`` for anything that could not be a folder name."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise UsageError(
            f"{what} {name!r} is not a valid name", where=where, next="use letters, digits, '.', '_' and '-', at most 100"
        )
    return name


def _manifest(path: Path, content: object) -> Manifest:
    where = str(path)
    top = checked_fields(content, _TOP, _OPTIONAL_TOP, where)
    scope = Scope(check_name(top["project"], "project", where), check_name(top["collection"], "collection", where))
    as_of = top["as_of"].isoformat() if isinstance(top["as_of"], date) else check_name(top["as_of"], "as_of", where)
    entries = top["documents"]
    if not isinstance(entries, list) or not entries:
        raise UsageError("'documents' must be a list of at least one document", where=where, next="add the corpus' files")
    sources = tuple(_source(entry, as_of, f"{where}, document {number}") for number, entry in enumerate(entries, 1))
    _refuse_repeats([source.document_id for source in sources], "document id", where)
    _refuse_repeats([source.path for source in sources], "path", where)
    gold = path.parent / str(top["gold"]) if top.get("gold") else None
    return Manifest(path, scope, str(top["title"]), as_of, sources, gold, enrich=enrichment(top.get("enrich"), where))


def enrichment(content: object, where: str) -> Settings | None:
    """The ``enrich:`` of a manifest or a configuration; None where there is none."""
    if not content:
        return None
    from pincite.enrich.settings import settings_of

    return settings_of(content, where)


def checked_fields(content: object, needed: set[str], optional: set[str], where: str) -> Mapping[str, Any]:
    if not isinstance(content, Mapping):
        raise UsageError("a mapping was expected", where=where, next=f"give it the fields {', '.join(sorted(needed))}")
    missing, unknown = needed - content.keys(), content.keys() - needed - optional
    if missing or unknown:
        faults = [f"missing {', '.join(sorted(missing))}"] if missing else []
        faults += [f"unknown {', '.join(sorted(map(str, unknown)))}"] if unknown else []
        raise UsageError(f"wrong fields ({'; '.join(faults)})", where=where, next="see docs/cli.md for a manifest's fields")
    return content


def _source(entry: object, as_of: str, where: str) -> Source:
    fields = checked_fields(entry, _ENTRY, set(), where)
    try:
        check_settings(str(fields["media_type"]))
    except UsageError as error:
        raise UsageError(error.what, where=where, next=error.next) from error
    size, sha256 = fields["bytes"], str(fields["sha256"])
    if not isinstance(size, int) or isinstance(size, bool) or size <= 0 or not SHA256.fullmatch(sha256):
        raise UsageError(
            "'bytes' must be a positive number and 'sha256' 64 lower-case hexadecimal digits",
            where=where,
            next="run 'pincite lock' to record them",
        )
    return Source(
        document_id=check_name(fields["id"], "document id", where),
        corpus_version=as_of,
        title=str(fields["title"]),
        uri=str(fields["uri"]).replace("{as_of}", as_of),
        media_type=fields["media_type"],
        path=_inside(str(fields["path"]), where),
        source_bytes=size,
        source_sha256=sha256,
    )


def _inside(path: str, where: str) -> str:
    """A relative path that stays in the landing folder, on any system."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith(("/", "~")) or ".." in parts or any(c in path for c in "\\:\0"):
        raise UsageError(f"path {path!r} leaves the landing folder", where=where, next="give a relative path without '..'")
    return str(PurePosixPath(path))


def _refuse_repeats(values: list[str], what: str, where: str) -> None:
    repeated = sorted({value for value in values if values.count(value) > 1})
    if repeated:
        raise UsageError(f"{what} {repeated[0]!r} occurs more than once", where=where, next="name each document once")
