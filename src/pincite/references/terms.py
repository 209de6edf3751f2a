"""Defined terms: a term used in a passage is a reference to the place that defines it, kind ``term``.

Definitions are learned from the corpus (``definitions.py``). Of those that hold where a term is used, the nearest wins: in its
rule, section or chapter, in its document, in the works whose terms the document adopts, in a glossary of the whole corpus.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pincite.model import Mention, Place
from pincite.references.definitions import MOST_WORDS, Definition, adopted, definitions, is_list, scope_before
from pincite.references.rulebook import ABBREVIATION, CONTAINERS, INVISIBLE, TITLE, find
from pincite.references.rulebook_shelf import Provision, Shelf, fold, named, parse_label, resolve, steps

_UNIT, _DOCUMENT, _CORPUS, _LOOSE = range(4)  # how far a definition holds, the nearest first; a phrase named in brackets last
_MOST_STEPS = 5  # from "has the meaning given in …" to the next
_HEADING_WORDS = 12
_HEADINGS = 3  # lines above a text that can be headings
_MOST_BELOW = 12  # passages below an address that are looked through for a term
_MOST_SENSES = 8  # that are kept of those which hold for the same places
_SENTENCE = 400  # characters before a list in which a passage above introduces it
_FIRST = 2  # passages of a document that may say it is a glossary
_ABOVE = 4  # passages above one, in which a list of definitions may be introduced


class Area(NamedTuple):
    """Where a definition holds: a document's places below ``prefix`` (of one passage only, where it has no number)."""

    level: int
    document: str
    prefix: tuple[str, ...] = ()
    only: int = -1


_EVERYWHERE = Area(_CORPUS, "")


class Sense(NamedTuple):
    """One definition of a term: the passage it stands in and the areas it holds for."""

    position: int
    definition: Definition
    areas: tuple[Area, ...]


class Entry(NamedTuple):
    """All that is known of one term: its senses by the area they hold for, by passage, and where its definitions stand."""

    areas: dict[Area, list[Sense]]
    at: dict[int, Sense]  # the first explanation in a passage, else the first name
    spans: dict[int, list[tuple[int, int]]]

    def add(self, sense: Sense) -> None:
        for area in sense.areas:
            held = self.areas.setdefault(area, [])
            if len(held) < _MOST_SENSES:
                held.append(sense)
        known = self.at.get(sense.position)
        if known is None or (known.definition.passing and not sense.definition.passing):
            self.at[sense.position] = sense
        self.spans.setdefault(sense.position, []).append((sense.definition.start, sense.definition.end))


class Use(NamedTuple):
    """A term used: its mention, and the positions of the passages that define it, several where they are equally near."""

    mention: Mention
    positions: tuple[int, ...]


Key = tuple[str, ...]


class Glossary(NamedTuple):
    """What a corpus defines. ``entries`` by the words of a term, without plural and possessive endings."""

    provisions: Sequence[Provision]
    shelf: Shelf
    places: Sequence[tuple[str, ...]]  # each passage's steps
    entries: dict[Key, Entry]
    longest: dict[str, int]  # first word of a term -> words of the longest term that begins so
    adopts: dict[str, frozenset[str]]  # document -> documents whose terms it uses
    ordinary: frozenset[str]  # first words of terms that the corpus also writes small
    openings: dict[tuple[str, str], list[int]]  # (document, unit) -> passages from which on "this Part" is theirs
    known: dict[tuple[Key, int], int]  # (term, position of a sense) -> where it leads


def learn(provisions: Sequence[Provision], shelf: Shelf) -> Glossary:
    """The terms a corpus defines, read once. Of passages that define nothing, nothing is kept."""
    provisions = [p if p.document or p.label else p._replace(document=f"passage {at}") for at, p in enumerate(provisions, 1)]
    learner = _Learner(provisions, shelf)
    entries = learner.entries()
    longest: dict[str, int] = {}
    for key in entries:
        longest[key[0]] = max(longest.get(key[0], 0), len(key))
    adopts = learner.adopts() if entries else {}
    return Glossary(
        provisions, shelf, learner.places, entries, longest, adopts, _ordinary(provisions, entries), learner.openings, {}
    )


