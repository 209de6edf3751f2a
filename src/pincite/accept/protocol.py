"""The registered protocol: which documents, which cases, which hashes. It is data; changing it changes its hash."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import HashMismatch, MissingSource, UsageError
from pincite.model import sha256_hex

STAGES = {"initial": ("initial",), "expanded": ("initial", "expanded")}
"""Stage of a run -> stages of the cases it covers."""
DENOMINATOR = {"initial": 4, "expanded": 8}
"""How many cases that is. A protocol with another number of them is none."""
_EXPECTS = ("passages", "examples", "reserved", "contents", "furniture", "contacts", "notices", "dictionary", "annotations")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")


class Protocol(NamedTuple):
    """``sha256`` is of the file's bytes; a report is bound to it. ``shipped``: whether it is the package's own."""

    path: Path | None
    sha256: str
    shipped: bool
    documents: Mapping[str, Mapping[str, Any]]
    cases: tuple[Mapping[str, Any], ...]

    def of_stage(self, stage: str) -> tuple[Mapping[str, Any], ...]:
        """The cases of a run: its denominator."""
        if stage not in STAGES:
            raise UsageError(f"there is no stage {stage!r}", next=f"use one of {', '.join(STAGES)}")
        cases = tuple(case for case in self.cases if case["stage"] in STAGES[stage])
        if len(cases) != DENOMINATOR[stage]:
            raise UsageError(
                f"the protocol has {len(cases)} cases for the {stage} stage, not {DENOMINATOR[stage]}",
                where=str(self.path or "protocol.json"),
                next="register the missing cases; a run is never of fewer",
            )
        return cases


def load(path: Path | None = None) -> Protocol:
    """The protocol at *path*, or the one shipped with the package. ``UsageError`` for one that expects nothing of a case."""
    own = resources.files("pincite.accept").joinpath("protocol.json").read_bytes()
    try:
        data = path.read_bytes() if path else own
        content = json.loads(data)
        cases = tuple(case for case in content["cases"] if case.get("status") != "superseded")
        faults = list(_faults(cases, content["documents"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"the protocol cannot be read ({error})", where=str(path or "protocol.json")) from error
    if faults:
        raise UsageError(f"the protocol is none: {faults[0]}", where=str(path or "protocol.json"), next="register its cases")
    return Protocol(path, sha256_hex(data), data == own, content["documents"], cases)


def _faults(cases: Sequence[Mapping[str, Any]], documents: Mapping[str, Any]) -> Iterator[str]:
    """Cases that could not fail, or whose name would be another file's."""
    names = [str(case["id"]) for case in cases]
    if len(set(names)) < len(names):
        yield "two cases have one name"
    for case in cases:
        if not _NAME.fullmatch(str(case["id"])) or case["id"] == "report":
            yield f"{case['id']!r} is no name for a case"
        if not any(case.get(key) for key in _EXPECTS):
            yield f"{case['id']} expects nothing"
        if case["document"] not in documents or not re.fullmatch(r"[0-9a-f]{64}", documents[case["document"]]["sha256"]):
            yield f"{case['id']} is of a document that is not registered"
        for expected in [*case["passages"], *case.get("examples", ())]:
            if not all(str(expected.get(key, "")).strip() for key in ("begins", "ends")) or not expected.get("pages"):
                yield f"{case['id']} does not say where a passage begins, ends and stands"


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
