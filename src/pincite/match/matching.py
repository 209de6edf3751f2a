"""A case's facts to laws: ranked, each with the neighbours' exact quotes behind it, or an honest "nothing here matches"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pincite.match.decide import Calibration, Decider, Verdict, calibrate, decide
from pincite.match.search import Found, MatchIndex, Query, best_first
from pincite.match.snapshot import alias_groups

SUPPORTS = 3  # facts shown under an element, and the best of each other holding
ALPHA = 0.05


class Support(NamedTuple):
    """A neighbour's fact behind an element. Offsets are Unicode code points into the neighbour's text."""

    fact_id: str
    case_id: str
    case: str
    invented: bool
    kind: str
    source: str
    pointer: str
    start: int
    end: int
    quote: str
    source_sha256: str
    holding: str  # satisfied, not_satisfied or not_reached: an opposing neighbour stays one
    variant_id: str
    score: float
    chunk: int  # of the case handed in, the one that found it


class ElementMatch(NamedTuple):
    element_id: str
    name: str
    score: float
    supports: tuple[Support, ...]


class LawMatch(NamedTuple):
    law_id: str
    citation: str
    title: str
    score: float
    elements: tuple[ElementMatch, ...]


class Piece(NamedTuple):
    """A chunk of the case handed in: Unicode code point offsets into it."""

    chunk: int
    start: int
    end: int


class Match(NamedTuple):
    """``status`` is matched or abstained. Every law and element is listed either way. No score is a probability."""

    status: str
    reason: str
    method: str
    snapshot: str
    chunks: tuple[Piece, ...]
    laws: tuple[LawMatch, ...]
    verdict: Verdict
    calibration: Calibration


class Matcher(NamedTuple):
    """A snapshot ready to be asked: its facts, and the decision fitted on its cases."""

    facts: MatchIndex
    decider: Decider
    calibration: Calibration


def decider_of(index: MatchIndex, queries: Sequence[Query] | None = None) -> Decider:
    """Fitted on every case of the snapshot; a case's laws are those whose elements it was about, whatever was held.

    *queries* are of all cases, in order, where they are at hand.
    """
    import numpy as np

    snapshot = index.snapshot
    law_of = {element.element_id: element.law_id for element in snapshot.elements}
    labels: dict[str, set[str]] = {case.case_id: set() for case in snapshot.cases}
    for instance in snapshot.instances:
        labels[instance.case_id].add(law_of[instance.element_id])
    texts = [snapshot.texts[case.case_id] for case in snapshot.cases]
    vectors = np.stack([query.vector for query in queries or index.queries(texts)])
    return Decider(
        texts, vectors, [frozenset(labels[case.case_id]) for case in snapshot.cases], [law.law_id for law in snapshot.laws]
    )


def matcher(index: MatchIndex, alpha: float = ALPHA) -> Matcher:
    """Fit and calibrate the decision at the level *alpha*."""
    decider = decider_of(index)
    return Matcher(index, decider, calibrate(decider, alias_groups(index.snapshot), alpha))


def match(text: str, ready: Matcher, method: str = "hybrid") -> Match:
    """Rank every law and element of the snapshot for a case's *text*."""
    query = ready.facts.query(text)
    found = ready.facts.search(query, method)
    verdict = decide(ready.decider, text, query.vector, ready.calibration.alpha)
    reason = "" if verdict.keep else _reason(verdict)
    return Match(
        "matched" if verdict.keep else "abstained",
        reason,
        method,
        ready.facts.snapshot.digest,
        tuple(Piece(number, chunk.start, chunk.end) for number, chunk in enumerate(query.chunks)),
        _laws(ready.facts, found, query),
        verdict,
        ready.calibration,
    )


def _reason(verdict: Verdict) -> str:
    return (
        f"nothing here matches: of {verdict.lawful} cases that these laws reach, {verdict.standing} look as little like the "
        "others as this one"
    )


def _laws(index: MatchIndex, found: Found, query: Query) -> tuple[LawMatch, ...]:
    snapshot = index.snapshot
    supports = _supports(index, found)
    elements: dict[str, list[ElementMatch]] = {law.law_id: [] for law in snapshot.laws}
    for at in best_first(found.elements.tolist(), [element.element_id for element in snapshot.elements]):
        element = snapshot.elements[at]
        own = _kept(supports.get(element.element_id, ()))
        score = round(float(found.elements[at]), 6)
        elements[element.law_id].append(ElementMatch(element.element_id, element.name, score, own))
    ranked = best_first(found.laws.tolist(), [law.law_id for law in snapshot.laws])
    laws = [(snapshot.laws[at], round(float(found.laws[at]), 6)) for at in ranked]
    return tuple(LawMatch(*law, score, tuple(elements[law.law_id])) for law, score in laws)


