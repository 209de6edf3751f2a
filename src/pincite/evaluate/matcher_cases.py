"""Cases labelled with laws only, one JSON object a line, as a snapshot: ``id``, ``name``, ``facts``, ``law`` or null, ``kind``.

Each case is one fact and stands as an element of its own under its law, so that the law's score is that of its three nearest
cases. A case without a law is background.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import UsageError
from pincite.match.snapshot import Case, Element, Fact, Instance, Law, Snapshot
from pincite.model import sha256_hex

# How people name the five statutes of `us_facts_statutes`. Only for masking labels in its published texts.
_NAMES = re.compile(
    r"\b(?:Sherman\s+(?:Anti-?trust\s+)?Act"
    r"|RICO|Racketeer\s+Influenced\s+and\s+Corrupt\s+Organizations?(?:\s+Act)?"
    r"|Controlled\s+Substances\s+Act"
    r"|Title\s+VII(?:\s+of\s+the\s+Civil\s+Rights\s+Act(?:\s+of\s+1964)?)?|Civil\s+Rights\s+Act(?:\s+of\s+(?:1964|1871))?"
    r"|(?:\d+\s+U\.?\s?S\.?\s?C\.?\s*)?(?:§+|Sections?)\s*(?:1983|1962|841|2000e(?:-\d+)?)(?:\([a-z0-9]+\))*"
    r"|\d+\s+U\.?\s?S\.?\s?C\.?\s+(?:1983|1962|841|2000e(?:-\d+)?)(?:\([a-z0-9]+\))*)",
    re.IGNORECASE,
)


class LabelledCases(NamedTuple):
    snapshot: Snapshot
    kinds: dict[str, str]  # of background cases: "far" or "near", by case id
    naming: int  # lawful cases whose text named a statute


def load(path: Path, *, mask: bool) -> LabelledCases:
    """The cases of *path*; with *mask* every name of a statute is replaced, so that no label is left in the text."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the cases cannot be read ({error})", where=str(path), next="name a JSON Lines file") from None
    rows = [_row(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not any(row["law"] for row in rows):
        raise UsageError("no case has a law", where=str(path), next="name the labelled cases")
    naming = sum(bool(row["law"] and _NAMES.search(row["facts"])) for row in rows)
    if mask:
        rows = [{**row, "facts": _NAMES.sub("the statute", row["facts"])} for row in rows]
    kinds = {str(row["id"]): str(row["kind"]).removesuffix("_negative") for row in rows if not row["law"]}
    return LabelledCases(_snapshot(rows), kinds, naming)


def _row(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise UsageError(f"this is not JSON ({error})", where=where, next="correct the file") from None
    if (
        not isinstance(row, dict)
        or not {"id", "name", "facts", "law", "kind"} <= row.keys()
        or not isinstance(row["facts"], str)
    ):
        raise UsageError("a case needs id, name, facts, law and kind", where=where, next="correct the file")
    return row


def _snapshot(rows: list[dict[str, Any]]) -> Snapshot:
    cases, facts, elements, instances, texts = [], [], [], [], {}
    for row in rows:
        name, text = str(row["id"]), row["facts"]
        source = sha256_hex(text.encode())
        texts[name] = text
        cases.append(Case(name, str(row["name"]), f"{name}.txt", source, (), False))
        if row["law"]:
            element = f"{row['law']}/{name}"
            elements.append(Element(element, row["law"], "", ""))
            facts.append(Fact(name, name, "undisputed", "", 0, len(text), text, source))
            instances.append(Instance(name, name, element, "", (name,), "satisfied"))
    laws = tuple(Law(law, "", "") for law in sorted({row["law"] for row in rows if row["law"]}))
    digest = sha256_hex("".join(case.source_sha256 for case in cases).encode())
    return Snapshot(laws, tuple(elements), (), tuple(cases), tuple(facts), tuple(instances), texts, digest)
