"""The hard kinds of the Code's text, each as the smallest invented section that shows it."""

from __future__ import annotations

import pytest

from pincite.model import Document, Source, conserved
from pincite.parse import parse

SECTION = '<DIV8 N="9.1" TYPE="SECTION"><HEAD>§ 9.1 {}</HEAD>{}</DIV8>'


def read(xml: str, path: str = "title-99/x.xml") -> Document:
    data = xml.encode()
    document = parse(Source("x", "", "", "", "application/xml", path, len(data), ""), data)
    assert conserved(document)
    return document


def section(*paragraphs: str, heading: str = "Goats.") -> Document:
    """A section of paragraphs; those that are no elements of their own become <P>."""
    return read(SECTION.format(heading, "\n".join(p if p[0] + p[-1] == "<>" else f"<P>{p}</P>" for p in paragraphs)))


def paths(document: Document) -> list[str]:
    """What follows the section's citation, of each node below it."""
    return [node.node_id.removeprefix("99 CFR 9.1") for node in document.nodes if node.node_id != "99 CFR 9.1"]


def owners(document: Document) -> dict[str, str]:
    """The first words of each text -> the place it belongs to."""
    page = document.pages[0]
    return {
        " ".join(page[b.start : b.end].decode().split())[:24]: b.node_id.removeprefix("99 CFR 9.1")
        for b in document.partition
        if b.role != "blank"
    }


def test_two_designators_with_more_than_a_space_between() -> None:
    assert paths(section("(a)  (1) Goats.", "(2) Kids.")) == ["(a)", "(a)(1)", "(a)(2)"]


def test_several_designators_that_open_inside_a_text() -> None:
    given = section(
        "(a) A goat is large, if: (1)(i) It has horns; or", "(ii) It has a beard.", "(2) The herd is large.", "(b) End."
    )
    assert paths(given) == ["(a)", "(a)(1)", "(a)(1)(i)", "(a)(1)(ii)", "(a)(2)", "(b)"]


def test_a_heading_without_italics_before_further_designators() -> None:
    assert paths(section("(a) Scope; terms. (1) Goats.", "(2) Kids.")) == ["(a)", "(a)(1)", "(a)(2)"]


def test_brackets_in_italics_are_a_slip_or_a_level() -> None:
    slip = section("<P><I>(a)</I> Goats.</P>", "(b) Kids.", "(1) Young.")
    assert paths(slip) == ["(a)", "(b)", "(b)(1)"]
    level = section("(a) G.", "(1) H.", "(i) I.", "(A) J.", "<P><I>(1)</I> K.</P>", "<P><I>(2)</I> L.</P>")
    assert paths(level)[-2:] == ["(a)(1)(i)(A)(1)", "(a)(1)(i)(A)(2)"]


def test_brackets_around_brackets_in_italics() -> None:
    given = section("(a) Goats.", "(1) Milk.", "(i)(<I>(a)</I>) Raw.", "(<I>b</I>) Boiled.")
    assert paths(given)[-3:] == ["(a)(1)(i)", "(a)(1)(i)(a)", "(a)(1)(i)(b)"]


def test_paragraphs_after_definitions_are_the_sections_own() -> None:
    given = section(
        "(a) <I>Definitions.</I> As used in this section:",
        "Goat analysis, hereafter analysis, is a way to count.",  # no sign of a definition
        "<I>Goat</I> means:",
        "(1) An animal; or",
        "(2) Its kid.",
        "<I>Milk</I> means what it gives.",
        "(b) Goats must be fed.",
    )
    assert paths(given) == ["(a)", '(a) "Goat"', '(a) "Goat"(1)', '(a) "Goat"(2)', '(a) "Milk"', "(b)"]


