"""Where a text stands: the ancestors that complete "this part" and "paragraph (b) of this section"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pincite.model import Place
from pincite.references.lexicon import DOTTED


class Here(NamedTuple):
    """The node ids of the section a text stands in and of what is above it, "" where there is none or none is known."""

    title: str = ""  # "21"
    chapter: str = ""  # "21 CFR Chapter I"
    subchapter: str = ""  # "21 CFR Chapter I Subchapter C"
    part: str = ""  # "21 CFR Part 211"
    subpart: str = ""  # "21 CFR Part 211 Subpart B"
    section: str = ""  # "21 CFR 211.22"
    appendix: str = ""  # "36 CFR Part 800 Appendix A", "29 CFR 1910.119 Appendix A"
    usc: str = ""  # "42" where it stands in title 42 of the United States Code; the others are then places of that Code

    @property
    def unit(self) -> str:
        """What "of this section" means: the section, or in an appendix the appendix."""
        return self.section or self.appendix

    def down_to(self, node_id: str) -> Here:
        """The place of a node below this one: what its id says, and this one's where the id says nothing."""
        return tuple.__new__(Here, [own or above for own, above in zip(read_id(node_id), self)])


NOWHERE = Here()

_SECTION = re.compile(rf"(\d+) CFR ({DOTTED})( Appendix(?: [^ ()]+)?)?")
_CODE = re.compile(
    r"(?P<title>\d+) U\.S\.C\.(?: App\.)?"
    r"(?:(?P<section> §{1,2} [^ (]+)|(?P<chapter> Chapter [^ ()]+)?(?P<sub> Subchapter [^ ()]+)?)"
)
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


_IN_DOCUMENT = re.compile(r"FR Doc\. \S+ (?=\d+ CFR )")
_COMMENT = re.compile(r"((\d+) CFR Part (\S+) Supplement \S+) (\d+)(?=[(-]|$)")


def codified(node_id: str) -> str:
    """The citation in the Code of a text that a Federal Register document sets out; any other id as it is.

    >>> codified("FR Doc. 2024-29957 21 CFR 101.65(d)")
    '21 CFR 101.65(d)'
    """
    return _IN_DOCUMENT.sub("", node_id, 1) if node_id.startswith("FR Doc. ") else node_id


def is_within(node_id: str, unit: str) -> bool:
    """Whether a node is a paragraph or a definition of a section or an appendix, or the unit itself."""
    if not unit or not node_id.startswith(unit):
        return False
    below = node_id[len(unit) : len(unit) + 3]
    return below.startswith(("(", ' "')) or not below or (below.startswith(" S") and below[2:].isdigit())


@lru_cache(maxsize=4096)
def read_id(node_id: str) -> Here:
    """What one node id says of itself and of what is above it."""
    code = _CODE.match(node_id)
    if code:
        return _in_code(code)
    section = _SECTION.match(node_id)
    if section:
        title, number, appendix = section.groups()
        part = f"{title} CFR Part {part_of(number)}"
        return Here(title, part=part, appendix=section[0]) if appendix else Here(title, part=part, section=section[0])
    comment = _COMMENT.match(node_id)
    if comment:  # an official interpretation stands where the section does that it interprets
        supplement, title, part, number = comment.groups()
        return Here(title, part=f"{title} CFR Part {part}", section=f"{title} CFR {part}.{number}", appendix=supplement)
    found = _CONTAINER.match(node_id)
    if not found:
        return NOWHERE
    title = found[2] or found[3]
    above = f"{title} CFR"
    chapter = above + found["chapter"] if found["chapter"] else ""
    subchapter = chapter + found["subchapter"] if found["subchapter"] else ""
    part = above + found["part"] if found["part"] else ""
    subpart = part + found["subpart"] if found["subpart"] else ""
    appendix = found[0] if found["appendix"] else ""
    return Here(title, chapter, subchapter, part, subpart, "", appendix)


def _in_code(code: re.Match[str]) -> Here:
    """A place in the United States Code: sections are numbered through a title, chapters are named above them."""
    whole = code[0] if code["section"] else ""
    chapter = code[0].removesuffix(code["sub"] or "") if code["chapter"] else ""
    return Here(chapter=chapter, subchapter=code[0] if code["sub"] else "", section=whole, usc=code["title"])


def stand(place: Place) -> Here:
    """The place with all that its own id and its context say; what is nearer to the place wins."""
    here = NOWHERE
    for node_id in (*place.context, place.node_id):
        here = here.down_to(codified(node_id))
    return here
