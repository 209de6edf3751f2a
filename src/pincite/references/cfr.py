"""The Code of Federal Regulations by title ("21 CFR 211.22", "21 CFR part 11, subpart B") and by paragraph
("paragraph (b)(1) of this section"). Sections named by sign or word are read in ``sections``, the levels above them in
``containers``."""

from __future__ import annotations

import re
from re import Match

from pincite.references.containers import NO_TITLE, read_levels
from pincite.references.lexicon import DASH, DOTTED, ET_SEQ, PATH, clean
from pincite.references.reading import FIRST_DOTTED, NEXT_DOTTED, Authority, Item, Scan, numbers, paths, put

# --- by title --------------------------------------------------------------------------------------------------------

_VOLUME = re.compile(r"(?:\b[Tt]itle\s+)?(?<![\w.,])(\d{1,2})\s{0,3}$")
_AFTER = re.compile(
    r",?\s+(?:(?P<part>[Pp](?:arts?\s+|ts?\.\s?))|(?P<chapter>[Cc]h(?:apters?\s+|\.\s?))|(?P<subchapter>[Ss]ubchapters?\s+)"
    r"|(?P<appendix>[Aa]ppendix\s+)"
    rf"|(?P<compiled>(?P<years>\d{{4}}(?:{DASH}\d{{2,4}})?),?\s+(?:Comp\.?|Supp\.?|[Ee]d\.?)(?:,?\s*pp?\.\s?(?P<page>\d{{1,4}})(?:{DASH}\d{{1,4}})?)?))"
)
_SIGN = re.compile(r"\s{0,3}(?:§{1,2}\s{0,3}|[Ss]ec(?:tions?|s?\.?)\s+)?(?=\d)")
_EXTENT = re.compile(ET_SEQ)


def read_title(scan: Scan, found: Match[str]) -> int:
    """At "CFR", with the title's number before it."""
    text = scan.text
    volume = _VOLUME.search(text, max(scan.floor, found.start() - 14), found.start())
    if not volume or not 1 <= int(volume[1]) <= 50:
        return -1
    start, end, title = volume.start(), found.end(), volume[1]
    word = scan.match(_AFTER, end)
    if word and word["compiled"]:
        page = f" p. {word['page']}" if word["page"] else ""
        item = Item(start, word.end(), f"{clean(word['years'])} Comp.{page}")
        return put(scan, Authority("cfr", f"{title} CFR, "), [item], start, word.end())
    if word:
        return read_levels(scan, start, word.end(), str(word.lastgroup), title)
    return _read_sections(scan, start, end, title)


def _read_sections(scan: Scan, start: int, at: int, title: str) -> int:
    sign = scan.match(_SIGN, at)
    if not sign:
        return -1
    items, end = numbers(scan, sign.end(), FIRST_DOTTED, NEXT_DOTTED)
    if not items:
        return read_levels(scan, start, sign.end(), "part", title)
    extent = scan.match(_EXTENT, end)
    reason = "et seq.: the end is open" if extent else ""
    end = extent.end() if extent else end
    return put(scan, Authority("cfr", f"{title} CFR ", reason=reason), items, start, end)


# --- by paragraph ----------------------------------------------------------------------------------------------------

_OF_THIS = re.compile(r",?\s+(?:of|in|under|to)\s+(?:this|the\s+same)\s+(section|appendix|subsection|paragraph)\b(?!\s*\()")
_OF_SECTION = re.compile(
    rf",?\s+(?:of|in|under|to)\s+(?:(?P<title>\d{{1,2}})\s*C\.?\s?F\.?\s?R\b\.?\s*(?:§\s*)?|§\s*|[Ss]ections?\s+)(?P<number>{DOTTED})(?P<path>{PATH})?"
)
_OF_ANOTHER = re.compile(
    r",?\s+(?:of|in|under|to)\s+(?:this|that|such|the|an?|any|each|section|article|clause|subsection|Article|Section)\s*([\w()]+(?:\s[\w()]+)?)"
)
_TO_CHAPTER = re.compile(r"\s+of\s+this\s+(?:chapter|title|part|subpart|subchapter)\b")


def read_paragraph(scan: Scan, found: Match[str]) -> int:
    """At "paragraph (a)(1) …" or "this paragraph"."""
    text, here = scan.text, scan.here
    start = found.start() - 1
    if text[start - 3 : start].lower() == "sub":
        start -= 3
    this = text[start - 5 : start - 1].lower() == "this" and text[start - 1].isspace()
    if found["token"] is None:
        return _this_paragraph(scan, start - 5, found.end())
    items, end = paths(scan, found.start("token"))
    if not items:
        return -1
    if this:
        return put(scan, _within(here.unit), items, start - 5, end)
    within = scan.match(_OF_THIS, end)
    if within:
        unit = here.appendix if within[1] == "appendix" else here.unit
        return put(scan, _within(unit), items, start, within.end())
    return _elsewhere(scan, items, start, end)


def _within(unit: str) -> Authority:
    return Authority("cfr", unit or None, reason="" if unit else "no section is known here to complete it with")


def _this_paragraph(scan: Scan, start: int, end: int) -> int:
    here = scan.here
    if not here.path:
        return -1 if not here.unit else put(scan, _within(here.unit), [Item(start, end, "")], start, end)
    return put(scan, Authority("cfr", here.node_id), [Item(start, end, "")], start, end)


def _elsewhere(scan: Scan, items: list[Item], start: int, end: int) -> int:
    """Paragraphs of a section that is named, of something else, or of nothing: then of the section they stand in."""
    here = scan.here
    other = scan.match(_OF_SECTION, end)
    if other:
        title = other["title"] or here.title
        chapter = scan.match(_TO_CHAPTER, other.end())
        stop = chapter.end() if chapter else other.end()
        base = f"{title} CFR {clean(other['number'])}{clean(other['path'] or '')}" if title else None
        return put(scan, Authority("cfr", base, reason="" if base else NO_TITLE), items, start, stop)
    another = scan.match(_OF_ANOTHER, end)
    if another:
        what = " ".join(another[0].split()).lstrip(", ")
        return put(scan, Authority("cfr", None, "unsupported", f"a paragraph {what}"), items, start, another.end())
    return put(scan, _within(here.unit), items, start, end)


ANCHORS = (
    (r"C(?:FR(?<=[\s\d]CFR)\b|\.\s?F\.\s?R\b\.?)", read_title),
    (r"aragraph(?:s?\s+(?P<token>(?=\())|(?<=\b[Tt]his\sparagraph)\b(?!\s*\())", read_paragraph),
)
