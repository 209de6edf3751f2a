"""Titles by name: "title 21 of the Code of Federal Regulations, part 11", "Title 18, United States Code", "this title"."""

from __future__ import annotations

import re
from re import Match

from pincite.references import cfr, usc
from pincite.references.containers import read_this
from pincite.references.reading import Scan, put_one
from pincite.references.scope import CODE

_TITLE = re.compile(rf"(?P<number>\d{{1,2}})(?!\w|\.\d)(?:,?\s+(?:of\s+the\s+|of\s+)?{CODE}|(?P<part>,?\s+(?=[Pp]arts?\s+\d)))")
_OF_ANOTHER = re.compile(r",?\s+[Pp]arts?\s+\d+[\s\d,and]*\bof\s+(?!this\b|title\b)")


def read_title(scan: Scan, found: Match[str]) -> int:
    """At "title 21 …" or "this title". An abbreviated code ("Title 21 CFR 211.22") is read at the abbreviation."""
    start = found.start() - 3
    if found["token"] is None:
        return read_this(scan, "title", start, found.end())
    title = scan.match(_TITLE, found.start("token"))
    if not title or not scan.is_word(start, start):
        return -1
    number, end = title["number"], title.end()
    if title["part"] is not None:
        return -1 if scan.match(_OF_ANOTHER, title.start("part")) else cfr.after_title(scan, start, title.start("part"), number)
    name = title["usc"] or title["cfr"]
    if not name.startswith(("Code", "United")):
        return -1
    if title["usc"]:
        read = usc.after_title(scan, start, end, number)
        return read if read > 0 else put_one(scan, "usc", f"{number} U.S.C.", start, end)
    read = cfr.after_title(scan, start, end, number)
    return read if read > 0 else put_one(scan, "cfr", f"Title {number}", start, end)


ANCHORS = ((r"le(?<=[Tt]itle)(?:\s+(?P<token>(?=\d))|(?<=[Tt]his\stitle))", read_title),)
