"""Profiles of manual families, read from ``profiles.yml``, and the choice between them by evidence."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from pincite.model import Source


class Profile(NamedTuple):
    """One family's numbering, citation form and cues. See the head of ``profiles.yml``."""

    name: str
    family: str
    schemes: tuple[str, ...]
    sections: str
    citation: str
    roots: tuple[tuple[re.Pattern[str], str, str], ...]
    evidence: tuple[tuple[re.Pattern[str], int], ...]
    furniture: tuple[re.Pattern[str], ...]
    minimum: int


class Choice(NamedTuple):
    """The profile taken, the document's own id and kind, and the evidence in words."""

    profile: Profile
    root: str
    kind: str
    title: str
    evidence: tuple[str, ...]


@lru_cache(maxsize=1)
def profiles() -> tuple[Profile, ...]:
    """All profiles, in the file's order."""
    raw = yaml.safe_load(files("pincite.parse.manual").joinpath("profiles.yml").read_text("utf-8"))
    return tuple(_profile(name, fields) for name, fields in raw["profiles"].items())


def profile_named(name: str) -> Profile:
    """The profile called *name*."""
    return next(profile for profile in profiles() if profile.name == name)


def _profile(name: str, raw: dict[str, Any]) -> Profile:
    return Profile(
        name,
        raw["family"],
        tuple(raw["schemes"]),
        raw.get("sections", ""),
        raw["citation"],
        tuple((_compiled(pattern), node_id, kind) for pattern, node_id, kind in raw["roots"]),
        tuple((_compiled(pattern), weight) for pattern, weight in raw["evidence"]),
        tuple(re.compile(pattern) for pattern in raw.get("furniture", ())),
        raw["minimum"],
    )


def _compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, with a word's edge before a letter looked for after the letter, which a search is quicker to find."""
    return re.compile(_EDGE.sub(r"\1\2(?<!\\w\2)", pattern), re.MULTILINE)


_EDGE = re.compile(r"(^|\|)\\b([A-Za-z])(?![?*+{])")
TITLE_WEIGHT = 3  # for a title that has the form of the family's titles


def weigh(title: str, text: str) -> list[tuple[int, Profile, tuple[str, ...]]]:
    """Profiles whose evidence in *title* and *text* reaches their minimum, heaviest first, each with what was found."""
    found = []
    for order, profile in enumerate(profiles()):
        signs = _signs(profile, title, text)
        if signs is not None:
            words = tuple(f"{' '.join(match.group().split())!r} ({weight})" for match, weight in signs)
            found.append((-sum(weight for _, weight in signs), order, profile, words))
    found.sort(key=lambda entry: entry[:2])
    return [(-negative, profile, words) for negative, _, profile, words in found]


def _signs(profile: Profile, title: str, text: str) -> list[tuple[re.Match[str], int]] | None:
    """What is found of a profile's evidence, with its weight; ``None`` as soon as its minimum is out of reach."""
    looked_for = [(pattern, weight, text) for pattern, weight in profile.evidence]
    looked_for += [(pattern, TITLE_WEIGHT, "") for pattern, _, _ in profile.roots[:2]]
    reachable = sum(weight for _, weight, _ in looked_for)
    signs = []
    for pattern, weight, where in looked_for:
        match = (pattern.search(where) if where else None) or pattern.search(title)
        if match is not None:
            signs.append((match, weight))
            continue
        reachable -= weight
        if reachable < profile.minimum:
            return None
    return signs


def root_of(profile: Profile, source: Source, opening: str) -> tuple[str, str]:
    """The document's own node id and kind, from its title or its first pages; else from the manifest's document id."""
    for pattern, node_id, kind in profile.roots:
        found = pattern.search(source.title) or pattern.search(opening)
        if found:
            return found.expand(node_id), kind
    return source.document_id, "manual"
