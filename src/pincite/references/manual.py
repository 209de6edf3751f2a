"""References of guidance manuals: paragraphs, lists, ranges, chapters, appendices, memos, and the law in citation lines.

A manual cites itself by number ("DMG 77164", "see paragraph 23", "P4006"), and a number alone says nothing: its scope comes
from the words before it, from the list it stands in, or from where the text stands. A list passes its scope on only from an
explicit reference of the same shape; anything else stays unresolved. A range stays a range. What a reference does in law is
not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from re import Match
from typing import NamedTuple

from pincite.model import Document, Mention, Observed, Place, span_of
from pincite.references.legal import legal_mentions
from pincite.references.observing import observe_federal, together
from pincite.references.spaced import Closed, is_letter_spaced

CITING_ROLES = frozenset({"heading", "body", "table", "example", "note", "footnote", "annotation", "notice", "contact"})

_DASH = r"\s*(?:[-–—]|\bto\b)\s*"
_ITEM = (
    r"(?:\.(?P<dot>\d{1,2}(?:\.\d{1,2})?)(?!\d)"
    r"|\s+(?P<item>\d{1,2}(?:\.\d{1,2}(?:\.[a-z])?)?)(?=\.(?!\d)|(?<=\.\d)(?!\d)|(?<=\.\d\d)(?!\d)|(?<=\.[a-z])))?"
)
_NUMBER = r"[A-Z]?\d{4,6}"

_ANCHOR = re.compile(
    rf"""
    \b(?:(?P<memo>[Mm]emos?\s*(?:ADM|DMG)|(?:ADM|DMG)\s*[Mm]emos?)\s*(?P<memo_no>\d{{1,3}})\s?[/-]\s?(?P<memo_year>\d{{2}})(?!\d)
      (?:,?\s*(?P<memo_word>(?:para|paragraph)s?)\.?\s*(?P<memo_para>\d{{1,3}})(?!\d))?)
    |\b(?P<short_memo>ADM|DMG)\s*(?P<short_no>\d{{2}})/(?P<short_year>\d{{2}})(?!\d)
    |\b(?P<app>(?:Appendix|Appendices|[Aa]nnex(?:es)?)\s*(?P<app_no>[A-Z]?\d{{1,2}}(?:\.\d{{1,2}})?)
      (?:\s+(?:to|of)\s+(?:(?P<app_auth>DMG|ADM)\s+)?(?:(?P<app_this>this\s+Chapter)|Chapter\s+(?P<app_chapter>[A-Z]?\d{{1,2}}))?)?)
    |\b(?:(?P<auth>DMG|ADM)\s*)(?P<chap>(?:Chapters?|Volumes?|Vols?\.?|Parts?)\s*)(?P<chap_no>[A-Z]?\d{{1,2}}[A-Z]?)(?!\d)(?:,?\s+Part\s+(?P<part>\d{{1,2}}))?
    |\b(?P<own_chap>Chapters?\s+)(?P<own_chap_no>[A-Z]\d{{1,2}}|\d{{1,2}})(?![\d.])(?:,?\s+Part\s+(?P<own_part>\d{{1,2}}))?
    |(?<![A-Z])(?P<scope>DMG|ADM)\s*(?:(?:paragraphs?|paras?)\s*)?(?P<number>{_NUMBER})(?!\d){_ITEM}
    |\b(?P<word>[Pp]aragraphs?|[Pp]aras?\.?)\s+(?P<para>[A-Z]?\d{{1,6}}(?:\.\d{{1,3}})*)(?![\d])(?P<letter>[a-z](?![A-Za-z])|(?:\([a-z]{{1,4}}\))+)?
    |\bIRM\s+(?P<irm>\d+(?:\.\d+)+)(?P<irm_para>(?:\(\w{{1,3}}\))*)
    |(?<![\w£/.-])(?P<bare>[A-Z]\d{{4,5}})(?![\w/]){_ITEM.replace("dot>", "bare_dot>").replace("item>", "bare_item>")}
    """,
    re.VERBOSE,
)
_TRIGGER = re.compile(r"DMG|ADM|[Mm]emo|[Cc]hapter|Append|[Aa]nnex|[Pp]ara|IRM|(?<![\w£/.-])[A-Z]\d{4}")
_LEAD = re.compile(r"(?:DMG|ADM)\s+(?:paragraphs?|paras?)\b")
_NEXT = re.compile(rf"\s*(?:[,;]|(?:,\s*)?\b(?:and|or|and/or)\b)\s*(?P<number>{_NUMBER})(?![\d/]|\.\d){_ITEM}")
_NEXT_SMALL = re.compile(
    r"\s*(?:,|(?:,\s*)?\b(?:and|or)\b)\s*(?P<number>\d{1,3}(?:\.\d{1,3})*)(?![\d%/]|\.\d|st\b|nd\b|rd\b|th\b)(?!\s*(?:per\s?cent|days?|weeks?|months?|years?|hours?)\b)"
)
_NEXT_MEMO = re.compile(r"\s*(?:[,;]|(?:[,;]\s*)?\b(?:and|or)\b)\s*(?P<memo_no>\d{1,3})\s?[/-]\s?(?P<memo_year>\d{2})(?![\d/])")
_NEXT_CHAPTER = re.compile(
    r"\s*(?:(?P<to>[-–—]|\bto\b)|,|(?:,\s*)?\b(?:and|or)\b)\s*(?P<number>[A-Z]?\d{1,2})(?![\d.%]|\s*(?:per\s?cent|days?|weeks?|months?|years?)\b)"
)
_NEXT_ITEM = re.compile(
    r"\.?\s*(?:,|\b(?:and|or)\b)\s*(?P<item>\d{1,2}(?:\.\d{1,2})*\.(?!\d)|\d{1,2}\.\d{1,2}(?![\d.%]|\s*(?:per\s?cent|days?|weeks?|hours?)\b))"
)
_RANGE = re.compile(rf"{_DASH}(?:(?P<auth>DMG|ADM)\s*)?(?P<end>[A-Z]?\d{{2,6}})(?![\d/]|\.\d)")
_RANGE_SMALL = re.compile(rf"{_DASH}(?P<end>\d{{1,3}}(?:\.\d{{1,3}})*)(?![\d/%]|\.\d)")
_ET_SEQ = re.compile(r",?\s*et\s?seq\b\.?")
_QUALIFIER = re.compile(r"\s*\((?P<name>[A-Z][A-Za-z]*(?:\s\d{1,2})?)\)|\s+(?P<note>(?:Note|Example|Heading)(?:\s\d{1,2})?)\b")
_KNOWN_QUALIFIERS = re.compile(r"(?:Heading|Notes?|Examples?|Title)(?:\s\d{1,2})?$")
_FOREIGN = re.compile(
    r"\s*(?:\([\w]{1,4}\)\s*)*(?:of|to|in)\s+(?:the\s+)?"
    r"(?:Schedule|Sch\b|Act|Annex [IVX]|Part \w+ of (?:the )?Schedule|Regulations?|Directive|Convention|Treaty)"
)
_FOREIGN_BEFORE = re.compile(
    r"(?:Sch(?:edule)?\.?\s+[\w]{1,4}|Annex\s+\w+|UKUT|EWCA\s+\w+|Practice\s+Guidance|Guidance|PPG)[,)]?\s+$"
)


class Here(NamedTuple):
    """Where a text stands: whose manual, which document, chapter, appendix and paragraph."""

    authority: str = ""  # DMG, ADM, NPPF, IRM, ""
    root: str = ""  # the document's own node id
    unit: str = ""  # what small paragraph numbers count in: a memo, an appendix, a numbered manual
    paragraph: str = ""


_UNIT = re.compile(r"(?P<unit>Memo (?:ADM|DMG) \d{2,3}/\d{2}|(?:DMG|ADM) Chapter \w+ (?:Appendix|Annex) \w+|NPPF) para \d+")
_PARAGRAPH = re.compile(
    r"(?:DMG|ADM) [A-Z]?\d{4,6}|(?:Memo (?:ADM|DMG) \d{2,3}/\d{2}|(?:DMG|ADM) Chapter \w+ \w+ \w+|NPPF) para \d+"
)
_MEMO = re.compile(r"Memo (ADM|DMG) \d{2,3}/\d{2}")


@lru_cache(maxsize=4096)
def stand(at: Place) -> Here:
    """Read a place: what a bare number there would count in."""
    node = at.node_id
    root = at.context[0] if at.context else node
    found = _UNIT.match(node)
    memo = _MEMO.match(node) or _MEMO.match(root)
    authority = (
        memo.group(1)
        if memo
        else next((name for name in ("DMG", "ADM", "NPPF", "IRM") if name in (node[:3], node[:4], root[:3], root[:4])), "")
    )
    unit = found.group("unit") if found else memo.group() if memo else ""
    paragraph = _PARAGRAPH.match(node)
    return Here(authority, root, unit, paragraph.group() if paragraph else "")


def mentions(text: str, at: Place, names: Mapping[str, str]) -> list[Mention]:
    """The references of a manual's text, in order; offsets are characters."""
    closed = Closed(text) if is_letter_spaced(text) else None
    found = list(_scan(closed.text if closed else text, stand(at)))
    return [closed.open(mention) for mention in found] if closed else found


