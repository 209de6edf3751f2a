from collections.abc import Sequence

from pincite.evaluate.measures.share import Share
from pincite.evaluate.outcome import Outcome


def quotable_share(outcomes: Sequence[Outcome]) -> Share:
    """Delivered passages that slice back to exactly their quoted text / all delivered passages."""
    delivered = sum(len(outcome.delivered) for outcome in outcomes)
    return Share("quotable_share", sum(outcome.quotable for outcome in outcomes), delivered)
