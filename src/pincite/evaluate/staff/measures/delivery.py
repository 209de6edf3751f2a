from collections.abc import Sequence

from pincite.evaluate.staff.outcome import Asked, Reading


def whole_unit_delivery(asked: Sequence[Asked]) -> list[Reading]:
    """Obligations whose place was delivered whole: every quotable byte of it in the source lies in a delivered span."""
    covered = [whole for each in asked for whole in each.covered]
    return [Reading("whole-unit delivery", sum(covered), len(covered), "obligations")]