def observed(document: Document, names: Mapping[str, str]) -> list[Observed]:
    """The references of every citing block of a document, in order. A reference never reaches beyond its block.

    A document that is of none of the manuals known by name, a rule or a bill in print, also cites federal law.
    """
    own = list(_observed(document, names))
    if not document.nodes or stand(Place(document.nodes[0].node_id)).authority:
        return own
    federal = [each for each in observe_federal(document, names) if each.mention.target_node_id]
    return together(federal, own)


def _observed(document: Document, names: Mapping[str, str]) -> Iterator[Observed]:
    places: dict[str, Place] = {}
    contexts: dict[str, tuple[str, ...]] = {}
    labels: dict[str, str] = {}
    for node in document.nodes:
        above = (*contexts.get(node.parent_id, ()), node.parent_id) if node.parent_id else ()
        contexts[node.node_id] = above
        places[node.node_id] = Place(node.node_id, above)
        labels[node.node_id] = node.label
    named: set[str] = set()
    for block in document.partition:
        if block.role not in CITING_ROLES:
            continue
        data = document.pages[block.page - 1]
        text = data[block.start : block.end].decode()
        at = places.get(block.node_id, Place())
        skip = labels.get(block.node_id, "") if block.node_id not in named and block.role in ("body", "table") else ""
        named.add(block.node_id)
        for mention in _in_block(text, block.role, at, names):
            if mention.start == 0 and skip and mention.text.startswith(skip):
                continue  # a paragraph's own number
            first = block.start + len(text[: mention.start].encode())
            yield Observed(block.node_id, span_of(data, block.page, first, first + len(mention.text.encode())), mention)


