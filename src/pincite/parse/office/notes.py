"""Footnotes, endnotes and comments of a Word document: where they are, what they are called, which were read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from lxml import etree

from pincite.parse.office.inline import Mark
from pincite.parse.office.numerals import numeral
from pincite.parse.office.package import Package
from pincite.parse.office.words import W, value

Range = tuple[int, int, int]
"""Page, start and end."""
T = TypeVar("T")
MAX_SECTIONS = 10_000
"""Sections that are looked at for how their notes are counted."""
_KINDS = {"footnote": ("footnotes", "decimal"), "endnote": ("endnotes", "lowerRoman"), "comment": ("comments", "decimal")}


class Note(NamedTuple):
    """One note: where it stands and how it is printed."""

    part: str
    root: etree._Element
    element: etree._Element
    label: str
    heading: str  # who wrote a comment, and when


class Notes:
    """The notes of one document by kind and id. Each is taken once."""

    def __init__(self, package: Package, main: str, root: etree._Element) -> None:
        self._notes: dict[tuple[str, str], tuple[str, etree._Element, etree._Element]] = {}
        self._labels: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}
        self._taken: set[tuple[str, str]] = set()
        self._parts: dict[str, object] = {}
        settings = package.optional(package.first(main, "settings"))
        self._forms = dict(_note_forms(settings))
        self._restarts = [kinds for _, kinds in zip(range(MAX_SECTIONS), _restarts(root, settings))]
        self.at_end: list[tuple[Mark, Range]] = []
        for kind, (parts, _) in _KINDS.items():
            name = package.first(main, parts)
            tree = package.optional(name)
            for element in () if tree is None else tree.findall(W + kind):
                if element.get(W + "type", "normal") == "normal" and tree is not None:
                    self._notes[kind, element.get(W + "id", "")] = name, tree, element

    def end_of_section(self) -> None:
        """The next section begins; its notes may be counted from 1 again."""
        self._restarts = self._restarts[1:]
        for kind in self._restarts[0] if self._restarts else ():
            self._counts[kind] = 0

    def label(self, kind: str, note_id: str) -> str:
        """How the note's mark is printed: counted in the order of the marks."""
        key = kind, note_id
        if key not in self._labels:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            form = self._forms.get(kind, _KINDS[kind][1])
            self._labels[key] = numeral(self._counts[kind], form) or str(self._counts[kind])
        return self._labels[key]

    def has(self, kind: str, note_id: str) -> bool:
        """Whether the document has this note."""
        return (kind, note_id) in self._notes

    def take(self, kind: str, note_id: str, sign: str = "") -> Note | None:
        """The note, None where there is none or it has been taken. *sign* is what it is marked with instead of a number."""
        key = kind, note_id
        if key not in self._notes or key in self._taken:
            return None
        self._taken.add(key)
        part, root, element = self._notes[key]
        about = ", ".join(text for text in (element.get(W + "author", ""), element.get(W + "date", "")) if text)
        return Note(part, root, element, sign or self.label(kind, note_id), about if kind == "comment" else "")

    def left(self) -> Iterator[tuple[str, str]]:
        """The notes not taken that say anything."""
        for key, (_, _, element) in self._notes.items():
            if key not in self._taken and "".join(str(text) for text in element.itertext()).strip():
                yield key

    def part_of(self, name: str, make: Callable[[], T]) -> T:
        """What *make* gives for a part, made once."""
        if name not in self._parts:
            self._parts[name] = make()
        return self._parts[name]  # type: ignore[return-value]


def _restarts(root: etree._Element, settings: etree._Element | None) -> Iterator[tuple[str, ...]]:
    """For each section of a document, which kinds of notes count from 1 in it."""
    for section in root.iter(W + "sectPr"):
        stated = {kind: _restart(section, kind) or _restart(settings, kind) for kind in ("footnote", "endnote")}
        yield tuple(kind for kind, restart in stated.items() if restart == "eachSect")


def _restart(parent: etree._Element | None, kind: str) -> str:
    return value(None if parent is None else parent.find(f"{W}{kind}Pr"), "numRestart")


def _note_forms(settings: etree._Element | None) -> Iterator[tuple[str, str]]:
    """Number formats of footnotes and endnotes where the document states them."""
    for kind in ("footnote", "endnote"):
        form = value(None if settings is None else settings.find(f"{W}{kind}Pr"), "numFmt")
        if form:
            yield kind, form
