"""Paragraphs of the Federal motor vehicle safety standards, which count S1, S4.1.2(a) where other sections have (a), (1):
"S5.1 of this standard", "S4.1 through S4.3", "S7(b) of § 571.108", "S5.2.1 of Standard No. 209"."""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import PATH, SEP, TO, clean
from pincite.references.reading import Authority, Item, Scan, put
from pincite.references.scope import above

PART = "571"
_STANDARDS = f"49 CFR {PART}."
_NUMBER = r"S\d{1,2}(?:\.\d{1,3}){0,6}(?![\w]|\.\d)"
_FIRST = re.compile(rf"(?P<number>{_NUMBER})(?P<path>{PATH})?")
_NEXT = re.compile(rf"(?:(?P<to>{TO})|{SEP})(?:paragraphs?\s+)?(?P<number>{_NUMBER})(?P<path>{PATH})?")
_OF_STANDARD = re.compile(
    rf",?\s+(?:of|in|to)\s+(?:(?:§\s*|[Ss]ection\s+|49\s+CFR\s+){PART}\.(?P<section>\d{{3}}[a-z]?)(?![\w(])"
    r"|(?:Federal\s+[Mm]otor\s+[Vv]ehicle\s+[Ss]afety\s+|FMVSS\s+|[Ss]afety\s+)?[Ss]tandard\s+[Nn]o\.\s*(?P<number>\d{3}[a-z]?)(?!\w)"
    r"|this\s+(?:standard|section)\b)"
)
_BEFORE = re.compile(r"\b(?:[Ss]tandard\s+[Nn]o\.|FMVSS(?:\s+[Nn]o\.)?)\s*(?P<number>\d{3}[a-z]?),?\s+$")
_AFTER = re.compile(r"\)?,?\s+")
_WORD = re.compile(r"\b(?:[Ss]ub)?[Pp]aragraphs?\s+$")
_OF_ANOTHER = re.compile(r",?\s+(?:of|in)\s+(?:ISO|SAE|UNECE|ASTM|the\s+[A-Z])")


def read_numbers(scan: Scan, found: Match[str]) -> int:
    """At "S5.1"; -1 where it is no paragraph of a standard, and where it is a paragraph's own number."""
    start = found.start()
    items, end = _listed(scan, start)
    if not items or scan.match(_OF_ANOTHER, end):
        return -1
    named = scan.match(_OF_STANDARD, end)
    if not named and not _follows(scan) and not scan.text[scan.floor : start].strip():
        return end  # what a paragraph begins with
    section = _section(scan, start, named)
    if not section:
        return -1
    word = _WORD.search(scan.text, max(scan.floor, start - 16), start)
    stop = max(named.end(), above(scan, named.end()).end) if named else end
    return put(scan, Authority("cfr", f"{section} "), items, word.start() if word else start, stop)


def _follows(scan: Scan) -> bool:
    """Whether reading goes on from a reference, not from the beginning of a block."""
    return bool(scan.out) and scan.out[-1].end == scan.floor


def _section(scan: Scan, start: int, named: Match[str] | None) -> str:
    """The standard whose paragraphs begin at *start*: the one named after them, just before them, or the place's; or ""."""
    number = (named["section"] or named["number"]) if named else None
    if not named and _follows(scan) and _AFTER.fullmatch(scan.text, scan.floor, start):
        target = scan.out[-1].target_node_id or ""
        if target.startswith(_STANDARDS) and "(" not in target:
            return target.partition(" S")[0]  # "49 CFR 571.225 S6 and S7"
    if not named:
        before = _BEFORE.search(scan.text, max(scan.floor, start - 30), start)
        number = before["number"] if before else None
    if number:
        return f"{_STANDARDS}{number}"
    return scan.here.section if scan.here.section.startswith(_STANDARDS) else ""


def _listed(scan: Scan, at: int) -> tuple[list[Item], int]:
    items: list[Item] = []
    found = scan.match(_FIRST, at)
    while found:
        at, name = found.end(), found["number"] + clean(found["path"] or "")
        if items and found["to"] and not items[-1].last:
            items[-1] = Item(items[-1].start, at, items[-1].name, name)
        else:
            items.append(Item(found.start("number"), at, name))
        found = scan.match(_NEXT, at)
    return items, at


ANCHORS = ((r"(?<![\w/.$\u2010-\u2015-])S(?=\d{1,2}(?:[\s.,;:()]|$))", read_numbers),)
