"""A question's way to quotable evidence: search, abstain, expand, follow, assemble. Every step leaves its trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pincite.index.local import LocalIndex
from pincite.model import Answer, Candidate, RetrievalRow, Trace, digest
from pincite.ports import Floor, Hit, VectorIndex
from pincite.retrieve import abstain as abstention
from pincite.retrieve import cited
from pincite.retrieve.abstain import Abstainer, Decision, FloorAbstainer, Uncalibrated
from pincite.retrieve.assemble import (
    Basket,
    Budget,
    take_declared,
    take_followed,
    take_found,
    take_further,
    take_neighbours,
    take_parents,
    take_rest,
)
from pincite.retrieve.corpus import Corpus

MAX_QUESTION = 10_000  # characters; longer texts are documents, to be cut before they are asked about


def answer(
    question: str,
    index: VectorIndex,
    corpus: Corpus,
    budget: Budget = Budget(),  # noqa: B008 - an immutable tuple
    follow: int = 1,
    abstainer: Abstainer | None = None,
    declared: Sequence[str] = (),
) -> Answer:
    """Evidence for *question*, or an honest nothing. ``follow=0`` is the baseline, ``follow=1`` follows references one hop.

    *declared* are places (node_ids) that profiles open for what the question is about, delivered whole after the hits.
    *abstainer* decides whether there is an answer here; without one the index's declared floor does. Status is ``refused``
    where the question cannot be asked (empty, over-long, binary), index and corpus disagree, or no passage fits the budget.
    """
    declared_floor = index.floor()
    abstainer = abstainer or (FloorAbstainer if declared_floor.value else Uncalibrated)(declared_floor)
    floor: Floor = getattr(abstainer, "floor", declared_floor)
    trace = Trace(*floor, 0.0, {}, (), (), 0, budget.tokens, follow)
    refusal = _refusal(question, index, corpus)
    if refusal:
        return Answer(question, "refused", refusal, (), trace)
    named = cited.lookup(question, corpus)
    hits = _search(question, named, index, corpus, budget)
    seen = abstention.features(question, hits, corpus, _lexicon(index)) | named.features()
    decision = _decide(named, hits, seen, abstainer)
    trace = trace._replace(confidence=decision.confidence, features=seen)
    if decision.abstain:
        return Answer(question, "abstained", decision.reason, (), trace._replace(candidates=_candidates(hits, corpus)))
    basket = _fill(question, named, hits, index, corpus, budget, follow, declared)
    ids = {passage.chunk_id for passage in basket.taken}
    trace = trace._replace(candidates=_candidates(hits, corpus, ids), cut=tuple(basket.cut), tokens=basket.tokens)
    if not basket.taken:
        return Answer(question, "refused", f"no passage fits the budget of {budget.tokens} tokens", (), trace)
    return Answer(question, "answered", "", tuple(basket.taken), trace)


def _fill(
    question: str,
    named: cited.Named,
    hits: Sequence[Hit],
    index: VectorIndex,
    corpus: Corpus,
    budget: Budget,
    follow: int,
    declared: Sequence[str],
) -> Basket:
    basket = Basket(budget.tokens, corpus)
    take_found(basket, named, hits, corpus, budget)
    take_declared(basket, declared, corpus)
    take_rest(basket, corpus)
    found = [corpus.passages[passage.chunk_id] for passage in basket.taken]
    take_parents(basket, found, corpus, budget)
    if follow:
        take_followed(basket, found, question, index, corpus, budget)
        take_rest(basket, corpus)
    take_neighbours(basket, found, corpus, budget)
    if corpus.has_manuals if budget.fill is None else budget.fill:
        take_further(basket, hits, corpus)
    return basket


def _refusal(question: str, index: VectorIndex, corpus: Corpus) -> str:
    if not question.strip():
        return "the question is empty"
    if len(question) > MAX_QUESTION:
        return f"the question has {len(question)} characters, at most {MAX_QUESTION} are accepted"
    if any(character < " " and not character.isspace() for character in question) or "\ufffd" in question:
        return "the question holds binary data"
    indexed, indexable = index.count(), corpus.indexable
    if indexed != indexable:
        return f"index and tables disagree: {indexed} passages indexed, {indexable} in the chunks table; rebuild the index"
    return ""


def _search(question: str, named: cited.Named, index: VectorIndex, corpus: Corpus, budget: Budget) -> list[Hit]:
    """The candidates. Citations that were looked up are not searched for too; a question of nothing else needs no search."""
    if named.passages:
        question = named.rest
        if not abstention.subject(question):
            return []
    return [hit for hit in index.search(question, budget.candidates) if hit.chunk_id in corpus.passages]


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


def _candidates(hits: Sequence[Hit], corpus: Corpus, selected: Iterable[str] = ()) -> tuple[Candidate, ...]:
    chosen = frozenset(selected)
    return tuple(_candidate(hit, corpus.passages[hit.chunk_id].node_id, hit.chunk_id in chosen) for hit in hits)


def _candidate(hit: Hit, node_id: str, selected: bool) -> Candidate:
    ranks = (hit.ranks.get("bm25"), hit.ranks.get("vector"))
    return Candidate(hit.chunk_id, node_id, hit.score, *ranks, hit.scores.get("bm25"), hit.scores.get("vector"), selected)


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
