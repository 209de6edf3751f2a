"""The Statutes at Large: "110 Stat. 1936", "68A Stat. 917", "94 Stat. 1111-1114"."""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import DASH, clean
from pincite.references.reading import Authority, Item, Scan, put

_VOLUME = re.compile(r"(?<![\w.,-])(\d{1,3}A?)\.?\s{1,3}$")
_PAGE = re.compile(rf"\s*(?P<page>\d{{1,4}}[a-z]?(?:{DASH}\d{{1,4}})?)(?!\w|,\d{{3}})")
_MORE = re.compile(
    rf"(?:,?\s+as\s+amended)?(?:,\s+(?:and\s+)?|\s+and\s+)(?P<page>(?!(?:19|20)\d\d\s*$)\d{{2,4}}(?:{DASH}\d{{1,4}})?)"
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
        first, _, last = clean(page["page"]).partition("-")
        items.append(Item(page.start("page"), page.end(), first, last or None))
        page = scan.match(_MORE, page.end())
    return put(scan, Authority("stat", f"{volume[1]} Stat. "), items, volume.start(), items[-1].end)


ANCHORS = ((r"Stat\.(?<=[\dA.]\sStat\.)(?=\s*\d)", read_pages),)
