"""Kinds of corruption that a free rewording once hid, and of hard facts once read as different. All texts invented."""

from __future__ import annotations

import pytest

from pincite.enrich.ground import verify_grounding

RAIL = "A rail is required if the ramp is 900 mm wide or more, and it must be fixed 600 to 900 mm above the floor."
TWO = (
    "The landlord shall notify the council of any leak within 12 hours, unless the leak is unlikely to harm anyone. "
    "The tenant shall notify the landlord without undue delay."
)
LIST = "Items named in the schedule must be labelled. Refined olive oil is exempt."
PAY = "You pay £20 by day and £10 otherwise. Members receive a 5% rebate on the basic rate but not on the service fee."
COPY = "You may copy the map for your own use. The publisher may end the licence by giving you 30 days' notice."


@pytest.mark.parametrize(
    ("source", "rewrite", "code"),
    [
        (RAIL, RAIL.replace("or more", "or less"), "comparison"),
        (
            TWO,
            "The landlord must inform the council of any leak within 12 hours, except where harm is unlikely. "
            "A landlord must inform the tenant without undue delay.",
            "roles",
        ),
        (
            TWO,
            "Any leak must be notified to the council by the landlord within 12 hours. "
            "The tenant has to notify the landlord without undue delay.",
            "exception",
        ),
        (
            "Samples are tested daily by the chemist and signed off by the warden.",
            "Each day the samples are tested by the chemist and signed off by the cleaner.",
            "substitution",
        ),
        (
            "Samples are tested daily by the chemist and signed off by the warden.",
            "Daily tests of the samples are made by the warden and signed off by the chemist.",
            "roles",
        ),
        (
            COPY,
            "You are allowed to copy the map for own use. You may end the licence by giving the publisher 30 days' notice.",
            "roles",
        ),
        (
            PAY,
            "You pay £20 by day, £10 otherwise. Members receive a 5% rebate on the basic rate and on the service fee as well.",
            "negation",
        ),
        (
            LIST,
            "The items named in the schedule must be labelled, with an exemption for refined olive oil and walnut oil.",
            "addition",
        ),
        (
            "The borrower may not incur debt without the lender's consent.",
            "Without consent from the borrower, the lender is not allowed to incur debt.",
            "roles",
        ),
        (
            "The analyst enters the results; the reviewer, who must not be the analyst, releases them.",
            "Results are entered by the reviewer and released by the analyst, who must not be the same person.",
            "roles",
        ),
        (
            "After each incident the engineer writes a report and the manager approves it.",
            "A report on each incident is written by the manager and approved by the engineer.",
            "roles",
        ),
        (
            "The host signs the visitors in at the gate.",
            "At the gate, the host is signed in by the visitors.",
            "roles",
        ),
        (
            "Flood damage is covered if the policyholder has installed barriers. Report damage within 7 days.",
            "Flood damage is covered by the policy. Damage must be reported within 7 days by the policyholder.",
            "omission",
        ),
        (
            "Visitors may not bring cameras, phones or sticks, and they must be escorted.",
            "Visitors must be escorted and are not allowed to bring cameras or sticks.",
            "omission",
        ),
        ("Flying over crowds is forbidden.", "Pilots should avoid flying over crowds where they can.", "modality"),
    ],
)
def test_a_corruption_that_rewording_hides_is_seen(source: str, rewrite: str, code: str) -> None:
    assert code in {reason.code for reason in verify_grounding(source, rewrite).reasons}


@pytest.mark.parametrize(
    ("source", "rewrite", "wrong"),
    [
        (
            "Keep the file for five years, or for up to seven years where the court asks.",
            "Keep the file for five years, or for up to seven where the court asks.",
            "up to eight where",
        ),
        ("The width must not exceed 45 m.", "The width must not exceed 45 metres.", "54 metres"),
        ("The gap must be at least 900 mm.", "The gap must be at least 0.9 m.", "0.8 m."),
        ("Pupils in Years 7 to 9 must sign.", "Pupils in Years 7, 8 and 9 must sign.", "Years 7, 8 and 10 must"),
        ("The fee rises from €28 to €32.", "The fee rises by €4, from €28 to €32.", "by €5, from"),
        ("The trip moves from 14 May to 16 May.", "The trip moves by two days, from 14 May to 16 May.", "by three days, from"),
        ("A ladder longer than 3 m must be tagged.", "A ladder of more than 300 cm must be tagged.", "than 200 cm"),
        (
            "The deposit of £1,200 is returned within 10 days.",
            "Within 10 days, the deposit (£1,200) is returned.",
            "deposit (£2,100)",
        ),
        ("Cancel up to 24 hours before the start.", "Cancel until 24 hours before the start.", "until 24 hours after"),
        (
            "Pens are allowed in the hall but not in the yard.",
            "In the hall pens are allowed; in the yard they are not.",
            "yard they are too.",
        ),
        ("Hold a Core Asset Tier 1 ratio of 4%.", "Hold a CAT1 ratio of 4%.", "CAT2 ratio"),
        ("Escape is possible in one direction only.", "Escape is possible in just one direction.", "in each direction."),
        ("The rate is 12.5 p/kWh.", "The rate is 12.5 pence per kWh.", "13.5 pence per"),
        ("The fee is 53.4 p.", "The fee is £0.534.", "£0.543."),
        ("Use 100 organisms per cm² of filter.", "Use 100 organisms per square centimetre of filter.", "per cubic centimetre"),
        ("The load is below 10 CFU per 100 ml.", "The load is below 10 CFU/100 ml.", "CFU/50 ml."),
        ("People under 15 pay €5.", "Under-15s pay €5.", "Under-16s pay"),
        ("Wait at least four hours between doses.", "Leave intervals of at least 4 hours between doses.", "at least 5 hours"),
        ("Pilots must be at least 16 years old.", "Pilots must be 16 or older.", "16 or younger."),
        ("A pass is needed closer than 50 m.", "A pass is needed at less than 50 m.", "at more than 50"),
        ("The pitch must be at most 42°.", "The pitch must be 42° at most.", "42° at least."),
        ("Access is limited to the clerk.", "Access is restricted to the clerk.", "restricted to the cleaner."),
        ("Count the last 12 months.", "Count the previous twelve months.", "the next twelve months."),
        ("Import goods free of duty by air.", "Import goods duty-free by air.", "goods dutiable by"),
        (
            "Check that writes are blocked and that the lag is low.",
            "Check two things: that writes are blocked and that the lag is low.",
            "are allowed and that",
        ),
        (
            "The member sends readings by the 5th; otherwise use is estimated.",
            "Use is estimated unless the member sends readings by the 5th.",
            "by the 6th.",
        ),
    ],
)
def test_one_fact_in_two_forms_is_one_and_another_is_not(source: str, rewrite: str, wrong: str) -> None:
    good = verify_grounding(source, rewrite)
    assert good.grounded, good.reasons
    assert not verify_grounding(source, _with(rewrite, wrong)).grounded


def _with(rewrite: str, wrong: str) -> str:
    """*rewrite* with the words *wrong* where as many of its own share the most of them."""
    words, put = rewrite.split(), wrong.split()
    at = max(range(len(words) - len(put) + 1), key=lambda k: sum(a == b for a, b in zip(words[k:], put)))
    return " ".join([*words[:at], *put, *words[at + len(put) :]])
