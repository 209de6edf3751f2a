"""Whether an answer has the contract's form at all: types, sizes, names. Only then do the checks read it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

MOST = 20_000  # entries of a list, and characters of a name: ten times what the largest manual needs

_PLACE = {"page": int, "start": int, "end": int}
_PIECE = {**_PLACE, "sha256": str}
_LISTS: Mapping[str, Mapping[str, type]] = {
    "partition": {**_PIECE, "role": str},
    "units": {"citation": str, "heading": str, "spans": list, "references": list},
    "structures": {**_PLACE, "kind": str, "targets": list},
}


def read(text: str) -> tuple[dict[str, Any], list[str]]:
    """(the observation, what is wrong with its form). With anything wrong the observation is empty."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        return {}, [f"it is not JSON ({error})"]
    faults = list(_faults(raw)) if isinstance(raw, dict) else ["it is not one JSON object"]
    return ({}, faults) if faults else (raw, [])


def _faults(raw: dict[str, Any]) -> Iterator[str]:
    if not isinstance(raw.get("source"), dict):
        yield "source is not an object"
    for name, fields in _LISTS.items():
        yield from _list(name, raw.get(name), fields)
    units = [unit for unit in _listed(raw.get("units")) if isinstance(unit, dict)]
    for unit in units:
        yield from _list("spans", unit.get("spans"), _PIECE)
        yield from _list("references", unit.get("references"), {**_PIECE, "target": str})
        for reference in _listed(unit.get("references")):
            if isinstance(reference, dict) and not isinstance(reference.get("target_end"), (str, type(None))):
                yield "references: target_end is no name"
        if not unit.get("spans"):
            yield "units: one has no span"
    names = [unit.get("citation") for unit in units]
    if not all(names) or len({str(name) for name in names}) < len(names):
        yield "units: a citation is empty or given twice"
    for entry in _listed(raw.get("structures")):
        if isinstance(entry, dict) and not all(isinstance(target, str) for target in _listed(entry.get("targets"))):
            yield "structures: a target is no name"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _list(name: str, value: Any, fields: Mapping[str, type]) -> Iterator[str]:
    if not isinstance(value, list) or len(value) > MOST:
        yield f"{name} is not a list of at most {MOST} entries"
        return
    for entry in value:
        for field, kind in fields.items():
            found = entry.get(field) if isinstance(entry, dict) else None
            # a true type: to Python, True is a number
            if type(found) is not kind or (isinstance(found, str) and len(found) > MOST):
                yield f"{name}: an entry's {field} is not of type {kind.__name__}"
                return
