"""Text to search terms, for law: citations stay whole, words are stemmed, the commonest words are dropped."""

from __future__ import annotations

import re
from functools import lru_cache

# Lucene's English stop words, the list the published BM25 figures use.
STOP_WORDS = frozenset(
    (
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of", "on",
        "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
    )
)  # fmt: skip

# A number keeps its dots, hyphens and designators ("211.22(a)(1)", "2000e-2"); a word loses its possessive.
_TERM = re.compile(r"\d+(?:[.\-]?\w+)*(?:\(\w{1,5}\))*|[^\W\d_]+\d*(?:'s\b)?")
_DESIGNATORS = re.compile(r"\(\w{1,5}\)")
_MAX_TERM = 64  # characters; longer runs are encodings or rubbish, and would only swell the vocabulary


def terms(text: str) -> list[str]:
    """The search terms of *text*, in order, repeated as often as they occur.

    >>> terms("Under § 211.22(a), drug products are released.")
    ['under', '211.22', '211.22(a)', 'drug', 'product', 'releas']
    """
    found: list[str] = []
    for raw in _TERM.findall(text.lower().replace("’", "'")):
        if len(raw) <= _MAX_TERM:
            found += _forms(raw)
    return found


@lru_cache(maxsize=1 << 17)
def _forms(raw: str) -> tuple[str, ...]:
    """What one raw token is searched as: nothing, its stem, or for "211.22(a)" the section and the paragraph."""
    raw = raw.removesuffix("'s")
    if raw in STOP_WORDS:
        return ()
    if raw[0].isdigit():
        bare = _DESIGNATORS.sub("", raw)
        return (raw,) if bare == raw else (bare, raw)
    return (str(_stemmer().stemWord(raw)),)


@lru_cache(maxsize=1)
def _stemmer():  # type: ignore[no-untyped-def]
    import Stemmer

    return Stemmer.Stemmer("english")
