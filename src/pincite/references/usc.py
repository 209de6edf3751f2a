"""The United States Code by title: "42 U.S.C. 1983", "21 U.S.C. 321, 351, 360ddd-1", "44 U.S.C. ch. 36", "49 U.S.C.
subtitle VII"."""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import ET_SEQ, NOT_A_VOLUME, OPEN_END, PATH, SEP, TO
from pincite.references.reading import FIRST_PLAIN, MORE_PLAIN, Authority, Item, Scan, listed, numbers, put, put_one, tokens

_VOLUME = re.compile(r"(?:\b[Tt]itle\s+)?(?<![\w.,-])(\d{1,2})[.,]?(?:\s+App\.?)?\s{0,3}$")
_OPEN = re.compile(
    r"(?:\s*(?P<appendix>[Aa]pp(?:endix|s?\.?))(?=,?\s|$),?(?:\s+(?P<act>\d{1,2}[a-z]?|[IVX]{1,4})(?=,?\s+(?:§|[Ss]ec)))?)?(?:,(?=\s+(?:§|[Ss]ec)))?\s*(?:\(I\.?R\.?C\.?\)\s*)?(?P<sign>§{1,2}\s*|[Ss]ec(?:tions?|s?\.)\s+)?(?=\d)"
)
_OF_A_WORK = re.compile(r"\s+of\s+(?:the\s+)?[A-Z]")
_APPENDIX = re.compile(r"\s*[Aa]pp(?:endix\b|\.)(?!\w)")
_CHAPTERS = re.compile(r",?\s*(?:and\s+)?(?P<word>[Cc]h(?:apters?\s+|s?\.\s*))(?=\d)")
_SUBTITLES = re.compile(r",?\s*[Ss]ubtitles?\s+(?=[IVX])")
_SUBCHAPTERS = re.compile(r",\s*(?:and\s+)?(?P<word>[Ss]ubchapters?\s+)(?=[IVX])")
_ROMAN = tokens(r"[IVX]{1,5}(?!\w)")
_OF_ANOTHER = re.compile(r"\s+of\s+(?!this\b)|,?\s+[Tt]itle\s+\d")
_OF_CHAPTER = re.compile(r"\s+of\s+chapter\s+(?P<chapter>\d{1,4}[A-Z]?)(?!\w|\.\d)")
_SUBTITLE = tokens(r"[IVX]{1,5}(?!\w)", r"[Ss]ubtitles?\s+")
_CHAPTER = tokens(r"\d{1,4}[A-Z]?(?!\w|\.\d)", r"[Cc]h(?:apters?\s+|\.\s*)")
_NOTE = r"(?:(?:\s+and)?\s+(?:(?:prec(?:eding|\.)\s+)?notes?\b|\(notes?\)))"
_ASIDE = r"(?:\s+\((?:[Rr]epealed|[Tt]ransferred|[Ff]ormerly|[Nn]ow|[Aa]s\s+amended)[^()]{0,160}\)(?=,\s+\d))"
_NEXT = re.compile(
    rf"(?:{ET_SEQ}|{_NOTE}|{_ASIDE})?(?:({TO})|{SEP}|\s*;\s*(?=\d{{3,}}))((?:§{{1,2}}\s*)?)(?:((?:{MORE_PLAIN}){NOT_A_VOLUME})({PATH})?|({PATH}))"
)
_EXTENT = re.compile(rf"{ET_SEQ}|{_NOTE}")


def read_title(scan: Scan, found: Match[str]) -> int:
    """At "U.S.C." with the title's number before it."""
    volume = _VOLUME.search(scan.text, max(scan.floor, found.start() - 18), found.start())
    if not volume or not 1 <= int(volume[1]) <= 54:
        return -1
    appendix = "App. " if "App" in volume[0] else ""
    return after_title(scan, volume.start(), found.end(), volume[1], appendix)


