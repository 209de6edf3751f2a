"""References of manuals: what is one, what its target is, and what is none."""

from __future__ import annotations

import pytest

from pincite.model import Block, Document, Mention, Node, Place, Source
from pincite.references import find, observe
from pincite.references.manual import containers

DMG = Place("DMG 77161", ("DMG Chapter 77",))
ADM = Place("ADM P4006", ("ADM Chapter P4",))
MEMO = Place("Memo ADM 06/21 para 15", ("Memo ADM 06/21",))
NPPF = Place("NPPF para 14", ("NPPF",))
MPM = Place("MPM 4.7.2", ("MPM",))
APPENDIX = Place("DMG Chapter 77 Appendix 1 para 5", ("DMG Chapter 77", "DMG Chapter 77 Appendix 1"))


def found(text: str, at: Place) -> list[str]:
    mentions = find(text, at, "manual")
    for mention in mentions:
        assert text[mention.start : mention.end] == mention.text
    return [_show(mention) for mention in mentions]


def _show(mention: Mention) -> str:
    target = mention.target_node_id or f"({mention.status})"
    return f"{target}..{mention.target_end_node_id}" if mention.target_end_node_id else target


@pytest.mark.parametrize(
    ("text", "at", "targets"),
    [
        ("see DMG 77164 for details", DMG, ["DMG 77164"]),
        ("the procedures in annex 5.4, and Annex 4.6", MPM, ["MPM Annex 5.4", "MPM Annex 4.6"]),
        ("as annex 2 of the Regulations says", MPM, ["(unresolved)"]),
        ("qualifying age (see DMG\n77330) and", DMG, ["DMG 77330"]),
        ("the exceptions in DMG 77117 - 77130 apply", DMG, ["DMG 77117..DMG 77130"]),
        ("See DMG 77162 -\n77164 for further details.", DMG, ["DMG 77162..DMG 77164"]),
        ("Note: See DMG 77100 – 77131 for more", DMG, ["DMG 77100..DMG 77131"]),
        ("applies (see DMG 071761 to\n071763). The state", MEMO, ["DMG 071761..DMG 071763"]),
        ("described at DMG 77118, 77119 or\n77120", DMG, ["DMG 77118", "DMG 77119", "DMG 77120"]),
        ("(see DMG 77333 et seq) to work", DMG, ["DMG 77333"]),
        ("falls within DMG 77051 1.1\nabove and", DMG, ["DMG 77051 1.1"]),
        ("their partner (see DMG\n77117 2.). But both", DMG, ["DMG 77117 2"]),
        ("described at\nDMG 77018.1. and 2. will end", DMG, ["DMG 77018 1", "DMG 77018 2"]),
        ("if DMG 44648.2 applies", DMG, ["DMG 44648 2"]),
        ("where DMG paragraph 77119 applies", DMG, ["DMG 77119"]),
        ("See also DMG 77141 Note 1 for savings", DMG, ["DMG 77141"]),
        ("Unless P4003 – P4007 applies", ADM, ["ADM P4003..ADM P4007"]),
        ("Note: See P4022 – 23 where", ADM, ["ADM P4022..ADM P4023"]),
        ("dealt with\nat P4020 – 4021.", ADM, ["ADM P4020..ADM P4021"]),
        ("P4004 does not apply where", ADM, ["ADM P4004"]),
        ("8. F3150-51 gives guidance", MEMO, ["ADM F3150..ADM F3151"]),
        ("5. F2182 et seq provides", MEMO, ["ADM F2182"]),
        (
            "(ADM C2026), if they can show (see ADM\nC2130 and ADM Memo 11/19)",
            MEMO,
            ["ADM C2026", "ADM C2130", "Memo ADM 11/19"],
        ),
        ("(as defined in\nparagraph 29 and under", MEMO, ["Memo ADM 06/21 para 29"]),
        ("see paragraphs 56 - 65.", MEMO, ["Memo ADM 06/21 para 56..Memo ADM 06/21 para 65"]),
        ("see paragraphs 3, 4 and 9 below", MEMO, ["Memo ADM 06/21 para 3", "Memo ADM 06/21 para 4", "Memo ADM 06/21 para 9"]),
        ("as in paragraph 3", APPENDIX, ["DMG Chapter 77 Appendix 1 para 3"]),
        ("set out in paragraph 11d of this Framework", NPPF, ["NPPF para 11(d)"]),
        ("paragraphs 69-70 apply", NPPF, ["NPPF para 69..NPPF para 70"]),
        ("see paragraphs 4.6.1 to 4.6.3 and 5.1.2", MPM, ["MPM 4.6.1..MPM 4.6.3", "MPM 5.1.2"]),
        ("see DMG Chapters 07 and 78)", DMG, ["DMG Chapter 07", "DMG Chapter 78"]),
        ("throughout DMG Volumes 13 and 14 for SPC", DMG, ["DMG Volume 13", "DMG Volume 14"]),
        ("see ADM Chapter B2", DMG, ["ADM Chapter B2"]),
        ("DMG Chapter 07 Part 1", DMG, ["DMG Chapter 07 Part 1"]),
        (
            "See Appendix 1 to this Chapter and Appendix 6 to Chapter 78",
            DMG,
            ["DMG Chapter 77 Appendix 1", "DMG Chapter 78 Appendix 6"],
        ),
        ("Appendix 6 to DMG Chapter 78 gives", DMG, ["DMG Chapter 78 Appendix 6"]),
        ("[see ADM memo 1/25] (see DMG memo 04-24)", DMG, ["Memo ADM 01/25", "Memo DMG 04/24"]),
        ("in Memo ADM 07/19 - Obtaining", MEMO, ["Memo ADM 07/19"]),
        ("the number of this memo (ADM 06/21) against", MEMO, ["Memo ADM 06/21"]),
        ("DMG Memo 16/20 paragraph 4 says", MEMO, ["Memo DMG 16/20 para 4"]),
        ("ADM paragraphs; F2183, F3132,\nF3136", MEMO, ["ADM F2183", "ADM F3132", "ADM F3136"]),
        ("C2119; C2120 (Heading); C2134", MEMO, ["ADM C2119", "ADM C2120", "ADM C2134"]),
        ("Appendix 1 to ADM Chapter L3, L3408", MEMO, ["ADM Chapter L3 Appendix 1", "ADM L3408"]),
        ("see IRM 2.3.59.2(1)", DMG, ["IRM 2.3.59.2(1)"]),
        ("see DMG 24165 2.1 and 2.2", DMG, ["DMG 24165 2.1", "DMG 24165 2.2"]),
        ("P4047 1. and 2. set out", ADM, ["ADM P4047 1", "ADM P4047 2"]),
        (
            "as in Memo DMG 11/22, paragraphs 4 to 6 and 9",
            DMG,
            ["Memo DMG 11/22 para 4..Memo DMG 11/22 para 6", "Memo DMG 11/22 para 9"],
        ),
        ("Memos DMG 3/20, 15/21 and ADM 04/21", DMG, ["Memo DMG 03/20", "Memo DMG 15/21", "Memo ADM 04/21"]),
        ("replaces ADM Memos 04/20 and 05/20", MEMO, ["Memo ADM 04/20", "Memo ADM 05/20"]),
        ("see ADM Chapters E3 to E5 and H2", ADM, ["ADM Chapter E3..ADM Chapter E5", "ADM Chapter H2"]),
    ],
)
def test_a_reference_and_its_target(text: str, at: Place, targets: list[str]) -> None:
    assert found(text, at) == targets


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("the payment is made at 11pm and at 2.30", MEMO),
        ("an amount of £77164 at 77164", DMG),
        ("77164 people, 45000 homes and 12345", DMG),
        ("on 6.10.03, 12.04.04 and 2019", DMG),
        ("1. the day of entry or 2. after it", ADM),
        ("Amount A (13.41) - Amount B", DMG),
        ("the chapter on money and the paragraph after it", NPPF),
        ("a period of 28 days", ADM),
        ("Form UC50 and SSP1, MAT B1, P45 or P60", DMG),
        ("R(IS) 4/97, [2019] UKUT 24 (AAC) and CPC/1072/2005", DMG),
        ("SI 2013 No. 376, postcode E2 0AB, the M25 motorway", ADM),
        ("in Part 2 of the form and Chapter and verse", ADM),
    ],
)
def test_no_reference(text: str, at: Place) -> None:
    assert found(text, at) == []


