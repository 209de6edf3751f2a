"""The Federal Register: "43 FR 45077", "79 FR 71253, 71291", "43 Fed. Reg. 45077"."""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import DASH, clean, split_dash
from pincite.references.reading import Authority, Item, Scan, put

_VOLUME = re.compile(r"(?<![\w.,-])(\d{1,3})\s{1,3}$")
_MORE = re.compile(
    rf",\s+(?:and\s+)?(?P<page>\d{{2,6}}(?:{DASH}\d{{1,6}})?)(?=[,;.)\]]|\s+(?:and|or)\b)(?!,\s+\d{{4}}\b)(?!\s+(?:FR|Fed)\b)"
)


def read_pages(scan: Scan, found: Match[str]) -> int:
    """At "FR 45077", with the volume before it."""
    volume = _VOLUME.search(scan.text, max(scan.floor, found.start() - 6), found.start())
    if not volume or found.end() > scan.end:
        return -1
    items: list[Item] = []
    page: Match[str] | None = found
    while page:
        number = page["page"]
        first, last = (number, None) if number.isdigit() else split_dash(clean(number))
        items.append(Item(page.start("page"), page.end(), first, last))
        page = _MORE.match(scan.text, page.end(), scan.end)
    return put(scan, Authority("fr", f"{volume[1]} FR "), items, volume.start(), items[-1].end)


_PAGE = rf"(?P<page>\d{{1,6}}(?:{DASH}\d{{1,6}})?)(?!\w|,\d{{3}})"
ANCHORS = ((rf"F(?:R(?<=\d\sFR)\s{{1,3}}|ed\.\s?Reg\.\s{{0,3}}){_PAGE}", read_pages),)