def after_title(scan: Scan, start: int, at: int, title: str, appendix: str = "") -> int:
    """What follows "18 U.S.C." or "title 18, United States Code"; the reference began at *start*."""
    chapters = scan.match(_CHAPTERS, at)
    if chapters:
        return _read_chapters(scan, start, chapters.end(), title)
    subtitles = scan.match(_SUBTITLES, at)
    if subtitles:
        return _read_subtitles(scan, start, subtitles.end(), title)
    opening = scan.match(_OPEN, at)
    if not opening:
        alone = scan.match(_APPENDIX, at)
        return put_one(scan, "usc", f"{title} U.S.C. App.", start, alone.end()) if alone else -1
    items, end = numbers(scan, opening.end(), FIRST_PLAIN, _NEXT)
    if not items:
        return -1
    while len(items) > 1 and scan.text[items[-1].start] == "§" and scan.match(_OF_A_WORK, end):
        items.pop()  # "21 U.S.C. 853 and § 547 of the Bankruptcy Code"
        end = items[-1].end
    extent = scan.match(_EXTENT, end)
    reason = OPEN_END if extent and "et" in extent[0] else ""
    if opening["appendix"]:
        appendix = f"App. {opening['act']} " if opening["act"] else "App. "
    authority = Authority("usc", f"{title} U.S.C. {appendix}§ ", reason=reason)
    if appendix == "App. " and not opening["sign"] and _are_acts(title, items):
        authority = Authority("usc", f"{title} U.S.C. App. ", reason=f"an Act of the appendix, by the usage of title {title}")
    read = put(scan, authority, _with_notes(scan, items), start, extent.end() if extent else end)
    return _further(scan, read, title) if not appendix and scan.text.startswith(",", read) else read


def _further(scan: Scan, end: int, title: str) -> int:
    """Chapters that go on a list: "501 et seq., subchapters I and III of chapter 311, chapter 313"; where they end."""
    while end < scan.end and scan.text[end] in ", ":
        chapters, subchapters = scan.match(_CHAPTERS, end), scan.match(_SUBCHAPTERS, end)
        read = -1
        if chapters:
            read = _read_chapters(scan, chapters.start("word"), chapters.end(), title)
        elif subchapters:
            read = _read_subchapters(scan, subchapters.start("word"), subchapters.end(), title)
        if read < 0:
            break
        end = read
    return end


def _read_subchapters(scan: Scan, start: int, at: int, title: str) -> int:
    items, end = listed(scan, at, _ROMAN)
    of = scan.match(_OF_CHAPTER, end) if items else None
    if not of:
        return -1
    return put(scan, Authority("usc", f"{title} U.S.C. Chapter {of['chapter']} Subchapter "), items, start, of.end())


def _read_chapters(scan: Scan, start: int, at: int, title: str) -> int:
    """ "chapters 5, 51, 131-141"."""
    items, end = listed(scan, at, _CHAPTER, dashes=True)
    if not items or scan.match(_OF_ANOTHER, end):
        return -1
    return put(scan, Authority("usc", f"{title} U.S.C. Chapter "), items, start, end)


def _read_subtitles(scan: Scan, start: int, at: int, title: str) -> int:
    """ "subtitles I and VII", and the chapters listed after them."""
    items, end = listed(scan, at, _SUBTITLE)
    if not items:
        return -1
    return _further(scan, put(scan, Authority("usc", f"{title} U.S.C. Subtitle "), items, start, end), title)


_ACTS_IN_APPENDIX = frozenset({"5", "18"})
"""Titles whose appendix numbers its Acts: 5 U.S.C. App. 3 is the Inspector General Act. Elsewhere the number is a section's."""


def _are_acts(title: str, items: list[Item]) -> bool:
    """Whether the items are Acts: single digits that stand alone. "App. 8G", "App. 5(b)" and "App. 1-16" are sections."""
    return title in _ACTS_IN_APPENDIX and all(len(item.name) == 1 and not item.last for item in items)


def _with_notes(scan: Scan, items: list[Item]) -> list[Item]:
    """Each item with its own "note" or "et seq."."""
    extended = []
    for item in items:
        after = scan.match(_EXTENT, item.end)
        extended.append(item._replace(end=after.end()) if after else item)
    return extended


_BEFORE = re.compile(r"(?<![\w.,-])(\d{1,2}),?\s+(?:of\s+the\s+)?$")


def read_whole(scan: Scan, found: Match[str]) -> int:
    """At "United States Code, section 853" with a title's number before it, and no word "title"."""
    number = _BEFORE.search(scan.text, max(scan.floor, found.start() - 14), found.start())
    if not number or not 1 <= int(number[1]) <= 54:
        return -1
    return after_title(scan, number.start(), found.end(), number[1])


ANCHORS = (
    (r"United\s+States\s+Code(?=,?\s+(?:§|[Ss]ec))", read_whole),
    (r"U(?:\.\s?S\.\s?C(?:\.(?:[AS]\.)?|ode\b|\b)|SC[AS]?|\.\s?S\.\s+Code\b)(?![A-Za-z_])", read_title),
)
INFORMAL = (
    (r"usc(?<=\d\susc)\s{1,2}(?=[§\d])", read_title),
    (r"u\.s\.c\.(?=\s*[§\d])", read_title),
)
