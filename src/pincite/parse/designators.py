"""What a paragraph prints in front of itself: ``(a)(1) <I>Heading.</I> (i)``, and designators that follow in its text.

A designator says which *kinds* of numbering it can belong to: ``(i)`` is the letter after (h) or roman one, ``(1)`` in
italics is not ``(1)``. Which of them it is, and at which level it stands, is decided by :mod:`pincite.parse.outline` over a
whole section.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pincite.parse.scan import Inline, Text

ITALIC_TAGS = frozenset({"I", "em"})


Readings = tuple[tuple[str, int, int], ...]
"""Every numbering a designator can belong to: kind, first and last place."""


class Designator(NamedTuple):
    """One printed designator. ``start`` and ``end`` are character offsets into the paragraph's text."""

    label: str  # "(a)"; "(1)-(3)" for a range
    readings: Readings
    start: int
    end: int
    heading: str = ""  # the italic heading that follows it
    optional: bool = False  # found inside the text: a level only where the paragraphs around it need it
    series: bool = False  # optional, of a list that runs on in the text: a level where exactly one place is free for it


_ROMAN = re.compile(r"(?:x{0,3})(?:ix|iv|v?i{0,3})|xl(?:ix|iv|v?i{0,3})|l(?:ix|iv|v?i{0,3})")
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50}
_LABEL = r"[a-z]{1,7}|[A-Z]{1,7}|[0-9]{1,3}"
_DOTTED = re.compile(r"([0-9]{1,2}|[ivx]{1,5}|[IVX]{1,5}|[A-Za-z])\.\s*(?=\S)")
_HEADING_NUMBER = re.compile(
    r"(?:\((?P<bracketed>[a-z]{1,4}|[A-Z]{1,3}|[0-9]{1,2})\)|(?P<dotted>[0-9]{1,2}|[ivx]{1,5}|[IVX]{1,5}|[A-Za-z])\.)(?=\s|—|$)"
)
_COMPOUND = re.compile(
    r"(S[0-9]{1,2}(?:\.[0-9]{1,3})*|[A-Z]?[0-9]{1,3}(?:\.[0-9]{1,3})+(?:\.[a-z])?|[A-Z](?:\.[0-9]{1,3})+"
    r"|[IVX]{1,5}(?:\.[A-Z0-9]{1,2})+)\.?(?:\s+|(?=—)|(?=(?:\([A-Za-z0-9]{1,4}\)){1,3}\s))(?=[A-Z“\"(\[§—])"
)
_EXAMPLE = re.compile(
    r"((?:Example|Illustration|Criterion|Guideline|Question|Step|Case|Situation|Scenario|Principle)"
    r" (?:[0-9]{1,3}|[A-Z]|[IVX]{2,4})"
    r"(?:\([a-z]\))?|Example)(?:[.:]\s*|\s*(?=[—–(])|$)"
)
_FURTHER = re.compile(r"(?:a|i|A|1)\.\s+(?=\S)")
_NAMED = re.compile(r"(Section|Sec\.|Article)\s+([0-9]{1,2}|[IVX]{1,5})\.\s+(?=\S)")
"""What numbers the paragraphs of an instrument that an appendix or extract words."""
_TO_FILL_IN = re.compile(r"(?:_+|□|☐)\s*(?=\()")
_LEADING = re.compile(rf"\s*\(\s*(?:(?P<twice>\()\s*)?(?P<label>{_LABEL})\s*\)(?(twice)\s*\))")
"""``(a)``, and ``((a))``, as it stands where the brackets were put in italics with the letter."""
_RANGE = re.compile(rf"\s*(?:-|–|—|through|to|,|and)\s*\(\s*({_LABEL})\s*\)(?=[\s\[(,.–—-]|$)")
_RESERVED = re.compile(r"\s*\[\s*reserved\s*\.?\s*\]", re.IGNORECASE)
_HEADED = re.compile(r"([^().:—]{2,70}[.—])\s*(?=\(\s*(?:1|i|A)\s*\))")
_INNER = re.compile(
    rf"\(\s*({_LABEL})\s*\)(?=\s+\S|\(\s*[aiA1]\s*\)\s+\S)(?!\s+(?:of|to|through|and|or)\s+(?:this|the|th(?:at|ese)|paragraph|section|\())"
)
_SINGLE = re.compile(rf"\(({_LABEL})\)\s+(?![\s(]|(?:-|–|—|through|to|,|and)\s*\()")
"""One designator and no further one or range after it: what most paragraphs begin with."""
_LIKE = re.compile(r"\((?:[a-zA-Z]{1,5}|[0-9]{1,2})\)\s")
"""What could be a designator further on."""
_BEGINS_INSIDE = re.compile(
    r"(?:(?<=[a-z)]\.)(?=\s\(\w\)\s+[A-Z])"
    r"|(?<![.;:,)§])(?<!section)(?<!sections)(?<!paragraph)(?<!paragraphs)(?<!clause)(?<!and)(?<!or)(?<!part))\s"
    r"\((1|i|A|a)\)(?=\s+[A-Za-z])(?!\s+(?:of|to|through|and|or)\s)"
)
"""A first designator inside a sentence, "… in which (i) such plan …, and", or after one, where the next text is (ii)."""
_BEFORE = re.compile(r"(?:([;.,])(?:\s+(?:and|or|and/or))?|([:—–])|\s(?:and|or))\s*$")
_FIRST = frozenset({"1", "i", "A", "a"})


