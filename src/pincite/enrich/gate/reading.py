"""A text as the gate reads it: words with their meanings, quantities, and symbols for what turns a claim ("unless")."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from pincite.enrich.gate import lexicon
from pincite.enrich.gate.clean import clean
from pincite.enrich.gate.lexicon import wordnet
from pincite.enrich.gate.numerals import ORDINALS
from pincite.enrich.gate.quantities import quantities
from pincite.enrich.gate.quantity import Quantity

WORD, SYMBOL, QUANTITY, BREAK, STOP = "word", "symbol", "quantity", "break", "stop"

_TOKENS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*(?:'[a-z]+)?|\d(?:[\w.]*\w)?|[.!?;|\n,:()\[\]–—/]|-{2,}|\S")
_OF_MONEY = frozenset(meaning for part in ("cost", "price", "pay") for meaning in lexicon.word(part).meanings)
_STOPS = frozenset(".!?;|\n")
_BREAKS = frozenset(",:()[]–—")
_CONTRACTIONS = re.compile(r"\b(can)not\b|\b(can)'t\b|\b(wo)n't\b|\b(\w+)n't\b", re.I)
_SHORTENED = re.compile(r"(?<=[a-z])'(ll|ve|re|m|d)\b", re.I)
_FULL = {"ll": "will", "ve": "have", "re": "are", "m": "am", "d": "would"}
_AGAIN = re.compile(r"\b[Rr]e-([a-z]{3,})\b")
_WHOLE = ("vice-", "deputy-", "co-", "ex-", "sub-", "pre-", "post-", "anti-")
_TABLE_LINE = re.compile(r"^\s*\|.*\|\s*$")
_RULE_LINE = re.compile(r"^[\s|:\-]+$")


class Item(NamedTuple):
    """One word, symbol, quantity or break. ``content``: a word that carries a claim of its own."""

    kind: str
    text: str  # in lower case
    symbol: str = ""
    meanings: frozenset[str] = frozenset()
    negated: bool = False
    content: bool = False
    quantity: Quantity | None = None
    sentence: int = 0
    clause: int = 0
    written: str = ""  # as in the text
    opens: bool = False  # the first word of its sentence
    start: int = 0  # where it stands in the reading's text
    end: int = 0


class Reading:
    """A text's items in order, and what is looked up in them."""

    def __init__(self, text: str) -> None:
        self.text = expanded_tables(spelled_out(clean(text)))
        self.quantities = quantities(self.text)
        self.items = _located(_symbols(self._tokens()))

    def with_meanings(self, more: Mapping[str, set[str]]) -> Reading:
        """The same text, the words of these stems with more meanings."""
        made = object.__new__(Reading)
        made.text, made.quantities = self.text, self.quantities
        made.items = [
            item._replace(meanings=item.meanings | more[stem])
            if item.kind == WORD and (stem := lexicon.stem(item.text)) in more
            else item
            for item in self.items
        ]
        return made

    def _tokens(self) -> list[Item]:
        items: list[Item] = []
        pending = list(self.quantities)
        at = 0
        for match in _TOKENS.finditer(self.text):
            while at < len(pending) and pending[at].end <= match.start():
                at += 1
            if at < len(pending) and pending[at].start < match.end():
                if not items or items[-1].quantity is not pending[at]:
                    items.append(Item(QUANTITY, pending[at].text.lower(), quantity=pending[at], written=pending[at].text))
                continue
            items += _items(match[0], self.text, match.start())
        return items

    @cached_property
    def content(self) -> list[Item]:
        """The words that carry a claim, in order."""
        return [item for item in self.items if item.content]

    @cached_property
    def meanings(self) -> frozenset[str]:
        """Every meaning of every word of the text, glue included."""
        found = {meaning for item in self.items if item.kind in (WORD, SYMBOL) for meaning in item.meanings}
        for quantity in self.quantities:
            found.update(
                meaning for part in quantity.text.lower().split() if part.isalpha() for meaning in lexicon.word(part).meanings
            )
            if quantity.kind == "money":
                found |= _OF_MONEY
        return frozenset(found)

    @cached_property
    def sentences(self) -> list[list[Item]]:
        """The items of each sentence; empty ones are left out."""
        found: dict[int, list[Item]] = {}
        for item in self.items:
            found.setdefault(item.sentence, []).append(item)
        return list(found.values())


