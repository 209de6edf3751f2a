"""What came of one staff question, in the terms the measures count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pincite.evaluate.outcome import Extent
from pincite.evaluate.staff.observe import Observed
from pincite.evaluate.staff.questions import Question
from pincite.retrieve.profiles import Activation


class Owed(NamedTuple):
    """Where an obligation's place stands in the corpus; nothing where the corpus does not hold it."""

    node_id: str
    chunk_ids: frozenset[str]  # passages that show it
    extents: tuple[Extent, ...]  # its quotable bytes
    dependencies: tuple[tuple[str, frozenset[str]], ...]  # resolved references out of it: (edge_id, target's chunk_ids)


class Asked(NamedTuple):
    """One question, its answer as JSON, and what the tables say of it. ``owed`` is in the order of its obligations."""

    question: Question
    owed: tuple[Owed, ...]
    answer: Mapping[str, Any]
    paths: Sequence[Mapping[str, Any]]
    observed: Observed
    activations: tuple[Activation, ...]
    covered: tuple[bool, ...]  # per obligation: whether every quotable byte of its place was delivered
    seconds: float

    @property
    def delivered(self) -> frozenset[str]:
        """chunk_ids; none where it was not answered."""
        if self.answer["status"] != "answered":
            return frozenset()
        return frozenset(passage["chunk_id"] for passage in self.answer["passages"])

    @property
    def ranked(self) -> list[str]:
        """chunk_ids search proposed, best first, whatever became of them."""
        return [candidate["chunk_id"] for candidate in self.answer["trace"]["candidates"]]


class Reading(NamedTuple):
    """One measured figure. ``value`` is None where it was not measured; ``denominator`` is 0 where it has none."""

    measure: str
    value: float | None
    denominator: int = 0
    unit: str = ""
    note: str = ""
