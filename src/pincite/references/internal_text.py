"""The references in the prose of a team's documents. Each reader looks for one shape, from an anchor word on.

``internal_documents`` knows how documents are named, ``internal_numbers`` reads places by number, ``internal_titles`` names.
Every reader is linear: it finds its anchors in one pass and looks at most ``REACH`` characters around each.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from pincite.references.internal_documents import NOUN
from pincite.references.internal_files import EXTENSIONS, Found, Home, files
from pincite.references.internal_numbers import UNITS, numbers
from pincite.references.internal_titles import BINDS, POINTS, codes, cued, quoted, titles, wiki
from pincite.references.named import ALL, FIRST

_ANY = re.compile(
    rf"\b(?:{POINTS}|{BINDS})[ ]|\b(?:{NOUN})\b|\[\[|[A-Z][-–_ ]?\d|\.(?:{EXTENSIONS})\b|[§\"“«]"
    rf"|(?:{'|'.join(UNITS.values())})[  ]",
    re.IGNORECASE,
)


def read(text: str, home: Home, *, heading: bool = False, links: Sequence[tuple[int, int, str]] = ()) -> list[Found]:
    """The references of a text, in order; of two that overlap the more definite stays. *heading*: only codes and files.

    Lines are read as one: a name may go on in the next. Code in a fence and template directives are not read. *links* are those
    of the text, as (start, end, what it seeks): no references here, but documents that a number or heading may be of.
    """
    if not _ANY.search(text) or text.startswith(("```", "~~~")):
        return []
    one_line, runs = _in_one_line(_DIRECTIVE.sub(_blanked, text))
    if links:
        there = [(runs.new(start), runs.new(end - 1) + 1, sought) for start, end, sought in links]
        home = home._replace(
            links={start: (end, sought) for start, end, sought in there},
            links_to={end: (start, sought) for start, end, sought in there},
        )
    places = runs.old
    return [each._replace(start=places(each.start), end=places(each.end - 1) + 1) for each in _read(one_line, home, heading)]


_DIRECTIVE = re.compile(r"\{%[^%\n]{0,300}%\}|\{\{[^{}\n]{0,300}\}\}|<[^<>\n]{1,300}>")
_SPACES = re.compile(r"\s+")


def _blanked(match: re.Match[str]) -> str:
    return "\0" * len(match[0])


class _Runs(NamedTuple):
    """Where in one line the text goes on after each run of white space, and where that is in the text as it stands."""

    news: list[int]
    olds: list[int]

    def old(self, place: int) -> int:
        index = bisect_right(self.news, place) - 1
        return self.olds[index] + place - self.news[index]

    def new(self, place: int) -> int:
        index = bisect_right(self.olds, place) - 1
        return self.news[index] + place - self.olds[index]


def _in_one_line(text: str) -> tuple[str, _Runs]:
    """The text with every run of white space as one space, one tab between cells, and the way to *text* and back."""
    runs = [match.span() for match in _SPACES.finditer(text) if match[0] != " "]
    pieces, new, old, at = list[str](), [0], [0], 0
    for start, end in runs:
        pieces += [text[at:start], "\t" if "\t" in text[start:end] else " "]  # no reference reaches from one cell into the next
        new.append(new[-1] + start - at + 1)
        old.append(end)
        at = end
    pieces.append(text[at:])
    return "".join(pieces), _Runs(new, old)


def _read(text: str, home: Home, heading: bool) -> list[Found]:
    found = [*files(text, home), *codes(text, home)]
    if not heading:
        found = [
            *numbers(text, home),
            *quoted(text, home),
            *wiki(text, home),
            *found,
            *cued(text, home),
            *titles(text, home),
        ]
    kept: list[Found] = []
    for each in found:  # in the order of the readers: the definite ones first
        at = bisect_right(kept, each)
        free = (at == 0 or kept[at - 1].end <= each.start) and (at == len(kept) or each.end <= kept[at].start)
        if free and not _is_own(each, home):
            kept.insert(at, each)
    return kept


def _is_own(found: Found, home: Home) -> bool:
    """Whether what is sought is the document itself."""
    return any(wish in home.own for group in found.sought.split(FIRST) for wish in group.split(ALL))
