"""What print puts around a passage's words: the numbers its paragraphs begin with, the marks of its notes, the ends of lines.

A rewrite may keep or drop them, so they are taken off both texts before these are read. Off the rewrite only what the source
has in that place is taken: a number that a model invents stays, and is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pincite.enrich.gate import lexicon, units
from pincite.enrich.gate.lexicon import wordnet

_INNER = r"\((?:[A-Za-z]{1,4}|\d{1,3})\)"
_NUMBERED = r"\d{1,3}(?:\.\d{1,3})*[.)]|\d{1,3}(?:\.\d{1,3})+"
_LABEL = re.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t]+)?(?P<label>(?:{_INNER}\s?)+|\d{{1,3}}\.[—–-]{_INNER}|§+\s?[\d.\-]*\d(?:{_INNER})*\.?"
    rf"|{_NUMBERED}|[A-Z]{{0,2}}\d{{1,6}}[A-Z]?)[ \t]+(?=\S)",
    re.M,
)
_BARE = re.compile(r"[A-Z]{0,2}\d{1,6}[A-Z]?|\d{1,3}(?:\.\d{1,3})+")
_COUNTS = re.compile(r"(?:\d{1,3}|(?:19|20)\d\d)\Z")
_ENDED = re.compile(r"(?:\A|[.:;!?]\d?[ \t]*\n)[ \t]*\Z")
_STARTS = re.compile(r"[A-Z\"“'‘]")
_PLURAL = re.compile(r"[A-Z][a-z]+(?:s|men|people|children|staff)\b|(?:Staff|People|Children|Men|Women|Of|Or|And|To)\b")
_MONTH = re.compile(r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b")
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
    return (_without_headings(source) if both_ways else source), rewrite


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
        goes_on = following.islower() or line >= WRAPPED * longest
        return " " if goes_on and not starts else match[0]

    return _LINE_END.sub(joined, text)


_ANEW = frozenset(
    {"sign", "cover", "sent", "form", "lay", "lease", "place", "sort", "create", "present", "mark", "serve", "treat", "press"}
)
"""Words that "re-" makes another word of than without its hyphen."""
_BROKEN = re.compile(r"(?P<head>[A-Za-z]+)-[ \t]*\n[ \t]*(?P<rest>[a-z]+)")


def whole_words(text: str, other: str) -> str:
    """*text* with its words joined that a line broke in two; a hyphen stays where *other* has it, or no word comes of it.

    >>> whole_words("the objec-\\ntions of the self-\\nemployed", "objections of the self-employed")
    'the objections of the self-employed'
    """
    known = {word.lower() for word in re.findall(r"[A-Za-z]+(?:-[A-Za-z]+)*", other)} if "-" in text else set()

    def joined(match: re.Match[str]) -> str:
        one, two = match["head"], match["rest"]
        if one.lower() == "re" and two in _ANEW:
            return f"{one}-{two}"
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


def out_of_order(source: str, rewrite: str) -> list[tuple[str, str]]:
    """Reasons: a numbered item of the source that the rewrite tells before the item that it follows."""
    labels = list(_labels(source))
    ends = [*(label.start() for label in labels[1:]), len(source)]
    items = [_stems(source[label.end() : end]) for label, end in zip(labels, ends)]
    told = [lexicon.stem(word.lower()) for word in _WORDS.findall(rewrite)]
    last = -1
    for number, item in enumerate(items):
        own = item - set().union(*(other for at, other in enumerate(items) if at != number))
        places = [at for at, word in enumerate(told) if word in own]
        if len(places) > 1 and max(places) < last:
            return [("order", f"the rewrite tells item {labels[number]['label'].strip()!r} before the one it follows")]
        last = min(places) if len(places) > 1 else last
    return []


def _stems(text: str) -> set[str]:
    return {lexicon.stem(word.lower()) for word in _WORDS.findall(text)} - lexicon.glue()


def _labels(text: str) -> Iterator[re.Match[str]]:
    """What lines begin with that is no amount, no year and nothing that the line before refers to."""
    found: set[str] = set()
    for match in _LABEL.finditer(text):
        label, following = match["label"].strip(), text[match.end() : match.end() + 24]
        below = label.rstrip(".)").rpartition(".")[0] in found  # "3.1" after "3."
        ended = _ENDED.search(text[: match.start()]) and _STARTS.match(following)
        if _MEASURED.match(following) or _refers(text[: match.start()]) or (_BARE.fullmatch(label) and not (below or ended)):
            continue
        if _COUNTS.match(label) and (_PLURAL.match(following) or _MONTH.match(following) or len(label) == 4):
            continue
        found.add(label.rstrip(".)"))
        yield match


def _refers(before: str) -> bool:
    """Whether a text ends with a word that a number or letter after it belongs to: "under paragraph"."""
    last = _WORDS.findall(before[-24:])[-1:] if not before.rstrip().endswith((".", ";", ":", ",")) else []
    return any(word.lower() in _REFERRING or word.lower().removesuffix("s") in lexicon.words("structural") for word in last)


def _place_of(label: str, rewrite: str, start: int) -> re.Match[str] | None:
    """Where a rewrite has this label from *start* on, in the shape of one, and does not refer to it or count with it."""
    core = re.escape(label if label.startswith("(") else label.rstrip(".)"))
    shut = r"[.):]*" if label.startswith(("(", "§")) else r"[.):]+"
    heads = [rf"\A\s*{core}(?:[.):]+\s+|\s+(?=[A-Z\"“'‘(]))"] if start == 0 else []
    inner = r"(?:(?<=[.;:,—–\n\d]\s)|(?<=\band\s)|(?<=\bor\s)|(?<=\beither\s)|(?<=\bthat\s))"
    open_ended = rf"|{inner}{core}\s+(?=[a-z])" if "." in core else ""
    named = rf"\b(?:[Ii]tem|[Ss]tep|[Pp]oint)\s+{core}[,.:]\s+"
    pattern = re.compile("|".join([*heads, rf"{inner}{core}{shut}\s+(?=\S){open_ended}", named]))
    for place in pattern.finditer(rewrite, start):
        if not _refers(rewrite[: place.start()]) and not _MEASURED.match(rewrite, place.end()):
            return place
    return None


_REFERRING = frozenset({"see", "under", "by", "to", "in", "of", "subsection", "subparagraph", "regulation", "reg"})


# --- headings ---------------------------------------------------------------------------------------------------------------

_HEADING = re.compile(
    r"\A(?:[ \t]*#{1,6}[ \t]+[^\n]+|(?=[^\n]{3,80}$)[A-Z][^\n.:;,]*[^\n.:;,\s]\.?)[ \t]*\n(?=[ \t]*[A-Z\"“'‘(\d-])",
    re.M,
)
_REMARK = re.compile(r"^[ \t]*Note(?: \d{1,2})?:[ \t]+", re.M)
_WORDS = re.compile(r"[^\W\d_]+")


def _without_headings(source: str) -> str:
    """The source without "Note:", and without the title above its text where that says nothing which the text does not."""
    source = _REMARK.sub("", source)
    heading = _HEADING.match(source)
    if not heading:
        return source
    title, body = (
        {lexicon.stem(word) for word in re.findall(r"\w+", text.lower())} for text in (heading[0], source[heading.end() :])
    )
    return source[heading.end() :] if title <= body | lexicon.glue() else source


# --- notes -----------------------------------------------------------------------------------------------------------------

_GLUED = re.compile(r"\b(?P<word>[a-z]{3,})(?P<mark>\d)(?!\w)(?!\.\d)")
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
    for bracket in {each[0] for each in _BRACKETED.finditer(body) if not _counts(body[each.end() :])}:
        body, rewrite = body.replace(bracket, ""), rewrite.replace(bracket, "")
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
        if lexicon.stem(place["word"]) in lexicon.glue() and place["word"] not in lexicon.words("structural"):
            found.setdefault(place.start("mark"), place)
    return list(found.values())


def _counts(following: str) -> bool:
    """Whether what follows a number is what it counts: "[30] days"."""
    found = re.match(r"\s*([A-Za-z%]+)", following)
    word = found[1].lower() if found else ""
    return bool(_MEASURED.match(word)) or word in units.money() or word in units.units()


def _behind_a_number(number: str, body: str, start: int, rewrite: str) -> re.Match[str] | None:
    said = set(re.findall(r"\d+", rewrite))
    behind = re.compile(rf"(?<![\d.,])(?P<word>\d{{1,6}})(?P<mark>{number})(?=[.,;:)]*(?:\s*\n|\s*\Z|\s+[A-Z]))")
    return next((each for each in behind.finditer(body, start) if each["word"] in said and each[0] not in said), None)
