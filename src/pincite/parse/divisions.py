"""What rules are divided into on lines of their own: "PART I", "Article 1", with the name below."""

from __future__ import annotations

import re

HEADING_LIMIT = 90
"""Characters above which a line is no heading."""
ENDS_SENTENCE = re.compile(r"[.,;?!。．，、；？！…؟۔،؛।॥။።]\s*\Z")
RANKS = {"title": 2, "annex": 2, "appendix": 2, "schedule": 2, "part": 3, "chapter": 4, "section": 5, "article": 6}
"""The levels of what a rule is divided into, the widest first."""
BELOW = max(RANKS.values())
"""What is added to the levels of numbered headings in a text that is divided so."""
_DIVISION = re.compile(
    r"\s*(?:part|title|chapter|section|article|annex|appendix|schedule)\s+(?:\d{1,3}[A-Z]?|[IVXLC]{1,7}|[A-Z])\.?\s*\Z",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\(?\w{1,4}[.)]\s|[-*•–·]\s")


def is_division(words: str) -> bool:
    """Whether a line announces a division and says no more.

    >>> is_division("PART II"), is_division("Article 2 applies")
    (True, False)
    """
    return bool(_DIVISION.match(words))


def kind_of(label: str) -> str:
    """What a number like "Chapter 1" or "PART II" counts; "" for a number alone."""
    return label.partition(" ")[0].casefold() if label[:1].isalpha() and " " in label else ""


def names_division(words: str) -> bool:
    """Whether a line may be the name of the division announced above it."""
    short = 0 < len(words) <= HEADING_LIMIT and not ENDS_SENTENCE.search(words)
    return short and not words[0].islower() and not _NUMBERED.match(words) and not is_division(words)
