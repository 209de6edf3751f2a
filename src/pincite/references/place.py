"""Where a text stands: the ancestors that complete "this part" and "paragraph (b) of this section"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pincite.model import Place
from pincite.references.lexicon import DOTTED


class Here(NamedTuple):
    """The node ids of the place's ancestors, "" where there is none or none is known."""

    node_id: str = ""
    title: str = ""  # "21"
    chapter: str = ""  # "21 CFR Chapter I"
    subchapter: str = ""  # "21 CFR Chapter I Subchapter C"
    part: str = ""  # "21 CFR Part 211"
    subpart: str = ""  # "21 CFR Part 211 Subpart B"
    section: str = ""  # "21 CFR 211.22"
    appendix: str = ""  # "36 CFR Part 800 Appendix A"

    @property
    def unit(self) -> str:
        """What "of this section" means: the section, or in an appendix the appendix."""
        return self.section or self.appendix

    @property
    def path(self) -> str:
        """The designators of the place: "(a)(1)"."""
        return self.node_id[len(self.unit) :] if self.unit and self.node_id.startswith(self.unit) else ""


NOWHERE = Here()

_SECTION = re.compile(rf"(\d+) CFR ({DOTTED})")
_DESIGNATED = r"(?: \([A-Za-z0-9]+\))*"
_CONTAINER = re.compile(
    r"((?:(\d+) CFR|Title (\d+)(?: CFR)?)"
    r"(?:(?P<chapter>(?: Subtitle [^ ()]+)? Chapter [^ ()]+)(?P<subchapter> Subchapter [^ ()]+)?)?)"
    r"(?P<part> Part [^ ()]+)?(?P<subpart> Subpart [^ ()]+)?(?P<appendix> (?:Appendix|Supplement)(?: No\.)?(?: [^ ()]+)?)?"
)


def part_of(section: str) -> str:
    """The part a section number belongs to.

    >>> part_of("211.22"), part_of("101-19.6"), part_of("1.401(k)-1")
    ('211', '101-19', '1')
    """
    return section.partition(".")[0]


@lru_cache(maxsize=4096)
def _read(node_id: str) -> Here:
    """What one node id says of itself and its ancestors."""
    section = _SECTION.match(node_id)
    if section:
        title, number = section.groups()
        return Here(node_id, title, part=f"{title} CFR Part {part_of(number)}", section=section[0])
    found = _CONTAINER.match(node_id)
    if not found:
        return Here(node_id)
    title = found[2] or found[3]
    above = f"{title} CFR"
    chapter = above + found["chapter"] if found["chapter"] else ""
    subchapter = chapter + found["subchapter"] if found["subchapter"] else ""
    part = above + found["part"] if found["part"] else ""
    subpart = part + found["subpart"] if found["subpart"] else ""
    appendix = found[0] if found["appendix"] else ""
    return Here(node_id, title, chapter, subchapter, part, subpart, "", appendix)


def stand(place: Place) -> Here:
    """The place with all that its own id and its context say; what is nearer to the place wins."""
    if not place.context:
        return _read(place.node_id) if place.node_id else NOWHERE
    fields = list(NOWHERE)
    for node_id in (*place.context, place.node_id):
        for index, value in enumerate(_read(node_id)):
            if value:
                fields[index] = value
    fields[0] = place.node_id
    return Here(*fields)
