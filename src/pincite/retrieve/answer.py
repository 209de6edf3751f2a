"""A question's way to quotable evidence: search, abstain, expand, follow, assemble. Every step leaves its trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pincite.index.local import LocalIndex
from pincite.model import Answer, AnswerPassage, Candidate, Cut, Passage, RetrievalRow, Trace, digest
from pincite.ports import Hit, VectorIndex
from pincite.retrieve import abstain as abstention
from pincite.retrieve import cited, follow
from pincite.retrieve.abstain import Abstainer, Decision, FloorAbstainer
from pincite.retrieve.corpus import Corpus, Origin

MAX_QUESTION = 10_000  # characters; longer texts are documents, to be cut before they are asked about


class Budget(NamedTuple):
    """What an answer may hold. The passages' estimated tokens never exceed ``tokens``."""

    tokens: int = 3000
    hits: int = 5  # passages taken from the search
    followed: int = 8  # passages reached by references
    per_reference: int = 2  # passages of one reference's target: it may name a whole part
    expanded: int = 4  # neighbours of the hits
    candidates: int = 20  # hits looked at


class _Basket:
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
    )


def answer(
    question: str,
    index: VectorIndex,
    corpus: Corpus,
    budget: Budget = Budget(),  # noqa: B008 - an immutable tuple
    follow: int = 1,
    abstainer: Abstainer | None = None,
) -> Answer:
    """Evidence for *question*, or an honest nothing. ``follow=0`` is the baseline, ``follow=1`` follows references one hop.

    *abstainer* decides whether there is an answer here; without one the index's declared floor does. Status is ``refused``
    where the question cannot be asked (empty, over-long, binary) or index and corpus disagree; nothing is then searched.
    """
    refusal = _refusal(question, index, corpus)
    if refusal:
        return _nothing(question, "refused", refusal, index, budget, follow)
    named = cited.lookup(question, corpus)
    hits = [hit for hit in index.search(question, budget.candidates) if hit.chunk_id in corpus.passages]
    seen = abstention.features(question, hits, corpus, _lexicon(index)) | named.features()
    decision = _decide(named, hits, seen, abstainer or FloorAbstainer(index.floor()))
    if decision.abstain:
        return _nothing(
            question, "abstained", decision.reason, index, budget, follow, decision, seen, _candidates(hits, corpus)
        )
    basket = _Basket(budget.tokens, corpus)
    _take_found(basket, named, hits, corpus, budget)
    found = [corpus.passages[passage.chunk_id] for passage in basket.taken]
    if follow:
        _take_followed(basket, found, question, index, corpus, budget)
    _take_neighbours(basket, found, corpus, budget)
    if not basket.taken:
        return _nothing(question, "refused", f"no passage fits the budget of {budget.tokens} tokens", index, budget, follow)
    ids = {passage.chunk_id for passage in basket.taken}
    trace = _trace(index, budget, follow, decision, seen, _candidates(hits, corpus, ids), basket.cut, basket.tokens)
    return Answer(question, "answered", "", tuple(basket.taken), trace)


def _refusal(question: str, index: VectorIndex, corpus: Corpus) -> str:
    if not question.strip():
        return "the question is empty"
    if len(question) > MAX_QUESTION:
        return f"the question has {len(question)} characters, at most {MAX_QUESTION} are accepted"
    if any(character < " " and not character.isspace() for character in question) or "\ufffd" in question:
        return "the question holds binary data"
    indexable = sum(passage.indexable for passage in corpus.passages.values())
    if index.count() != indexable:
        return (
            f"index and tables disagree: {index.count()} passages indexed, {indexable} in the chunks table; rebuild the index"
        )
    return ""


def _lexicon(index: VectorIndex) -> abstention.Lexicon | None:
    return index if isinstance(index, LocalIndex) else None


def _decide(named: cited.Named, hits: Sequence[Hit], seen: dict[str, float], abstainer: Abstainer) -> Decision:
    """A citation that is here settles it; one that is neither here nor cited here settles it the other way."""
    if named.passages:
        return Decision(False, 1.0)
    if named.outside and not named.containers and not named.discussed:
        return Decision(True, 0.0, f"the question names {', '.join(named.outside)}, which this corpus does not hold")
    if not hits:
        return Decision(True, 0.0, "nothing in the corpus has any of the question's words")
    return abstainer(hits, seen)


def _take_found(basket: _Basket, named: cited.Named, hits: Sequence[Hit], corpus: Corpus, budget: Budget) -> None:
    for passage, citation in named.passages[: budget.hits]:
        basket.offer(passage, "cited", f"named in the question as {citation}")
    for hit in hits:
        if len(basket.taken) >= budget.hits:
            break
        ranks = ", ".join(f"{name} {rank}" for name, rank in sorted(hit.ranks.items()))
        basket.offer(corpus.passages[hit.chunk_id], "search", f"found by search ({ranks})", score=hit.score)


