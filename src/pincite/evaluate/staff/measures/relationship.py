from collections.abc import Sequence

from pincite.evaluate.staff.outcome import Asked, Reading


def relationship_coverage(asked: Sequence[Asked]) -> list[Reading]:
    """Exact references from one obligation's place to another's of the same question, with both ends delivered."""
    related = [(each, first, edge_id, targets) for each in asked for first, edge_id, targets in _between(each)]
    kept = [edge_id for each, first, edge_id, targets in related if first & each.delivered and targets & each.delivered]
    return [Reading("relationship coverage", len(kept), len(related), "references between obligations")]


def _between(asked: Asked) -> list[tuple[frozenset[str], str, frozenset[str]]]:
    """(source's passages, edge, target's passages), each edge once."""
    places = frozenset(chunk_id for owed in asked.owed for chunk_id in owed.chunk_ids)
    found = {
        edge_id: (owed.chunk_ids, edge_id, targets & places)
        for owed in asked.owed
        for edge_id, targets in owed.dependencies
        if (targets & places) - owed.chunk_ids
    }
    return list(found.values())
