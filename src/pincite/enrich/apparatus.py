"""What print puts around a passage's words: the numbers its paragraphs begin with, the marks of its notes, the ends of lines.

A rewrite may keep or drop them, so they are taken off both texts before these are read. Off the rewrite only what the source
has in that place is taken: a number that a model invents stays, and is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pincite.enrich import lexicon
from pincite.enrich.lexicon import wordnet

_INNER = r"\((?:[A-Za-z]{1,4}|\d{1,3})\)"
_NUMBERED = r"\d{1,3}(?:\.\d{1,3})*[.)]|\d{1,3}(?:\.\d{1,3})+"
_LABEL = re.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t]+)?(?P<label>(?:{_INNER}\s?)+|\d{{1,3}}\.[—–-]{_INNER}|§+\s?[\d.\-]*\d(?:{_INNER})*\.?"
    rf"|{_NUMBERED}|[A-Z]{{0,2}}\d{{1,6}}[A-Z]?)[ \t]+(?=\S)",
    re.M,
)
_BARE = re.compile(r"[A-Z]{0,2}\d{1,6}[A-Z]?")
_ENDED = re.compile(r"(?:\A|[.:;!?]\d?[ \t]*\n)[ \t]*\Z")
_STARTS = re.compile(r"[A-Z\"“'‘]")
_MEASURED = re.compile(
    r"(?:%|percent|per cent|(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|times|am|pm|a\.m|p\.m|to|or|and|of)\b)",
    re.I,
)
_NOTE = re.compile(r"(?:^|(?<=; ))(?P<number>\d{1,2}) (?=[A-Za-z(\[])", re.M)


def taken_off(source: str, rewrite: str, both_ways: bool = True) -> tuple[str, str]:
    """Both texts without what the source has around its words.

    >>> taken_off("77025 The keeper1 must:\\n(a) wait.\\n1 Act 9, s 2", "The keeper must (a) wait. 1 Act 9, s 2.")
    ('The keeper must:\\nwait.\\nAct 9, s 2', 'The keeper must wait. Act 9, s 2.')
    """
    source, rewrite = _without_labels(*_without_notes(unwrapped(whole_words(source, rewrite)), rewrite))
    if both_ways:
        source = _without_headings(_without_fragments(source, rewrite), rewrite)
    return source, rewrite


_LINE_END = re.compile(r"(?<=[^\s.:;!?|])[ \t]*\n[ \t]*(?![#|>*•·–—\-]|\d{1,3} [A-Z(\[])(?=\S)")
WRAPPED = 0.7  # of the longest line: a line as long may go on in the next one, whatever that begins with


def unwrapped(text: str) -> str:
    """*text* with the lines joined that are one sentence: a line that ends in no stop, before one that begins with no mark.

    >>> unwrapped("The keeper shall suspend the order until\\nHe has seen it.\\nRules\\n(a) one")
    'The keeper shall suspend the order until He has seen it.\\nRules\\n(a) one'
    """
    if "\n" not in text:
        return text
    marked = {match.start() for match in _labels(text)}
    longest = max(map(len, text.splitlines()))

    def joined(match: re.Match[str]) -> str:
        line = match.start() - (text.rfind("\n", 0, match.start()) + 1)
        starts = match.end() in marked or text.rfind("\n", 0, match.end()) + 1 in marked
        following = text[match.end()]
        goes_on = following.islower() or following.isdigit() or line >= WRAPPED * longest
        return " " if goes_on and not starts else match[0]

    return _LINE_END.sub(joined, text)


_BROKEN = re.compile(r"(?P<head>[A-Za-z]+)-[ \t]*\n[ \t]*(?P<rest>[a-z]+)")


def whole_words(text: str, other: str) -> str:
    """*text* with its words joined that a line broke in two; a hyphen stays where *other* has it, or no word comes of it.

    >>> whole_words("the objec-\\ntions of the self-\\nemployed", "objections of the self-employed")
    'the objections of the self-employed'
    """
    known = {word.lower() for word in re.findall(r"[A-Za-z]+(?:-[A-Za-z]+)*", other)} if "-" in text else set()

    def joined(match: re.Match[str]) -> str:
        one, two = match["head"], match["rest"]
        whole = (one + two).lower()
        return one + two if whole in known or (f"{one}-{two}".lower() not in known and is_word(whole)) else f"{one}-{two}"

    return _BROKEN.sub(joined, text)


def is_word(text: str) -> bool:
    """Whether this is a common English word, by WordNet or our own lists."""
    return lexicon.stem(text) in wordnet.table().senses or text in lexicon.glue()


# --- paragraph numbers -----------------------------------------------------------------------------------------------------


def _without_labels(source: str, rewrite: str) -> tuple[str, str]:
    """Without the marks that lines of the source begin with, there and, in the same order, in the rewrite."""
    labels = list(_labels(source))
    kept, at = [], 0
    for label in labels:
        kept.append(source[at : label.start("label")])
        at = label.end()
    found, read = [], 0
    for label in labels:
        place = _place_of(label["label"].strip(), rewrite, read)
        if place:
            found.append(rewrite[read : place.start()])
            read = place.end()
    told = "".join([*found, rewrite[read:]])
    return "".join([*kept, source[at:]]), _IN_TURN.sub("", told) if len(labels) > 1 else told


_IN_TURN = re.compile(r"(?:(?<=[.;:]\s)|\A)(?:First|Second|Third|Fourth|Fifth|Sixth|Last|Final)(?:ly)?,\s+", re.I)
"""What a rewrite may say for the numbers of a list."""


def _labels(text: str) -> Iterator[re.Match[str]]:
    for match in _LABEL.finditer(text):
        following = text[match.end() : match.end() + 12]
        if _MEASURED.match(following):
            continue
        bare = _BARE.fullmatch(match["label"])
        if not bare or (_ENDED.search(text[: match.start()]) and _STARTS.match(following)):
            yield match


def _place_of(label: str, rewrite: str, start: int) -> re.Match[str] | None:
    """Where a rewrite has this label from *start* on, and does not refer to it: at its head in any shape, else in a label's."""
    core = re.escape(label if label.startswith("(") else label.rstrip(".)"))
    shut = r"[.):]?" if label.startswith(("(", "§")) or "." in core or len(core) > 3 else r"[.)]"
    head = rf"\A\s*{core}[.):]*\s+|" if start == 0 else ""
    pattern = re.compile(rf"{head}(?<!\S){core}{shut}\s+(?=\S)|\b(?:[Ii]tem|[Ss]tep|[Pp]oint)\s+{core}[,.:]\s+")
    for place in pattern.finditer(rewrite, start):
        before = _WORDS.findall(rewrite[max(0, place.start() - 16) : place.start()])
        last = before[-1].lower() if before else ""
        if last not in _REFERRING and last.removesuffix("s") not in lexicon.words("structural"):
            return place
    return None