def roman(label: str) -> int:
    """The value of a lower-case roman numeral up to 89, 0 where it is none."""
    if not label or not _ROMAN.fullmatch(label):
        return 0
    values = [_VALUES[letter] for letter in label]
    return sum(-v if v < after else v for v, after in zip(values, [*values[1:], 0], strict=True))


@lru_cache(maxsize=4096)
def kinds_of(label: str, italic: bool) -> tuple[tuple[str, int], ...]:
    """Every numbering *label* can belong to, with its place in it; kinds in italics begin with ``*``.

    >>> kinds_of("i", False)
    (('a', 9), ('i', 1))
    """
    star = "*" if italic else ""
    if label.isdigit():
        return ((star + "1", int(label)),) if label[0] != "0" else ()
    lower = label.lower()
    found: list[tuple[str, int]] = []
    if len(set(lower)) == 1 and len(lower) <= 3:
        place = 26 * (len(lower) - 1) + ord(lower[0]) - 96
        found.append((star + ("a" if label == lower else "A"), place))
    if value := roman(lower):
        found.append((star + ("i" if label == lower else "I"), value))
    return tuple(found)


@lru_cache(maxsize=4096)
def _plain(label: str) -> tuple[Readings, str]:
    """The readings of an upright designator, and how it is printed."""
    return tuple((kind, place, place) for kind, place in kinds_of(label, False)), f"({label})"


def italics_of(text: Text) -> list[Inline]:
    """The italic stretches of a text, in characters."""
    if not text.marks:
        return []
    return [i for i in text.inlines() if i.tag in ITALIC_TAGS or (i.tag == "E" and i.kind == "03")]


def dotted(text: Text) -> list[Designator]:
    """``1.``, ``i.``, ``A.`` before a paragraph of an appendix or under a heading, one or, after a heading, two."""
    found: list[Designator] = []
    position, italics = 0, italics_of(text)
    if named := _NAMED.match(text.text):
        kinds = kinds_of(named.group(2).lower(), False)
        readings = tuple((f"{named.group(1)} {kind}.", place, place) for kind, place in kinds if kind != "a")
        heading = _heading(text.text, named.end(), italics)[0]
        return [Designator(f"{named.group(1)} {named.group(2)}.", readings, 0, named.end(), heading)] if readings else []
    while match := _DOTTED.match(text.text, position):
        end = match.end()
        direct = text.text[end - 1] == "."
        if direct and not any(i.start == end for i in italics) and not _FURTHER.match(text.text, end):
            break  # "i.e." and "1.5" are no numbers of paragraphs; "1." right before italics is, and before "a. "
        own = any(i.start <= match.start() < i.end <= end for i in italics)
        readings = tuple((f"{kind}.", place, place) for kind, place in kinds_of(match.group(1), own))
        if not readings or (found and all(place > 1 for _, place, _ in readings)):
            break
        heading = _heading(text.text, match.end(), italics)[0]
        found.append(Designator(f"{match.group(1)}.", readings, position, match.end(), heading))
        if not heading and not _FURTHER.match(text.text, end):
            break
        position = text.text.find(heading[-1], end + len(heading) - 1) + 1 if heading else end
        while position < len(text.text) and text.text[position] in " \n\t—–":
            position += 1
    return found