def _ordinary(provisions: Sequence[Provision], entries: Iterable[Key]) -> frozenset[str]:
    sought = {key[0].lower() for key in entries if _capitals(key) == 1}
    found: set[str] = set()
    if sought:
        for provision in provisions:
            found.update(map(normal, re.findall(r"\b[a-z]{2,}\b", provision.text)))
    return frozenset(sought & found)


def _capitals(key: Key) -> int:
    return sum(character.isupper() for word in key for character in word)


# --- words ---------------------------------------------------------------------------------------------------------

_WORD = re.compile(r"[^\W_]+(?:[’']s(?!\w))?")
_JOIN = re.compile(r"[ \xa0]{0,3}[-–—/&’']?[ \xa0]{0,3}|[ ]*\n[ ]*|\.")


@lru_cache(maxsize=65536)
def normal(word: str) -> str:
    """A word without possessive and plural ending; capitals stay.

    >>> normal("Parties"), normal("Client’s"), normal("Boxes"), normal("Business"), normal("MTFs")
    ('Party', 'Client', 'Box', 'Business', 'MTF')
    """
    if word.endswith(("’s", "'s")):
        word = word[:-2]
    if len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("xes", "ches", "shes", "sses")) else word[:-1]


def key_of(term: str) -> Key:
    """The words of a term as they are looked up."""
    return tuple(normal(word) for word in _WORD.findall(term.translate(INVISIBLE)))[:MOST_WORDS]


# --- learning ------------------------------------------------------------------------------------------------------


