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
    stat,
    titles,
    treasury,
    usc,
    uscode,
)
from pincite.references.reading import Scan

Reader = Callable[[Scan, Match[str]], int]
Anchor = tuple[int, int, Match[str]]
"""Where an anchor is, the index of its pattern and reader, and the match."""
ANCHORS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern), reader)
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
        uscode,
    )
    for pattern, reader in module.ANCHORS
)


def _after(before: int, anchored: Iterable[tuple[str, Reader]]) -> tuple[tuple[int, re.Pattern[str], Reader], ...]:
    return tuple((index, re.compile(pattern), reader) for index, (pattern, reader) in enumerate(anchored, before))


INFORMAL = _after(len(ANCHORS), (*cfr.INFORMAL, *usc.INFORMAL))
"""What people type and no publisher prints: "21 cfr 211"."""
FAR = _after(len(ANCHORS) + len(INFORMAL), acquisition.ANCHORS)
OWN = _after(len(ANCHORS) + len(INFORMAL) + len(FAR), bare.ANCHORS)
BARE = _after(len(ANCHORS) + len(INFORMAL) + len(FAR) + len(OWN), bare.BARE)
"""What only a text in title 48 cites: "15.408"."""
READERS = (*(reader for _, reader in ANCHORS), *(reader for _, _, reader in (*INFORMAL, *FAR, *OWN, *BARE)))


def anchors(text: str, *, informal: bool = False, title: str = "", part: str = "") -> list[Anchor]:
    """Every anchor of a text in order; *informal*: also those of codes named in small letters; *title* and *part*: where it
    stands, where that is known. A look for a rare word costs less than its pattern."""
    found = [(match.start(), index, match) for index, (pattern, _) in enumerate(ANCHORS) for match in pattern.finditer(text)]
    further: list[tuple[int, re.Pattern[str], Reader]] = []
    if informal and ("cfr" in text or "usc" in text or "f.r." in text or "s.c." in text):
        further += INFORMAL
    if "FAR" in text:
        further += FAR
    if not part or f"{part}." in text:
        further += OWN
    if title == bare.ACQUISITION:
        further += BARE
    for index, pattern, _ in further:
        found += [(match.start(), index, match) for match in pattern.finditer(text)]
    found.sort()
    return found


def read(scan: Scan, found: list[Anchor]) -> None:
    """Reads the references at these anchors into ``scan.out``; an anchor inside a reference already read is part of it."""
    for start, index, match in found:
        if start >= scan.floor:
            end = READERS[index](scan, match)
            if end > 0:
                scan.floor = end
