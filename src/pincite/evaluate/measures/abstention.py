from collections.abc import Sequence

from pincite.evaluate.measures.share import Share
from pincite.evaluate.outcome import Outcome


def right_abstention(outcomes: Sequence[Outcome]) -> Share:
    """Questions out of scope on which it abstained / questions out of scope. An error is not an abstention."""
    decisions = [outcome.status == "abstained" for outcome in outcomes if not outcome.question.in_scope]
    return Share("right_abstention", sum(decisions), len(decisions))


def wrong_abstention(outcomes: Sequence[Outcome]) -> Share:
    """Questions in scope on which it abstained / questions in scope. Lower is better."""
    decisions = [outcome.status == "abstained" for outcome in outcomes if outcome.question.in_scope]
    return Share("wrong_abstention", sum(decisions), len(decisions))