def test_a_paragraph_headed_definitions_needs_no_verb() -> None:
    given = section(
        "(a) <I>Definitions.</I> The following terms apply.",
        "<I>Adverse goat.</I> Any goat that bites.",
        "<I>Note:</I> Some do not.",
        "(b) <I>Review.</I> Look at them.",
        "<I>Records.</I> Keep them.",
    )
    assert paths(given) == ["(a)", '(a) "Adverse goat"', "(b)"]


def test_a_term_printed_twice_is_one() -> None:
    given = section("<I>Day. Day</I> means a working day.", heading="Definitions.")
    assert paths(given) == [' "Day"']


ANNUAL = "<CFRGRANULE><PART><HD SOURCE='HED'>PART 9—GOATS</HD>{}</PART></CFRGRANULE>"


def test_a_section_quoted_in_a_notice_is_not_the_one_in_force() -> None:
    quoted = "<SECTION><SECTNO>§ 9.1</SECTNO><SUBJECT>Goats.</SUBJECT><P>(a) Old.</P></SECTION>"
    other = "<SECTION><SECTNO>§ 9.2</SECTNO><SUBJECT>Kids.</SUBJECT><P>(a) Young.</P></SECTION>"
    note = (
        f"<EFFDNOT><HD SOURCE='HED'>Effective Date Note:</HD><P>It was revised.</P><REVTXT>{quoted}{other}</REVTXT></EFFDNOT>"
    )
    own = f"<SECTION><SECTNO>§ 9.1</SECTNO><SUBJECT>Goats.</SUBJECT><P>(a) New.</P>{note}</SECTION>"
    given = read(ANNUAL.format(own))
    assert [n.node_id for n in given.nodes][1:] == ["99 CFR 9.1", "99 CFR 9.1(a)", "99 CFR 9.2", "99 CFR 9.2(a)"]
    roles = {given.slice(1, b.start, b.end).decode(): b.role for b in given.partition}
    assert roles["(a) New."] == roles["(a) Young."] == "body"
    assert roles["(a) Old."] == roles["It was revised."] == "notice"
    assert not [f for f in given.findings if f.kind == "duplicate_node"]


def test_a_chapter_of_a_whole_volume_is_named_in_its_contents() -> None:
    contents = "<TOC><TOCHD><HD SOURCE='HED'>CHAPTER IV—GOAT BOARD</HD></TOCHD></TOC>"
    part = "<PART><HD SOURCE='HED'>PART 9—GOATS</HD></PART>"
    given = read(f"<CFRDOC><FMTR><CITE>How to cite</CITE></FMTR><CHAPTER>{contents}{part}</CHAPTER></CFRDOC>")
    assert [(n.node_id, n.heading) for n in given.nodes] == [("99 CFR Chapter IV", "GOAT BOARD"), ("99 CFR Part 9", "GOATS")]
    assert not given.findings


def test_paragraphs_of_a_section_numbered_with_letters_and_full_stops() -> None:
    given = section(
        "A. <I>Records.</I> Keep them.", "(1) Of goats.", "(2) Of kids.", "B. <I>Reports.</I> Send them.", "(1) To us."
    )
    assert paths(given) == [" A", " A.(1)", " A.(2)", " B", " B.(1)"]
    assert paths(section("(a) Goats.", "J. Smith keeps some.", "(b) Kids.")) == ["(a)", "(b)"]


def appendix(*texts: str, name: str = "Appendix A to Part 9") -> list[tuple[str, str]]:
    """Id below the appendix, and kind, of each node of an appendix."""
    body = "\n".join(t if t[0] == "<" else f"<P>{t}</P>" for t in texts)
    given = read(
        f'<DIV5 N="9" TYPE="PART"><HEAD>PART 9—GOATS</HEAD><DIV9 N="{name}"><HEAD>{name}—Goats</HEAD>{body}</DIV9></DIV5>'
    )
    start = given.nodes[1].node_id
    assert [n.kind for n in given.nodes[:2]] == ["part", "appendix"]
    return [(n.node_id.removeprefix(start), n.kind) for n in given.nodes[2:]]


