"""Defined terms: ``<I>Agency</I> means …`` opens a citable place of its own where no designator does."""

from __future__ import annotations

import re

from pincite.parse.designators import italics_of
from pincite.parse.scan import Inline, Text

_VERB = re.compile(
    r"[\s,]*(?:\([^()]{1,60}\)[\s,]*)?"
    r"(?:(?:,?\s*(?:or|and)\s+)?(?:as used|when used|for (?:the )?purposes? of)[^,:;.]{0,80},?\s*)?"
    r"(?:shall\s+|also\s+|does\s+not\s+|do\s+not\s+)?"
    r"(?:means?|includes?|refers?\s+to|has\s+the|have\s+the|is\s|are\s|consists?\s+of|describes?|designates?|:|—)"
)
_PLAIN = re.compile(
    r"(?:The (?:term|word|phrase)s?\s+[“\"]?([A-Za-z][^.;:()“”\"]{0,70}?)|[“\"]?([A-Z][^.;:()“”\"]{0,70}?))[”\"]?"
    r"(?:,?\s+(?:or|and)\s+[“\"][^“”\"]{1,60}[”\"]){0,3},?\s+(?:means|includes|refers to|has the meaning|have the meaning)\b"
)
"""A term without italics: “Act” means …, “Board” or “the Board” means …, The term “chief” means …"""
_JOINED = re.compile(r"\s*(?:,|\bor\b|\band\b|/|\(|\))*\s*(?:or|and)?\s*")
INTRODUCES = re.compile(
    r"\b(?:definitions?|as used in|(?:following|these|certain) (?:terms?|words?|phrases?)|terms? used|"
    r"for (?:the )?purposes? of)\b"
    r"|^(?:\(\w{1,5}\)\s*)*in this (?:section|part|subpart|subchapter|chapter|appendix)\s*[:—–]\s*$",
    re.IGNORECASE,
)
"""A lead-in that announces definitions."""
_ANNOUNCES = re.compile(
    r"definition|meaning of|glossary|terminology|^terms\.?$|\bterms (?:used|defined)\b|\b(?:key|explanation of) terms\b",
    re.IGNORECASE,
)
"""A heading of definitions."""
_HEADED = re.compile(r"(?:\(\w{1,5}\)\s*)+(?:Definitions?|Terms defined)\b", re.IGNORECASE)
_NO_TERMS = frozenset({"note", "notes", "example", "examples", "exception", "exceptions", "caution", "warning"})
"""Words in italics that introduce a remark, not a definition."""


def announces(heading: str) -> bool:
    """Whether a heading is that of definitions."""
    return _ANNOUNCES.search(heading) is not None


def introduces(printed: str, opens: bool) -> bool:
    """Whether a paragraph announces definitions: by its heading, or by a lead-in that *opens* something."""
    return (opens and INTRODUCES.search(printed) is not None) or heads(printed)


def heads(printed: str) -> bool:
    """Whether a paragraph is headed as definitions: "(a) Definitions." """
    return printed[0] == "(" and _HEADED.match(printed) is not None


def defined_term(paragraph: Text, headed: bool) -> str:
    """The term a paragraph without designator defines, "" where it defines none.

    In italics, or, where the source has no italics, a capitalised phrase before "means" or "includes". Under a heading that
    says "Definitions" (*headed*) whatever stands first in italics is a term; elsewhere a defining verb must follow it.
    """
    text, italics = paragraph.text, italics_of(paragraph)
    if italics and italics[0].start <= 1:
        first = italics[0]
        word = next(iter(text[: first.end].split()), "").strip(".:—").lower()  # italics may hold nothing but blanks
        if headed and word in _NO_TERMS and not _VERB.match(text, first.end):
            return ""
        if headed or _VERB.match(text, first.end) or _joined_terms(text, italics):
            return _clean(text[first.start : first.end])
        return ""
    match = _PLAIN.match(text)
    term = match.group(1) or match.group(2) if match else ""
    return _clean(term) if not INTRODUCES.search(term) else ""


def _joined_terms(text: str, italics: list[Inline]) -> bool:
    """``<I>Regulation</I> and <I>rule</I> have …``: several terms before the verb."""
    end = italics[0].end
    for inline in italics[1:4]:
        gap = _JOINED.match(text, end)
        if not gap or gap.end() != inline.start:
            return False
        end = inline.end
        if _VERB.match(text, end):
            return True
    return False


def _clean(term: str) -> str:
    term = " ".join(term.strip(" \n,.:;—–-“”\"'").split())
    first, _, second = term.partition(". ")
    if first.casefold() == second.casefold():  # "Day. Day means …"
        return second
    return term if term.count("(") == term.count(")") else term.strip("() ")
