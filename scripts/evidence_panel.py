"""An evidence panel: what a run did, as one SVG picture, from the output of its tasks.

    databricks bundle run ingest > run.txt      # or the saved logs of the tasks
    # read run.txt yourself, then:
    python scripts/evidence_panel.py run.txt panel.svg

The input is text; lines that are JSON objects with a ``task`` are read, all others are ignored. From those lines only counts,
measures, table names, document ids and reasons are shown. Hosts, users, ids, credentials and storage paths never are: every
value passes an allow-list of fields, and every text a filter that replaces what looks like one of these.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

TASKS = ("bootstrap", "verify", "author", "merge", "enrich", "sync", "evaluate")
NUMBERS = frozenset(
    [
        *("files", "as_pinned", "parse", "skip", "remove", "inserted", "updated", "deleted", "version", "passages"),
        *("asked", "cached", "accepted", "unsupported", "failed", "left", "tokens"),  # of a model that helped
    ]
)
COUNTS = frozenset(["not_read", "brought", "would_bring"])  # of a folder: kind → how many
TEXTS = frozenset(["corpus", "action", "document", "table", "setting"])
MEASURES = frozenset(
    [
        "question_pass",
        "citation_recall",
        "evidence_recall",
        "edge_recall",
        "hit_rate",
        "mrr",
        "right_abstention",
        "wrong_abstention",
        "quotable_share",
    ]
)
HIDDEN = "[hidden]"
PRIVATE = [
    re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE),  # any address
    re.compile(r"\b(?:s3a?|abfss?|wasbs?|gs|dbfs|file):\S*", re.IGNORECASE),  # storage
    re.compile(r"(?:/(?:Volumes|Workspace|Users|Shared|Repos|dbfs|mnt|tmp|home|var|databricks|local_disk\d*)\b\S*)"),
    re.compile(r"[A-Za-z]:\\\S+|\\\\\S+"),
    re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),  # users
    re.compile(r"\b(?:[\w-]+\.)+(?:com|net|org|io|cloud|local|internal|invalid|azure|aws)\b(?::\d+)?", re.IGNORECASE),  # hosts
    re.compile(r"\b(?:localhost|adb-\d+[\w.-]*|dbc-[\w-]+)\b(?::\d+)?", re.IGNORECASE),
    re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[?[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7}\]?", re.IGNORECASE),
    re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE),  # ids
    re.compile(r"\b(?:dapi|dose|dkea|ghp_|eyJ|AKIA|sk-|pat)[\w.=+/-]{8,}"),  # credentials
    re.compile(r"\b(?:token|secret|password|bearer|authorization)\b\W{0,3}\S+", re.IGNORECASE),
    re.compile(r"\b[0-9a-f]{12,}\b", re.IGNORECASE),  # hashes, run ids
    re.compile(r"\b\d{9,}\b"),  # workspace, job and run numbers
]


def clean(text: str, longest: int = 60) -> str:
    """*text* without anything that looks like a host, a user, an id, a credential or a storage path."""
    for pattern in PRIVATE:
        text = pattern.sub(HIDDEN, text)
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def lines(output: str) -> Iterator[dict[str, Any]]:
    """The reported steps in a run's output, with the allowed fields only."""
    for line in output.splitlines():
        start = line.find("{")
        if start < 0:
            continue
        try:
            found = json.loads(line[start:])
        except ValueError:
            continue
        if isinstance(found, dict) and found.get("task") in TASKS:
            yield {"task": found["task"], **_allowed(found)}


def _allowed(found: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, value in found.items():
        if name in NUMBERS and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9:
            kept[name] = value
        elif name in MEASURES and isinstance(value, (int, float)):
            kept[name] = float(value)
        elif name in COUNTS and isinstance(value, dict):
            counts = [f"{clean(str(kind), 20)} {count}" for kind, count in value.items() if isinstance(count, int)]
            kept[name] = ", ".join(counts) or "none"
        elif name in TEXTS and isinstance(value, str):
            kept[name] = clean(value)
    return kept


def sections(steps: Iterable[Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
    """What the panel says of each task, in order; a task that reported nothing says so."""
    told: dict[str, list[str]] = {task: [] for task in TASKS}
    for step in steps:
        if set(step) - {"task", "corpus"}:
            told[step["task"]].append(_sentence(step))
    return [(task, said or ["no report"]) for task, said in told.items()]


def _sentence(step: Mapping[str, Any]) -> str:
    words = [str(step[name]) for name in ("corpus", "setting", "table", "document", "action") if step.get(name)]
    words += [f"{name.replace('_', ' ')} {value:.3f}" for name, value in step.items() if name in MEASURES]
    words += [f"{name.replace('_', ' ')} {value}" for name, value in step.items() if name in NUMBERS]
    words += [f"{name.replace('_', ' ')}: {value}" for name, value in step.items() if name in COUNTS]
    return " · ".join(words) or "done"


def draw(told: list[tuple[str, list[str]]], title: str = "Pincite: evidence of one run") -> str:
    """The panel as SVG: one box a task, its lines below each other."""
    width, line_height, y = 1100, 18, 64
    parts = []
    for task, said in told:
        height = 14 + line_height * sum(len(_wrapped(sentence)) for sentence in said)
        parts.append(f'<rect x="20" y="{y}" width="{width - 40}" height="{height}" rx="6" fill="#f6f7f4" stroke="#c9cdc2"/>')
        parts.append(_text(36, y + 20, task, 14, "600", "#2f6f4f"))
        at = y + 20
        for sentence in said:
            for piece in _wrapped(sentence):
                parts.append(_text(150, at, piece, 12, "400", "#222222"))
                at += line_height
        y += height + 10
    heading = _text(20, 40, clean(title), 20, "600", "#1c1c1c")
    body = "\n".join([heading, *parts])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y + 10}" viewBox="0 0 {width} {y + 10}" '
        f'font-family="Helvetica, Arial, sans-serif">\n<rect width="100%" height="100%" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def _wrapped(sentence: str, most: int = 140) -> list[str]:
    pieces, line = [], ""
    for word in sentence.split(" · "):
        if line and len(line) + len(word) > most:
            pieces.append(line)
            line = word
        else:
            line = f"{line} · {word}" if line else word
    return [*pieces, line]


def _text(x: int, y: int, text: str, size: int, weight: str, colour: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{colour}">{html.escape(text)}</text>'


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("output", type=Path, help="the saved output of a run, reviewed by you")
    parser.add_argument("panel", type=Path, help="the SVG to write")
    parser.add_argument("--title", default="Pincite: evidence of one run")
    given = parser.parse_args(arguments)
    try:
        steps = list(lines(given.output.read_text(encoding="utf-8", errors="replace")))
    except OSError as error:
        print(f"pincite: {given.output}: {error.strerror}; name the saved output of a run", file=sys.stderr)
        return 2
    if not steps:
        print(f"pincite: {given.output}: no task reported anything in it; save the logs of the job's tasks", file=sys.stderr)
        return 2
    given.panel.write_text(draw(sections(steps), given.title), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
