"""References inside the United States Code: "section 1983 of this title", "paragraph (1) of subsection (b)", "this clause".

The Code names each level by its own word, and a bare "paragraph (1)" is the one of the subsection it stands in, where the
CFR counts from the section. Everything here holds only where the text stands in the Code (``Here.usc``).
"""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import PATH, PLAIN, clean
from pincite.references.place import is_within
from pincite.references.reading import Authority, Item, Scan, paths, put
from pincite.references.scope import Above, above

LEVELS = ("subsection", "paragraph", "subparagraph", "clause", "subclause", "item")
"""From the outermost in."""
_FITS = tuple(
    map(re.compile, (r"\([a-z]{1,2}\)", r"\(\d+[A-Z]?\)", r"\([A-Z]{1,3}\)", r"\([ivxl]+\)", r"\([IVXL]+\)", r"\(\w+\)"))
)
IN_A_NOTE = "a note quotes other law, whose section this may be"
_DESIGNATOR = re.compile(r"\([^()]*\)")
_WORD = "|".join(sorted(LEVELS, key=len, reverse=True))
_OF_LEVEL = re.compile(
    rf",?\s+(?:of|in|under)\s+(?:(?P<this>this|such|that)\s+(?P<unit>section|{_WORD})\b|(?P<level>{_WORD})\s+(?P<path>{PATH}))"
)
_OF_SECTION = re.compile(rf",?\s+(?:of|in|under)\s+(?:§\s*|[Ss]ections?\s+)(?P<number>{PLAIN})(?P<path>{PATH})?")
_ELSEWHERE = re.compile(r",?\s+of\s+(?:the|that|such|an?|any|each|title|Public|Pub)\b")


def within_code(scan: Scan, named: Above) -> str:
    """What comes before a section's number that "of this title", or "of this chapter", completes; "" outside the Code."""
    return f"{scan.here.usc} U.S.C. § " if scan.here.usc and "this" in named[1:6] else ""


def family(unit: str) -> str:
    """Which code a place is in."""
    return "usc" if " U.S.C. " in unit else "cfr"


def read_own(scan: Scan, found: Match[str]) -> int:
    """At "subsection (a) …", "clause (ii) …", "this subsection" inside the Code; -1 where it is no reference."""
    text, end = scan.text, found.end()
    start = max(text.rfind(level, 0, end) for level in (found[1], found[1].capitalize()))
    if text[max(0, start - 3) : start].lower() == "sub":
        start -= 3
    return read_here(scan, start, end)


def read_here(scan: Scan, start: int, end: int) -> int:
    """A level's word begins at *start*; its designators, or what follows "this subsection", at *end*."""
    if not is_within(scan.node_id, scan.here.unit) or end > scan.end:
        return -1  # a note quotes other law, whose levels these may be
    level = re.split(r"[^a-z]", scan.text[start:end].lower())[0].removesuffix("s")
    if level not in LEVELS:
        return -1
    items, stop = paths(scan, end)
    if items:
        return _completed(scan, level, items, start, stop)
    before = scan.text[max(scan.floor, start - 5) : start]
    if not before.lower().endswith("this "):
        return -1
    return _this(scan, level, start - 5, end)


def _this(scan: Scan, level: str, start: int, end: int) -> int:
    depth = LEVELS.index(level)
    inside = _path(scan, depth + 1)
    if inside == _path(scan, depth) or not scan.is_word(start, end):
        return -1
    return put(scan, Authority("usc", inside), [Item(start, end, "")], start, end)


def _completed(scan: Scan, level: str, items: list[Item], start: int, end: int) -> int:
    """Up the chain that follows: "of subsection (b) of section 552a of title 5"."""
    middle, outer = "", level
    while step := _OF_LEVEL.match(scan.text, end, scan.end):
        end = step.end()
        if step["this"]:
            if step["this"] != "this":
                return -1
            base = scan.here.unit if step["unit"] == "section" else _path(scan, LEVELS.index(step["unit"]) + 1)
            return put(scan, Authority("usc", base + middle), items, start, end) if base else -1
        middle, outer = clean(step["path"]) + middle, step["level"]
    section = _OF_SECTION.match(scan.text, end, scan.end)
    if section:
        named = above(scan, section.end())
        title = scan.here.usc if "this" in named[1:6] else named.title
        if not title:
            return -1  # of an Act, or of nothing that is said
        base = f"{title} U.S.C. § {clean(section['number'])}{clean(section['path'] or '')}"
        return put(scan, Authority("usc", base + middle), items, start, named.end)
    if _ELSEWHERE.match(scan.text, end, scan.end):
        return -1
    return put(scan, Authority("usc", _path(scan, LEVELS.index(outer)) + middle), items, start, end)


def _path(scan: Scan, depth: int) -> str:
    """The section and those designators of the place that are of the first *depth* levels."""
    unit, at, path = scan.here.unit, 0, ""
    for designator in _DESIGNATOR.findall(scan.node_id[len(unit) :]):
        while at < len(LEVELS) and not _FITS[at].fullmatch(designator):
            at += 1
        if at >= depth:
            break
        path, at = path + designator, at + 1
    return unit + path
