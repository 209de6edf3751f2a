"""Public laws: "Pub. L. 104-191", "Public Laws 106-65 and 108-375", "P.L. 107-295"."""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import DASH
from pincite.references.reading import FIRST_PLAIN, NEXT_PLAIN, Authority, Scan, listed, numbers, put, tokens

_OPEN = r"(?:Pub(?:\.|lic)\s+L(?:aws?\b\.?|\.)|P\.\s?L\.)\s*(?:[Nn]os?\.?\s*)?"
_NUMBER = rf"\d{{1,3}}\s?{DASH}\s?\d{{1,4}}(?!\w|{DASH}?\d)"
LAW = rf"{_OPEN}(?P<law>{_NUMBER})"
_LAWS = tokens(_NUMBER, rf"(?:{_OPEN})")
_LAWS = _LAWS._replace(following=re.compile(rf"()(?:,\s*(?:and\s+)?|;\s*(?:and\s+)?|\s+and\s+)((?:{_OPEN})?)({_NUMBER})"))


def read_laws(scan: Scan, found: Match[str]) -> int:
    """At "Pub. L." and its relatives."""
    items, end = listed(scan, found.end(), _LAWS)
    if not items:
        return -1
    opening = scan.match(_SECTIONS, end) if len(items) == 1 else None
    if opening:
        of_law, stop = numbers(scan, opening.end(), FIRST_PLAIN, NEXT_PLAIN)
        if of_law and not scan.match(_ANOTHER, stop):
            return put(scan, Authority("public_law", f"Pub. L. {items[0].name} § "), of_law, found.start(), stop)
    return put(scan, Authority("public_law", "Pub. L. "), items, found.start(), end)


_SECTIONS = re.compile(r",?\s+(?:[Ss]ec(?:tions?|s?\.)\s+|§{1,2}\s*)(?=\d)")
_ANOTHER = re.compile(r",?\s+(?:of\b|Pub|P\.|Public|E\.|Act\b)")  # the sections belong to what follows


ANCHORS = ((r"P(?:ub(?:\.|lic)\s+L(?:aws?\b\.?|\.)|\.\s?L\.)(?<!\w\wP\.L\.)\s*(?:[Nn]os?\.?\s*)?(?=\d)", read_laws),)
