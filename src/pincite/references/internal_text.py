"""The shapes of references in the prose of a team's documents. Each reader looks for one shape, from an anchor word on.

Every reader is linear: it finds its anchors in one pass and looks at most ``_REACH`` characters around each.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pincite.references.internal_files import EXTENSIONS, Found, Home, file_at, file_before, files
from pincite.references.named import ALL, FIRST
from pincite.references.names import DOCUMENT_WORDS, NOT_FIRST, codes_in, fold, is_common, revision_in, revision_key, words

_REACH = 160


def read(text: str, home: Home, *, heading: bool = False, links: Sequence[tuple[int, int, str]] = ()) -> list[Found]:
    """The references of a text, in order; of two that overlap the more definite stays. *heading*: only codes and files.

    Lines are read as one: a name may go on in the next. Code in a fence and template directives are not read. *links* are those
    of the text, as (start, end, what it seeks): no references here, but documents that a number or heading may be of.
    """
    if not _ANY.search(text) or text.startswith(("```", "~~~")):
        return []
    one_line, runs = _in_one_line(_DIRECTIVE.sub(_blanked, text))
    if links:
        there = [(runs.new(start), runs.new(end - 1) + 1, sought) for start, end, sought in links]
        home = home._replace(
            links={start: (end, sought) for start, end, sought in there},
            links_to={end: (start, sought) for start, end, sought in there},
        )
    places = runs.old
    return [each._replace(start=places(each.start), end=places(each.end - 1) + 1) for each in _read(one_line, home, heading)]


_DIRECTIVE = re.compile(r"\{%[^%\n]{0,300}%\}|\{\{[^{}\n]{0,300}\}\}|<[^<>\n]{1,300}>")
_SPACES = re.compile(r"\s+")


def _blanked(match: re.Match[str]) -> str:
    return "\0" * len(match[0])


class _Runs(NamedTuple):
    """Where in one line the text goes on after each run of white space, and where that is in the text as it stands."""

    news: list[int]
    olds: list[int]

    def old(self, place: int) -> int:
        index = bisect_right(self.news, place) - 1
        return self.olds[index] + place - self.news[index]

    def new(self, place: int) -> int:
        index = bisect_right(self.olds, place) - 1
        return self.news[index] + place - self.olds[index]


def _in_one_line(text: str) -> tuple[str, _Runs]:
    """The text with every run of white space as one space, and the way from its characters to those of *text* and back."""
    runs = [match.span() for match in _SPACES.finditer(text) if match[0] != " "]
    pieces, new, old, at = list[str](), [0], [0], 0
    for start, end in runs:
        pieces += [text[at:start], " "]
        new.append(new[-1] + start - at + 1)
        old.append(end)
        at = end
    pieces.append(text[at:])
    return "".join(pieces), _Runs(new, old)


def _read(text: str, home: Home, heading: bool) -> list[Found]:
    found = [*files(text, home), *_codes(text, home)]
    if not heading:
        found = [
            *_numbers(text, home),
            *_quoted(text, home),
            *_wiki(text, home),
            *found,
            *_cued(text, home),
            *_titles(text, home),
        ]
    kept: list[Found] = []
    for each in found:  # in the order of the readers: the definite ones first
        at = bisect_right(kept, each)
        free = (at == 0 or kept[at - 1].end <= each.start) and (at == len(kept) or each.end <= kept[at].start)
        if free and not _is_own(each, home):
            kept.insert(at, each)
    return kept


def _is_own(found: Found, home: Home) -> bool:
    """Whether what is sought is the document itself."""
    return any(wish in home.own for group in found.sought.split(FIRST) for wish in group.split(ALL))


# --- documents: what may stand after "section 4.2 of" -------------------------------------------------------------------

_NOUN = (
    r"Polic(?:y|ies)|Procedures?|Plan|Standards?|Guidelines?|Guide|Handbook|Manual|Playbook|Runbook|Register|Charter|Protocol"
    r"|Checklist|Template|Agreement|Framework|Specification|Matrix|Instructions?|Strategy|SOP"
    r"|Code of (?:Conduct|Ethics|Practice)"
)
_NOUN_WORD = re.compile(rf"(?<![\w-])(?:{_NOUN})(?![\w-]|\s[a-z]*\s?:)")
_LOWER_NOUN = re.compile(rf"(?<![\w-])(?:{_NOUN})(?![\w-])", re.IGNORECASE)
_CAPITAL = r"[A-Z][\w&’'/-]{0,40}"
_JOINT = r"(?:and|of|for|the|to|in|on|&|with)"
_BEFORE = re.compile(rf"(?:{_CAPITAL}[ ](?:{_JOINT}[ ]){{0,2}}){{1,7}}$")
_TITLE_AHEAD = re.compile(
    rf"(?:the[ ]|our[ ]|its[ ])?(?P<title>(?:{_CAPITAL}[ ](?:{_JOINT}[ ]){{0,2}}){{1,7}}(?:{_NOUN}))(?![\w-])"
)
_MIXED = re.compile(
    rf"(?:the[ ]|our[ ]|its[ ])?(?P<title>(?:{_CAPITAL}[ ](?:{_JOINT}[ ]){{0,2}}){{1,4}}(?:[a-z][\w’'-]{{1,30}}[ ]){{0,2}}"
    rf"(?:{_NOUN.lower()}))(?![\w-])"
)
"""A title in the capitals of a sentence ("the Leave policy"), where a number says that a document is meant."""
_QUOTES = r"[\"“”‘«*_]{1,2}"
_QUOTED_AHEAD = re.compile(
    r"(?:the[ ]|our[ ])?(?:[\"“«](?P<quoted>[^\"“”«»\n]{2,120})[\"”»]"
    r"|(?P<mark>\*{1,2}|_{1,2})(?P<marked>[^*_\n]{2,120})(?P=mark))"
)
_SELF_AHEAD = re.compile(
    r"this[ ](?:document|policy|procedure|standard|plan|guide|handbook|manual|page|SOP|playbook|runbook|register)\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:(?:the|our|its|this)[ ])?(?:\*{1,2}|_{1,2})?", re.IGNORECASE)
_MARKS = ("`", "“", "”", '"', "«", "»")
_OTHER_AHEAD = re.compile(r"(?:[A-Z]|(?:the|our|your|their|his|her|its|an?|that|each|any)[ ])")
_OF = re.compile(r",?[ ](?:of|in|from|under|to)[ ]")


class _Named(NamedTuple):
    """A document named at some place of the text. A link to it is a reference of its own, which no other may overlap."""

    end: int
    sought: str
    by_link: bool = False


def _document_at(text: str, at: int, home: Home) -> _Named | None:
    """The document named from *at* on: a code, a file, a title, "this policy"; None where there is none."""
    if match := _SELF_AHEAD.match(text, at):
        return _Named(match.end(), f"here:{home.document_id}")
    if link := home.links.get(at) or home.links.get(_past(_ARTICLE, text, at)):
        return _Named(*link, by_link=True)
    ahead = text[at : at + _REACH]
    begin = 4 if ahead[:4].casefold() == "the " else 0
    for match, key in codes_in(ahead[: begin + 40]):
        if match.start() == begin:
            return _with_revision(text, at + match.end(), f"code:{key}")
    set_off = ahead[begin : begin + 1] in _MARKS
    if file := file_at(text, at + begin + set_off, home):
        return _Named(file[0] + (set_off and text[file[0] : file[0] + 1] in _MARKS), file[1])
    if match := _QUOTED_AHEAD.match(text, at):
        return _titled(match.end(), match["quoted"] or match["marked"])
    if match := _TITLE_AHEAD.match(text, at) or _LOWER.match(text, at) or _MIXED.match(text, at):
        return _titled(match.end(), match["title"])
    return None


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where what may stand at *at* ends; *at* where it does not."""
    match = pattern.match(text, at)
    return match.end() if match else at


