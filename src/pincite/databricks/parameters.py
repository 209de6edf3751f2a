"""The job's parameters: everything a task is told, checked before anything is touched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from pincite.errors import UsageError


class Parameters(NamedTuple):
    """The job's parameters, checked. Their names are those in ``resources/ingest.job.yml``."""

    dry_run: bool  # report every action, write nothing
    allow_empty: bool  # a snapshot may delete a whole scope
    corpora: tuple[str, ...]  # files of conf/corpora without .yml, or folders of the landing volume
    conf: str  # folder of manifests and gold sets, as workspace files
    catalog: str
    schema: str
    volume: str
    landing: str  # the volume's folder as Spark's workers see it
    search_endpoint: str
    embedding_endpoint: str
    chat_endpoint: str  # asked by corpora with an enrich block, in the place of the model named there; "" leaves that one
    query_type: str  # HYBRID, ANN or FULL_TEXT
    rerank: bool  # whether the platform's reranker orders what was found
    experiment: str  # absolute workspace path
    run_id: str


PARAMETERS = Parameters._fields
_IDENTIFIER = re.compile(r"[A-Za-z0-9_]+")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
FLAGS = ("dry_run", "allow_empty", "rerank")
_FLAGS = {"true": True, "false": False}


def parameters(arguments: Sequence[str]) -> Parameters:
    """``--name=value`` arguments as ``Parameters``; ``UsageError`` names the one that is wrong and what it may be."""
    given: dict[str, str] = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        name = name.removeprefix("--")
        if not argument.startswith("--") or not equals or name not in PARAMETERS:
            raise UsageError(f"the argument {argument!r} is not known", next=f"use --NAME=VALUE with {', '.join(PARAMETERS)}")
        given[name] = value.strip()
    missing = [name for name in PARAMETERS if name not in given]
    if missing:
        raise UsageError(f"the parameter {missing[0]} is not given", next="add it to the job's named_parameters")
    checked = Parameters(**{name: _checked(name, given[name]) for name in PARAMETERS})
    volume = f"/Volumes/{checked.catalog}/{checked.schema}/{checked.volume}"
    if not checked.landing.endswith(volume):
        raise UsageError(
            f"landing is {checked.landing!r}, but catalog, schema and volume name {volume}",
            where="job parameters",
            next="change all four together: what is verified must be what is read",
        )
    return checked


def _checked(name: str, value: str) -> Any:
    if name in FLAGS:
        if value.lower() not in _FLAGS:
            raise UsageError(f"{name} is {value!r}", where="job parameters", next="use true or false")
        return _FLAGS[value.lower()]
    if name == "corpora":
        names = tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))
        if not names or not all(_NAME.fullmatch(part) for part in names):
            raise UsageError(
                f"corpora is {value!r}",
                where="job parameters",
                next="name files of conf/corpora or folders of the volume, with commas between",
            )
        return names
    if name in ("catalog", "schema", "volume") and not _IDENTIFIER.fullmatch(value):
        raise UsageError(f"{name} is {value!r}", where="job parameters", next="use letters, digits and _ only")
    if name in ("conf", "landing", "experiment"):
        if not value.startswith("/"):
            raise UsageError(f"{name} is {value!r}", where="job parameters", next="give an absolute path")
        return value.rstrip("/")
    if name == "query_type" and value not in ("HYBRID", "ANN", "FULL_TEXT"):
        raise UsageError(f"query_type is {value!r}", where="job parameters", next="use HYBRID, ANN or FULL_TEXT")
    if not value and name != "chat_endpoint":
        raise UsageError(f"{name} is empty", where="job parameters", next="give it a value")
    return value
