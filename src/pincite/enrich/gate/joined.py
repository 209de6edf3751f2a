"""Two texts read together: words that say the same get a meaning in common, by the word lists, WordNet, or their nearness.

A word of a known opposite, of an excluding set or of a sister kind is never joined, however near it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from pincite.enrich.gate import copies, lexicon
from pincite.enrich.gate.lexicon import wordnet
from pincite.enrich.gate.near import Near
from pincite.enrich.gate.reading import WORD, Item, Reading

NEAR, NEARER = 0.5, 0.6  # the least cosines of two words in context that say the same: both unexplained, or one
SAME, LOOSE = "&", "@"
"""The first character of a meaning in common: by WordNet or an abbreviation, or only by nearness or a general word."""


class Joined(NamedTuple):
    """Both readings, their words with the meanings in common. ``excluded``: new words with the lost ones they exclude.

    ``copied``: for either text, its sentences that are nearly copies of the other's; what differs there is a change.
    """

    source: Reading
    rewrite: Reading
    excluded: list[tuple[Item, Item]]
    aligned: Mapping[tuple[int, int], int] = MappingProxyType({})
    copied: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())


def join(source: Reading, rewrite: Reading, near: Near | None = None) -> Joined:
    """Both texts with their words joined."""
    ours: dict[str, set[str]] = {}
    theirs: dict[str, set[str]] = {}
    _join_abbreviations(source, rewrite, ours, theirs)
    _join_abbreviations(rewrite, source, theirs, ours)
    new = [item for item in _distinct(rewrite) if not item.meanings & source.meanings and stem(item) not in theirs]
    gone = [item for item in _distinct(source) if not item.meanings & rewrite.meanings and stem(item) not in ours]
    excluded = [(one, two) for one in new for two in gone if excludes(one, two)]
    barred = {id(one) for one, _ in excluded}
    _join_synonyms([one for one in new if id(one) not in barred], list(_distinct(source)), ours, theirs)
    _join_synonyms(gone, list(_distinct(rewrite)), theirs, ours)
    if near is not None:
        _join_near(source, rewrite, near, ours, theirs)
    source, rewrite = source.with_meanings(ours), rewrite.with_meanings(theirs)
    copied = (copies.nearly(source, rewrite), copies.nearly(rewrite, source))
    return Joined(source, rewrite, excluded + _opposed(source, rewrite), aligned_sentences(source, rewrite), copied)


def _opposed(source: Reading, rewrite: Reading) -> list[tuple[Item, Item]]:
    """Words that are alone, with an opposite in the sentence that says the same, where it does not stand in both."""
    pairs = best_of(aligned_sentences(source, rewrite))
    ours, theirs = _by_sentence(source), _by_sentence(rewrite)
    content = {number: [item for item in sentence if item.content] for number, sentence in _numbered(source)}
    found = []

    def both_alone(one: Item, two: Item) -> bool:
        return not one.meanings & source.meanings and not two.meanings & rewrite.meanings

    for number, sentence in _numbered(rewrite):
        facing = [two for to in content if (to, number) in pairs for two in content[to]]
        for one in sentence:
            for two in facing if one.content else ():
                alone = not (one.meanings & source.meanings and two.meanings & rewrite.meanings)
                told = one.meanings & ours[two.sentence] or two.meanings & theirs[number]
                if alone and not told and excludes(one, two) and (both_alone(one, two) or listed(one, two)):
                    found.append((one, two))
    return found


def best_of(aligned: Mapping[tuple[int, int], int]) -> set[tuple[int, int]]:
    """The pairs of sentences that share most, or nearly, of what either shares with any."""
    most: dict[tuple[int, int], int] = {}
    for pair, count in aligned.items():
        for side in (0, 1):
            most[side, pair[side]] = max(most.get((side, pair[side]), 0), count)
    return {pair for pair, count in aligned.items() if any(count >= 0.7 * most[side, pair[side]] for side in (0, 1))}


def listed(one: Item, two: Item) -> bool:
    """Whether our own lists say that two words exclude one another."""
    here, there = lexicon.places(one.text), lexicon.places(two.text)
    return any(a[0] == b[0] and a[1] != b[1] for a in here for b in there) and not here & there


def _numbered(reading: Reading) -> list[tuple[int, list[Item]]]:
    return [(sentence[0].sentence, sentence) for sentence in reading.sentences]


def _by_sentence(reading: Reading) -> dict[int, frozenset[str]]:
    """The meanings of each sentence's words of weight, save those they have as one of an excluding set."""
    return {
        number: frozenset(meaning for item in sentence if item.content for meaning in item.meanings if meaning[0] != "|")
        for number, sentence in _numbered(reading)
    }


