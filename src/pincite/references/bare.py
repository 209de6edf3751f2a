"""Sections by bare number, with neither a sign nor a word before it.

Title 48 always cites itself so: "as prescribed in 15.408(a)". Elsewhere the number is of the place's own part: "see
1910.95(b)(1)" in part 1910.
"""

from __future__ import annotations

import re
from re import Match

from pincite.references.containers import MAY_FOLLOW
from pincite.references.reading import FIRST_DOTTED, NEXT_DOTTED, Item, Scan, cfr, numbers, put
from pincite.references.scope import above

ACQUISITION = "48"
_SECTION = re.compile(r"[1-9]\d{0,3}\.\d{3,4}(?!\d)")
_SUPPLEMENT = re.compile(r"\b(?:[A-Z]{2,5}AR|NFS|GSAM)\s+(?:clause\s+|provision\s+)?$")
_NOT_CODIFIED = re.compile(
    r"[x\u00d7*=+<>]\s?$"
    r"|\b(?:PGI|AFARS|[A-Z]{2,4}FARS|[A-Z]{2,4}CARS?|DLAD|DEVIATION|MIL-\w+|AS|ISO|Rev(?:\.|ision)|[Vv]ersion|v)[ -]$"
)
_MEASURE = re.compile(
    r"\s+(?:percent|per|inch\w*|lbs?|kg|pounds?|miles?|met(?:er|re|ric)\w*|times|hours?|[mb]illion|x)\b|\s*[%\u00d7*=+]"
)


def sections(scan: Scan, at: int) -> tuple[list[Item], int]:
    """The sections of title 48 that are listed here; what follows them in the list, and has another shape, is not of it."""
    items, _ = numbers(scan, at, FIRST_DOTTED, NEXT_DOTTED)
    count = next((index for index, item in enumerate(items) if not _SECTION.match(item.name)), len(items))
    return (items[:count], items[count - 1].end) if count else ([], at)


def read_bare(scan: Scan, found: Match[str]) -> int:
    """At "15.408(a)" in title 48."""
    start = found.start()
    if scan.here.title != ACQUISITION:
        return -1
    items, end = sections(scan, start)
    if not items or scan.match(_MEASURE, end):
        return -1
    low = max(scan.floor, start - 16)
    if _NOT_CODIFIED.search(scan.text, low, start):
        return end
    own = f"{ACQUISITION} CFR {items[0].name}" == scan.here.section
    if own and start == scan.floor and len(items) == 1:
        return end  # the section's heading
    before = _SUPPLEMENT.search(scan.text, low, start)
    end = max(end, above(scan, end).end)
    return put(scan, cfr(ACQUISITION), items, before.start() if before else start, end)


_OF_PART = re.compile(r"(?<![\w.$/\u2010-\u2015-])(?<!\d,)[1-9]\d{2,3}[a-z]?$")
_LABEL = re.compile(
    r"\b(?:[Tt]ables?|[Ff]ig(?:ures?|s?\.)|[Ff]orms?|F|N[oO]s?\.|[Ii]tems?|[Ee]xhibits?|[Rr]ules?|[Mm]ethods?|[Ee]quations?|Eq\.|[Cc]omments?|[Vv]ersion"
    r"|[Pp]ages?|[Ll]ines?|[Pp]aragraphs?)\s$"
)
_OF_THIS = re.compile(r"\s+(?:in|of)\s+th(?:is|at)\b")
_INTRODUCED = re.compile(r"(?:\b(?:and|by|except|from|in|of|or|per|[Ss]ee|through|to|under|with)\s|[(\[]|[,.;]\s)$")


def read_own(scan: Scan, found: Match[str]) -> int:
    """At the point of "1910.95(b)(1)" in part 1910."""
    here, point = scan.here, found.start()
    number = _OF_PART.search(scan.text, max(scan.floor, point - 6), point)
    if not number or not here.part.endswith(f" Part {number[0]}"):
        return -1
    start = number.start()
    items, end = numbers(scan, start, FIRST_DOTTED, NEXT_DOTTED)
    if not items or start == scan.floor or scan.match(_MEASURE, end):
        return -1  # a heading's own number, a measure
    low = max(scan.floor, start - 12)
    set_out = _INTRODUCED.search(scan.text, low, start) and (scan.match(MAY_FOLLOW, end) or scan.match(_OF_THIS, end))
    if "(" not in items[0].name and (number[0].endswith("00") or not set_out):
        return -1  # 100.5 is a number more often than a section, and so is "code 911.22"
    if _LABEL.search(scan.text, low, start):
        return -1
    named = above(scan, end)
    return put(scan, cfr(named.title_id(here)), items, start, max(end, named.end))


ANCHORS = ((r"\.\d(?<=\d{3}\.\d)(?<!§ \d{3}\.\d)(?<!§ \d{4}\.\d)(?<!CFR \d{3}\.\d)", read_own),)
BARE = ((r"(?<![\w.$/\u2010-\u2015-])(?<!\d,)[1-9]\d{0,3}\.\d{3,4}(?!\d|,\d|\.\d)", read_bare),)
