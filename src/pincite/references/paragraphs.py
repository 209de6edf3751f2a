"""Paragraphs: "paragraph (b)(1) of this section", "paragraphs (a) through (c) and (e)", "paragraph (c) of § 211.42",
"this paragraph", and designators that only "of this section" shows to be a reference: "(d)(6)(ii) of this section"."""

from __future__ import annotations

import re
from re import Match

from pincite.references.act import instrument, recalled
from pincite.references.lexicon import DESIGNATOR, DOTTED, PATH, PLAIN, REMARK, clean, inherit
from pincite.references.place import is_within
from pincite.references.reading import NO_TITLE, Authority, Item, Scan, ended, paths, put, put_one
from pincite.references.scope import above
from pincite.references.treasury import revenue_code
from pincite.references.uscode import family, read_here, read_own

_OF_THIS = re.compile(rf"(?:{REMARK.pattern})?,?\s+(?:of|in|under|to)\s+(?:this|the\s+same)\s+([a-z]+)\b")
_OF_PARAGRAPH = re.compile(rf",?\s+(?:of|in|under)\s+this\s+paragraph\s*({PATH})")
_OF_SECTION = re.compile(
    rf"(?:{REMARK.pattern})?,?\s+(?:of|in|under|to)\s+(?:(?P<title>\d{{1,2}})\s*C\.?\s?F\.?\s?R\b\.?\s*(?:§\s*)?|§\s*|[Ss]ections?\s+)"
    rf"(?P<number>{DOTTED})(?P<path>{PATH})?"
)
_OF_CLAUSE = re.compile(
    rf",?\s+of\s+(?:the\s+basic\s+(?:clause|provision)\b|the\s+(?:clause|provision)\s+at\s+(?:FAR\s+)?(?P<number>{DOTTED}))"
)
_OF_DEFINITION = re.compile(
    r",?\s+of\s+the\s+definition\s+of\s+(?:the\s+term\s+)?(?P<quoted>[“\"‘'])?(?P<term>[^“”\"‘§()]{2,80}?),?[”\"’']?\s+"
    rf"(?:(?:as\s+)?(?:set\s+forth|contained|found)\s+)?(?:in|under|at)\s+(?:this\s+section\b"
    rf"|(?:(?P<title>\d{{1,2}})\s+C\.?F\.?R\.?\s+(?:§\s*)?|§\s*|[Ss]ection\s+)(?P<number>{DOTTED})(?!\())"
)
_OF_STATUTE = re.compile(rf",?\s+(?:of|in|under)\s+(?:§\s*|[Ss]ections?\s+)(?P<number>{PLAIN})(?P<path>{PATH})?")
_OF_USC = re.compile(
    rf",?\s+(?:of|in|under)\s+(?P<title>\d{{1,2}})\s*(?:U\.\s?S\.\s?C\.|USC)\s*(?:§\s*|[Ss]ec(?:tion|\.)\s+)?(?P<number>{PLAIN})(?P<path>{PATH})?"
)
_OF_ANOTHER = re.compile(
    r",?\s+(?:of|in|under)\s+(?:this|that|such|the|an?|any|each)\s+([a-z]+)|,?\s+of\s+(?:[Aa]rticle|[Ss]ection|[Cc]lause|[Ss]ubsection)\b"
)
_THAT = re.compile(r"\b(?:that|such)\s")
_QUOTED = re.compile(r'[^"]*"([^"]*)"')
NO_SECTION = "no section is known here to complete it with"


def read_paragraph(scan: Scan, found: Match[str]) -> int:
    """At "paragraph (a)(1) …" or "this paragraph"."""
    text, here = scan.text, scan.here
    start = found.start() - 4
    path, whole = found[1], found.end()
    if here.usc:
        start -= 3 if text[start - 3 : start].lower() == "sub" else 0
        return read_here(scan, start, found.start(1) if path else whole)
    if path and here.unit and whole <= scan.end and text[start - 3 : start].lower() not in ("sub", "is "):
        return put_one(scan, "cfr", here.unit + clean(path), start, whole)
    if text[start - 3 : start].lower() == "sub":
        start -= 3
    if text[whole - 1].isalpha() and not path:
        return _this_paragraph(scan, text.rfind("his", 0, start) - 1, whole)
    items, end = paths(scan, found.start(1) if path else whole)
    if not items:
        return -1
    if start >= 5 and text[start - 5 : start - 1].lower() == "this" and text[start - 1].isspace():
        return put(scan, _within(here.unit), items, start - 5, end)
    deeper = None if ended(scan, end) else scan.match(_OF_PARAGRAPH, end)
    if deeper and here.unit:  # "paragraphs (B) and (C) of this paragraph (l)(7)"
        return put(scan, _within(here.unit + clean(deeper[1])), items, start, deeper.end())
    within = None if ended(scan, end) else _OF_THIS.match(text, end, scan.end)
    unit = _unit(scan, within[1], text[start : start + 3].lower() == "sub") if within else None
    if within and unit is not None:
        return put(scan, _within(unit), items, start, within.end())
    return _elsewhere(scan, items, start, end)


