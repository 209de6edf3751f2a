"""Of a rewrite that is nearly a copy, every change is answered, moved, or a reason."""

from __future__ import annotations

import time

import pytest

from pincite.enrich.ground import verify_grounding

SOURCE = (
    "Deviation reports classed as critical shall be closed within 30 days and those classed as minor within 90 days. "
    "An extension requires a sealed request, which the trained keeper or the harbour office shall approve before the deadline."
)
FAITHFUL = {
    "a clause moved": (
        "Deviation reports classed as critical shall be closed within 30 days and those classed as minor within 90 days. "
        "An extension requires a sealed request, which shall be approved before the deadline by the trained keeper or the "
        "harbour office."
    ),
    "plainer words": (
        "Deviation reports classified as critical must be closed within 30 days and those classified as minor within 90 days. "
        "An extension needs a sealed request, which the trained keeper or the harbour office must approve before the deadline."
    ),
    "a noun said again": (
        "Deviation reports classed as critical shall be closed within 30 days and reports classed as minor within 90 days. "
        "An extension requires a sealed request. The trained keeper or the harbour office shall approve the request before "
        "the deadline."
    ),
}
CORRUPTED = {
    "exchange": ("critical shall be closed within 30 days and those classed as minor",
                 "minor shall be closed within 30 days and those classed as critical"),
    "and for or": ("keeper or the", "keeper and the"),
    "after for before": ("approve before", "approve after"),
    "a word left out": ("the trained keeper", "the keeper"),
    "an item left out": ("the trained keeper or the harbour office", "the trained keeper"),
    "a word put in": ("harbour office", "harbour office and the mayor"),
    "may for must": ("office shall approve", "office may approve"),
    "another amount": ("90 days", "30 days"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FAITHFUL)
def test_what_is_said_otherwise_is_let_through(kind: str) -> None:
    assert verify_grounding(SOURCE, FAITHFUL[kind]).reasons == ()


@pytest.mark.parametrize("kind", CORRUPTED)
def test_a_change_is_caught(kind: str) -> None:
    right, wrong = CORRUPTED[kind]
    assert right in SOURCE
    assert not verify_grounding(SOURCE, SOURCE.replace(right, wrong)).grounded
    plainer = SOURCE.replace("requires a", "needs a").replace("shall be", "must be")
    assert not verify_grounding(SOURCE, plainer.replace(right.replace("shall be", "must be"), wrong)).grounded


def test_a_long_text_is_judged_in_its_time() -> None:
    source = " ".join(f"Keeper {at} reports fault {at} to office {at} within {at} days." for at in range(2, 500))
    began = time.perf_counter()
    verify_grounding(source, source.replace("reports", "tells of"))
    assert time.perf_counter() - began < 20
