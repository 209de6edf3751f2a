"""A calibrated decision to answer or to abstain: a logistic model over a few features, fitted by ``evaluate`` on dev questions.

The fitted numbers lie beside the index they were fitted for. They say how they were made, and how often they were wrong then.
"""

from __future__ import annotations

import json
import math
import os
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pincite.errors import IndexFault
from pincite.ports import Floor, Hit
from pincite.retrieve.abstain import Decision

FILE = "abstainer.json"


class CalibratedAbstainer(NamedTuple):
    """Abstains where the confidence, 0 to 1, is below ``floor.value``. Implements ``Abstainer``."""

    features: tuple[str, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    floor: Floor
    stamp: str  # of the index it was fitted for

    def confidence(self, features: Mapping[str, float]) -> float:
        """That an answer is here, as the dev questions had it."""
        terms = zip(self.features, self.centre, self.scale, self.weights)
        return logistic(self.bias + sum(weight * (features[name] - centre) / scale for name, centre, scale, weight in terms))

    def __call__(self, hits: Sequence[Hit], features: Mapping[str, float]) -> Decision:
        """The decision on one question."""
        confidence = self.confidence(features) if hits else 0.0
        if confidence >= self.floor.value:
            return Decision(False, confidence)
        return Decision(
            True, confidence, f"nothing here answers it (confidence {confidence:.2f}, floor {self.floor.value:.2f})"
        )


def logistic(value: float) -> float:
    """1 / (1 + e^-value), without overflow."""
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


def save(abstainer: CalibratedAbstainer, folder: Path) -> None:
    """Write it into *folder*, by an atomic rename; nothing is written where it is there already."""
    fields = {**abstainer._asdict(), "floor": abstainer.floor._asdict()}
    text = json.dumps(fields, ensure_ascii=False, indent=1) + "\n"
    if (folder / FILE).exists() and (folder / FILE).read_text(encoding="utf-8") == text:
        return
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{FILE}.{uuid.uuid4().hex[:8]}"
    part.write_text(text, encoding="utf-8", newline="\n")
    os.replace(part, folder / FILE)


def load(folder: Path, stamp: str, backend: str) -> CalibratedAbstainer | None:
    """The one in *folder*, None where none was calibrated for this very index; ``IndexFault`` where it cannot be read."""
    path = folder / FILE
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _fault(path, error) from error
    try:
        lists = {name: tuple(fields[name]) for name in ("features", "centre", "scale", "weights")}
        found = CalibratedAbstainer(
            **lists, bias=float(fields["bias"]), floor=Floor(**fields["floor"]), stamp=str(fields["stamp"])
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _fault(path, error) from error
    return found if (found.stamp, found.floor.backend) == (stamp, backend) else None


def _fault(path: Path, error: Exception) -> IndexFault:
    return IndexFault(f"the calibration cannot be read ({error!r})", where=str(path), next="make it again: pincite evaluate")
