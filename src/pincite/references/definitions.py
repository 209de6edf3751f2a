"""Where a text says what a term means: rows of a definition list, quoted terms with a verb, names given in brackets.

What is found is the text's alone: which places a definition holds for is ``glossary.py``, which is meant ``terms.py``.
Offsets are in characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pincite.references.rulebook import INVISIBLE, UNITS

MOST_WORDS = 12  # of a term
_MOST_CHARACTERS = 120
_MOST_LISTED = 6  # words of a term before a colon or dash
_NEAR = 12  # characters between a term and a verb that need not be about it
_REACH = 160  # characters after a verb in which it says whose meaning it is, and for which places


class Definition(NamedTuple):
    """A term and the stretch that defines it. ``scope`` is what it says of the places it holds for, "" where nothing."""

    term: str
    start: int
    end: int
    scope: str = ""  # "chapter", "section", "document", "corpus", or a reference: "at Part 13"
    given: str = ""  # of "has the meaning given in X": the words from the verb on
    passing: bool = False  # named in brackets, not explained
    names: str = ""  # of a name in brackets: the words it is given to, as far as they tell two from each other


_MARKS = r"[“\"„«]([^“”\"„«»\n\t]{1,120})[”\"“»]|(?<!\w)[‘']([^‘’'\n\t]{1,80})[’'](?!\w)"
_QUOTED = re.compile(_MARKS)
_BETWEEN = re.compile(
    r"\s{0,3}(?:,\s{0,3})?(?:(?:and|or|and/or)\s{1,3})?(?:each,?\s{1,3})?(?:(?:the|an?)\s{1,3})?(?:\(\s{0,3}(?:or|the|each,?\s+an?)?\s{0,3})?"
)
_VERB = (
    r"(?:(?:shall|will|to)\s+)?means?\b|meaning\b|(?:shall\s+|will\s+)?(?:has|have|bears?|(?:is|are)\s+given)\s+the\s+(?:same\s+|respective\s+)*meanings?\b"
    r"|(?:shall\s+)?includes?\b|(?:shall\s+)?refers?\s+to\b|(?:(?:is|are|shall\s+be)\s+)?(?:to\s+be\s+)?construed\b(?!\s+accordingly)"
    r"|is\s+to\s+be\s+read\b(?!\s+accordingly)|(?:is|are)\s+(?:a\s+)?references?\s+to\b|(?:is|are)\s+defined\s+(?:in|by|under|as)\b"
    r"|(?:is|are)\s+(?:to\s+be\s+)?(?:taken|interpreted)\b|denotes?\b"
)
_EXPLAINS = re.compile(rf"\)?[,\s]*(?:[^“”\"‘’.;:\n\t()]{{0,100}}?[,\s])??(?P<verb>{_VERB})", re.I)
_IS = re.compile(r"\s+(?:is|are)\s+(?!as\b)(?P<article>an?\s)?\w", re.I)
_OPENS = re.compile(r"\s*(?:\(?\w{1,4}[.)]\s*)?(?:The\s+term\s+|An?\s+|The\s+)?")
_GIVEN_BODY = re.compile(
    r"(?:has|have|bears?)\s+the\s+(?:same\s+)?meanings?\b|as\s+defined\s+in\b|(?:shall|is\s+to)\s+be\s+(?:construed|read)\b",
    re.I,
)
_MAY = re.compile(r"\b(?:could|may|might|should|would|can|do|does|not)\b")
_AS_REFERENCES = re.compile(r"\breferences?\b[^.;\n]{0,60}$", re.I)

_PASSING = re.compile(
    r"\(\s*(?:(?:together|collectively|each|individually|being|or|also|commonly|hereinafter|hereafter|below|abbreviated|abbreviation|i\.e\."
    r"|(?:is\s|are\s)?(?:referred\s+to|known|defined|called)|in\s+th(?:is|ese)\s+\w+|as|to|with|and|,)[\s,]+)*(?:(?:the|an?|such|any|each)\s+)*"
    r"[“\"„«‘'](?=[^“”\"„«»‘’'\n\t()]{1,120}[”\"“»’'])[^()\n\t]{1,240}\)"
)
_CLOSES = re.compile(r"[.,;]?\s{0,3}(?:[),;]|(?:and|or)\s)")
_CALLED = re.compile(
    r"\b(?:(?:hereinafter|hereafter)?\s*(?:referred\s+to|known|defined)(?:\s+in\s+th(?:is|ese)\s+\w+)?\s+as|hereinafter|collectively,?)"
    rf"\s*,?\s+(?:(?:the|an?)\s+)?(?={_MARKS.replace('(', '(?:').replace('(?:?', '(?')})"
)
_ACRONYM = re.compile(r"\(([A-Z][A-Za-z&]{1,9})\)")
_INITIALS = re.compile(r"[^\W\d_][\w’'-]*")

_ENUMERATOR = re.compile(r"\s*(?:\(?[0-9A-Za-z]{1,5}[.)]|[-–—•*·]|\d{1,3}(?:\.\d{1,3})*\.?(?=\s))[\s]+")
_CELL = re.compile(r"[\t|]+")
_PAIR = re.compile(
    r"[ \t]*(?:[-*•][ \t]+)?(?:\*\*|__)?(?P<term>[^\W_][^\n\t:|*_]{0,99}?)(?:\*\*|__)?"
    r"(?::(?:\*\*|__)?|[ ][-–—][ ])[ \t]*(?P<body>\S.*)"
)
_NUMBERED = re.compile(r"\(?\w{1,4}[.)]")
_ROW_VERB = re.compile(rf"(?:\([a-z0-9]{{1,4}}\)\s*)?(?:{_VERB}|in\s+relation\s+to\b|\(a\))", re.I)
_HEADER = (
    re.compile(r"\W*(?:defined\s+|abbreviated\s+)?(?:terms?|expressions?|words?|abbreviations?|acronyms?)\W*", re.I),
    re.compile(r"\W*(?:defini|mean|descri|explan|interpr)", re.I),
)
_BARE = re.compile(
    r"(?:^|(?<=[.;:—]\s)|(?<=\n))(?P<lead>[ \t]*(?:\(?[0-9A-Za-z]{1,5}[.)][ \t]+)?(?:(?:An?|The|an?|the)[ \t]+)?)"
    r"(?P<term>[^\W_][\w’'/&-]{0,40}(?:[ ][\w’'/&()-]{1,40}){0,11}?)[ \t]+"
    r"(?P<verb>means?|has\s+the\s+(?:same\s+)?meaning|have\s+the\s+(?:same\s+)?meaning)\b(?=[\s:,—–-]+(?:an?\b|the\b|any\b|all\b|each\b|every\b|given\b|set\b|in\b|as\b|for\b|that\b|another\b|one\b|those\b|[A-Z(—–-]))",
    re.M,
)
_NO_TERM = frozenset(
    {
        "this",
        "that",
        "these",
        "those",
        "it",
        "which",
        "what",
        "he",
        "she",
        "they",
        "there",
        "such",
        "by",
        "in",
        "as",
        "no",
        "nor",
        "any",
        "other",
        "and",
        "or",
        "but",
        "if",
        "when",
        "where",
        "is",
        "are",
        "be",
        "not",
        "we",
        "you",
        "who",
        "same",
        "also",
        "only",
        "for",
        "under",
        "unless",
        "subject",
        "with",
        "without",
        "however",
        "therefore",
        "while",
    }
)
_TITLE = re.compile(r"\b(?:definitions?|defined\s+terms|glossary|interpretation|abbreviations|meanings?\s+of\s+terms)\b", re.I)
_INTRODUCES = re.compile(
    r"\b(?:following|these|the)\s+(?:\w+,?\s+){0,3}?(?:terms?|expressions?|words?|abbreviations?|definitions?)\b[^.\n]{0,80}\b(?:meanings?|mean|apply|bear)\b"
    r"[^.\n]{0,80}[.:—–-]?\s*$|\bthe\s+following\s+(?:definitions|abbreviations|defined\s+terms)\b"
    r"|(?:unless|except\s+where|save\s+where)\s+(?:the\s+)?(?:context|contrary)\s[^.\n]{0,60}[:—–-]\s*$",
    re.I | re.M,
)
_FORMULA = re.compile(r"\bwhere[ ]?:?[ ]?\n")
_WHERE = re.compile(r"\bwhere(?:\s+in\s+[^.\n]{0,60})?\s*[:,—–-]?\s*$", re.I)

_DOCUMENTS = (
    r"Rules|Regulations|Rulebook|Guidance(?:\s+note)?|Act|Law|Manual|Code|Document|Policy|Instrument|Order|Directive|Standards?|Framework|Paper"
    r"|Agreement|Handbook|Ordinance|Notice|Circular|By-?laws|Statute|Terms|Module|Sourcebook"
)
_UNIT = "|".join(UNITS.values())
_SCOPE = re.compile(
    r"(?:\b(?:in|under|within|throughout)|\b(?:for\s+(?:the\s+)?)?purposes?\s+of|\bused\s+in|\bapply\s+(?:to|in))\s+(?:the\s+following\s+(?:[A-Z]\w+\s+)?)?"
    rf"(?:(?:the\s+)?(?:rules|provisions|definitions?)\s+in\s+)?(?:(?:this|these|our)\s+(?:(?P<document>{_DOCUMENTS})\b|(?P<unit>{_UNIT})\b|(?P<other>[A-Za-z]+))"
    rf"|(?P<corpus>(?:the|all|any|our)\s+(?:[Rr]ulebooks|[Rr]ules\s+and\s+[Rr]egulations|[Mm]anuals|[Hh]andbooks))|(?P<at>(?:{_UNIT})\s*(?=[\dA-Z(‎]))[^,:—–\n]{{1,40}})",
    re.I,
)
_BEGINS = re.compile(r"(?:\A|[.;:\n—–)]\s{0,4})(?:\(?\w{1,4}[.)]\s{1,3})?$")
_LEADS_IN = re.compile(r"[^.;\n]*[:—–-]\s*\n")
_TRIED, _SENTENCE = 8, 400
_ADOPTS = re.compile(
    r"\b(?i:terms?|expressions?|words?|abbreviations?)\b[^.\n“\"]{0,120}?\b(?:ha(?:s|ve)|bears?|(?:is|are)\s+given)\s+the\s+(?:same\s+)?meanings?\s+"
    r"([^.\n]{0,160})"
)
_CUE = re.compile(r"[“\"„«‘]|\b[Mm]eans?\b|\b[Mm]eaning|\b[Dd]efin|\t|\||\([A-Z]|'\s|\s'|[Gg]lossary")


def definitions(text: str, listed: bool = False) -> list[Definition]:
    """Every definition in *text*, in order; *listed*: it stands where terms are listed, so that a row needs no verb.

    >>> [d.term for d in definitions('In this Part "Berth" and "Quay" mean any place to moor. The owner (the "Owner") pays.')]
    ['Berth', 'Quay', 'Owner']
    """
    if not _CUE.search(text):
        return []
    plain = text.translate(INVISIBLE)
    scopes = _Scopes(plain)
    found = [
        *_rows(plain, listed, scopes),
        *_quoted(plain, scopes),
        *_bare(plain, listed, scopes),
        *_passing(plain),
        *_acronyms(plain),
    ]
    return _apart(sorted(found, key=lambda d: (d.start, d.passing)), len(text))


def is_list(text: str, title: str = "") -> bool:
    """Whether terms are listed here: the title or first line says so, or a sentence announces them."""
    first = text.lstrip()[:200].split("\n", 1)[0]
    headed = len(first) <= 60 and not first.rstrip().endswith(".") and bool(_TITLE.search(first))
    return headed or bool(title and len(title) <= 80 and _TITLE.search(title)) or bool(_INTRODUCES.search(text[:1000]))


def adopted(text: str) -> Iterator[str]:
    """The words that say whose terms a document uses: "as defined in FSMR and the Glossary"."""
    if "meaning" in text and not _QUOTED.search(text[:40]):
        yield from (match[1] for match in _ADOPTS.finditer(text))


def scope_before(text: str) -> str:
    """What a text that introduces definitions says of the places they hold for: "In this Chapter:"."""
    return _Scopes(text.translate(INVISIBLE)).before(len(text))


class _Scopes:
    """The words of a text that say for which places its definitions hold."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[re.Match[str]] | None = None
        self.starts: list[int] = []

    def before(self, at: int) -> str:
        """The last of them before *at*: one that begins a sentence or line, or stands in the same sentence; "" for none."""
        if self.found is None:
            self.found = [match for match in _SCOPE.finditer(self.text) if _scope_of(match)]
            self.starts = [match.start() for match in self.found]
        last = bisect_left(self.starts, at)
        for match in reversed(self.found[max(0, last - _TRIED) : last]):
            same = at - match.start() < _SENTENCE and not re.search(r"[.;\n]", self.text[match.start() : at])
            begins = _BEGINS.search(self.text, max(0, match.start() - 12), match.start())
            if same or begins or _LEADS_IN.match(self.text, match.end(), match.end() + _SENTENCE):
                return _scope_of(match)
        return ""


