"""Filling an answer within its budget: what was found, what it sends the reader to, what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from pincite.model import AnswerPassage, Cut, Passage
from pincite.ports import Hit, VectorIndex
from pincite.retrieve import follow
from pincite.retrieve.cited import Named
from pincite.retrieve.corpus import Corpus, Origin

_WORD = re.compile(r"\w+")


class Budget(NamedTuple):
    """What an answer may hold. The passages' estimated tokens never exceed ``tokens``."""

    tokens: int = 3000
    hits: int = 5  # passages taken from the search
    followed: int = 16  # passages reached by references
    per_reference: int = 8  # passages of one reference's target: it may name a whole section
    expanded: int = 2  # neighbours of the hits
    parents: int = 5  # of the hits in documents of a team's own, what they stand under
    candidates: int = 20  # hits looked at
    fill: bool | None = None  # whether what is left goes to further hits, each with all of its place; None: of manuals it does


class Basket:
    """Passages taken so far, within the budget; what does not fit is remembered with its reason."""

    def __init__(self, budget: int, corpus: Corpus) -> None:
        self.taken: list[AnswerPassage] = []
        self.cut: list[Cut] = []
        self.tokens = 0
        self._budget, self._corpus = budget, corpus
        self._ids: set[str] = set()

    def __contains__(self, passage: Passage) -> bool:
        return passage.chunk_id in self._ids

    def offer(self, passage: Passage, step: str, provenance: str, edge_id: str = "", score: float | None = None) -> bool:
        """Take *passage* unless it is here already or does not fit. Returns whether it was taken."""
        if passage in self:
            return False
        if self.tokens + passage.tokens > self._budget:
            left = self._budget - self.tokens
            self.cut.append(Cut(passage.chunk_id, passage.node_id, step, f"budget: {passage.tokens} tokens, {left} left"))
            return False
        origin = self._corpus.origins[passage.document_id]
        self._ids.add(passage.chunk_id)
        self.tokens += passage.tokens
        self.taken.append(_quoted(passage, origin, step, provenance, edge_id, score))
        return True


def _quoted(passage: Passage, origin: Origin, step: str, provenance: str, edge_id: str, score: float | None) -> AnswerPassage:
    return AnswerPassage(
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        corpus_version=passage.corpus_version,
        node_id=passage.node_id,
        breadcrumb=passage.breadcrumb,
        role=passage.role,
        evidence_text=passage.evidence_text,
        spans=passage.spans,
        path=origin.path,
        source_sha256=origin.source_sha256,
        derivation=passage.derivation,
        tokens=passage.tokens,
        step=step,
        provenance=provenance,
        edge_id=edge_id,
        score=score,
        reading=_reading(passage),
    )


def _reading(passage: Passage) -> str:
    """The rows of a table with the names of their columns; "" where the words themselves say as much."""
    if passage.role != "table" or passage.groundedness is not None:  # a model may have rewritten the text for matching
        return ""
    above = f"{passage.breadcrumb}\n"  # a title may have lines; a long breadcrumb stands there shortened, in one
    whole = passage.retrieval_text
    shown = whole.removeprefix(above) if whole.startswith(above) else whole.partition("\n")[2]
    return shown if set(_WORD.findall(shown)) > set(_WORD.findall(passage.evidence_text)) else ""


def take_found(basket: Basket, named: Named, hits: Sequence[Hit], corpus: Corpus, budget: Budget) -> None:
    for passage, citation in named.passages[: budget.hits]:
        basket.offer(passage, "cited", f"named in the question as {citation}")
    for hit in hits:
        if len(basket.taken) >= budget.hits:
            break
        ranks = ", ".join(f"{name} {rank}" for name, rank in sorted(hit.ranks.items()))
        basket.offer(corpus.passages[hit.chunk_id], "search", f"found by search ({ranks})", score=hit.score)