_CALLED = {"17": {"rule"}, "29": {"standard"}, "48": {"clause", "provision"}}
"""What else a title calls its sections: "paragraph (b) of this clause" in 48 CFR 52.212-4."""


def _unit(scan: Scan, word: str, sub: bool) -> str | None:
    """The node that "of this section", "of this appendix", "of this category" names; None where the word names no unit."""
    if word in ("section", "subsection") or word in _CALLED.get(scan.here.title, ()):
        return scan.here.unit
    if word == "paragraph" and sub:  # "subparagraph (1) of this paragraph" in (n)(7) is (n)(1)
        top = _TOP.match(scan.node_id, len(scan.here.unit)) if is_within(scan.node_id, scan.here.unit) else None
        return scan.here.unit + top[0] if top else None
    if word == "appendix":
        return scan.here.appendix
    quoted = _QUOTED.match(scan.node_id)  # 21 CFR 211.22 "Batch", 27 CFR 447.21 "Category II"
    if word == "definition" or (quoted and quoted[1].lower().startswith(word)):
        return quoted[0] if quoted else ""
    return None


def _within(unit: str) -> Authority:
    return Authority(family(unit), unit or None, reason="" if unit else NO_SECTION)


def _this_paragraph(scan: Scan, start: int, end: int) -> int:
    """The deepest paragraph the words stand in, or the section where it has none."""
    here = scan.here
    if not here.unit or end > scan.end or not scan.is_word(start, end):
        return -1
    deepest = scan.node_id if is_within(scan.node_id, here.unit) else here.unit
    return put(scan, _within(deepest), [Item(start, end, "")], start, end)


def _elsewhere(scan: Scan, items: list[Item], start: int, end: int) -> int:
    """Paragraphs of a section that is named, of something else, or of nothing: then of the section they stand in."""
    here = scan.here
    other = scan.match(_OF_SECTION, end)
    if other:
        named = above(scan, other.end())
        title = other["title"] or named.title_id(here)
        base = f"{title} CFR {clean(other['number'])}{clean(other['path'] or '')}" if title else None
        return put(scan, Authority("cfr", base, reason="" if base else NO_TITLE), items, start, named.end)
    clause = scan.match(_OF_CLAUSE, end) if here.title == "48" else None
    if clause:
        return put(
            scan, _within(f"48 CFR {clean(clause['number'])}" if clause["number"] else here.unit), items, start, clause.end()
        )
    term = scan.match(_OF_DEFINITION, end)
    if term:
        return _of_definition(scan, term, items, start)
    code = scan.match(_OF_USC, end)
    if code:
        base = f"{code['title']} U.S.C. § {clean(code['number'])}{clean(code['path'] or '')}"
        return put(scan, Authority("usc", base), items, start, code.end())
    statute = _of_statute(scan, items, start, end)
    if statute > 0:
        return statute
    another = scan.match(_OF_ANOTHER, end)
    if another and another[1] == "section" and _THAT.search(another[0]):
        read = _of_that(scan, items, start, another.end())
        if read > 0:
            return read
    if another and another[1] != "following":
        what = " ".join(another[0].split()).lstrip(", ")
        return put(scan, Authority("cfr", None, "unsupported", f"a paragraph {what}"), items, start, another.end())
    return put(scan, _within(here.unit or scan.near), _beside(scan, items), start, end)


def _of_statute(scan: Scan, items: list[Item], start: int, end: int) -> int:
    """Paragraphs of a section of an Act or a code that is named: "paragraph (2) of section 505(b) of the act"; or -1."""
    statute = scan.match(_OF_STATUTE, end)
    if not statute:
        return -1
    number = Item(statute.start("number"), statute.end(), clean(statute["number"]) + clean(statute["path"] or ""))
    named = above(scan, number.end)
    if named.title not in ("", "this"):
        return put(scan, Authority("usc", f"{named.title} U.S.C. § {number.name}"), items, start, named.end)
    whose = instrument(scan, number.end)
    if whose:
        base = whose[0].prefix and whose[0].prefix + number.name
        return put(scan, whose[0]._replace(prefix=base), items, start, whose[1])
    code = recalled(scan, [number]) or revenue_code(scan, [number], number.start, number.end)
    if not code:
        return -1
    return put(scan, code._replace(prefix=f"{code.prefix}{number.name}"), items, start, number.end)


def read_level(scan: Scan, found: Match[str]) -> int:
    """At "subsection (b) …", "clause (ii) …": inside the United States Code a level of it, elsewhere one of a section that is
    named after it; -1 where it is no reference."""
    if scan.here.usc:
        return read_own(scan, found)
    text, end = scan.text, found.end()
    items, stop = paths(scan, end)
    if not items:
        return -1
    start = max(text.rfind(level, 0, end) for level in (found[1], found[1].capitalize()))
    return _of_statute(scan, items, start - 3 * (text[max(0, start - 3) : start].lower() == "sub"), stop)