_REFERRING = frozenset({"see", "under", "by", "to", "in", "of", "subsection", "subparagraph", "regulation", "reg"})


# --- fragments --------------------------------------------------------------------------------------------------------------

_CUT_END = re.compile(r"\s[a-z]{1,12}-\s*\Z")
_CUT_START = re.compile(r"\A\s*(?:(?P<part>[a-z]+)\b(?=[ ,])|(?P<rest>[a-z][^.;:\n]{0,60}[.;])(?=\s+[A-Z]))")


def _without_fragments(source: str, rewrite: str) -> str:
    """The source without the part of a word or sentence that a page's end left there, where the rewrite leaves it out."""
    source = _CUT_END.sub("", source)
    cut = _CUT_START.match(source)
    if not cut or (cut["part"] and is_word(cut["part"])):
        return source
    return source if _words_of(cut[0]) & _words_of(rewrite) - lexicon.glue() else source[cut.end() :]


# --- headings ---------------------------------------------------------------------------------------------------------------

_HEADING = re.compile(
    r"\A(?:[ \t]*#{1,6}[ \t]+[^\n]+|(?=[^\n]{3,80}$)[A-Z][^\n.:;,]*[^\n.:;,\s]\.?)[ \t]*\n(?=[ \t]*[A-Z\"“'‘(\d-])",
    re.M,
)
_REMARK = re.compile(r"^[ \t]*Note(?: \d{1,2})?:[ \t]+", re.M)
_WORDS = re.compile(r"[^\W\d_]+")


def _without_headings(source: str, rewrite: str) -> str:
    """The source without "Note:" and without the title above its text, unless the rewrite has words of that alone."""
    source = _REMARK.sub("", source)
    heading = _HEADING.match(source)
    if not heading:
        return source
    title, body, told = (set(re.findall(r"\w+", text.lower())) for text in (heading[0], source[heading.end() :], rewrite))
    return source if title & told - body else source[heading.end() :]


def _words_of(text: str) -> set[str]:
    return {word.lower() for word in _WORDS.findall(text)}


# --- notes -----------------------------------------------------------------------------------------------------------------

