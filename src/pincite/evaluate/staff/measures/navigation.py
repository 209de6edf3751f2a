from collections.abc import Sequence

from pincite.evaluate.staff.outcome import Asked, Reading
from pincite.evaluate.staff.package import KINDS


def navigation(asked: Sequence[Asked]) -> list[Reading]:
    """Obligations whose place a path leads to, by kind: restored by an exact edge, declared by a profile, inferred.

    A package with a fault leads nowhere: what it says of its paths is not relied on.
    """
    owed = [(each, one) for each in asked for one in each.owed]
    faults = [f"{each.question.question_id}: {fault.check}" for each in asked for fault in each.observed.faults]
    return [
        Reading(
            f"location navigation, {kind}",
            sum(bool(one.chunk_ids & _led_to(each, kind)) for each, one in owed),
            len(owed),
            "obligations",
            "; ".join(faults),
        )
        for kind in KINDS
    ]


def _led_to(asked: Asked, kind: str) -> set[str]:
    if asked.observed.faults:
        return set()
    return {path["to"] for path in asked.paths if path["kind"] == kind}
