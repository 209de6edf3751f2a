from collections.abc import Sequence

from pincite.evaluate.staff.outcome import Asked, Reading

CUTOFFS = (5, 10, 20)


def discovery(asked: Sequence[Asked]) -> list[Reading]:
    """Obligations whose passage is among the first k that search proposed, whether or not it was delivered."""
    owed = [(each, one) for each in asked for one in each.owed]
    return [
        Reading(
            f"discovery@{k}", sum(bool(one.chunk_ids & set(each.ranked[:k])) for each, one in owed), len(owed), "obligations"
        )
        for k in CUTOFFS
    ]
