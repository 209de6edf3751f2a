"""Public laws: "Pub. L. 104-191", "Public Laws 106-65 and 108-375", "P.L. 107-295"."""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import DASH
from pincite.references.reading import Authority, Scan, listed, put_with_sections, tokens

_NAME = r"(?:Pub(?:\.\s*|lic\s+|\s+)L(?:aws?\b\.?|\.|\b)|P(?:\.\s?L\.|L(?<=\bPL)(?=\s)))"
_OPEN = rf"{_NAME}\s*(?:[Nn](?:os?|umbers?)\.?\s*)?"
_NUMBER = rf"\d{{1,3}}\s?{DASH}\s?(?!0(?!\d))\d{{1,4}}(?!\w|{DASH}?\d)"
LAW = rf"{_OPEN}(?P<law>{_NUMBER})"
_LAWS = tokens(_NUMBER, rf"(?:{_OPEN})")
_LAWS = _LAWS._replace(following=re.compile(rf"()(?:,\s*(?:and\s+)?|;\s*(?:and\s+)?|\s+and\s+)((?:{_OPEN})?)({_NUMBER})"))


def read_laws(scan: Scan, found: Match[str]) -> int:
    """At "Pub. L." and its relatives."""
    items, end = listed(scan, found.end(), _LAWS)
    if not items:
        return -1
    return put_with_sections(scan, Authority("public_law", "Pub. L. "), items, found.start(), end, ITS_SECTIONS, _ANOTHER)


ITS_SECTIONS = re.compile(
    r"(?:,?\s+(?:[Dd]iv(?:ision|\.)\s+[A-Z]{1,2}|(?:[Tt]it(?:le|\.)|[Pp](?:ar)?t\.?|[Cc]h(?:apter|\.))\s+[IVXLC]{1,7}|[Ss]ub(?:title|tit\.)\s+[A-Z]\b)){0,4}"
    r",?\s+(?:[Ss]ec(?:tions?|s?\.)\s+|§{1,2}\s*)(?=\d)"
)
"""Between a law and its sections its larger parts may be named: "Pub. L. 104-106, div. A, title X, § 1038(a)"."""
_ANOTHER = re.compile(r",?\s+(?:of\b|Pub|P\.|Public|E\.|Act\b)")  # the sections belong to what follows


ANCHORS = (
    (
        r"P(?:ub(?:\.\s*|lic\s+|\s+)L(?:aws?\b\.?|\.|\b)|\.\s?L\.|L(?<=\bPL)(?=\s))(?<!\w\wP\.L\.)\s*(?:[Nn](?:os?|umbers?)\.?\s*)?(?=\d)",
        read_laws,
    ),
)
