"""The gate, one small case for each thing it must see, and what it must not mind."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pincite.enrich.gate.joined import LOOSE, join
from pincite.enrich.gate.reading import Item, Reading
from pincite.enrich.ground import Grounding, verify_grounding
from pincite.evaluate import grounding

ROOT = Path(__file__).resolve().parents[2]
SOURCE = (
    "The clerk must send Form HR-12 to the manager within 30 days after 1 March 2026. Fees above $1,500.00 are not refunded"
    " unless the manager has approved them in writing."
)

CAUGHT = {
    "within 30 days": ("within 31 days", "period_added"),
    "30 days": ("30 weeks", "period_added"),
    "within 30": ("at least 30", "comparison"),
    "1 March 2026": ("3 January 2026", "date_added"),
    "$1,500.00": ("€1,500.00", "money_added"),
    "above": ("below", "comparison"),
    "HR-12": ("HR-21", "id_added"),
    "are not refunded": ("are refunded", "negation"),
    "must send": ("may send", "modality"),
    "must send Form": ("should send Form", "modality"),
    " unless the manager has approved them in writing": ("", "exception"),
    "unless": ("even if", "condition"),
    "approved them": ("rejected them", "negation"),
    "in writing": ("orally", "contrast"),
    "clerk": ("director", "contrast"),
}


@pytest.mark.parametrize("words", CAUGHT)
def test_a_change_of_one_kind_is_caught_with_its_reason(words: str) -> None:
    other, code = CAUGHT[words]
    assert words in SOURCE
    found = verify_grounding(SOURCE, SOURCE.replace(words, other))
    assert not found.grounded
    assert code in {reason.code for reason in found.reasons}, found


def test_doer_and_done_to_are_told_apart() -> None:
    swapped = (
        "The manager must send Form HR-12 to the clerk within 30 days after 1 March 2026." + SOURCE[SOURCE.index(" Fees") :]
    )
    assert "roles" in _codes(verify_grounding(SOURCE, swapped))


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        (SOURCE, SOURCE),
        ("It costs $1.5 million.", "The cost is one and a half million dollars."),
        ("Keep it for 24 months.", "It must be kept for two years."),
        ("The limit is 5 x 10^2 µg/L.", "The limit is 500 micrograms per litre."),
        ("Applications must not exceed 20 pages.", "Applications may have at most 20 pages."),
        (
            "No visitor may enter the plant unless an employee escorts him.",
            "Only visitors escorted by staff may enter the plant.",
        ),
        ("The landlord must notify the tenant.", "The tenant must be notified by the landlord."),
        ("Class A 5, class B 10.", "Class B 10, class A 5."),
        ("Under 42 U.S.C. § 1983 the person is liable.", "The person is liable (42 USC 1983)."),
        ("The claim is not accepted.", "The claim is rejected."),
    ],
)
def test_the_same_in_other_words_passes(source: str, rewrite: str) -> None:
    assert verify_grounding(source, rewrite).reasons == ()


@pytest.mark.parametrize(
    ("source", "rewrite", "code"),
    [
        ("Class A 5, class B 10.", "Class A 10, class B 5.", "exchange"),
        ("The limit is 250 dollars.", "The limit is ２５０0 dollars.", "characters"),
        ("The limit is 250 dollars.", "The limit is ٢٥٠ dollars.", "characters"),
        ("The limit is 250 dollars.", "The limit is 250 dollars\u200b.", "characters"),
        ("The controller decides.", "The cоntroller decides.", "characters"),
        ("The limit is 250 dollars.", " \n", "empty"),
        ("The limit is 250 dollars.", "The limit is 250 dollars. " * 200, "length"),
        ("The limit is 250 dollars.", "Лимит составляет 250.", "language"),
        ("The clerk pays up to 250 dollars for each trip.", "Der Beamte zahlt bis zu 250 Dollar für jede Reise.", "language"),
    ],
)
def test_tricks_are_told(source: str, rewrite: str, code: str) -> None:
    assert code in _codes(verify_grounding(source, rewrite))


def test_a_title_may_omit_and_may_not_add() -> None:
    assert verify_grounding(SOURCE, "Refund of fees and Form HR-12", form="title").grounded
    assert not verify_grounding(SOURCE, "Refund of fees above $2,000", form="title").grounded
    assert verify_grounding(SOURCE, "When must the clerk send Form HR-12?", form="question").grounded


def test_the_weaker_of_claim_and_measurement_wins() -> None:
    assert verify_grounding(SOURCE, SOURCE, claimed=0.9).score == 0.9
    assert verify_grounding(SOURCE, SOURCE, claimed=0.2).verdict == "unsupported"
    assert verify_grounding(SOURCE, SOURCE.replace("30", "31"), claimed=1.0).score <= 0.4
    for nonsense in (math.nan, math.inf, -1.0, 7.0):
        assert verify_grounding(SOURCE, SOURCE, claimed=nonsense).score == 0.0


def test_huge_numbers_and_long_texts_take_no_more_than_linear_time() -> None:
    verify_grounding("The limit is 5.", "The limit is " + "9" * 900 + ".")
    verify_grounding("The limit is 5.", "The limit is 1e999.")
    verify_grounding(SOURCE * 200, SOURCE * 200)


def test_the_pairs_that_were_looked_at() -> None:
    judged = grounding.judge([pair for pair in grounding.load(ROOT / "conf/gold/grounding") if pair.part != "unseen"])
    faithful, corrupted, *_ = grounding.tallies(judged)
    assert faithful.right / faithful.total >= 0.85, "without a model"
    assert corrupted.right / corrupted.total >= 0.99


LIFT = "No lift may start until the supervisor has signed the permit."
LIFTED = "Before a lift starts, the supervisor must sign the permit."
LATE = "Late claims are rejected unless the officer grants an exception."


@pytest.mark.parametrize(
    ("source", "rewrite", "code"),
    [
        (LIFT, LIFTED, ""),
        (LATE, "Claims that are late are refused except where the officer makes an exception.", ""),
        (LATE, "Claims that are late are accepted except where the officer makes an exception.", "negation"),
        ("Visitors do not need to sign in.", "There is no need for visitors to sign in.", ""),
        ("Visitors do not need to sign in.", "There is a need for visitors to sign in.", "negation"),
        ("The fee is $600 million to $650 million.", "The fee is $600–650 million.", ""),
        ("Updates are published every 30 minutes.", "Updates are published at 30-minute intervals.", ""),
        ("Updates are published every 30 minutes.", "Updates are published at 20-minute intervals.", "every_added"),
        (
            "The insured shall notify the insurer of any loss.",
            "Any loss has to be notified by the insurer to the insured.",
            "roles",
        ),
        (
            "The importer must keep the records for five years.",
            "For five years the records have to be kept by the exporter.",
            "substitution",
        ),
        ("We run a test server for the new release.", "For the new release a production server is run.", "substitution"),
        (
            "The deposit is returned within ten days.",
            "Within ten days the deposit is returned, or interest accrues to the tenant.",
            "addition",
        ),
    ],
)
def test_free_rewording_passes_and_its_corruption_does_not(source: str, rewrite: str, code: str) -> None:
    found = _codes(verify_grounding(source, rewrite))
    assert (code in found) if code else not found


class Nearby:
    """Says that two chosen words stand near one another, and no others."""

    def __init__(self, one: str, two: str) -> None:
        self.pair = {one, two}

    def between(self, source: tuple[str, list[Item]], rewrite: tuple[str, list[Item]]) -> Any:
        return np.array([[float({one.text, two.text} == self.pair) for two in source[1]] for one in rewrite[1]], np.float32)


@pytest.mark.parametrize(
    ("ours", "theirs", "let"),
    [
        ("examines", "dissects", True),
        ("sealed", "unsealed", False),
        ("before", "after", False),
        ("copper", "lead", False),
        ("Halden", "Holden", False),
        ("increase", "decrease", False),
    ],
)
def test_nearness_lets_words_through_but_none_that_exclude_one_another(ours: str, theirs: str, let: bool) -> None:
    source, rewrite = Reading(f"The analyst {ours} the samples."), Reading(f"The analyst {theirs} the samples.")
    joined = join(source, rewrite, Nearby(ours.lower(), theirs.lower()))
    new = next(item for item in joined.rewrite.items if item.text == theirs.lower())
    assert any(meaning[0] == LOOSE for meaning in new.meanings & joined.source.meanings) == let


def _codes(found: Grounding) -> set[str]:
    return {reason.code for reason in found.reasons}