def _scope_of(match: re.Match[str]) -> str:
    if match["corpus"]:
        return "corpus"
    if match["at"]:
        return "at " + match[0][match.start("at") - match.start() :]
    if match["document"]:
        return "document"
    if match["unit"]:
        return next(name for name, pattern in UNITS.items() if re.fullmatch(pattern, match["unit"], re.I))
    return ""


def _apart(found: list[Definition], size: int) -> list[Definition]:
    """One definition for each term and stretch; an explanation reaches to the next one, a name in brackets to its bracket."""
    kept: list[Definition] = []
    seen: set[tuple[str, int]] = set()
    starts = sorted({d.start for d in found if not d.passing})
    for each in found:
        if (each.term, each.start) in seen or (each.passing and any((each.term, d.start) in seen for d in kept[-3:])):
            continue
        seen.add((each.term, each.start))
        if not each.passing and each.end < 0:
            following = bisect_left(starts, each.start + 1)
            each = each._replace(end=starts[following] if following < len(starts) else size)
        kept.append(each)
    return kept


def _term(words: str) -> str:
    """A term as it is written, without article and stops; "" where it can be none."""
    term = re.sub(r"^(?:the|an?)\s+", "", words.strip(" \t\xa0,.;:*_()“”\"‘’'"), flags=re.I)
    parts = re.findall(r"\w+", term)
    if not parts or len(parts) > MOST_WORDS or len(term) < 2 or not re.search(r"[^\W\d_]", term):
        return ""
    return "" if len(parts) == 1 and term.lower() in _NO_TERM else term


