"""The levels above a section: parts, subparts, appendices, subchapters, chapters, titles, and "this part" itself."""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import DASH, DOTTED, EXTENT, TO, clean
from pincite.references.place import Here
from pincite.references.reading import (
    FIRST_DOTTED,
    NEXT_DOTTED,
    NO_TITLE,
    Authority,
    Item,
    Scan,
    Tokens,
    ended,
    listed,
    numbers,
    passed_over,
    put,
    put_one,
    tokens,
)
from pincite.references.scope import Above, above
from pincite.references.treasury import is_revenue_code

_PART = rf"\d{{1,4}}[a-z]{{0,2}}(?:{DASH}\d{{1,4}}[a-z]{{0,2}})?(?!\w|\.\d)"
_LETTERS = rf"[A-Z]{{1,2}}(?:{DASH}[A-Z]{{1,2}})?(?!\w|{DASH}\d)"
_REPEATED = "|".join(f"{letter}{{3,8}}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_SUBPART = (
    rf"(?:{_LETTERS}|(?:{_REPEATED}|[A-Z]{{1,2}})[a-d]?(?!\w|{DASH}\d)|\d{{1,4}}(?:{DASH}\d{{1,3}})?\.\d{{1,4}}(?!\w|\.\d))"
)
"""B, IN, A-C; ZZZZ, OOOOa, Cb as in the national emission standards; 9.4 as in the acquisition regulations, 101-19.6."""
_ROMAN_OR_NUMBER = r"(?:[IVXLC]{1,7}|\d{1,3}[A-Z]?)(?!\w|\.\d)"
_APPENDIX = rf"(?:[A-Z]{{1,2}}\d?|[IVX]{{1,4}}|\d{{1,2}})(?:{DASH}\d{{1,2}})?(?!\w|\.\d)"

LEVELS: dict[str, Tokens] = {
    "subtitle": tokens(r"(?:[IVX]{1,5}|[A-Z])(?![\w'’])", r"[Ss]ubtitles?\s+"),
    "chapter": tokens(_ROMAN_OR_NUMBER, r"[Cc]hapters?\s+"),
    "subchapter": tokens(rf"(?:[IVX]{{3,6}}(?!\w)|{_LETTERS})", r"[Ss]ubchapters?\s+"),
    "part": tokens(_PART, r"[Pp]arts?\s+", r"(?:(?:under|in)\s+(?=[Pp]art))?"),
    "subpart": tokens(_SUBPART, r"[Ss]ubparts?\s+"),
    "appendix": tokens(_APPENDIX, r"[Aa]ppendix\s+"),
    "supplement": tokens(r"[IVX]{1,5}(?!\w)", r"[Ss]upplement\s+"),
    "supplement_no": tokens(r"\d{1,2}(?!\w|\.\d)", r"[Ss]upplement\s+[Nn]o\.\s*"),
    "table": tokens(r"\d{1,3}[a-z]?(?!\w|\.\d)", r"[Tt]ables?\s+"),
}
"""From the outermost in."""
_RANK = {level: rank for rank, level in enumerate(LEVELS)}

_DOWN = re.compile(
    r"[,:]?\s+\(?(?:(?P<part>[Pp](?:arts?\s+|ts?\.\s?))|(?P<subpart>[Ss]ub(?:parts?\s+|pts?\.\s?))"
    r"|(?P<appendix>[Aa]pp(?:endix\s+|endices\s+|\.\s?))|(?P<supplement_no>[Ss]upplement\s+[Nn]os?\.?\s*(?=\d))"
    r"|(?P<supplement>[Ss]upplement\s+(?=[IVX]))|(?P<subchapter>[Ss]ubch(?:apters?\s+|\.\s?))"
    r"|(?P<chapter>[Cc]h(?:apters?\s+|\.\s?))|(?P<section>§{1,2}\s*|[Ss]ections?\s+(?=\d)))"
)


def prefix(level: str, named: Above, here: Here) -> str:
    """What comes before the token of a level in its node id; "" where the levels above are not known."""
    title = named.title_id(here)
    if not title:
        return ""
    if level in ("subtitle", "part", "chapter"):
        return f"{title} CFR {level.capitalize()} "
    if level == "subchapter":
        outer = named.chapter_id(here)
    elif level == "subpart" or not named.subpart:
        outer = named.part_id(here)
    else:
        outer = named.subpart_id(here)
    label = "Supplement No." if level == "supplement_no" else level.capitalize()
    return f"{outer} {label} " if outer else ""