# --- sentences that say the same -------------------------------------------------------------------------------------------


def aligned_sentences(source: Reading, rewrite: Reading) -> dict[tuple[int, int], int]:
    """Pairs of sentences, one of each text, that share two words or half of the shorter one's; with how many they share."""
    where: dict[str, set[int]] = {}
    sizes: dict[int, int] = {}
    for item in source.items:
        for meaning in _said(item):
            where.setdefault(meaning, set()).add(item.sentence)
        sizes[item.sentence] = sizes.get(item.sentence, 0) + bool(_said(item))
    found = {}
    for sentence in rewrite.sentences:
        shared: dict[int, int] = {}
        words = [said for item in sentence if (said := _said(item))]
        for said in words:
            for number in {number for meaning in said for number in where.get(meaning, ())}:
                shared[number] = shared.get(number, 0) + 1
        for number, count in shared.items():
            if count >= 2 or count >= min(len(words), sizes[number]) / 2:
                found[number, sentence[0].sentence] = count
    return found


def _said(item: Item) -> frozenset[str]:
    if item.quantity is not None:
        return frozenset(f"#{value}" for value in item.quantity.values)
    return item.meanings if item.content else frozenset()


def stem(item: Item) -> str:
    return lexicon.stem(item.text)


def _distinct(reading: Reading) -> Iterable[Item]:
    return {stem(item): item for item in reversed(reading.content)}.values()


def excludes(one: Item, two: Item) -> bool:
    """Whether two words exclude one another: by our lists, as opposites, or as sister kinds of one thing."""
    if listed(one, two):
        return True
    if one.negated != two.negated and one.meanings & two.meanings:
        return True
    if one.meanings & two.meanings:
        return False
    things = wordnet.kind(stem(one)) in wordnet.THINGS or wordnet.kind(stem(two)) in wordnet.THINGS
    return wordnet.opposites(stem(one), stem(two)) or (things and wordnet.sisters(stem(one), stem(two)))


def _is_thing(item: Item) -> bool:
    kind = wordnet.kind(stem(item))
    return kind in wordnet.THINGS or (not kind and "_" not in item.text) or is_name(item)


def is_name(item: Item) -> bool:
    """Whether a word is written as a name within its sentence."""
    return item.written[:1].isupper() and not item.opens


def _join_synonyms(new: list[Item], known: list[Item], ours: dict[str, set[str]], theirs: dict[str, set[str]]) -> None:
    """Words of one sense, and a word for the kind of thing the other text names."""
    for one in new:
        for two in known:
            if excludes(one, two):
                continue
            if wordnet.synonyms(stem(one), stem(two)):
                _give(f"{SAME}{stem(one)}~{stem(two)}", one, two, ours, theirs)
            elif _is_general(one, two):
                _give(f"{LOOSE}{stem(one)}~{stem(two)}", one, two, ours, theirs)


def _is_general(one: Item, two: Item) -> bool:
    """Whether a noun names what the other one is a kind of: "vehicle" for "truck"."""
    nouns = wordnet.kind(stem(one))[:1] == wordnet.kind(stem(two))[:1] == "n"
    return nouns and not is_name(one) and not is_name(two) and wordnet.broader(stem(one), stem(two))


