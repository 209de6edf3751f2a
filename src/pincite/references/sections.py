"""References that begin with a section's sign or word: "§ 211.22(a)", "sections 505(b) and 351 of the act",
"section 1506 of title 44, United States Code", "sec. 6, E.O. 10530". What follows the numbers says whose they are."""

from __future__ import annotations

import re
from re import Match

from pincite.references.act import instrument, named_before, recalled, remember
from pincite.references.lexicon import ANOTHER_CODE, ANOTHER_WORK, DOTTED, EXTENT, OPEN_END, PATH, TO, clean
from pincite.references.paragraphs import read_bare, read_bare_of
from pincite.references.place import Here, is_within
from pincite.references.reading import (
    AGAIN,
    FIRST_DOTTED,
    FIRST_PLAIN,
    NEXT_DOTTED,
    NEXT_PLAIN,
    Authority,
    Item,
    Scan,
    cfr,
    ended,
    numbers,
    numbers_from,
    passed_over,
    put,
    put_one,
)
from pincite.references.scope import above
from pincite.references.treasury import OF_TREASURY, revenue_code
from pincite.references.uscode import IN_A_NOTE, family, within_code

_CONTAINED = re.compile(r",?\s+(?:as\s+)?contained\s+in\s+(?:the\s+)?(?=(\d{1,2})\s+CFR\s+parts?\s+\d)")
_OF_THIS = re.compile(r"\s+of\s+this\s+(?:chapter|title|part|subpart|subchapter)\b(?!\s+of\b)")
_FURTHER = re.compile(r",?\s+(?:as|contained|of|in|under|et|[Tt]itle)\b|\s+(?:[A-Z]|\[Reserved)")
_FOREIGN = re.compile(
    r"\s+of\s+(?:(?:the|that|those|such|its|their)\s+(?!Code\s+of\s+Federal|CFR\b)"
    r"((?:[A-Z][\w&.'’-]*|rules?|order|directive|agreement)(?:\s[A-Z][\w&.'’-]*){0,6})|(?:that|those|such|its|their)\s+(regulations?))"
)
_HEADING = re.compile(r"\s+(?=[A-Z][a-z]+\b(?!\s+of\s+this)|\[Reserved\])")


def read_sign(scan: Scan, found: Match[str]) -> int:
    """At "§ 211.22", "§§ …"; -1 where it is no reference."""
    start, end = found.span()
    number = found[1]
    if number and end <= scan.end:
        if scan.text.startswith(") of ", start - 5):
            bare = read_bare_of(scan, start)
            if bare > 0:
                return bare
        if scan.text[start - 2 : start - 1] in _MAY_END_A_CODE and _of_another_code(scan, start):
            items, end = numbers_from(scan, found, NEXT_DOTTED)
            return put(
                scan, Authority("cfr", None, "unsupported", "a section of a code that is not the CFR"), items, start, end
            )
        start = _this_sign(scan, start)
        titled = scan.titled
        if scan.here.title and (titled.end < 0 or not scan.title_of(number, start)) and ended(scan, end):
            name = clean(number)
            scan.near = f"{scan.here.title} CFR {name}"
            return put_one(scan, "cfr", scan.near + clean(found[2] or ""), start, end)
        items, end = numbers_from(scan, found, NEXT_DOTTED)
        return _dotted(scan, items, start, end, True)
    return _read(scan, start, found.start(1) if number else end, True)


_MAY_END_A_CODE = frozenset("e.s,)0123456789")
"""How "Code", "Stat.", "Laws", "tit. 13," end: a look that costs no pattern."""


def _of_another_code(scan: Scan, start: int) -> bool:
    """Whether a State's code or its regulations are named just before the sign."""
    another = ANOTHER_CODE.search(scan.text, max(scan.floor, start - 50), start)
    return bool(another and (not another["title"] or another["title"] != scan.here.title))


def _this_sign(scan: Scan, start: int) -> int:
    """Where "this § 1.17" begins."""
    before = start - 5
    return (
        before
        if scan.text[before:start].lower() == "this " and before >= scan.floor and scan.is_word(before, before)
        else start
    )


def read_word(scan: Scan, found: Match[str]) -> int:
    """At "section 505(b) …", "sec. 6, …", "this section"; -1 where it is no reference."""
    start, end = found.start() - 2, found.end()
    if found[1] is not None:
        return _this(scan, start - 5, end) if scan.is_word(start - 5, end) else -1
    if scan.is_word(start, start):
        return _read(scan, start, end, False)
    return _subsection(scan, start - 3, end) if scan.text[start - 3 : start].lower() == "sub" else -1


