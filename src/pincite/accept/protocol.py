"""The registered protocol: which documents, which cases, which hashes. It is data; changing it changes its hash."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import HashMismatch, MissingSource, UsageError
from pincite.model import sha256_hex

STAGES = {"initial": ("initial",), "expanded": ("initial", "expanded")}
"""Stage of a run -> stages of the cases it covers: four, then all eight."""


class Protocol(NamedTuple):
    """``sha256`` is of the file's bytes; a report is bound to it."""

    sha256: str
    documents: Mapping[str, Mapping[str, Any]]
    cases: tuple[Mapping[str, Any], ...]

    def of_stage(self, stage: str) -> tuple[Mapping[str, Any], ...]:
        """The cases of a run: its denominator."""
        if stage not in STAGES:
            raise UsageError(f"there is no stage {stage!r}", next=f"use one of {', '.join(STAGES)}")
        return tuple(case for case in self.cases if case["stage"] in STAGES[stage])


def load(path: Path | None = None) -> Protocol:
    """The protocol at *path*, or the one shipped with the package."""
    try:
        data = path.read_bytes() if path else resources.files("pincite.accept").joinpath("protocol.json").read_bytes()
        content = json.loads(data)
        cases = tuple(case for case in content["cases"] if case.get("status") != "superseded")
        return Protocol(sha256_hex(data), content["documents"], cases)
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(f"the protocol cannot be read ({error})", where=str(path or "protocol.json")) from error


def source_bytes(protocol: Protocol, name: str, folder: Path) -> bytes:
    """A case's file, refused where it is not the registered one."""
    registered = protocol.documents[name]
    path = folder / registered["pdf"]
    try:
        data: bytes = path.read_bytes()
    except OSError as error:
        raise MissingSource(
            f"the case's document is not here ({error.strerror})", where=str(path), next="name its folder with --sources"
        ) from error
    found = sha256_hex(data)
    if found != registered["sha256"]:
        raise HashMismatch(
            f"the case's document has sha256 {found}, registered is {registered['sha256']}",
            where=str(path),
            next="restore the registered file; a case says nothing about another one",
        )
    return data


def page_in_file(protocol: Protocol, name: str, published: int) -> int:
    """The 1-based page of the file that carries the published number."""
    pages: list[int] = protocol.documents[name]["published_pages"]
    return pages.index(published) + 1
