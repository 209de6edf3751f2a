"""The gate: does a rewrite say what its source says, no less and no more? Independent of any model, and pure.

``verify_grounding`` reads both texts in the same way and compares what it read: quantities, the words that turn a claim,
which number belongs to what, who does what to whom, and the vocabulary. Each check is a module; one reason is enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from pincite.enrich.gate import amounts, apparatus, binding, changes, edits, joints, plain, polarity, roles, surface, vocabulary
from pincite.enrich.gate.joined import Joined, abbreviated, join
from pincite.enrich.gate.near import Near
from pincite.enrich.gate.reading import Reading

GROUNDED, UNSUPPORTED = "grounded", "unsupported"
LEAST = 0.5
"""The least score of a grounded rewrite; a model that claims less than this for its own words is believed."""

LARGEST = 100_000
"""Characters of a rewrite; no passage is nearly as long."""

FORMS = ("text", "summary", "title", "question")
"""What a rewrite can be. A text and a summary may neither omit nor add; a title and a question may omit, and may not add."""


class Reason(NamedTuple):
    """Why a rewrite is not supported: a code of docs/enrichment.md, and what was found, for people."""

    code: str
    detail: str


class Grounding(NamedTuple):
    """``score`` from 0 to 1, the weaker of claim and measurement; ``verdict`` is ``grounded`` or ``unsupported``."""

    score: float
    verdict: str
    reasons: tuple[Reason, ...] = ()

    @property
    def grounded(self) -> bool:
        return self.verdict == GROUNDED


Check = Callable[[Joined, bool], list[tuple[str, str]]]
CHECKS: tuple[Check, ...] = (amounts.check, binding.check, roles.check, joints.check)


def verify_grounding(
    source: str, rewrite: str, claimed: float | None = None, form: str = "text", near: Near | None = None
) -> Grounding:
    """Whether *rewrite* is supported by *source*. *claimed*: the model's own opinion, 0 to 1, which can only lower the score.

    *near* (``near.open_near()``) lets more rewording through, by the nearness of words; without it the gate is stricter.

    >>> verify_grounding("Keep records for at least 30 days.", "Records must be kept for no less than thirty days.").verdict
    'grounded'
    >>> verify_grounding("Keep records for at least 30 days.", "Records must be kept for at most 30 days.").reasons[0].code
    'comparison'
    """
    if form not in FORMS:
        raise ValueError(f"form is one of {', '.join(FORMS)}, not {form!r}")
    found = surface.check(source, rewrite, LARGEST)
    copied = not found and source.split() == rewrite.split()
    measured = float(copied)
    if not found and not copied:
        both_ways = form in ("text", "summary")
        turned = apparatus.out_of_order(source, rewrite) if both_ways else []
        source, rewrite = apparatus.taken_off(source, rewrite, both_ways)
        rewrite = plain.in_words_of(source, rewrite)
        joined = join(Reading(abbreviated(source, rewrite)), Reading(abbreviated(rewrite, source)), near)
        found = turned + _reasons(joined, both_ways)
        measured = vocabulary.support(joined, both_ways)
    if found:
        measured = min(measured, 0.4)
    score = round(min(measured, _opinion(claimed)), 4)
    if not found and score < LEAST:
        found.append(("score", f"the score is {score}, the least is {LEAST}"))
    return Grounding(score, UNSUPPORTED if found else GROUNDED, tuple(Reason(*each) for each in found))


def _reasons(joined: Joined, both_ways: bool) -> list[tuple[str, str]]:
    found = [reason for check in CHECKS for reason in check(joined, both_ways)]
    turned = polarity.compare(joined, both_ways)
    found += turned.reasons + edits.check(joined, both_ways, turned.excused)
    return found + vocabulary.check(joined, both_ways, turned.excused) + (changes.check(joined) if both_ways else [])


def _opinion(claimed: float | None) -> float:
    """The model's claim as a bound; a claim that is no number from 0 to 1 is worth nothing."""
    if claimed is None:
        return 1.0
    return claimed if math.isfinite(claimed) and 0 <= claimed <= 1 else 0.0