def _subsection(scan: Scan, start: int, at: int) -> int:
    """At "subsection 552(f) of title 5": a section with its subsection, where a code or an Act is named for it."""
    items, end = numbers(scan, at, FIRST_PLAIN, NEXT_PLAIN) if scan.is_word(start, start) else ([], at)
    if not items or "(" not in items[0].name:
        return -1
    named = above(scan, end)
    code = within_code(scan, named) or (f"{named.title} U.S.C. § " if named.title not in ("", "this") else "")
    if code:
        return put(scan, Authority("usc", code), items, start, named.end)
    whose = instrument(scan, end)
    return put(scan, whose[0], items, start, whose[1]) if whose and whose[0].prefix else -1


def _read(scan: Scan, start: int, at: int, sign: bool) -> int:
    """The list of numbers that begins at *at*: with a dot they are the CFR's, without one some other's."""
    if at >= scan.end:
        return -1
    items, end = numbers(scan, at, FIRST_DOTTED, NEXT_DOTTED)
    if items:
        read = _dotted(scan, items, start, end, sign)
    else:
        items, end = numbers(scan, at, FIRST_PLAIN, NEXT_PLAIN)
        if not items:
            return _not_understood(scan, start, at) if sign else -1
        read = _plain(scan, items, start, end, sign)
    return read if read > 0 else passed_over(items)


def _dotted(scan: Scan, items: list[Item], start: int, end: int, sign: bool) -> int:
    """Sections of the CFR; what completes them is looked for only where a word follows that could."""
    here = scan.here
    if ended(scan, end) or not _FURTHER.match(scan.text, end, scan.end):
        if not sign and not _own_part(here, items) and not _is_of_code(scan, items, start):
            return -1
        title = _title(scan, items, start, end)
        scan.near = f"{title} CFR {items[0].name.partition('(')[0]}" if title and len(items) == 1 else ""
        return put(scan, cfr(title), items, start, end)
    near = _OF_THIS.match(scan.text, end, scan.end)
    if near and here.title:
        return put(scan, cfr(here.title), items, start, near.end())
    named = above(scan, end)
    if named.end > end:
        return put(scan, cfr(named.title_id(here)), items, start, named.end)
    if _HEADING.match(scan.text, end, scan.end) and _opens_a_line(scan, start):
        return end  # "§ 211.22 Responsibilities of ...": a heading names itself
    treasury = scan.match(OF_TREASURY, end)
    if treasury:
        return put(scan, cfr("26"), items, start, treasury.end())
    contained = scan.match(_CONTAINED, end)
    if contained:
        return put(scan, cfr(contained[1]), items, start, end)
    foreign = scan.match(_FOREIGN, end)
    if foreign and sign:
        whose = f"a section of {foreign[1] or foreign[2]}"
        return put(scan, Authority("cfr", None, "unsupported", whose), items, start, foreign.end())
    own = sign or _own_part(here, items)
    if foreign or (not own and (scan.match(_OF_SOMETHING, end) or not _is_of_code(scan, items, start))):
        return -1
    extent = scan.match(EXTENT, end)
    title = _title(scan, items, start, end)
    return put(scan, cfr(title, OPEN_END if extent else ""), items, start, extent.end() if extent else end)


def _title(scan: Scan, items: list[Item], start: int, end: int) -> str:
    """The title of sections that none is named for: that of a reference by title they go on with, or the place's."""
    title = scan.title_of(items[0].name, start)
    if title:
        scan.titled = scan.titled._replace(end=end)
    return title or scan.here.title


def _own_part(here: Here, items: list[Item]) -> bool:
    """Whether the first section is of the part the text stands in. "Section 3.2 of the plan" is not the CFR's: only the
    sign, the word "chapter", or the part it stands in can make it so."""
    return here.part.endswith(f" Part {items[0].name.partition('.')[0]}")


_PART = re.compile(r"\d{3,4}[a-z]{0,2}\.|\d\d[a-z]?\.\d+[a-z]?\(")
_OF_SOMETHING = re.compile(r",?\s+(?:of|in|under|et)\s+(?!this\b|part\b)")


