"""The United States Code by title: "42 U.S.C. 1983", "21 U.S.C. 321, 351, 360ddd-1", "44 U.S.C. ch. 36"."""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import ET_SEQ, NOT_A_VOLUME, OPEN_END, PATH, SEP, TO
from pincite.references.reading import FIRST_PLAIN, MORE_PLAIN, Authority, Item, Scan, listed, numbers, put, put_one, tokens

_VOLUME = re.compile(r"(?:\b[Tt]itle\s+)?(?<![\w.,-])(\d{1,2})[.,]?(?:\s+App\.?)?\s{0,3}$")
_OPEN = re.compile(
    r"(?:\s*(?P<appendix>[Aa]pp(?:endix|s?\.?))(?=,?\s|$),?(?:\s+(?P<act>\d{1,2}[a-z]?|[IVX]{1,4})(?=,?\s+(?:§|[Ss]ec)))?)?(?:,(?=\s+(?:§|[Ss]ec)))?\s*(?:\(I\.?R\.?C\.?\)\s*)?(?P<sign>§{1,2}\s*|[Ss]ec(?:tions?|s?\.)\s+)?(?=\d)"
)
_APPENDIX = re.compile(r"\s*[Aa]pp(?:endix\b|\.)(?!\w)")
_CHAPTERS = re.compile(r",?\s*[Cc]h(?:apters?\s+|s?\.\s*)(?=\d)")
_CHAPTER = tokens(r"\d{1,4}[A-Z]?(?!\w|\.\d)", r"[Cc]h(?:apters?\s+|\.\s*)")
_NOTE = r"(?:(?:\s+and)?\s+(?:notes?\b|\(notes?\)))"
_NEXT = re.compile(
    rf"(?:{ET_SEQ}|{_NOTE})?(?:({TO})|{SEP}|\s*;\s*(?=\d{{3,}}))((?:§{{1,2}}\s*)?)(?:((?:{MORE_PLAIN}){NOT_A_VOLUME})({PATH})?|({PATH}))"
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
        items, end = listed(scan, chapters.end(), _CHAPTER)
        return put(scan, Authority("usc", f"{title} U.S.C. Chapter "), items, start, end) if items else -1
    opening = scan.match(_OPEN, at)
    if not opening:
        alone = scan.match(_APPENDIX, at)
        return put_one(scan, "usc", f"{title} U.S.C. App.", start, alone.end()) if alone else -1
    items, end = numbers(scan, opening.end(), FIRST_PLAIN, _NEXT)
    if not items:
        return -1
    extent = scan.match(_EXTENT, end)
    reason = OPEN_END if extent and "et" in extent[0] else ""
    if opening["appendix"]:
        appendix = f"App. {opening['act']} " if opening["act"] else "App. "
    authority = Authority("usc", f"{title} U.S.C. {appendix}§ ", reason=reason)
    if appendix == "App. " and not opening["sign"] and _are_acts(title, items):
        authority = Authority("usc", f"{title} U.S.C. App. ", reason=f"an Act of the appendix, by the usage of title {title}")
    return put(scan, authority, _with_notes(scan, items), start, extent.end() if extent else end)


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


ANCHORS = ((r"U(?:\.\s?S\.\s?C(?:\.(?:[AS]\.)?|ode\b|\b)|SC[AS]?\b|\.\s?S\.\s+Code\b)(?!\w)", read_title),)
