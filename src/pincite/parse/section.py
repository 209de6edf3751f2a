"""The texts of one section: each designator a node at its level, each text a block of the node it belongs to."""

from __future__ import annotations

import re

from pincite.parse.build import END, KIND, NODE_ID, RAW_END, RESERVED, Builder, Draft
from pincite.parse.designators import Designator, designators
from pincite.parse.outline import Placed, Step, outline
from pincite.parse.scan import Text
from pincite.parse.terms import INTRODUCES, defined_term

OPENING = (":", "—", "–", "-")
"""A text that ends so announces what follows."""

RESERVED_TEXT = re.compile(r"\[\s*reserved\s*\.?\s*\]\s*\.?\s*$", re.IGNORECASE)

ASIDE = frozenset({"amendment_history", "authority", "notice", "source_note", "contents", "page_furniture"})
"""Roles whose texts speak of the whole section, wherever they stand in it."""

_NO_DESIGNATOR = Designator("", (), 0, 0)


def lay_out(builder: Builder, base: Draft | None, texts: list[Text], definitions: bool) -> None:
    """Give every text of the section *base* its node and its block. *definitions*: its heading says so."""
    steps, counts = _steps(texts, definitions)
    writer = _Writer(builder, base)
    if not steps:
        for text in texts:
            writer.plain(text)
    else:
        placed = outline(steps)
        position = 0
        for text, count in zip(texts, counts, strict=True):
            if count:
                writer.designated(text, steps[position : position + count], placed[position : position + count])
                position += count
            else:
                writer.plain(text)
    writer.close()


def _steps(texts: list[Text], definitions: bool) -> tuple[list[Step], list[int]]:
    """What the outline has to place, and how many of it each text has."""
    steps: list[Step] = []
    counts: list[int] = []
    opens, headed = True, definitions
    for text in texts:
        count, printed = 0, text.text
        if text.context[text.tag][1]:
            if printed[0] == "(":
                for designator in designators(text):
                    steps.append(Step(designator, opens))
                    opens = True
                    count += 1
            elif definitions and (term := defined_term(text, headed)):
                steps.append(Step(_NO_DESIGNATOR, opens, term, opens))
                count = 1
            opens = printed.endswith(OPENING)
            if opens and not definitions and INTRODUCES.search(printed):
                definitions = True
        counts.append(count)
    return steps, counts


class _Writer:
    """Writes the blocks and nodes of one section in document order."""

    def __init__(self, builder: Builder, base: Draft | None) -> None:
        self.builder, self.base = builder, base
        self.base_id: str = base[NODE_ID] if base else ""
        self.open: list[tuple[str, Draft]] = []  # path and draft of each open paragraph, outermost first
        self.flush = False  # the next text without designator belongs one level up
        self.end = self.raw_end = 0  # of the last text

    def designated(self, text: Text, steps: list[Step], placed: list[Placed]) -> None:
        """A text that opens one or more paragraphs, or defines a term."""
        levels = [(step, place) for step, place in zip(steps, placed, strict=True) if place[0] is not None]
        if not levels:
            self.plain(text)
            return
        role = text.context[text.tag][0]
        if len(levels) == 1:
            self._level(text, role, levels[0], text.start, text.end, len(text.text))
        else:
            starts = [0, *(step.designator.start for step, _ in levels[1:]), len(text.text)]
            for level, begin, finish in zip(levels, starts, starts[1:], strict=False):
                kept = len(text.text[begin:finish].rstrip())
                self._level(text, role, level, _byte(text, begin), _byte(text, begin + kept), finish)
        self.end, self.raw_end = text.end, text.raw_end
        self.flush = not text.text.endswith(OPENING)

    def _level(self, text: Text, role: str, level: tuple[Step, Placed], start: int, end: int, finish: int) -> None:
        """One paragraph: its node and its block."""
        (designator, _, term, _), (path, parent, readings, reason) = level
        self._leave(parent)
        above = self.open[-1][1][NODE_ID] if self.open else self.base_id or None
        kind, label, heading = ("definition", term, term) if term else ("paragraph", designator[0], designator[4])
        draft = self.builder.open(f"{self.base_id}{path}", kind, label, heading, above, start, text.raw_start)
        if readings:
            draft[13], draft[14] = tuple([self.base_id + reading for reading in readings]), reason
        if finish - designator[3] < 24 and RESERVED_TEXT.match(text.text[designator[3] : finish].strip()):
            draft[RESERVED] = True
            role = "reserved"
        self.open.append((path or "", draft))
        self.builder.blocks.append((start, end, role, draft[NODE_ID], text.raw_start, text.raw_end))
        self.end, self.raw_end = end, text.raw_end

    def plain(self, text: Text) -> None:
        """A text without designator: it goes on where the last one was, or one level above a list it follows."""
        role, numbered = text.context[text.tag]
        node_id = self.base_id
        if role not in ASIDE and self.open:
            if numbered:
                if self.flush and self.open[-1][1][KIND] != "definition":
                    self._leave(self.open[-2][0] if len(self.open) > 1 else "")
                self.flush = False
            self.end, self.raw_end = text.end, text.raw_end
            node_id = self.open[-1][1][NODE_ID] if self.open else self.base_id
        self.builder.block(text, role, node_id)

    def _leave(self, path: str) -> None:
        """Close the open paragraphs down to *path*: they end where the last text ended."""
        opened = self.open
        while opened and opened[-1][0] != path:
            draft = opened.pop()[1]
            draft[END], draft[RAW_END] = self.end, self.raw_end

    def close(self) -> None:
        """The section ends."""
        self._leave("")


def _byte(text: Text, character: int) -> int:
    """The byte at which a character of the text stands in the page."""
    if text.end - text.start == len(text.text):
        return text.start + character
    return text.start + len(text.text[:character].encode())
