"""A document as the checks look at it: each block's text once, and where a place is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from pincite.model import QUOTABLE_ROLES, Block, Document
from pincite.quality.codes import Problem


class Piece(NamedTuple):
    """A block with its own words and the words as shown."""

    block: Block
    text: str
    shown: str

    @property
    def is_code(self) -> bool:
        """Whether it is a fenced or indented piece of code."""
        return self.text.startswith(("```", "~~~"))


class View(NamedTuple):
    """A document, its pieces, and the byte each line of a page begins at."""

    document: Document
    pieces: Sequence[Piece]  # text of the document itself
    metadata: Sequence[Piece]
    lines: Sequence[Sequence[int]]

    @classmethod
    def of(cls, document: Document) -> View:
        """The view of a document."""
        pieces, metadata = list[Piece](), list[Piece]()
        for block in document.partition:
            if block.role in QUOTABLE_ROLES or block.role == "metadata":
                words = document.slice(block.page, block.start, block.end).decode()
                piece = Piece(block, words, document.display.get(block.ordinal, words))
                (metadata if block.role == "metadata" else pieces).append(piece)
        return cls(document, pieces, metadata, [_line_starts(page) for page in document.pages])

    def problem(self, code: str, message: str, block: Block | None = None, start: int = 0, end: int | None = None) -> Problem:
        """A problem in a *block*, at the characters *start* to *end* of its text."""
        source = self.document.source
        if block is None:
            return Problem(code, source.document_id, source.path, source.document_id, 1, 0, 0, 1, message)
        words = self.document.slice(block.page, block.start, block.end).decode()
        first = block.start + len(words[:start].encode())
        last = block.end if end is None else first + len(words[start:end].encode())
        line = bisect_right(self.lines[block.page - 1], first)
        return Problem(code, source.document_id, source.path, block.node_id, block.page, first, last, line, message)


def _line_starts(page: bytes) -> list[int]:
    starts, at = [0], page.find(b"\n")
    while at >= 0:
        starts.append(at + 1)
        at = page.find(b"\n", at + 1)
    return starts