class _Learner:
    """Reads the definitions of a corpus and decides where each holds."""

    def __init__(self, provisions: Sequence[Provision], shelf: Shelf) -> None:
        self.provisions, self.shelf = provisions, shelf
        self.labels = [parse_label(provision.label) for provision in provisions]
        self.places = [steps(label) for label in self.labels]
        self.openings: dict[tuple[str, str], list[int]] = {}
        self.first: dict[tuple[str, tuple[str, ...]], int] = {}
        for position, provision in enumerate(provisions):
            if self.places[position]:
                self.first.setdefault((provision.document, self.places[position]), position)
        named_so = {document for name, document in shelf.names.items() if {"glossary", "definitions"} & set(name.split())}
        self.glossaries = frozenset(named_so.union(self._headed_glossary()))

    def _headed_glossary(self) -> Iterator[str]:
        """Documents whose first heading says they are a glossary."""
        seen: dict[str, int] = {}
        for provision in self.provisions:
            seen[provision.document] = seen.get(provision.document, 0) + 1
            if seen[provision.document] <= _FIRST and "glossary" in provision.text[:80].lower() and _body_start(provision.text):
                yield provision.document

    def entries(self) -> dict[Key, Entry]:
        found: dict[Key, Entry] = {}
        for position, provision in enumerate(self.provisions):
            for definition in definitions(provision.text, self._listed(position)):
                key = key_of(definition.term)
                if key and not _is_reference(definition.term):
                    found.setdefault(key, Entry({}, {}, {})).add(Sense(position, definition, self._areas(position, definition)))
        return found

    def _listed(self, position: int) -> bool:
        """Whether terms are listed in a passage, or in those its heading stands above."""
        provision, label = self.provisions[position], self.labels[position]
        named_so = "" if label.number else provision.label
        if is_list(provision.text, provision.title or named_so):
            return True
        above = next(self._above(position), None)
        return above is not None and _body_start(provision.text) == 0 and is_list(self.provisions[above].text[:400])

    def _above(self, position: int) -> Iterator[int]:
        document, path = self.provisions[position].document, self.places[position]
        for cut in range(len(path) - 1, max(0, len(path) - 1 - _ABOVE), -1):
            above = self.first.get((document, path[:cut]))
            if above is not None and above != position:
                yield above

    def _areas(self, position: int, definition: Definition) -> tuple[Area, ...]:
        document = self.provisions[position].document
        scope = definition.scope or self._introduced(position, definition)
        capital = any(character.isupper() for character in definition.term)
        areas = []
        if scope in {"", "rule", "at"} or scope.startswith("at "):
            areas.append(self._unit(position, "rule"))
        if scope.startswith("at "):
            areas += self._at(position, scope[3:])
        elif scope == "corpus" or (capital and self._for_all(position, scope)):
            areas += [Area(_DOCUMENT, document), _EVERYWHERE]
        elif scope == "document" or (scope == "" and capital):
            loose = definition.passing and not _is_short(definition.term)
            areas.append(Area(_LOOSE if loose else _DOCUMENT, document))
        elif scope:
            areas.append(self._unit(position, scope))
        return tuple(dict.fromkeys(areas))

    def _introduced(self, position: int, definition: Definition) -> str:
        """What a passage above says of the places: "In this Chapter:" over the paragraphs (a) and (b)."""
        for above in self._above(position):
            text = self.provisions[above].text.rstrip()
            if text.endswith((":", "—", "–", "-")) and (scope := scope_before(text[-_SENTENCE:])):
                return scope
        return ""

    def _for_all(self, position: int, scope: str) -> bool:
        """Whether a definition stands in the glossary of the corpus: a document of that name, or a part where there is none."""
        if self.glossaries:
            return scope in {"", "document"} and self.provisions[position].document in self.glossaries
        headings = (self.provisions[p] for p in (position, *self._above(position)))
        return scope == "" and any("glossary" in f"{p.title} {p.label} {p.text[:60]}".lower() for p in headings)

    def _unit(self, position: int, unit: str) -> Area:
        """The places "this Chapter" or "this Rule" means at a passage; a stretch of it where numbers have no such level."""
        document, label = self.provisions[position].document, self.labels[position]
        outer = tuple(f"{kind} {number}" for kind, number in label.containers)
        kinds = [kind for kind, _ in label.containers]
        numbers = tuple(part for part in label.number.split("(")[0].split(".") if part)
        if unit in kinds:
            return Area(_UNIT, document, outer[: kinds.index(unit) + 1])
        if unit in CONTAINERS:
            first = numbers[:1] if unit == "chapter" or (numbers and numbers[0][0].isalpha()) else ()
            return Area(_UNIT, document, outer + first) if first else self._stretch(position, unit)
        if not numbers:
            return Area(_UNIT, document, self.places[position], position)
        return Area(_UNIT, document, outer + (numbers[:2] if unit == "section" and len(numbers) > 2 else numbers))

    def _stretch(self, position: int, unit: str) -> Area:
        """ "This Part" where numbers tell no part: from the passage that says it to the next that says so of its own."""
        begun = self.openings.setdefault((self.provisions[position].document, unit), [])
        if not begun or begun[-1] != position:
            begun.append(position)
        return Area(_UNIT, self.provisions[position].document, ("", unit), position)

    def _at(self, position: int, words: str) -> Iterator[Area]:
        """The places that "for the purposes of Part 13" names."""
        provision = self.provisions[position]
        for mention in find(words, Place()):
            _, positions = resolve(mention, provision.document, self.shelf, provision.label)
            for target in positions[:1]:
                kind, _, number = (mention.target_node_id or "").split(": ")[-1].partition(" ")
                path = self.places[target]
                whole = f"{kind} {number.upper()}"
                prefix = path[: path.index(whole) + 1] if kind in CONTAINERS and whole in path else path
                yield Area(_UNIT, self.provisions[target].document, prefix)

    def adopts(self) -> dict[str, frozenset[str]]:
        """ "Terms in this Guidance have the same meaning as in FSMR and the Glossary": by document."""
        found: dict[str, frozenset[str]] = {}
        for provision in self.provisions:
            for words in adopted(provision.text):
                works = (_WORK.findall(words) and [named(match[0], self.shelf) for match in _WORK.finditer(words)]) or []
                others = frozenset(work for work in works if work and work != provision.document)
                found[provision.document] = found.get(provision.document, frozenset()) | others
        return found


