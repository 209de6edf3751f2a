"""Staff measures for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pincite.evaluate.staff.outcome import Asked, Reading


def lines(found: Sequence[Reading]) -> list[str]:
    """One line a reading. No line is a sum of others."""
    width = max(len(each.measure) for each in found)
    return [f"{each.measure.ljust(width)}  {_figure(each)}" for each in found]


def _figure(reading: Reading) -> str:
    note = f" ({reading.note})" if reading.note else ""
    if reading.value is None:
        return f"not measured, of {reading.denominator} {reading.unit}{note}"
    if reading.denominator:
        share = reading.value / reading.denominator
        return f"{reading.value:g} of {reading.denominator} {reading.unit}, {share:.3f}{note}"
    if reading.unit in ("s", "tokens", "passages"):
        return f"{reading.value:g} {reading.unit}{note}"
    return f"none of 0 {reading.unit}{note}"


def rows(found: Sequence[Reading], tokens: int, digest: str) -> list[dict[str, Any]]:
    """One object a reading."""
    return [{**each._asdict(), "budget": tokens, "gold_sha256": digest} for each in found]


def missed(asked: Sequence[Asked]) -> list[str]:
    """The places owed and not delivered whole, by question."""
    return [
        f"{each.question.question_id} ({each.answer['status']}): "
        + ", ".join(dict.fromkeys(owed.node_id for owed, whole in zip(each.owed, each.covered) if not whole))
        for each in asked
        if not all(each.covered)
    ]
