"""What is measured of every passage for one query: word scores of several fields, cosines, coverage, and its relatives' scores.

Everything is an array over the whole collection, so that a candidate's neighbours can be looked up whatever list they are on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pincite.index import bm25
from pincite.index.analyze import terms
from pincite.rank.collection import Collection, is_heading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

K1, B = 1.2, 0.75  # fitted on the dev parts: a rule is short, and its length tells little
_FEEDBACK = 5  # passages that pseudo-relevance feedback reads
_FEEDBACK_TERMS = 20
_FEEDBACK_WEIGHT = 0.4
_CLAUSE_TERMS = 4
_MOST_CLAUSES = 48  # of a long statement of facts, spread evenly
_CLAUSE = re.compile(
    r"(?<=[.;?!])\s+(?=[A-Z(])"
    r"|,?\s+(?:and|or)\s+(?=(?:how|what|which|who|when|where|under|does|do|is|are|can|should|must)\b)"
    r"|,\s+(?=how\b|what\b|which\b|who\b|when\b|particularly\b|including\b|especially\b|specifically\b)"
)
_CAPITALS = re.compile(r"(?<![.;:?!]\s)(?<!^)\b[A-Z][\w-]*(?:\s+[A-Z][\w-]*)*")
_UNIT = re.compile(r"\n+|(?<=[.;:])\s+(?=[A-Z(])")


class Fields(NamedTuple):
    """The collection as indexed once. ``owners`` gives the passage of each unit (sentence or list item)."""

    words: bm25.Bm25  # the passage's own words
    context: bm25.Bm25  # with the headings above it
    pairs: bm25.Bm25  # adjacent words
    around: bm25.Bm25  # with its neighbours in the document
    units: bm25.Bm25  # its sentences and list items
    owners: Ints
    names: bm25.Bm25  # capitalised terms, which rulebooks define
    presence: bm25.Bm25  # idf of each distinct word, so that a score is the weight of the words shared
    weight: Floats  # idf of all distinct words of a passage
    lengths: Floats  # words
    headings: Floats
    vocabulary: tuple[tuple[tuple[str, float], ...], ...]  # strongest words of each passage, for feedback


def index(collection: Collection) -> Fields:
    """Index a collection once; a few seconds for ten thousand passages."""
    import numpy as np

    own = [terms(item.text) for item in collection.items]
    above = [terms(context) for context in collection.contexts]
    around = [_join(own, place, collection) for place in range(len(own))]
    units, owners = _units(collection)
    presence = bm25.build((sorted(set(words)) for words in own), k1=0.0)
    idf = {term: presence.idf(term) for term in presence.vocabulary}
    return Fields(
        bm25.build(own, K1, B),
        bm25.build([a + b for a, b in zip(above, own)], K1, B),
        bm25.build([pairs(words) for words in own], K1, B),
        bm25.build(around, K1, B),
        bm25.build(units, K1, B),
        owners,
        bm25.build([capitals(item.text) for item in collection.items], K1, B),
        presence,
        np.array([sum(idf[word] for word in set(words)) for words in own], dtype=np.float32),
        np.array([len(words) for words in own], dtype=np.float32),
        np.array([is_heading(item.text) for item in collection.items], dtype=np.float32),
        tuple(_strongest(words, idf) for words in own),
    )


def pairs(words: Sequence[str]) -> list[str]:
    """Adjacent words as one term each."""
    return [f"{left} {right}" for left, right in pairwise(words)]


def capitals(text: str) -> list[str]:
    """Capitalised words inside sentences, and each run of them as one term: "Domestic Fund" is a defined term."""
    found: list[str] = []
    for run in _CAPITALS.findall(text):
        words = terms(run)
        found += words
        if len(words) > 1:
            found.append(" ".join(words))
    return found


def clauses(query: str) -> list[str]:
    """The parts of a question that can be answered apart, each of at least four terms; none where it has one part.

    >>> clauses("How long must records be kept by the firm, and who may inspect the records of the firm?")
    ['How long must records be kept by the firm', 'who may inspect the records of the firm?']
    """
    parts = [part for part in _CLAUSE.split(query) if len(terms(part)) >= _CLAUSE_TERMS]
    return parts if len(parts) > 1 else []


def _join(own: Sequence[list[str]], place: int, collection: Collection) -> list[str]:
    beside = (collection.previous[place], collection.following[place])
    return own[place] + [word for neighbour in beside if neighbour >= 0 for word in own[neighbour]]


def _units(collection: Collection) -> tuple[list[list[str]], Ints]:
    import numpy as np

    units: list[list[str]] = []
    owners: list[int] = []
    for place, item in enumerate(collection.items):
        found = [words for part in _UNIT.split(item.text) if len(words := terms(part)) >= 3]
        units += found or [terms(item.text)]
        owners += [place] * max(1, len(found))
    return units, np.array(owners, dtype=np.int64)


def _strongest(words: Sequence[str], idf: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """The feedback terms of a passage with their tf·idf, each passage's weights summing to 1."""
    counts: dict[str, float] = {}
    for word in words:
        counts[word] = counts.get(word, 0.0) + idf[word]
    best = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:_FEEDBACK_TERMS]
    whole = sum(weight for _, weight in best) or 1.0
    return tuple((word, weight / whole) for word, weight in best)