def _titled(end: int, title: str) -> _Named | None:
    key = fold(title)
    return None if not key or is_common(key) else _Named(end, f"title:{key}")


def _with_revision(text: str, end: int, sought: str) -> _Named:
    if revision := revision_in(text, end):
        return _Named(revision.end(), f"{sought}@{revision_key(revision['rev'])}")
    return _Named(end, sought)


# --- numbers: "section 4.2 of SOP-12", "Annex B", "Table 3", "row 7" -----------------------------------------------------

_UNITS = {
    "section": r"[Ss]ections?|[Ss]ubsections?|SECTIONS?|[Ss]ec\.|§§?",
    "clause": r"[Cc]lauses?",
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
_UNIT = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _UNITS.items())
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


def _numbers(text: str, home: Home) -> Iterator[Found]:
    floor = 0
    for match in _NUMBERED.finditer(text):
        unit = next(name for name in _UNITS if match[name])
        number = match["number"]
        opens = unit in _CAPTIONED and not text[: match.start()].strip(" *_>#|`")
        if opens and text[match.end() : match.end() + 2].strip()[:1] in _AFTER_CAPTION:
            continue  # "Table 3: Targets" is the caption itself
        if (number.isalpha() and unit in ("section", "clause", "chapter", "row", "slide")) or (
            unit in ("row", "slide") and not number.isdigit()
        ):
            continue
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
    here = named.startswith("here:")
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
    return number.casefold() if unit in ("section", "clause") else f"{unit} {number.casefold()}"


