"""Whether the passages found can answer the question: what the abstainer is told of a ranking.

Two things are told apart. A question the corpus does not touch has a flat, low distribution of scores. A question on a
subject the corpus does treat, asking for what it leaves open ("how long is the prescribed period?"), is found at once; there
the question's form is compared with what the first passages hold: a number, a date, a list, or only a deferral elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.errors import IndexFault
from pincite.rank.abstain import Calibration, describe, load

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

CALIBRATION = "abstention.json"
_ASKS_THE_TEXT = re.compile(
    r"\b(?:do(?:es)?|is|are)\s+(?:the|this|these|any)?\s*(?:\w+\s+){0,3}?"
    r"(?:specif\w+|mention\w*|defin\w+|identif\w+|stat\w+|explain\w*|list\w*|provid\w+|includ\w+|describ\w+|set\s+out|say)\b",
    re.I,
)
_ASKS_DETAIL = re.compile(
    r"\b(?:exact\w*|precise\w*|specific\w*|detail\w*|full|complete|particular\w*|which\s+\w+|what\s+counts)\b", re.I
)
_ASKS_TIME = re.compile(
    r"\b(?:how\s+(?:long|soon|quickly|often|many\s+\w*days?)|deadline|duration|length|time\s*frame|timeline|within\s+what|period)\b",
    re.I,
)
_ASKS_AMOUNT = re.compile(
    r"\b(?:how\s+(?:much|many|high|large)|amount|maximum|minimum|formula|rate|fee|cost|penalt\w+|fine)\b", re.I
)
_TIME = re.compile(
    r"\b\d+\s*(?:business\s+)?(?:hours?|days?|weeks?|months?|years?)\b|\b(?:one|two|three|six|seven|ten|thirty)\s+(?:days?|months?|years?)\b",
    re.I,
)
_NUMBER = re.compile(r"[$€£%]|\b\d[\d,.]*\b")
_DEFERS = re.compile(
    r"\bprescribed\b|\bas\s+(?:may\s+be\s+)?(?:determined|specified|directed|required)\s+by\b|\bin\s+the\s+(?:\w+\s+)?(?:Schedule|regulations)\b"
    r"|\bmay,?\s+by\s+(?:order|notice|regulations)\b|\b(?:reasonable|appropriate)\b",
    re.I,
)
_LISTS = ("words", "context", "pairs", "unit", "vector", "adapted")


def describe_ranking(
    question: str, scores: Sequence[float], found: Mapping[str, Floats], texts: Sequence[str]
) -> dict[str, float]:
    """Features of one query: *scores* of the final ranking, *found* signals over the collection, *texts* ranked first."""
    import numpy as np

    lists = {
        name: np.sort(np.partition(found[name], -min(50, len(found[name])))[-50:])[::-1].tolist()
        for name in _LISTS
        if name in found
    }
    features = describe({"final": list(scores[:50]), **lists})
    features["coverage"] = float(found["coverage"].max())
    features["words_normal"] = float(found["words"].max()) / (1 + len(question.split()))
    return features | form(question, texts)


def form(question: str, texts: Sequence[str]) -> dict[str, float]:
    """The question's form against what the first passages hold.

    >>> form("How long is the prescribed period?", ["within the prescribed period"])["time_absent"]
    1.0
    """
    first = " ".join(texts[:2])
    asks = {
        "asks_the_text": bool(_ASKS_THE_TEXT.search(question)),
        "asks_detail": bool(_ASKS_DETAIL.search(question)),
        "time_absent": bool(_ASKS_TIME.search(question)) and not _TIME.search(first),
        "amount_absent": bool(_ASKS_AMOUNT.search(question)) and not _NUMBER.search(first),
        "defers": bool(_DEFERS.search(first)),
    }
    asks["detail_deferred"] = asks["asks_detail"] and asks["defers"]
    asks["text_deferred"] = asks["asks_the_text"] and asks["defers"]
    return {name: float(value) for name, value in asks.items()}


def load_calibration(path: Path | None) -> Calibration:
    """The calibration at *path*, or the shipped one."""
    if path is not None:
        return load(path)
    with resources.as_file(resources.files("pincite.rank") / "weights" / CALIBRATION) as shipped:
        if not shipped.is_file():
            raise IndexFault("no calibration is shipped", where=CALIBRATION, next="give one with --calibration")
        return load(shipped)