def read_levels(scan: Scan, start: int, at: int, level: str, title: str = "") -> int:
    """Reads a list at *level* from *at*, then what stands below it and above it; the reference began at *start*.

    Returns where it ends, or -1 if this is no reference: "in part 2 of the form", "Chapter 11 bankruptcy".
    """
    items, end = _listed(scan, at, level, title or scan.here.title)
    if not items:
        return -1
    before = (_to_section(scan, end, title) if level == "appendix" else None) or _near(scan, level, end, title)
    if before:
        return put(scan, Authority("cfr", before[0]), items, start, before[1])
    read = _read_chain(scan, start, level, items, end, title)
    return read if read > 0 or title else passed_over(items)


def _listed(scan: Scan, at: int, level: str, title: str) -> tuple[list[Item], int]:
    """The list of one level: a subpart with a dot and one with letters are never in one ("subpart H and 265.12")."""
    joins = level == "appendix" or (level == "part" and title == "41")  # 41 CFR 101-19 is a part
    items, end = listed(scan, at, LEVELS[level], dashes=not joins)
    if level == "subpart":
        kept = [item for item in items if ("." in item.name) == ("." in items[0].name)]
        return kept, kept[-1].end if kept else end
    return items, end


_TO_SECTION = re.compile(
    rf"\s+(?:to|of)\s+(?:(?P<this>this\s+section)\b|§§\s*(?P<first>\d{{1,4}})\.\d{{1,5}}{TO}(?P=first)\.\d{{1,5}}(?!\w|\.\d)"
    rf"|(?:§\s*|[Ss]ection\s+)(?P<number>{DOTTED}))(?!\()"
)


def _to_section(scan: Scan, at: int, title: str = "") -> tuple[str, int] | None:
    """What comes before the letter of an appendix to a section, and where its words end: "appendix A to § 1910.119"."""
    found = scan.match(_TO_SECTION, at)
    if not found:
        return None
    if found["this"]:
        return (f"{scan.here.section} Appendix ", found.end()) if scan.here.section and not scan.here.usc else None
    named = above(scan, found.end())
    title = title or named.title_id(scan.here)
    whole = f"Part {found['first']}" if found["first"] else clean(found["number"])  # §§ 20.1001-20.2401 are a part
    return (f"{title} CFR {whole} Appendix ", named.end) if title else None


_NEAR = re.compile(r"\s+(?:of|to)\s+this\s+(chapter|title|part)\b(?!\s+\d)")
_INSIDE = re.compile(r",\s+(?:[Ss]ubpart|[Aa]ppendi|[Aa]pp\.|[Ss]upplement)")
_ONWARD = re.compile(r"[,:]?\s+\(?(?:[Ss]u[bp]|[Aa]pp|of\b|in\b|et\b|[Pp]t|§|[Ss]ec)")


def _near(scan: Scan, level: str, end: int, title: str) -> tuple[str, int] | None:
    """What comes before the token, and where the reference ends, for the three ways that nearly all are completed:
    "21 CFR part 11", "part 11 of this chapter", "subpart B of this part". Anything else is read step by step."""
    here = scan.here
    if level == "part" and title:
        return None if _ONWARD.match(scan.text, end, scan.end) else (f"{title} CFR Part ", end)
    near = _NEAR.match(scan.text, end, scan.end)
    if not near or title or not here.title:
        return None
    if level == "part" and near[1] != "part":
        if _INSIDE.match(scan.text, near.end(), scan.end):
            return None
        return f"{here.title} CFR Part ", near.end()
    if level in ("subpart", "appendix") and near[1] == "part" and here.part:
        return f"{here.part} {level.capitalize()} ", near.end()
    return None


