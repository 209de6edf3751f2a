"""The Statutes at Large: "110 Stat. 1936", "68A Stat. 917", "94 Stat. 1111-1114"; "112 Stat. 2681-749" is one page: the laws
that were set in smaller print inside another are numbered so."""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import DASH, clean
from pincite.references.reading import Authority, Item, Scan, put

_VOLUME = re.compile(r"(?<![\w.,-])(\d{1,3}A?)\.?\s{1,3}$")
_PAGE = re.compile(rf"\s*(?P<page>\d{{1,2}},\d{{3}}|\d{{1,4}}[A-Za-z]?(?:{DASH}\d{{1,4}})?)(?!\w|,\d{{3}})")
_MORE = re.compile(
    rf"(?:,?\s+as\s+amended)?(?:,\s+(?:and\s+)?|\s+and\s+)(?P<page>(?!(?:19|20)\d\d\s*$)(?:\d{{1,2}},\d{{3}}(?!\d)|\d{{2,4}})[A-Z]?(?:{DASH}\d{{1,4}})?)"
    r"(?=[,;.)\]]|\s+\(\d|\s+and\s+\d|\s*$)(?!,\s+(?:19|20)\d\d\b)"
)


def read_pages(scan: Scan, found: Match[str]) -> int:
    """At "Stat.", with the volume before it."""
    volume = _VOLUME.search(scan.text, max(scan.floor, found.start() - 8), found.start())
    page = scan.match(_PAGE, found.end())
    if not volume or not page:
        return -1
    items = []
    while page:
        items.append(Item(page.start("page"), page.end(), *_pages(clean(page["page"]).replace(",", ""))))
        page = scan.match(_MORE, page.end())
    return put(scan, Authority("stat", f"{volume[1]} Stat. "), items, volume.start(), items[-1].end)


_FEW = 30
"""So many pages an end that is written short may be away from its beginning: 1111-14 is a range, 1321-373 a page."""


def _pages(page: str) -> tuple[str, str | None]:
    """A page, or the first and the last of a range: "1111-1114", "1111-14"; "2681-749" and "1501A-21" are pages.

    >>> _pages("1111-14"), _pages("1321-373"), _pages("3440-3442")
    (('1111', '1114'), ('1321-373', None), ('3440', '3442'))
    """
    first, dash, last = page.partition("-")
    if not dash or not first.isdigit():
        return page, None
    whole = first[: -len(last)] + last if len(last) < len(first) else last
    short = len(last) < len(first)
    if short and (len(last) < 2 or (len(last) > 2 and last[0] == first[-len(last)]) or int(whole) - int(first) > _FEW):
        return page, None  # an end that is written short repeats no figure of the beginning
    return (first, whole) if int(whole) > int(first) else (page, None)


ANCHORS = ((r"Stat\.(?<=[\dA.]\sStat\.)(?=\s*\d)", read_pages),)
