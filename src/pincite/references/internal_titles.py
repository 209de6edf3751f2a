"""References by name: codes, titles, names in quotation marks, headings, and ``[[Page names]]``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pincite.references.internal_documents import (
    LOWER,
    LOWER_NOUN,
    NOUN,
    NOUN_WORD,
    OF,
    QUOTED_AHEAD,
    TITLE_AHEAD,
    document_at,
    document_before,
    name_at,
    name_before,
    title_ending,
    with_revision,
)
from pincite.references.internal_files import EXTENSIONS, Found, Home
from pincite.references.internal_numbers import placed
from pincite.references.names import NOT_FIRST, codes_in, fold, is_common, words

# --- codes ----------------------------------------------------------------------------------------------------------------

_ENTRY = re.compile(
    r"\b(?:risks?|items?|requirements?|controls?|rows?|records?|entry|entries|actions?|findings?|see|assets?|no\.?)"
    r"[ ]$",
    re.I,
)


def codes(text: str, home: Home) -> Iterator[Found]:
    """Codes of documents and records: SOP-012 rev 3, risk R-12."""
    last = -1
    for match, key in codes_in(text):
        listed = last >= 0 and text[last : match.start()] in (", ", " and ", ", and ", " or ")
        if len(match["prefix"]) < 2 and not (listed or _ENTRY.search(text, max(0, match.start() - 16), match.start())):
            continue
        last = match.end()
        named = with_revision(text, match.end(), f"code:{key}")
        if named.sought.partition("@")[0] not in home.own:
            yield Found(match.start(), named.end, "code", named.sought)


# --- titles ---------------------------------------------------------------------------------------------------------------

POINTS = (
    r"see(?:[ ]also)?|refer(?:s|red|ring)?[ ](?:back[ ])?to|cf\.|described[ ](?:in|by|under)|defined[ ](?:in|by)"
    r"|set[ ]out[ ](?:in|by)|outlined[ ]in|specified[ ](?:in|by)|detailed[ ]in|documented[ ]in|listed[ ]in"
    r"|laid[ ](?:down|out)[ ]in|explained[ ]in|covered[ ](?:in|by)|stated[ ]in|given[ ]in|found[ ]in"
)
BINDS = (
    r"in[ ](?:accordance|line|compliance)[ ]with|according[ ]to|pursuant[ ]to|consult|follow(?:s|ing|ed)?|governed[ ]by"
    r"|required[ ]by|compl(?:y|ies)[ ]with|subject[ ]to|under|per"
)
_CUE_AT = re.compile(rf"(?<![\w-])(?i:(?P<points>{POINTS})|{BINDS})[ ]{{1,2}}(?=\S)")
_NOT_IN_NAME = words(
    """that which who is are was were has have must shall will may can should this these those it we you they not as when where
    if because"""
)
_BELOW = re.compile(r"[ ](?:\(?(?:below|above)\)?|section\b|heading\b)", re.IGNORECASE)
_RUN = re.compile(r"(?:the[ ]|our[ ])?(?P<run>[A-Z][\w&’'/-]{0,40}(?:[ ](?:[\w&’'/-]{1,40}|–)){0,8})")
_ENDS_NAME = words(
    """for in on and or if when to where which that with before after as by at from below above section first too instead again
    about who is are"""
)


def titles(text: str, home: Home) -> Iterator[Found]:
    """Capitalised titles that end in a word for a document: "the Incident Response Policy"."""
    for noun in NOUN_WORD.finditer(text):
        if title := title_ending(text, noun.end()):
            yield title


def quoted(text: str, home: Home) -> Iterator[Found]:
    """Names in quotation marks or set off, after a word that refers or before one that says what they are.

    One word alone is a heading at most ("see “Vision”"); what is named as a field, a button or a menu is none.
    """
    for match in QUOTED_AHEAD.finditer(text):
        name = match["quoted"] or match["marked"]
        key = fold(name)
        if key and len(key.split()) <= 12 and not _UI.match(text, match.end()) and not _IS_FILE.search(name):
            at = match.start("quoted" if match["quoted"] else "marked")
            found = _heading_of(text, match, at, at + len(name), key, home) or _name_quoted(text, match, at, name, key, home)
            if found:
                yield found


def _heading_of(text: str, match: re.Match[str], start: int, end: int, key: str, home: Home) -> Found | None:
    """A heading of a document that is named beside it, or of this one where a word says that it is a heading."""
    part = _PART_AFTER.match(text, match.end())
    ahead = _PART_BEFORE.search(text, max(0, match.start() - 24), match.start())
    says = bool(part and part["unit"]) or bool(ahead and ahead["unit"])
    of = OF.match(text, part.end() if part else match.end())
    named = (document_at(text, of.end(), home) or (name_at(text, of.end()) if says else None)) if of else None
    pointed = named and not named.sought.startswith("url:") and (named.by_link or _ends_in_cue(text, match.start(), key))
    if named and (says or (pointed and not part)):
        return Found(start, end if named.by_link else named.end, "heading", placed(named.sought, f"heading {key}"))
    before = (document_before(text, ahead.start(), home) or name_before(text, ahead.start(), home)) if ahead else None
    if before and not before[1].startswith("url:"):
        return Found(before[0], end, "heading", placed(before[1], f"heading {key}"))
    if part or (ahead and ahead["unit"]):
        return Found(start, end, "heading", f"here:{home.document_id} § heading {key}")
    return None


def _name_quoted(text: str, match: re.Match[str], at: int, name: str, key: str, home: Home) -> Found | None:
    """A title before a word that says it is a document's; a name after a word that refers."""
    if is_common(key):
        return None
    if _KIND_AFTER.match(text, match.end()) and not match["mark"]:
        return Found(at, at + len(name), "title", f"title:{key}")
    if _ends_in_cue(text, match.start(), name):
        here = f"here:{home.document_id} § heading {key}"
        return Found(at, at + len(name), "title", f"{here} + title:{key}" if " " in key else here)
    return None


