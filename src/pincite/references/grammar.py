"""The grammar of federal citations: every authority's anchors in one scan, each anchor read by its own module.

An anchor is a rare piece of text that every reference of its kind contains ("§", "CFR", "ection"). Each anchor's
pattern begins with a literal, which ``re`` finds at memory speed; only there does any grammar run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from re import Match

from pincite.references import (
    acquisition,
    bare,
    cfr,
    comments,
    containers,
    executive_order,
    fr,
    paragraphs,
    public_law,
    sections,
    standards,
    stat,
    titles,
    treasury,
    usc,
)
from pincite.references.reading import Scan

Reader = Callable[[Scan, Match[str]], int]
Anchor = tuple[int, int, Match[str]]
"""Where an anchor is, the index of its pattern and reader, and the match."""
Anchored = tuple[tuple[int, re.Pattern[str]], ...]
READERS: list[Reader] = []


def _entered(anchored: Iterable[tuple[str, Reader]]) -> Anchored:
    """Patterns with the index of their reader. Of anchors at the same place the one that is entered first is read first."""
    first = len(READERS)
    pairs = [(re.compile(pattern), reader) for pattern, reader in anchored]
    READERS.extend(reader for _, reader in pairs)
    return tuple((index, pattern) for index, (pattern, _) in enumerate(pairs, first))


ANCHORS = tuple(
    anchored
    for module in (
        sections,
        paragraphs,
        titles,
        cfr,
        usc,
        containers,
        comments,
        fr,
        stat,
        public_law,
        executive_order,
        treasury,
    )
    for anchored in _entered(module.ANCHORS)
)
INFORMAL = _entered((*cfr.INFORMAL, *usc.INFORMAL))
"""What people type and no publisher prints: "21 cfr 211"."""
OWN = _entered(bare.ANCHORS)
BARE = _entered(bare.BARE)
"""What only a text in title 48 cites: "15.408"."""
STANDARDS = _entered(standards.ANCHORS)
"""What only the motor vehicle safety standards number so: "S5.1"."""
OCCASIONAL: tuple[tuple[tuple[str, ...], Anchored], ...] = (
    (("FAR",), _entered(acquisition.ANCHORS)),
    (("IRC", "I.R.C."), _entered(treasury.REVENUE_CODE)),
    (("App.", "app."), _entered(containers.SHORT)),
    (("Table ", "table ", "Tables ", "tables "), _entered(containers.TABLES)),
)
"""Words one of which a text must hold, and the anchors that are looked for only then: a look costs less than a pattern."""


def anchors(text: str, *, informal: bool = False, title: str = "", part: str = "") -> list[Anchor]:
    """Every anchor of a text in order; *informal*: also those of codes named in small letters; *title* and *part*: where it
    stands, where that is known."""
    found = [(match.start(), index, match) for index, pattern in ANCHORS for match in pattern.finditer(text)]
    for index, pattern in _further(text, informal, title, part):
        found += [(match.start(), index, match) for match in pattern.finditer(text)]
    found.sort()
    return found


def _further(text: str, informal: bool, title: str, part: str) -> list[tuple[int, re.Pattern[str]]]:
    """The anchors that only some texts and places have."""
    further: list[tuple[int, re.Pattern[str]]] = []
    if informal and ("cfr" in text or "usc" in text or "f.r." in text or "s.c." in text):
        further += INFORMAL
    if not part or f"{part}." in text:
        further += OWN
    if title == bare.ACQUISITION:
        further += BARE
    if part == standards.PART or f"{standards.PART}." in text:
        further += STANDARDS
    for words, anchored in OCCASIONAL:
        if any(word in text for word in words):
            further += anchored
    return further


def read(scan: Scan, found: list[Anchor]) -> None:
    """Reads the references at these anchors into ``scan.out``; an anchor inside a reference already read is part of it."""
    for start, index, match in found:
        if start >= scan.floor:
            end = READERS[index](scan, match)
            if end > 0:
                scan.floor = end
