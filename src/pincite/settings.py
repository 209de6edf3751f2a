"""Every setting of a run, resolved and checked, with where it comes from: option, environment, file, default, in this order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import MissingSource, UsageError


class Setting(NamedTuple):
    """One setting as a run uses it. ``origin``: "option --state", "environment PINCITE_STATE", "file x.yml" or "default"."""

    name: str
    value: Any
    origin: str


def resolve(corpus: Path | None, options: Mapping[str, tuple[Any, str]]) -> list[Setting]:
    """The settings of a run of *corpus*: a folder, its configuration, a manifest, or none.

    *options* gives value and origin of what the command line and the environment say. Raises ``UsageError`` or
    ``MissingSource`` for the first that is wrong.
    """
    from pincite.index.models import cache_folder, model_spec

    found = {name: Setting(name, value, origin) for name, (value, origin) in options.items()}
    state = Path(found["state"].value)
    found["model"] = found["model"]._replace(value=model_spec(found["model"].value).name)
    mirror = found["mirror"]
    if mirror.value is not None and not Path(mirror.value).is_dir():
        raise MissingSource("the mirror folder does not exist", where=str(mirror.value), next=f"correct it: {mirror.origin}")
    origin = next((f"environment {name}" for name in ("PINCITE_CACHE", "XDG_CACHE_HOME") if os.environ.get(name)), "default")
    found["cache"] = Setting("cache", cache_folder(), origin)
    for setting in _of_corpus(corpus, state) if corpus is not None else ():
        given = found.get(setting.name)
        if given is None or given.value is None:
            found[setting.name] = setting
    if found["vectors"].value is None:
        found["vectors"] = Setting("vectors", "yes", "default")
    return list(found.values())


def _of_corpus(corpus: Path, state: Path) -> Iterator[Setting]:
    """What the corpus' file says, and the defaults of what it does not say."""
    from pincite.sources import folder, manifest

    if not corpus.exists():
        raise UsageError("there is no such file or folder", where=str(corpus), next="name a folder, or a corpus' YAML file")
    if not folder.is_folder_corpus(corpus):
        pinned = manifest.load(corpus)
        values = {**pinned.scope._asdict(), "title": pinned.title, "as_of": pinned.corpus_version, "gold": pinned.gold}
        for name, value in {**values, "documents": len(pinned.sources)}.items():
            yield Setting(name, value, f"file {corpus}" if value is not None else "default")
        _refuse_missing(pinned.gold, str(corpus))
        return
    config = folder.config_of(corpus, state)
    folder.check(config, state)
    yield Setting("configuration", str(config.path), "on disk" if config.written else "not yet written")
    for name, value in config.values.items():
        yield Setting(name, value, f"file {config.path}" if name in config.given else "default")


def _refuse_missing(gold: Path | None, where: str) -> None:
    if gold is not None and not gold.is_file():
        raise UsageError(f"the gold set {gold} does not exist", where=where, next="correct 'gold', or leave it out")
