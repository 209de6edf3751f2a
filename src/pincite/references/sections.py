"""References that begin with a section's sign or word: "§ 211.22(a)", "sections 505(b) and 351 of the act",
"section 1506 of title 44, United States Code", "sec. 6, E.O. 10530". What follows the numbers says whose they are."""

from __future__ import annotations

import re
from re import Match

from pincite.references.act import instrument, named_before, recalled, remember
from pincite.references.containers import NO_TITLE
from pincite.references.lexicon import ET_SEQ
from pincite.references.paragraphs import read_bare
from pincite.references.reading import (
    FIRST_DOTTED,
    FIRST_PLAIN,
    NEXT_DOTTED,
    NEXT_PLAIN,
    Authority,
    Item,
    Scan,
    numbers,
    put,
)
from pincite.references.scope import above

_EXTENT = re.compile(ET_SEQ)
_FOREIGN = re.compile(
    r"\s+of\s+(?:the|that|those|such|its|their)\s+((?:[A-Z][\w&.'’-]*|regulations?|rules?|order|directive)(?:\s[A-Z][\w&.'’-]*){0,6})"
)
_HEADING = re.compile(r"\s+(?=[A-Z][a-z]+\b(?!\s+of\s+this)|\[Reserved\])")


def read_sections(scan: Scan, found: Match[str]) -> int:
    """At "§ 211.22", "§§ …", "section 505(b) …", "sec. 6, …"; -1 where it is no reference."""
    sign = scan.text[found.start()] == "§"
    start = found.start() if sign else found.start() - 1
    at = found.start("number")
    if at >= scan.end:
        return -1
    items, end = numbers(scan, at, FIRST_DOTTED, NEXT_DOTTED)
    if items:
        return _dotted(scan, items, start, end, sign)
    items, end = numbers(scan, at, FIRST_PLAIN, NEXT_PLAIN)
    if not items:
        return _not_understood(scan, start, at) if sign else -1
    return _plain(scan, items, start, end, sign)


def _dotted(scan: Scan, items: list[Item], start: int, end: int, sign: bool) -> int:
    here = scan.here
    named = above(scan, end)
    if named.end == end:
        if scan.match(_HEADING, end) and _opens_a_line(scan, start):
            return end  # "§ 211.22 Responsibilities of ...": a heading names itself
        foreign = scan.match(_FOREIGN, end)
        if foreign:
            if not sign:
                return -1
            return put(scan, Authority("cfr", None, "unsupported", f"a section of {foreign[1]}"), items, start, foreign.end())
        if not sign and not here.part.endswith(f" Part {items[0].name.partition('.')[0]}"):
            return -1  # "section 3.2 of the plan": only the sign, or the part it stands in, makes it the CFR's
    extent = scan.match(_EXTENT, end)
    title = named.title_id(here) if named.end > end else scan.title_before(start) or here.title
    stop = max(named.end, extent.end() if extent else 0)
    reason = "et seq.: the end is open" if extent else ""
    authority = Authority("cfr", f"{title} CFR ", reason=reason) if title else Authority("cfr", None, reason=NO_TITLE)
    return put(scan, authority, items, start, stop)


def _plain(scan: Scan, items: list[Item], start: int, end: int, sign: bool) -> int:
    named = above(scan, end)
    if named.title and named.title != "this":
        return put(scan, Authority("usc", f"{named.title} U.S.C. § "), items, start, named.end)
    if named.part and named.part != "this" and scan.here.title:  # "section 15 of part 21"
        return put(scan, Authority("cfr", f"{scan.here.title} CFR {named.part}."), items, start, named.end)
    whose = instrument(scan, end) or named_before(scan, start, end)
    if whose:
        remember(scan, whose[0], items)
        return put(scan, whose[0], items, start, whose[1])
    again = recalled(scan, items)
    if again:
        return put(scan, again, items, start, end)
    if sign:
        return put(
            scan, Authority("unknown", None, "unsupported", "a section sign whose authority is not named"), items, start, end
        )
    return -1


def _opens_a_line(scan: Scan, start: int) -> bool:
    """Whether only spaces stand before it in its line: there "§ 911.22 Responsibilities" is a heading."""
    before = scan.text[max(0, start - 40) : start].rstrip(" \t\xa0")
    return not before or before.endswith("\n") or start == scan.floor == 0


_WORD = re.compile(r"[\w.()-]{1,24}")


def _not_understood(scan: Scan, start: int, at: int) -> int:
    """A section sign before something that is no section number is kept, and said to be unsupported."""
    word = scan.match(_WORD, at)
    if not word or not word[0][0].isdigit():
        return -1
    end = at + len(word[0].rstrip(".(-"))
    return put(
        scan, Authority("unknown", None, "unsupported", "the number is of no known form"), [Item(at, end, "")], start, end
    )


def read_this(scan: Scan, found: Match[str]) -> int:
    """At "this section"."""
    here, end = scan.here, found.end()
    if not here.unit or end > scan.end or scan.match(_FOREIGN, end):
        return -1
    start = scan.text.rfind("his", 0, found.start()) - 1
    bare = read_bare(scan, start, end)
    if bare > 0:
        return bare
    return put(scan, Authority("cfr", here.unit), [Item(start, end, "")], start, end)


ANCHORS = (
    (r"§(?:\s?§)?\s{0,9}(?P<number>(?=\d))", read_sections),
    (r"ec(?<=\b[Ss]ec)(?:tions?|s?\.|s)?\s+(?:§{1,2}\s*)?(?P<number>(?=\d))", read_sections),
    (r"ection(?<=\b[Tt]his\ssection)\b", read_this),
)
