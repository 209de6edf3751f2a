"""The sections that need no search: every designator stands alone and leaves exactly one free place for it.

Most sections are like that. They are laid out here in one loop; what comes out is what :mod:`pincite.parse.section` makes of
them with plan, outline and writer, which the tests hold equal. Whatever is not plain is left to it.
"""

from __future__ import annotations

import re
from itertools import pairwise

from pincite.parse.build import END, KIND, RAW_END, RESERVED, Builder, Draft
from pincite.parse.designators import Designator, designators, single
from pincite.parse.outline import free_depth
from pincite.parse.scan import Text
from pincite.parse.terms import introduces

OPENING = (":", "—", "–", "-")
"""A text that ends so announces what follows."""

RESERVED_TEXT = re.compile(r"\[\s*reserved\s*\.?\s*\]\s*\.?\s*$", re.IGNORECASE)

ASIDE = frozenset({"amendment_history", "authority", "notice", "source_note", "contents", "page_furniture"})
"""Roles whose texts speak of the whole section, wherever they stand in it."""

STOPPED = re.compile(r"(?:[A-Za-z]|[0-9]{1,2}|[IVX]{2,5}|[ivx]{2,5})\.\s|S[0-9]|[_□☐]+\s*\(|(?:Example|Illustration)\b")
"""A text that may begin with a number of the kind ``A.``, ``1.`` or ``S5.1``, with a blank before "(1)", or with "Example"."""

HEADING_LEVELS = {f"{tag}{level}": level for tag in ("HD", "HD.HD") for level in range(1, 7)}
"""Headings inside an appendix or an extract, by how deep they are."""


Open = tuple[str, int, str, Draft]
"""An open paragraph: kind and place of its designator, its node's id, its node."""


def byte_of(text: Text, character: int) -> int:
    """The byte at which a character of the text stands in the page."""
    if text.end - text.start == len(text.text):
        return text.start + character
    return text.start + len(text.text[:character].encode())


def lay_out_plain(builder: Builder, base: Draft, texts: list[Text]) -> bool:
    """Lay out a section if it is plain. False, and nothing done, where it is not."""
    if base[KIND] in ("appendix", "document"):
        return False
    section, stopped = _Plain(base), base[KIND] == "section"
    for text in texts:
        role, numbered = text[7][text[0]]
        if numbered and text[1][0] == "(":
            designator = single(text)
            if designator is not None and not designator.readings:
                return False  # "(note) ...": brackets that number nothing
            if not (section.several(text) if designator is None else section.designated(text, designator)):
                return False
        elif (numbered and (section.definitions or (stopped and STOPPED.match(text[1])))) or (
            text[0] in HEADING_LEVELS and text[7].quoting == 1
        ):
            return False
        else:
            section.plain(text, role, numbered)
        if numbered and (section.opens or text[1].find("efin", 0, 60) > 0) and not section.definitions:
            section.definitions = introduces(text[1], section.opens)
    section.leave(0)
    return section.hand_over(builder)


class _Plain:
    """A section while it is laid out; nothing is handed over before all of it proved plain."""

    __slots__ = ("base_id", "blocks", "definitions", "drafts", "end", "flush", "open", "opens", "raw_end")

    def __init__(self, base: Draft) -> None:
        self.base_id: str = base[0]
        self.drafts: list[Draft] = []
        self.blocks: list[tuple[int, int, str, str, int, int]] = []
        self.open: list[Open] = []
        self.definitions = self.flush = False
        self.opens = True  # the last text announced something
        self.end = self.raw_end = 0

    def designated(self, text: Text, designator: Designator) -> bool:
        """A paragraph with its designator; False where more or less than one place is free for it."""
        return self.level(text, designator, text[2], text[3], text[1]) and self.ended(text)

    def several(self, text: Text) -> bool:
        """A text that opens several paragraphs, or none after all; False where that takes a search."""
        found = designators(text)
        if not found or any(designator.optional and not designator.series for designator in found):
            return False
        if len(found) == 1:
            return self.designated(text, found[0])
        starts = [0, *[designator.start for designator in found[1:]], len(text.text)]
        for designator, (begin, finish) in zip(found, pairwise(starts), strict=True):
            printed = text.text[begin:finish].rstrip()
            start, end = byte_of(text, begin), byte_of(text, begin + len(printed))
            if not self.level(text, designator, start, end, text.text[:finish]):
                return False
            self.end, self.raw_end = end, text.raw_end
        return self.ended(text)

    def ended(self, text: Text) -> bool:
        """The text is placed: what it says of the next one."""
        self.end, self.raw_end = text[3], text[5]
        self.opens = text[1][-1] in OPENING
        self.flush = not self.opens
        return True

    def level(self, text: Text, designator: Designator, start: int, end: int, printed: str) -> bool:
        """One paragraph, bytes *start* to *end*, *printed* up to its end; False where not one place is free for it."""
        label, readings, _, position, heading, _, _ = designator
        opened = self.open
        free = [free_depth(opened, readings[0])]
        if len(readings) > 1:
            free = [choice for reading in readings if (choice := free_depth(opened, reading)) is not None]
        if len(free) != 1 or free[0] is None:
            return False
        depth, kind, place = free[0]
        if len(opened) > depth:
            self.leave(depth)
        above = opened[-1][2] if opened else self.base_id
        node_id = above + label
        draft = [node_id, above, "paragraph", label, heading, 0, 1, start, 1, end, text[4], text[5], False, (), ""]
        role = text[7][text[0]][0]
        if len(printed) - position < 24 and RESERVED_TEXT.match(printed[position:].strip()):
            draft[RESERVED], role = True, "reserved"
        self.drafts.append(draft)
        opened.append((kind, place, node_id, draft))
        self.blocks.append((start, end, role, node_id, text[4], text[5]))
        return True

    def plain(self, text: Text, role: str, numbered: bool) -> None:
        """A text without designator: it goes on where the last one was, or one level above a list it follows."""
        _, printed, start, end, raw_start, raw_end, _, _ = text
        node_id = self.base_id
        if role not in ASIDE:
            if self.open:
                if numbered:
                    if self.flush:
                        self.leave(len(self.open) - 1)
                    self.flush = False
                self.end, self.raw_end = end, raw_end
                node_id = self.open[-1][2] if self.open else self.base_id
            if numbered:
                self.opens = printed[-1] in OPENING
        self.blocks.append((start, end, role, node_id, raw_start, raw_end))

    def leave(self, depth: int) -> None:
        """Close the paragraphs below *depth*: they end where the last text ended."""
        for opened in self.open[depth:]:
            draft = opened[3]
            draft[END], draft[RAW_END] = self.end, self.raw_end
        del self.open[depth:]

    def hand_over(self, builder: Builder) -> bool:
        """Give nodes and blocks to the builder; False where an id is taken, which the full way reports."""
        ids, drafts = builder.ids, self.drafts
        names = [draft[0] for draft in drafts]
        if not ids.keys().isdisjoint(names) or len(set(names)) != len(names):
            return False
        ids.update(dict.fromkeys(names, 1))
        for ordinal, draft in enumerate(drafts, start=len(builder.nodes)):
            draft[5] = ordinal
        builder.nodes += drafts
        builder.blocks += self.blocks
        return True
