"""Whether there is an answer here at all: features of the question and of the whole score distribution, and a decision."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from pincite.index.analyze import terms
from pincite.ports import Floor, Hit
from pincite.retrieve.corpus import Corpus


class Decision(NamedTuple):
    """``confidence`` is that an answer is here, 0 to 1; ``reason`` is for people, "" where the answer is given."""

    abstain: bool
    confidence: float
    reason: str = ""


class Abstainer(Protocol):
    """Decides from the hits and their features. A calibrated one comes from ``evaluate``."""

    def __call__(self, hits: Sequence[Hit], features: Mapping[str, float]) -> Decision:
        """The decision; called once a question, before anything is expanded or followed."""


class Lexicon(Protocol):
    """Who knows how common a search term is: the corpus does, and an index that has counted already."""

    def frequency(self, term: str) -> int:
        """How many passages hold it."""

    def idf(self, term: str) -> float:
        """Its weight."""


LEAST_KNOWN, LEAST_COSINE = 0.25, 0.4  # declared, not fitted: what a corpus without questions of its own abstains below

# Words of asking, not of the thing asked about. They are rare in rules, so that their idf would outweigh the subject's.
_ASKING = frozenset(
    terms(
        """what which who whom whose when where why how do does did done can could may might must shall should would need
        needs have has had having been being am were we our ours us i my me mine you your he his him she her hers they them
        its one any some all also only just about under from than so than whether either after before during there here get
        got want like make makes made take takes put happen happens long much many often still already yet please tell say
        says mean means called allowed required according"""
    )
)


def subject(question: str) -> list[str]:
    """The question's terms without words of asking, each once."""
    return sorted(set(terms(question)) - _ASKING)


def features(question: str, hits: Sequence[Hit], corpus: Corpus, lexicon: Lexicon | None = None) -> dict[str, float]:
    """Numbers an abstainer may look at; every one is present, 0.0 where the backend does not tell it.

    Of the question's terms (words of asking left out): ``terms``, how many there are; ``known``, the idf-weighted share that
    the corpus has at all; ``coverage``, that the best hit has, and ``coverage_top3``, that the best three have together.
    ``cosine``, ``bm25``: of the best hit by that score; ``*_margin``: to the mean of the other hits; ``bm25_share``: of the
    score that the question's terms could reach; ``joint``: the best geometric mean of cosine and that share in one passage;
    ``agreement``: overlap of the first five of both lists. A *lexicon* saves counting the corpus' terms again.
    """
    words = subject(question)
    lexicon = lexicon or corpus
    idf = {word: lexicon.idf(word) for word in words}
    texts = [corpus.terms_of(hit.chunk_id) for hit in hits[:3]]
    top3: frozenset[str] = frozenset().union(*texts)
    found = {
        "terms": float(len(words)),
        "known": _share(idf, [word for word in words if lexicon.frequency(word)]),
        "coverage": max((_share(idf, [word for word in words if word in text]) for text in texts), default=0.0),
        "coverage_top3": _share(idf, [word for word in words if word in top3]),
        "agreement": _agreement(hits),
    }
    for name, key in (("cosine", "vector"), ("bm25", "bm25")):
        values = sorted((hit.scores[key] for hit in hits if key in hit.scores), reverse=True)
        found[name] = values[0] if values else 0.0
        found[f"{name}_margin"] = values[0] - sum(values[1:]) / len(values[1:]) if len(values) > 1 else 0.0
    ceiling = sum(idf.values())
    found["bm25_share"] = found["bm25"] / ceiling if ceiling else 0.0
    joint = (max(hit.scores.get("vector", 0.0), 0.0) * hit.scores.get("bm25", 0.0) for hit in hits)
    found["joint"] = math.sqrt(max(joint, default=0.0) / ceiling) if ceiling else 0.0
    return found


class FloorAbstainer:
    """Abstains where a backend's declared floor is not reached by one feature: for backends nothing was fitted for."""

    def __init__(self, floor: Floor, feature: str = "coverage_top3") -> None:
        self.floor, self._feature = floor, feature

    def __call__(self, hits: Sequence[Hit], features: Mapping[str, float]) -> Decision:
        """Abstain where the feature is below the floor."""
        value = features[self._feature]
        if value < self.floor.value:
            reason = f"the best passages do not cover the question ({self._feature} {value:.2f}, floor {self.floor.value:.2f})"
            return Decision(True, value, reason)
        return Decision(False, min(max(value, 0.0), 1.0))


class Uncalibrated:
    """Where nothing was fitted: abstains where the corpus has hardly a word of the question and nothing near it in meaning."""

    def __init__(self, floor: Floor) -> None:
        self.floor = floor

    def __call__(self, hits: Sequence[Hit], features: Mapping[str, float]) -> Decision:
        """Abstain where both ``known`` and ``cosine`` are below what any question of the corpus has."""
        known, cosine = features["known"], features["cosine"]
        if known < LEAST_KNOWN and cosine < LEAST_COSINE:
            return Decision(True, known, f"the corpus hardly has a word of the question (known {known:.2f}, not calibrated)")
        return Decision(False, known)


def _share(idf: Mapping[str, float], words: Sequence[str]) -> float:
    whole = sum(idf.values())
    return sum(idf[word] for word in words) / whole if whole else 0.0


def _agreement(hits: Sequence[Hit]) -> float:
    first = [{hit.chunk_id for hit in hits if 1 <= hit.ranks.get(name, 0) <= 5} for name in ("bm25", "vector")]
    union = first[0] | first[1]
    return len(first[0] & first[1]) / len(union) if union else 0.0
