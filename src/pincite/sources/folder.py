"""A corpus that is a folder: its configuration, written for a first look and edited from then on, and what a run makes of it.

The configuration and the catalogue of document ids lie in the state folder, ``STATE/corpora/NAME.yml`` and ``NAME.jsonl``; the
folder itself is only read. The landed files *are* the folder: nothing is copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from pincite.errors import MissingSource, UsageError
from pincite.model import Scope
from pincite.parse.compose import slug
from pincite.parse.formats import check_settings, reader_of
from pincite.sources import catalogue, manifest
from pincite.sources.acquire import replace
from pincite.sources.bring import LANDED, Brought, bring
from pincite.sources.catalogue import Catalogue
from pincite.sources.discover import Found, Rules, discover, sources
from pincite.sources.manifest import Barred, Limits, Manifest

EXCLUDED = (
    *(".git", ".svn", ".hg", "node_modules", "__pycache__", ".venv", ".DS_Store", "Thumbs.db", "desktop.ini", "~$*"),
    *(".~lock.*", "*~", "#*#", ".*.sw[a-p]", "*.tmp", "*.part", "*.crdownload"),  # being edited, or not yet there
    *("$RECYCLE.BIN", "System Volume Information", ".Trash-*", "@eaDir"),
)
"""What no first look wants: the innards of other tools, and the locks of opened office files."""

FIELDS: dict[str, Any] = {
    "project": "local",
    "collection": "",
    "title": "",
    "folder": "",
    "source": "",
    "include": [],
    "exclude": list(EXCLUDED),
    "formats": [],
    "media_types": {},
    "duplicates": "skip",
    "file_megabytes": 64,
    "seconds": 300,
    "megabytes": 2000,
    "vectors": "auto",
    "gold": "",
    "enrich": {},
}
"""Every field of a configuration, with its default."""

_COMMENTS = {
    "project": "with collection the scope: whose rows these are",
    "source": "an address the folder's files are brought from before they are read ('pincite bring --help'); none where empty",
    "include": "patterns of paths; everything where empty. ** crosses folders, a pattern without / fits at any depth",
    "exclude": "patterns of paths that are left out, folders with all they hold",
    "formats": "media types that are read ('pincite formats'); all that can be where empty",
    "media_types": "pattern: media type, where content is not enough, such as application/json; records=/items",
    "duplicates": "skip: a file with the bytes of another is not read twice; read: it is",
    "file_megabytes": "larger files are not opened",
    "seconds": "for a batch of files in a child process",
    "megabytes": "of memory, for the same",
    "vectors": "auto: embed up to 20,000 new passages; yes; no: search by words alone",
    "gold": "a set of questions to evaluate with, relative to this file",
    "enrich": "what a model may write, {model: local} for example; nothing where empty (docs/enrichment.md)",
}
VECTORS = ("auto", "yes", "no")


class Config(NamedTuple):
    """A folder corpus' configuration. *written* is False for one that a first look would write."""

    path: Path
    values: Mapping[str, Any]
    given: frozenset[str]  # the fields the file itself gives
    written: bool
    memory: Path | None = None  # where document ids are remembered; beside the configuration where not said

    @property
    def folder(self) -> Path:
        return Path(self.values["folder"])

    @property
    def scope(self) -> Scope:
        return Scope(self.values["project"], self.values["collection"])

    @property
    def catalogue(self) -> Path:
        return self.memory or self.path.with_suffix(".jsonl")

    @property
    def rules(self) -> Rules:
        v = self.values
        limit = int(v["file_megabytes"] * 2**20)
        declared = tuple(v["media_types"].items())
        return Rules(tuple(v["include"]), (*v["exclude"], LANDED), tuple(v["formats"]), declared, limit)


