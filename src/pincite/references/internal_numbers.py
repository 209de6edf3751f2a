"""Places of a document that are named by number: "section 4.2 of SOP-12", "Annex B", "Table 3", "row 7"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pincite.references.internal_documents import OF, document_at, document_before, name_at, name_before
from pincite.references.internal_files import Found, Home
from pincite.references.named import FIRST

UNITS = {
    "section": r"[Ss]ections?|[Ss]ubsections?|SECTIONS?|[Ss]ec\.|§§?",
    "clause": r"[Cc]lauses?",
    "paragraph": r"[Pp]aragraphs?|[Pp]aras?\.?|[Ii]tems?|[Pp]oints?",
    "chapter": r"[Cc]hapters?|[Cc]h\.",
    "annex": r"[Aa]nnex(?:es)?|ANNEX",
    "appendix": r"[Aa]ppendi(?:x|ces)|APPENDIX",
    "attachment": r"Attachments?",
    "schedule": r"Schedules?",
    "exhibit": r"Exhibits?",
    "table": r"[Tt]ables?",
    "figure": r"[Ff]igures?|[Ff]ig\.",
    "row": r"[Rr]ows?",
    "slide": r"[Ss]lides?",
}
_UNIT = "|".join(f"(?P<{name}>{pattern})" for name, pattern in UNITS.items())
_ITEMS = r"(?:\((?:[a-z]{1,4}|\d{1,2})\)){0,4}"
_NUMBER = rf"(?:\d{{1,3}}(?:\.\d{{1,3}}){{0,5}}{_ITEMS}|[A-Z](?:\.\d{{1,3}}){{1,4}}|[A-Z]|[IVX]{{2,5}})(?![\w-]|\.\d|\([a-z])"
_NUMBERED = re.compile(rf"(?<![\w§-])(?:{_UNIT})[  ]{{0,2}}(?P<number>{_NUMBER})")
_ITEM_OF = re.compile(
    r"(?<![\w-])(?:(?:sub-?)?paragraph|item|point|step|bullet|clause)[ ]\(?(?P<item>[a-z]{1,4}|\d{1,2})\)?"
    r"[ ](?:of|in|under)[ ](?:the[ ])?$",
    re.IGNORECASE,
)
"""Before a section: the item of it that is meant."""
_MORE = re.compile(
    rf"(?P<sep>,?[ ](?:and|or|&)[ ]|,[ ]|[ ]?[–—-][ ]?|[ ](?:to|through)[ ])(?P<number>{_NUMBER})"
    r"(?![ ](?:of[ ]the|days|hours|weeks|months|years|percent|business)\b|%)"
)
_LAW = re.compile(
    r"(?:the[ ])?(?:[A-Z][\w’'-]{0,40}[ ]){0,8}"
    r"(?:Act|Law|Regulations?|Directive|Code|Treaty|Constitution|Statute|Order|GDPR|ISO|IEC|RFC|USC|U\.S\.C|CFR)\b"
)
_AFTER_CAPTION = (":", ".", "–", "—")
_CAPTIONED = frozenset({"table", "figure", "exhibit", "annex", "appendix", "attachment"})
_LARGE = 100


def numbers(text: str, home: Home) -> Iterator[Found]:
    """Numbered places, with the item, the list and the document that go with them."""
    floor = 0
    for match in _NUMBERED.finditer(text):
        unit = next(name for name in UNITS if match[name])
        number = match["number"]
        opens = unit in _CAPTIONED and not text[: match.start()].strip(" *_>#|`")
        if opens and text[match.end() : match.end() + 2].strip()[:1] in _AFTER_CAPTION:
            continue  # "Table 3: Targets" is the caption itself
        if (number.isalpha() and unit in ("section", "clause", "chapter", "row", "slide")) or (
            unit in ("row", "slide") and not number.isdigit()
        ):
            continue
        if unit == "paragraph" and "." not in number:
            continue  # "paragraph 3" counts, "paragraph 3.2" is a number that is printed
        for found in _numbered(text, match, unit, home, floor):
            floor = found.end
            yield found


def _numbered(text: str, match: re.Match[str], unit: str, home: Home, floor: int) -> Iterator[Found]:
    """A number, those that follow it in a list or range, and the document they are of."""
    item = _ITEM_OF.search(text, max(0, match.start() - 40), match.start()) if unit in ("section", "clause") else None
    first = match["number"] + (f"({item['item']})" if item else "")
    items, end = [(item.start() if item else match.start(), match.end(), first, "")], match.end()
    while (more := _MORE.match(text, end)) and len(items) < 50:
        if "and" in more["sep"] or "or" in more["sep"] or "&" in more["sep"] or "," in more["sep"]:
            items.append((more.start("number"), more.end(), more["number"], ""))
        else:
            start, _, first, _ = items.pop()
            items.append((start, more.end(), first, more["number"]))
        end = more.end()
    named, before, end = _whose(text, match.start(), end, home, floor)
    if named is None:
        return
    here = named.rpartition(FIRST)[2].startswith("here:")
    if here and (
        (unit == "row" and not home.has_rows)
        or (match["number"].isdigit() and int(match["number"]) >= _LARGE and unit != "row")
    ):
        return
    for position, (start, last, number, upper) in enumerate(items):
        start = min(before, start) if position == 0 else start
        last = end if position == len(items) - 1 else last
        yield Found(start, last, unit, placed(named, _local(unit, number) + (f" to {_local(unit, upper)}" if upper else "")))


def placed(sought: str, local: str) -> str:
    """A place in each of the documents that are sought."""
    return FIRST.join(f"{document} § {local}" for document in sought.split(FIRST))


def _local(unit: str, number: str) -> str:
    return number.casefold() if unit in ("section", "clause", "paragraph") else f"{unit} {number.casefold()}"


def _whose(text: str, start: int, end: int, home: Home, floor: int) -> tuple[str | None, int, int]:
    """(what the number is of, where the mention begins, where it ends); None where it is of something else.

    A document named before *floor* belongs to the number before.
    """
    if of := OF.match(text, end):
        if named := document_at(text, of.end(), home):
            return named.sought, start, end if named.by_link else named.end
        is_of = text[of.start() : of.end()].strip(" ,") == "of"
        if is_of and not _LAW.match(text, of.end()) and (named := name_at(text, of.end())):
            return named.sought, start, named.end
        if _LAW.match(text, of.end()) or (is_of and _OTHER_AHEAD.match(text, of.end())):
            return None, start, end
    if (before := document_before(text, start, home)) and before[0] >= floor:
        return before[1], before[0], end
    if _LAW_BEFORE.search(text, max(0, start - 40), start):
        return None, start, end
    if (name := name_before(text, start, home)) and name[0] >= floor:
        return name[1], name[0], end
    return f"here:{home.document_id}", start, end


_OTHER_AHEAD = re.compile(r"(?:[A-Z]|(?:the|our|your|their|his|her|its|an?|that|each|any)[ ])")
_LAW_BEFORE = re.compile(
    r"(?:Act|Code|GDPR|ISO(?:/IEC)?[ ]?[\d:-]{0,12}|CFR|C\.F\.R\.|U\.S\.C\.|USC|RFC[ ]?\d{1,6}|NIST[ \w.-]{0,12}"
    r"|Directive|Regulation)[ ,]{1,2}$"
)
