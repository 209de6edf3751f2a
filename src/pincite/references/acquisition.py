"""The Federal Acquisition Regulations System, which is title 48 of the Code: "FAR 15.403-1", "DFARS subpart 204.73".

Outside the title, "FAR" is read where it cannot be the aviation regulations' old name. Its bare numbers are read in ``bare``.
"""

from __future__ import annotations

import re
from re import Match

from pincite.references.bare import ACQUISITION, sections
from pincite.references.containers import read_levels
from pincite.references.reading import Scan, cfr, put

_OF_FAR_ALONE = re.compile(r"[1-9]\d?\.\d{3}-\d|[1-9]\d?\.\d{1,2}(?!\d)")
"""A clause or a subpart, which 14 CFR, "FAR 91.205", has none of."""


def read_named(scan: Scan, found: Match[str]) -> int:
    """At "FAR 15.403-1" or "DFARS subpart 204.73"."""
    text, start, end = scan.text, found.start(), found.end()
    supplement = start > scan.floor and text[start - 1] == "D"
    start -= supplement
    if start > scan.floor and text[start - 1].isalnum():
        return -1  # AFARS, NMFARS: in no title of the Code
    sure = supplement or scan.here.title == ACQUISITION
    level = (found["level"] or "").lower()
    if not sure and (level == "part" or not scan.match(_OF_FAR_ALONE, end)):
        return -1
    if level:
        return read_levels(scan, start, end, level, ACQUISITION)
    items, end = sections(scan, end)
    return put(scan, cfr(ACQUISITION), items, start, end) if items else -1


ANCHORS = (
    (
        r"FARS?\s+(?:(?:[Cc]lauses?|[Pp]rovisions?|[Ss]ections?)\s+(?:at\s+)?|(?P<level>[Ss]ubpart|[Pp]art)s?\s+)?(?=\d)",
        read_named,
    ),
)