class Discovery(NamedTuple):
    """A folder as it is now, and what is to be remembered of it."""

    config: Config
    found: list[Found]
    catalogue: Catalogue

    @property
    def manifest(self) -> Manifest:
        """What a run makes of it."""
        config, v = self.config, self.config.values
        gold = config.path.parent / v["gold"] if v["gold"] else None
        barred = {each.document_id: Barred(each.trouble, each.reason) for each in self.found if each.trouble}
        limits = Limits(float(v["seconds"]), int(v["megabytes"]))
        skip = v["duplicates"] == "skip"
        about = (config.path, config.scope, v["title"], "", sources(self.found), gold)
        enrich = manifest.enrichment(v["enrich"], str(config.path))
        return Manifest(*about, config.folder, barred, skip, limits, v["vectors"], enrich)

    def remember(self) -> None:
        """Write configuration and catalogue where they are not yet what they should be."""
        if not self.config.written:
            replace(self.config.path, text_of(self.config.values).encode())
        catalogue.save(self.config.catalogue, self.catalogue)


def is_folder_corpus(path: Path) -> bool:
    """Whether *path* is a folder, or the configuration of one."""
    if path.is_dir():
        return True
    if path.suffix not in (".yml", ".yaml") or not path.is_file():
        return False
    content = manifest.read_yaml(path)
    return isinstance(content, Mapping) and "folder" in content


def look(path: Path, state: Path) -> Discovery:
    """Discover the folder that *path* is or configures. Nothing is written.

    Raises ``UsageError`` for a configuration that is wrong or a folder that holds or lies in the state folder, and
    ``MissingSource`` where there is no folder.
    """
    config = config_of(path, state)
    check(config, state)
    return seen(config)


def seen(config: Config, readers: int = 1) -> Discovery:
    """The folder of a checked configuration, as it is now. Nothing is written."""
    return Discovery(config, *discover(config.folder, catalogue.load(config.catalogue), config.rules, readers))


def brought(config: Config, *, dry_run: bool = False) -> list[Brought]:
    """What was, or would be, done to make the folder hold what its ``source`` offers; nothing where it names none."""
    from contextlib import closing

    from pincite.sources.connectors import connect

    if not config.values["source"]:
        return []
    with closing(connect(config.values["source"], keep=not dry_run)) as connector:
        return bring(connector, config.folder, dry_run=dry_run)


def check(config: Config, state: Path) -> None:
    """``UsageError`` for a configuration that names what is not there, or a folder entangled with the state folder.

    ``MissingSource`` where the folder itself is not there, unless it is to be brought.
    """
    from pincite.sources.connectors import connect

    refuse_entangled(config.folder, state, str(config.path))
    if not config.folder.is_dir() and not config.values["source"]:
        raise MissingSource(
            f"there is no such folder as {config.folder}", where=str(config.path), next="correct 'folder', or bring it back"
        )
    if config.values["source"]:
        connect(config.values["source"], keep=False).close()
    for name, wanted in (("formats", config.values["formats"]), ("media_types", config.values["media_types"].values())):
        for media_type in wanted:
            _check_media_type(media_type, f"{config.path}, {name}")
    gold = config.values["gold"]
    if gold and not (config.path.parent / gold).is_file():
        raise UsageError(
            f"the gold set {gold!r} does not exist", where=str(config.path), next="correct 'gold', or leave it out"
        )


def _check_media_type(media_type: str, where: str) -> None:
    try:
        reader_of(media_type)
        check_settings(media_type)
    except UsageError as error:
        raise UsageError(error.what, where=where, next=error.next) from None


def config_of(path: Path, state: Path) -> Config:
    """The configuration at *path*, or that of the folder *path*: the one in *state*, or a new one with the defaults."""
    if path.is_file():
        return read_config(path)
    folder = path.resolve()
    corpora = state / "corpora"
    for known in sorted(corpora.glob("*.yml")):
        if _is_config(known) and (found := read_config(known)).folder == folder:
            return found
    base = name = slug(folder.name or "folder")
    tries = 1
    while (corpora / f"{name}.yml").exists():
        tries += 1
        name = f"{base}-{tries}"
    return first_look(folder, name, corpora / f"{name}.yml")


