"""References in rulebooks: "Rule 2.3.1", "section 58(1)(b) of FSMR", "COBS 3.4", "Chapter 6 of PRU", "Rules 4.13.5 to 4.13.7".

A *work* is what a reference may name: an abbreviation ("COBS") or a title ("the Insolvency Regulations 2015"). The grammar
knows no work by name; which document a name stands for is learned from the corpus itself (``rulebook_shelf.py``).
A mention's ``target_node_id`` is "WORK: number", "WORK: part 5" or, where no work is named, the same with the work of
the place it stands in (the text of ``Place.node_id`` up to the colon).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pincite.model import Document, Mention, Observed, Place, span_of

UNITS = {
    "rule": r"[Rr]ules?|RULES?",
    "section": r"(?:[Ss]ub-?)?[Ss]ections?|SECTIONS?|[Ss]ecs?\.|ss?\.|§§?",
    "chapter": r"[Cc]hapters?|CHAPTERS?|Ch\.",
    "part": r"[Pp]arts?|PARTS?",
    "schedule": r"[Ss]chedules?|SCHEDULES?",
    "appendix": r"[Aa]ppendi(?:x|ces)|APPENDIX|A[Pp][Pp]s?\.?",
    "article": r"[Aa]rticles?|[Aa]rts?\.",
    "regulation": r"[Rr]egulations?|[Rr]egs?\.",
    "paragraph": r"(?:[Ss]ub-?)?[Pp]ara(?:graph)?s?\.?|[Cc]lauses?",
    "annex": r"[Aa]nnex(?:es)?|ANNEX",
}
CONTAINERS = frozenset({"chapter", "part", "schedule", "appendix", "annex"})
_UNIT = "(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in UNITS.items()) + ")"
_SUBS = r"(?:[  ]?\((?:\d{1,3}[A-Z]{0,2}|[a-z]{1,5}|[A-Z]{1,2})\))"
_BRACKETS = r"\((?:\d{1,3}[A-Z]?|[a-z]{1,5})\)(?:[  ]?\((?:\d{1,3}|[a-z]{1,5})\))*"
_ITEM = rf"(?:[A-Z]?\d{{1,4}}[A-Z]{{0,2}}(?:\.[A-Z]?\d{{1,4}}[A-Z]{{0,2}}|\.[A-Z](?=\.))*{_SUBS}*)"
_ROMAN = r"[IVXLC]{1,6}\b"
_RANGE = r"to|through|[-–—]"
_SEP = rf"(?P<sep>\s*(?:,\s*(?:and/or|and|or)?|and/or|and|or|&|;(?!\s*\n))\s*|\s*(?:{_RANGE})\s*)"
_NOT_WORKS = (  # capitals that are no work's abbreviation
    r"RULES?|PARTS?|CHAPTERS?|SECTIONS?|APP|APPENDIX|SCHEDULE|ANNEX|FORM|TABLE|NO|USD|AED|EUR|GBP|THE|AND|OR|OF|CFR|USC|NOTE"
    r"|STEP|ITEM|FIGURE|BOX|CATEGORY|CLASS|TIER|LEVEL|TYPE|PRINCIPLE|ISO|IFRS|IAS|ARTICLE|PARAGRAPH"
)
ABBREVIATION = rf"(?!(?:{_NOT_WORKS})\b)[A-Z][A-Z&]{{1,9}}\b"
_KIND_OF_WORK = (
    r"Rulebook|Rules|Regulations?|Act|Law|Guidance|Manual|Code|Directive|Standards?|Ordinance|Order|Constitution"
    r"|Decision|Decree"
)
TITLE = (
    rf"(?![A-Z]{{2,}}\s+(?:and|or)\b)(?:[A-Z][\w’'&-]*,?\s+(?:(?:and|of|the|for|on|to|in|&|–|-|No\.?)\s+|\(\d+\)\s+|\d+\s+(?=of\s))*){{0,9}}"
    rf"(?:{_KIND_OF_WORK})(?:\s+on\s+[A-Z]\w+(?:\s+[A-Z]\w+){{0,4}})?(?:[,\s]+(?:No\.\s*\(?\d+\)?\s*of\s*)?\(?(?:19|20)\d\d\)?)?"
)
_SELF = r"(?:this|these|that|those)\s+(?:[A-Z][a-z]+|[a-z]+)(?:\s+[A-Z][a-z]+)?"

_HEAD = re.compile(
    rf"(?:(?<![\w.])\(?(?P<work>{ABBREVIATION})\)?(?:\s+Rulebook)?(?:,|’s|'s)?\s{{1,3}})?(?P<unit>(?<!\w){_UNIT}\s{{0,3}}(?=[A-Z]?\d|\(|{_ROMAN}))?"
    rf"(?P<first>{_ITEM}|{_BRACKETS}|(?(unit){_ROMAN}|(?!)))",
)
_NEXT = re.compile(rf"{_SEP}(?P<item>{_ITEM}|{_BRACKETS}|{_ROMAN})(?![\w%])")
_BOX = (
    rf"{_UNIT.replace('?P<', '?P<in_')}\s{{0,2}}(?P<boxed>[A-Z]?\d+[A-Z]?|{_ROMAN})"
    rf"(?:,?\s+(?:of|to)\s+(?:the\s+)?(?P<boxwork>{TITLE}|{ABBREVIATION}))?"
)
_AFTER = re.compile(
    rf"\s*(?:\([^()]{{0,80}}\)\s*)?,?\s*(?:of|in|under|to)\s+(?:(?:the|our|its)\s+)*"
    rf"(?:(?P<self>{_SELF})|(?P<box>{_BOX})"
    rf"|(?P<abbreviation>{ABBREVIATION})(?!\s+[A-Z][a-z])|(?P<title>{TITLE})|(?P<bare>{ABBREVIATION}))"
)
_FOLLOWING = re.compile(rf"\bfollowing\s+(?:[a-z]+\s+){{0,4}}({ABBREVIATION})\s+[^\n:]{{0,60}}:\s*\n")
_QUANTITY = re.compile(
    r"\s*(?:%|per\s?cent|(?:(?:Business|working|calendar|consecutive)\s+)?(?:days?|months?|years?|weeks?|hours?|minutes?)\b"
    r"|million|billion|thousand|basis|times|of\s+(?:19|20)\d\d)",
    re.I,
)
INVISIBLE = dict.fromkeys(map(ord, "‎‏​­﻿‪‬"), " ")


class Head(NamedTuple):
    """The words before the first number: the work and the unit they name, "" where none."""

    work: str
    unit: str
    start: int


def find(text: str, at: Place) -> list[Mention]:
    """Every reference of the rulebook family in *text*, in order; list members are mentions of their own.

    >>> [m.target_node_id for m in find("see GEN 3.3.31 and Rules 4.13.5 to 4.13.7 of PRU", Place())]
    ['GEN: 3.3.31', 'PRU: 4.13.5']
    """
    plain = text.translate(INVISIBLE)
    here = at.node_id.split(":", 1)[0]
    found: list[Mention] = []
    position = 0
    while match := _HEAD.search(plain, position):
        if introduced := list(_FOLLOWING.finditer(plain, position, match.start())):
            here = introduced[-1][1]
        head = _head(match)
        if head is None:
            position = match.end()
            continue
        mentions, position = _members(plain, match, head, here)
        found += mentions
    return found


def mentions(text: str, at: Place, names: Mapping[str, str]) -> list[Mention]:
    """``find`` as the families of ``pincite.references`` are called; *names* of Acts are not used here."""
    return find(text, at)


def observed(document: Document, names: Mapping[str, str]) -> Iterator[Observed]:
    """Every rulebook reference of a parsed document, block by block, with byte spans in its extracted text."""
    for block in document.partition:
        data = document.slice(block.page, block.start, block.end)
        text = data.decode()
        for mention in find(text, Place(block.node_id)):
            start = block.start + len(text[: mention.start].encode())
            end = start + len(text[mention.start : mention.end].encode())
            yield Observed(block.node_id, span_of(document.pages[block.page - 1], block.page, start, end), mention)


def _head(match: re.Match[str]) -> Head | None:
    """The head, or None where the number is not a reference: a bare integer, a decimal, a date, a bracket on its own."""
    work, first = match["work"] or "", match["first"]
    unit = next((name for name in UNITS if match[name]), "")
    text, start = match.string, match.start()
    if work and not unit and first[0] == "(":
        work, start = "", match.start("first")
    before = text[match.start("first") - 1 : match.start("first")]
    if not unit and not work and (before in {"$", "€", "£", "."} or before.isalnum() or not _stands_alone(first, text, start)):
        return None
    if work and not unit and not re.match(r"[A-Z]?\d+[A-Z]?(\.|\b)", first):
        return None
    if first[0] in "IVXLC" and re.fullmatch(r"[IVXLC]+", first) and unit not in CONTAINERS | {"section", "article"}:
        return None
    if unit in {"regulation", "rule"} and re.fullmatch(r"(?:19|20)\d\d", first):
        return None  # "the Harbour Regulations 2015"
    after = match.end()
    if text[after : after + 1].isalnum() or (_QUANTITY.match(text, after) and "." not in first):
        return None
    return Head(work, unit, start)


_DATE = re.compile(r"[0-3]?\d\.[01]?\d\.(?:19|20)\d\d\b")


def _stands_alone(first: str, text: str, start: int) -> bool:
    """Whether a number without unit or work is a reference: three components ("1.3.1"), or a bracket after "under"."""
    if first.lstrip()[0] == "(":
        return bool(
            re.search(
                r"(?:[Ss]ubject to|purposes? of|referred to in|under|with|pursuant to|specified in)\s+$",
                text[max(0, start - 24) : start],
            )
        )
    if _DATE.match(first):
        return False
    number = re.match(r"[A-Z]?\d+[A-Z]{0,2}((?:\.[A-Z]?\d+[A-Z]{0,2})*)", first)
    return bool(number) and len(number[1].split(".")) >= 3 if number else False


def _members(text: str, match: re.Match[str], head: Head, here: str) -> tuple[list[Mention], int]:
    """The mentions of one list, and where the scan goes on."""
    items = list(_items(text, match))
    end = items[-1][2]
    work, inside, scope = _qualifier(text, end)
    work = head.work or work or here
    mentions: list[Mention] = []
    for start, connector, stop, number in items:
        if connector == "to" and mentions:
            last = mentions.pop()
            mentions.append(
                last._replace(
                    end=stop, text=text_of(text, last.start, stop), target_end_node_id=_node(work, head.unit, inside, number)
                )
            )
            continue
        begin = head.start if not mentions and start == items[0][0] else start
        target = _node(work, head.unit, inside, number)
        mentions.append(Mention(begin, stop, text[begin:stop], head.unit or "rule", target, reason=scope))
    return mentions, end


def text_of(text: str, start: int, end: int) -> str:
    """The words as they stand, invisible characters already blanked."""
    return text[start:end]


def _items(text: str, match: re.Match[str]) -> Iterator[tuple[int, str, int, str]]:
    """(start, connector, end, number) of each list member; "(3) or (4)" completes the number before it."""
    number = _squeeze(match["first"])
    yield match.start("first"), "", match.end("first"), number
    shape, end = number, match.end("first")
    while following := _NEXT.match(text, end):
        item = _squeeze(following["item"])
        if not _same_shape(shape, item) or (_QUANTITY.match(text, following.end()) and "." not in item):
            return
        number = _complete(number, item) if item.startswith("(") else item
        end = following.end()
        connector = "to" if re.fullmatch(_RANGE, following["sep"].strip()) else "and"
        yield following.start("item"), connector, end, number


def _same_shape(first: str, item: str) -> bool:
    """Whether *item* can continue a list begun by *first*: dots with dots, integers with integers, brackets with any."""
    if item.startswith("("):
        return "(" in first
    if first.startswith("("):
        return False
    return ("." in first.split("(")[0]) == ("." in item.split("(")[0]) and first[0].isdigit() == item[0].isdigit()


def _complete(number: str, item: str) -> str:
    """ "9.1.1(3)" then "(4)" is 9.1.1(4): the brackets of the same kind, and what follows them, are replaced."""
    base, subs = number.split("(", 1)[0], re.findall(r"\([^)]*\)", number)
    new = re.findall(r"\([^)]*\)", item)
    kind = _bracket_kind(new[0])
    keep = next((index for index, sub in enumerate(subs) if _bracket_kind(sub) == kind), max(0, len(subs) - 1))
    return base + "".join(subs[:keep]) + "".join(new)


def _bracket_kind(sub: str) -> str:
    inner = sub.strip("()")
    if inner[0].isdigit():
        return "digit"
    if inner.isupper():
        return "capital"
    return "roman" if len(inner) > 1 or inner in "ivx" else "letter"


def _squeeze(number: str) -> str:
    return re.sub(r"\s", "", number)


def _qualifier(text: str, end: int) -> tuple[str, str, str]:
    """(work, container, "self" or "") named after the number: "of FSMR", "of App 4", "of this Part"."""
    match = _AFTER.match(text, end)
    if not match:
        return "", "", ""
    if match["box"]:
        kind = next(name for name in UNITS if match[f"in_{name}"])
        inside = f"{kind} {match['boxed']}" if kind in CONTAINERS else ""
        return match["boxwork"] or "", inside, ""
    if match["self"]:
        return "", "", "self"
    work = match["title"] or match["abbreviation"] or match["bare"]
    return " ".join(work.split()), "", ""


def _node(work: str, unit: str, inside: str, number: str) -> str:
    """ "PRU: 4.13.5", "FSMR: part 19", "PRU: appendix 4: A4.3.2"."""
    local = f"{unit} {number}" if unit in CONTAINERS else number
    return ": ".join(part for part in (work, inside, local) if part)