def test_numbered_headings_of_an_appendix_and_paragraphs_are_one_outline() -> None:
    given = appendix(
        "<HD1>I. General</HD1>",
        "<HD2>A. Scope</HD2>",
        "1. All goats.",
        "a. Large.",
        "<HD2>B. Terms</HD2>",
        "<HD1>II. End</HD1>",
    )
    assert given == [
        (" I", "division"),
        (" I.A", "division"),
        (" I.A.1", "paragraph"),
        (" I.A.1.a", "paragraph"),
        (" I.B", "division"),
        (" II", "division"),
    ]


def test_paragraphs_that_go_on_with_the_numbers_of_headings() -> None:
    given = appendix(
        "<HD1>(a) Introduction</HD1>",
        "(1) Goats.",
        "<HD1>(b) Method</HD1>",
        "<HD2>(1) Rule</HD2>",
        "Count.",
        "(2) <I>Signs.</I> None.",
    )
    assert [path for path, _ in given] == ["(a)", "(a)(1)", "(b)", "(b)(1)", "(b)(2)"]


def test_numbers_of_several_parts_name_those_above_them() -> None:
    counting = [
        "<HD1>1.0 Scope</HD1>",
        "1.1 Goats are counted.",
        "(a) By day.",
        "<HD1>2.0 Means</HD1>",
        "2.1 A stick.",
        "2.1.1 Its length.",
    ]
    weighing = ["<HD1>1.0 Scope</HD1>", "1.1 Goats are weighed."]
    given = appendix("<HD1>Method 1—Counting</HD1>", *counting, "<HD1>Method 2—Weighing</HD1>", *weighing)
    one, two = ' "Method 1—Counting"', ' "Method 2—Weighing"'
    counted = [f"{one} {number}" for number in ("1.0", "1.1", "1.1(a)", "2.0", "2.1", "2.1.1")]
    assert [path for path, _ in given] == [one, *counted, two, f"{two} 1.0", f"{two} 1.1"]


def test_a_commentary_names_what_it_comments_on() -> None:
    given = appendix(
        "<HD1>Section 9.2—Terms</HD1>",
        "1. <I>All terms.</I> They are these.",
        "<P><I>2(a) Goat.</I></P>",
        "1.<I>Kids.</I> A kid is a goat.",
        "i. At birth; A. <I>Always.</I> Yes.",
        "<P><I>1.</I> A case.</P>",
        "<P><I>Paragraph 2(a)(1).</I></P>",
        "1. Fine.",
        "<P><I>(b)(3) Sheep.</I></P>",
        "1. No goat.",
        name="Supplement I to Part 9",
    )
    assert [path for path, _ in given][:6] == [" 2", " 2-1", " 2(a)", " 2(a)-1", " 2(a)-1.i", " 2(a)-1.i.1"]
    assert [path for path, _ in given][6:] == [" 2(a)(1)", " 2(a)(1)-1", " 2(b)(3)", " 2(b)(3)-1"]


CLAUSE = """<P>As prescribed in 9.101, insert the following clause:</P><EXTRACT><HD1>Care of Goats (JAN 2020)</HD1>
<P>(a) <I>Definitions.</I> As used in this clause—</P><P><I>Goat</I> means an animal.</P>
<P>(b) The Contractor shall feed goats.</P><P>(1) Daily.</P></EXTRACT><HD3>(End of clause)</HD3>
<P><I>Alternate I</I> (FEB 2021). As prescribed in 9.102, substitute this paragraph (b):</P>
<EXTRACT><P>(b) The Contractor need not.</P></EXTRACT>"""