def _is_config(path: Path) -> bool:
    """Whether a file says which folder it is of; a gold set beside the configurations does not."""
    return any(line.startswith("folder:") for line in path.read_text("utf-8", "replace").splitlines())


def first_look(folder: Path, collection: str, path: Path) -> Config:
    """The configuration of a folder that has none yet: all defaults, to be written to *path*."""
    values = {**FIELDS, "collection": collection, "title": folder.name or str(folder), "folder": str(folder)}
    return Config(path, values, frozenset(), False)


def read_config(path: Path, base: Path | None = None) -> Config:
    """The configuration at *path*, every field checked. Its folder is relative to *base*, by default to its own folder."""
    content = manifest.checked_fields(manifest.read_yaml(path), {"folder"}, {*FIELDS} - {"folder"}, str(path))
    values = {**FIELDS, **{name: value for name, value in content.items() if value is not None}}
    folder = Path(str(values["folder"])).expanduser()
    values["folder"] = str(((base or path.parent) / folder).resolve())
    values["vectors"] = {True: "yes", False: "no"}.get(values["vectors"], values["vectors"])  # YAML's own yes and no
    values["collection"] = values["collection"] or path.stem
    values["title"] = values["title"] or values["collection"]
    for name, value in values.items():
        _check(name, value, str(path))
    return Config(path, values, frozenset(content), True)


def _check(name: str, value: Any, where: str) -> None:
    """``UsageError`` for a value of the wrong kind."""
    from pincite.scope import checked_scope

    default = FIELDS[name]
    if name in ("project", "collection"):
        try:
            checked_scope(Scope(str(value), str(value)))
        except UsageError as error:
            raise UsageError(error.what, where=where, next=error.next) from None
    elif name in ("duplicates", "vectors"):
        choices = VECTORS if name == "vectors" else ("skip", "read")
        if value not in choices:
            raise UsageError(f"{name} is {value!r}", where=where, next=f"use one of {', '.join(choices)}")
    elif name == "enrich":
        manifest.enrichment(value, where)
    elif name == "media_types":
        if not isinstance(value, dict) or not all(isinstance(each, str) and each for pair in value.items() for each in pair):
            raise UsageError(
                f"{name} must map patterns to media types", where=where, next='write "x/*.json": "application/json"'
            )
    elif isinstance(default, list):
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            raise UsageError(f"{name} must be a list of texts", where=where, next=f'write for example {name}: ["*.md"]')
    elif isinstance(default, int):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
            raise UsageError(f"{name} must be a number above 0", where=where, next=f"write for example {name}: {default}")
    elif not isinstance(value, str):
        raise UsageError(f"{name} must be a text", where=where, next="put it into quotation marks")


def refuse_entangled(folder: Path, state: Path, where: str) -> None:
    """``UsageError`` where one of folder and state folder holds the other: a run would read its own tables."""
    inner, outer = folder.resolve(), state.resolve()
    if inner == outer or inner.is_relative_to(outer) or outer.is_relative_to(inner):
        relation = "is" if inner == outer else "lies in" if inner.is_relative_to(outer) else "holds"
        raise UsageError(
            f"the folder to read, {folder}, {relation} the state folder {state}",
            where=where,
            next="name another state folder with --state: nothing is ever written into the folder that is read",
        )


def text_of(values: Mapping[str, Any]) -> str:
    """A configuration as the file that is written for a first look: every field, with what it means."""
    lines = ["# A corpus that is a folder. Written once, yours to edit: run it again by the folder or by this file."]
    for name in FIELDS:
        comment = f"  # {_COMMENTS[name]}" if name in _COMMENTS else ""
        value = yaml.safe_dump(values[name], allow_unicode=True, default_flow_style=True, width=10_000).strip()
        lines.append(f"{name}: {value.removesuffix('...').strip()}{comment}")
    return "\n".join(lines) + "\n"