_WORK = re.compile(rf"{TITLE}|{ABBREVIATION}|\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)*")


def _is_reference(term: str) -> bool:
    """Whether a "term" is a number's name: (“COBS 23”)."""
    return any(mention.start == 0 and mention.end >= len(term) for mention in find(term, Place()))


# --- use -----------------------------------------------------------------------------------------------------------


def uses(position: int, glossary: Glossary, cited: Sequence[Mention] = ()) -> list[Use]:
    """The defined terms in one passage, in order, none inside another or inside a reference of *cited*."""
    if not glossary.entries:
        return []
    text = glossary.provisions[position].text.translate(INVISIBLE)
    taken = _Taken(text, cited)
    found: list[Use] = []
    words = list(_WORD.finditer(text, _body_start(text)))
    at = last = 0
    while at < len(words):
        size = glossary.longest.get(normal(words[at][0]), 0)
        length, use = _longest(position, glossary, text, words, at, size, taken, last) if size else (1, None)
        at += length
        if use is not None:
            found.append(use)
        if length > 1 or use is not None:
            last = words[at - 1].end()
    return found


class _Taken:
    """Which stretches of a text other references have, and the work's name after them: "section 58 of FSMR"."""

    def __init__(self, text: str, cited: Sequence[Mention]) -> None:
        self.text, self.cited, self.next = text, sorted(cited), 0

    def has(self, start: int, end: int) -> bool:
        while self.next < len(self.cited) and self.cited[self.next].end <= start:
            self.next += 1
        if self.next < len(self.cited) and self.cited[self.next].start < end:
            return True
        before = self.cited[self.next - 1].end if self.next else -1
        return before >= 0 and start - before < 100 and bool(_OF.fullmatch(self.text, before, start))


_OF = re.compile(r"\s*(?:\([^()]*\)\s*)?,?\s*(?:of|in|under|to)\s+(?:(?:the|our|its)\s+)?")


def _body_start(text: str) -> int:
    """Where the text after its headings begins; a text that is only headings has none."""
    at = 0
    for _ in range(_HEADINGS):
        line_end = text.find("\n", at)
        line = text[at : line_end if line_end >= 0 else len(text)]
        if line.strip() and not _is_heading(line):
            return at
        if line_end < 0 or not text[line_end:].strip():
            return len(text)
        at = line_end + 1
    return at


def _is_heading(line: str) -> bool:
    line = line.strip()
    return (
        line[0].isupper()
        and "\t" not in line
        and not line.endswith((".", ";", ":", ",", "—", "–", "-"))
        and len(line.split()) <= _HEADING_WORDS
    )


def _longest(
    position: int, glossary: Glossary, text: str, words: Sequence[re.Match[str]], at: int, size: int, taken: _Taken, last: int
) -> tuple[int, Use | None]:
    """How many words from *at* on are the longest term, and its use if it is a reference. *last*: where the one before ends."""
    names = _joined(text, words, at, size)
    for size in range(len(names), 0, -1):
        key, entry = names[:size], glossary.entries.get(names[:size])
        if entry is None:
            continue
        start, end = words[at].start(), words[at + size - 1].end()
        if _defines(entry.spans.get(position, ()), start, end) or taken.has(start, end):
            return size, None
        if _begins_a_sentence(key, glossary, text, start) or (size == 1 and _in_a_name(glossary, text, words, at, last)):
            continue
        if positions := _nearest(position, key, entry, glossary):
            return size, _use(position, glossary, start, end, positions)
        if _capitals(key) > 1:
            return size, None  # a term of another document: no shorter one is meant
    return 1, None


def _joined(text: str, words: Sequence[re.Match[str]], at: int, size: int) -> Key:
    """At most *size* words from *at* on that nothing but spaces and hyphens parts, as they are looked up."""
    joined = at + 1
    while joined < min(len(words), at + size) and _JOIN.fullmatch(text, words[joined - 1].end(), words[joined].start()):
        joined += 1
    return tuple(normal(word[0]) for word in words[at:joined])


