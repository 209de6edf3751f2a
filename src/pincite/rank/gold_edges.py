"""Recall of the references found between public rulebook passages against their gold rows."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pincite.rank.collection import Item
from pincite.rank.edges import detect
from pincite.rank.features import Links

GOLD = "obliqa_xref/cross_references_odd_documents.csv"


class EdgeRecall(NamedTuple):
    """Distinct gold edges of one kind. ``absent`` are those with an end that is no passage; they are not in ``gold``."""

    kind: str
    gold: int
    found: int
    absent: int

    @property
    def recall(self) -> float:
        """Share of the gold edges found."""
        return self.found / self.gold if self.gold else 0.0


def edge_recall(items: Sequence[Item], root: Path, links: Links | None = None) -> list[EdgeRecall]:
    """Internal and external recall; *items* are all rows of the rulebooks, empty headings too, for headings are cited."""
    links = links or detect(items)
    place = {item.id: at for at, item in enumerate(items)}
    with (root / GOLD).open(encoding="utf-8", newline="") as file:
        rows = {(row["ReferenceType"], row["SourceID"], row["TargetID"]) for row in csv.DictReader(file) if row["TargetID"]}
    found = []
    for kind in ("Internal", "External"):
        pairs = [(source, target) for row_kind, source, target in rows if row_kind == kind]
        known = [(place[source], place[target]) for source, target in pairs if source in place and target in place]
        hits = sum(target == source or target in links.out[source] for source, target in known)
        found.append(EdgeRecall(kind.lower(), len(known), hits, len(pairs) - len(known)))
    return found
