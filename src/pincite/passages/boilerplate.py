"""Which passages of a document made by a composer are boilerplate: kept, marked not applicable, and not indexed.

The heading alone decides nothing: a "Scope" that says who is bound is a rule. A passage is boilerplate where its words are of
one of these kinds, and none of them says what must, may or must not be done:

- a notice of confidentiality or copyright, or the disclaimer below an e-mail;
- fields for names, signatures and dates;
- a table of contents: links into the document itself;
- below a heading such as "Source": where the text was taken from;
- below a heading such as "Revision history": versions with dates;
- below a heading such as "Scope" or "Purpose": one sentence that says what the document is about.
"""

from __future__ import annotations

import re

from pincite.references.names import words

MOST_WORDS = 120
"""Longer passages are never boilerplate, but for a history or a table of contents."""
MOST_CHARACTERS = 4000

_RULE = re.compile(
    r"\b(?:must|shall|may|should|required?|requires|need(?:s|ed)? to|never|always|only|except|unless|prohibited|forbidden"
    r"|allowed|permitted|responsible|mandatory|not|no|cannot|within|at least|at most|before|after|until)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d")
_NOTICES = (  # each is the whole passage
    r"(?:strictly |company |highly )?"
    r"(?:confidential|(?:for )?internal use only|proprietary|privileged|public|classification: \w+)"
    r"(?: and (?:confidential|proprietary|privileged))?\W*(?:[-–—|.:]\W*(?!.*\b(?:must|shall|information)\b)[^.\n]{0,60})?",
    r"(?:©|\(c\)|copyright)\s.{0,160}",
    r"all rights reserved\b.{0,100}",
    r"(?:do not (?:copy|distribute|forward)\W*){1,2}",
    r"(?:this|the information in this) (?:e-?mail|message|communication|transmission)\b.{0,120}"
    r"\b(?:confidential|intended|privileged)\b.*",
)
_NOTICE = re.compile(rf"\W{{0,9}}(?:{'|'.join(_NOTICES)})$", re.IGNORECASE | re.DOTALL)
_FIELD_WORDS = words(
    "signature signatures signed name title position date approved prepared reviewed by author owner approver witness role"
)
_GREETING = re.compile(
    r"\W{0,9}(?:--\s|(?:best |kind |warm )?regards|sincerely|best wishes|yours (?:truly|sincerely)|sent from my)\b.{0,300}$",
    re.IGNORECASE | re.DOTALL,
)
_ABOUT = re.compile(
    r"(?:the (?:purpose|aim|scope|objective) of )?(?:this|the) "
    r"(?:document|page|policy|procedure|section|guide|standard|plan|handbook|manual)(?: is to| aims to)? "
    r"(?:describe|explain|outline|define|set out|provide|document|detail|summari[sz]e|present)s?"
    r"\b[^.;:\n]{0,200}\.?\s*$",
    re.IGNORECASE,
)
_CONTENTS = frozenset({"contents", "table of contents", "toc", "in this document", "on this page", "navigation", "quick links"})
_SOURCES = frozenset({"source", "sources", "provenance", "original", "original document", "document source", "metadata"})
_HISTORIES = frozenset({"document control", "document information", "changelog", "revisions"}) | {
    f"{what} {word}" for what in ("revision", "document", "version", "change", "amendment") for word in ("history", "log")
}
_INTRODUCTIONS = frozenset(
    {"scope", "purpose", "purpose and scope", "introduction", "overview", "about this document", "objective", "about"}
)
_LINK = re.compile(r"\[[^\[\]\n]{0,200}\]\((?P<target>[^()\s]{0,500})\)|https?://\S{1,500}")
_ORIGIN = re.compile(r"\W*(?:[\w /.-]{1,30}:\s*\S.*|\S*[/\\]\S+|[0-9a-f]{32,64}|[\w.-]+\.\w{2,5})\W*$", re.IGNORECASE)
_DATED = re.compile(r"\b(?:19|20)\d\d\b|\bv?\d+\.\d+\b|\brev", re.IGNORECASE)


def reason_of(heading: str, evidence: str, shown: str) -> str:
    """Why a passage is not applicable; "" where it is.

    *heading* is the innermost one, "" before the first; *evidence* and *shown* are the words without it.
    """
    name = " ".join(re.findall(r"[^\W\d_]+", heading.casefold()))
    length = shown.count(" ") + shown.count("\n") + 1
    if len(shown) > MOST_CHARACTERS:
        return ""
    if _is_contents(evidence, name):
        return "not applicable: a table of contents"
    if name in _HISTORIES and _most_lines(shown, _DATED):
        return "not applicable: the document's history"
    if length > MOST_WORDS:
        return ""
    if _is_notice(shown.strip()):
        return "not applicable: a notice of confidentiality or copyright"
    if _is_fields(shown) or (_GREETING.match(shown.strip()) and length <= 40):
        return "not applicable: fields for names and signatures"
    if _RULE.search(shown):
        return ""
    if name in _SOURCES and all(_ORIGIN.match(line) for line in evidence.splitlines() if line.strip()):
        return "not applicable: where the text was taken from"
    if name in _INTRODUCTIONS and not _NUMBER.search(shown) and _ABOUT.match(shown.strip()):
        return "not applicable: what the document is about"
    return ""


def _is_contents(evidence: str, name: str) -> bool:
    """Links into the document itself and hardly a word beside them, before the first heading or below one such as "Contents".

    Below any other heading such a list may be the answer: "Stages: 1. Enquiry, 2. Contract".
    """
    links = list(_LINK.finditer(evidence))
    rest = _LINK.sub("", evidence)
    letters = sum(map(str.isalnum, rest))
    inside = len(links) >= 3 and all((link["target"] or "").startswith("#") for link in links)
    if name not in _CONTENTS:
        return not name and inside and letters * 4 <= len(evidence) - len(rest)
    return not _RULE.search(rest) and all(len(line.split()) <= 12 for line in rest.splitlines())


def _is_notice(shown: str) -> bool:
    """A notice as a whole, or one sentence after the other."""
    sentences = [sentence for sentence in re.split(r"[.\n]\s+", shown) if sentence.strip()]
    return bool(sentences) and (bool(_NOTICE.match(shown)) or all(_NOTICE.match(sentence) for sentence in sentences))


def _is_fields(shown: str) -> bool:
    """Names of fields and room to fill them in, nothing else."""
    named = re.findall(r"[^\W_]+", shown.casefold())
    room = shown.count("___") + shown.count("....") + shown.count(":")
    return len(named) >= 2 and room >= 2 and all(word in _FIELD_WORDS for word in named)


def _most_lines(text: str, pattern: re.Pattern[str]) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(bool(pattern.search(line)) for line in lines) * 2 >= len(lines)