def _is_of_code(scan: Scan, items: list[Item], start: int) -> bool:
    """Whether "section 447.45(b)" stands for the CFR without a sign: its part has three figures or more (or two, and a
    paragraph after the section), as in few other works, and no other work is named just before it."""
    if not scan.here.title or scan.here.appendix or not all(_PART.match(item.name) for item in items):
        return False
    return not ANOTHER_WORK.search(scan.text, max(scan.floor, start - 40), start)


def _plain(scan: Scan, items: list[Item], start: int, end: int, sign: bool) -> int:
    named = above(scan, end)
    code = within_code(scan, named)
    if code:
        return put(scan, Authority("usc", code), items, start, named.end)
    if named.title and named.title != "this":
        return put(scan, Authority("usc", f"{named.title} U.S.C. § "), items, start, named.end)
    if named.part and named.part != "this" and scan.here.title:  # "section 15 of part 21"
        return put(scan, Authority("cfr", f"{scan.here.title} CFR {named.part}."), items, start, named.end)
    whose = instrument(scan, end)
    if whose:
        if whose[0].prefix and whose[0].prefix.endswith(" Code § ") and whose[0].kind == "act":
            items = _hyphened(scan, items)
        remember(scan, whose[0], items)
        return put(scan, whose[0], items, start, whose[1])
    authority = named_before(scan, start) or recalled(scan, items)
    if authority:
        return put(scan, authority, items, start, end)
    authority = revenue_code(scan, items, start, end)
    if authority:
        return put(scan, authority, items, start, end)
    if sign:
        authority = _again(scan, start)
        if authority:
            return put(scan, authority, items, start, end)
        return put(
            scan, Authority("unknown", None, "unsupported", "a section sign whose authority is not named"), items, start, end
        )
    return -1


_TO = re.compile(rf"\s*{TO}")
_NUMBER = re.compile(r"[^\d(]*(\S.*)", re.DOTALL)


def _hyphened(scan: Scan, items: list[Item]) -> list[Item]:
    """The sections of a State's code, whose numbers have hyphens: "section 23-908, Idaho Code" is no range."""
    whole: list[Item] = []
    for item in items:
        number = _NUMBER.match(scan.text, item.start, item.end)
        name = clean(number[1]) if number and item.last and "-" in clean(number[1]) else item.name
        if whole and _TO.fullmatch(scan.text, whole[-1].end, item.start):
            whole[-1] = whole[-1]._replace(end=item.end, last=name)
        else:
            whole.append(item._replace(name=name, last=None if name != item.name else item.last))
    return whole


_TITLE = re.compile(r"\d+ U\.S\.C\. § ")


def _again(scan: Scan, start: int) -> Authority | None:
    """The title of the Code that a sign goes on with: "42 U.S.C. § 1983; see also § 1985"."""
    before = scan.out[-1] if scan.out else None
    if not before or not before.end <= start <= before.end + 16 or not AGAIN.fullmatch(scan.text, before.end, start):
        return None
    title = _TITLE.match(before.target_node_id or "")
    return Authority("usc", title[0], reason=f"it goes on from {' '.join(before.text.split())}") if title else None


_UNFINISHED = re.compile(r"(?:,|\b(?:and|at|both|by|from|in|of|or|per|see|than|that|the|to|under|which|with))\s*$")


def _opens_a_line(scan: Scan, start: int) -> bool:
    """Whether it opens a line that goes on from no sentence: there "§ 911.22 Responsibilities" is a heading."""
    before = scan.text[max(0, start - 80) : start]
    if before.strip() and "\n" not in before[len(before.rstrip()) :]:
        return False
    return not _UNFINISHED.search(before)


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


def _this(scan: Scan, start: int, end: int) -> int:
    """At "this section": the section itself, or the designators before it in "(b)(1) of this section"."""
    here = scan.here
    if not here.unit or end > scan.end or (not ended(scan, end) and scan.match(_FOREIGN, end)):
        return -1
    if here.usc and not is_within(scan.node_id, here.unit):
        return put(scan, Authority("usc", None, reason=IN_A_NOTE), [Item(start, end, "")], start, end)
    bare = read_bare(scan, start, end)
    return bare if bare > 0 else put_one(scan, family(here.unit), here.unit, start, end)


ANCHORS = (
    (rf"§(?:\s?§)?\s{{0,9}}(?:({DOTTED})({PATH})?|(?=\d))", read_sign),
    (
        r"c(?<=[Ss]ec)(?:tion(?<=[Tt]his\ssection)(?!s|\s+\d)()|(?:tions?|s?\.|s)?\s+(?:§{1,2}\s*)?(?=\d))",
        read_word,
    ),
)
