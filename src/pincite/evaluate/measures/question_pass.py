from collections.abc import Sequence

from pincite.evaluate.measures.share import Share
from pincite.evaluate.outcome import Outcome


def passed(outcome: Outcome) -> bool:
    """In scope: answered with every byte of the expected evidence. Out of scope: abstained."""
    if outcome.question.in_scope:
        return outcome.answered and all(outcome.whole)
    return outcome.status == "abstained"


def question_pass(outcomes: Sequence[Outcome]) -> Share:
    """Questions that passed / all questions."""
    return Share("question_pass", sum(map(passed, outcomes)), len(outcomes))
