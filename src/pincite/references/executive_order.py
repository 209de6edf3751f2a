"""Orders of the President: "E.O. 10530", "Executive Orders 11034 and 12048", "Proclamation No. 10,414"."""

from __future__ import annotations

import re
from re import Match

from pincite.references.reading import Authority, Item, Scan, listed, put, put_with_sections, tokens

_NUMBER = r"(?:\d{1,2},\d{3}|\d{3,5})(?:-[A-Z])?(?!\w|,\d{3})"
_NO = r"(?:\s+\(E\.?O\.?\))?\s*(?:[Nn]os?\.?\s*)?"
_OPEN = rf"(?:E\.\s?[O0]\.s?|EOs?\b|Exec(?:\.|utive)\s+[Oo]rders?\b){_NO}"
ORDER = rf"{_OPEN}(?P<order>{_NUMBER})"
_ORDERS = tokens(_NUMBER, rf"(?:{_OPEN})")


def read_orders(scan: Scan, found: Match[str]) -> int:
    """At "E.O.", "EO", "Exec. Order", "Executive Order"."""
    items, end = listed(scan, found.end(), _ORDERS)
    if not items:
        return -1
    items = [Item(item.start, item.end, item.name.replace(",", "")) for item in items]
    return put_with_sections(scan, Authority("executive_order", "E.O. "), items, found.start(), end, _SECTIONS, _OF_ANOTHER)


_SECTIONS = re.compile(r",?\s+(?:[Ss]ec(?:tions?|s?\.)\s+|§{1,2}\s*)(?=\d)")
_OF_ANOTHER = re.compile(r",?\s+(?:of\b|Pub|P\.|Public|E\.|Exec|Act\b)")  # the sections belong to what follows


def read_proclamations(scan: Scan, found: Match[str]) -> int:
    """At "Proclamation No.", "Proc."."""
    items, end = listed(scan, found.end(), _PROCLAMATIONS)
    if not items:
        return -1
    items = [Item(item.start, item.end, item.name.replace(",", "")) for item in items]
    return put(scan, Authority("proclamation", "Proclamation "), items, found.start(), end)


_NUMBERED = r"(?:\s+(?:[Nn]os?\.?\s*)?(?=\d))"
_PROCLAMATIONS = tokens(_NUMBER, rf"(?:(?:Presidential\s+)?Proc(?:\.|lamations?){_NUMBERED})")
ANCHORS = (
    (rf"E(?:\.\s?[O0]\.s?|O(?<=\bEO)\s|Os(?<=\bEOs)\s|xec(?:\.|utive)\s+[Oo]rders?\b){_NO}(?=\d)", read_orders),
    (
        r"Proc(?:lamations?|\.(?<!Civ\.\sProc\.)(?<!Crim\.\sProc\.)(?<!App\.\sProc\.)(?<!Rev\.\sProc\.))"
        rf"{_NUMBERED}(?!\d{{1,5}}-\d)",
        read_proclamations,
    ),
)
