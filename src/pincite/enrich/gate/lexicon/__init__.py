"""The gate's words: what means the same, what excludes one another, what is said by "must not", "unless", "at least"."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

PREFIXES = ("un", "non")
_NOT_NEGATED = frozenset(
    [
        "under",
        "until",
        "unless",
        "unit",
        "units",
        "unite",
        "united",
        "union",
        "unique",
        "universal",
        "university",
        "understand",
        "understood",
        "undertake",
        "undergo",
        "undue",
        "unwell",
    ]
)


class Word(NamedTuple):
    """What a word means to the gate. Two words agree where their ``meanings`` meet and their ``negated`` is the same."""

    meanings: frozenset[str]
    negated: bool


def lines(name: str) -> list[str]:
    """The lines of one word list, without comments."""
    text = files(__package__).joinpath(f"{name}.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@cache
def _stemmer() -> object:
    import Stemmer

    return Stemmer.Stemmer("english", 0)


@cache
def stem(word: str) -> str:
    """The Snowball stem of a word in lower case, British and American spellings alike.

    >>> stem("authorised") == stem("authorizes"), stem("labelled") == stem("labeling"), stem("litres") == stem("liter")
    (True, True, True)
    """
    if "_" in word:
        return "_".join(map(stem, word.split("_")))
    forms = _forms("forms")
    word = forms.get(word) or forms.get(word.removesuffix("s")) or _forms("irregular").get(word, word)
    if word.endswith(("fication", "fications")):
        word = word[: word.rindex("fication")] + "fy"
    for british, american in (("isation", "ization"), ("ise", "ize"), ("ising", "izing"), ("yse", "yze")):
        at = word.find(british)
        if at > 2 and at + len(british) >= len(word) - 2:
            word = word[:at] + american + word[at + len(british) :]
    for british, american in _forms("spellings").items():
        if british in word:
            word = word.replace(british, american)
    found: str = _stemmer().stemWord(word)  # type: ignore[attr-defined]
    for suffix in ("ation", "ment", "anc", "enc", "ion", "ur", "al", "ag"):
        if found.endswith(suffix) and len(found) - len(suffix) >= 5:
            return found[: -len(suffix)]
    return found


@cache
def _forms(name: str) -> dict[str, str]:
    line = next(line for line in lines("forms") if line.startswith(name + ": "))
    return dict(pair.split(":") for pair in line.split()[1:])


def is_past(word: str) -> bool:
    """Whether a word in lower case is an irregular past or participle: "paid", "given"."""
    return word in _forms("irregular") and not word.endswith("ing")


@cache
def words(name: str) -> frozenset[str]:
    """One of the lists of agents.txt."""
    line = next(line for line in lines("agents") if line.startswith(name + ": "))
    return frozenset(line.split()[1:])


@cache
def languages() -> dict[str, frozenset[str]]:
    """Language -> its function words."""
    named = (line.partition(": ") for line in lines("languages"))
    return {name: frozenset(listed.split()) for name, _, listed in named}


@cache
def synonyms() -> dict[str, frozenset[str]]:
    """Stem -> the groups it belongs to."""
    groups: dict[str, set[str]] = {}
    for number, line in enumerate(lines("synonyms")):
        for word in line.split():
            groups.setdefault(stem(word), set()).add(f"={number}")
    return {word: frozenset(found) for word, found in groups.items()}


@cache
def opposites() -> dict[str, tuple[str, str]]:
    """Stem -> (the group of opposites, "+" for its base or "-" for its contrary)."""
    sides: dict[str, tuple[str, str]] = {}
    for number, line in enumerate(lines("opposites")):
        base, contrary = line.split("|")
        for sign, words in (("+", base), ("-", contrary)):
            for word in words.split():
                sides.setdefault(stem(word), (f"~{number}", sign))
    return sides


@cache
def contrasts() -> dict[str, frozenset[tuple[int, int]]]:
    """Stem -> (set, alternative) for each set of words that exclude one another."""
    found: dict[str, set[tuple[int, int]]] = {}
    for number, line in enumerate(lines("contrasts")):
        for alternative, words in enumerate(line.removeprefix("~ ").split("|")):
            for word in words.split():
                found.setdefault(side(word), set()).add((number, alternative))
    return {word: frozenset(places) for word, places in found.items()}


@cache
def places(word: str) -> frozenset[tuple[int, int]]:
    """(set, alternative) of each set of excluding words that a word in lower case is of.

    Who acts is told from the act: "operator" is of a set, "operation" is not.
    """
    return contrasts().get(side(word), frozenset())


def side(word: str) -> str:
    """The stem of a word in lower case, marked where it names who acts: "oper-er" for "operator"."""
    return stem(word) + ("-er" if _AGENT.search(word) else "")


_AGENT = re.compile(r"..(?:er|or|ee|ant|ist|man|men|ian)s?$")


@cache
def general() -> frozenset[int]:
    """The sets of contrasts whose words are general: new ones are told only beside a lost alternative."""
    return frozenset(number for number, line in enumerate(lines("contrasts")) if line.startswith("~ "))


@cache
def glue() -> frozenset[str]:
    """Stems of words that carry no claim of their own."""
    return frozenset(stem(word) for line in lines("glue") for word in line.split()) | frozenset(
        word for line in lines("glue") for word in line.split()
    )


@cache
def phrases() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """First word -> (words, symbol), the longest phrases first."""
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for line in lines("phrases"):
        symbol, _, listed = line.partition(": ")
        for phrase in listed.split("; "):
            words = tuple(phrase.split())
            table.setdefault(words[0], []).append((words, symbol))
    return {first: sorted(entries, key=lambda entry: -len(entry[0])) for first, entries in table.items()}


@cache
def phrase_synonyms() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """First word -> (words, the joined word) for synonyms of several words."""
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name in ("synonyms", "contrasts", "opposites"):
        for line in lines(name):
            for word in line.split():
                if "_" in word:
                    words = tuple(word.split("_"))
                    table.setdefault(words[0], []).append((words, word))
    return {first: sorted(set(entries), key=lambda entry: -len(entry[0])) for first, entries in table.items()}


def _denied(text: str) -> str:
    """The stem of what a word denies by a prefix, where WordNet calls the two opposites: "ineligible", "disagree"; else ""."""
    from pincite.enrich.gate.lexicon import wordnet

    for prefix in ("in", "im", "ir", "il", "dis"):
        rest = stem(text[len(prefix) :]) if text.startswith(prefix) and len(text) > len(prefix) + 3 else ""
        if rest and rest in wordnet.table().opposites.get(stem(text), ()):
            return rest
    return ""


@cache
def word(text: str) -> Word:
    """The meanings of a word in lower case.

    >>> word("rejected").negated, word("unpaid").negated, word("approved").negated
    (True, True, False)
    """
    root = stem(text)
    meanings = {root} | synonyms().get(root, frozenset())
    meanings |= {f"|{number}/{alternative}" for number, alternative in places(text)}
    negated = False
    if root in opposites():
        group, sign = opposites()[root]
        negated = sign == "-"
        meanings = (
            {group, root}
            | {meaning for meaning in meanings if meaning[0] == "|"}
            | (synonyms().get(root, frozenset()) if not negated else frozenset())
        )
    else:
        for prefix in PREFIXES:
            rest = text[len(prefix) :].lstrip("-")
            if text.startswith(prefix) and len(rest) > 3 and text not in _NOT_NEGATED:
                negated, root = True, stem(rest)
                meanings = {root} | synonyms().get(root, frozenset())
        if not negated and (rest := _denied(text)):
            negated, meanings = True, {rest} | synonyms().get(rest, frozenset())
    return Word(frozenset(meanings), negated)