def _whose(text: str, start: int, end: int, home: Home, floor: int) -> tuple[str | None, int, int]:
    """(what the number is of, where the mention begins, where it ends); None where it is of something else.

    A document named before *floor* belongs to the number before.
    """
    if of := _OF.match(text, end):
        if named := _document_at(text, of.end(), home):
            return named.sought, start, end if named.by_link else named.end
        if _LAW.match(text, of.end()) or (
            _OTHER_AHEAD.match(text, of.end()) and text[of.start() : of.end()].strip(" ,") == "of"
        ):
            return None, start, end
    if (before := _document_before(text, start, home)) and before[0] >= floor:
        return before[1], before[0], end
    if _LAW_BEFORE.search(text, max(0, start - 40), start):
        return None, start, end
    return f"here:{home.document_id}", start, end


_LAW_BEFORE = re.compile(
    r"(?:Act|Code|GDPR|ISO(?:/IEC)?[ ]?[\d:-]{0,12}|CFR|C\.F\.R\.|U\.S\.C\.|USC|RFC[ ]?\d{1,6}|NIST[ \w.-]{0,12}"
    r"|Directive|Regulation)[ ,]{1,2}$"
)
_BEFORE_NUMBER = re.compile(r"(?P<name>[^\s,;()]{2,60}|[\"“][^\"”\n]{2,80}[\"”])[`*_]{0,2},?[ ]{1,2}(?:in[ ])?$")


def _document_before(text: str, start: int, home: Home) -> tuple[int, str] | None:
    """The document named just before a number: "SOP-12, section 4.2", "escalation.md section 2"."""
    low = max(0, start - _REACH)
    ahead = text[low:start]
    match = re.search(r"[`*_]{0,2},?[ ]{1,2}$", ahead)
    if not match:
        return None
    stop = match.start()
    if link := home.links_to.get(low + stop):
        return start, link[1]
    word = ahead.rfind(" ", 0, stop) + 1
    for code, key in codes_in(ahead) if any(map(str.isdigit, ahead[word:stop])) else ():
        named = _with_revision(ahead, code.end(), f"code:{key}")
        if named.end == stop:
            return low + code.start(), named.sought
    if file := file_before(ahead, stop, home):
        return low + file[0], file[1]
    if title := _title_ending(ahead, stop):
        return low + title.start, title.sought
    return _mixed_ending(ahead, stop, low)


