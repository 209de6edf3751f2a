"""The paragraphs of one section: each designator a node at its level, each text a block of the node it belongs to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pincite.parse.designators import Designator, designators
from pincite.parse.outline import Placed, Step, outline
from pincite.parse.terms import INTRODUCES, defined_term

if TYPE_CHECKING:
    from pincite.parse.build import Builder, Paragraph, Place

OPENING = (":", "—", "–", "-")
RESERVED = re.compile(r"\[\s*reserved\s*\.?\s*\]\s*\.?\s*$", re.IGNORECASE)


def lay_out(builder: Builder, base: Place | None, paragraphs: list[Paragraph]) -> None:
    """Give every paragraph of the section *base* its node and its block."""
    steps, counts, terms = _steps(paragraphs, builder.has_definitions)
    placed = iter(outline(steps) if steps else [])
    writer = _Writer(builder, base)
    for paragraph, found, term in zip(paragraphs, counts, terms, strict=True):
        if term:
            writer.definition(paragraph, next(placed), term)
        elif found:
            writer.designated(paragraph, [(d, place) for d in found if (place := next(placed)).path is not None])
        else:
            writer.plain(paragraph)


def _steps(paragraphs: list[Paragraph], definitions: bool) -> tuple[list[Step], list[list[Designator]], list[str]]:
    """What the outline has to place: designators and defined terms, with the context that decides ties."""
    steps: list[Step] = []
    found: list[list[Designator]] = []
    terms: list[str] = []
    opens, headed = True, definitions
    for paragraph in paragraphs:
        designated: list[Designator] = []
        term = ""
        text = paragraph.text
        if paragraph.numbered:
            if text[0] == "(":
                designated = designators(text, paragraph.run)
                for designator in designated:
                    steps.append(Step(designator, opens))
                    opens = True
            elif definitions and (term := defined_term(text, paragraph.run, headed)):
                steps.append(Step(_NO_DESIGNATOR, opens, term, opens))
            opens = text.endswith(OPENING)
            if opens and INTRODUCES.search(text):
                definitions = True
        found.append(designated)
        terms.append(term)
    return steps, found, terms


_NO_DESIGNATOR = Designator("", (), 0, 0)


class _Writer:
    """Writes the blocks and nodes of one section in document order, remembering where undesignated text belongs."""

    def __init__(self, builder: Builder, base: Place | None) -> None:
        self.builder, self.base = builder, base
        self.paths: dict[str, Place | None] = {"": base}
        self.current = base  # where text without designator goes
        self.settled = True
        self.opened = False  # the last text announced something

    def definition(self, paragraph: Paragraph, placed: Placed, term: str) -> None:
        place = self._open(placed, "definition", term, paragraph, 0)
        place.heading = term
        self._block(paragraph, place, 0, len(paragraph.text))
        self._move(place, paragraph)

    def designated(self, paragraph: Paragraph, found: list[tuple[Designator, Placed]]) -> None:
        if not found:
            return self.plain(paragraph)
        starts = [0, *(d.start for d, _ in found[1:])]
        ends = [*starts[1:], len(paragraph.text)]
        for (designator, placed), start, end in zip(found, starts, ends, strict=True):
            place = self._open(placed, "paragraph", designator.label, paragraph, start)
            place.heading = designator.heading
            place.reserved = bool(RESERVED.match(paragraph.text[designator.end : end].strip()))
            self._block(paragraph, place, start, end)
            self._move(place, paragraph)
        return None

    def plain(self, paragraph: Paragraph) -> None:
        place = self.current
        if paragraph.numbered:
            if not self.settled and not self.opened and place and place is not self.base and place.kind != "definition":
                place = place.parent
            self.current, self.settled = place, True
            self.opened = paragraph.text.endswith(OPENING)
        elif paragraph.role in ("amendment_history", "authority", "notice", "source_note"):
            place = self.base
        self._block(paragraph, place, 0, len(paragraph.text))

    def _move(self, place: Place, paragraph: Paragraph) -> None:
        self.current, self.settled = place, False
        self.opened = paragraph.text.endswith(OPENING)

    def _open(self, placed: Placed, kind: str, label: str, paragraph: Paragraph, start: int) -> Place:
        """A node for a designator or a term."""
        base = self.base.node_id if self.base else ""
        parent = self.paths.get(placed.parent, self.base)
        place = self.builder.open(f"{base}{placed.path}", kind, label, paragraph.run.raw_start, parent)
        place.start = place.end = paragraph.start + _bytes(paragraph, start)
        place.readings = tuple(base + reading for reading in placed.readings)
        place.reason = placed.reason
        self.paths[placed.path or ""] = place
        return place

    def _block(self, paragraph: Paragraph, place: Place | None, start: int, end: int) -> None:
        """The block of ``text[start:end]``, whitespace at its end left to the gap after it."""
        text = paragraph.text
        whole = start == 0 and end == len(text)
        if whole:
            first, last = paragraph.start, paragraph.start + len(paragraph.data)
            data = paragraph.data
        else:
            piece = text[start:end].rstrip()
            data = piece.encode()
            first = paragraph.start + _bytes(paragraph, start)
            last = first + len(data)
        role = "reserved" if place is not None and place.reserved and paragraph.role == "body" else paragraph.role
        self.builder.block(first, last, role, place, data, paragraph.run)
        self.builder.extend(place, last, paragraph.run.raw_end)
        if paragraph.role == "table":
            self.builder.display[first] = text


def _bytes(paragraph: Paragraph, character: int) -> int:
    """The byte offset of a character of the paragraph's text."""
    if len(paragraph.text) == len(paragraph.data):
        return character
    return len(paragraph.text[:character].encode())
