"""List labels as Word prints them: levels, restarts, overrides, and formats such as "%1.%2"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from lxml import etree

from pincite.parse.office.numerals import IN_ENGLISH, numeral
from pincite.parse.office.styles import Styles, indent
from pincite.parse.office.symbols import plain_bullet
from pincite.parse.office.words import MC, W, flag, number, value

_PLACE = re.compile(r"%([1-9])")
LEVELS = 9
_LEGAL = frozenset({"none", "decimalZero"})
"""Formats that a legal level leaves alone: Word prints "Section 1.01" below "Article I"."""


class Level(NamedTuple):
    """One level of a list."""

    start: int
    form: str  # "decimal", "lowerLetter", "bullet", ...
    text: str  # "%1.%2", or the bullet
    restart: int  # the level, counted from 1, that starts it again; 0 never, -1 every level above
    legal: bool  # every number in digits
    style: str  # the paragraph style it belongs to
    indent: int  # twips
    pattern: str = ""  # of a custom number format: "001, 002, 003, ..."


class Label(NamedTuple):
    """What is printed before a paragraph."""

    text: str  # "1.2", "(a)", "•", "" where the level prints nothing
    abstract: str  # which list it counts in
    ilvl: int
    bullet: bool
    indent: int
    trouble: str = ""  # what could not be settled


class Numbering:
    """The lists of one document, and how far each has counted."""

    def __init__(self, root: etree._Element | None, styles: Styles) -> None:
        self.styles = styles
        self._abstract = {one.get(W + "abstractNumId", ""): one for one in _all(root, "abstractNum")}
        self._numbers = {one.get(W + "numId", ""): one for one in _all(root, "num")}
        self._levels: dict[str, tuple[str, dict[int, Level], dict[int, int]]] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._started: set[tuple[str, int]] = set()
        self._stories: dict[str, tuple[dict[str, list[int | None]], set[tuple[str, int]]]] = {}

    @contextmanager
    def story(self, name: str) -> Iterator[None]:
        """Page heads, notes and comments count on their own, each part through the document."""
        outside = self._counts, self._started
        self._counts, self._started = self._stories.setdefault(name, ({}, set()))
        yield
        self._counts, self._started = outside

    def level(self, num_id: str, ilvl: int) -> Level | None:
        """A level of a list, without counting; None where there is none."""
        return self._list(num_id)[1].get(ilvl) if num_id in self._numbers else None

    def label(self, num_id: str, ilvl: int, style_id: str = "") -> Label | None:
        """Count one paragraph and give its label; None where *num_id* is no list. *ilvl* -1: the level of *style_id*."""
        if num_id in ("", "0") or num_id not in self._numbers:
            return None
        abstract, levels, starts = self._list(num_id)
        if ilvl < 0:
            ilvl = next((at for at, level in levels.items() if level.style and level.style == style_id), 0)
        level = levels.get(ilvl)
        if level is None:
            return None
        counts = self._count(num_id, abstract, ilvl, levels, starts)
        if level.form == "bullet":
            return Label(plain_bullet(level.text), abstract, ilvl, True, level.indent)
        text, trouble = _printed(level, levels, counts)
        if level.form in IN_ENGLISH and self.styles.language and not self.styles.language.startswith("en"):
            trouble = f"a number in words of {self.styles.language} is printed in English"
        return Label(text, abstract, ilvl, False, level.indent, trouble)

    def _count(
        self, num_id: str, abstract: str, ilvl: int, levels: dict[int, Level], starts: dict[int, int]
    ) -> list[int | None]:
        counts = self._counts.setdefault(abstract, [None] * LEVELS)
        if ilvl in starts and (num_id, ilvl) not in self._started:
            counts[ilvl] = None
        self._started.add((num_id, ilvl))
        before = counts[ilvl]
        counts[ilvl] = starts.get(ilvl, levels[ilvl].start) if before is None else before + 1
        for deeper in range(ilvl + 1, LEVELS):
            restart = levels[deeper].restart if deeper in levels else -1
            if restart < 0 or ilvl < restart:
                counts[deeper] = None
        return counts

    def _list(self, num_id: str) -> tuple[str, dict[int, Level], dict[int, int]]:
        """The list that a number instance counts in, its levels, and where the instance starts anew."""
        if num_id not in self._levels:
            instance = self._numbers[num_id]
            abstract = self._resolve(value(instance, "abstractNumId"))
            element = self._abstract.get(abstract)
            levels = {} if element is None else _levels_of(element)
            starts: dict[int, int] = {}
            for override in instance.findall(W + "lvlOverride"):
                at = number(override.get(W + "ilvl"))
                levels |= _levels_of(override)
                stated = value(override, "startOverride")
                if stated:
                    starts[at] = number(stated)
            self._levels[num_id] = abstract, levels, starts
        return self._levels[num_id]

    def _resolve(self, abstract: str) -> str:
        """The list that has the levels: one may only point to a list style, which points to another."""
        for _ in range(LEVELS):
            linked = value(self._abstract.get(abstract), "numStyleLink")
            instance = self._numbers.get(self.styles.num_id(linked)) if linked else None
            further = value(instance, "abstractNumId")
            if not further or further == abstract:
                break
            abstract = further
        return abstract


def _all(root: etree._Element | None, name: str) -> list[etree._Element]:
    return [] if root is None else root.findall(W + name)


def _levels_of(parent: etree._Element) -> dict[int, Level]:
    return {at: _level(one) for one in parent.findall(W + "lvl") if 0 <= (at := number(one.get(W + "ilvl"))) < LEVELS}


def _level(element: etree._Element) -> Level:
    form = element.find(W + "numFmt")
    if form is None:  # a format newer than the standard stands in alternate content
        form = element.find(f"{MC}AlternateContent/{MC}Choice/{W}numFmt")
    stated = "decimal" if form is None else form.get(W + "val", "decimal")
    pattern = "" if form is None else form.get(W + "format", "")
    restart = number(value(element, "lvlRestart"), -1)
    left = indent(element.find(W + "pPr"))
    text = value(element, "lvlText")
    start = number(value(element, "start"), 0)
    return Level(start, stated, text, restart, bool(flag(element, "isLgl")), value(element, "pStyle"), left or 0, pattern)


def _printed(level: Level, levels: dict[int, Level], counts: list[int | None]) -> tuple[str, str]:
    """The label of a numbered level, and what about it is a guess."""
    troubles: list[str] = []

    def put(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        shown, count = levels.get(at), counts[at]
        if shown is None or shown.form == "bullet":  # a level without numbers prints none
            return ""
        if count is None:
            troubles.append(f"level {at + 1} has not been counted yet and is printed as it starts")
            count = shown.start
        form = "decimal" if level.legal and shown.form not in _LEGAL else shown.form
        printed = _custom(count, shown.pattern) if form == "custom" else numeral(count, form)
        if printed is None:
            troubles.append(f"the number format {form} is not known and is printed in digits")
        return str(count) if printed is None else printed

    return _PLACE.sub(put, level.text).strip(), "; ".join(troubles)


def _custom(count: int, pattern: str) -> str | None:
    """A custom format says by example how many digits are printed: "001, 002, 003, ..."."""
    first = pattern.partition(",")[0].strip()
    return str(count).zfill(len(first)) if first.isdigit() else None