def _mixed_ending(ahead: str, stop: int, low: int) -> tuple[int, str] | None:
    """A title in the capitals of a sentence that ends there ("Leave policy, section 3"), with and without what stands before
    "of the"."""
    for match in _MIXED.finditer(ahead, max(0, stop - 60), stop):
        if match.end() != stop:
            continue
        title = _without_first(match["title"])
        keys = [fold(title), *(fold(rest) for _, _, rest in [title.rpartition(" of the ")] if rest != title)]
        wanted = [f"title:{key}" for key in dict.fromkeys(keys) if key and not is_common(key)]
        shortest = title.rpartition(" of the ")[2]
        return (low + stop - len(shortest), FIRST.join(wanted)) if wanted else None
    return None


def _without_first(title: str) -> str:
    words = title.split(" ")
    while len(words) > 1 and words[0] in NOT_FIRST:
        words.pop(0)
    return " ".join(words)


# --- codes ----------------------------------------------------------------------------------------------------------------

_ENTRY = re.compile(
    r"\b(?:risks?|items?|requirements?|controls?|rows?|records?|entry|entries|actions?|findings?|see|assets?|no\.?)"
    r"[ ]$",
    re.I,
)


def _codes(text: str, home: Home) -> Iterator[Found]:
    last = -1
    for match, key in codes_in(text):
        listed = last >= 0 and text[last : match.start()] in (", ", " and ", ", and ", " or ")
        if len(match["prefix"]) < 2 and not (listed or _ENTRY.search(text, max(0, match.start() - 16), match.start())):
            continue
        last = match.end()
        named = _with_revision(text, match.end(), f"code:{key}")
        if named.sought.partition("@")[0] not in home.own:
            yield Found(match.start(), named.end, "code", named.sought)


# --- titles ---------------------------------------------------------------------------------------------------------------

_POINTS = (
    r"see(?:[ ]also)?|refer(?:s|red|ring)?[ ](?:back[ ])?to|cf\.|described[ ](?:in|by|under)|defined[ ](?:in|by)"
    r"|set[ ]out[ ](?:in|by)|outlined[ ]in|specified[ ](?:in|by)|detailed[ ]in|documented[ ]in|listed[ ]in"
    r"|laid[ ](?:down|out)[ ]in|explained[ ]in|covered[ ](?:in|by)|stated[ ]in|given[ ]in|found[ ]in"
)
_BINDS = (
    r"in[ ](?:accordance|line|compliance)[ ]with|according[ ]to|pursuant[ ]to|consult|follow(?:s|ing|ed)?|governed[ ]by"
    r"|required[ ]by|compl(?:y|ies)[ ]with|subject[ ]to|under|per"
)
_CUE_AT = re.compile(rf"(?<![\w-])(?i:(?P<points>{_POINTS})|{_BINDS})[ ]{{1,2}}(?=\S)")
_LOWER = re.compile(rf"(?:the[ ]|our[ ]|its[ ])(?P<title>(?:[a-z][\w’'-]{{1,30}}[ ]){{1,6}}?(?:{_NOUN.lower()}))(?![\w-])")
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


_BEGINS_ANEW = words("See Refer Consult Per")
"""Verbs that no title has inside it: a line before them ended without a mark."""


def _ends_before(words: list[str], at: int) -> bool:
    """Whether a title can only begin after this word: a verb, a code, the article in "SOP-12 and the Leave Policy"."""
    joined = words[at] in ("the", "our", "its", "your") and at > 0 and words[at - 1] in ("and", "or", "&")
    return joined or words[at] in _BEGINS_ANEW or (any(map(str.isdigit, words[at])) and any(codes_in(words[at])))


def _titles(text: str, home: Home) -> Iterator[Found]:
    """Capitalised titles that end in a word for a document: "the Incident Response Policy"."""
    for noun in _NOUN_WORD.finditer(text):
        if title := _title_ending(text, noun.end()):
            yield title