def _names(words: str) -> Iterator[str]:
    """The terms of one cell: "X Financial System or ADGM Financial System", "Organised Trading Facility (OTF)"."""
    bracket = re.fullmatch(r"(.+?)\s*\((?:the\s+)?[“\"]?([A-Z][\w&]{1,9})[”\"]?\)", words.strip())
    if bracket:
        yield from filter(None, (_term(bracket[1]), _term(bracket[2])))
        return
    halves = re.split(r"\s+or\s+|\s*/\s*", words)
    alike = len(halves) == 2 and all(_term(half) and half.strip()[0].isupper() for half in halves)
    if alike and (halves[0].split()[-1] == halves[1].split()[-1] or _stands_for(halves[1].strip(), halves[0])):
        yield from map(_term, halves)
    elif term := _term(words):
        yield term


def _body(term: str, start: int, text: str, verb_at: int, scope: str) -> Definition:
    """An explanation that begins at *verb_at*: whose meaning it has, and for which places."""
    after = text[verb_at : verb_at + _REACH].split("\n", 1)[0]
    narrowed = re.match(r"\W*\w+(?:\s+the\s+\w+)?,?\s+(?:for\s+the|in\s+relation\s+to|when\s+used|for)\s", after)
    inner = _SCOPE.search(after, 0, 90) if narrowed else None
    given = after if _GIVEN_BODY.match(after.lstrip(" -—–:,")) or re.match(r"\W*(?:is|are)\s+defined\b", after) else ""
    return Definition(term, start, -1, (_scope_of(inner) if inner else "") or scope, given)


