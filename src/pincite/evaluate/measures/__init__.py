"""One file per measure. Each takes every outcome of a part and returns a share with its numerator and denominator.

The denominator is a count of questions or of expected evidence, fixed by the gold set: a question that failed stays in it.
(The one exception says so: quotable share counts delivered passages.)
"""

from __future__ import annotations

from pincite.evaluate.measures.abstention import right_abstention, wrong_abstention
from pincite.evaluate.measures.citation_recall import citation_recall
from pincite.evaluate.measures.edge_recall import edge_recall
from pincite.evaluate.measures.evidence_recall import evidence_recall
from pincite.evaluate.measures.hit_rate import hit_rate
from pincite.evaluate.measures.mrr import mrr
from pincite.evaluate.measures.question_pass import question_pass
from pincite.evaluate.measures.quotable_share import quotable_share
from pincite.evaluate.measures.share import Measure, Share

ALL: tuple[Measure, ...] = (
    question_pass,
    citation_recall,
    edge_recall,
    evidence_recall,
    hit_rate,
    mrr,
    right_abstention,
    wrong_abstention,
    quotable_share,
)

__all__ = [
    "ALL",
    "Measure",
    "Share",
    "citation_recall",
    "edge_recall",
    "evidence_recall",
    "hit_rate",
    "mrr",
    "question_pass",
    "quotable_share",
    "right_abstention",
    "wrong_abstention",
]
