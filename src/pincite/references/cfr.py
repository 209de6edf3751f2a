"""The Code of Federal Regulations by title: "21 CFR 211.22", "21 CFR part 11, subpart B", "3 CFR, 1978 Comp., p. 224".

Sections named by sign or word are read in ``sections``, paragraphs in ``paragraphs``, the levels above in ``containers``.
"""

from __future__ import annotations

import re
from re import Match

from pincite.references.containers import read_levels
from pincite.references.lexicon import DASH, DOTTED, EXTENT, OPEN_END, clean
from pincite.references.reading import FIRST_DOTTED, NEXT_DOTTED, Authority, Item, Scan, Titled, cfr, numbers, put

_VOLUME = re.compile(r"(?:\b[Tt]itle\s+)?(?<![\w.,])(\d{1,2})\s{0,3}$")
_AFTER = re.compile(
    r",?\s*(?:(?P<part>[Pp](?:arts?\s+|art(?=\d)|ts?\.\s?))|(?P<chapter>[Cc]h(?:apters?\s*|\.\s?))|(?P<subchapter>[Ss]ubchapters?\s+)|(?P<subtitle>[Ss]ubtitles?\s+)|(?P<subpart>[Ss]ubparts?\s+)"
    r"|(?P<appendix>[Aa]ppendix\s+)|(?P<supplement_no>[Ss]upplement\s+[Nn]os?\.?\s*(?=\d))"
    rf"|(?P<compiled>(?P<years>\d{{4}}(?:{DASH}\d{{2,4}})?),?\s+(?:[Cc]omp\.?|Supp\.?|[Ee]d\.?)(?:,?\s*pp?\.\s?(?P<page>\d{{1,4}})(?:{DASH}\d{{1,4}})?)?))"
)
_SIGN = re.compile(r"(?:,(?=\s+(?:§|[Ss]ec)))?\s{0,3}(?:§{1,2}\s{0,3}|[Ss]ec(?:tions?|s?\.?)\s+)?(?=\d)")


def read_title(scan: Scan, found: Match[str]) -> int:
    """At "CFR", with the title's number before it."""
    volume = _VOLUME.search(scan.text, max(scan.floor, found.start() - 14), found.start())
    if not volume or not 1 <= int(volume[1]) <= 50:
        return -1
    return after_title(scan, volume.start(), found.end(), volume[1].lstrip("0"))


def after_title(scan: Scan, start: int, end: int, title: str) -> int:
    """What follows "21 CFR" or "title 21 of the Code of Federal Regulations"; the reference began at *start*."""
    read = _read(scan, start, end, title)
    if read > 0:
        target = scan.out[-1].target_node_id or ""
        scan.titled = Titled(read, title, target)
        more = scan.match(_MORE, read) if " Subpart " in target else None
        if more:
            items, read = numbers(scan, more.end(), FIRST_DOTTED, NEXT_DOTTED)
            put(scan, cfr(title), items, more.end(), read)
    return read


_MORE = re.compile(rf"(?:,\s+(?:(?:and|or)\s+)?|\s+(?:and|or)\s+)(?=\d{{3,4}}\.\d)(?={DOTTED})")
"""A section after a list of subparts: "40 CFR part 262, subpart H and 265.12"."""


def _read(scan: Scan, start: int, end: int, title: str) -> int:
    word = scan.match(_AFTER, end)
    if word and word["compiled"]:
        page = f", p. {word['page']}" if word["page"] else ""
        item = Item(start, word.end(), f"{clean(word['years'])} Comp.{page}")
        return put(scan, Authority("cfr", f"{title} CFR, "), [item], start, word.end())
    if word:
        if word["part"] and scan.match(FIRST_DOTTED, word.end()):
            return _read_sections(scan, start, word.end(), title)  # "21 CFR part 211.22" means the section
        return read_levels(scan, start, word.end(), str(word.lastgroup), title)
    return _read_sections(scan, start, end, title)


def _read_sections(scan: Scan, start: int, at: int, title: str) -> int:
    sign = scan.match(_SIGN, at)
    if not sign:
        return -1
    items, end = numbers(scan, sign.end(), FIRST_DOTTED, NEXT_DOTTED)
    if not items:
        return read_levels(scan, start, sign.end(), "part", title)
    extent = scan.match(EXTENT, end)
    reason = OPEN_END if extent else ""
    end = extent.end() if extent else end
    return put(scan, cfr(title, reason), items, start, end)


ANCHORS = (
    (
        r"C(?:ode\s+of\s+Federal\s+Regulations(?=,?\s)|FR(?<=[\s\d]CFR)(?=[\s\d,.;:§)\]]|part|ch|$)|\.\s?F\.\s?R\b\.?)",
        read_title,
    ),
)
INFORMAL = (
    (r"cfr(?<=\d\scfr)\s{1,2}(?=[§\dp])", read_title),
    (r"c\.f\.r\.(?=\s*[§\dp])", read_title),
)
