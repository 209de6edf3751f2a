"""Defined terms: where they are defined, for which places, and where they are used. All texts are invented."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from pincite.model import Place
from pincite.references import find
from pincite.references.definitions import definitions, is_list
from pincite.references.glossary import Glossary, learn, normal
from pincite.references.rulebook_shelf import Provision, shelve
from pincite.references.terms import Use, uses


def known(*provisions: Provision) -> Glossary:
    return learn(provisions, shelve(provisions))


def used(glossary: Glossary, position: int) -> list[tuple[str, str, tuple[int, ...]]]:
    cited = find(glossary.provisions[position].text, Place(), "rulebook")
    return [(use.mention.text, use.mention.status, use.positions) for use in uses(position, glossary, cited)]


def texts(found: Sequence[Use]) -> list[str]:
    return [use.mention.text for use in found]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("“Berth” means a place to moor.", ["Berth"]),
        ('In this Part:\n(a)\t"Berth" means a place; and\n(b)\t"Quay" includes a jetty.', ["Berth", "Quay"]),
        ('"Berth" and "Quay" have the meanings given by paragraph 8.', ["Berth", "Quay"]),
        ("The term ‘Berth’, in relation to a ship, means a place to moor.", ["Berth"]),
        ("Harbour Dues has the meaning given in section 258 of the Harbour Act.", ["Harbour Dues"]),
        ('In these Rules, a reference to a "Berth" is a reference to a place to moor.', ["Berth"]),
        ('For the purposes of this Rule, "Small Craft" are ships under ten metres.', ["Small Craft"]),
        ("A “lighter” is a boat that carries goods to a ship.", ["lighter"]),
        (
            'The pilot (the "Pilot") and the owners (together, the “Parties” and each a “Party”) sign.',
            ["Pilot", "Parties", "Party"],
        ),
        ('The Northern Harbour Authority ("NHA") and its Berthing Committee (BC) decide.', ["NHA", "BC"]),
        ("hereinafter referred to as “Tidal Berths”.", ["Tidal Berths"]),
        ("where:\nGT means the gross tonnage; and\nRate means the rate of dues", ["GT", "Rate"]),
        ("An Offer of Berths means an offer to many.", ["Offer of Berths"]),
        ("Berth\tMeans a place to moor.\nDues\tHas the meaning given in Rule 3.\n", ["Berth", "Dues"]),
        ("Term\tDefinition\nBerth\tA place to moor.\nDues (HD)\tMoney.\n", ["Berth", "Dues", "HD"]),
        ("Berth\t(1)\tMeans a place.\n(2)\tMeans another.\nDues\t(a)\tmeans a sum.", ["Berth", "Dues"]),
        ("| Term | Meaning |\n| --- | --- |\n| Berth | A place to moor |\n", ["Berth"]),
        ("Common Berth or Shared Berth\tmeans a berth of several ships.", ["Common Berth", "Shared Berth"]),
        ("Hiring of Berths or Boats\tmeans an activity.", ["Hiring of Berths or Boats"]),
        ('In App 1, the "Owner"\u200e means the owner of the ship.', ["Owner"]),
    ],
)
def test_the_forms_of_a_definition(text: str, terms: list[str]) -> None:
    assert [d.term for d in definitions(text)] == terms


@pytest.mark.parametrize(
    "text",
    [
        "by means of a rope, by any other means the master has",
        "This means that the ship must leave.",
        "(a)\tthe pilot means to leave;",
        "all references to “Berth” shall be read as references to “Quay”.",
        '"Know your ship" is as important as a chart.',
        'The "Berth" could include a jetty if the owner agrees.',
        "He said ‘cast off’ and left (it is not a ‘Berth’).",
        "Spain\tThe Spanish flag\nPeru\tThe flag of Peru",
        "the fee (USD) is due (see Rule 3) in full (BERTH)",
        "(a)\tmeans of escape\n(b)\tincludes lifeboats",
        'the terms "Moor", "Moored" shall be construed accordingly',
    ],
)
def test_what_defines_nothing(text: str) -> None:
    assert definitions(text) == []


def test_a_list_of_terms_is_known_by_its_title_or_by_what_announces_it() -> None:
    lines = "Definitions\nBerth: a place to moor\n- **Dues** – what a ship pays\nsee also: the annex"
    assert [d.term for d in definitions(lines, is_list(lines))] == ["Berth", "Dues"]
    assert is_list("In these Rules, unless the context otherwise requires—\nBerth\ta place to moor")
    assert is_list("The following terms and abbreviations bear the following meanings.")
    assert is_list("Berth\ta place", "Glossary")
    assert definitions("Definitions\nChapter\tShips\tBoats\nLamps\tAll\tNone", listed=True) == []
    assert not is_list("The following Rules apply to every ship.\nSpain\tIbex\n")


def test_the_nearest_definition_that_holds_wins() -> None:
    glossary = known(
        Provision("glossary", "1", 'This Rulebook ("GLO") is the Glossary.'),
        Provision("glossary", "2", "Term\tDefinition\nBerth\tMeans a place to moor.\nDues\tMeans what is paid."),
        Provision("tolls", "1.1.1", 'In this Chapter, "Berth" means a coal berth.'),
        Provision("tolls", "1.2.4", "Nobody may leave a Berth unpaid."),
        Provision("tolls", "2.1.1", "A Berth must be clean."),
        Provision("tolls", "3.1.1", 'In this Rule "Berth" means a ferry berth.'),
        Provision("tolls", "3.1.1(2)", "Every Berth has a lamp."),
        Provision("tolls", "2.2", 'A reference in this Chapter to:\n(a)\ta "Quay" includes a jetty;'),
        Provision("tolls", "2.3", "Every Quay is lit."),
        Provision("tolls", "3.2", "Every Quay is paved."),
        Provision("tolls", "3.1.2", "The Dues of a Berth are due."),
    )
    assert used(glossary, 3) == [("Berth", "resolved", (2,))]
    assert used(glossary, 4) == [("Berth", "resolved", (1,))]
    assert used(glossary, 6) == [("Berth", "resolved", (5,))]
    assert used(glossary, 8) == [("Quay", "resolved", (7,))]
    assert used(glossary, 9) == []
    assert used(glossary, 10) == [("Dues", "resolved", (1,)), ("Berth", "resolved", (1,))]


def test_a_scope_is_that_of_the_sentence_or_of_the_line_above() -> None:
    glossary = known(
        Provision("act", "Part 1.3.(1)", "In this Part:"),
        Provision("act", "Part 1.3.(1)(a)", '"Berth" means a place to moor;'),
        Provision("act", "Part 1.4.(1)", "Each Berth has a number."),
        Provision("act", "Part 2.9.(1)", "Each Berth has a lamp."),
        Provision("act", "Part 2.9.(2)", '"Dues" means, for the purposes of Part 1, what is paid.'),
        Provision("act", "Part 2.9.(3)", "No Dues are owed by a warship."),
        Provision("act", "Part 2.10.(1)", "No Dues are owed by a tug."),
        Provision("act", "Part 1.5.(1)", "All Dues are owed at once."),
    )
    assert used(glossary, 2) == [("Berth", "resolved", (1,))]
    assert used(glossary, 3) == []
    assert used(glossary, 5) == [("Dues", "resolved", (4,))]  # in its own section
    assert used(glossary, 6) == []
    assert used(glossary, 7) == [("Dues", "resolved", (4,))]


def test_a_part_that_no_number_tells_begins_where_it_says_so() -> None:
    glossary = known(
        Provision("act", "1", "A lamp is lit."),
        Provision("act", "2", "In this Part, “lamp” means a light of oil."),
        Provision("act", "3", "A lamp is green."),
        Provision("act", "4", "In this Part, “buoy” means what floats."),
        Provision("act", "5", "A lamp on a buoy is red."),
    )
    assert [used(glossary, at) for at in (0, 2, 4)] == [[], [("lamp", "resolved", (1,))], [("buoy", "resolved", (3,))]]


def test_passages_of_no_document_stand_alone() -> None:
    glossary = known(Provision("", "", "In this Act, “lamp” means a light. The lamp."), Provision("", "", "A lamp of oil."))
    assert used(glossary, 1) == []


def test_a_small_word_is_a_term_in_its_rule_only_and_a_name_in_brackets_gives_way_to_an_explanation() -> None:
    glossary = known(
        Provision("a", "1", '"wire" means any rope; the wire and the Agent (the "Agent") of the owner.'),
        Provision("a", "2", "A wire was cut by an Agent."),
        Provision("a", "3", "Agent\tMeans a person who acts for another."),
    )
    assert used(glossary, 1) == [("Agent", "resolved", (2,))]


def test_a_meaning_given_elsewhere_leads_on() -> None:
    glossary = known(
        Provision("glo", "1", "HARBOUR GLOSSARY (GLO)"),
        Provision(
            "glo",
            "2",
            "Berth\tHas the meaning given in section 4 of the Harbour Act 1900.\n"
            "Dues\tHas the meaning given in the Harbour Act 1900.",
        ),
        Provision("act", "HARBOUR ACT 1900", "An Act on harbours."),
        Provision("act", "3", "Dues\tmeans what is paid.\n"),
        Provision("act", "4", "Berths"),
        Provision("act", "4.(1)", "Berth has the meaning given to that term in section 5."),
        Provision("act", "5", "Meaning of berth\nA Berth is a place to moor."),
        Provision("tolls", "9", "The Berth and the Dues are shown."),
    )
    assert used(glossary, 7) == [("Berth", "resolved", (6,)), ("Dues", "resolved", (3,))]


def test_a_circle_of_meanings_ends() -> None:
    glossary = known(
        Provision("act", "1", '"Berth" has the meaning given in section 2.'),
        Provision("act", "2", '"Berth" has the meaning given in section 1.'),
        Provision("act", "3", "A Berth is free."),
    )
    assert [status for _, status, _ in used(glossary, 2)] == ["ambiguous"]


def test_two_that_hold_equally_are_ambiguous_and_a_name_given_again_is_not() -> None:
    glossary = known(
        Provision("a", "1", '"Berth" means a place to moor. The Northern Harbour Authority ("NHA") is here.'),
        Provision("a", "2", '"Berth" means a bed. The Northern Harbour Authority ("NHA") is there.'),
        Provision("a", "3", "Any Berth belongs to the NHA."),
    )
    found = uses(2, glossary)
    assert [(use.mention.status, use.positions) for use in found] == [("ambiguous", (0, 1)), ("resolved", (0,))]
    assert found[0].mention.candidates == ("a: 1", "a: 2")
    assert found[0].mention.target_node_id is None
    assert found[1].mention.target_node_id == "a: 1"


def test_a_document_uses_the_terms_it_says_it_uses() -> None:
    glossary = known(
        Provision("note", "1", "Terms in this Guidance have the same meaning as defined in the Harbour Act 1900."),
        Provision("note", "2", "The Berth is free."),
        Provision("act", "HARBOUR ACT 1900", "An Act on harbours."),
        Provision("act", "1", '"Berth" means a place to moor.'),
        Provision("other", "1", "The Berth is taken."),
    )
    assert used(glossary, 1) == [("Berth", "resolved", (3,))]
    assert used(glossary, 4) == []


def test_plural_and_possessive_forms_and_the_longest_term() -> None:
    glossary = known(
        Provision(
            "a", "1", "Terms\tMeaning\nBerth\tA place.\nTidal Berth\tA wet place.\nParty\tA side.\nOffer of Berths\tA bid."
        ),
        Provision(
            "a", "2", "All Tidal Berths and the Party’s Berths; the Parties make Offers of Berths. A small berth, the BERTH."
        ),
    )
    assert texts(uses(1, glossary)) == ["Tidal Berths", "Party’s", "Berths", "Parties", "Offers of Berths"]
    assert normal("Glass") == "Glass"


def test_no_term_is_found_inside_a_longer_one_that_is_defined_elsewhere() -> None:
    glossary = known(
        Provision("a", "1", '"Berth Keeper" means an officer.'),
        Provision("b", "1", '"Berth" means a place.'),
        Provision("b", "2", "A Berth Keeper keeps a Berth."),
    )
    assert [use.mention.start for use in uses(2, glossary)] == [23]


def test_no_mention_in_its_own_definition_in_a_heading_or_in_a_longer_name() -> None:
    glossary = known(
        Provision("a", "1", '"Berth" means a Berth of stone. "Tidal Berth" means a Berth that dries.'),
        Provision("a", "2", "Berth and other places"),
        Provision("a", "3", "TIDES\nTidal Berth and others\nThe Berth dries."),
        Provision("a", "4", "The Berth Commission of Peru and the Royal Berth decide on a Berth."),
    )
    assert texts(uses(0, glossary)) == ["Berth"]  # the one in the definition of the other
    assert uses(1, glossary) == []
    assert [(use.mention.text, use.mention.start) for use in uses(2, glossary)] == [("Berth", 33)]
    assert [use.mention.start for use in uses(3, glossary)] == [61]


def test_an_ordinary_word_that_begins_a_sentence_is_no_term() -> None:
    glossary = known(
        Provision("a", "1", '"Document" means a paper with a seal. "Harbour Master" means the officer.'),
        Provision(
            "a", "2", "Documents are kept. Each Document is read; a document without a seal is burnt.\n(a)\tDocuments wait."
        ),
        Provision("a", "3", "Harbour Masters decide."),
    )
    assert [use.mention.start for use in uses(1, glossary)] == [25]
    assert texts(uses(2, glossary)) == ["Harbour Masters"]


def test_what_is_a_reference_already_is_no_term() -> None:
    glossary = known(
        Provision("glo", "1", 'In the Rulebooks:\nRule\tMeans a rule.\nHARB\tMeans the Harbour Rulebook ("HARB").\n'),
        Provision("a", "2.1", "Under Rule 2.1, section 3 of HARB and HARB 4.2 every Rule of HARB applies."),
        Provision("a", "2.2", "Nothing."),
    )
    assert [text for text, _, _ in used(glossary, 1)] == ["Rule", "HARB"]
    assert [use.mention.start for use in uses(1, glossary, find(glossary.provisions[1].text, Place(), "rulebook"))] == [53, 61]


def test_where_nothing_is_defined_nothing_is_kept() -> None:
    glossary = known(Provision("a", "1", "The Berth is free."), Provision("a", "2", "A Berth is a place."))
    assert (glossary.entries, glossary.ordinary, uses(0, glossary)) == ({}, frozenset(), [])


HOSTILE = {
    "quotes": '"A" ',
    "open": "(“the ",
    "brackets": "(((",
    "tabs": "Berth\t\t \t",
    "spaces": "( and      ",
    "lines": "\n",
    "means": "Berth means a Berth; ",
    "rows": "Berth\tmeans a Berth\n",
    "scopes": 'In this Part "Berth" means a Berth. ',
    "term": "Term ",
    "capitals": "Aa Bb Berth Cc ",
    "acronyms": "Berth Authority (BA) ",
    "pipes": "| Term ",
    "called": "hereinafter referred to as the ",
    "dots": ". . ",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_is_read_in_linear_time(unit: str) -> None:
    def seconds(times: int) -> float:
        provisions = [Provision("a", "1", '"Berth" means a place. Definitions'), Provision("a", "2", unit * times)]
        shelf = shelve(provisions)
        start = time.process_time()
        glossary = learn(provisions, shelf)
        uses(1, glossary)
        definitions(unit * times, listed=True)
        return time.process_time() - start

    size = 5_000 // len(unit)
    small, large = min(seconds(size) for _ in range(3)), min(seconds(8 * size) for _ in range(2))
    assert large < 8 * 4 * small + 0.02


def test_a_term_that_everybody_defines_is_read_in_linear_time() -> None:
    def seconds(documents: int) -> float:
        provisions = [Provision(f"d{n}", "1", f'"Berth" means place {n}. Every Berth of the Berth.') for n in range(documents)]
        provisions += [Provision("e", str(n), f'"Dues" means sum {n}. The Dues and the Dues.') for n in range(documents)]
        shelf = shelve(provisions)
        start = time.process_time()
        glossary = learn(provisions, shelf)
        for position in range(len(provisions)):
            uses(position, glossary)
        return time.process_time() - start

    small, large = min(seconds(50) for _ in range(3)), min(seconds(400) for _ in range(2))
    assert large < 8 * 4 * small