def take_declared(basket: Basket, declared: Sequence[str], corpus: Corpus) -> None:
    """The whole of each place that a profile declares for what the question is about."""
    for node_id in declared:
        for passage in corpus.chunks_of(node_id):
            basket.offer(passage, "declared", f"declared by a profile: {node_id}")


def take_further(basket: Basket, hits: Sequence[Hit], corpus: Corpus) -> None:
    """The hits that come after those taken, best first, each with the rest of its place, as long as they fit."""
    for hit in hits:
        passage = corpus.passages[hit.chunk_id]
        if basket.offer(passage, "search", "found by search, within what was left of the budget", score=hit.score):
            for other in corpus.chunks_of(passage.node_id):
                basket.offer(other, "expand", f"the rest of {passage.node_id}")


def take_rest(basket: Basket, corpus: Corpus) -> None:
    """The rest of every paragraph taken so far that was cut in the middle for its length: half of one is no quotation."""
    for taken in tuple(basket.taken):
        passage = corpus.passages[taken.chunk_id]
        for other in corpus.continuations(passage):
            basket.offer(other, "expand", f"the rest of {passage.node_id}")


def take_followed(
    basket: Basket, found: Sequence[Passage], question: str, index: VectorIndex, corpus: Corpus, budget: Budget
) -> None:
    """The targets of the found passages' references: of each its most relevant passage first, then of each the second.

    So a reference to a whole section does not crowd out the others.
    """
    steps, cut = follow.steps(found, corpus)
    basket.cut += cut
    relevance = _relevance(question, index, {passage.chunk_id for step in steps for passage in step.targets})
    queues = [follow.choose(step.targets, relevance, budget.per_reference) for step in steps]
    left = budget.followed
    for turn in zip_longest(*queues):
        for step, passage in zip(steps, turn):
            if passage is None or passage in basket:
                continue
            if left == 0:
                basket.cut.append(
                    Cut(passage.chunk_id, passage.node_id, "follow", f"budget: {budget.followed} followed passages")
                )
            else:
                why = f"followed from {step.source.node_id} (“{step.edge.mention}”)"
                left -= basket.offer(passage, "follow", why, step.edge.edge_id)


def _relevance(question: str, index: VectorIndex, chunk_ids: set[str]) -> dict[str, int]:
    """The rank of each of *chunk_ids* for the question, among themselves."""
    if not chunk_ids:
        return {}
    hits = index.search(question, len(chunk_ids), filters={"chunk_id": sorted(chunk_ids)})
    return {hit.chunk_id: rank for rank, hit in enumerate(hits, start=1)}


def take_parents(basket: Basket, found: Sequence[Passage], corpus: Corpus, budget: Budget) -> None:
    """What each found passage stands under: "8 business hours" beside the rule that says when they do not count."""
    left = budget.parents
    for passage in found:
        above = corpus.parent(passage)
        if left and above is not None:
            left -= basket.offer(above, "expand", f"{passage.node_id} stands under it")


def take_neighbours(basket: Basket, found: Sequence[Passage], corpus: Corpus, budget: Budget) -> None:
    """Neighbours in each found passage's section, the lead-in (its first passage) first, then the nearest.

    The found passages take turns, so that the best one does not use up the share of all.
    """
    units = {passage.chunk_id: corpus.unit(passage) for passage in found}
    queues = [
        _by_distance(passage, corpus.by_unit.get((passage.document_id, units[passage.chunk_id]), ())) for passage in found
    ]
    left = budget.expanded
    for turn in zip_longest(*queues):
        for passage, other in zip(found, turn):
            if left and other is not None and other.indexable:
                why = f"stands beside {passage.node_id} in {units[passage.chunk_id]}"
                left -= basket.offer(other, "expand", why)


def _by_distance(passage: Passage, unit: Sequence[Passage]) -> list[Passage]:
    others = [other for other in unit if other.chunk_id != passage.chunk_id]
    return sorted(others, key=lambda other: (other is not unit[0], abs(other.ordinal - passage.ordinal), other.ordinal))
