"""Ask every question, compare what came back with what was expected, count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pincite.errors import PinciteError, UsageError
from pincite.evaluate.gold import Expected, Gold, Question
from pincite.evaluate.measures import ALL, Share
from pincite.evaluate.outcome import Delivered, Extent, Outcome, Pages, failed, locate, observe
from pincite.model import Block


class Reply(NamedTuple):
    """What an answering function gives back for one question."""

    status: str  # answered, abstained, refused
    passages: tuple[Delivered, ...]
    score: float = 0.0


class Setting(NamedTuple):
    """One configuration under evaluation."""

    name: str  # "baseline", "edge-aware"
    answer: Callable[[str], Reply]
    index_kind: str
    floor: float | None
    parameters: Mapping[str, str] = {}


class Report(NamedTuple):
    """What one setting did on one part of a gold set."""

    setting: Setting
    part: str
    outcomes: tuple[Outcome, ...]
    shares: tuple[Share, ...]

    def share(self, name: str) -> Share:
        return next(share for share in self.shares if share.name == name)


def run(
    gold: Gold, part: str, settings: Iterable[Setting], blocks: Mapping[str, Sequence[Block]], pages: Pages
) -> list[Report]:
    """One report per setting, over the questions of *part*, all measures each.

    *blocks* is each document's partition and *pages* its extracted text, to place and re-verify evidence. A gold set whose
    evidence is no longer in the corpus is refused: it would be counted against the retrieval.
    """
    questions = gold.part(part)
    if not questions:
        raise UsageError(f"the gold set has no questions of part {part!r}", next="choose dev, test or all")
    extents = locate(questions, blocks)
    for question in questions:
        for expected in question.expected:
            if not expected.spans or len(extents[expected]) != len(expected.spans):
                raise UsageError(
                    f"the evidence expected at {expected.node_id} for question {question.question_id!r} is not in the corpus",
                    next="if the corpus has changed on purpose, review the answer and run python -m pincite.evaluate.pin",
                )
    reports = []
    for setting in settings:
        outcomes = tuple(_ask(setting, question, extents, pages) for question in questions)
        reports.append(Report(setting, part, outcomes, measure(outcomes, setting)))
    return reports


def _ask(setting: Setting, question: Question, extents: Mapping[Expected, tuple[Extent, ...]], pages: Pages) -> Outcome:
    try:
        reply = setting.answer(question.text)
    except PinciteError as error:
        return failed(question, str(error))
    return observe(question, reply.status, reply.passages, extents, pages, reply.score)


def measure(outcomes: Sequence[Outcome], setting: Setting) -> tuple[Share, ...]:
    """Every measure of these outcomes, labelled with what was searched and the floor in force."""
    return tuple(one(outcomes)._replace(index_kind=setting.index_kind, floor=setting.floor) for one in ALL)


def shortfalls(gold: Gold, baseline: Report, aware: Report) -> list[str]:
    """Each agreed floor that the edge-aware run misses, as a sentence."""
    reached = {
        "citation_recall": aware.share("citation_recall").value,
        "abstention": aware.share("right_abstention").value,
        "edge_gain": aware.share("edge_recall").value - baseline.share("edge_recall").value,
    }
    unknown = sorted(set(gold.agreed) - set(reached))
    if unknown:
        raise UsageError(f"the gold set agrees on {unknown[0]!r}, which is not measured", next=f"use {', '.join(reached)}")
    return [
        f"{name} is {reached[name]:.3f}, agreed {floor:.3f}"
        for name, floor in gold.agreed.items()
        if reached[name] < floor - 1e-12
    ]
