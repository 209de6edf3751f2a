"""Every number, amount, date, time, duration, identifier and citation of a text, each in one canonical form.

Two texts say the same where their canonical forms are the same: "$1.5 million", "USD 1,500,000" and "one and a half million
dollars" are one amount; "1 March 2027", "March 1, 2027" and "2027-03-01" are one date. Reading is linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from pincite.enrich.gate import elided, lexicon, units
from pincite.enrich.gate.dates import dates, times
from pincite.enrich.gate.numerals import MULTIPLES, SCALES, numeral
from pincite.enrich.gate.quantity import Quantity

_CODE = r"[A-Za-z]{1,6}[- ]?\d"
IDS = re.compile(
    r"(?<![\w.$€£])(?:"
    r"(?P<named>[A-Z]{2,8}[ -]\d[A-Za-z0-9]*(?:[-./:]\d[A-Za-z0-9]*)*(?:\([A-Za-z0-9]{1,5}\))*)"
    r"|(?P<nested>\d+(?:\.\d+)*[a-z]?(?:-\d+)?\s?(?:\([A-Za-z0-9]{1,5}\)\s?)+)(?!\w)"
    r"|§+\s*(?P<section>\d[\w.-]*\w|\d)(?P<inner>(?:\s?\([A-Za-z0-9]{1,5}\))*)"
    r"|(?i:sub)?(?i:sections?|paragraphs?|clauses?|subparagraphs?|items?|subclauses?|articles?|rules?)\s+(?P<marks>(?:\([A-Za-z0-9]{1,5}\)\s?)+)"
    r"|(?P<mixed>(?=[\w./-]*\d)(?=[\w./-]*[A-Za-z])[A-Za-z0-9]+(?:[-./_][A-Za-z0-9]+)*)"
    r")"
)
_ROMAN = re.compile(
    r"\b(?P<of>[Cc]lass|[Tt]ype|[Pp]art|[Tt]itle|[Pp]hase|[Ss]chedule|[Aa]ppendix|[Aa]nnex|[Ll]evel|[Gg]rade|[Cc]ategory|[Tt]ier|[Cc]hapter|[Aa]rticle|[Ss]tage|[Gg]roup|[Vv]olume|[Bb]ook|[Zz]one|[Ll]ine|[Ss]helf|[Tt]able|[Ff]igure|[Ee]xhibit|[Ff]orm|[Oo]ption|[Pp]lan|[Pp]oint|[Tt]eam|[Gg]ate|[Dd]rug|[Dd]oor|[Bb]ay|[Ss]ite|[Ww]ing|[Bb]lock|[Uu]nit|[Hh]all)"
    r"(?:es|s)?\s+(?P<mark>[IVX]{1,5}|[A-Z])\b(?!\.?\s*[a-z]*'s)(?!\s+[A-Z][a-z])"
)
ENUMERATOR = re.compile(
    r"(?:^|(?<=[;:.,\n]\s)|(?<=\n)|(?<=\band\s)|(?<=\bor\s))\s*((?:\([A-Za-z0-9]{1,4}\)\s?)+|\d{1,2}[.)]\s)(?=\S)"
)
_SYMBOL = r"(?:US\$|C\$|A\$|NZ\$|HK\$|R\$|[$€£¥₹₩₪₺])"
_CODES = "|".join(sorted({name.upper() for name in units.money() if len(name) == 3 and name.isalpha()}))
_DIGITS = r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:[  ']\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:\.\d+)?|\.\d+"
_COUNTED = (
    r"(?!\s+(?:people|customers?)\b)(?!\s+(?!(?:is|was|has|as|does|across|always|towards|upwards|downwards|its|this|unless|plus|minus|less)\b)"
    r"[a-z]+[^s\W]s\b)"
)
_LENGTH = rf"(?:{_COUNTED})"  # "45 m from", where no plural follows that would be counted by millions: a length
NUMBERS = re.compile(
    rf"(?P<open>\()?(?P<sign>(?<![\w)\]%.])(?:-|\+|±|\+/-)\s?|(?:\bminus|\bnegative|\bplus or minus)\s+)?"
    rf"(?:(?P<cur>{_SYMBOL}|\b(?:{_CODES})\b)\s?)?(?P<sign2>-)?(?P<num>(?<![\d.])(?:{_DIGITS}))"
    r"(?:,(?P<dec>\d{1,2})(?![\d,]))?"
    r"(?:\s?[x×·*]\s?10\s?(?:\^|\*\*)?\s?(?P<pow>[-+]?\d{1,3})(?!\d)|[eE](?P<exp>[-+]?\d{1,3})(?!\w))?"
    r"(?:(?P<ord>st|nd|rd|th)\b)?(?:\s?/\s?(?P<den>\d{1,4})(?![\d/]))?"
    r"(?:\s+(?P<mixed>\d)/(?P<mden>\d{1,2})(?![\d/]))?"
    rf"(?:(?P<mult>\s?(?:bn|mn|k|m(?!{_LENGTH})|M|K)(?![\w/])|\s?-?(?:hundred|thousand|million|billion|trillion|lakh|crore)s?\b))?(?P<close>\))?"
)
_LETTERED = {"bn": 10**9, "mn": 10**6, "k": 1000, "m": 10**6}
_WORDS = re.compile(r"[A-Za-z]+|[°%µ‰]|\S")


def quantities(text: str) -> list[Quantity]:
    """All quantities of a cleaned text, in order, none overlapping another."""
    taken = bytearray(len(text))
    found: list[Quantity] = []
    for reader in _READERS:
        for quantity in reader(text, taken):
            if not any(taken[quantity.start : quantity.end]):
                taken[quantity.start : quantity.end] = b"\1" * (quantity.end - quantity.start)
                found.append(quantity)
    return _with_inherited_units(text, sorted(found))


# --- citations -----------------------------------------------------------------------------------------------------------

_MAY_CITE = re.compile(
    r"§|\d\s*(?:C\.?F\.?R|U\.?S\.?C|Stat|Fed|F\.?R)"
    r"|Pub(?:lic|\.)?\s*L|\bE\.?O\.?\s*\d|Executive Order|\b[Pp]arts?\s+\d|[Ss]ections?\s+\d"
)


def _citations(text: str, taken: bytearray) -> Iterator[Quantity]:
    """References with a target, as ``pincite.references`` reads them: compared by what they cite, not by how."""
    if not _MAY_CITE.search(text):
        return
    from pincite.references import find

    for mention in find(text):
        if mention.target_node_id and any(c.isdigit() for c in mention.text):
            value = mention.target_node_id + (f"–{mention.target_end_node_id}" if mention.target_end_node_id else "")
            yield Quantity(mention.start, mention.end, "id", frozenset({value}), "", mention.text)


# --- identifiers ---------------------------------------------------------------------------------------------------------


def _enumerators(text: str, taken: bytearray) -> Iterator[Quantity]:
    """Marks at the head of a sentence or an item: they may be left out, but none may be invented."""
    for match in ENUMERATOR.finditer(text):
        value = "".join(match[1].split()).strip(".)(").lower()
        yield Quantity(match.start(1), match.end(1), "id", frozenset({f"({value})"}), "", match[1].strip(), soft=True)


def _marks(text: str, taken: bytearray) -> Iterator[Quantity]:
    for match in _ROMAN.finditer(text):
        yield Quantity(match.start("mark"), match.end("mark"), "id", frozenset({match["mark"]}), "", match[0])
        rest = re.compile(r"(?:,\s*|\s+(?:and|or|to)\s+|,\s*(?:and|or)\s+)(?:(?i:class|type)\s+)?([IVX]{1,5}|[A-Z])\b(?!\.)")
        at = match.end()
        while following := rest.match(text, at):
            yield Quantity(following.start(1), following.end(1), "id", frozenset({following[1]}), "", following[0])
            at = following.end()


_LETTER = re.compile(r"(?<=[a-z][ ])(?<!\bby\s)(?<!\bof\s)(?P<mark>[A-HJ-Z])\b(?!['.]\s*\S)(?!/)(?!\s+[A-Z][a-z])")


def _letters(text: str, taken: bytearray) -> Iterator[Quantity]:
    """A capital letter as a name: "drug A", "option B"."""
    for match in _LETTER.finditer(text):
        yield Quantity(match.start(), match.end(), "id", frozenset({match["mark"]}), "", match["mark"])


def _ids(text: str, taken: bytearray) -> Iterator[Quantity]:
    at = 0
    while match := IDS.search(text, at):
        at = match.end()
        if match["named"]:
            head = re.split(r"[ -]", match["named"])[0]
            measured = " " in match["named"] and _unit_at(text, match.end())[0] is not None  # "VAT 19 percent"
            if _is_heading(head):
                at = match.start() + len(head)
                continue
            if head.lower() in units.money() or head in ("AM", "PM", "FY") or measured:
                continue
            yield _identifier(match.start(), match.end(), match["named"])
        elif match["mixed"]:
            if not _is_measure(match["mixed"]):
                yield _identifier(match.start(), match.end(), match["mixed"])
        else:
            start = match.start("marks") if match["marks"] else match.start()
            written = match["nested"] or match["marks"] or (match["section"] or "") + (match["inner"] or "")
            end = match.end() - (len(match[0]) - len(match[0].rstrip()))
            yield _identifier(start, end, written.strip(), keep_case=True)


def _is_heading(head: str) -> bool:
    """Whether what looks like a code is a word in capitals: "RULE 7.5"."""
    return len(head) > 3 and head.lower() in lexicon.words("structural")


def _identifier(start: int, end: int, written: str, keep_case: bool = False) -> Quantity:
    value = re.sub(r"[\s§]+" if keep_case else r"[\s\-_]+", "", written)
    return Quantity(start, end, "id", frozenset({value.lower() if keep_case else value.upper()}), "", written)


_MEASURE = re.compile(
    r"\d[\d.,]*(?:[eE][-+]?\d+|(?:st|nd|rd|th))?$|[\d.,]+-?(?P<unit>[A-Za-zµ°%]+(?:/[A-Za-z]+)?)$|[\d.]+-(?P<words>[a-z]+)(?:-[a-z]+)*$"
)


def _is_measure(written: str) -> bool:
    """Whether letters and digits are a number with its unit ("500mg", "90-day", "2nd", "1.8e-3") rather than a name."""
    match = _MEASURE.match(written)
    if not match:
        return False
    unit = match["unit"] or match["words"]
    if not unit:
        return True
    return bool(match["words"]) or unit.lower() in _LETTERED or _unit_named(unit) is not None or "/" in unit or unit == "x"


# --- numbers -------------------------------------------------------------------------------------------------------------


def _numbers(text: str, taken: bytearray) -> Iterator[Quantity]:
    at = 0
    while match := NUMBERS.search(text, at):
        at = max(match.end(), at + 1)
        if any(taken[match.start("num") : match.end("num")]) or (match.start("num") and text[match.start("num") - 1].isalpha()):
            at = max(match.end("num"), at) if not any(taken[match.start() : match.end()]) else match.end("num")
            continue
        quantity = _number(text, match)
        at = max(quantity.end, match.start() + 1)
        yield quantity


def _number(text: str, match: re.Match[str]) -> Quantity:
    value, end = _value(match), match.end() - (1 if match["close"] else 0)
    start = match.start() + (1 if match["open"] else 0)
    code = units.money().get((match["cur"] or "").lower())
    sign = (match["sign"] or match["sign2"] or "").strip()
    accounting = match["open"] and match["close"] and code and not text[: match.start()].rstrip(" ")[-1:].islower()
    if accounting:
        start, end = match.start(), match.end()
    if sign in ("-", "minus", "negative") or accounting:
        value = -value
    if code and match["mult"] is None and (scale := re.compile(r"\s?([mk]|bn|mn)\b").match(text, end)):
        value, end = value * _LETTERED[scale[1].lower()], scale.end()
    spread = "±" if sign in ("±", "+/-", "plus or minus") else ""
    return _measured(text, start, end, value, code, spread, bool(match["ord"]))


def _value(match: re.Match[str]) -> Fraction:
    written = match["num"]
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", written):
        written = written.replace(".", "").replace(",", ".")
    written = re.sub(r"[,  '](?=\d{3})", "", written)
    if match["dec"]:
        written = f"{written}.{match['dec']}"
    value = Fraction(written.replace(",", "."))
    power = match["pow"] or match["exp"]
    if power:
        value *= Fraction(10) ** int(power)
    if match["den"] and int(match["den"]):
        value /= int(match["den"])
    if match["mixed"] and int(match["mden"]):
        value += Fraction(int(match["mixed"]), int(match["mden"]))
    scale = (match["mult"] or "").strip(" -").lower()
    return value * (SCALES.get(scale) or SCALES.get(scale.rstrip("s")) or _LETTERED.get(scale, 1)) if scale else value


def _measured(text: str, start: int, end: int, value: Fraction, code: str | None, spread: str, ordinal: bool) -> Quantity:
    """A number with the unit or currency that follows it."""
    out_of = re.compile(r"\s+(?:out\s+of|in\s+every)\s+(\d+)\b").match(text, end)
    if out_of and not code and int(out_of[1]):
        value, end = value / int(out_of[1]), out_of.end()
    if code:
        return Quantity(start, end, "money", frozenset({value}), code + spread, text[start:end])
    country = re.compile(r"\s+U\.?S\.?(?=\s+dollars?\b)").match(text, end)
    unit, after = _unit_at(text, country.end() if country else end)
    if unit is None and (between := _BEFORE_UNIT.match(text, end)):  # "10 consecutive hours"
        unit, after = _unit_at(text, between.end())[0], end
    if unit is None and (open_ended := _OR_MORE.match(text, end)):  # "10 or more years"
        unit, after = _unit_at(text, open_ended.end())[0], end
    if unit is None and (label := _LABEL.search(text, max(0, start - 24), start)):  # "Hours: 12,450"
        named = _unit_named(label[1]) if len(label[1]) > 2 else None
        unit, after = (named, end) if named is not None and named.kind in ("period", "measure") else (None, end)
    if unit is None or (ordinal and unit.kind != "percent"):
        return Quantity(start, end, "number", frozenset({value}), spread, text[start:end])
    scaled = value * unit.scale
    return Quantity(start, after, unit.kind, frozenset({scaled}), unit.name + spread, text[start:after])


_BEFORE_UNIT = re.compile(
    r"\s+(?!or\b|and\b|to\b|of\b|per\b|times\b|business\b|working\b|calendar\b)[a-z]{4,}(?=\s(?:minutes|hours|days|nights|weeks|months|years)\b)"
    r"|\s+(?:consecutive|further|additional|full|more|extra|other|whole|complete|successive|continuous|uninterrupted|clear)(?=\s)",
    re.I,
)
_LABEL = re.compile(r"\b([A-Za-z]+)\)?\s*[:=]\s*$")
_OR_MORE = re.compile(r"\s+or\s+(?:more|less|fewer|longer|above|below)\b")
_UNIT_WORDS = re.compile(r"[\s-]{0,2}(?P<a>[A-Za-zµ°%‰]+(?:(?<=m)[23](?!\w))?|₹)(?P<more>(?:\s+(?:[A-Za-z]+)){0,2})")
_PER = re.compile(r"\s?/\s?(?P<sym>[A-Za-zµ]{1,5}\d?)\b|\s+per\s+(?P<word>[A-Za-z]+)")


def _unit_at(text: str, at: int) -> tuple[units.Unit | None, int]:
    """The unit written from *at* on, and where it ends; with a denominator where it has one."""
    match = _UNIT_WORDS.match(text, at)
    if not match:
        return None, at
    following = text[match.start("a") : match.end()]
    unit, size = _longest_unit(following)
    if unit is None:
        compound = re.compile(r"\s?([A-Za-zµ]{1,5})(?:/|\s+per\s+(?=m[lLg]\b|[lLg]\b|kg\b))([A-Za-z]{1,6}\d?)\b").match(
            text, at
        )
        if compound:
            return units.Unit("measure", f"{compound[1]}/{compound[2]}".lower()), compound.end()
        return None, at
    end = match.start("a") + size
    if size < 3 and "\n" in text[at : match.start("a")]:
        return None, at  # a letter that begins the next line
    if unit.kind == "measure" and (per := _PER.match(text, end)):
        below = _unit_named(per["sym"] or per["word"])
        if below is not None and below.kind in ("measure", "period"):
            return units.Unit("measure", f"{unit.name}/{below.name}", unit.scale / below.scale), per.end()
        if per["sym"]:
            return units.Unit("measure", f"{unit.name}/{per['sym'].lower()}", unit.scale), per.end()
    return unit, end


def _longest_unit(following: str) -> tuple[units.Unit | None, int]:
    first = re.match(r"[A-Za-zµ]+(?:(?<=m)[23](?!\w))?|[°%‰]\s?[CFcf]?(?![A-Za-z])|[°%‰]", following)
    if first is None:
        return None, 0
    words = following.split(" ")
    for name in units.longest().get(words[0].lower(), ()):
        if following.lower().startswith(name.lower()) and not following[len(name) : len(name) + 1].isalpha():
            unit = _unit_named(following[: len(name)])
            if unit is not None:
                return unit, len(name)
    unit = _unit_named(first[0].strip())
    if unit is None and first[0][:1] in "°%‰":
        unit = _unit_named(first[0][:1])
        return unit, 1
    return unit, len(first[0])


def _unit_named(written: str) -> units.Unit | None:
    if written.lower() in units.money() and len(written) > 1:
        return units.Unit("money", units.money()[written.lower()])
    table = units.units()
    if written in table:
        return table[written]
    return table.get(written.lower()) if len(written) > 2 or written.lower() in ("°c", "°f", "iu") else None


# --- numbers in words, and frequencies -----------------------------------------------------------------------------------


def _written(text: str, taken: bytearray) -> Iterator[Quantity]:
    spans = [(m.start(), m.end(), m[0].lower()) for m in _WORDS.finditer(text) if m[0] != "-"]
    words = [word for _, _, word in spans]
    at = 0
    while at < len(words):
        start = spans[at][0]
        found = numeral(words, at) if not taken[start] else None
        if found is not None and not any(taken[start : spans[at + found.words - 1][1]]):
            yield _spelled(text, words, spans, at, found.words, found.value, found.ordinal)
            at += found.words
            continue
        if words[at] in MULTIPLES and not taken[start] and not _twice_a_year(words, at):
            yield Quantity(start, spans[at][1], "measure", frozenset({Fraction(MULTIPLES[words[at]])}), "times", words[at])
        at += 1


def _spelled(
    text: str, words: list[str], spans: list[tuple[int, int, str]], at: int, size: int, value: Fraction, ordinal: bool
) -> Quantity:
    start, end = spans[at][0], spans[at + size - 1][1]
    sign = re.compile(r"(?:minus|negative)\s+$").search(text, max(0, start - 12), start)
    if sign:
        start, value = sign.start(), -value
    quantity = _measured(text, start, end, value, None, "", ordinal)
    code = re.compile(r"\s+(?:US\s+)?(dollars?|euros?|pounds?|cents|pence)\b", re.I).match(text, end)
    if code and quantity.kind == "number":
        quantity = _measured(text, start, end, value, None, "", ordinal)
    one = (value == 1 and size == 1 and quantity.kind == "number") or elided.announces(text, end)
    return quantity._replace(soft=True) if one else quantity


_PARTS_OF_HOUR = re.compile(r"\b(?:(?:(every|each)\s+|a\s+)quarter|(three[\s-]quarters))\s+of\s+an\s+hour\b", re.I)


def _quarters(text: str, taken: bytearray) -> Iterator[Quantity]:
    """ "a quarter of an hour"."""
    for match in _PARTS_OF_HOUR.finditer(text):
        seconds = Fraction(2700 if match[2] else 900)
        yield Quantity(*match.span(), "every" if match[1] else "period", frozenset({seconds}), "s", match[0])


_ARTICLE = re.compile(r"\ban?\s+(minute|hour|day|week|fortnight|month|quarter|year)\b", re.I)


def _single_periods(text: str, taken: bytearray) -> Iterator[Quantity]:
    """Of "within an hour", which is within one hour; it may be left out, since "a day" need not be an amount."""
    for match in _ARTICLE.finditer(text):
        unit = units.units()[match[1].lower()]
        yield Quantity(*match.span(), unit.kind, frozenset({unit.scale}), unit.name, match[0], soft=True)


def _twice_a_year(words: list[str], at: int) -> bool:
    return at + 1 < len(words) and words[at + 1] in (
        "a",
        "an",
        "per",
        "each",
        "every",
        "daily",
        "weekly",
        "monthly",
        "yearly",
        "annually",
    )


_EVERY_WORDS = {
    "hourly": "hour", "daily": "day", "weekly": "week", "fortnightly": "fortnight", "monthly": "month", "quarterly": "quarter",
    "annually": "year", "annual": "year", "yearly": "year",
}  # fmt: skip
_HALVES = {"biennial": 24, "biennially": 24, "bimonthly": 2}  # every other is half a year
_EVERY = re.compile(
    r"\b(?:(?P<times>once|twice|thrice|(?P<n>\d+|two|three|four|five|six)\s+times)\s+)?(?P<per>a|an|per|each|every|(?:in\s+)?any|for\s+every)\s+"
    r"(?P<unit>minute|hour|day|week|fortnight|month|quarter|year)\b(?!\s+of\s+(?!delay|late))(?!-)|\b(?P<word>hourly|daily|weekly|fortnightly|monthly|quarterly|annually|annual|yearly)\b"
    r"|\b(?P<half>semi-?annual(?:ly)?|bi-?annual(?:ly)?|half-yearly|biennial(?:ly)?|bimonthly)\b|\b(?P<times2>once|twice|(?:\d+|two|three|four|five|six)\s+times)\s+(?P<ly>daily|weekly|monthly|yearly|annually)\b",
    re.I,
)
_TIMES_A = {"once": 1, "twice": 2, "thrice": 3, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def _times_per(text: str, taken: bytearray) -> Iterator[Quantity]:
    """ "two times per day", "3 times a week": before their numbers are read as numbers."""
    yield from (quantity for quantity in _frequencies(text, taken) if " times " in quantity.text)


def _frequencies(text: str, taken: bytearray) -> Iterator[Quantity]:
    """ "daily", "a month", "per year", "twice a year": how often, as the time between."""
    for match in _EVERY.finditer(text):
        if match["half"]:
            yield Quantity(
                *match.span(), "every", frozenset({Fraction(_HALVES.get(match["half"].lower(), 6))}), "month", match[0]
            )
            continue
        named = match["ly"] or match["word"]
        unit = units.units()[_EVERY_WORDS[named.lower()] if named else match["unit"].lower()]
        times = (re.sub(r"\s+times$", "", match["times2"] or "") or match["n"] or match["times"] or "once").lower()
        count = int(times) if times.isdigit() else _TIMES_A.get(times, 1)
        if match["per"] in ("a", "an") and not match["times"] and not _after_amount(text, match.start(), taken):
            continue
        yield Quantity(*match.span(), "every", frozenset({unit.scale / max(count, 1)}), unit.name, match[0])


def _after_amount(text: str, start: int, taken: bytearray) -> bool:
    """Whether "a month" follows an amount closely, so that it says how often: "£5 a month", "six trout a day"."""
    for word in reversed(list(re.finditer(r"\S+", text[max(0, start - 40) : start]))[-3:]):
        at = max(0, start - 40) + word.start()
        if any(taken[at : at + len(word[0])]):
            return True
        if word[0][-1] in ".,;:" or word[0] in ("in", "within", "for", "after"):
            return False
    return False


_READERS = (
    *(_citations, _times_per, _quarters, dates, _enumerators, times, _marks, _ids, _letters),
    *(_numbers, _written, _frequencies, _single_periods),
)
"""In the order of their claim on a text."""


def _with_inherited_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """In "2–8 °C", "6 to 12 years" and "80 and 90 percent" the first number has the unit of the second; "every six months" is
    a frequency."""
    for at in range(len(found) - 2, -1, -1):
        first, second = found[at], found[at + 1] = _one_currency(text, found[at], found[at + 1])
        between = text[first.end : second.start].strip().lower()
        inherits = second.kind in ("percent", "measure", "period", "money") and second.text[:1].isdigit()
        if first.kind == "number" and inherits and between in _JOINS and not _year_like(first) and not _labelled(text, first):
            scale = _scale_of(second)
            found[at] = first._replace(
                kind=second.kind,
                unit=second.unit,
                values=frozenset({value * scale for value in first.values}),  # type: ignore[operator]
            )
    found = elided.with_units_from_before(text, found)
    for at, each in enumerate(found):
        if each.kind == "period" and _says_how_often(text, each):
            found[at] = each._replace(kind="every")
    return found


_OFTEN = re.compile(
    r"\b(?:every|per|each|in any|once in|one in)\s*$"
    r"|\b(?:at most|no more than|not more than|only|a maximum of)\s+(?:\w+\s+){1,4}in\s+(?:any\s+|a\s+)?$"
    r"|\b(?:doses?|tablets?|capsules?)\s+in\s+$"
    r"|\bintervals?\b[^.;]{0,30}\b(?:is|are|of)\s$",
    re.I,
)


_APART = re.compile(r"[\s-]intervals?\b|\s+(?:or (?:more|longer) )?(?:apart\b|between (?:each |the )?[a-z]+s\b(?! and\b))")


def _says_how_often(text: str, period: Quantity) -> bool:
    """ "every 30 minutes", "30-minute intervals", "at most one increase in 12 months"."""
    after = text[period.end : period.end + 40].lower()
    return bool(_OFTEN.search(text[max(0, period.start - 60) : period.start]) or _APART.match(after))


_SCALED = re.compile(r"(?:hundred|thousand|[mb]illion|trillion|bn|mn|k|m)$", re.I)


def _one_currency(text: str, first: Quantity, second: Quantity) -> tuple[Quantity, Quantity]:
    """Of "$600–650 million" both ends are millions of dollars."""
    between = text[first.end : second.start].strip()
    if first.kind != "money" or second.kind != "number" or between not in ("-", "–", "to") or not first.text[-1].isdigit():
        return first, second
    scale = _SCALED.search(second.text)
    size = SCALES.get(scale[0].lower()) or _LETTERED.get(scale[0].lower(), 1) if scale else 1
    raised = frozenset(value * size for value in first.values)  # type: ignore[operator]
    return first._replace(values=raised), second._replace(kind="money", unit=first.unit)


_LABELS = re.compile(
    r"\b(?:heading|section|article|item|line|code|no|number|room|extension|chapter|clause|rule|part|form|page|table|lot|batch|ticket)s?\.?\s+$",
    re.I,
)


def _labelled(text: str, quantity: Quantity) -> bool:
    """Whether a number is a name: "heading 6403, and 8 %"."""
    return bool(_LABELS.search(text, max(0, quantity.start - 16), quantity.start))


def _year_like(quantity: Quantity) -> bool:
    return len(quantity.text) == 4 and quantity.text[:2] in ("19", "20")


_JOINS = frozenset({"-", "–", "—", "to", "and", "or", "through", "- to", ",", ", and", ", or"})


def _scale_of(quantity: Quantity) -> Fraction:
    written = re.search(r"[A-Za-zµ°%].*$", quantity.text)
    unit = _longest_unit(written[0])[0] if written else None
    return unit.scale if unit is not None else Fraction(1)