def _use(position: int, glossary: Glossary, start: int, end: int, positions: tuple[int, ...]) -> Use:
    nodes = [f"{glossary.provisions[p].document}: {glossary.provisions[p].label}".removesuffix(": ") for p in positions]
    text = glossary.provisions[position].text[start:end]
    if len(nodes) == 1:
        return Use(Mention(start, end, text, "term", nodes[0], status="resolved"), positions)
    reason = "defined in several places that are equally near"
    return Use(Mention(start, end, text, "term", None, status="ambiguous", candidates=tuple(nodes), reason=reason), positions)


def _defines(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether the stretch lies in a definition of this very term; *spans* are in order."""
    at = bisect_right(spans, (end - 1, end)) - 1
    return at >= 0 and start < spans[at][1]


def _begins_a_sentence(key: Key, glossary: Glossary, text: str, start: int) -> bool:
    """Whether an ordinary word has its capital because a sentence begins with it."""
    if _capitals(key) != 1 or not key[0][0].isupper() or key[0].lower() not in glossary.ordinary:
        return False
    return _opens(text, start)


def _opens(text: str, start: int) -> bool:
    """Whether a sentence or list item begins at *start*."""
    before = text[max(0, start - 16) : start].rstrip(" \xa0“”\"‘’'(")
    return not before or before[-1] in ".?!:;\n\t—–•*" or bool(re.search(r"(?:^|\s)\(?\w{1,4}[.)]$", before))


_CAPITAL = re.compile(r"[A-Z][a-z]")
_SPACE = re.compile(r"[ \xa0]")


def _in_a_name(glossary: Glossary, text: str, words: Sequence[re.Match[str]], at: int, last: int) -> bool:
    """Whether a term of one word is a piece of a longer name: "the Regulatory Authority", "Securities Exchange"."""
    word = words[at]
    if _is_short(word[0]) or not word[0][0].isupper():
        return False
    if at + 1 < len(words) and _beside(text, word, words[at + 1]):
        names = _joined(text, words, at + 1, glossary.longest.get(normal(words[at + 1][0]), 0))
        if not any(names[:size] in glossary.entries for size in range(len(names), 0, -1)):
            return True
    if at == 0 or not _beside(text, words[at - 1], word) or not _CAPITAL.match(words[at - 1][0]):
        return False
    return words[at - 1].end() != last and not _opens(text, words[at - 1].start())


def _beside(text: str, left: re.Match[str], right: re.Match[str]) -> bool:
    return bool(_CAPITAL.match(right[0])) and bool(_SPACE.fullmatch(text, left.end(), right.start()))


def _nearest(position: int, key: Key, entry: Entry, glossary: Glossary) -> tuple[int, ...]:
    """The positions the nearest definitions lead to: one, several that are equally near, or none that holds."""
    nearest = next(filter(None, _holding(position, entry, glossary)), [])
    nearest = [sense for sense in nearest if not sense.definition.passing] or _first_named(nearest)
    leads = {lead(key, sense, glossary): sense for sense in nearest}
    if len(leads) > 1:
        path = glossary.places[position]
        shared = {target: _shared(path, glossary.places[sense.position]) for target, sense in leads.items()}
        leads = {target: sense for target, sense in leads.items() if shared[target] == max(shared.values())}
    return tuple(sorted(leads))


def _holding(position: int, entry: Entry, glossary: Glossary) -> Iterator[list[Sense]]:
    """The senses that hold for a place, the nearest areas first; a phrase named in brackets holds last beyond its rule."""
    document, path, areas = glossary.provisions[position].document, glossary.places[position], entry.areas
    yield areas.get(Area(_UNIT, document, path, position), [])
    for cut in range(len(path), -1, -1):
        yield areas.get(Area(_UNIT, document, path[:cut]), [])
    for unit in CONTAINERS:
        begun = glossary.openings.get((document, unit), ())
        if at := bisect_right(begun, position):
            yield areas.get(Area(_UNIT, document, ("", unit), begun[at - 1]), [])
    others = sorted(glossary.adopts.get(document, ()))
    yield areas.get(Area(_DOCUMENT, document), [])
    yield [sense for other in others for sense in areas.get(Area(_DOCUMENT, other), [])]
    yield areas.get(_EVERYWHERE, [])
    yield areas.get(Area(_LOOSE, document), [])
    yield [sense for other in others for sense in areas.get(Area(_LOOSE, other), [])]


def _is_short(term: str) -> bool:
    """Whether a term is an abbreviation: "FSMR", "RIEs", "AML/TFS"."""
    return len(term.split()) == 1 and sum(map(str.isupper, term)) > 1


def _first_named(senses: Sequence[Sense]) -> list[Sense]:
    """Of names in brackets that are given to the same words again and again, the first."""
    first: dict[str, Sense] = {}
    for sense in senses:
        first.setdefault(sense.definition.names, sense)
    return list(first.values())


def _shared(left: Sequence[str], right: Sequence[str]) -> int:
    return next((at for at, (a, b) in enumerate(zip(left, right)) if a != b), min(len(left), len(right)))


def lead(key: Key, sense: Sense, glossary: Glossary) -> int:
    """The position a definition leads to: its own, or that of the definition it refers to, step by step."""
    known = glossary.known.get((key, sense.position))
    if known is not None:
        return known
    seen, at = {sense.position}, sense
    target = sense.position
    for _ in range(_MOST_STEPS):
        following = _given(key, at, glossary)
        if following is None or following in seen:
            break
        target = following
        seen.add(target)
        further = glossary.entries[key].at.get(target)
        if further is None:
            break
        at = further
    glossary.known[key, sense.position] = target
    return target


def _given(key: Key, sense: Sense, glossary: Glossary) -> int | None:
    """The position that "has the meaning given in section 258 of FSMR" means, None where nothing is named or held."""
    given, home = sense.definition.given, glossary.provisions[sense.position]
    if not given:
        return None
    if mention := _pointed(find(given, Place())):
        _, positions = resolve(mention, home.document, glossary.shelf, home.label)
        return _among(key, positions, glossary) if positions else None
    for match in _WORK.finditer(given):
        work = named(match[0], glossary.shelf) if fold(match[0]) else None
        if work:
            held = glossary.entries[key].areas
            return next((s.position for level in (_DOCUMENT, _LOOSE) for s in held.get(Area(level, work), [])), None)
    return None


def _pointed(mentions: Sequence[Mention]) -> Mention | None:
    """The place pointed to: of "Schedule 1, section 73E" the section in that schedule."""
    if len(mentions) > 1 and mentions[0].kind in CONTAINERS and mentions[1].start - mentions[0].end <= 2:
        local = (mentions[1].target_node_id or "").split(": ")[-1]
        return mentions[1]._replace(target_node_id=f"{mentions[0].target_node_id}: {local}")
    return mentions[0] if mentions else None


def _among(key: Key, positions: Sequence[int], glossary: Glossary) -> int:
    """Of the passages at an address or below it, the one that defines the term, else one that has it, else the first."""
    document, prefix = glossary.provisions[positions[0]].document, glossary.places[positions[0]]
    below = list(positions)
    while (at := below[-1] + 1) < len(glossary.provisions) and len(below) < _MOST_BELOW and prefix:
        if glossary.provisions[at].document != document or glossary.places[at][: len(prefix)] != prefix:
            break
        below.append(at)
    if defined := next((p for p in below if p in glossary.entries[key].at), None):
        return defined
    texts = {p: glossary.provisions[p].text for p in below}
    explained = [p for p in below if _body_start(texts[p]) < len(texts[p])]
    words = " ".join(key).lower()
    return next((p for p in explained if words in texts[p].lower()), next(iter(explained), positions[0]))
