"""The Treasury's regulations, which are title 26 of the Code: "Treas. Reg. § 1.401(a)-1".

A proposed one is in the Federal Register and not in the Code; a temporary one stands in the Code for three years at most, and
its number may since be another's; "Treas. Reg. 111, § 29.42-1" is numbered under the Code of 1939. These are unsupported.
"""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import ANOTHER_CODE, ANOTHER_WORK
from pincite.references.reading import (
    FIRST_DOTTED,
    FIRST_PLAIN,
    NEXT_DOTTED,
    NEXT_PLAIN,
    Authority,
    Item,
    Scan,
    cfr,
    numbers,
    put,
)

_STATUS = re.compile(r"\b(?:(?P<proposed>Prop(?:\.|osed))|(?P<temporary>Temp(?:\.|orary)))(?:\s+and\s+\w+)?\s+$")
_SIGN = re.compile(r",?\s*(?:(?:§{1,2}|[Ss]ec(?:tions?|s?\.))\s*)?(?=\d)")
_OLD = re.compile(
    r",?\s*(?:No\.\s*)?\d{1,3}(?:\s*\([^()]{1,40}\))?,?\s+(?:[Aa]rts?\.|[Aa]rticles?|§{1,2}|[Ss]ec(?:tions?|s?\.))\s*[\d.()a-zA-Z-]*\d"
)
NAME = r"Treas(?:\.|ury)\s+(?:Department\s+)?Reg(?:s?\.|ulations?\b)"
OF_TREASURY = re.compile(r"\s+of\s+the\s+(?:(?:Income|Estate|Gift|Excise|Employment)\s+Tax|Treasury)\s+Regulations\b")
"""What follows sections that are the Treasury's: "section 1.704-1(b) of the Treasury Regulations"."""


def read_regulation(scan: Scan, found: Match[str]) -> int:
    """At "Treas. Reg." and its relatives; -1 where no section follows."""
    start = found.start()
    status = _STATUS.search(scan.text, max(scan.floor, start - 32), start)
    sign = scan.match(_SIGN, found.end())
    items, end = numbers(scan, sign.end(), FIRST_DOTTED, NEXT_DOTTED) if sign else ([], start)
    if not items:
        old = scan.match(_OLD, found.end())
        return _unsupported(scan, start, old.end(), "a regulation under an earlier revenue code") if old else -1
    if not status:
        return put(scan, cfr("26"), items, start, end)
    whose = (
        "a proposed regulation is not in the Code" if status["proposed"] else "a temporary regulation may have left the Code"
    )
    return put(scan, Authority("cfr", None, "unsupported", whose), items, status.start(), end)


def _unsupported(scan: Scan, start: int, end: int, reason: str) -> int:
    return put(scan, Authority("cfr", None, "unsupported", reason), [Item(start, end, "")], start, end)


_BY_USAGE = "sections are the Internal Revenue Code's by the usage of title 26; no other work is named here"
_REVENUE = re.compile(r"[1-9]\d{0,3}[A-Z]{0,2}(?:-\d{1,2})?(?:\(|$)")
_OF_A_WORK = re.compile(
    r",?\s+(?:of|in|under|to)\s+(?:(?:an?|any|each|its|such|that|the|their|this)\s+(?!case\b|Code\b)|it\b|[A-Z])|\s+(?:above|below)\b|\.\d"
)
_CODE_BEFORE = re.compile(r"(?:^|[^\w\s.]|\b[a-z][\w)]*\.?|\bRevenue)\s*\bCode\s+$")
_ABBREVIATED = re.compile(r"\b[A-Z][\w.&]*\.\s$")
"""A work cut short just before a sign: "N.Y. Empl. § 85"."""
_NUMBERED_BEFORE = re.compile(r"\b(?:Announcement|Notice|Proc\.|Rul\.|Decision|Order)\s+[\d-]+,\s+$|\bcross[ -]$")


def revenue_code(scan: Scan, items: list[Item], start: int, end: int) -> Authority | None:
    """The Code that "section 402(g)" is of in the Treasury's regulations, which name no work for its sections; None where one
    is named, and anywhere else."""
    if scan.here.title != "26" or not all(_REVENUE.match(item.name) for item in items) or scan.match(_OF_A_WORK, end):
        return None
    low = max(scan.floor, start - 40)
    another = ANOTHER_WORK.search(scan.text, low, start) or _NUMBERED_BEFORE.search(scan.text, low, start)
    if scan.text[start] == "§" and not another:
        another = ANOTHER_CODE.search(scan.text, low, start) or _ABBREVIATED.search(scan.text, low, start)
    if another and not _CODE_BEFORE.search(scan.text, low, start):
        return None
    return Authority("usc", "26 U.S.C. § ", reason=_BY_USAGE)


def is_revenue_code(scan: Scan) -> bool:
    """Whether "the Code" is the Internal Revenue Code here: in title 26, and where the text says so."""
    return scan.names.get("code", "Internal Revenue Code" if scan.here.title == "26" else "").startswith("Internal Revenue")


_YEAR = re.compile(r"(?:19|20[0-2])\d\d?$")


def read_code(scan: Scan, found: Match[str]) -> int:
    """At "IRC 4958(f)(1)"; "IRC 2018" is a year's edition of another code."""
    items, end = numbers(scan, found.end(), FIRST_PLAIN, NEXT_PLAIN) if scan.is_word(found.start(), found.start()) else ([], 0)
    if (
        not items
        or _YEAR.match(items[0].name)
        or len(items[0].name) < 2
        or not all(_REVENUE.match(item.name) for item in items)
    ):
        return -1
    return put(scan, Authority("usc", "26 U.S.C. § "), items, found.start(), end)


ANCHORS = ((NAME, read_regulation),)
REVENUE_CODE = ((r"I(?:RC|\.R\.C\.)\s+(?=\d)", read_code),)
