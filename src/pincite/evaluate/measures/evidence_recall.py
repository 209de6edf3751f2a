from collections.abc import Sequence

from pincite.evaluate.measures.share import Share
from pincite.evaluate.outcome import Outcome


def evidence_recall(outcomes: Sequence[Outcome]) -> Share:
    """Expected evidence delivered to its last word / all expected evidence. A passage cut in the middle does not count."""
    whole = [delivered for outcome in outcomes for delivered in outcome.whole]
    return Share("evidence_recall", sum(whole), len(whole))