def _read_chain(scan: Scan, start: int, level: str, items: list[Item], end: int, title: str) -> int:
    """Goes on from a list of one level: down while lower levels follow, then up."""
    levels = {"title": title} if title else {}
    waiting: list[tuple[str, list[Item]]] = []
    passed = 0
    while lower := _lower(scan, end, level, title or scan.here.title):
        if lower[0] == "section" and level == "appendix" and lower[1][0].name.partition(".")[0] != levels.get("part"):
            passed = lower[2]  # "appendix 1, § 12.00C": the appendix counts its own
            break
        waiting.append((level, items[:-1]))
        if level != "subtitle":  # chapters are numbered through the whole title, and cited without it
            levels[level] = items[-1].name
        start_of_last = items[-1].start
        level, items, end = lower
        items[0] = items[0]._replace(start=start_of_last)
    named = above(scan, end, to=_RANK.get(level, 0) >= _RANK["appendix"])
    if not title and not named.title and "this" not in named:
        numbered = level == "subpart" and "." in items[0].name  # "subpart 111.30" is of part 111, whatever is before it
        levels = {**_joined(scan, start, "" if numbered else level, named), **levels}
    stated = Above(named.end, **{**_stated(named), **levels}, code="cfr" if title else named.code)
    inside = _inside(scan, level, stated)
    if inside:
        waiting.append((level, items[:-1]))
        stated = stated._replace(**{level: items[-1].name}, end=inside[2])
        level, (first, *rest) = inside[0], inside[1]
        items = [first._replace(start=items[-1].start), *rest]
    code = _of_code(scan, level, items, stated)
    if code:
        return put(scan, code[0], items, start, code[1])
    if not _is_reference(scan, level, items, stated, start):
        return -1
    return max(_put_levels(scan, waiting, level, items, stated, start), passed)


def _inside(scan: Scan, level: str, named: Above) -> tuple[str, list[Item], int] | None:
    """What is named inside a part after all that stands above it: "part 190 of this chapter, appendix A"."""
    if level != "part" or not scan.match(_INSIDE, named.end):
        return None
    lower = _lower(scan, named.end, level, named.title_id(scan.here))
    return lower if lower and not scan.match(_OF_ITS_OWN, lower[2]) else None


_OF_ITS_OWN = re.compile(r"\s+(?:of|to|in)\s")


def _stated(named: Above) -> dict[str, str]:
    """The levels a chain names, without its end and its code."""
    return {level: token for level, token in zip(named._fields[1:-1], named[1:-1]) if token}


def _lower(scan: Scan, at: int, level: str, title: str) -> tuple[str, list[Item], int] | None:
    """The list of a lower level that follows: ", subpart J", " § 901.1"."""
    found = scan.match(_DOWN, at) if level != "section" else None
    lower = found.lastgroup if found else None
    if not found or not lower:
        return None
    if lower == "section":
        items, end = numbers(scan, found.end(), FIRST_DOTTED, NEXT_DOTTED)
    elif _RANK[lower] > _RANK[level]:
        items, end = _listed(scan, found.end(), lower, title)
    else:
        return None
    return (lower, items, end) if items else None


def _joined(scan: Scan, start: int, level: str, named: Above) -> dict[str, str]:
    """What a reference by title says of the one that is joined to it: its title, and of an appendix or a subpart its part."""
    before = scan.joined(start)
    if before.part and not named.part and _RANK.get(level, 0) > _RANK["part"]:
        return {"title": before.title, "part": before.part}
    return {"title": before.title} if before.title else {}


_FIGURES_FOR_CHAPTERS = frozenset({"41", "48"})
_OF_IRC = re.compile(r"\s+of\s+the\s+(?:(?P<whole>Internal\s+Revenue\s+Code(?:\s+of\s+\d{4})?)|Code)\b(?!\s+of\b)")
_OF_REVENUE = {"chapter": "Chapter ", "subtitle": "Subtitle ", "subchapter": "Chapter {chapter} Subchapter "}
_ROMAN = frozenset("IVX")