def _take_followed(
    basket: _Basket, found: Sequence[Passage], question: str, index: VectorIndex, corpus: Corpus, budget: Budget
) -> None:
    steps, cut = follow.steps(found, corpus)
    basket.cut += cut
    relevance = _relevance(question, index, {passage.chunk_id for step in steps for passage in step.targets})
    left = budget.followed
    for step in steps:
        for passage in follow.choose(step.targets, relevance, budget.per_reference):
            why = f"followed from {step.source.node_id} (“{step.edge.mention}”)"
            if left == 0 and passage not in basket:
                basket.cut.append(
                    Cut(passage.chunk_id, passage.node_id, "follow", f"budget: {budget.followed} followed passages")
                )
            else:
                left -= basket.offer(passage, "follow", why, step.edge.edge_id)


def _relevance(question: str, index: VectorIndex, chunk_ids: set[str]) -> dict[str, int]:
    """The rank of each of *chunk_ids* for the question, among themselves."""
    if not chunk_ids:
        return {}
    hits = index.search(question, len(chunk_ids), filters={"chunk_id": sorted(chunk_ids)})
    return {hit.chunk_id: rank for rank, hit in enumerate(hits, start=1)}


def _take_neighbours(basket: _Basket, found: Sequence[Passage], corpus: Corpus, budget: Budget) -> None:
    """The rest of each found passage's section, the nearest first, the lead-in (its first passage) before all."""
    left = budget.expanded
    for passage in found:
        unit = corpus.unit(passage)
        for other in _by_distance(passage, corpus.by_unit.get((passage.document_id, unit), ())):
            if left == 0:
                return
            if other.indexable:
                left -= basket.offer(other, "expand", f"stands beside {passage.node_id} in {unit}")


def _by_distance(passage: Passage, unit: Sequence[Passage]) -> list[Passage]:
    others = [other for other in unit if other.chunk_id != passage.chunk_id]
    return sorted(others, key=lambda other: (other is not unit[0], abs(other.ordinal - passage.ordinal), other.ordinal))


def _candidates(hits: Sequence[Hit], corpus: Corpus, selected: Iterable[str] = ()) -> tuple[Candidate, ...]:
    chosen = frozenset(selected)
    return tuple(_candidate(hit, corpus.passages[hit.chunk_id].node_id, hit.chunk_id in chosen) for hit in hits)


def _candidate(hit: Hit, node_id: str, selected: bool) -> Candidate:
    ranks = (hit.ranks.get("bm25"), hit.ranks.get("vector"))
    return Candidate(hit.chunk_id, node_id, hit.score, *ranks, hit.scores.get("bm25"), hit.scores.get("vector"), selected)


def _nothing(
    question: str,
    status: str,
    reason: str,
    index: VectorIndex,
    budget: Budget,
    follow: int,
    decision: Decision = Decision(True, 0.0),  # noqa: B008 - an immutable tuple
    seen: dict[str, float] | None = None,
    candidates: tuple[Candidate, ...] = (),
) -> Answer:
    return Answer(question, status, reason, (), _trace(index, budget, follow, decision, seen or {}, candidates, [], 0))


def _trace(
    index: VectorIndex,
    budget: Budget,
    follow: int,
    decision: Decision,
    seen: dict[str, float],
    candidates: tuple[Candidate, ...],
    cut: list[Cut],
    tokens: int,
) -> Trace:
    floor = index.floor()
    return Trace(
        floor.backend, floor.query_type, floor.value, floor.calibration, decision.confidence, seen, candidates, tuple(cut),
        tokens, budget.tokens, follow,
    )  # fmt: skip


def log_row(answer: Answer, logged_at: str, seconds: float, chunks_version: int = -1) -> RetrievalRow:
    """The row of ``retrieval_log`` for an answer given at *logged_at* (UTC, ISO 8601), which took so many *seconds*."""
    trace = answer.trace
    return RetrievalRow(
        retrieval_id=digest(logged_at, answer.question, trace, *(passage.chunk_id for passage in answer.passages)),
        logged_at=logged_at,
        question=answer.question,
        mode="edge_aware" if trace.follow else "baseline",
        backend=trace.backend,
        query_type=trace.query_type,
        floor=trace.floor,
        floor_calibration=trace.calibration,
        confidence=trace.confidence,
        candidates=trace.candidates,
        selected=tuple(passage.chunk_id for passage in answer.passages),
        followed=tuple(dict.fromkeys(passage.edge_id for passage in answer.passages if passage.edge_id)),
        cut=trace.cut,
        tokens=trace.tokens,
        budget=trace.budget,
        status=answer.status,
        reason=answer.reason,
        seconds=seconds,
        chunks_version=chunks_version,
    )
