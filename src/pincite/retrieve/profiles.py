"""Profiles: routes that are declared for a concept, and open only where every guard resolves.

A file of profiles is YAML: ``profiles`` (``concept``, ``routes``, ``guards``) and ``about`` (document id to the benefits
it is about). The questions of staff are such a file too: what their documents are about is what is asked of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pincite.errors import UsageError
from pincite.retrieve.show import in_range

if TYPE_CHECKING:
    from pincite.retrieve.corpus import Corpus

GUARDS = ("benefit", "held", "edition")
"""Kinds of guards: the question is of this benefit; exactly one document holds this place; the corpus is of this edition."""


class Guard(NamedTuple):
    kind: str  # one of ``GUARDS``
    value: str


class Profile(NamedTuple):
    """The routes declared for a concept. They are open only where every guard resolves."""

    concept: str
    routes: tuple[str, ...]  # node_ids
    guards: tuple[Guard, ...]


class Profiles(NamedTuple):
    """What a file declares: profiles by concept, and what each document is about."""

    profiles: Mapping[str, Profile]
    benefits: Mapping[str, frozenset[str]]  # document_id -> benefits


class Places(Protocol):
    """What a profile's guards are held against."""

    @property
    def holders(self) -> Mapping[str, tuple[str, ...]]:
        """node_id -> document_ids."""

    @property
    def reserved(self) -> frozenset[str]:
        """node_ids the source reserves without text."""

    @property
    def editions(self) -> Mapping[str, str]:
        """document_id -> corpus_version."""

    @property
    def benefits(self) -> Mapping[str, frozenset[str]]:
        """document_id -> benefits it is about, where known."""

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """By concept."""


class Known(NamedTuple):
    """``Places`` of a corpus."""

    holders: Mapping[str, tuple[str, ...]]
    reserved: frozenset[str]
    editions: Mapping[str, str]
    benefits: Mapping[str, frozenset[str]]
    profiles: Mapping[str, Profile]


def known_places(corpus: Corpus, declared: Profiles) -> Known:
    """What *corpus* holds, for the guards of *declared*."""
    return Known(
        holders={node_id: tuple(document_id for document_id, _ in nodes) for node_id, nodes in corpus.nodes.items()},
        reserved=frozenset(node.node_id for _, node in corpus.all_nodes if node.reserved),
        editions={passage.document_id: passage.corpus_version for passage in corpus.passages.values()},
        benefits=declared.benefits,
        profiles=declared.profiles,
    )


# --- reading ----------------------------------------------------------------------------------------------------------


def load_profiles(path: Path) -> Profiles:
    """Read a file of profiles; ``UsageError`` names a fault."""
    import yaml

    try:
        content = yaml.safe_load(path.read_bytes())
        entries = [profile_of(entry) for entry in content["profiles"]]
        about: dict[str, set[str]] = {name: set(map(str, each)) for name, each in (content.get("about") or {}).items()}
        for question in content.get("questions") or ():
            about.setdefault(str(question["document"]), set()).add(str(question["benefit"]))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"the profiles cannot be read ({error})", where=str(path), next="name others") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"a profile is not complete ({error!r})", where=str(path), next="add what is missing") from None
    return Profiles({each.concept: each for each in entries}, {name: frozenset(each) for name, each in about.items()})


def profile_of(entry: Mapping[str, Any]) -> Profile:
    """A profile as YAML gives it; ``KeyError``, ``TypeError`` or ``ValueError`` where it is not complete."""
    guards = tuple(Guard(str(kind), str(value)) for guard in entry["guards"] for kind, value in guard.items())
    unknown = [guard.kind for guard in guards if guard.kind not in GUARDS]
    if unknown or not guards or not entry["routes"]:
        raise ValueError(f"concept {entry['concept']} needs routes and guards of {', '.join(GUARDS)}")
    return Profile(str(entry["concept"]), tuple(str(route) for route in entry["routes"]), guards)


# --- which are open ---------------------------------------------------------------------------------------------------


def open_routes(question: str, concepts: Sequence[str], benefit: str, held: Places) -> list[str]:
    """The routes that are open to a question: of the concepts it names in its words, and of those said to be its own."""
    meant = dict.fromkeys((*concepts, *concepts_named(question, held.profiles)))
    opened = [activate(concept, benefit, held) for concept in meant if concept in held.profiles]
    return list(dict.fromkeys(route for each in opened for route in each.routes))


def concepts_named(question: str, profiles: Mapping[str, Profile]) -> list[str]:
    """The concepts of *profiles* that stand in a question, in the singular or plural.

    >>> concepts_named("Do mixed-age couples qualify?", {"mixed-age couple": Profile("mixed-age couple", (), ())})
    ['mixed-age couple']
    """
    return [concept for concept in profiles if re.search(rf"\b{re.escape(concept)}s?\b", question, re.IGNORECASE)]


def known_benefits(held: Places) -> frozenset[str]:
    """Every benefit some document is about."""
    return frozenset(benefit for each in held.benefits.values() for benefit in each)


class Activation(NamedTuple):
    """What became of one concept. ``routes`` are open; they are none where ``reasons`` says why not."""

    concept: str
    routes: tuple[str, ...]
    reasons: tuple[str, ...]

    @property
    def active(self) -> bool:
        return not self.reasons


def activate(concept: str, benefit: str, held: Places) -> Activation:
    """Whether the routes of *concept* are open to a question about *benefit*."""
    profile = held.profiles.get(concept)
    if is_bare_abbreviation(concept):
        return Activation(concept, (), (f"{concept} is a bare abbreviation",))
    if profile is None:
        return Activation(concept, (), (f"no profile is declared for {concept}",))
    reasons = tuple(_closed(profile, benefit, held))
    return Activation(concept, () if reasons else profile.routes, reasons)


def _closed(profile: Profile, benefit: str, held: Places) -> Iterator[str]:
    if benefit not in known_benefits(held):
        yield f"the benefit {benefit!r} is not exactly one that is known"
    for guard in profile.guards:
        yield from _unresolved(guard, profile, benefit, held)
    for route in profile.routes:
        yield from not_one_place(route, held)
        yield from unrelated(route, benefit, held)


def _unresolved(guard: Guard, profile: Profile, benefit: str, held: Places) -> Iterator[str]:
    if guard.kind == "benefit" and guard.value != benefit:
        yield f"guard benefit {guard.value}: the question is about {benefit or 'none'}"
    if guard.kind == "held":
        yield from (f"guard held: {reason}" for reason in not_one_place(guard.value, held))
    if guard.kind == "edition":
        editions = {held.editions[name] for route in profile.routes for name in held.holders.get(route, ())}
        if editions != {guard.value}:
            yield f"guard edition {guard.value}: what is here is of {', '.join(sorted(editions)) or 'none'}"


def not_one_place(node_id: str, held: Places) -> Iterator[str]:
    """Why *node_id* is not exactly one place with text."""
    if is_bare_abbreviation(node_id):
        yield f"{node_id} is a bare abbreviation"
    elif is_reserved(node_id, held.reserved):
        yield f"{node_id} is reserved"
    elif len(held.holders.get(node_id, ())) != 1:
        yield f"{len(held.holders.get(node_id, ()))} documents hold {node_id}"


def unrelated(node_id: str, benefit: str, held: Places) -> Iterator[str]:
    """Why *node_id* has nothing to do with *benefit*."""
    for document_id in held.holders.get(node_id, ()):
        about = held.benefits.get(document_id, frozenset())
        if about and benefit not in about:
            yield f"{node_id} is about {', '.join(sorted(about))}, not about {benefit or 'no benefit'}"


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
