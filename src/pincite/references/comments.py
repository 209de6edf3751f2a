"""Official interpretations: "comment 3(b)(1)-1.v", "comments 31(b)(1)-1 and 31(b)(2)-1". Their numbers are those of the
sections they interpret, and they stand in the part's Supplement I."""

from __future__ import annotations

from re import Match

from pincite.references.lexicon import DESIGNATOR
from pincite.references.reading import Authority, Scan, listed, put, tokens

_COMMENT = rf"\d{{1,3}}(?:{DESIGNATOR}){{0,6}}-\d{{1,2}}(?:\.[ivx]{{1,5}})?(?:\.[A-Z](?![A-Za-z]))?(?!\w)"
_COMMENTS = tokens(_COMMENT, r"[Cc]omments?\s+")


def read_comments(scan: Scan, found: Match[str]) -> int:
    """At "comment 3(b)(1)-1". One that is named under another regulation ("12 CFR 1026.12, comment 12-2") is of that part."""
    start, part = found.start() - 2, scan.here.part
    items, end = listed(scan, found.end(), _COMMENTS)
    if not items or not part or scan.title_before(start):
        return -1
    if "(" not in items[0].name and " Supplement " not in scan.here.appendix:
        return -1  # "comments 7-9 of the list"; among interpretations "comment 12-2" is one
    return put(scan, Authority("cfr", f"{part} Supplement I "), items, start, end)


ANCHORS = ((r"mment(?<=[Cc]omment)s?\s+(?=\d{1,3}[(-])", read_comments),)
