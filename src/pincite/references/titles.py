"""Titles by name: "title 21 of the Code of Federal Regulations, part 11", "Title 18, United States Code", "this title",
"title 18, sections 1341 and 1343, of the United States Code"."""

from __future__ import annotations

import re
from re import Match

from pincite.references import cfr, usc
from pincite.references.containers import read_this
from pincite.references.reading import (
    FIRST_DOTTED,
    FIRST_PLAIN,
    NEXT_DOTTED,
    NEXT_PLAIN,
    Authority,
    Scan,
    numbers,
    put,
    put_one,
)
from pincite.references.scope import CODE

_SECTIONS = r"(?P<sections>,?\s+(?:§{1,2}\s*|[Ss]ec(?:tions?|s?\.)\s+)(?=\d))"
_TITLE = re.compile(
    rf"(?P<number>\d{{1,2}})(?!\w|\.\d)(?:,?\s+[Cc]hapter\s+(?P<chapter>[IVXLC]{{1,7}}),?\s+(?:of\s+the\s+)?"
    rf"(?:Code\s+of\s+Federal\s+Regulations|C\.?F\.?R\b\.?)|(?:\s+\([A-Z][\w ]{{2,40}}\))?,?\s+(?:of\s+the\s+|of\s+)?{CODE}"
    rf"|(?P<part>,?\s+(?=(?:[Cc]hapter\s+[IVXLC]{{1,7}},?\s+)?[Pp]arts?\s+\d))|{_SECTIONS})"
)
_OF_CODE = re.compile(rf",?\s+of\s+the\s+{CODE}")
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
    if title["sections"] is not None:
        return _sections(scan, start, title.end(), number)
    if title["chapter"]:
        return put_one(scan, "cfr", f"{number} CFR Chapter {title['chapter']}", start, end)
    if title["usc"]:
        read = usc.after_title(scan, start, end, number)
        return read if read > 0 else put_one(scan, "usc", f"{number} U.S.C.", start, end)
    read = cfr.after_title(scan, start, end, number)
    return read if read > 0 else put_one(scan, "cfr", f"Title {number}", start, end)


def _sections(scan: Scan, start: int, at: int, number: str) -> int:
    """Sections between a title and the code it is of."""
    for first, following, kind, before in (
        (FIRST_DOTTED, NEXT_DOTTED, "cfr", f"{number} CFR "),
        (FIRST_PLAIN, NEXT_PLAIN, "usc", f"{number} U.S.C. § "),
    ):
        items, end = numbers(scan, at, first, following)
        code = scan.match(_OF_CODE, end) if items else None
        if code and code[kind]:
            return put(scan, Authority(kind, before), items, start, code.end())
    return -1


ANCHORS = ((r"le(?<=[Tt]itle)(?:\s+(?P<token>(?=\d))|(?<=[Tt]his\stitle))", read_title),)