def numbered_heading(text: Text) -> Designator | None:
    """What numbers a heading: ``I.``, ``A.``, ``(b)``, ``4.1``, ``IV.A``; of kinds that end with "h" but for several parts."""
    printed = text.text
    if found := compound(printed):
        return found
    match = _HEADING_NUMBER.match(printed)
    if not match:
        return None
    label = match["bracketed"] or match["dotted"]
    dot, shown = ("", f"({label})") if match["bracketed"] else (".", f"{label}.")
    readings = tuple((f"{kind}{dot}h", place, place) for kind, place in kinds_of(label, False))
    return Designator(shown, readings, 0, match.end(), " ".join(printed.split())) if readings else None


def compounds(text: Text) -> list[Designator]:
    """A number of several parts that a paragraph begins with, and the designators right after it: ``S4.1.2(a)``."""
    number = compound(text.text)
    if number is None:
        return []
    found = [number]
    _leading(text.text, number.end, italics_of(text), found)
    return found


def compound(printed: str) -> Designator | None:
    """A number that names those above it: ``1.0``, ``4.1.2``, ``IV.A``, ``A417.3``, ``S5.1``. Its kind is how many parts."""
    match = _COMPOUND.match(printed)
    if not match:
        return None
    parts = match.group(1).split(".")
    if parts[-1] == "0" and len(parts) == 2:
        parts.pop()
    last = parts[-1]
    place = int(last.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")) if last[-1].isdigit() else ord(last[-1].lower()) - 96
    return Designator(match.group(1), ((f"#{len(parts)}.", place, place),), 0, match.end(), "")


def numbered_example(text: Text) -> Designator | None:
    """``<I>Example 1.</I>``, ``<I>Criterion 3—Fire protection.</I>``: what a paragraph begins with, in italics."""
    match = _EXAMPLE.match(text.text)
    italics = italics_of(text) if match else []
    if not match or not italics or italics[0].start > 1 or italics[0].end < match.end(1):
        return None
    heading = " ".join(text.text[match.end() : italics[0].end].split())
    return Designator(f"{match.group(1)}.", (), 0, match.end(), heading)


def after_term(text: Text) -> list[Designator]:
    """``<I>Defense services.</I> (a) …``: the designators right after a defined term, or else those of lists in its text."""
    italics, found, begin = italics_of(text), list[Designator](), 0
    if italics:
        begin = italics[0].end
        while begin < len(text.text) and text.text[begin] in " \n\t.:—–-":
            begin += 1
        _leading(text.text, begin, italics, found)
        if found and any(place == 1 for _, place, _ in found[0].readings):
            return found
        found.clear()
    _run_ins(text.text, begin, italics, found)
    return [designator for designator in found if designator.series]


def start_of(printed: str) -> int:
    """Where the designator of a paragraph may begin: a blank or box to be filled in may stand before it, ``__ (1)``."""
    match = _TO_FILL_IN.match(printed) if printed[0] in "_□☐" else None
    return match.end() if match else 0


def designators(text: Text, *, searched: bool = False) -> list[Designator]:
    """The designators of one text, in order; none where it does not begin with one.

    *searched*: what may only be the beginning of a list that the next text goes on with is among them, as optional.
    """
    found = single(text)
    if found is None or (searched and _BEGINS_INSIDE.search(text.text, found.end)):
        return _all_designators(text.text, italics_of(text), searched)
    return [found] if found.readings else []


def single(text: Text) -> Designator | None:
    """The designator of a text that plainly has just one, upright, perhaps with a heading after it; None where it may not.

    What comes out is what the full reading finds, in a fraction of the time; most paragraphs are like that.
    """
    printed = text[1]
    match = _SINGLE.match(printed)
    if not match:
        return None
    end = match.end()
    readings, label = _plain(match.group(1))
    heading = ""
    if text[6] and not _upright(text, end):
        heading = _plain_heading(text, label)
        if not heading:
            return None
    found: Designator = tuple.__new__(Designator, (label, readings, 0, end, heading, False, False))
    if printed.find("(", end) >= 0 and _LIKE.search(printed, end):
        if _HEADED.match(printed, end):
            return None
        several = [found]
        _run_ins(printed, end, [], several)
        if len(several) > 1:
            return None
    return found


def _upright(text: Text, end: int) -> bool:
    """Whether the first inline element stands well after a designator that ends at *end*: it is no part of it."""
    pieces, marks = text[6] or ([], [])
    before = pieces[marks[0][0] - 1] if marks[0][0] else ""
    return len(before.lstrip()) > end + 2


def _plain_heading(text: Text, label: str) -> str:
    """The italic heading right after a designator, where text and not a further designator follows it; else ""."""
    pieces, marks = text[6] or ([], [])
    at = marks[0][0]
    italic = marks[0][1] in ITALIC_TAGS or (marks[0][1] == "E" and marks[0][2] == "03")
    if not italic or not at or pieces[at - 1].strip() != label or marks[1:2] != [(at + 1, "", "")]:
        return ""
    rest = pieces[at + 1].lstrip(" \n.:—–-") if at + 1 < len(pieces) else ""
    return "" if rest[:1] == "(" else " ".join(pieces[at].split())


def _all_designators(text: str, italics: list[Inline], searched: bool) -> list[Designator]:
    """Every designator of a text that may have several, headings, italics or ranges."""
    found: list[Designator] = []
    position = start_of(text)
    while True:
        position = _leading(text, position, italics, found)
        if not found:
            return []
        heading, after = _heading(text, position, italics)
        if heading:
            found[-1] = found[-1]._replace(heading=heading)
        if not after or after == position:
            break
        position = after
    before = len(found)
    _run_ins(text, position, italics, found)
    if searched and len(found) == before and (match := _BEGINS_INSIDE.search(text, position)):
        readings = _readings(match.group(1), italics, match.start(1), match.end())
        found.append(Designator(f"({match.group(1)})", readings, match.start(), match.end(), "", True))
    return found


def _leading(text: str, position: int, italics: list[Inline], found: list[Designator]) -> int:
    """Read designators that stand directly one after another; the position after the last."""
    while match := _LEADING.match(text, position):
        label, start = match["label"], text.index("(", position)
        readings = _readings(label, italics, match.start("label"), match.end(), loose=not match["twice"])
        if not readings:
            break
        printed, position = f"({label})", match.end()
        last = _range(text, position, readings)
        if last:
            readings, printed, position = last
        found.append(Designator(printed, readings, start, position))
    return position


def _readings(label: str, italics: list[Inline], begin: int, end: int, *, loose: bool = True) -> Readings:
    """The readings of a label that begins at *begin* in brackets that end at *end*.

    It is italic where the italics are its own; a heading in italics with its designator makes no italic level. *loose*:
    brackets in italics too may be no more than a slip, so the upright readings stay possible.
    """
    own = next((i for i in italics if i.start <= begin < i.end <= end), None)
    kinds = kinds_of(label, own is not None)
    if own and ((loose and own.start < begin) or label == "l"):  # (l) is often in italics so that it is not read as (1)
        kinds += kinds_of(label, False)
    return tuple((kind, place, place) for kind, place in kinds)


def _range(text: str, position: int, first: Readings) -> tuple[Readings, str, int] | None:
    """``-(3) [Reserved]`` after ``(1)``: the readings, the printed range and the position after it."""
    match = _RANGE.match(text, position)
    if not match or not _RESERVED.match(text, match.end()):
        return None
    ends = dict(kinds_of(match.group(1), first[0][0].startswith("*")))
    readings = tuple((kind, place, ends[kind]) for kind, place, _ in first if ends.get(kind, 0) > place)
    if not readings:
        return None
    label = text[text.rindex("(", 0, position) : position].strip()
    return readings, f"{label}-({match.group(1)})", match.end()


def _heading(text: str, position: int, italics: list[Inline]) -> tuple[str, int]:
    """The heading right after a designator, and where further designators may follow it (0: nowhere)."""
    begin = position
    while begin < len(text) and text[begin] in " \n\t\u00a0\u2002\u2003":
        begin += 1
    for inline in italics:
        if begin <= inline.start <= begin + 1 and inline.end > inline.start:
            inside = _HEADED.match(text, begin, inline.end)  # "<I>Rates. (i) Loans.</I>": two headings in one pair of tags
            after = inside.end() if inside else inline.end
            heading = " ".join(text[begin:after].split())
            while after < len(text) and text[after] in " \n.:—–-":
                after += 1
            follows = _LEADING.match(text, after) if after < len(text) and text[after] == "(" else None
            return heading, after if follows else 0
    if match := _HEADED.match(text, begin):
        return "", match.end()
    return "", 0


def _run_ins(text: str, position: int, italics: list[Inline], found: list[Designator]) -> None:
    """``(iv) …; and (v) …``: designators in the text that go on with the paragraph's own or with a list begun in the text.

    What continues the paragraph's own after a semicolon is firm. A list that begins in the text, ``…: (1) …; and (2) …``, is
    offered to the outline: as a series where it runs on in this text, else for the case that the next paragraph is (3).
    """
    own = found[-1].readings if found else ()
    levels = [(len(found) - 1, own)]  # the last of the paragraph's own, and of each list that is open in the text
    begun = len(found) > 1 and any(first == 1 for _, first, _ in own)  # "(b) … shall—(1) …" is such a list too
    firm, series, before_text = True, set[int](), len(found)
    for match in _INNER.finditer(text, position):
        adjacent = len(found) > before_text and found[-1].end == match.start()  # "…: (1)(i) …"
        before = None if adjacent else _BEFORE.search(text, max(match.start() - 12, 0), match.start())
        if not before and not adjacent:
            continue
        label = match.group(1)
        readings = _readings(label, italics, match.start(1), match.end())
        opens = (before is None or before.group(2) is not None) and label in _FIRST
        depth, going_on = (-1, ()) if opens else _going_on(levels, readings)
        if depth < 0 and not opens:
            continue
        firm = firm and depth == 0 and before is not None and before.group(1) == ";"
        runs_on = depth >= 0 and (depth > 0 or len(levels) > 1 or begun)
        if runs_on and before and before.group(1) and not _in_brackets(text, match.start()):
            last, readings = levels[depth][0], going_on
            series |= {last, len(found)}
            found[last] = _of_kinds(found[last], going_on)
        levels[depth if depth >= 0 else len(levels) :] = [(len(found), readings)]
        found.append(Designator(f"({label})", readings, match.start(), match.end(), "", not firm))
    for index in series:
        found[index] = found[index]._replace(series=found[index].optional)


def _of_kinds(designator: Designator, following: Readings) -> Designator:
    """A designator that can only be of the kinds in which the list goes on."""
    kinds = {kind for kind, _, _ in following}
    return designator._replace(readings=tuple(reading for reading in designator.readings if reading[0] in kinds))


def _in_brackets(text: str, position: int) -> bool:
    """Whether a place is inside brackets: "(… unless made: (1) by X; or (2) by Y)" is a remark, not paragraphs."""
    return text.count("(", 0, position) != text.count(")", 0, position)


def _going_on(levels: list[tuple[int, Readings]], readings: Readings) -> tuple[int, Readings]:
    """The deepest open list that a designator goes on with, and the readings that make it do so; -1 where there is none."""
    for depth in range(len(levels) - 1, -1, -1):
        following = {(kind, last + 1) for kind, _, last in levels[depth][1]}
        if going_on := tuple(reading for reading in readings if reading[:2] in following):
            return depth, going_on
    return -1, ()
