"""References: text to mentions. One grammar module for each authority, one scan for all of them.

``find`` reads a string that stands at a place, ``observe`` a parsed document; ``resolve`` (its own module) decides what
a mention's target is in a corpus. A family of grammars is a module with
``mentions(text, at, names)`` and ``observed(document, names)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType

from pincite.errors import UsageError
from pincite.model import Document, Mention, Observed, Place, is_generic, is_paper

FAMILIES = {
    "cfr": "pincite.references.federal",
    "internal": "pincite.references.internal",
    "manual": "pincite.references.manual",
    "paper": "pincite.references.paper",
    "rulebook": "pincite.references.rulebook",
}
"""Family -> the module that reads it."""


def find(text: str, at: Place = Place(), family: str = "cfr", names: Mapping[str, str] | None = None) -> list[Mention]:  # noqa: B008
    """The references in a text that stands at a place, in order.

    Offsets are in characters and ``text[m.start:m.end] == m.text``. *names*: short names of Acts known from elsewhere,
    in lower case ("act"); those the text itself defines are added.

    >>> [m.target_node_id for m in find("see §§ 211.101(c) or (d) and 211.103", Place("21 CFR 211.22"))]
    ['21 CFR 211.101(c)', '21 CFR 211.101(d)', '21 CFR 211.103']
    """
    found: list[Mention] = _family(family).mentions(text, at, names or {})
    return found


@cache
def _family(name: str) -> ModuleType:
    if name not in FAMILIES:
        raise UsageError(f"there is no family of references named {name!r}", next=f"use one of {', '.join(FAMILIES)}")
    return import_module(FAMILIES[name])


def place_at(citation: str, family: str = "cfr") -> Place:
    """The place that a citation names, in whichever way it is written; a node id stays as it is.

    >>> place_at("21 C.F.R. § 211.22(a) (1)").node_id, place_at("36 CFR Part 800 Appendix A(c)").node_id
    ('21 CFR 211.22(a)(1)', '36 CFR Part 800 Appendix A(c)')
    """
    citation = citation.strip()
    found = find(citation, family=family) if family == "cfr" else []
    if len(found) == 1 and found[0].text == citation and found[0].target_node_id and not found[0].target_end_node_id:
        return Place(found[0].target_node_id)
    return Place(citation)


def observe(document: Document, names: Mapping[str, str] | None = None) -> tuple[Observed, ...]:
    """The references of a parsed document, in order, with byte spans in its extracted text.

    Only blocks whose role can cite are read; a reference never reaches beyond its block. *names*: as in ``find``.
    """
    return tuple(_family(family_of(document)).observed(document, names or {}))


def family_of(document: Document) -> str:
    """Which family of references a document uses: its parser says, or the form of its node ids."""
    if is_generic(document):
        return "internal"
    if "manual" in document.parser:
        return "paper" if is_paper(document) else "manual"
    return "rulebook" if "rulebook" in document.parser else "cfr"