def _kept(supports: Sequence[Support]) -> tuple[Support, ...]:
    """The best neighbours, and beyond them the best of each other holding: an opposing case is never left unsaid."""
    best = tuple(supports[:SUPPORTS])
    first = {each.holding: each for each in reversed(supports)}
    others = [each for each in first.values() if each.holding not in {kept.holding for kept in best}]
    return (*best, *sorted(others, key=lambda each: -each.score))


def _supports(index: MatchIndex, found: Found) -> Mapping[str, list[Support]]:
    """Facts that scored, by element, best first; one entry for every holding they are part of."""
    snapshot = index.snapshot
    cases = {case.case_id: case for case in snapshot.cases}
    at = {fact.fact_id: number for number, fact in enumerate(snapshot.facts)}
    supports: dict[str, list[Support]] = {}
    for instance in snapshot.instances:
        for fact_id in instance.fact_ids:
            number = at[fact_id]
            score = float(found.facts[number])
            if score <= 0:
                continue
            fact, case = snapshot.facts[number], cases[instance.case_id]
            supports.setdefault(instance.element_id, []).append(
                Support(
                    fact_id,
                    case.case_id,
                    case.name,
                    case.invented,
                    fact.kind,
                    case.source,
                    fact.pointer,
                    fact.start,
                    fact.end,
                    fact.quote,
                    fact.source_sha256,
                    instance.holding,
                    instance.variant_id,
                    round(score, 6),
                    int(found.best_chunk[number]),
                )
            )
    for entries in supports.values():
        entries.sort(key=lambda support: (-support.score, support.fact_id, support.holding))
    return supports


def to_json(result: Any) -> Any:
    """Records to plain JSON values, by field name."""
    if hasattr(result, "_asdict"):
        plain = {name: to_json(value) for name, value in result._asdict().items()}
        return {**plain, "guarantee": result.guarantee} if isinstance(result, Calibration) else plain
    if isinstance(result, Mapping):
        return {key: to_json(value) for key, value in result.items()}
    if isinstance(result, (list, tuple)):
        return [to_json(value) for value in result]
    return result


def to_text(result: Match, case: str = "") -> str:
    """For people: the laws and elements with their best neighbour and the best that was held otherwise, or that nothing
    matches; and how far to trust it. With the text of the *case*, the words of it that led to each neighbour."""
    lines = [result.reason] if result.reason else []
    for law in result.laws if result.status == "matched" else ():
        lines.append(f"{law.score:.3f}  {law.citation}  {law.title}")
        for element in law.elements:
            lines.append(f"       {element.score:.3f}  {element.name}")
            for support in _told(element.supports):
                invented = ", invented" if support.invented else ""
                lines.append(
                    f"              {support.holding.replace('_', ' ')} in {support.case} ({support.pointer}{invented}):"
                )
                lines.append(f"              “{support.quote}”")
                if case and len(result.chunks) > 1:
                    lines.append(f"              like {_words_of(case, result.chunks[support.chunk])}")
    if result.status == "matched":
        citations = {law.law_id: law.citation for law in result.laws}
        order = sorted(result.verdict.laws, key=lambda law: -result.verdict.laws[law])
        lines.append(f"compared with whole cases, the order is {', '.join(citations[law] for law in order)}")
    known = result.calibration
    lines.append(
        f"calibration: of {known.lawful} cases these laws reach {known.wrongly_rejected} were turned away when left out, "
        f"of {known.background} others {known.wrongly_accepted} were let through; it {known.guarantee}"
    )
    lines.append("scores order laws and elements; none is a probability")
    return "\n".join(lines)


def _told(supports: Sequence[Support]) -> Iterator[Support]:
    """The best neighbour, and the best one of which something else was held."""
    yield from supports[:1]
    yield from [each for each in supports if each.holding != supports[0].holding][:1]


def _words_of(case: str, piece: Piece) -> str:
    """A chunk of the case handed in, by its first words."""
    words = " ".join(case[piece.start : piece.end].split()[:12])
    return f"characters {piece.start} to {piece.end} of the case: “{words} …”"