_GREETING = re.compile(
    r"\A(?:dear|hi|hello)(?:\s+(?:all|everyone|everybody|team|colleagues|both|folks|there|sir|madam|or))*\s*,", re.I
)
_SHOULD = re.compile(r"(?:(?<=[.;:]\s)|\A)[Ss]hould(?= [a-z][^.?]*,)")
"""A condition without an "if": "Should the horn fail, ..."."""
_YOUNG_AND_OLD = re.compile(r"\b(under|over)-(\d{1,2})s\b", re.I)
_PAST = re.compile(
    r"\b(?:last|past|preceding|prior)\s+(?=(?:\d+|[a-z]+(?:-[a-z]+)?)[\s-]"
    r"(?:minutes|hours|days|weeks|months|quarters|years)\b(?!\s+of\b))",
    re.I,
)
_AREA = re.compile(r"\b(square|sq\.?|cubic)\s+((centi|milli|kilo)?met(?:re|er)s?)\b", re.I)
_PER_AMOUNT = re.compile(r"\b([A-Za-z]{1,5})/(?=\d+\s?(?:m[lLg]|[lLg]|kg|[ck]?m)\b)")


def spelled_out(text: str) -> str:
    """ "can't" and "cannot" as "can not"; the possessive's mark is dropped."""
    text = _CONTRACTIONS.sub(lambda m: f"{m[1] or m[2] or ('will' if m[3] else m[4])} not", text)
    text = _SHORTENED.sub(lambda m: " " + _FULL[m[1].lower()], text)
    text = _AGAIN.sub(r"\1 again", text)
    text = text.replace(" down to ", " to ")
    text = _GREETING.sub("", text)
    text = _SHOULD.sub("If", text)
    text = _YOUNG_AND_OLD.sub(r"those \1 \2", text)
    text = _PAST.sub("previous ", text)
    text = _AREA.sub(lambda m: f"{(m[3] or '').lower()[:1]}m{2 if m[1].lower().startswith('sq') else 3}", text)
    text = _PER_AMOUNT.sub(r"\1 per ", text)
    text = re.sub(r"\bFY\s?(?=\d{2,4}\b)", "fiscal year ", text)
    return re.sub(r"(?<=\w)'s\b|(?<=s)'(?=\s)", "", text)


def expanded_tables(text: str) -> str:
    """A table's rows as "row head, column head, value." sentences, so that each value stands with what it is a value of."""
    if "|" not in text:
        return text
    out: list[str] = []
    header: list[str] = []
    for line in text.split("\n"):
        if not _TABLE_LINE.match(line):
            header = []
            out.append(line)
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if _RULE_LINE.match(line):
            continue
        if not header:
            header = cells
            continue
        named = zip(header[1:], cells[1:])
        out.append(" ; ".join(f"{header[0]} {cells[0]} {name} {value}" for name, value in named) + " ;")
    return "\n".join(out) if out else text


def _items(written: str, text: str, start: int) -> list[Item]:
    if written == "\n" and text[:start].rstrip(" ")[-1:] in ":—-,":
        return [Item(BREAK, written, written=written)]  # a list follows, or the line is only broken
    if written in _STOPS:
        return [] if written == "." and _abbreviates(text, start) else [Item(STOP, written, written=written)]
    if written in _BREAKS:
        return [Item(BREAK, written, written=written)]
    lower = written.lower()
    if not lower[0].isalnum():
        return []
    whole = lexicon.word(lower)
    known = whole.negated or lower.startswith(_WHOLE) or lexicon.stem(lower) in lexicon.contrasts() or lower == "e-mail"
    parts = lower.split("-") if "-" in lower and not known else [lower]
    return [_word(part, written)._replace(start=start, end=start + len(written)) for part in parts if part]