def test_a_figure_after_a_listed_reference_is_not_one_more() -> None:
    assert found("DMG 77005 and at 77006", DMG) == ["DMG 77005"]
    assert found("see paragraphs 4 and 28 days", MEMO) == ["Memo ADM 06/21 para 4"]
    assert found("DMG 77005 and 45.00", DMG) == ["DMG 77005"]


def test_a_list_passes_its_scope_on_only_in_the_same_shape() -> None:
    assert found("DMG 77005 and P4006", DMG) == ["DMG 77005", "(unresolved)"]
    assert found("P4006", DMG) == ["(unresolved)"]
    assert found("ADM 77005", DMG) == ["(unsupported)"]


def test_several_qualifiers_stay_unresolved_and_one_is_kept_as_reason() -> None:
    assert found("C2120 (Heading) (Note 1)", MEMO) == ["(unresolved)"]
    (mention,) = find("C2120 (Heading)", MEMO, "manual")
    assert mention.reason == "qualified: Heading"


def test_et_seq_is_told_and_not_closed() -> None:
    (mention,) = find("DMG 77140 et seq where", DMG, "manual")
    assert (mention.target_end_node_id, mention.reason) == (None, "et seq.: the end is open")


def test_a_paragraph_of_a_schedule_is_not_one_of_the_manual() -> None:
    assert found("see paragraph 8 of Schedule 4B to the Act", NPPF) == ["(unsupported)"]


def test_letter_spaced_text_is_read_where_it_stands() -> None:
    text = "2. n o c o m p o n e nt if D M G 4 4 6 4 8. 2 a p pli e s."
    (mention,) = find(text, DMG, "manual")
    assert (mention.target_node_id, mention.text) == ("DMG 44648 2", "D M G 4 4 6 4 8. 2")


def test_containers() -> None:
    assert list(containers("Memo ADM 06/21 para 32 3.1")) == [
        "Memo ADM 06/21 para 32 3",
        "Memo ADM 06/21 para 32",
        "Memo ADM 06/21",
    ]
    assert list(containers("ADM P4006")) == ["ADM Chapter P4"]


def test_a_document_that_is_no_known_manual_cites_federal_law() -> None:
    """A rule or a bill that is had as a PDF: what it cites by name is found; a manual's own numbers stay the manual's."""
    text = b"See 21 CFR 911.22(a), section 5 of the Quarry Act, and paragraph 12."
    targets = {}
    for root in ("us-rule", "NPPF"):
        nodes = (Node(root, None, "manual", "", "", 0, 1, 0, 1, len(text)),)
        blocks = (Block(0, 1, 0, len(text), "body", root, ""),)
        source = Source(root, "", root, "", "application/pdf", "", len(text), "")
        document = Document(source, "manual", "1", (text,), nodes, blocks)
        targets[root] = [seen.mention.target_node_id for seen in observe(document)]
    assert targets == {"us-rule": ["21 CFR 911.22(a)", "Quarry Act § 5", None], "NPPF": ["NPPF para 12"]}
