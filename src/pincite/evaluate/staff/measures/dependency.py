from collections.abc import Sequence

from pincite.evaluate.staff.outcome import Asked, Reading


def dependency_coverage(asked: Sequence[Asked]) -> list[Reading]:
    """Exact references out of the obligations' places whose target was delivered. The denominator is all there are in them."""
    edges = [(each, targets) for each in asked for targets in _dependencies(each)]
    kept = sum(bool(targets & each.delivered) for each, targets in edges)
    return [Reading("dependency coverage", kept, len(edges), "references out of obligations")]


def _dependencies(asked: Asked) -> list[frozenset[str]]:
    return list({edge_id: targets for owed in asked.owed for edge_id, targets in owed.dependencies}.values())
