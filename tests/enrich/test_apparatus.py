"""What print puts around words is no claim: a rewrite may drop it, and may not invent it."""

from __future__ import annotations

import pytest

from pincite.enrich.gate.apparatus import taken_off, unwrapped, whole_words
from pincite.enrich.ground import verify_grounding

# passage as it is printed, and a rewrite that says the same
PRINTED = {
    "paragraph number": (
        "77017 Keeper should be given its normal meaning. That is a person who tends a light.",
        "Keeper should be given its normal meaning. That means a person who tends a light.",
    ),
    "decimal numbers": (
        "1. Lamp signals\n1.1 A steady light means that the station is manned.\n1.2 Three flashes call the office.",
        "Lamp signals. A steady light means that the station is manned. Three flashes call the office.",
    ),
    "marks of notes below": (
        "P4006 It does not apply where\n1. the keeper is away1 or\n2. the light is out2.\n1 Lights Act 83, s 45A; 2 s 50(3)",
        "It does not apply where the keeper is away or the light is out. Lights Act 83, s 45A; s 50(3).",
    ),
    "a mark of a note elsewhere": (
        "An amount can be allowed for1\n1. rent\n2. rates (see 78457).",
        "An amount can be allowed for rent and rates (see 78457).",
    ),
    "marks in brackets": ("The keepers [52] worked with the office [53].", "The keepers worked with the office."),
    "words broken": ("In order to encourage partici-\npation the office shall re-\ninstate the order.",
                     "To encourage participation the office shall reinstate the order."),
    "lines wrapped": (
        "The office shall suspend the order until it\nmay reconsider the objections.\nAfter that the\nOffice shall amend it.",
        "The office shall suspend the order until it may reconsider the objections. After that the Office shall amend it.",
    ),
    "a title": ("### Suspended targets\nTargets are suspended while waiting on the requester.",
                "Targets are suspended while waiting on the requester."),
    "an article that begins a line": ("Offences\nA person who fails to report commits an offence.",
                                      "A person who fails to report commits an offence."),
    "a list told in turn": ("Lighting\n1. Fill the lamp.\n2. Light it before sunset.",
                            "First, fill the lamp. Second, light it before sunset."),
    "a reference like a label": ("RULE 13\n(1) A keeper must report.\n(2) Rule (1) does not apply in fog.",
                                 "RULE 13. A keeper must report. Rule (1) does not apply in fog."),
    "labels of statutes": ("11.—(1) The trustees must meet.\n(2) They vote.", "The trustees must meet. They vote."),
    "labels told as items": ("4. Winch. It stays out.\n5. Dogs. No change.",
                             "Item 4. Winch. It stays out. Item 5. Dogs. No change."),
    "a mark behind a number": ("Divide by four1 or by 522.\n1 RA Regs, reg 61; 2 reg 62",
                               "Divide by four or by 52. RA Regs, reg 61; reg 62."),
    "notes of Markdown": ("The key costs £68 (now)[^2]\n[^2]: Paid at once.", "The key costs £68 (now). Paid at once."),
    "shortened words": ("We'll come if they'd rather wait.", "We will come if they would rather wait."),
    "a word in capitals": ("FALSE LIGHT (RULE 7.5(b))\nThe office may put out a false light.",
                           "False light (Rule 7.5(b)). The office may put out a false light."),
}  # fmt: skip


@pytest.mark.parametrize("kind", PRINTED)
def test_what_print_adds_may_be_left_out(kind: str) -> None:
    source, rewrite = PRINTED[kind]
    assert verify_grounding(source, rewrite).reasons == ()


INVENTED = {
    "another paragraph": ("77017 Keepers report.", "77018 Keepers report."),
    "a note that is not there": ("The keepers [52] report.", "The keepers [57] report."),
    "an amount at a line's start": ("The keeper reports within\n30 days.", "The keeper reports."),
    "another amount": ("The keeper reports within\n30 days.", "The keeper reports within 60 days."),
    "numbers that count something": ("Step 1 comes before step 2 ends.", "Step comes before step ends."),
    "floors": ("Use floor 2 on Monday and floor 3 later.", "Use floor 3 on Monday and floor 2 later."),
    "a cited rule": ("See rule 7.5 for lamps.", "See the rule for lamps."),
}


@pytest.mark.parametrize("kind", INVENTED)
def test_what_says_something_stays(kind: str) -> None:
    source, rewrite = INVENTED[kind]
    assert not verify_grounding(source, rewrite).grounded


def test_labels_are_taken_off_the_rewrite_in_their_order() -> None:
    source = "1. a keeper or\n2. a mate"
    assert taken_off(source, "either 1. a keeper or 2. a mate") == ("a keeper or\na mate", "either a keeper or a mate")
    assert taken_off(source, "a keeper of rank 2 or 3. a mate")[1] == "a keeper of rank 2 or 3. a mate"


def test_a_hyphen_stays_where_it_belongs() -> None:
    assert whole_words("the self-\nemployed keeper", "self-employed") == "the self-employed keeper"
    assert whole_words("the non-\nnarcotic", "") == "the non-narcotic"


def test_lists_keep_their_lines() -> None:
    text = "The keeper writes down:\n- the hour\n- the oil\n(a) every vessel\n| a | b |\n| 1 | 2 |"
    assert unwrapped(text) == text
