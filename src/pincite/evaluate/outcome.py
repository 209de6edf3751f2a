"""What an answering function did with one question, in the terms the measures count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from pincite.evaluate.gold import Expected, Question
from pincite.model import Block, Span, sha256_hex


class Extent(NamedTuple):
    """A stretch of one document's extracted text."""

    document_id: str
    page: int
    start: int
    end: int


class Delivered(NamedTuple):
    """One passage of an answer, in the order delivered."""

    document_id: str
    node_id: str
    evidence_text: str
    spans: tuple[Span, ...]


class Outcome(NamedTuple):
    """One question and what came back. An error is an outcome too: it counts as a failure, never as a smaller denominator."""

    question: Question
    status: str  # answered, abstained, refused or error
    delivered: tuple[Delivered, ...]
    cited: tuple[int | None, ...]  # per expected evidence: 1-based rank of the first passage that touches it
    whole: tuple[bool, ...]  # per expected evidence: whether all of its text was delivered
    quotable: int  # delivered passages whose every span, sliced from the extracted text, is the quoted text
    score: float = 0.0  # the best hit's, for the record
    error: str = ""

    @property
    def answered(self) -> bool:
        return self.status == "answered"


Pages = Callable[[str], tuple[bytes, ...]]
"""The pages of a document's extracted text, by document id."""


def locate(questions: Iterable[Question], blocks: Mapping[str, Iterable[Block]]) -> dict[Expected, tuple[Extent, ...]]:
    """Where each expected evidence stands; *blocks* is the partition of each document.

    A block is named by node and hash together: the same words may stand in two places.
    """
    places = {
        (block.node_id, block.sha256): Extent(document_id, block.page, block.start, block.end)
        for document_id, partition in blocks.items()
        for block in partition
    }
    return {
        expected: tuple(places[expected.node_id, span] for span in expected.spans if (expected.node_id, span) in places)
        for question in questions
        for expected in question.expected
    }


def observe(
    question: Question,
    status: str,
    delivered: tuple[Delivered, ...],
    extents: Mapping[Expected, tuple[Extent, ...]],
    pages: Pages,
    score: float = 0.0,
) -> Outcome:
    """Compare what was delivered with what was expected, by position in the source and not by words."""
    if status != "answered":
        delivered = ()  # an abstention cites nothing, whatever it carries along
    return Outcome(
        question=question,
        status=status,
        delivered=delivered,
        cited=tuple(_first_touching(delivered, extents[expected]) for expected in question.expected),
        whole=tuple(_covers(delivered, extents[expected], pages) for expected in question.expected),
        quotable=sum(verified(passage, pages) for passage in delivered),
        score=score,
    )


def failed(question: Question, error: str) -> Outcome:
    """The outcome of a question that raised: nothing cited, nothing delivered, every denominator unchanged."""
    nothing = len(question.expected)
    return Outcome(question, "error", (), (None,) * nothing, (False,) * nothing, 0, error=error)


def verified(passage: Delivered, pages: Pages) -> bool:
    """Whether the quoted text is exactly the source bytes its spans name, and their hashes agree."""
    texts = pages(passage.document_id)
    pieces = []
    for span in passage.spans:
        if not 1 <= span.page <= len(texts):
            return False
        piece = texts[span.page - 1][span.start : span.end]
        if sha256_hex(piece) != span.sha256:
            return False
        pieces.append(piece)
    return bool(pieces) and b"\n".join(pieces) == passage.evidence_text.encode()


def _first_touching(delivered: tuple[Delivered, ...], extents: tuple[Extent, ...]) -> int | None:
    for rank, passage in enumerate(delivered, 1):
        if any(_overlap(passage, extent) for extent in extents):
            return rank
    return None


def _overlap(passage: Delivered, extent: Extent) -> bool:
    return passage.document_id == extent.document_id and any(
        span.page == extent.page and span.start < extent.end and extent.start < span.end for span in passage.spans
    )


def _covers(delivered: tuple[Delivered, ...], extents: tuple[Extent, ...], pages: Pages) -> bool:
    return bool(extents) and not any(_missing(delivered, extent, pages) for extent in extents)


def _missing(delivered: tuple[Delivered, ...], extent: Extent, pages: Pages) -> bytes:
    """What of *extent* no delivered span holds. White space between two passages of one paragraph is not missed."""
    pieces = sorted(
        (max(span.start, extent.start), min(span.end, extent.end))
        for passage in delivered
        if passage.document_id == extent.document_id
        for span in passage.spans
        if span.page == extent.page and span.start < extent.end and extent.start < span.end
    )
    text = pages(extent.document_id)[extent.page - 1]
    gaps, position = [], extent.start
    for start, end in [*pieces, (extent.end, extent.end)]:
        gaps.append(text[position:start])
        position = max(position, end)
    return b"".join(gaps).strip()
