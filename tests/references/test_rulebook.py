"""The grammar of rulebooks and the shelf that learns which document a name stands for. All texts are invented."""

from __future__ import annotations

import pytest

from pincite.model import Place
from pincite.references.rulebook import find
from pincite.references.rulebook_shelf import Provision, Shelf, fold, parse_label, resolve, shelve


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("as required by Rule 2.3.1", ["2.3.1"]),
        ("under section 58(1)(b)", ["58(1)(b)"]),
        ("see COBS 3.4 and PRU Rules 4.10, 4.11 and 4.12", ["COBS: 3.4", "PRU: 4.10", "PRU: 4.11", "PRU: 4.12"]),
        ("Chapter 6 of PRU", ["PRU: chapter 6"]),
        ("GEN 3.3.31 and 3.3.32 and PRU 6.8", ["GEN: 3.3.31", "GEN: 3.3.32", "PRU: 6.8"]),
        ("Part 5 and Schedule 1", ["part 5", "schedule 1"]),
        ("FSMR section 58", ["FSMR: 58"]),
        (
            "sections 215, 216 or 217 of the Harbour Regulations 2015",
            [f"Harbour Regulations 2015: {n}" for n in (215, 216, 217)],
        ),
        ("Rules 9.1.1(3) or (4)", ["9.1.1(3)", "9.1.1(4)"]),
        ("Rule 4.12.8(f), (g) and (h)", ["4.12.8(f)", "4.12.8(g)", "4.12.8(h)"]),
        ("Rules A4.3.2 to A4.3.6 in App4", ["appendix 4: A4.3.2", "appendix 4"]),
        ("in Appendix 7", ["appendix 7"]),
        ("the restriction in APP 7 applies", ["appendix 7"]),
        ("Subject to (2), an operator", ["(2)"]),
        ("listed in 1.3.1(a) or 1.3.2(a)", ["1.3.1(a)", "1.3.2(a)"]),
        ("paragraph 65 of Schedule 1", ["schedule 1: 65", "schedule 1"]),
        ("the Market Rules (MKT) Chapter 4", ["MKT: chapter 4"]),
        ("Rule \u200e6.8.1(a) does not apply", ["6.8.1(a)"]),
        ("the following COBS Rules:\n(i) Chapter 14; and\n(ii) Chapter 15", ["COBS: chapter 14", "COBS: chapter 15"]),
    ],
)
def test_the_shapes_of_a_rulebook_reference(text: str, targets: list[str]) -> None:
    assert [m.target_node_id for m in find(text, Place())] == targets


@pytest.mark.parametrize(
    "text",
    [
        "a fee of $1.5 million",
        "within 30 days",
        "Rule 10 Business Days later",
        "an increase of 2.5%",
        "on 4 October 2015",
        "on 1.1.2020",
        "USD 500 a year",
        "version 1.2",
        "(a) the first; and (b) the second",
        "I am the Chairman of the C. Company",
        "in Part because of it",
        "ISO 27001",
    ],
)
def test_numbers_that_are_no_reference(text: str) -> None:
    assert find(text, Place()) == []


def test_a_range_stays_a_range_and_offsets_slice_back() -> None:
    text = "calculated under Rules 4.13.5 to 4.13.7 of PRU."
    (mention,) = find(text, Place())
    assert (mention.target_node_id, mention.target_end_node_id) == ("PRU: 4.13.5", "PRU: 4.13.7")
    assert text[mention.start : mention.end] == mention.text == "Rules 4.13.5 to 4.13.7"


def test_an_enumerator_on_the_next_line_is_not_a_list_member() -> None:
    assert [m.target_node_id for m in find("in light of section 25(g);\n(d)\tthe level of loss", Place())] == ["25(g)"]


def test_the_place_completes_a_bare_reference() -> None:
    (mention,) = find("see Rule 3.1", Place(node_id="COBS: 2.1"))
    assert mention.target_node_id == "COBS: 3.1"


