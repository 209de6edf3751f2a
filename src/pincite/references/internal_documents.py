"""Documents that prose names, at some place of it or just before one: a code, a file, a link, a title, "this policy"."""

from __future__ import annotations

import re
from typing import NamedTuple

from pincite.references.internal_files import Found, Home, file_at, file_before
from pincite.references.named import FIRST
from pincite.references.names import DOCUMENT_WORDS, NOT_FIRST, codes_in, fold, is_common, revision_in, revision_key, words

REACH = 160
"""How many characters around an anchor are looked at."""

NOUN = (
    r"Polic(?:y|ies)|Procedures?|Plan|Standards?|Guidelines?|Guide|Handbook|Manual|Playbook|Runbook|Register|Charter|Protocol"
    r"|Checklist|Template|Agreement|Framework|Specification|Matrix|Instructions?|Strategy|SOP"
    r"|Code of (?:Conduct|Ethics|Practice)"
)
NOUN_WORD = re.compile(rf"(?<![\w-])(?:{NOUN})(?![\w-]|\s[a-z]*\s?:)")
LOWER_NOUN = re.compile(rf"(?<![\w-])(?:{NOUN})(?![\w-])", re.IGNORECASE)
_CAPITAL = r"[A-Z][\w&’'/-]{0,40}"
_JOINT = r"(?:and|of|for|the|to|in|on|&|with)"
_BEFORE = re.compile(rf"(?:{_CAPITAL}[ ](?:{_JOINT}[ ]){{0,2}}){{1,7}}$")
TITLE_AHEAD = re.compile(
    rf"(?:the[ ]|our[ ]|its[ ])?(?P<title>(?:{_CAPITAL}[ ](?:{_JOINT}[ ]){{0,2}}){{1,7}}(?:{NOUN}))(?![\w-])"
)
_MIXED = re.compile(
    rf"(?:the[ ]|our[ ]|its[ ])?(?P<title>(?:{_CAPITAL}[ ](?:{_JOINT}[ ]){{0,2}}){{1,4}}(?:[a-z][\w’'-]{{1,30}}[ ]){{0,2}}"
    rf"(?:{NOUN.lower()}))(?![\w-])"
)
"""A title in the capitals of a sentence ("the Leave policy"), where a number says that a document is meant."""
QUOTED_AHEAD = re.compile(
    r"(?:the[ ]|our[ ])?(?:[\"“«](?P<quoted>[^\"“”«»\n]{2,120})[\"”»]"
    r"|(?P<mark>\*{1,2}|_{1,2})(?P<marked>[^*_\n]{2,120})(?P=mark))"
)
_NO_UNIT = (
    r"(?!(?:Part|Annex|Appendix|Schedule|Chapter|Section|Table|Title|Subpart|Volume|Attachment|Article|Clause|Rule|Step|Item"
    r"|Figure|Form|Exhibit|Paragraph)[ ])"
)
_NAME = rf"(?P<title>{_NO_UNIT}{_CAPITAL}(?:[ ](?:{_JOINT}[ ]){{0,2}}{_CAPITAL}){{1,6}})(?![\w-])"
"""Two capitalised words or more, none of them the unit that a number counts."""
_NAME_AHEAD = re.compile(rf"(?:the[ ]|our[ ]|its[ ])?{_NAME}")
_NAME_ENDING = re.compile(rf"(?<![\w.-]){_NAME},?[ ]$")
_SAYS_DOCUMENT = re.compile(r"(?:Rules|Regulations|Terms|By-?laws|Guidance|Circular|Scheme|Rulebook|Contract|Bulletin)$")
"""Words that end the name of a document where a number follows; in prose they are too common."""
_SELF_AHEAD = re.compile(
    r"this[ ](?:document|policy|procedure|standard|plan|guide|handbook|manual|page|SOP|playbook|runbook|register)\b",
    re.IGNORECASE,
)
LOWER = re.compile(rf"(?:the[ ]|our[ ]|its[ ])(?P<title>(?:[a-z][\w’'-]{{1,30}}[ ]){{1,6}}?(?:{NOUN.lower()}))(?![\w-])")
_ARTICLE = re.compile(r"(?:(?:the|our|its|this)[ ])?(?:\*{1,2}|_{1,2})?", re.IGNORECASE)
_MARKS = ("`", "“", "”", '"', "«", "»")
OF = re.compile(r",?[ ](?:of|in|from|under|to)[ ]")


class _Named(NamedTuple):
    """A document named at some place of the text. A link to it is a reference of its own, which no other may overlap."""

    end: int
    sought: str
    by_link: bool = False