def _title_ending(text: str, end: int) -> Found | None:
    """The capitalised title that ends at *end* with a word for a document."""
    low = max(0, end - _REACH)
    noun = next((m for m in _NOUN_WORD.finditer(text, max(low, end - 20), end) if m.end() == end), None)
    before = _BEFORE.search(text, low, noun.start()) if noun else None
    if noun is None or before is None or text[max(0, before.start() - 2) : before.start()] == ") ":
        return None  # "Information Technology (IT) Security Policy": the name begins earlier
    start, words = before.start(), text[before.start() : noun.start()].split(" ")[:-1]
    last = max((position for position in range(len(words)) if _ends_before(words, position)), default=-1)
    start += sum(len(word) + 1 for word in words[: last + 1])
    words = words[last + 1 :]
    while words and (words[0] in NOT_FIRST or not words[0][:1].isupper() or words[0].casefold() in DOCUMENT_WORDS):
        start += len(words.pop(0)) + 1
    for position in range(len(words) - 1, -1, -1):  # "the Leave Policy and Travel Policy": two titles
        if (
            words[position].casefold() in DOCUMENT_WORDS
            and words[position + 1 : position + 2]
            and words[position + 1] in ("and", "or", "&")
        ):
            start += sum(len(word) + 1 for word in words[: position + 2])
            words = words[position + 2 :]
            break
    if text[max(0, start - 5) : start].casefold() == "this ":
        return None  # "This Access Control Policy" is the one it stands in
    key = fold(text[start:end])
    return Found(start, end, "name", f"title:{key}") if words and not is_common(key) else None


def _quoted(text: str, home: Home) -> Iterator[Found]:
    """Names in quotation marks or set off, after a word that refers or before one that says what they are.

    One word alone is a heading at most ("see “Vision”"); what is named as a field, a button or a menu is none.
    """
    for match in _QUOTED_AHEAD.finditer(text):
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
    of = _OF.match(text, part.end() if part else match.end())
    named = _document_at(text, of.end(), home) if of else None
    if named and (part["unit"] if part else named.by_link and not named.sought.startswith("url:")):
        return Found(start, end if named.by_link else named.end, "heading", placed(named.sought, f"heading {key}"))
    ahead = _PART_BEFORE.search(text, max(0, match.start() - 24), match.start())
    before = _document_before(text, ahead.start(), home) if ahead else None
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
_KIND_AFTER = re.compile(rf"[ ](?:document|page|{_NOUN})\b", re.IGNORECASE)
_UI = re.compile(
    r"[ ](?:>|field|button|tab|menu|option|column|link|icon|label|tile|check ?box|dialog|screen|drop ?down|channel|email|view)",
    re.IGNORECASE,
)


def _ends_in_cue(text: str, at: int, key_word: str) -> bool:
    """Whether a word that refers stands before *at*; "under" and "follow" count where the name says it is a document."""
    cues = _CUE_AT.finditer(text, max(0, at - 40), at + 1) if at else ()
    return any(cue.end() == at and (cue["points"] or _LOWER_NOUN.search(key_word)) for cue in cues)


def _wiki(text: str, home: Home) -> Iterator[Found]:
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


def _cued(text: str, home: Home) -> Iterator[Found]:
    """After a word that refers: "see the leave policy", "see Response targets below"."""
    for cue in _CUE_AT.finditer(text):
        if match := _LOWER.match(text, cue.end()):
            key = fold(match["title"])
            below = _BELOW.match(text, match.end())
            if below or not (is_common(key) or _NOT_IN_NAME & set(key.split())):
                sought = f"here:{home.document_id} § heading {key}" if below else f"title:{key}"
                yield Found(match.start("title"), match.end("title"), "heading" if below else "title", sought)
            continue
        if match := _TITLE_AHEAD.match(text, cue.end()):
            if title := _title_ending(text, match.end()):
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


_ANY = re.compile(
    rf"\b(?:{_POINTS}|{_BINDS})[ ]|\b(?:{_NOUN})\b|\[\[|[A-Z][-–_ ]?\d|\.(?:{EXTENSIONS})\b|[§\"“«]"
    rf"|(?:{'|'.join(_UNITS.values())})[  ]",
    re.IGNORECASE,
)