def _in_block(text: str, role: str, at: Place, names: Mapping[str, str]) -> list[Mention]:
    if role == "footnote" and at.node_id.startswith(("DMG", "ADM", "Memo")):
        return sorted([*legal_mentions(text), *_explicit(mentions(text, at, names))])
    if role == "heading":
        return [mention for mention in _explicit(mentions(text, at, names)) if mention.target_node_id != at.node_id]
    return mentions(text, at, names)


def _explicit(found: list[Mention]) -> list[Mention]:
    """Only references that name their manual: in a citation line "para 5" is of a Schedule, a heading's range is its own."""
    return [mention for mention in found if mention.text[:3] in ("DMG", "ADM", "Mem", "mem", "IRM")]


# --- the scan ---------------------------------------------------------------------------------------------------------


def _scan(text: str, here: Here) -> Iterator[Mention]:
    position = 0
    scope = ""  # the authority the last explicit reference named, for a list of letters after it
    while (trigger := _TRIGGER.search(text, position)) is not None:
        found = _ANCHOR.match(text, trigger.start())
        if found is None:
            scope = trigger.group() if trigger.group() in ("DMG", "ADM") and _LEAD.match(text, trigger.start()) else scope
            position = trigger.end()
            continue
        made = _read(text, found, here, scope)
        yield from made
        position = max(found.end(), made[-1].end if made else 0)
        scope = found.group("scope") or found.group("app_auth") or scope


def _read(text: str, found: Match[str], here: Here, scope: str) -> list[Mention]:
    if found["memo"]:
        return _memos(text, found)
    if found["short_memo"]:
        target = _memo(found["short_memo"], found["short_no"], found["short_year"])
        return [_mention(text, found.start(), found.end(), "memo", target)]
    if found["app"]:
        return [_appendix(text, found, here)]
    if found["chap"] or found["own_chap"]:
        return _chapters(text, found, here)
    if found["scope"]:
        return _paragraphs(text, found, found["scope"])
    if found["word"]:
        return _small(text, found, here)
    if found["irm"]:
        return [_mention(text, found.start(), found.end(), "irm", f"IRM {found['irm']}{found['irm_para']}")]
    return _bare(text, found, here, scope)


