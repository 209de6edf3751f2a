"""Formal words and the plain ones that say the same: a rewrite is read in its source's words where it only says them plainer.

What else differs then stands out: a copy in other words is checked as strictly as a copy.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from pincite.enrich.gate import lexicon

LONGEST = 7  # words of a phrase
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")

Phrase = tuple[str, ...]  # stems
Forms = tuple[str, ...]  # "ing", "ed", "er" or "" for each


class _Text(NamedTuple):
    """A text's words: their stems and forms, and where each stands."""

    text: str
    stems: list[str]
    forms: list[str]
    places: list[tuple[int, int]]

    def phrases(self) -> dict[Phrase, list[int]]:
        """Every run of up to ``LONGEST`` words with nothing but blanks between, and the first word of each of its places."""
        found: dict[Phrase, list[int]] = {}
        for at in range(len(self.stems)):
            for size in range(1, LONGEST + 1):
                if at + size > len(self.stems) or (size > 1 and not self._beside(at + size - 2)):
                    break
                found.setdefault(tuple(self.stems[at : at + size]), []).append(at)
        return found

    def _beside(self, at: int) -> bool:
        return not self.text[self.places[at][1] : self.places[at + 1][0]].strip()

    def written(self, at: int, size: int) -> str:
        return self.text[self.places[at][0] : self.places[at + size - 1][1]]

    def around(self, at: int, size: int) -> tuple[str, str]:
        """The words before and after so many words."""
        return self.stems[at - 1] if at else "", self.stems[at + size] if at + size < len(self.stems) else ""


def in_words_of(source: str, rewrite: str) -> str:
    """*rewrite* with the source's own words for those that say the same in the same place, where neither text has both.

    >>> in_words_of("Proceedings are instituted pursuant to section 3.", "Proceedings are started under section 3.")
    'Proceedings are instituted pursuant to section 3.'
    """
    here, there = _read(source), _read(rewrite)
    ours, theirs = here.phrases(), there.phrases()
    turning = _turning(there)
    found, read, at = list[str](), 0, 0
    while at < len(there.stems):
        size, start, length = _said(there, at, here, ours, theirs) if not turning[at] else (0, 0, 0)
        if size and not any(turning[at : at + size]):
            found += [rewrite[read : there.places[at][0]], here.written(start, length)]
            read = there.places[at + size - 1][1]
            there.stems[at + size - 1] = here.stems[start + length - 1]  # the word before the next
        at += size or 1
    return "".join([*found, rewrite[read:]])


def _read(text: str) -> _Text:
    words = list(_WORD.finditer(text))
    lower = [word[0].lower() for word in words]
    return _Text(text, [*map(lexicon.stem, lower)], [*map(_form, lower)], [word.span() for word in words])


def _form(word: str) -> str:
    """Which side of an act a word is of, or when: "paying", "paid" and "payer" have one stem and are not one."""
    if word.endswith("ing"):
        return "ing"
    return "ed" if word.endswith("ed") or lexicon.is_past(word) else "er" if lexicon.side(word).endswith("-er") else ""


def _turning(text: _Text) -> list[bool]:
    """Which words are part of a phrase that turns a claim ("hold off"): those say what they say."""
    words = [text.text[start:end].lower() for start, end in text.places]
    found = [False] * len(words)
    for at, word in enumerate(words):
        for phrase, symbol in lexicon.phrases().get(word, ()):
            if symbol not in _JOINING and tuple(words[at : at + len(phrase)]) == phrase and phrase not in _PLAIN:
                found[at : at + len(phrase)] = [True] * len(phrase)
                break
    return found


_JOINING = frozenset({"BY", "AND", "INCLUDING", "BECAUSE"})
_PLAIN = frozenset((word,) for word in ("under", "through", "about", "around", "after", "following"))
"""Prepositions that turn a claim only before an amount."""


def _said(
    there: _Text, at: int, here: _Text, ours: dict[Phrase, list[int]], theirs: dict[Phrase, list[int]]
) -> tuple[int, int, int]:
    """How many words from *at* on say in other words what the source says; where in the source, and in how many words."""
    for size in range(min(LONGEST, len(there.stems) - at), 0, -1):
        phrase = tuple(there.stems[at : at + size])
        if phrase in ours or phrase not in theirs:
            continue
        around, formed = there.around(at, size), there.forms[at : at + size]
        for own, group in _groups().get(phrase, ()):
            for other, others in group:
                for start in ours.get(other, ()) if other not in theirs else ():
                    beside = any(one == two for one, two in zip(around, here.around(start, len(other))))
                    if beside and _free(own, formed) == _free(others, here.forms[start : start + len(other)]) != {"?"}:
                        return size, start, len(other)
    return 0, 0, 0


def _free(listed: Forms, formed: list[str]) -> set[str]:
    """The forms of words that the table has in none; {"?"} where it has a word in another form."""
    if any(one and one != two for one, two in zip(listed, formed)):
        return {"?"}
    return {two for one, two in zip(listed, formed) if not one} - {""}


@cache
def _groups() -> dict[Phrase, list[tuple[Forms, list[tuple[Phrase, Forms]]]]]:
    """Phrase -> its forms in the table, and the phrases that say the same with theirs, longer ones first."""
    table: dict[Phrase, list[tuple[Forms, list[tuple[Phrase, Forms]]]]] = {}
    for line in lexicon.lines("plain"):
        group = [
            (tuple(lexicon.stem(word) for word in said.split("_")), tuple(_form(word) for word in said.split("_")))
            for said in line.split()
        ]
        group = sorted(dict.fromkeys(group), key=lambda each: -len(each[0]))
        for phrase, forms in group:
            table.setdefault(phrase, []).append((forms, group))
    return table
