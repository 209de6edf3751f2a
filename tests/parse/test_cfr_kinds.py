"""The hard kinds of the Code's text, each as the smallest invented section that shows it."""

from __future__ import annotations

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
