"""What the tables hold, as the staff measures need it: plain mappings, made once from a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from pincite.evaluate.staff.questions import StaffGold
from pincite.model import Edge, Passage
from pincite.retrieve.profiles import Profile, Profiles, known_places

if TYPE_CHECKING:
    from pincite.retrieve.corpus import Corpus


class Held(NamedTuple):
    """Facts to judge a package by. Nothing in it comes from the package."""

    records: Mapping[str, Passage]  # by chunk_id
    edges: Mapping[str, Edge]  # by edge_id
    shown: Mapping[str, frozenset[str]]  # node_id -> chunk_ids that show it
    holders: Mapping[str, tuple[str, ...]]  # node_id -> document_ids
    reserved: frozenset[str]  # node_ids the source reserves without text
    editions: Mapping[str, str]  # document_id -> corpus_version
    benefits: Mapping[str, frozenset[str]]  # document_id -> benefits it is about, where known
    profiles: Mapping[str, Profile]


def held_of(corpus: Corpus, gold: StaffGold) -> Held:
    """The facts of *corpus* that *gold* can ask for."""
    edges = {edge.edge_id: edge for edge in corpus.edges}
    wanted = {route for profile in gold.profiles.values() for route in profile.routes}
    wanted |= {guard.value for profile in gold.profiles.values() for guard in profile.guards}
    known = known_places(corpus, Profiles(gold.profiles, gold.benefits()))
    return Held(
        records=corpus.passages,
        edges=edges,
        shown={node_id: frozenset(passage.chunk_id for passage in corpus.chunks_of(node_id)) for node_id in wanted},
        holders=known.holders,
        reserved=known.reserved,
        editions=known.editions,
        benefits=known.benefits,
        profiles=known.profiles,
    )
