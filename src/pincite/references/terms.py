"""Defined terms: a term used in a passage is a reference to the place that defines it, kind ``term``.

Definitions are learned from the corpus (``glossary.py``). Of those that hold where a term is used, the nearest wins: in its
rule, section or chapter, in its document, in the works whose terms the document adopts, in a glossary of the whole corpus.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pincite.model import Mention, Place
from pincite.references.glossary import (
    DOCUMENT,
    EVERYWHERE,
    LOOSE,
    UNIT,
    WORD,
    WORK,
    Area,
    Entry,
    Glossary,
    Key,
    Sense,
    body_start,
    capitals,
    is_short,
    normal,
)
from pincite.references.rulebook import CONTAINERS, INVISIBLE, find
from pincite.references.rulebook_shelf import fold, named, resolve

_MOST_STEPS = 5  # from "has the meaning given in …" to the next
_MOST_BELOW = 12  # passages below an address that are looked through for a term
_JOIN = re.compile(r"[ \xa0]{0,3}[-–—/&’']?[ \xa0]{0,3}|[ ]*\n[ ]*|\.")


class Use(NamedTuple):
    """A term used: its mention, and the positions of the passages that define it, several where they are equally near."""

    mention: Mention
    positions: tuple[int, ...]


def uses(position: int, glossary: Glossary, cited: Sequence[Mention] = ()) -> list[Use]:
    """The defined terms in one passage, in order, none inside another or inside a reference of *cited*."""
    if not glossary.entries:
        return []
    text = glossary.provisions[position].text.translate(INVISIBLE)
    taken = _Taken(text, cited)
    found: list[Use] = []
    words = list(WORD.finditer(text, body_start(text)))
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
        if capitals(key) > 1:
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
    if capitals(key) != 1 or not key[0][0].isupper() or key[0].lower() not in glossary.ordinary:
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
    if is_short(word[0]) or not word[0][0].isupper():
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
    yield areas.get(Area(UNIT, document, path, position), [])
    for cut in range(len(path), -1, -1):
        yield areas.get(Area(UNIT, document, path[:cut]), [])
    for unit in CONTAINERS:
        begun = glossary.openings.get((document, unit), ())
        if at := bisect_right(begun, position):
            yield areas.get(Area(UNIT, document, ("", unit), begun[at - 1]), [])
    others = sorted(glossary.adopts.get(document, ()))
    yield areas.get(Area(DOCUMENT, document), [])
    yield [sense for other in others for sense in areas.get(Area(DOCUMENT, other), [])]
    yield areas.get(EVERYWHERE, [])
    yield areas.get(Area(LOOSE, document), [])
    yield [sense for other in others for sense in areas.get(Area(LOOSE, other), [])]


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
    for match in WORK.finditer(given):
        work = named(match[0], glossary.shelf) if fold(match[0]) else None
        if work:
            held = glossary.entries[key].areas
            return next((s.position for level in (DOCUMENT, LOOSE) for s in held.get(Area(level, work), [])), None)
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
    explained = [p for p in below if body_start(texts[p]) < len(texts[p])]
    words = " ".join(key).lower()
    return next((p for p in explained if words in texts[p].lower()), next(iter(explained), positions[0]))
