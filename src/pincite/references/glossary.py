"""What a corpus defines: its terms, the passages that define them and the places each definition holds for.

Definitions are read by ``definitions.py``; ``terms.py`` finds where terms are used and decides which definition is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pincite.model import Place
from pincite.references.definitions import MOST_WORDS, Definition, adopted, definitions, is_list, scope_before
from pincite.references.rulebook import ABBREVIATION, CONTAINERS, INVISIBLE, TITLE, find
from pincite.references.rulebook_shelf import Provision, Shelf, named, parse_label, resolve, steps

UNIT, DOCUMENT, _CORPUS, LOOSE = range(4)  # how far a definition holds, the nearest first; a phrase named in brackets last
_HEADING_WORDS = 12
_HEADINGS = 3  # lines above a text that can be headings
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


EVERYWHERE = Area(_CORPUS, "")


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
    sought = {key[0].lower() for key in entries if capitals(key) == 1}
    found: set[str] = set()
    if sought:
        for provision in provisions:
            found.update(map(normal, re.findall(r"\b[a-z]{2,}\b", provision.text)))
    return frozenset(sought & found)


def capitals(key: Key) -> int:
    return sum(character.isupper() for word in key for character in word)


# --- words ---------------------------------------------------------------------------------------------------------

WORD = re.compile(r"[^\W_]+(?:[’']s(?!\w))?")


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
    return tuple(normal(word) for word in WORD.findall(term.translate(INVISIBLE)))[:MOST_WORDS]


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
            if seen[provision.document] <= _FIRST and "glossary" in provision.text[:80].lower() and body_start(provision.text):
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
        return above is not None and body_start(provision.text) == 0 and is_list(self.provisions[above].text[:400])

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
            areas += [Area(DOCUMENT, document), EVERYWHERE]
        elif scope == "document" or (scope == "" and capital):
            loose = definition.passing and not is_short(definition.term)
            areas.append(Area(LOOSE if loose else DOCUMENT, document))
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
            return Area(UNIT, document, outer[: kinds.index(unit) + 1])
        if unit in CONTAINERS:
            first = numbers[:1] if unit == "chapter" or (numbers and numbers[0][0].isalpha()) else ()
            return Area(UNIT, document, outer + first) if first else self._stretch(position, unit)
        if not numbers:
            return Area(UNIT, document, self.places[position], position)
        return Area(UNIT, document, outer + (numbers[:2] if unit == "section" and len(numbers) > 2 else numbers))

    def _stretch(self, position: int, unit: str) -> Area:
        """ "This Part" where numbers tell no part: from the passage that says it to the next that says so of its own."""
        begun = self.openings.setdefault((self.provisions[position].document, unit), [])
        if not begun or begun[-1] != position:
            begun.append(position)
        return Area(UNIT, self.provisions[position].document, ("", unit), position)

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
                yield Area(UNIT, self.provisions[target].document, prefix)

    def adopts(self) -> dict[str, frozenset[str]]:
        """ "Terms in this Guidance have the same meaning as in FSMR and the Glossary": by document."""
        found: dict[str, frozenset[str]] = {}
        for provision in self.provisions:
            for words in adopted(provision.text):
                works = (WORK.findall(words) and [named(match[0], self.shelf) for match in WORK.finditer(words)]) or []
                others = frozenset(work for work in works if work and work != provision.document)
                found[provision.document] = found.get(provision.document, frozenset()) | others
        return found


WORK = re.compile(rf"{TITLE}|{ABBREVIATION}|\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)*")


def _is_reference(term: str) -> bool:
    """Whether a "term" is a number's name: (“COBS 23”)."""
    return any(mention.start == 0 and mention.end >= len(term) for mention in find(term, Place()))


def body_start(text: str) -> int:
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


def is_short(term: str) -> bool:
    """Whether a term is an abbreviation: "FSMR", "RIEs", "AML/TFS"."""
    return len(term.split()) == 1 and sum(map(str.isupper, term)) > 1
