from collections.abc import Sequence

from pincite.evaluate.measures.share import Share
from pincite.evaluate.outcome import Outcome


def edge_recall(outcomes: Sequence[Outcome]) -> Share:
    """Citation recall over the questions that need a cross-reference, sources and targets both."""
    cited = [rank is not None for outcome in outcomes if outcome.question.kind == "edge" for rank in outcome.cited]
    return Share("edge_recall", sum(cited), len(cited))