def _of_code(scan: Scan, level: str, items: list[Item], named: Above) -> tuple[Authority, int] | None:
    """A chapter, subchapter or subtitle of the United States Code, and where its words end; None for any other's.

    The CFR's chapters have Roman numerals and its subchapters letters, in the Code it is figures and Roman numerals:
    "chapter 35 of title 44", "subchapter II of chapter 5 of title 5", "chapter 95 of the Internal Revenue Code".
    """
    here, first = scan.here, items[0].name
    revenue = scan.match(_OF_IRC, named.end) if named.title == "" else None
    if revenue and (revenue["whole"] or is_revenue_code(scan)):
        within = _OF_REVENUE.get(level, "").format(chapter=named.chapter)
        if within and (first[0].isdigit() if level == "chapter" else level == "subtitle" or named.chapter[:1].isdigit()):
            return Authority("usc", f"26 U.S.C. {within}"), revenue.end()
    title = here.usc if here.usc and "this" in named[1:4] else named.title
    if title in ("", "this") or named.code == "cfr":
        return None
    if level == "chapter" and (here.usc or named.code == "usc" or first[0].isdigit()):
        return Authority("usc", f"{title} U.S.C. Chapter "), named.end
    roman = _ROMAN.issuperset(first)
    if level == "subtitle" and (named.code == "usc" or (here.usc and named.title == "this")):
        return Authority("usc", f"{title} U.S.C. Subtitle "), named.end
    if level != "subchapter" or not roman or not named.chapter:
        return None
    chapter = here.chapter if named.chapter == "this" else f"{title} U.S.C. Chapter {named.chapter}"
    unknown = "" if chapter else "no chapter is known here"
    return Authority("usc", f"{chapter} Subchapter " if chapter else None, reason=unknown), named.end


_NUMBER_SUBPARTS = frozenset({"41", "46", "48"})
_BEFORE_PART = re.compile(r"\b(?:by|from|in|of|per|see|to|under|with)\s+$")
MAY_FOLLOW = re.compile(
    r"[,.;:)]|\s*$|\s+(?:and|or|but|if|when|where|that|which|for|to|by|as|shall|must|may|will|is|are|was|were|has|have|appl\w+|govern\w*)\b"
)


def _stands_alone(scan: Scan, items: list[Item], start: int) -> bool:
    """Whether "under part 104" is a part of the same title: the number has three figures (in title 48 any), and nothing
    says of what else."""
    figures = min(len(item.name) if item.name[:2].isdigit() else 1 for item in items)
    if not scan.here.title or (figures < 3 and scan.here.title != "48"):
        return figures == 2 and bool(scan.here.title) and _is_bound(scan, items, start)
    before = _BEFORE_PART.search(scan.text, max(scan.floor, start - 8), start) or scan.goes_on(start)
    return bool(before and scan.match(MAY_FOLLOW, items[-1].end))


def _is_bound(scan: Scan, items: list[Item], start: int) -> bool:
    """Whether a part of two figures is one all the same: "pursuant to part 50, …", "the Radar Service (part 87)"."""
    low, end = max(scan.floor, start - 16), items[-1].end
    if scan.text.startswith("(", start - 1):
        return scan.text.startswith(")", end)
    return bool(_BINDS.search(scan.text, low, start) and scan.match(MAY_FOLLOW, end))


_BINDS = re.compile(r"\b(?:under|pursuant\s+to|subject\s+to|required\s+by)\s+$")


def _is_reference(scan: Scan, level: str, items: list[Item], named: Above, start: int) -> bool:
    """Whether enough is said: a level above, or a place that can complete it and nothing that contradicts it."""
    if level == "subtitle":
        return named.title == "this" or named.code == "cfr"
    if named.chapter[:1].isdigit() and not named.title and not named.part and scan.here.title not in _FIGURES_FOR_CHAPTERS:
        return False  # "chapter 27, section 8.1" of a State's code, "subchapter II of chapter 5" of an unnamed one
    if any(_stated(named).values()):
        return level != "chapter" or bool(named.title)
    if _OTHERWISE.match(scan.text, named.end, scan.end):
        return False  # "subpart B of the Board's Regulation J"
    if level == "part":
        return scan.here.part.endswith(f" Part {items[0].name}") or _stands_alone(scan, items, start)
    if level == "subpart" and "." in items[0].name:
        return scan.here.title in _NUMBER_SUBPARTS
    return level in ("subpart", "appendix") and bool(scan.here.part) and "." not in items[0].name