_GLUED = re.compile(r"\b(?P<word>[a-z]{3,})(?P<mark>\d{1,2})(?!\w)(?!\.\d)")
_APART = re.compile(r"\b(?P<word>[A-Za-z][a-z]{2,})(?P<mark> \d{1,2})(?= [a-z]{2})")
_BRACKETED = re.compile(r"(?<=[\w).,;:*\"'])[ ]?(?:\[\^\w{1,12}\]|\[\d{1,3}(?:, ?\d{1,3})*\])(?![(:])")
_BRACKETED_HEAD = re.compile(r"^[ \t]*\[\^\w{1,12}\]:[ \t]*", re.M)


def _without_notes(source: str, rewrite: str) -> tuple[str, str]:
    """Without the marks of notes: of those that stand below the source, and of those that stand elsewhere on its page."""
    below = _notes_below(source)
    body, notes = (source[: below[0].start()], source[below[0].start() :]) if below else (source, "")
    for note in below:
        rewrite = re.sub(rf"(?<![\w.]){note['number']} (?={re.escape(source[note.end() : note.end() + 6])})", "", rewrite)
    for mark in sorted(_marks(body, [note["number"] for note in below], rewrite), key=lambda each: -each.start()):
        body = body[: mark.start("mark")] + body[mark.end("mark") :]
        rewrite = re.sub(rf"\b{re.escape(mark['word'])}{re.escape(mark['mark'])}(?![\w.])", mark["word"], rewrite, count=1)
    for mark in set(_BRACKETED.findall(body)):
        body, rewrite = body.replace(mark, ""), rewrite.replace(mark, "")
    return _BRACKETED_HEAD.sub("", body) + _NOTE.sub("", notes), rewrite


def _notes_below(text: str) -> list[re.Match[str]]:
    """The heads of the notes at the end of *text*, numbered one by one; [] where there are none."""
    heads = list(_NOTE.finditer(text))
    for first, head in enumerate(heads):
        rest = [int(each["number"]) for each in heads[first:]]
        numbered = rest == list(range(rest[0], rest[0] + len(rest)))
        if numbered and text[: head.start()].endswith("\n") and _mark_of(head["number"]).search(text[: head.start()]):
            return heads[first:]
    return []


def _mark_of(number: str) -> re.Pattern[str]:
    """A note's number right behind a word or its punctuation, or one blank apart where no amount can be meant."""
    apart = rf"[ ]{number}(?=[.,;:)\s]\s*(?:[a-z(]|[A-Z]|\Z))"
    return re.compile(rf"(?P<word>[A-Za-z]{{2,}}[)\"”'’.,;:]?)(?P<mark>{number}|{apart})(?!\w)(?!\.\d)")


def _marks(body: str, numbers: list[str], rewrite: str) -> list[re.Match[str]]:
    """The marks of these notes in *body*, one after the other; and those that belong to no note here.

    Behind a number ("52" with the mark "2") only where the rewrite has the number without it.
    """
    found: dict[int, re.Match[str]] = {}
    at = 0
    for number in numbers:
        place = _mark_of(number).search(body, at) or _behind_a_number(number, body, at, rewrite)
        if place:
            found[place.start("mark")] = place
            at = place.end()
    for place in _GLUED.finditer(body):
        if is_word(place["word"]):
            found.setdefault(place.start("mark"), place)
    for place in _in_a_row(body):
        found.setdefault(place.start("mark"), place)
    return list(found.values())


def _behind_a_number(number: str, body: str, start: int, rewrite: str) -> re.Match[str] | None:
    said = set(re.findall(r"\d+", rewrite))
    behind = re.compile(rf"(?<![\d.,])(?P<word>\d{{1,6}})(?P<mark>{number})(?![\d%])(?!\.\d)")
    return next((each for each in behind.finditer(body, start) if each["word"] in said and each[0] not in said), None)


def _in_a_row(body: str) -> list[re.Match[str]]:
    """Numbers apart from the words they stand behind, which only count on: "Reports 1 from ... of the system 2 show"."""
    found = [
        place
        for place in _APART.finditer(body)
        if place["word"].lower() not in lexicon.words("counted") | lexicon.words("structural")
        and not _MEASURED.match(body, place.end() + 1)
    ]
    numbers, words = [int(place["mark"]) for place in found], {place["word"].lower() for place in found}
    in_a_row = len(found) > 1 and numbers == list(range(numbers[0], numbers[0] + len(found)))
    return found if in_a_row and len(words) == len(found) else []