def test_a_contract_clause_is_cited_by_its_section() -> None:
    given = read(f'<DIV8 N="52.209-1" TYPE="SECTION"><HEAD>52.209-1   Care of Goats.</HEAD>{CLAUSE}</DIV8>', "title-48/x.xml")
    at = "48 CFR 52.209-1"
    assert (given.nodes[0].node_id, given.nodes[0].heading) == (at, "Care of Goats.")
    assert [n.node_id.removeprefix(at) for n in given.nodes[1:]] == [
        "(a)",
        '(a) "Goat"',
        "(b)",
        "(b)(1)",
        " Alternate I",
        " Alternate I(b)",
    ]


def test_an_extract_belongs_to_its_paragraph_and_the_text_after_it_goes_on() -> None:
    articles = "<P>Section 1. <I>Sum.</I> All.</P><P>(a) Coins.</P><P>Section 2. <I>Term.</I> Ever.</P>"
    form = f"<EXTRACT><HD1>Goat Bond</HD1>{articles}</EXTRACT>"
    given = section("(a) Forms.", "(1) The bond reads:", form, "where coins are copper.", "(2) No other form.")
    bond = '(a)(1) "Goat Bond"'
    assert paths(given) == ["(a)", "(a)(1)", bond, f"{bond} Section 1", f"{bond} Section 1.(a)", f"{bond} Section 2", "(a)(2)"]
    assert owners(given)["where coins are copper."] == "(a)(1)"
    parents = {n.node_id.removeprefix("99 CFR 9.1"): n.parent_id for n in given.nodes}
    assert parents[bond] == "99 CFR 9.1(a)(1)"


def test_examples_in_paragraphs_number_their_own() -> None:
    given = section(
        "(a) <I>Rule.</I> Goats:",
        "(1) <I>Examples.</I> These show it.",
        "<I>Example 1.</I> (i) A has a goat.",
        "(ii) A sells it.",
        "<I>Example 2.</I> B has none.",
        "(2) <I>Other.</I> Sheep.",
    )
    inside = [" Example 1", " Example 1(i)", " Example 1(ii)", " Example 2"]
    assert paths(given) == ["(a)", "(a)(1)", *[f"(a)(1){path}" for path in inside], "(a)(2)"]


def test_criteria_and_definitions_below_headings_of_an_appendix() -> None:
    given = appendix(
        "<HD1>Definitions</HD1>",
        "<P><I>Goat unit.</I> A goat and its kid.</P>",
        "<HD1>Criteria</HD1>",
        "<HD2>I. General</HD2>",
        "<P><I>Criterion 1—Feed.</I> Goats shall have:</P>",
        "(1) Hay.",
        "<P><I>Criterion 2—Water.</I> Clean.</P>",
    )
    one = ' "Criteria" I. Criterion 1'
    assert [path for path, _ in given][1:] == [
        ' "Definitions" "Goat unit"', ' "Criteria"', ' "Criteria" I', one, f"{one}(1)", ' "Criteria" I. Criterion 2',
    ]  # fmt: skip


def test_blanks_to_fill_in_before_designators() -> None:
    assert paths(section("(a) Check:", "__ (1) Goats.", "__(2) Kids.", "□ (i) Young.", "(b) End.")) == [
        "(a)", "(a)(1)", "(a)(2)", "(a)(2)(i)", "(b)",
    ]  # fmt: skip


def test_numbers_of_a_standard_in_a_section() -> None:
    given = section("S1 <I>Scope.</I> Goats.", "S5.1 <I>Horns.</I> Two.", "S5.1.1 Each horn.", "(a) Left.", "S5.2 Beard.")
    assert paths(given) == [" S1", " S5.1", " S5.1.1", " S5.1.1(a)", " S5.2"]


def test_two_numbers_with_full_stops_in_one_text() -> None:
    given = appendix(
        "<HD1>II. Records</HD1>", "1.a. A list.", "b. A plan.", "2. <I>Maps</I>—a. <I>Old.</I> All.", name="Appendix A to § 9.1"
    )
    assert [path for path, _ in given] == [" II", " II.1", " II.1.a", " II.1.b", " II.2", " II.2.a"]


