"""Official interpretations: "comment 3(b)(1)-1.v", "comments 31(b)(1)-1 and 31(b)(2)-1", "comments 5(d)-1 through -3", "the
commentary to 3(b)(1)". Their numbers are those of the sections they interpret, and they stand in the part's Supplement I."""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import DASH, DESIGNATOR
from pincite.references.reading import Authority, Item, Scan, listed, put, tokens

_NUMBER = rf"{DASH}\d{{1,2}}(?:\.[ivx]{{1,5}})?(?:\.[A-Z](?![A-Za-z]))?(?!\w)"
_COMMENT = rf"(?:(?:\d{{4}}\.)?\d{{1,3}}(?:(?:{DESIGNATOR}){{0,6}}{_NUMBER}|(?:{DESIGNATOR}){{1,6}}(?!\w))|(?<=[\s,]){_NUMBER})"
_OF_ANOTHER = re.compile(r"\s+(?:of|by|from|to)\s")
_COMMENTS = tokens(_COMMENT, r"[Cc]omments?\s+")


def read_comments(scan: Scan, found: Match[str]) -> int:
    """At "comment 3(b)(1)-1". One that is named under another regulation ("12 CFR 1026.12, comment 12-2") is of that part."""
    start, part = found.start() - 2, scan.here.part
    items, end = listed(scan, found.end(), _COMMENTS)
    if not items or not part or scan.joined(start).title:
        return -1
    if not items[-1].name.count("-") and scan.match(_OF_ANOTHER, end):
        return -1  # "comment 5(a) of the letter"
    numbered = items[0].name[4:5] == "."
    if "(" not in items[0].name and " Supplement " not in scan.here.appendix and not numbered:
        return -1  # "comments 7-9 of the list"; among interpretations "comment 12-2" is one
    items = _in_full(items)
    if numbered:
        part, items = _of_part(scan, items)
        end = items[-1].end
    return put(scan, Authority("cfr", f"{part} Supplement I "), items, start, end)


def _of_part(scan: Scan, items: list[Item]) -> tuple[str, list[Item]]:
    """Items that name the section in full, "comment 1004.3-3.i": their part, and their numbers without it, as far as they are
    of that part."""
    number = items[0].name[:4]
    bare = []
    for each in items:
        if each.name[4:5] == "." and not each.name.startswith(number):
            break
        last = each.last and each.last.removeprefix(f"{number}.")
        bare.append(each._replace(name=each.name.removeprefix(f"{number}."), last=last))
    return f"{scan.here.title} CFR Part {number}", bare


def _in_full(items: list[Item]) -> list[Item]:
    """Items that name only the last number, "-3", with the rest from the item before."""
    found: list[Item] = []
    before = ""
    for item in items:
        name = before.rpartition("-")[0] + item.name if item.name.startswith("-") else item.name
        last = name.rpartition("-")[0] + item.last if item.last and item.last.startswith("-") else item.last
        found.append(item._replace(name=name, last=last))
        before = name
    return found


ANCHORS = ((r"mment(?:(?<=[Cc]omment)s?|ary(?<=[Cc]ommentary)\s+(?:to|on|for))\s+(?=(?:\d{4}\.)?\d{1,3}[(-])", read_comments),)
