"""Examples that the reader of ``train_entailment.py`` learns from: two texts, whether they say the same, and how they differ.

A line of ``conf/gold/grounding/written`` gives a passage, faithful rewordings and corrupted ones. Any two of the first say the
same; a corrupted one says the same as none of them, nor as one that is corrupted otherwise. More is made by program from the
faithful ones, where the label is sure: a sentence or clause left out, two amounts or roles exchanged, a word turned.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

SAME = "same"


class Line(NamedTuple):
    """A passage, its faithful rewordings, and the corrupted ones with their kinds. ``writer`` is who wrote them."""

    writer: str
    passage: str
    faithful: list[str]
    corrupt: list[tuple[str, str]]


class Example(NamedTuple):
    """Two texts, and ``SAME`` or the kind of difference. ``group`` numbers the line it is from."""

    one: str
    two: str
    kind: str
    group: int


def load(folder: Path) -> list[Line]:
    """The lines of every writer, ``*.jsonl`` in *folder*."""
    return [
        Line(file.stem, each["s"], each["f"], [(kind, text) for kind, text in each["c"]])
        for file in sorted(folder.glob("*.jsonl"))
        for each in map(json.loads, file.read_text("utf-8").splitlines())
    ]


def gold(folder: Path) -> list[Line]:
    """The pairs in YAML beside them as lines of the writer "gold"; never those put away (``unseen*.yml``)."""
    import yaml

    found = []
    for file in sorted(folder.glob("*.yml")):
        if file.stem.startswith("unseen"):
            continue
        for entry in yaml.safe_load(file.read_text("utf-8"))["passages"]:
            corrupt = [(kind, str(text)) for kind, texts in entry.get("corrupt", {}).items() for text in texts]
            found.append(Line("gold", entry["passage"], [str(text) for text in entry.get("faithful", [])], corrupt))
    return [line for line in found if line.faithful and line.corrupt]


def tested(lines: list[Line]) -> Iterator[Example]:
    """What the gate is asked: each rewording with its passage."""
    for group, line in enumerate(lines):
        yield from (Example(line.passage, text, SAME, group) for text in line.faithful)
        yield from (Example(line.passage, text, kind, group) for kind, text in line.corrupt)


def shared(one: str, two: str) -> float:
    """The share of the words of two texts that stand in both."""
    here, there = (frozenset(re.findall(r"[a-z0-9]+", text.lower())) for text in (one, two))
    return len(here & there) / max(1, len(here | there))


def drawn(lines: list[Line], at: int, rng: random.Random) -> list[Example]:
    """Examples of the line *at*, other ones each time: about four of the same, the rest not.

    Some writers reworded freely and corrupted near copies, so that "few words in common" would be learned as "the same". Each
    corrupted text is therefore set beside the faithful one that shares as many words with it as some two faithful ones do.
    """
    line = lines[at]
    good = [line.passage, *line.faithful]
    pairs = [(one, two) for number, one in enumerate(good) for two in good[number + 1 :]]
    found = [Example(*pair, SAME, at) for pair in rng.sample(pairs, min(3, len(pairs)))]
    for kind, text in rng.sample(line.corrupt, min(3, len(line.corrupt))):
        wanted = shared(*rng.choice(pairs)) + rng.gauss(0, 0.03)
        found.append(Example(min(good, key=lambda each: abs(shared(each, text) - wanted)), text, kind, at))
    one, two = rng.sample(good, 2)
    if made := corrupted(two, lines, rng):
        found.append(Example(one, made[1], made[0], at))
    kind, text = rng.choice(line.corrupt)
    found.append(Example(max(good, key=lambda each: shared(each, text)), text, kind, at))  # near copies that are not the same
    text = rng.choice([*good, *(each for _, each in line.corrupt)])
    found.append(Example(text, reworded(text, rng, 3), SAME, at))  # near copies that are
    return [_varied(each, rng) for each in found]


_MIRRORED = {"omission": "addition", "addition": "omission", "condition_lost": "condition_added"}
_MIRRORED |= {"condition_added": "condition_lost", "exception_lost": "condition_added"}


def _varied(example: Example, rng: random.Random) -> Example:
    """Turned round half the time, and now and then with a few words put otherwise on either side."""
    one, two, kind, group = example
    if rng.random() < 0.4:
        one = reworded(one, rng, 1)
    if rng.random() < 0.4:
        two = reworded(two, rng, 1)
    if rng.random() < 0.4:
        one, two, kind = two, one, _MIRRORED.get(kind, kind)
    return Example(one, two, kind, group)


# --- the same in other words -----------------------------------------------------------------------------------------------

_EQUAL = [
    ("must not", "may not", "is not allowed to"),
    ("shall not", "must not"),
    ("shall", "must"),
    ("must", "has to", "is required to"),
    ("may", "is allowed to", "can"),
    ("at least", "no less than", "not less than"),
    ("at most", "no more than", "not more than"),
    ("before", "prior to"),
    ("after", "following"),
    ("if", "where", "in the event that"),
    ("unless", "except where"),
    ("because of", "owing to"),
    ("each", "every"),
    ("yearly", "annually"),
    ("buy", "purchase"),
    ("about", "approximately"),
    ("tell", "inform"),
    ("keep", "retain"),
    ("kept", "retained"),
    ("need not", "does not have to"),
    ("without", "in the absence of"),
    ("during", "in the course of"),
]
_SAID = {phrase: row for row in reversed(_EQUAL) for phrase in row}
_PHRASE = re.compile(r"\b(" + "|".join(sorted(map(re.escape, _SAID), key=len, reverse=True)) + r")\b")


def reworded(text: str, rng: random.Random, most: int) -> str:
    """*text* with up to *most* phrases put otherwise; its meaning stays."""
    places = list(_PHRASE.finditer(text))
    for match in sorted(rng.sample(places, min(most, len(places))), key=lambda m: -m.start()):
        other = rng.choice([phrase for phrase in _SAID[match[0]] if phrase != match[0]])
        text = text[: match.start()] + other + text[match.end() :]
    return text


# --- corrupted by program --------------------------------------------------------------------------------------------------


def corrupted(text: str, lines: list[Line], rng: random.Random) -> tuple[str, str] | None:
    """A kind and *text* with one thing wrong; None where nothing could be done."""
    ways = list(_WAYS)
    rng.shuffle(ways)
    for way in ways:
        made = way(text, rng)
        if made and made[1] != text:
            return made
    strange = rng.choice(_sentences(rng.choice(lines).passage))
    return "addition", f"{text} {strange}"


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?;])\s+(?=[A-Z])", text)


def _less_a_sentence(text: str, rng: random.Random) -> tuple[str, str] | None:
    listed = _sentences(text)
    if len(listed) < 2:
        return None
    del listed[rng.randrange(len(listed))]
    return "omission", " ".join(listed)


_CLAUSE = re.compile(
    r",? (?:unless|except|if|provided|where|only if|save|but not|other than|without|until|and) [^.;,]{12,}(?=[.;,])"
)


def _less_a_clause(text: str, rng: random.Random) -> tuple[str, str] | None:
    found = list(_CLAUSE.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    return "omission", text[: match.start()] + text[match.end() :]


_TURNS = [
    ("modality", "must", "may"),
    ("modality", "has to", "may"),
    ("modality", "have to", "may"),
    ("modality", "may", "must"),
    ("modality", "must", "should"),
    ("negation", "must not", "must"),
    ("negation", "is not", "is"),
    ("negation", "are not", "are"),
    ("negation", "cannot", "can"),
    ("negation", "is", "is not"),
    ("negation", "are", "are not"),
    ("comparison", "at least", "at most"),
    ("comparison", "at most", "at least"),
    ("comparison", "more than", "less than"),
    ("comparison", "less than", "more than"),
    ("comparison", "no more than", "no less than"),
    ("comparison", "over", "under"),
    ("order", "before", "after"),
    ("order", "after", "before"),
    ("and_or", "and", "or"),
    ("and_or", "or", "and"),
    ("exception_flipped", "unless", "if"),
    ("exception_flipped", "only if", "unless"),
    ("exception_flipped", "except", "including"),
    ("scope", "only", "also"),
    ("quantifier", "all", "some"),
    ("quantifier", "any", "most"),
    ("quantifier", "both", "either"),
    ("quantifier", "each", "one"),
    ("sister", "weekly", "monthly"),
    ("sister", "days", "weeks"),
    ("sister", "months", "years"),
    ("sister", "hours", "days"),
    ("sister", "quarterly", "yearly"),
    ("antonym", "increase", "decrease"),
    ("antonym", "accept", "reject"),
    ("antonym", "first", "last"),
    ("antonym", "above", "below"),
    ("antonym", "start", "end"),
    ("strength", "usually", "always"),
    ("strength", "likely", "certain"),
]


def _turned(text: str, rng: random.Random) -> tuple[str, str] | None:
    """A word put into its opposite."""
    turns = rng.sample(_TURNS, len(_TURNS))
    for kind, here, there in turns:
        found = list(re.finditer(rf"\b{here}\b", text))
        if found:
            match = rng.choice(found)
            return kind, text[: match.start()] + there + text[match.end() :]
    return None


_AMOUNT = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w])")


def _amounts(text: str, rng: random.Random) -> tuple[str, str] | None:
    found = list(_AMOUNT.finditer(text))
    pairs = [(a, b) for at, a in enumerate(found) for b in found[at + 1 :] if a[0] != b[0]]
    if pairs:
        a, b = rng.choice(pairs)
        return "exchange", text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :]
    return None


_ROLE = re.compile(r"\b[Tt]he ([a-z]{4,}(?:er|or|ee|ant|ent|ist|man|ian|eer|ity|tee)s?)\b(?=[ ,.;])")


def _roles(text: str, rng: random.Random) -> tuple[str, str] | None:
    """Two people exchanged wherever they stand."""
    names = sorted({match[1] for match in _ROLE.finditer(text)})
    if len(names) < 2:
        return None
    one, two = rng.sample(names, 2)
    swap = {one: two, two: one}
    return "roles", re.sub(rf"\b({re.escape(one)}|{re.escape(two)})\b", lambda m: swap[m[1]], text)


_Way = Callable[[str, random.Random], "tuple[str, str] | None"]
_WAYS: tuple[_Way, ...] = (_less_a_sentence, _less_a_clause, _turned, _turned, _amounts, _roles)
