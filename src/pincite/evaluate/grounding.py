"""How well the gate of enrichment tells a faithful rewrite from a corrupted one, by kind of corruption.

The pairs lie in ``conf/gold/grounding``. A hash of a passage's id puts all its pairs into ``dev``, which may be looked at
while the gate is written, or ``holdout``, which is measured at the end. Pairs of a file ``fresh*.yml`` were written after that,
those of ``unseen*.yml`` before the gate read two texts together, and measured once after; each is a part of its own. The folder
``written`` has lines by nine people who saw no gate, one JSON object a passage: ``s``, faithful ``f``, corrupted ``c`` by kind;
so have ``moderate``, ``printed`` and ``attacks`` (docs/enrichment.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from pincite.enrich.gate.near import Near
from pincite.enrich.ground import Grounding, verify_grounding
from pincite.errors import MissingSource, UsageError

FAITHFUL = "faithful"
PARTS = ("dev", "holdout", "fresh", "unseen", "written")
_FORMS = {"faithful": "text", "corrupt": "text", "title": "title", "question": "question", "title_corrupt": "title",
          "question_corrupt": "question"}  # fmt: skip


class Pair(NamedTuple):
    """A passage and a rewrite of it. ``kind`` is ``faithful`` or the kind of corruption."""

    id: str
    part: str  # one of PARTS
    kind: str
    form: str
    passage: str
    rewrite: str


class Tally(NamedTuple):
    """How many pairs of one kind were told rightly."""

    kind: str
    right: int
    total: int


def part_of(passage_id: str) -> str:
    """Which half a passage is in: the last bit of the SHA-256 of its id.

    >>> part_of("quorum"), part_of("escalation")
    ('dev', 'holdout')
    """
    return "holdout" if int(sha256(passage_id.encode()).hexdigest(), 16) % 2 else "dev"


def load(folder: Path) -> list[Pair]:
    """All pairs of the YAML files and the JSON lines in *folder*."""
    import yaml

    files, lined = sorted(folder.glob("*.yml")), sorted(folder.glob("*.jsonl"))
    if not files and not lined:
        raise MissingSource("there are no pairs here", where=str(folder), next="name the folder with --pairs")
    pairs: list[Pair] = []
    for file in files:
        try:
            entries = yaml.safe_load(file.read_text("utf-8"))["passages"]
            own = file.stem.partition("-")[0]
            pairs += [pair._replace(part=own) if own in PARTS[2:] else pair for entry in entries for pair in _pairs(entry)]
        except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"this is no list of pairs ({error!r})", where=str(file), next="see docs/enrichment.md") from error
    return pairs + [pair for file in lined for pair in _written(file)]


def _written(file: Path) -> Iterable[Pair]:
    for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
        try:
            entry = json.loads(line)
            rewrites = [(FAITHFUL, text) for text in entry["f"]] + [(kind, text) for kind, text in entry["c"]]
            passage = entry["s"]
        except (KeyError, TypeError, ValueError) as error:
            where = f"{file}:{number}"
            raise UsageError(
                f"this is no passage with its pairs ({error!r})", where=where, next="see docs/enrichment.md"
            ) from error
        for at, (kind, text) in enumerate(rewrites):
            yield Pair(f"{file.stem}/{number}/{kind}/{at}", "written", kind, "text", passage, text)


def _pairs(entry: dict[str, Any]) -> Iterable[Pair]:
    for key, form in _FORMS.items():
        listed = entry.get(key, ())
        by_kind = listed if isinstance(listed, dict) else {FAITHFUL: listed}
        for kind, rewrites in by_kind.items():
            for number, rewrite in enumerate(rewrites):
                name = f"{entry['id']}/{key}/{kind}/{number}"
                yield Pair(name, part_of(entry["id"]), kind, form, entry["passage"], str(rewrite))


def judge(pairs: Sequence[Pair], near: Near | None = None) -> list[tuple[Pair, Grounding]]:
    """The gate's word on every pair, with the nearness of words or without."""
    return [(pair, verify_grounding(pair.passage, pair.rewrite, form=pair.form, near=near)) for pair in pairs]


def is_right(pair: Pair, found: Grounding) -> bool:
    """Whether the gate let a faithful rewrite through, or caught a corrupted one."""
    return found.grounded == (pair.kind == FAITHFUL)


def tallies(judged: Sequence[tuple[Pair, Grounding]]) -> list[Tally]:
    """Rightly told pairs by kind: ``faithful``, ``corrupted`` in all, then each kind of corruption."""
    counts: dict[str, list[int]] = {FAITHFUL: [0, 0], "corrupted": [0, 0]}
    for pair, found in judged:
        for kind in {pair.kind, "corrupted" if pair.kind != FAITHFUL else FAITHFUL}:
            count = counts.setdefault(kind, [0, 0])
            count[0] += is_right(pair, found)
            count[1] += 1
    head = [Tally(kind, *counts.pop(kind)) for kind in (FAITHFUL, "corrupted")]
    return head + [Tally(kind, *counts[kind]) for kind in sorted(counts)]


def part(pairs: Sequence[Pair], name: str) -> list[Pair]:
    """The pairs of one part, or of ``all``."""
    if name not in (*PARTS, "all"):
        raise UsageError(f"there is no part {name!r}", next=f"choose one of {', '.join(PARTS)}, all")
    return [pair for pair in pairs if name in (pair.part, "all")]


def lines(judged: Sequence[tuple[Pair, Grounding]], failures: bool = False) -> list[str]:
    """The table for people, one column group a part; with the failures where wanted."""
    told = [f"{'kind':<22} {'part':<8} {'right':>6} {'of':>5} {'share':>7}"]
    for name in PARTS:
        chosen = [each for each in judged if each[0].part == name]
        for tally in tallies(chosen) if chosen else []:
            share = tally.right / tally.total if tally.total else 0.0
            told.append(f"{tally.kind:<22} {name:<8} {tally.right:>6} {tally.total:>5} {share:>7.1%}")
    for pair, found in judged if failures else ():
        if not is_right(pair, found):
            told += ["", pair.id, f"  passage  {pair.passage}", f"  rewrite  {pair.rewrite}"]
            told += [f"  {reason.code:<13} {reason.detail}" for reason in found.reasons]
    return told