def _mention(
    text: str,
    start: int,
    end: int,
    kind: str,
    target: str | None,
    last: str | None = None,
    status: str = "unresolved",
    reason: str = "",
) -> Mention:
    return Mention(start, end, text[start:end], kind, target, last, status, (), reason)


def _memo(words: str, number: str, year: str) -> str:
    return f"Memo {'ADM' if 'ADM' in words else 'DMG'} {int(number):02d}/{year}"


def _memos(text: str, found: Match[str]) -> list[Mention]:
    """ "ADM Memos 04/20 and 05/20", "Memo DMG 11/22, paragraphs 4 to 6"."""
    target = _memo(found["memo"], found["memo_no"], found["memo_year"])
    if found["memo_para"]:
        plural = found["memo_word"].endswith("s")
        return _list_of_small(text, found.start(), found["memo_para"], found.end(), "memo", f"{target} para ", plural=plural)
    made, end = [_mention(text, found.start(), found.end(), "memo", target)], found.end()
    while "memos" in found["memo"].lower() and (after := _NEXT_MEMO.match(text, end)):
        target = _memo(found["memo"], after["memo_no"], after["memo_year"])
        made.append(_mention(text, after.start("memo_no"), after.end(), "memo", target))
        end = after.end()
    return made


def _appendix(text: str, found: Match[str], here: Here) -> Mention:
    kind = "Annex" if found["app"].lower().startswith("annex") else "Appendix"
    authority = found["app_auth"] or here.authority
    end = found.end() if found["app_this"] or found["app_chapter"] else found.end("app_no")
    if found["app_chapter"] and authority:
        owner: str | None = f"{authority} Chapter {found['app_chapter']}"
    else:
        owner = _chapter_of(here)
    foreign = _FOREIGN.match(text, end) is not None and not (found["app_this"] or found["app_chapter"])
    target = f"{owner} {kind} {found['app_no']}" if owner and not foreign else None
    reason = "" if target else f"an {kind.lower()} of {'another text' if foreign else 'a document that is not named'}"
    return _mention(text, found.start(), end, (authority or "manual").lower(), target, reason=reason)


def _chapter_of(here: Here) -> str | None:
    """The chapter a text stands in: its document, or the one its DMG number belongs to."""
    if " Chapter " in here.root:
        return " ".join(here.root.split()[:3])
    number = re.match(r"DMG (\d{2})\d{3}", here.paragraph)
    if number:
        return f"DMG Chapter {number.group(1)}"
    unit = re.match(r"(?:DMG|ADM) Chapter \w+", here.unit)
    return unit.group() if unit else here.root if here.authority in ("NPPF", "") and here.root else None


def _chapters(text: str, found: Match[str], here: Here) -> list[Mention]:
    own = found["own_chap"] is not None
    authority = here.authority if own else found["auth"]
    number, part = (found["own_chap_no"], found["own_part"]) if own else (found["chap_no"], found["part"])
    word = (
        "Volume"
        if not own and found["chap"].strip().startswith("Vol")
        else "Part"
        if not own and found["chap"].startswith("Part")
        else "Chapter"
    )
    if authority not in ("DMG", "ADM"):
        return (
            [_mention(text, found.start(), found.end(), "manual", None, reason="a chapter of a document that is not named")]
            if own and here.root
            else []
        )
    kind = authority.lower()
    made = [
        _mention(text, found.start(), found.end(), kind, f"{authority} {word} {number}" + (f" Part {part}" if part else ""))
    ]
    lettered = number[0].isalpha()
    position = found.end()
    plural = (found["own_chap"] or found["chap"]).strip().endswith("s")
    while (after := _NEXT_CHAPTER.match(text, position)) and (plural or lettered) and after["number"][0].isalpha() == lettered:
        target = f"{authority} {word} {after['number']}"
        if after["to"] and made[-1].target_end_node_id is None:
            first = made.pop()
            made.append(_mention(text, first.start, after.end(), kind, str(first.target_node_id), target))
        else:
            made.append(_mention(text, after.start("number"), after.end(), kind, target))
        position = after.end()
    return made


# --- numbered paragraphs ----------------------------------------------------------------------------------------------------


