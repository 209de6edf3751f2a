"""The law matcher, each case left out in turn.

The held-out case and every copy of it leave the index before anything is counted: their postings are subtracted from document
frequencies, number and average length, their vectors are masked, and the decision is the closed form of never having seen them.
Denominators are fixed by the annotations: a label that no other case has stays in them, as a miss.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pincite.errors import CheckFailed
from pincite.evaluate.measures.share import Share
from pincite.evaluate.significance import McNemar, mcnemar
from pincite.match.decide import least_kept, margin
from pincite.match.matching import ALPHA, decider_of
from pincite.match.search import METHODS, Found, MatchIndex, Query
from pincite.match.snapshot import Snapshot, alias_groups

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

DECISION = "decision"
"""The fourth method: laws in the order of the decision's scores. It has no elements."""

RECALL_AT = 5


class Truth(NamedTuple):
    """What a held-out case is about, by position in the snapshot."""

    laws: frozenset[int]
    elements: frozenset[int]
    satisfied: frozenset[int]
    variants: frozenset[int]


class LawRow(NamedTuple):
    """One law's cases: how many, and how many were ranked first and among the first three, by method."""

    law_id: str
    cases: int
    first: Mapping[str, int]
    first_three: Mapping[str, int]


class Rejection(NamedTuple):
    """Background cases turned away while the lawful are kept. ``kind`` is far, near or background."""

    kind: str
    rejected: int
    cases: int
    lawful_kept: int
    lawful: int


class MatcherReport(NamedTuple):
    name: str
    cases: int
    background: int
    shares: tuple[Share, ...]  # index_kind is the method
    tests: Mapping[tuple[str, str], McNemar]  # on law top-1
    laws: tuple[LawRow, ...]
    rejections: tuple[Rejection, ...]
    unseen: int  # cases with a law that no other case has
    failed: tuple[str, ...]  # case ids whose law the decision did not rank first


class _Hit(NamedTuple):
    """One case under one method: the pessimistic rank of its best-ranked law, and labels found."""

    law_rank: int
    elements_given: int
    elements: int
    satisfied: int
    variants: int


def leave_one_out(
    index: MatchIndex, name: str, *, element_level: bool = True, kinds: Mapping[str, str] | None = None
) -> MatcherReport:
    """Evaluate every case of the index's snapshot. *kinds* names the kind of background cases by case id."""
    snapshot = index.snapshot
    check_unlabelled(index)
    truths, groups = truths_of(snapshot), alias_groups(snapshot)
    lawful = [at for at, truth in enumerate(truths) if truth.laws]
    queries = index.queries([snapshot.texts[case.case_id] for case in snapshot.cases])
    hits = search_each(index, [queries[at] for at in lawful], METHODS, element_level=element_level)
    decider = decider_of(index, queries)
    scores = [decider.left_out(group) for group in groups]
    hits[DECISION] = [_Hit(_law_rank(scores[at][:-1], truths[at].laws, floor=None), 0, 0, 0, 0) for at in lawful]
    known = [truths[at] for at in lawful]
    return MatcherReport(
        name=name,
        cases=len(lawful),
        background=len(truths) - len(lawful),
        shares=tuple(_shares(hits, known, element_level)),
        tests=_tests(hits),
        laws=tuple(_law_rows(snapshot, hits, known)),
        rejections=tuple(_rejections(snapshot, [margin(one) for one in scores], lawful, kinds or {})),
        unseen=_unseen(truths, groups, lawful),
        failed=tuple(snapshot.cases[at].case_id for at, hit in zip(lawful, hits[DECISION]) if hit.law_rank > 1),
    )


def search_each(
    index: MatchIndex, queries: Sequence[Query], methods: Sequence[str], *, element_level: bool = True
) -> dict[str, list[_Hit]]:
    """Search with each lawful case, itself and its copies gone, by each method. *queries* are of the lawful cases, in order."""
    snapshot = index.snapshot
    truths, groups = truths_of(snapshot), alias_groups(snapshot)
    lawful = [at for at, truth in enumerate(truths) if truth.laws]
    hits: dict[str, list[_Hit]] = {method: [] for method in methods}
    for at, query in zip(lawful, queries):
        removed = index.without(groups[at])
        for method in methods:
            hits[method].append(_judge(index, query, method, removed, truths[at], element_level))
    return hits


def truths_of(snapshot: Snapshot) -> list[Truth]:
    """Per case, the laws, elements and variants its instances are about."""
    laws = {law.law_id: at for at, law in enumerate(snapshot.laws)}
    elements = {element.element_id: at for at, element in enumerate(snapshot.elements)}
    variants = {variant.variant_id: at for at, variant in enumerate(snapshot.variants)}
    law_of = [laws[element.law_id] for element in snapshot.elements]
    found: dict[str, tuple[set[int], set[int], set[int]]] = {case.case_id: (set(), set(), set()) for case in snapshot.cases}
    for instance in snapshot.instances:
        about, satisfied, of_variant = found[instance.case_id]
        about.add(elements[instance.element_id])
        if instance.holding == "satisfied":
            satisfied.add(elements[instance.element_id])
        if instance.variant_id:
            of_variant.add(variants[instance.variant_id])
    return [
        Truth(frozenset(law_of[element] for element in about), frozenset(about), frozenset(satisfied), frozenset(of_variant))
        for about, satisfied, of_variant in (found[case.case_id] for case in snapshot.cases)
    ]