def test_an_appendix_to_a_section_is_cited_by_it() -> None:
    given = read(
        '<DIV5 N="9" TYPE="PART"><HEAD>PART 9—GOATS</HEAD><DIV9 N="Appendix A to § 9.1"><HEAD>Appendix A</HEAD></DIV9></DIV5>'
    )
    assert [n.node_id for n in given.nodes] == ["99 CFR Part 9", "99 CFR 9.1 Appendix A"]


def test_two_headings_in_one_pair_of_italics() -> None:
    given = section("(a) <I>Rates. (i) Goats.</I> (A) <I>Old.</I> Nine.", "(B) Ten.", "(ii) Kids.")
    assert paths(given) == ["(a)", "(a)(i)", "(a)(i)(A)", "(a)(i)(B)", "(a)(ii)"]
    assert given.nodes[1].heading == "Rates."


def test_a_list_that_begins_in_a_sentence_and_goes_on_in_the_next_paragraph() -> None:
    given = section(
        "(a) <I>Rule.</I> (1) It applies to a herd in which (i) goats live, and", "(ii) Sheep do not.", "(2) Else not."
    )
    assert paths(given) == ["(a)", "(a)(1)", "(a)(1)(i)", "(a)(1)(ii)", "(a)(2)"]
    assert paths(section("(a) A herd in which (i) goats live.", "(b) Other.")) == ["(a)", "(b)"]


def test_a_paragraph_of_a_section_of_definitions_that_announces_more_of_them() -> None:
    given = section(
        "(a) <I>Goat</I> means an animal.",
        "(b) The following terms are used in the tests. They are not new.",
        "<I>Assets</I> means goats.",
        "<I>Debts</I> means none.",
        "(c) In this part terms have their meanings.",
        heading="Definitions.",
    )
    assert paths(given) == ["(a)", "(b)", '(b) "Assets"', '(b) "Debts"', "(c)"]


@pytest.mark.parametrize(
    ("number", "head", "expected"),
    [
        ("Appendix A to Part 9", "Appendix A to Part 9—Forms", "99 CFR Part 9 Appendix A"),
        ("Appendix A", "Appendix A to Subpart B of Part 9—Forms", "99 CFR Part 9 Subpart B Appendix A"),
        ("Appendix to", "Appendix to Part 9-74—Rules", "99 CFR Part 9-74 Appendix"),
        ("", "Table 1 to Subpart DDDD of Part 9—Limits", "99 CFR Part 9 Subpart DDDD Table 1"),
        ("", "Exhibit No. 1 to Subpart B [§§ 9.2, 9.6] of Part 9—Notice", "99 CFR Part 9 Subpart B Exhibit No. 1"),
        ("", "Annex VIII-A to Part 9 [Reserved]", "99 CFR Part 9 Annex VIII-A"),
        ("Special Rule No. 50-2", "Special Rule No. 50-2—Flights", "99 CFR Part 9 Special Rule No. 50-2"),
    ],
)
def test_what_an_appendix_is_called(number: str, head: str, expected: str) -> None:
    given = read(f'<DIV5 N="9" TYPE="PART"><HEAD>PART 9—GOATS</HEAD><DIV9 N="{number}"><HEAD>{head}</HEAD></DIV9></DIV5>')
    assert given.nodes[1].node_id == expected


def test_a_number_of_several_parts_with_a_designator_is_not_opened_again_by_the_next() -> None:
    given = section("S4.1 <I>Horns.</I> Each.", "S4.1.2(a) One.", "S4.1.2(b) Two.", "S4.1.3 (a) Three.")
    assert paths(given) == [" S4.1", " S4.1.2", " S4.1.2(a)", " S4.1.2(b)", " S4.1.3", " S4.1.3(a)"]


