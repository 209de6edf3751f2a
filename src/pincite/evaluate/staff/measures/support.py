from collections.abc import Sequence

from pincite.evaluate.staff.outcome import Asked, Reading


def claim_support(asked: Sequence[Asked]) -> list[Reading]:
    """Whether what is delivered supports what would be claimed: for a separate evaluation with readers."""
    owed = sum(len(each.owed) for each in asked)
    return [Reading("claim support", None, owed, "obligations", "not measured: it needs claims and readers who judge them")]
