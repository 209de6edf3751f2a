from collections.abc import Sequence

from pincite.evaluate.measures.share import Share
from pincite.evaluate.outcome import Outcome


def citation_recall(outcomes: Sequence[Outcome]) -> Share:
    """Expected nodes that some delivered passage stands on / all expected nodes."""
    cited = [rank is not None for outcome in outcomes for rank in outcome.cited]
    return Share("citation_recall", sum(cited), len(cited))