def _abbreviates(text: str, start: int) -> bool:
    """Whether a point ends an abbreviation ("U.S.", "a.m.", "No. 5") rather than a sentence."""
    before = re.search(
        r"(?:^|[\s.(])([A-Za-z]{1,2}|No|Dr|Mr|Ms|Mrs|vs|etc|Inc|Ltd|Co|Art|Sec|para)$", text[max(0, start - 6) : start]
    )
    rest = text[start + 1 : start + 3]
    return bool(before) and bool(rest.strip()) and rest[:1] != "\n"


def _word(lower: str, written: str) -> Item:
    known = lexicon.word(lower)
    content = lower not in lexicon.glue() and lexicon.stem(lower) not in lexicon.glue() and len(lower) > 1
    return Item(WORD, lower, meanings=known.meanings, negated=known.negated, content=content, written=written)


def _symbols(items: list[Item]) -> list[Item]:
    """Phrases of the lexicon become symbols; synonyms of several words one word."""
    out: list[Item] = []
    at = 0
    while at < len(items):
        item = items[at]
        if item.kind == WORD:
            if item.content and item.text in _DIMENSIONS and at and items[at - 1].kind == QUANTITY:
                item = item._replace(content=False)  # "6 feet high"
            if item.text == "day" and at and _is_ordinal(items[at - 1]):
                item = item._replace(content=False)  # "the fifth day of each month"
            size, symbol = max(_longest(items, at, lexicon.phrases()), _comparative(items, at))
            joined_size, joined = _longest(items, at, lexicon.phrase_synonyms())
            if joined_size > 1 and _longest(items, at + joined_size - 1, lexicon.phrases())[0] > 1:
                joined_size = 0  # "make up to six"
            if size and size >= joined_size and not _is_name(items, at, size, symbol):
                text = " ".join(each.text for each in items[at : at + size])
                if text == "limited to" and not any(each.kind == QUANTITY for each in items[at + size : at + size + 6]):
                    symbol = "ONLY"  # "access is limited to the manager"
                meanings = frozenset().union(*(each.meanings for each in items[at : at + size]))
                made = Item(SYMBOL, text, symbol=symbol, meanings=meanings, written=item.written)
                out.append(made._replace(start=item.start, end=items[at + size - 1].end))
                at += size
                continue
            if not joined_size and (phrasal := _phrasal(items, at)):
                joined_size, joined = 2, phrasal
            if joined_size:
                word = _word(joined, " ".join(each.written for each in items[at : at + joined_size]))
                out.append(word._replace(start=item.start, end=items[at + joined_size - 1].end))
                at += joined_size
                continue
        out.append(item)
        at += 1
    return out


def _is_ordinal(item: Item) -> bool:
    return item.kind == QUANTITY and (item.text in ORDINALS or item.text.endswith(("st", "nd", "rd", "th")))


_LOW = frozenset(
    {
        "closer",
        "nearer",
        "narrower",
        "thinner",
        "shallower",
        "lower",
        "fewer",
        "smaller",
        "shorter",
        "younger",
        "earlier",
        "sooner",
        "lighter",
        "slower",
        "colder",
        "cheaper",
    }
)


def _comparative(items: list[Item], at: int) -> tuple[int, str]:
    """ "taller than", "no taller than": how an amount is compared, with any adjective."""
    denied = items[at].text in ("no", "not")
    word = at + denied
    if word + 1 >= len(items) or items[word + 1].text != "than" or not items[word].text.endswith("er"):
        return 0, ""
    low = items[word].text in _LOW
    return word + 2 - at, ("GE" if low else "LE") if denied else ("LT" if low else "GT")