def _give(meaning: str, one: Item, two: Item, ours: dict[str, set[str]], theirs: dict[str, set[str]]) -> None:
    theirs.setdefault(stem(one), set()).add(meaning)
    ours.setdefault(stem(two), set()).add(meaning)


def _join_near(source: Reading, rewrite: Reading, near: Near, ours: dict[str, set[str]], theirs: dict[str, set[str]]) -> None:
    """The words that are still alone, each with the nearest word of the other text."""
    left = [item for item in rewrite.content if not item.meanings & source.meanings and stem(item) not in theirs]
    lost = [item for item in source.content if not item.meanings & rewrite.meanings and stem(item) not in ours]
    if not left and not lost:
        return
    cosines = near.between((source.text, source.content), (rewrite.text, rewrite.content))
    pairs = aligned_sentences(source, rewrite)
    rows = {id(item): at for at, item in enumerate(rewrite.content)}
    columns = {id(item): at for at, item in enumerate(source.content)}
    lone = {id(item) for item in (*left, *lost)}
    for one in left:
        others = [item for item in source.content if (item.sentence, one.sentence) in pairs]
        _nearest(one, others, lone, [float(cosines[rows[id(one)], columns[id(item)]]) for item in others], ours, theirs)
    for two in lost:
        others = [item for item in rewrite.content if (two.sentence, item.sentence) in pairs]
        _nearest(two, others, lone, [float(cosines[rows[id(item)], columns[id(two)]]) for item in others], theirs, ours)


def _nearest(
    one: Item,
    others: list[Item],
    alone: set[int],
    cosines: list[float],
    ours: dict[str, set[str]],
    theirs: dict[str, set[str]],
) -> None:
    for cosine, at in sorted(zip(cosines, range(len(others))), reverse=True)[:4]:
        if cosine < (NEAR if id(others[at]) in alone else NEARER):
            continue
        if not excludes(one, others[at]) and not (_is_thing(one) or _is_thing(others[at])):
            _give(f"{LOOSE}{stem(one)}~{stem(others[at])}", one, others[at], ours, theirs)
            return


# --- abbreviations ---------------------------------------------------------------------------------------------------------

_ABBREVIATION = re.compile(r"[A-Z]{2,6}s?$")
_NUMBERED = re.compile(r"\b([A-Z]{2,5})-?(\d{1,2})\b")


def abbreviated(text: str, other: str) -> str:
    """*text* with the names that *other* abbreviates with a number: "Common Equity Tier 1" as "CET1"."""
    for letters, number in {match.groups() for match in _NUMBERED.finditer(other)}:
        words = r"\s+".join(rf"{letter}[a-z]+" for letter in letters)
        text = re.sub(rf"\b{words}\s+{number}\b(?!\s+\({letters}-?{number}\))(?![\w.,]\d)", letters + number, text)
    return text


_SMALL = frozenset({"and", "of", "for", "the", "in", "on", "to", "a", "an", "or"})


def _join_abbreviations(short: Reading, long: Reading, ours: dict[str, set[str]], theirs: dict[str, set[str]]) -> None:
    """ "SOP" with "standard operating procedure" where the other text writes it out."""
    words = [item for item in long.items if item.kind == WORD or item.symbol == "AND"]
    for item in short.items:
        if item.kind == WORD and _ABBREVIATION.match(item.written):
            letters = item.written.rstrip("s").lower()
            for run in _written_out(words, letters):
                for each in run:
                    _give(f"{SAME}{letters}", each, item, ours, theirs)


def _written_out(words: list[Item], letters: str) -> Iterable[list[Item]]:
    for at, word in enumerate(words):
        if word.text[0] != letters[0]:
            continue
        for skip in (False, True):
            run: list[Item] = []
            rest = letters
            for each in words[at : at + 2 * len(letters)]:
                if rest and each.text[0] == rest[0] and not (skip and each.text in _SMALL):
                    run.append(each)
                    rest = rest[1:]
                elif not (skip and each.text in _SMALL):
                    break
            if not rest:
                yield run