def _of_definition(scan: Scan, found: Match[str], items: list[Item], start: int) -> int:
    """Paragraphs of a term that is defined elsewhere: "paragraph (1) of the definition of “mishap” in § 401.7"."""
    named = above(scan, found.end())
    title = found["title"] or named.title_id(scan.here)
    section = f"{title} CFR {clean(found['number'])}" if found["number"] and title else scan.here.unit
    if not section or (found["number"] and not title):
        return put(scan, Authority("cfr", None, reason=NO_TITLE), items, start, named.end)
    term = " ".join(found["term"].split())
    return put(scan, _within(f'{section} "{term[0].upper()}{term[1:]}"'), items, start, named.end)


def _of_that(scan: Scan, items: list[Item], start: int, end: int) -> int:
    """Paragraphs "of that section": of the one that the reference before names; -1 where it names none."""
    before = scan.out[-1] if scan.out else None
    if not before or not before.target_node_id or before.target_end_node_id or before.status == "unsupported":
        return -1
    section = _SECTION.match(before.target_node_id)
    if not section:
        return -1
    reason = f"that section: {section[0]}, named before"
    path = before.target_node_id[section.end() :]
    if path and not _TOP.match(items[0].name) and not any(item.last for item in items):
        items = [item._replace(name=inherit(path, item.name) or path + item.name) for item in items]  # "(E)" of 3(a)(39)
    return put(scan, Authority(before.kind, section[0], reason=reason), items, start, end)


_SECTION = re.compile(rf"\d+ CFR {DOTTED}|.{{1,160}} § [^ (]+")


def _beside(scan: Scan, items: list[Item]) -> list[Item]:
    """Paragraphs named by their own designator alone, "paragraphs (2) through (6)" in (c)(1), are those beside the place
    or below it: a section's own paragraphs have letters."""
    path = scan.node_id[len(scan.here.unit) :]
    if _TOP.match(items[0].name) or not path.startswith("("):
        return items
    found = [_replaced(path, item) for item in items]
    return [item for item in found if item] if all(found) else items


def _replaced(path: str, item: Item) -> Item | None:
    """The item with what of the place's path stands above it."""
    below = any(above.search(path) and under.match(item.name) for above, under in _BELOW)
    whole = path + item.name if below else inherit(path, item.name)
    last = inherit(whole, item.last) if whole and item.last else None
    return item._replace(name=whole, last=last) if whole and bool(last) == bool(item.last) else None


def read_bare_of(scan: Scan, sign: int) -> int:
    """At the sign in "(f)(1)(ii) of § 264.147": the designators before " of ", or -1 where there are none."""
    tail = sign - 4
    for opening in _OPENS.finditer(scan.text, max(scan.floor, sign - WINDOW), max(tail, 0)):
        items, stop = paths(scan, opening.start())
        if items and stop == tail:
            return _elsewhere(scan, items, opening.start(), tail)
    return -1


_TOP = re.compile(r"\((?:[a-z]|([a-hj-uwyz])\1)\)")
_BELOW = (
    (re.compile(r"\([a-z]\)$"), re.compile(r"\(\d+\)")),
    (re.compile(r"\(\d+\)$"), re.compile(r"\([ivx]+\)")),
    (re.compile(r"\([ivx]+\)$"), re.compile(r"\([A-Z]\)")),
)
"""How a designator ends, and how the one below it begins: (a), (1), (i), (A)."""


# --- designators without a word before them --------------------------------------------------------------------------

_OPENS = re.compile(rf"(?<![\w)§.]){DESIGNATOR}")
_BARE_TAIL = re.compile(r"\s+(?:of|in)\s+$")
WINDOW = 120


def read_bare(scan: Scan, this: int, end: int) -> int:
    """At "this section": the designators before " of this section", or -1 where there are none. *this* is its offset."""
    text = scan.text
    if not scan.here.unit or text[this - 3 : this - 1] not in ("of", "in"):
        return -1
    tail = _BARE_TAIL.search(text, max(scan.floor, this - 6), this)
    if not tail or text[tail.start() - 1] != ")":
        return -1
    for opening in _OPENS.finditer(text, max(scan.floor, this - WINDOW), tail.start()):
        items, stop = paths(scan, opening.start())
        if items and stop == tail.start():
            return put(scan, _within(scan.here.unit), items, opening.start(), end)
    return -1


_WHOLE = rf"({PATH})\s+of\s+this\s+section\b"
ANCHORS = (
    (rf"graph(?<=aragraph)(?:s?\s+(?:{_WHOLE}|(?=\())|(?<=[Tt]his\sparagraph)(?!s|\s*\())", read_paragraph),
    (r"ubsection(?<=([Ss]ubsection))(?:s?\s+(?=\()|\b(?<=[Tt]his\ssubsection))", read_level),
    (r"lause(?<=([Cc]lause))(?:s?\s+(?=\()|\b(?<=[Tt]his\sclause)|\b(?<=[Tt]his\ssubclause))", read_level),
)