def _paragraphs(text: str, found: Match[str], authority: str) -> list[Mention]:
    """``DMG 77118, 77119 or 77120``: the list has the scope of its first member, as long as it keeps its shape."""
    number = found["number"]
    if number[0].isalpha() != (authority == "ADM"):
        reason = f"{number} has not the form of a paragraph of {authority}"
        return [_mention(text, found.start(), found.end(), authority.lower(), None, status="unsupported", reason=reason)]
    made, position = _one(text, found, found.start(), authority)
    while (
        (after := _NEXT.match(text, position))
        and after["number"][0].isalpha() == number[0].isalpha()
        and len(after["number"]) >= len(number) - 1
    ):
        more, position = _one(text, after, after.start("number"), authority)
        made += more
    return made


def _one(text: str, found: Match[str], start: int, authority: str) -> tuple[list[Mention], int]:
    """One paragraph with its range, items, qualifier or "et seq."; and where reading goes on."""
    number, kind = found["number"], authority.lower()
    item = found["dot"] or found["item"]
    target = f"{authority} {number}" + (f" {item}" if item else "")
    end = found.end()
    if not item:
        last = _RANGE.match(text, found.end("number"))
        if last and (last_number := _complete(number, last["end"])):
            return [_mention(text, start, last.end(), kind, target, f"{authority} {last_number}")], last.end()
    open_end = _ET_SEQ.match(text, end)
    if open_end:
        return [_mention(text, start, open_end.end(), kind, target, reason="et seq.: the end is open")], open_end.end()
    if not item:
        return _qualified(text, start, end, kind, target)
    return _items(text, [_mention(text, start, end, kind, target)], end, kind, f"{authority} {number} ")


def _items(text: str, made: list[Mention], end: int, kind: str, name: str) -> tuple[list[Mention], int]:
    """Adds the items that a list goes on with, "1. and 2.", "2.1 and 2.2"; and where reading goes on."""
    while more := _NEXT_ITEM.match(text, end):
        item = more["item"].rstrip(".")
        end = more.start("item") + len(item)
        made.append(_mention(text, more.start("item"), end, kind, name + item))
    return made, end


def _complete(first: str, last: str) -> str | None:
    """The end of a range in full: ``P4022 – 23`` ends at P4023; ``None`` where it is no later number of the same kind."""
    letter = first[0] if first[0].isalpha() else ""
    digits, end = first[len(letter) :], last.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    if last[0].isalpha() and last[0] != letter:
        return None
    if len(end) < len(digits):
        end = digits[: len(digits) - len(end)] + end
    return f"{letter}{end}" if len(end) == len(digits) and int(end) > int(digits) else None


def _qualified(text: str, start: int, end: int, kind: str, target: str) -> tuple[list[Mention], int]:
    """``C2120 (Heading)``, ``DMG 77141 Note 1``: one known qualifier narrows; another one or more leave it unresolved."""
    names: list[str] = []
    position = end
    while (found := _QUALIFIER.match(text, position)) and len(names) < 4:
        names.append(found["name"] or found["note"])
        position = found.end()
    if not names:
        return [_mention(text, start, end, kind, target)], end
    known = [name for name in names if _KNOWN_QUALIFIERS.match(name)]
    if not known:
        return [_mention(text, start, end, kind, target)], end
    if len(names) > 1:
        reason = f"several qualifiers: {', '.join(names)}"
        return [_mention(text, start, position, kind, None, reason=f"{reason} on {target}")], position
    return [_mention(text, start, position, kind, target, reason=f"qualified: {names[0]}")], position


def _small(text: str, found: Match[str], here: Here) -> list[Mention]:
    """``paragraph 23``, ``paragraphs 56 - 65``, ``paragraph 11d``: of the memo, appendix or manual the text stands in."""
    number, kind = found["para"], (here.authority or "manual").lower()
    if _FOREIGN.match(text, found.end()) or _FOREIGN_BEFORE.search(text[max(0, found.start() - 40) : found.start()]):
        reason = "a paragraph of another instrument"
        return [_mention(text, found.start(), found.end(), "paragraph", None, status="unsupported", reason=reason)]
    if len(number) >= 4 and "." not in number:
        authority = "ADM" if number[0].isalpha() else "DMG"
        if here.authority and here.authority != authority:
            return [
                _mention(text, found.start(), found.end(), kind, None, reason=f"{number} is no paragraph of {here.authority}")
            ]
        return _list_of_long(text, found, authority)
    unit = here.unit or (here.root if "." in number or here.authority == "NPPF" else "")
    if not unit:
        return [_mention(text, found.start(), found.end(), kind, None, reason="a paragraph of a document that is not named")]
    kind = "memo" if unit.startswith("Memo") else kind
    name = f"{unit} " if "." in number else f"{unit} para "
    letter, plural = found["letter"] or "", found["word"].rstrip(".").endswith("s")
    return _list_of_small(text, found.start(), number, found.end(), kind, name, letter, plural=plural)