def _rows(text: str, listed: bool, scopes: _Scopes) -> Iterator[Definition]:
    """Rows of a table of terms, and in a list of terms lines such as "Berth: a place to moor"."""
    if "\t" not in text and "|" not in text and not listed:
        return
    headed = local = False
    scope: str | None = None  # what is said before the first row: a row's own words are for that row
    for start, line in _lines(text):
        cells = [cell.strip() for cell in _CELL.split(line, 4) if cell.strip()]
        if len(cells) < 2:
            if listed:
                yield from _pair(text, start, line, scopes)
            continue
        if _HEADER[0].fullmatch(cells[0]) and _HEADER[1].match(cells[1]):
            headed, local = True, bool(_WHERE.search(text[max(0, start - 200) : start].replace("/Table Start", "").rstrip()))
        elif _is_row(cells, headed or (listed and sum(not _NUMBERED.fullmatch(cell) for cell in cells) == 2)):
            scope = scopes.before(start) if scope is None else scope
            for term in _names(cells[0]):
                yield _body(term, start, text, start + line.index(cells[1]), "rule" if local else scope)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


def _is_row(cells: Sequence[str], open: bool) -> bool:
    """Whether cells are a term and its explanation; where terms are not announced, a verb must say so."""
    words, body = cells[0], " ".join(cells[1:])
    if len(words) > _MOST_CHARACTERS or _ENUMERATOR.fullmatch(words + " "):
        return False
    return bool(_ROW_VERB.match(body)) or (open and words[0].isalnum() and words[-1] not in ".;,:")


def _pair(text: str, start: int, line: str, scopes: _Scopes) -> Iterator[Definition]:
    """A line of a list of terms: "**Berth** – a place to moor"."""
    match = _PAIR.match(line)
    if match and (term := _term(match["term"])) and term[0].isupper() and len(term.split()) <= _MOST_LISTED:
        yield _body(term, start, text, start + match.start("body"), scopes.before(start))


