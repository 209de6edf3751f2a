from collections.abc import Sequence

from pincite.evaluate.measures.share import Share
from pincite.evaluate.outcome import Outcome


def mrr(outcomes: Sequence[Outcome]) -> Share:
    """Mean over the questions in scope of 1 / rank of the first passage that stands on expected evidence; 0 where none does."""
    ranks = [min((rank for rank in outcome.cited if rank), default=None) for outcome in outcomes if outcome.question.in_scope]
    return Share("mrr", sum(1 / rank for rank in ranks if rank), len(ranks))