def document_at(text: str, at: int, home: Home) -> _Named | None:
    """The document named from *at* on: a code, a file, a title, "this policy"; None where there is none."""
    if match := _SELF_AHEAD.match(text, at):
        return _Named(match.end(), f"here:{home.document_id}")
    if link := home.links.get(at) or home.links.get(_past(_ARTICLE, text, at)):
        return _Named(*link, by_link=True)
    ahead = text[at : at + REACH]
    begin = 4 if ahead[:4].casefold() == "the " else 0
    for match, key in codes_in(ahead[: begin + 40]):
        if match.start() == begin:
            return with_revision(text, at + match.end(), f"code:{key}")
    set_off = ahead[begin : begin + 1] in _MARKS
    if file := file_at(text, at + begin + set_off, home):
        return _Named(file[0] + (set_off and text[file[0] : file[0] + 1] in _MARKS), file[1])
    if match := QUOTED_AHEAD.match(text, at):
        return _titled(match.end(), match["quoted"] or match["marked"])
    if match := TITLE_AHEAD.match(text, at) or LOWER.match(text, at) or _MIXED.match(text, at):
        return _titled(match.end(), match["title"])
    return None


def name_at(text: str, at: int) -> _Named | None:
    """Capitalised words from *at* on, after "section 3 of": the document of that title."""
    match = _NAME_AHEAD.match(text, at)
    if match is None or is_common(fold(match["title"])):
        return None
    return _Named(match.end(), _any_title(match["title"], match["title"].partition(" and ")[0]))


def _any_title(*titles: str) -> str:
    """The first of these titles that is held; one word alone is none."""
    return FIRST.join(f"title:{fold(each)}" for each in dict.fromkeys(titles) if " " in each)


def name_before(text: str, start: int, home: Home) -> tuple[int, str] | None:
    """Capitalised words just before a number ("Market Rules, section 3"): the document of that title.

    This one where none has that title, unless the words say that they are a document's: then it is another's.
    """
    match = _NAME_ENDING.search(text, max(0, start - REACH), start)
    title = _without_first(match["title"]) if match else ""
    if match is None or " " not in title or is_common(fold(title)):
        return None
    last = title.rpartition(" and ")[2]
    sought = _any_title(title, last)
    if _SAYS_DOCUMENT.search(title):
        return match.end("title") - len(last if " " in last else title), sought
    return start, f"{sought}{FIRST}here:{home.document_id}"


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where what may stand at *at* ends; *at* where it does not."""
    match = pattern.match(text, at)
    return match.end() if match else at


def _titled(end: int, title: str) -> _Named | None:
    key = fold(title)
    return None if not key or is_common(key) else _Named(end, f"title:{key}")


def with_revision(text: str, end: int, sought: str) -> _Named:
    if revision := revision_in(text, end):
        return _Named(revision.end(), f"{sought}@{revision_key(revision['rev'])}")
    return _Named(end, sought)


# --- the document named just before a place ----------------------------------------------------------------------------


def document_before(text: str, start: int, home: Home) -> tuple[int, str] | None:
    """The document named just before a number: "SOP-12, section 4.2", "escalation.md (section 2)"."""
    low = max(0, start - REACH)
    ahead = text[low:start]
    match = re.search(r"[`*_]{0,2},?[ ]{1,2}\(?$", ahead)
    if not match:
        return None
    stop = match.start()
    if link := home.links_to.get(low + stop):
        return start, link[1]
    word = ahead.rfind(" ", 0, stop) + 1
    for code, key in codes_in(ahead) if any(map(str.isdigit, ahead[word:stop])) else ():
        named = with_revision(ahead, code.end(), f"code:{key}")
        if named.end == stop:
            return low + code.start(), named.sought
    if file := file_before(ahead, stop, home):
        return low + file[0], file[1]
    if title := title_ending(ahead, stop):
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


_BEGINS_ANEW = words("See Refer Consult Per")
"""Verbs that no title has inside it: a line before them ended without a mark."""


def _ends_before(words: list[str], at: int) -> bool:
    """Whether a title can only begin after this word: a verb, a code, the article in "SOP-12 and the Leave Policy"."""
    joined = words[at] in ("the", "our", "its", "your") and at > 0 and words[at - 1] in ("and", "or", "&")
    return joined or words[at] in _BEGINS_ANEW or (any(map(str.isdigit, words[at])) and any(codes_in(words[at])))


def title_ending(text: str, end: int) -> Found | None:
    """The capitalised title that ends at *end* with a word for a document."""
    low = max(0, end - REACH)
    noun = next((m for m in NOUN_WORD.finditer(text, max(low, end - 20), end) if m.end() == end), None)
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
