from collections.abc import Sequence

from pincite.evaluate.measures.share import Share
from pincite.evaluate.outcome import Outcome


def hit_rate(outcomes: Sequence[Outcome]) -> Share:
    """Questions in scope with at least one expected node delivered / questions in scope."""
    hits = [any(rank is not None for rank in outcome.cited) for outcome in outcomes if outcome.question.in_scope]
    return Share("hit_rate", sum(hits), len(hits))