@pytest.mark.parametrize(
    ("label", "number", "containers"),
    [
        ("3.10.9.Guidance.1.", "3.10.9", ()),
        ("Part 19.Chapter 2.233.(2)", "233(2)", (("part", "19"), ("chapter", "2"))),
        ("PART 5.16.4.7", "16.4.7", (("part", "5"),)),
        ("APP4.A4.3.27", "A4.3.27", (("appendix", "4"),)),
        ("Schedule 1.Part 3 .85.(1)", "85(1)", (("schedule", "1"), ("part", "3"))),
        ("15)", "15", ()),
        ("PDPA s.48P(4)", "48P(4)", ()),
        ("PDPA s.18(0)", "18", ()),
        ("21 CFR 211.22(a)(1)", "211.22(a)(1)", ()),
    ],
)
def test_labels(label: str, number: str, containers: tuple[tuple[str, str], ...]) -> None:
    parsed = parse_label(label)
    assert (parsed.number, parsed.containers) == (number, containers)


BERTHS = ["tanker", "ferry", "barge", "coal", "grain", "timber", "quarantine", "bunker", "repair"]
TOLLS = ["anchorage", "lights", "towage", "storage", "weighing", "demurrage", "dredging", "lighterage", "wharfage"]
NOTES = [
    'This Guidance is on the Berthing Rulebook ("BERTH"). BERTH 1.2 governs the ferry berth, BERTH 2.1 the coal berth.',
    "For the timber berth see BERTH 2.3, for the bunker berth BERTH Rule 3.2 and for repair Rule 3.3 of the Berthing Rulebook.",
    "BERTH Rule 1.1 is on the tanker berth; paragraph 2 above applies. Section 9 of the Sea Act 1900 is repealed.",
    "TOLL 2.3 concerns demurrage.",
]


def harbour() -> tuple[list[Provision], Shelf]:
    """Two invented rulebooks and a guidance note that cites them; only one names itself."""
    numbers = [f"{chapter}.{rule}" for chapter in (1, 2, 3) for rule in (1, 2, 3)]
    provisions = [Provision("berths", n, f"A pilot must moor at the {word} berth.") for n, word in zip(numbers, BERTHS)]
    provisions += [Provision("tolls", "0", 'This Rulebook ("TOLL") applies to every ship.')]
    provisions += [Provision("tolls", n, f"The toll for {word} is payable to the cashier.") for n, word in zip(numbers, TOLLS)]
    provisions += [Provision("note", f"{n})", text) for n, text in enumerate(NOTES, 1)]
    return provisions, shelve(provisions)


def test_the_shelf_learns_a_name_from_the_numbers_and_words_cited_after_it() -> None:
    _, shelf = harbour()
    assert shelf.names[fold("BERTH")] == "berths"
    assert shelf.names[fold("Berthing Rulebook")] == "berths"
    assert shelf.names[fold("TOLL")] == "tolls"


def test_resolution_says_what_it_knows() -> None:
    provisions, shelf = harbour()
    found = {
        mention.target_node_id: resolve(mention, "note", shelf)
        for provision in provisions
        if provision.document == "note"
        for mention in find(provision.text, Place())
    }
    assert found["Sea Act 1900: 9"] == ("out_of_corpus", ())
    status, positions = found["TOLL: 2.3"]
    assert status == "resolved"
    assert "demurrage" in provisions[positions[0]].text
    status, positions = found["2"]
    assert [provisions[p].label for p in positions] == ["2)"]


def test_a_chapter_is_not_a_running_paragraph_number() -> None:
    provisions, shelf = harbour()
    (mention,) = find("disclosed under Chapter 2", Place())
    assert resolve(mention, "note", shelf) != ("resolved", (len(provisions) - 3,))


def test_an_absent_number_is_unresolved_and_a_paragraph_is_its_rule() -> None:
    provisions, shelf = harbour()
    status = [resolve(m, "berths", shelf) for m in find("Rule 7.7.7 and Rule 2.2(b)(ii)", Place())]
    assert status[0] == ("unresolved", ())
    assert [provisions[p].label for p in status[1][1]] == ["2.2"]


def test_a_long_text_of_digits_and_capitals_is_read_in_linear_time() -> None:
    import time

    def seconds(text: str) -> float:
        start = time.process_time()
        find(text, Place())
        return time.process_time() - start

    unit = "The Minister Of The Rules And 1 (a) 2.3 COBS I V X APP of the "
    small, large = min(seconds(unit * 200) for _ in range(3)), min(seconds(unit * 1600) for _ in range(3))
    assert large < 8 * 4 * small
