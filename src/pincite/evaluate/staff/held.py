"""What the tables hold, as the staff measures need it: plain mappings, made once from a corpus."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from pincite.evaluate.staff.questions import Profile, StaffGold
from pincite.model import Edge, Passage
from pincite.retrieve.show import in_range

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

    @property
    def known_benefits(self) -> frozenset[str]:
        """Every benefit some document is about."""
        return frozenset(benefit for each in self.benefits.values() for benefit in each)


def held_of(corpus: Corpus, gold: StaffGold) -> Held:
    """The facts of *corpus* that *gold* can ask for."""
    edges = {edge.edge_id: edge for edge in corpus.edges}
    wanted = {route for profile in gold.profiles.values() for route in profile.routes}
    wanted |= {guard.value for profile in gold.profiles.values() for guard in profile.guards}
    return Held(
        records=corpus.passages,
        edges=edges,
        shown={node_id: frozenset(passage.chunk_id for passage in corpus.chunks_of(node_id)) for node_id in wanted},
        holders={node_id: tuple(document_id for document_id, _ in nodes) for node_id, nodes in corpus.nodes.items()},
        reserved=frozenset(node.node_id for _, node in corpus.all_nodes if node.reserved),
        editions={passage.document_id: passage.corpus_version for passage in corpus.passages.values()},
        benefits=gold.benefits(),
        profiles=gold.profiles,
    )


def is_reserved(node_id: str, reserved: frozenset[str]) -> bool:
    """Whether a place is reserved itself, or lies in a reserved range ("DMG 77038" in "DMG 77036-77040").

    >>> is_reserved("DMG 77038", frozenset({"DMG 77036-77040"}))
    True
    >>> is_reserved("DMG 77041", frozenset({"DMG 77036-77040"}))
    False
    """
    if node_id in reserved:
        return True
    return any(in_range(node_id, name) for name in reserved)


def is_bare_abbreviation(name: str) -> bool:
    """Whether a name is an abbreviation and nothing else ("SPC", "ADM Abbreviations: LCW"): it names no place or concept.

    >>> [is_bare_abbreviation(name) for name in ("SPC", "ADM Abbreviations: LCW", "DMG 77161", "mixed-age couple")]
    [True, True, False, False]
    """
    last = name.rpartition(": ")[2].strip("“”\"'")
    return re.fullmatch(r"[A-Z][A-Za-z&.]{0,9}", last) is not None and sum(letter.isupper() for letter in last) >= 2
