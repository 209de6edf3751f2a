"""One hop along exact references: from a passage that was found to the passage it sends the reader to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pincite.model import Cut, Edge, Passage
from pincite.retrieve.corpus import Corpus


class Step(NamedTuple):
    """A reference worth following: the edge, where it stands, and the target's passages, in document order."""

    edge: Edge
    source: Passage
    targets: tuple[Passage, ...]


def steps(sources: Sequence[Passage], corpus: Corpus) -> tuple[list[Step], list[Cut]]:
    """The exact, resolved, in-corpus references that stand in *sources*, in the order of reading, each target once.

    Of a range its two named ends are followed: it is never expanded into paragraphs nobody named. What is not followed is
    returned too, with its reason: a reference that is ambiguous, unresolved or leads outside the corpus is not exact.
    """
    found: list[Step] = []
    cut: list[Cut] = []
    seen: set[tuple[str | None, str | None]] = set()
    for source in sources:
        for edge in corpus.edges_from.get(source.chunk_id, ()):
            key = (edge.target_node_id, edge.target_end_node_id)
            if key in seen:
                continue
            seen.add(key)
            targets, reason = _targets(edge, corpus)
            if reason:
                cut.append(Cut("", edge.target_node_id or edge.mention, "follow", reason))
            elif targets:
                found.append(Step(edge, source, targets))
    return found, cut


def choose(targets: Sequence[Passage], relevance: Mapping[str, int], limit: int) -> list[Passage]:
    """The *limit* target passages most relevant to the question (rank by chunk_id), a target's opening before the rest."""
    last = len(relevance) + 1
    order = sorted(range(len(targets)), key=lambda at: (relevance.get(targets[at].chunk_id, last), at))
    return [targets[at] for at in order[:limit]]


def _targets(edge: Edge, corpus: Corpus) -> tuple[tuple[Passage, ...], str]:
    if edge.status != "resolved":
        return (), edge.status
    known = [corpus.passages[chunk_id] for chunk_id in edge.target_chunk_ids if chunk_id in corpus.passages]
    targets = tuple(passage for passage in known if passage.indexable and passage.chunk_id != edge.source_chunk_id)
    return targets, ""
