"""Public laws: "Pub. L. 104-191", "Public Laws 106-65 and 108-375", "P.L. 107-295"."""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import DASH
from pincite.references.reading import Authority, Scan, listed, put, tokens

_OPEN = r"(?:Pub(?:\.|lic)\s+L(?:aws?\b\.?|\.)|P\.\s?L\.)\s*(?:[Nn]os?\.?\s*)?"
_NUMBER = rf"\d{{1,3}}\s?{DASH}\s?\d{{1,4}}(?!\w|{DASH}?\d)"
LAW = rf"{_OPEN}(?P<law>{_NUMBER})"
_LAWS = tokens(_NUMBER, rf"(?:{_OPEN})")
_LAWS = _LAWS._replace(following=re.compile(rf"()(?:,\s*(?:and\s+)?|;\s*(?:and\s+)?|\s+and\s+)((?:{_OPEN})?)({_NUMBER})"))


def read_laws(scan: Scan, found: Match[str]) -> int:
    """At "Pub. L." and its relatives."""
    items, end = listed(scan, found.end(), _LAWS)
    return put(scan, Authority("public_law", "Pub. L. "), items, found.start(), end) if items else -1


ANCHORS = ((r"P(?:ub(?:\.|lic)\s+L(?:aws?\b\.?|\.)|\.\s?L\.)(?<!\w\wP\.L\.)\s*(?:[Nn]os?\.?\s*)?(?=\d)", read_laws),)