def _list_of_long(text: str, found: Match[str], authority: str) -> list[Mention]:
    number = found["para"]
    last = _RANGE.match(text, found.end("para"))
    if last and (end := _complete(number, last["end"])):
        return [_mention(text, found.start(), last.end(), authority.lower(), f"{authority} {number}", f"{authority} {end}")]
    made, position = (
        [_mention(text, found.start(), found.end("para"), authority.lower(), f"{authority} {number}")],
        found.end("para"),
    )
    while (after := _NEXT.match(text, position)) and len(after["number"]) == len(number):
        more, position = _one(text, after, after.start("number"), authority)
        made += more
    return made


def _list_of_small(
    text: str, start: int, number: str, position: int, kind: str, name: str, letter: str = "", *, plural: bool
) -> list[Mention]:
    """The list or range that *number*, which ends at *position*, begins; the first mention begins at *start*."""
    made: list[Mention] = []
    if letter and letter[0] != "(":
        letter = f"({letter})"
    while True:
        last = None if letter else _RANGE_SMALL.match(text, position)
        if last and _later(number, last["end"]):
            made.append(_mention(text, start, last.end(), kind, name + number, name + last["end"]))
            position = last.end()
        else:
            made.append(_mention(text, start, position, kind, name + number + letter))
        after = _NEXT_SMALL.match(text, position) if plural else None
        if after is None or after["number"].count(".") != number.count("."):
            return made
        start, number, letter, position = after.start("number"), after["number"], "", after.end()


def _later(first: str, last: str) -> bool:
    return first.count(".") == last.count(".") and [int(n) for n in last.lstrip("A").split(".")] > [
        int(n) for n in first.lstrip("A").split(".")
    ]


def _bare(text: str, found: Match[str], here: Here, scope: str) -> list[Mention]:
    """``P4006`` without a word before it: a paragraph of the ADM where the text is the ADM's, or the ADM was just named."""
    number = found["bare"]
    if "ADM" not in (here.authority, scope):
        reason = "a number with a letter, and no manual named before it"
        return [_mention(text, found.start(), found.end(), "manual", None, reason=reason)]
    item = found["bare_dot"] or found["bare_item"]
    if item:
        first = _mention(text, found.start(), found.end(), "adm", f"ADM {number} {item}")
        return _items(text, [first], found.end(), "adm", f"ADM {number} ")[0]
    last = _RANGE.match(text, found.end())
    if last and (end := _complete(number, last["end"])):
        return [_mention(text, found.start(), last.end(), "adm", f"ADM {number}", f"ADM {end}")]
    open_end = _ET_SEQ.match(text, found.end())
    if open_end:
        return [_mention(text, found.start(), open_end.end(), "adm", f"ADM {number}", reason="et seq.: the end is open")]
    made, _ = _qualified(text, found.start(), found.end(), "adm", f"ADM {number}")
    return made


def containers(node_id: str) -> Iterator[str]:
    """The node ids that contain a manual's node, the nearest first, as far as its own id tells.

    >>> list(containers("DMG 77117 1.2"))
    ['DMG 77117 1', 'DMG 77117', 'DMG Chapter 77']
    """
    while found := re.match(r"(.* para \d+|(?:DMG|ADM) [A-Z]?\d{4,6}) (\S+)$", node_id):
        item = found.group(2)
        node_id = f"{found.group(1)} {item.rsplit('.', 1)[0]}" if "." in item else found.group(1)
        yield node_id
    if " para " in node_id:
        node_id = node_id.rsplit(" para ", 1)[0]
        yield node_id
    number = re.match(r"DMG (\d{2})\d{3,4}$|ADM ([A-Z]\d)\d{3}$", node_id)
    if number:
        yield f"DMG Chapter {number.group(1)}" if number.group(1) else f"ADM Chapter {number.group(2)}"
