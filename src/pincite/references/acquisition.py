"""The Federal Acquisition Regulations System, which is title 48 of the Code and cites itself by bare numbers: "15.408(a)",
"the clause at 52.214-10", "FAR 15.403-1", "DFARS subpart 204.73".

Bare numbers are looked for in title 48 only. Outside it, "FAR" is read where it cannot be the aviation regulations' old name.
"""

from __future__ import annotations

import re
from re import Match

from pincite.references.containers import read_levels
from pincite.references.reading import FIRST_DOTTED, NEXT_DOTTED, Item, Scan, cfr, numbers, put

TITLE = "48"
_SECTION = re.compile(r"[1-9]\d{0,3}\.\d{3,4}(?!\d)")
_OF_FAR_ALONE = re.compile(r"[1-9]\d?\.\d{3}-\d|[1-9]\d?\.\d{1,2}(?!\d)")
"""A clause or a subpart, which 14 CFR, "FAR 91.205", has none of."""
_SUPPLEMENT = re.compile(r"\b(?:[A-Z]{2,5}AR|NFS|GSAM)\s+(?:clause\s+|provision\s+)?$")
_NOT_CODIFIED = re.compile(
    r"[x\u00d7*=+<>]\s?$"
    r"|\b(?:PGI|AFARS|[A-Z]{2,4}FARS|[A-Z]{2,4}CARS?|DLAD|DEVIATION|MIL-\w+|AS|ISO|Rev(?:\.|ision)|[Vv]ersion|v)[ -]$"
)
_MEASURE = re.compile(
    r"\s+(?:percent|per|inch\w*|lbs?|kg|pounds?|miles?|met(?:er|re|ric)\w*|times|hours?|[mb]illion|x)\b|\s*[%\u00d7*=+]"
)


def _sections(scan: Scan, at: int) -> tuple[list[Item], int]:
    """The sections of title 48 that are listed here; what follows them in the list, and has another shape, is not of it."""
    items, _ = numbers(scan, at, FIRST_DOTTED, NEXT_DOTTED)
    count = next((index for index, item in enumerate(items) if not _SECTION.match(item.name)), len(items))
    return (items[:count], items[count - 1].end) if count else ([], at)


def read_bare(scan: Scan, found: Match[str]) -> int:
    """At "15.408(a)" in title 48."""
    start = found.start()
    if scan.here.title != TITLE:
        return -1
    items, end = _sections(scan, start)
    if not items or scan.match(_MEASURE, end):
        return -1
    low = max(scan.floor, start - 16)
    if _NOT_CODIFIED.search(scan.text, low, start):
        return end
    own = f"{TITLE} CFR {items[0].name}" == scan.here.section
    if own and start == scan.floor and len(items) == 1:
        return end  # the section's heading
    before = _SUPPLEMENT.search(scan.text, low, start)
    return put(scan, cfr(TITLE), items, before.start() if before else start, end)


def read_named(scan: Scan, found: Match[str]) -> int:
    """At "FAR 15.403-1" or "DFARS subpart 204.73"."""
    text, start, end = scan.text, found.start(), found.end()
    supplement = start > scan.floor and text[start - 1] == "D"
    start -= supplement
    if start > scan.floor and text[start - 1].isalnum():
        return -1  # AFARS, NMFARS: in no title of the Code
    sure = supplement or scan.here.title == TITLE
    level = (found["level"] or "").lower()
    if not sure and (level == "part" or not scan.match(_OF_FAR_ALONE, end)):
        return -1
    if level:
        return read_levels(scan, start, end, level, TITLE)
    items, end = _sections(scan, end)
    return put(scan, cfr(TITLE), items, start, end) if items else -1


ANCHORS = (
    (
        r"FARS?\s+(?:(?:[Cc]lauses?|[Pp]rovisions?|[Ss]ections?)\s+(?:at\s+)?|(?P<level>[Ss]ubpart|[Pp]art)s?\s+)?(?=\d)",
        read_named,
    ),
)
BARE = ((r"(?<![\w.$/\u2010-\u2015-])(?<!\d,)[1-9]\d{0,3}\.\d{3,4}(?!\d|,\d|\.\d)", read_bare),)