_PART_AFTER = re.compile(
    r"[ ]\(?(?:below|above)\b|[ ](?P<unit>sections?|headings?|chapters?|part|paragraph|(?:work)?sheet|slide)\b", re.IGNORECASE
)
_IS_FILE = re.compile(rf"\.(?:{EXTENSIONS})$", re.IGNORECASE)
_PART_BEFORE = re.compile(r"(?<![\w-])(?:(?P<unit>section|heading|chapter)|under|part|sheet|slide)[ ]$", re.IGNORECASE)
"""What may stand between a document and a heading of it: SOP-12, heading “Late fees”."""
_KIND_AFTER = re.compile(rf"[ ](?:document|page|{NOUN})\b", re.IGNORECASE)
_UI = re.compile(
    r"[ ](?:>|field|button|tab|menu|option|column|link|icon|label|tile|check ?box|dialog|screen|drop ?down|channel|email|view)",
    re.IGNORECASE,
)


def _ends_in_cue(text: str, at: int, key_word: str) -> bool:
    """Whether a word that refers stands before *at*; "under" and "follow" count where the name says it is a document."""
    cues = _CUE_AT.finditer(text, max(0, at - 40), at + 1) if at else ()
    return any(cue.end() == at and (cue["points"] or LOWER_NOUN.search(key_word)) for cue in cues)


def wiki(text: str, home: Home) -> Iterator[Found]:
    """``[[Page name]]`` and ``[[Page name#Heading|shown]]``."""
    for match in _WIKI.finditer(text):
        key, heading = fold(match["page"] or ""), fold(match["heading"] or "")
        place = f" § heading {heading}" if heading else ""
        if key:
            yield Found(
                match.start(),
                match.end(),
                "title",
                f"title:{key}{place} | file:{(match['page'] or '').strip().casefold()}.md{place}",
            )
        elif heading:
            yield Found(match.start(), match.end(), "heading", f"here:{home.document_id}{place}")


_WIKI = re.compile(r"\[\[(?P<page>[^\[\]|#\n]{0,120})(?:#(?P<heading>[^\[\]|\n]{1,120}))?(?:\|[^\[\]\n]{0,120})?\]\]")


def cued(text: str, home: Home) -> Iterator[Found]:
    """After a word that refers: "see the leave policy", "see Response targets below"."""
    for cue in _CUE_AT.finditer(text):
        if match := LOWER.match(text, cue.end()):
            key = fold(match["title"])
            below = _BELOW.match(text, match.end())
            if below or not (is_common(key) or _NOT_IN_NAME & set(key.split())):
                sought = f"here:{home.document_id} § heading {key}" if below else f"title:{key}"
                yield Found(match.start("title"), match.end("title"), "heading" if below else "title", sought)
            continue
        if match := TITLE_AHEAD.match(text, cue.end()):
            if title := title_ending(text, match.end()):
                yield title._replace(kind="title")
            continue
        run = _RUN.match(text, cue.end())
        if run and cue["points"]:
            yield from _capitalised(text, run, home)


def _capitalised(text: str, run: re.Match[str], home: Home) -> Iterator[Found]:
    """A capitalised run of words after "see": a heading of the same document where "below" or "section" says so."""
    words = run["run"].split(" ")
    if words[0] in NOT_FIRST:
        return
    stop = next((at for at, word in enumerate(words) if word.casefold() in _ENDS_NAME and at), len(words))
    name = " ".join(words[:stop])
    start = run.start("run")
    end = start + len(name)
    key = fold(name)
    here = f"here:{home.document_id} § heading {key}"
    if _BELOW.match(text, end):
        yield Found(start, end, "heading", here)
    elif len(words[:stop]) > 1 and not is_common(key) and _is_set_apart(text, end):
        yield Found(start, end, "title", f"{here} + title:{key}")


def _is_set_apart(text: str, end: int) -> bool:
    """Whether a name plainly ends there: at a mark or at the end, or at a word that no name goes on with."""
    return (
        not text[end : end + 1].strip()
        or text[end] in ".,;:)]"
        or text[end : end + 5].startswith((" for ", " and ", " in ", " if "))
    )