def _put_levels(
    scan: Scan, waiting: list[tuple[str, list[Item]]], level: str, items: list[Item], named: Above, start: int
) -> int:
    """The mentions of a chain: those left on the way down, then the lowest level's list."""
    here = scan.here
    for upper, group in waiting:
        if group:
            put(scan, _authority(upper, group[0].name, named, here), group, start, group[-1].end)
            start = items[0].start
    extent = scan.match(EXTENT, items[-1].end)
    end = max(named.end, extent.end() if extent else 0)
    if level == "subpart" and "." in items[0].name and not named.part and named.title_id(here):
        items = [item._replace(name=_in_its_part(item.name), last=item.last and _in_its_part(item.last)) for item in items]
        return put(scan, Authority("cfr", f"{named.title_id(here)} CFR "), items, start, end)
    return put(scan, _authority(level, items[0].name, named, here), items, start, end)


def _in_its_part(subpart: str) -> str:
    """ "48 CFR subpart 9.4" is of part 9."""
    return f"Part {subpart.partition('.')[0]} Subpart {subpart}"


def _authority(level: str, first: str, named: Above, here: Here) -> Authority:
    if level == "section":
        title = named.title_id(here)
        return Authority("cfr", f"{title} CFR ") if title else Authority("cfr", None, reason=NO_TITLE)
    before = prefix(level, named, here)
    missing = NO_TITLE if not named.title_id(here) else f"the {level}'s own place is not known here"
    return Authority("cfr", before) if before else Authority("cfr", None, reason=missing)


# --- anchors ---------------------------------------------------------------------------------------------------------


_WORDS = {
    "pa": ("part", 0),
    "Pa": ("part", 0),
    "pt": ("chapter", 3),
    "pp": ("appendix", 1),
    "bt": ("subtitle", 2),
}
"""The first two letters of an anchor -> its level, and how many letters of the word stand before the anchor."""


def _level(scan: Scan, found: Match[str]) -> tuple[str, int]:
    """Which level the anchor names, and where its word begins: an anchor starts inside the word."""
    text, at = scan.text, found.start()
    level, before = _WORDS[text[at : at + 2]]
    if text.startswith("pplement", at):
        return "supplement", at - 2
    start = at - before
    if level in ("part", "chapter") and text[max(0, start - 3) : start].lower() == "sub":
        return f"sub{level}", start - 3
    return level, start


def read_container(scan: Scan, found: Match[str]) -> int:
    """At "part 11 …", "subparts B through D …", "appendix A …", "chapter I …", or "this part"."""
    level, start = _level(scan, found)
    if level == "part" and found["near"] and scan.here.title and found.end() <= scan.end and scan.is_word(start, start):
        return put_one(scan, "cfr", f"{scan.here.title} CFR Part {found['near']}", start, found.end())
    if found["token"] is None:
        return read_this(scan, level, start, found.end())
    if not scan.is_word(start, start):
        return -1  # "a counterpart 3 …"
    if scan.text[start + len(level) + 1 : found.start("token")].lower().strip() == "no.":
        level = "supplement_no"
    if scan.text[start - 5 : start - 1].lower() == "this":
        start -= 5  # "this part 911"
    return read_levels(scan, start, found.start("token"), level)


_OF_WHAT = re.compile(r"\s+(?:to|of)\s")


def read_appendix(scan: Scan, found: Match[str]) -> int:
    """At "appendix A …", "this appendix", or "appendix to this part": the only one of what is named."""
    start = found.start() - 1
    numbered = scan.match(_NUMBERED_IN, found.start("token")) if found["token"] is not None else None
    if numbered and scan.is_word(start, start):
        return _read_numbered(scan, numbered, start)
    if found["token"] is not None or not scan.match(_OF_WHAT, found.end()):
        return read_container(scan, found)
    own = _to_section(scan, found.end())
    if own:
        return put(scan, Authority("cfr", own[0].rstrip()), [Item(start, own[1], "")], start, own[1])
    named = above(scan, found.end(), to=True)
    before = prefix("appendix", named, scan.here).rstrip()
    if named.end == found.end() or not before:
        return -1
    return put(scan, Authority("cfr", before), [Item(start, named.end, "")], start, named.end)


_NUMBERED_IN = re.compile(r"(?P<letter>[A-Z])(?P<number>(?:\.\d{1,2}){1,5})(?=\s+(?:to|of)\s)")


