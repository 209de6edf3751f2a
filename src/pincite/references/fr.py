"""The Federal Register: "43 FR 45077", "79 FR 71253, 71291", "43 Fed. Reg. 45077"."""

from __future__ import annotations

import re
from re import Match

from pincite.references.lexicon import DASH, clean, split_dash
from pincite.references.reading import Authority, Item, Scan, put, put_one

_VOLUME = re.compile(r"(?<![\w.,-])(\d{1,3})\s{1,3}$")
_MORE = re.compile(
    rf",\s+(?:and\s+)?(?P<page>\d{{1,2}},\d{{3}}(?!\d)(?:{DASH}\d{{1,2}}(?:,\d{{3}})?)?|\d{{2,6}}(?:{DASH}\d{{1,6}})?)"
    r"(?=[,;.)\]]|\s+(?:and|or|nn?\.|&)(?=\s)|\s+\([A-Z][a-z]{2,8}\.?\s+\d|\s*$)(?!,\s+\d{4}\b)(?!\s+(?:FR|Fed)\b)"
)


def read_pages(scan: Scan, found: Match[str]) -> int:
    """At "FR 45077", with the volume before it."""
    text, (at, end) = scan.text, found.span()
    if end > scan.end:
        return -1
    if text[at - 3 : at - 1].isdigit() and not text[at - 4].isalnum() and text[at - 4] not in ".,-" and at - 3 >= scan.floor:
        volume, start = text[at - 3 : at - 1], at - 3
    else:
        before = _VOLUME.search(text, max(scan.floor, at - 6), at)
        if not before:
            return -1
        volume, start = before[1], before.start()
    if found["page"].isdigit() and not (text[end : end + 1] == "," and text[end + 2 : end + 3].isdigit()):
        return put_one(scan, "fr", f"{volume} FR {found['page']}", start, end)
    items: list[Item] = []
    page: Match[str] | None = found
    while page:
        number = page["page"].replace(",", "")
        first, last = (number, None) if number.isdigit() else split_dash(clean(number))
        items.append(Item(page.start("page"), page.end(), first, last))
        page = _MORE.match(scan.text, page.end(), scan.end)
    return put(scan, Authority("fr", f"{volume} FR "), items, start, items[-1].end)


_PAGE = rf"(?P<page>\d{{1,2}},\d{{3}}(?:{DASH}\d{{1,2}}(?:,\d{{3}})?)?|\d{{1,6}}(?:{DASH}\d{{1,6}})?)(?!\w|,\d{{3}})"
ANCHORS = ((rf"F(?:R(?<=\d\sFR)\s{{1,3}}|ed(?:\.\s?Reg\.\s{{0,3}}|eral\s+Register\s{{1,3}}))(?:at\s+)?{_PAGE}", read_pages),)