def test_in_this_section_and_no_more_announces_terms() -> None:
    given = section("(a) In this section—", "<I>Goat</I> means.", "<I>Herd</I> means:", "(1) one; or", "(2) two.", "(b) B.")
    assert paths(given) == ["(a)", '(a) "Goat"', '(a) "Herd"', '(a) "Herd"(1)', '(a) "Herd"(2)', "(b)"]
    rates = section("(b) The rates in this section are:", "<I>Peak</I> means high.", "(1) one; or", "(c) C.")
    assert paths(rates) == ["(b)", "(b)(1)", "(c)"]


def test_a_list_that_begins_after_a_sentence_and_goes_on_in_the_next_paragraph() -> None:
    given = section("(b) One.", "(c) <I>Goats</I> (see § 9.3(b)(3)). (1) Without horns.", "(2) With horns.", "(d) End.")
    assert paths(given) == ["(b)", "(c)", "(c)(1)", "(c)(2)", "(d)"]
    assert paths(section("(b) One.", "(c) See § 9.3(b)(3). (1) Without horns.", "(d) End.")) == ["(b)", "(c)", "(d)"]


def test_a_word_in_brackets_that_numbers_nothing() -> None:
    given = section("(a) One.", "(note) Two.", "(0) Three.", "(b) Four.")
    assert paths(given) == ["(a)", "(b)"]


def test_a_number_of_several_parts_with_two_designators() -> None:
    given = section("S4.1 <I>Horns.</I> Each.", "S4.1.5.1(a)(1) One.", "(2) Two.", "(b) Three.", "S4.2 Beards.")
    below = [" S4.1.5.1(a)", " S4.1.5.1(a)(1)", " S4.1.5.1(a)(2)", " S4.1.5.1(b)"]
    assert paths(given) == [" S4.1", " S4.1.5.1", *below, " S4.2"]


def test_terms_stay_below_the_paragraph_that_announced_them_whatever_lies_between() -> None:
    given = section(
        "(a) <I>Definitions.</I> As used in this section—",
        "— Shelf goat item—",  # its italics are lost
        "(1) Means a goat; and",
        "(2) Its kid.",
        "<I>Herd</I> means goats.",
        "(b) Herds are fed.",
    )
    assert paths(given) == ["(a)", "(a)(1)", "(a)(2)", '(a) "Herd"', "(b)"]


def test_an_l_in_italics_is_the_letter() -> None:
    given = section("(k) Hay.", "(<I>l</I>) Milk.", "(1) Raw.", "(m) Meat.")
    assert paths(given) == ["(k)", "(l)", "(l)(1)", "(m)"]


def test_a_proposed_rule_says_its_title_in_its_head_only() -> None:
    head = "<PREAMB><AGENCY>GOAT BOARD</AGENCY><CFR>99 CFR Part 9</CFR><SUBJECT>Goats</SUBJECT></PREAMB>"
    text = "<SECTION><SECTNO>§ 9.1</SECTNO><SUBJECT>Goats.</SUBJECT><P>(a) All.</P></SECTION>"
    given = read(f"<PRORULE>{head}<SUPLINF>{text}</SUPLINF><FRDOC>[FR Doc. 2026–00009 Filed]</FRDOC></PRORULE>")
    assert [n.node_id for n in given.nodes][1:] == ["FR Doc. 2026-00009 99 CFR 9.1", "FR Doc. 2026-00009 99 CFR 9.1(a)"]


def test_terms_in_quotation_marks_and_notes_between_them() -> None:
    given = section(
        "“Act” means the law.",
        "“Board” or “the Board” means us.",
        "The term “chief” means him.",
        "<I>Day.</I> Any.",
        "<I>Note to Day:</I> Or night.",
        "<I>Note</I> means a promise.",
        heading="Terms used in this part.",
    )
    assert paths(given) == [' "Act"', ' "Board"', ' "chief"', ' "Day"', ' "Note"']


def test_italics_of_blanks_are_no_term() -> None:
    given = section("<I> </I> means nothing.", "<I>Goat</I> means an animal.", heading="Definitions.")
    assert paths(given) == [' "Goat"']
