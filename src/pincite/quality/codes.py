"""The codes: PQ0.. stop a document, PQ1.. warn of something in one, PQ2.. tell something of several."""

from __future__ import annotations

from typing import NamedTuple

ISSUE, WARNING = "issue", "warning"

CODES = {
    "PQ001": "no text",
    "PQ002": "garbled encoding",
    "PQ003": "unresolved merge markers",
    "PQ004": "letter-spaced text",
    "PQ005": "filler text",
    "PQ006": "not language",
    "PQ101": "placeholder",
    "PQ102": "heading without text",
    "PQ103": "repeated heading",
    "PQ104": "skipped heading level",
    "PQ105": "ragged table row",
    "PQ106": "very long paragraph",
    "PQ107": "broken anchor",
    "PQ108": "passage over the budget",
    "PQ109": "only boilerplate",
    "PQ110": "mixed scripts in a word",
    "PQ111": "review date has passed",
    "PQ112": "date in the future",
    "PQ113": "string like a secret",
    "PQ114": "damaged characters",
    "PQ115": "heading of a paragraph's length",
    "PQ116": "words addressed to a model",
    "PQ117": "repeated paragraph",
    "PQ118": "invisible characters",
    "PQ201": "same passage in several documents",
    "PQ202": "nearly the same passage in several documents",
    "PQ203": "link to nothing here",
    "PQ204": "one name for several documents",
    "PQ205": "same document twice",
}
"""Code -> what it is called."""


class Problem(NamedTuple):
    """Something wrong, where, and what to do. ``start`` and ``end`` are bytes of the page's text, ``line`` counts from 1."""

    code: str
    document_id: str
    path: str
    node_id: str
    page: int
    start: int
    end: int
    line: int
    message: str
    others: tuple[str, ...] = ()  # node ids it is about, where there are several
    similarity: float | None = None  # 0 to 1, of two passages

    @property
    def level(self) -> str:
        """``issue`` or ``warning``."""
        return ISSUE if self.code.startswith("PQ0") else WARNING