_PARTICLES = frozenset(["up", "down", "out", "off", "in", "over", "away", "back", "through", "aside", "apart"])


def _phrasal(items: list[Item], at: int) -> str:
    """ "turned down" as one word where WordNet or our lists know it; "" where they do not."""
    if at + 1 >= len(items) or items[at + 1].text not in _PARTICLES or not items[at].text.isalpha():
        return ""
    after = items[at + 2] if at + 2 < len(items) else None
    if after is not None and (after.kind == QUANTITY or (after.content and items[at + 1].text == "in")):
        return ""  # "work over six days", "kept in writing"
    if _longest(items, at + 1, lexicon.phrases())[0] > 1:
        return ""  # "take up to"
    joined = f"{items[at].text}_{items[at + 1].text}"
    known = lexicon.stem(joined)
    return joined if known in wordnet.table().senses or known in lexicon.synonyms() or known in lexicon.opposites() else ""


def _longest(items: list[Item], at: int, table: dict[str, list[tuple[tuple[str, ...], str]]]) -> tuple[int, str]:
    for words, symbol in table.get(items[at].text, ()):
        size = len(words)
        if words[0] == "or" and at + size < len(items) and items[at + size].text == "than":
            continue  # "or more than" is no "or more"
        if size == 1 or (at + size <= len(items) and all(items[at + k].text == words[k] for k in range(1, size))):
            return size, symbol
    return 0, ""


_ONLY_BEFORE_A_QUANTITY = frozenset(
    [
        *("under", "below", "over", "above", "beyond", "beneath", "about", "around", "max", "min", "estimated"),
        *("beginning", "starting", "effective", "commencing"),
    ]
)
_SWITCHED = frozenset(f"{verb}{end}" for verb in ("turn", "switch", "shut", "power") for end in ("", "s", "es", "ed", "ing"))
_DIMENSIONS = frozenset({"high", "long", "wide", "deep", "tall", "thick", "old", "heavy"})
_NOUNS = frozenset(["limit", "limits", "limited", "cap", "caps", "capped", "maximum", "minimum", "ceiling"])


def _is_name(items: list[Item], at: int, size: int, symbol: str) -> bool:
    """A preposition compares only where an amount follows: "under 21", not "under this section"."""
    text = items[at].text
    if text in ("permit", "permits", "ban", "bans") and size == 1:
        return at > 0 and items[at - 1].text in (
            "a",
            "an",
            "the",
            "this",
            "any",
            "each",
            "no",
            "valid",
            "of",
            "work",
            "building",
        )
    if size > 1 or symbol not in ("LE", "GE", "LT", "GT", "APPROX", "AFTER", "FROM", "UNTIL", "OFF"):
        return False
    if text == "off" and symbol == "OFF":
        return not any(each.text in _SWITCHED for each in items[max(0, at - 6) : at])
    if text == "through":
        return not any(each.kind == QUANTITY for each in items[at + 1 : at + 3])
    if text == "later":
        return at == 0 or items[at - 1].kind != QUANTITY
    if text not in _ONLY_BEFORE_A_QUANTITY and text not in _NOUNS:
        return False
    near = items[at + 1 : at + 6] if text not in _NOUNS else [*items[max(0, at - 3) : at], *items[at + 1 : at + 9]]
    return not any(each.kind == QUANTITY and each.quantity is not None and each.quantity.kind != "id" for each in near)


def _located(items: list[Item]) -> list[Item]:
    sentence = clause = 0
    opens = True
    out = []
    for item in items:
        out.append(item._replace(sentence=sentence, clause=clause, opens=opens and item.kind in (WORD, SYMBOL)))
        if item.kind == STOP:
            sentence, clause, opens = sentence + 1, clause + 1, True
        else:
            opens = opens and item.kind == BREAK
            clause += item.kind == BREAK
    return out