def _read_numbered(scan: Scan, found: Match[str], start: int) -> int:
    """At "Appendix A.4.2 to § 1910.1200": a paragraph of an appendix that puts the letter before its numbers."""
    named = above(scan, found.end(), to=True)
    own = _to_section(scan, found.end()) or (prefix("appendix", named, scan.here) if named.end > found.end() else "", named.end)
    if not own[0]:
        return -1
    item = Item(found.start(), own[1], f"{found['letter']} {found[0]}")
    return put(scan, Authority("cfr", own[0]), [item], start, own[1])


_ITS_SUBPART = re.compile(rf",\s+[Ss]ubpart\s+({_SUBPART})")


def read_table(scan: Scan, found: Match[str]) -> int:
    """At "Table 2 to this subpart": a table that stands after its subpart or part, as an appendix does. A table of a section is
    none: it is part of its text."""
    items, end = listed(scan, found.end(), LEVELS["table"], dashes=True)
    named = above(scan, end, to=True) if items and scan.is_word(found.start(), found.start()) else Above(end)
    if not (named.part or named.subpart) or scan.here.usc or _OTHERWISE.match(scan.text, named.end, scan.end):
        return -1
    inner = scan.match(_ITS_SUBPART, named.end) if named.part and not named.subpart else None
    if inner:  # "Table 1 of 40 CFR part 63, subpart A"
        named = named._replace(subpart=clean(inner[1]), end=inner.end())
    before = prefix("table", named, scan.here)
    return put(scan, Authority("cfr", before), items, found.start(), named.end) if before else -1


_OTHERWISE = re.compile(r"\s+of\s+(?!this\b|(?:sub)?(?:part|chapter)\b|title\b|the\s+Code\b)")


def read_this(scan: Scan, level: str, start: int, end: int) -> int:
    """ "this part": the ancestor itself. "this part of the building" is English."""
    here = scan.here
    if not (here.title or here.usc) or end > scan.end or (not ended(scan, end) and scan.match(_OTHERWISE, end)):
        return -1
    start = scan.text.rfind("his", 0, start) - 1
    if not scan.is_word(start, end):
        return -1
    if here.usc:
        target = f"{here.usc} U.S.C." if level == "title" else str(getattr(here, level, ""))
        return put_one(scan, "usc", target, start, end) if target else -1
    target = f"Title {here.title}" if level == "title" else str(getattr(here, level))
    if target:
        return put_one(scan, "cfr", target, start, end)
    return put(scan, Authority("cfr", None, reason=f"no {level} is known here"), [Item(start, end, "")], start, end)


_NUMBERED = r"s?\s+(?P<token>(?=[A-Z\d]))(?:(?P<near>\d{1,4})\s+of\s+this\s+chapter\b(?!,\s+(?:[Ss]u[bp]|[Aa]pp)))?"
ANCHORS = (
    (rf"part(?:{_NUMBERED}|(?<=[Tt]his\spart)|(?<=[Tt]his\ssubpart))", read_container),
    (rf"Part(?:{_NUMBERED}|(?<=[Tt]his\sPart))", read_container),
    (
        r"pter(?<=[Cc]hapter)(?:s?\s+(?P<token>(?=[A-Z\d]))"
        r"|(?<=[Tt]his\s[Cc]hapter)|(?<=[Tt]his\ssubchapter))",
        read_container,
    ),
    (
        r"ppendi(?:x(?=\s+(?:to\s+(?:(?:this|[Ss]ubpart|[Pp]art)\b|§|[Ss]ection\s+\d)|of\s+(?:§|[Ss]ection\s+\d)))|(?:x|ces)\s+(?P<token>(?=[A-Z\d]))"
        r"|x(?<=[Tt]his\sappendix))",
        read_appendix,
    ),
    (r"btitle(?<=[Ss]ubtitle)s?\s+(?P<token>(?=[A-Z]{1,5}\b))", read_container),
    (r"pplement\s+(?:[Nn]o\.\s*)?(?P<token>(?=[IVX\d]))", read_container),
)
SHORT = (
    (
        r"pp\.(?<=[Aa]pp\.)\s?(?P<token>(?=[A-Z\d]{1,3}(?:-\d)?\s+(?:to|of)\s+(?:this|[Ss]ubp|[Pp]art|[Pp]t\.|§|\d{1,2}\s+C)))",
        read_container,
    ),
)
"""A word cut short."""
TABLES = ((r"Tables?\s+(?=\d)", read_table), (r"table(?:s\s|\s)\s*(?=\d)", read_table))