def _quoted(text: str, scopes: _Scopes) -> Iterator[Definition]:
    """ "Berth" and "Quay" mean …: quoted terms side by side that a verb explains."""
    group: list[re.Match[str]] = []
    for match in _QUOTED.finditer(text):
        if group and not _BETWEEN.fullmatch(text, group[-1].end(), match.start()):
            group = []
        group.append(match)
        if verb_at := _explained(text, group):
            between = _SCOPE.search(text, match.end(), verb_at)
            for each in group:
                if term := _term(each[1] or each[2]):
                    scope = (_scope_of(between) if between else "") or scopes.before(each.start())
                    yield _body(term, each.start(), text, verb_at, scope)
            group = []


def _explained(text: str, group: list[re.Match[str]]) -> int:
    """Where the verb begins that explains the terms of *group*, 0 where there is none."""
    start, end = group[0].start(), group[-1].end()
    if match := _EXPLAINS.match(text, end, end + 200):
        verb, at = match["verb"].lower(), match.start("verb")
        replaced = _AS_REFERENCES.search(text, max(0, start - 100), start)  # "references to “X” shall be read as …"
        near = at - end <= _NEAR and not _MAY.search(text, end, at)
        sure = verb.startswith(("mean", "includ")) or "reference" in verb or not replaced
        return at if sure and (near or not verb.startswith(("meaning", "includ", "refer", "constr"))) else 0
    sentence = re.split(r"[.;\n]", text[max(0, start - 200) : start])[-1]
    stated = _IS.match(text, end)
    return end + 1 if stated and (_SCOPE.search(sentence) or (stated["article"] and _OPENS.fullmatch(sentence))) else 0


def _bare(text: str, listed: bool, scopes: _Scopes) -> Iterator[Definition]:
    """Connected Counterparty means another Person …: a term without marks at the beginning of a line or sentence."""
    if "mean" not in text:
        return
    for match in _BARE.finditer(text):
        words = match["term"]
        if words.split()[0].lower() in _NO_TERM or re.search(r"[.;:]", words):
            continue
        lead = match["lead"].strip()
        if not words[0].isupper() and not lead.endswith((".", ")")) and not listed:
            continue
        for term in _names(words):
            local = bool(_FORMULA.search(text, max(0, match.start() - 2000), match.start()))
            scope = "rule" if local else scopes.before(match.start())
            yield _body(term, match.start("term"), text, match.start("verb"), scope)


def _passing(text: str) -> Iterator[Definition]:
    """… (the "Client Account"); … hereinafter referred to as "Digital Securities"."""
    for match in _PASSING.finditer(text):
        for quoted in _QUOTED.finditer(text, match.start(), match.end()):
            if _CLOSES.match(text, quoted.end(), match.end()) and (term := _term(quoted[1] or quoted[2])):
                scope = _SCOPE.search(text, match.start(), quoted.start())
                yield _name(term, quoted.start(), match.end(), scope, text[max(0, match.start() - 60) : match.start()])
    for match in _CALLED.finditer(text):
        if (name := _QUOTED.match(text, match.end())) and (term := _term(name[1] or name[2])):
            scope = _SCOPE.search(match[0])
            yield _name(term, name.start(), name.end(), scope, text[max(0, match.start() - 60) : match.start()])


def _name(term: str, start: int, end: int, scope: re.Match[str] | None, before: str) -> Definition:
    words = " ".join(word[:5] for word in re.findall(r"\w+", before.lower())[-2:])  # plural or not
    return Definition(term, start, end, _scope_of(scope) if scope else "", passing=True, names=words)


def _acronyms(text: str) -> Iterator[Definition]:
    """value at risk (VaR): letters in brackets that are the initials of the words before them."""
    for match in _ACRONYM.finditer(text):
        if _stands_for(match[1], text[max(0, match.start() - 120) : match.start()]):
            yield _name(match[1], match.start(), match.end(), None, text[max(0, match.start() - 60) : match.start()])


def _stands_for(short: str, words: str) -> bool:
    """Whether *short* are the initials of the last of *words*, small words among them left out or not."""
    letters = [letter.lower() for letter in short if letter.isalpha()]
    if short.endswith("s") and len(letters) > 2:
        letters = letters[:-1]
    before = [word.lower() for part in _INITIALS.findall(words) for word in re.split(r"[-’']", part) if word]
    if len(letters) < 2 or sum(letter.isupper() for letter in short) < 2:
        return False
    for kept in (before, [word for word in before if word not in {"of", "the", "and", "for", "in", "on", "to", "a", "at"}]):
        if [word[0] for word in kept[-len(letters) :]] == letters:
            return True
    return False
