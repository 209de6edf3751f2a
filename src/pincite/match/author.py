"""Annotated texts to a snapshot: marks become offsets, quotes and hashes.

    python -m pincite.match.author fixtures/match/annotations.yml

writes ``snapshot.json`` and ``cases/*.txt`` beside the annotations. It is made in a new folder, loaded and checked there,
and only then put in place, so that a fault leaves what was there before.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pincite.errors import PinciteError, UsageError
from pincite.match.snapshot import SCHEMA, load
from pincite.model import sha256_hex

_MARK = re.compile(r"\[\[(\w+)\|(.*?)\]\]", re.DOTALL)


def unmark(marked: str) -> tuple[str, dict[str, tuple[int, int]]]:
    """The text without its marks, and where each marked fact stands in it.

    >>> unmark("It [[a|rained]].")
    ('It rained.', {'a': (3, 9)})
    """
    text, facts, position = "", {}, 0
    for match in _MARK.finditer(marked):
        text += marked[position : match.start()]
        facts[match[1]] = (len(text), len(text) + len(match[2]))
        text += match[2]
        position = match.end()
    return text + marked[position:], facts


def assemble(annotations: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The snapshot's content and the texts by path, from parsed annotations."""
    tables: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("laws", "elements", "variants", "cases", "facts", "instances")
    }
    texts: dict[str, str] = {}
    for law in annotations["laws"]:
        tables["laws"].append({name: law[name] for name in ("law_id", "citation", "title")})
        for element in law["elements"]:
            fields = {name: element[name] for name in ("element_id", "name", "description")}
            tables["elements"].append({**fields, "law_id": law["law_id"]})
            tables["variants"] += [
                {"variant_id": key, "element_id": element["element_id"], "name": name}
                for key, name in element["variants"].items()
            ]
    for case in annotations["cases"]:
        _case(case, tables, texts)
    return {"schema": SCHEMA, **tables}, texts


def _case(case: Mapping[str, Any], tables: dict[str, list[dict[str, Any]]], texts: dict[str, str]) -> None:
    name, path = case["case_id"], f"cases/{case['case_id']}.txt"
    text, spans = unmark(case["text"].strip() + "\n")
    if set(spans) != set(case.get("facts", {})):
        raise UsageError("the marks of its text and its facts do not agree", where=f"case {name}", next="name each mark once")
    texts[path] = text
    source = sha256_hex(text.encode())
    tables["cases"].append(
        {"case_id": name, "name": case["name"], "source": path, "source_sha256": source, "aliases": [], "invented": True}
    )
    for key, (start, end) in spans.items():
        tables["facts"].append(
            {
                "fact_id": f"{name}/{key}",
                "case_id": name,
                "kind": case["facts"][key],
                "pointer": f"paragraph {text.count(chr(10) * 2, 0, start) + 1}",
                "start": start,
                "end": end,
                "quote": text[start:end],
                "source_sha256": source,
            }
        )
    for number, held in enumerate(case.get("holds", ()), 1):
        tables["instances"].append(
            {
                "instance_id": f"{name}/{number}",
                "case_id": name,
                "element_id": held["element"],
                "variant_id": held.get("variant", ""),
                "fact_ids": [f"{name}/{key}" for key in held["facts"]],
                "holding": held["holding"],
            }
        )


def build(annotations: Path) -> Path:
    """Write the snapshot beside *annotations*, all of it or nothing; returns its path."""
    import yaml

    content, texts = assemble(yaml.safe_load(annotations.read_text(encoding="utf-8")))
    folder = annotations.parent
    with tempfile.TemporaryDirectory(dir=folder, prefix=".snapshot-") as scratch:
        fresh = Path(scratch)
        (fresh / "cases").mkdir()
        for path, text in texts.items():
            (fresh / path).write_text(text, encoding="utf-8", newline="\n")
        (fresh / "snapshot.json").write_text(
            json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n"
        )
        load(fresh / "snapshot.json")
        if (folder / "cases").exists():
            os.rename(folder / "cases", fresh / "old")
        os.rename(fresh / "cases", folder / "cases")
        os.replace(fresh / "snapshot.json", folder / "snapshot.json")
        shutil.rmtree(fresh / "old", ignore_errors=True)
    return folder / "snapshot.json"


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{build(Path(sys.argv[1]))}\n")
    except PinciteError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