def measure(query: str, fields: Fields, cosines: Mapping[str, Floats]) -> dict[str, Floats]:
    """Signals of every passage for one query, each of shape (passages,); *cosines* by name, one array each."""
    import numpy as np

    words = terms(query)
    weighed = bm25.weigh(words)
    found: dict[str, Floats] = {
        "words": fields.words.scores(weighed),
        "context": fields.context.scores(weighed),
        "pairs": fields.pairs.scores(bm25.weigh(pairs(words))),
        "around": fields.around.scores(weighed),
    }
    unit = np.zeros(len(fields.weight), dtype=np.float32)
    np.maximum.at(unit, fields.owners, fields.units.scores(weighed))
    shared = fields.presence.scores(dict.fromkeys(words, 1.0))
    ceiling = sum(fields.presence.idf(word) for word in set(words)) or 1.0
    found["unit"] = unit
    found["coverage"] = shared / np.float32(ceiling)
    found["density"] = shared / np.maximum(fields.weight, np.float32(1.0))
    found.update(cosines)
    found["names"] = fields.names.scores(bm25.weigh(capitals(query)))
    found["clause"], found["clause_words"] = _clauses(query, found["words"], fields)
    found["feedback"] = fields.words.scores(_expanded(weighed, found, fields))
    return found


def _clauses(query: str, whole: Floats, fields: Fields) -> tuple[Floats, Floats]:
    """The best score in any clause: relative to that clause's best passage, and as it is. The whole's where there is one."""
    import numpy as np

    parts = clauses(query)
    parts = parts[:: -(-len(parts) // _MOST_CLAUSES)] if parts else []
    relative: Floats = whole / np.float32(max(float(whole.max()), 1e-9))
    best = np.zeros_like(whole) if parts else whole
    for part in parts:
        scores = fields.words.scores(bm25.weigh(terms(part)))
        relative = np.maximum(relative, scores / np.float32(max(float(scores.max()), 1e-9)))
        best = np.maximum(best, scores)
    return relative, best


def _expanded(query: Mapping[str, float], found: Mapping[str, Floats], fields: Fields) -> dict[str, float]:
    """The query with the strongest words of the passages found first (RM3)."""
    first = bm25.top(found["words"], _FEEDBACK)
    total = sum(query.values()) or 1.0
    expanded = {word: (1 - _FEEDBACK_WEIGHT) * weight / total for word, weight in query.items()}
    mass = float(sum(found["words"][place] for place in first)) or 1.0
    for place in first:
        share = _FEEDBACK_WEIGHT * float(found["words"][place]) / mass
        for word, weight in fields.vocabulary[place]:
            expanded[word] = expanded.get(word, 0.0) + share * weight
    return expanded
