"""Profile activation: the routes declared for a question's concepts are open only where every guard resolves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pincite.evaluate.staff.held import Held, is_bare_abbreviation, is_reserved
from pincite.evaluate.staff.questions import Guard, Profile


class Activation(NamedTuple):
    """What became of one concept. ``routes`` are open; they are none where ``reasons`` says why not."""

    concept: str
    routes: tuple[str, ...]
    reasons: tuple[str, ...]

    @property
    def active(self) -> bool:
        return not self.reasons


def activate(concept: str, benefit: str, held: Held) -> Activation:
    """Whether the routes of *concept* are open to a question about *benefit*."""
    profile = held.profiles.get(concept)
    if is_bare_abbreviation(concept):
        return Activation(concept, (), (f"{concept} is a bare abbreviation",))
    if profile is None:
        return Activation(concept, (), (f"no profile is declared for {concept}",))
    reasons = tuple(_closed(profile, benefit, held))
    return Activation(concept, () if reasons else profile.routes, reasons)


def _closed(profile: Profile, benefit: str, held: Held) -> Iterator[str]:
    if benefit not in held.known_benefits:
        yield f"the benefit {benefit!r} is not exactly one that is known"
    for guard in profile.guards:
        yield from _unresolved(guard, profile, benefit, held)
    for route in profile.routes:
        yield from not_one_place(route, held)
        yield from unrelated(route, benefit, held)


def _unresolved(guard: Guard, profile: Profile, benefit: str, held: Held) -> Iterator[str]:
    if guard.kind == "benefit" and guard.value != benefit:
        yield f"guard benefit {guard.value}: the question is about {benefit or 'none'}"
    if guard.kind == "held":
        yield from (f"guard held: {reason}" for reason in not_one_place(guard.value, held))
    if guard.kind == "edition":
        editions = {held.editions[name] for route in profile.routes for name in held.holders.get(route, ())}
        if editions != {guard.value}:
            yield f"guard edition {guard.value}: what is here is of {', '.join(sorted(editions)) or 'none'}"


def not_one_place(node_id: str, held: Held) -> Iterator[str]:
    """Why *node_id* is not exactly one place with text."""
    if is_bare_abbreviation(node_id):
        yield f"{node_id} is a bare abbreviation"
    elif is_reserved(node_id, held.reserved):
        yield f"{node_id} is reserved"
    elif len(held.holders.get(node_id, ())) != 1:
        yield f"{len(held.holders.get(node_id, ()))} documents hold {node_id}"


def unrelated(node_id: str, benefit: str, held: Held) -> Iterator[str]:
    """Why *node_id* has nothing to do with *benefit*."""
    for document_id in held.holders.get(node_id, ()):
        about = held.benefits.get(document_id, frozenset())
        if about and benefit not in about:
            yield f"{node_id} is about {', '.join(sorted(about))}, not about {benefit or 'no benefit'}"