def check_unlabelled(index: MatchIndex) -> None:
    """Nothing that is searched or embedded may hold a label: indexed texts are exact quotes, without a law's or element's name.

    Raises ``CheckFailed`` with the first leak. Element names of one word are ordinary words too; those are not looked for.
    """
    snapshot = index.snapshot
    for fact, indexed in zip(snapshot.facts, index.quotes):
        if indexed != snapshot.texts[fact.case_id][fact.start : fact.end]:
            raise CheckFailed("what is indexed is not the quote alone", where=f"fact {fact.fact_id}", next="index exact quotes")
    names = [name for law in snapshot.laws for name in (law.law_id, law.citation, law.title)]
    names += [element.name for element in snapshot.elements if " " in element.name]
    wanted = [(name, name.casefold()) for name in names if name]
    for case in snapshot.cases:
        text = " ".join(snapshot.texts[case.case_id].split()).casefold()
        for name, folded in wanted:
            if folded in text and re.search(rf"(?<!\w){re.escape(folded)}(?!\w)", text):
                raise CheckFailed(
                    f"its text holds the label {name!r}", where=f"case {case.case_id}", next="mask it before evaluating"
                )


def _judge(index: MatchIndex, query: Query, method: str, removed: Mask, truth: Truth, element_level: bool) -> _Hit:
    found = index.search(query, method, removed)
    rank = _law_rank(found.laws, truth.laws)
    if not element_level:
        return _Hit(rank, 0, 0, 0, 0)
    satisfied = index.elements(found.facts, satisfied_only=True)
    return _Hit(
        rank,
        _found_given_law(index, found, truth),
        len(_first(found.elements, RECALL_AT) & truth.elements),
        len(_first(satisfied, RECALL_AT) & truth.satisfied),
        len(_first(found.variants, RECALL_AT) & truth.variants),
    )


def _law_rank(scores: Floats, laws: frozenset[int], floor: float | None = 0.0) -> int:
    """1-based rank of the best of *laws*; ties count against it, and so does a score of *floor*: no evidence, no rank."""
    best = max(float(scores[law]) for law in laws)
    if floor is not None and best <= floor:
        return len(scores) + 1
    others = [float(score) for law, score in enumerate(scores) if law not in laws]
    return 1 + sum(score >= best for score in others)


def _first(scores: Floats, k: int) -> frozenset[int]:
    """The positions of the *k* best scores above 0, ties by position."""
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[:k]
    return frozenset(at for at in order if scores[at] > 0)


def _found_given_law(index: MatchIndex, found: Found, truth: Truth) -> int:
    """True elements among the first five of each true law's own elements."""
    total = 0
    for law in truth.laws:
        own = [at for at in range(len(found.elements)) if index.law_of[at] == law]
        order = sorted(own, key=lambda at: (-found.elements[at], at))[:RECALL_AT]
        total += sum(at in truth.elements for at in order if found.elements[at] > 0)
    return total


def _shares(hits: Mapping[str, Sequence[_Hit]], truths: Sequence[Truth], element_level: bool) -> Iterable[Share]:
    for method, entries in hits.items():
        yield Share("law_top_1", sum(hit.law_rank <= 1 for hit in entries), len(truths), method)
        yield Share("law_top_3", sum(hit.law_rank <= 3 for hit in entries), len(truths), method)
        if not element_level or method == DECISION:
            continue
        elements = sum(len(truth.elements) for truth in truths)
        satisfied = sum(len(truth.satisfied) for truth in truths)
        variants = sum(len(truth.variants) for truth in truths)
        yield Share("element_recall_5_given_law", sum(hit.elements_given for hit in entries), elements, method)
        yield Share("element_recall_5", sum(hit.elements for hit in entries), elements, method)
        yield Share("element_recall_5_satisfied_only", sum(hit.satisfied for hit in entries), satisfied, method)
        yield Share("variant_recall_5", sum(hit.variants for hit in entries), variants, method)


def _tests(hits: Mapping[str, Sequence[_Hit]]) -> dict[tuple[str, str], McNemar]:
    names = list(hits)
    first = {name: [hit.law_rank == 1 for hit in hits[name]] for name in names}
    return {(a, b): mcnemar(first[a], first[b]) for at, a in enumerate(names) for b in names[at + 1 :]}


def _law_rows(snapshot: Snapshot, hits: Mapping[str, Sequence[_Hit]], truths: Sequence[Truth]) -> Iterable[LawRow]:
    for number, law in enumerate(snapshot.laws):
        own = [at for at, truth in enumerate(truths) if number in truth.laws]
        first = {method: sum(entries[at].law_rank <= 1 for at in own) for method, entries in hits.items()}
        three = {method: sum(entries[at].law_rank <= 3 for at in own) for method, entries in hits.items()}
        yield LawRow(law.law_id, len(own), first, three)


def _rejections(
    snapshot: Snapshot, margins: Sequence[float], lawful: Sequence[int], kinds: Mapping[str, str]
) -> Iterable[Rejection]:
    """At the margin that keeps 95 % of the lawful cases, all of them left out in turn."""
    limit = least_kept([margins[at] for at in lawful], ALPHA)
    kept = sum(margins[at] >= limit for at in lawful)
    by_kind: dict[str, list[int]] = {}
    for at, case in enumerate(snapshot.cases):
        if at not in set(lawful):
            by_kind.setdefault(kinds.get(case.case_id, "background"), []).append(at)
    for kind, members in sorted(by_kind.items()):
        yield Rejection(kind, sum(margins[at] < limit for at in members), len(members), kept, len(lawful))


def _unseen(truths: Sequence[Truth], groups: Sequence[Sequence[int]], lawful: Sequence[int]) -> int:
    """Cases with a law that is left without any other case."""
    return sum(
        any(not any(law in truths[other].laws for other in lawful if other not in groups[at]) for law in truths[at].laws)
        for at in lawful
    )
