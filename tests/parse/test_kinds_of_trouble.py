"""What real files of this kind hold now and then, each as the smallest input that shows it."""

from __future__ import annotations

import pytest

from pincite.model import Document, Source, conserved
from pincite.parse import parse


def read(data: str, path: str = "title-99/x.xml") -> Document:
    document = parse(Source("x", "", "", "", "application/xml", path, 0, ""), data.encode())
    assert conserved(document)
    return document


def paths(*paragraphs: str, head: str = "Test.") -> list[str]:
    """The paths of the nodes that these ``<P>`` open in a section."""
    body = "\n".join(f"<P>{paragraph}</P>" for paragraph in paragraphs)
    nodes = read(f'<DIV8 N="1.1">\n<HEAD>§ 1.1 {head}</HEAD>\n{body}\n</DIV8>').nodes
    return [node.node_id.removeprefix("99 CFR 1.1") for node in nodes[1:]]


TROUBLES = {
    "a letter after h": (("(h) One.", "(i) Two.", "(j) Three."), ["(h)", "(i)", "(j)"]),
    "a numeral after h": (("(h) One:", "(i) Two.", "(ii) Three.", "(i) Four."), ["(h)", "(h)(i)", "(h)(ii)", "(i)"]),
    "i at the end after a sentence": (("(g) One.", "(h) Two.", "(i) Three."), ["(g)", "(h)", "(i)"]),
    "i at the end after a colon": (("(g) One.", "(h) Two:", "(i) Three."), ["(g)", "(h)", "(h)(i)"]),
    "v after u and v after iv": (
        ("(u) One.", "(v) Two:", "(1) Three:", "(iv) Four.", "(v) Five."),
        ["(u)", "(v)", "(v)(1)", "(v)(1)(iv)", "(v)(1)(v)"],
    ),
    "aa after z": (("(y) One.", "(z) Two.", "(aa) Three.", "(bb) Four."), ["(y)", "(z)", "(aa)", "(bb)"]),
    "two letters in one paragraph": (("(a)(1)(i) One.", "(ii) Two."), ["(a)", "(a)(1)", "(a)(1)(i)", "(a)(1)(ii)"]),
    "letters apart": (("(a) (1) One.", "(2) Two."), ["(a)", "(a)(1)", "(a)(2)"]),
    "no space after": (("(a)One.", "(b)Two."), ["(a)", "(b)"]),
    "heading then number": (("(a) <I>Heading.</I> (1) One.", "(2) Two."), ["(a)", "(a)(1)", "(a)(2)"]),
    "heading with a dash": (("(a) <I>Heading</I>—(1) <I>Sub.</I> One.", "(2) Two."), ["(a)", "(a)(1)", "(a)(2)"]),
    "heading without italics": (("(a) General. (1) One.", "(2) Two."), ["(a)", "(a)(1)", "(a)(2)"]),
    "designator inside the italic heading": (("<I>(a) Heading.</I> One.", "(b) Two."), ["(a)", "(b)"]),
    "italic levels": (
        ("(a)(1)(i)(A) One:", "(<I>1</I>) Two:", "(<I>i</I>) Three.", "(<I>2</I>) Four.", "(B) Five."),
        ["(a)", "(a)(1)", "(a)(1)(i)", *(f"(a)(1)(i){p}" for p in ("(A)", "(A)(1)", "(A)(1)(i)", "(A)(2)", "(B)"))],
    ),
    "italics lost": (
        ("(a)(1)(i)(A) One:", "(1) Two.", "(2) Three.", "(B) Four.", "(2) Five."),
        ["(a)", "(a)(1)", "(a)(1)(i)", *(f"(a)(1)(i){p}" for p in ("(A)", "(A)(1)", "(A)(2)", "(B)")), "(a)(2)"],
    ),
    "as in a statute": (
        ("(a)(1) One:", "(A) Two:", "(i) Three:", "(I) Four.", "(II) Five.", "(ii) Six.", "(B) Seven."),
        ["(a)", "(a)(1)", *(f"(a)(1){p}" for p in ("(A)", "(A)(i)", "(A)(i)(I)", "(A)(i)(II)", "(A)(ii)", "(B)"))],
    ),
    "I after H": (
        ("(a)(1)(i)(H) One.", "(I) Two.", "(J) Three."),
        ["(a)", "(a)(1)", "(a)(1)(i)", *(f"(a)(1)(i)({x})" for x in "HIJ")],
    ),
    "older fourth level": (
        ("(a)(1)(i) One:", "(<I>a</I>) Two.", "(<I>b</I>) Three.", "(ii) Four."),
        ["(a)", "(a)(1)", "(a)(1)(i)", "(a)(1)(i)(a)", "(a)(1)(i)(b)", "(a)(1)(ii)"],
    ),
    "numbers without a letter": (("As follows:", "(1) One.", "(2) Two:", "(i) Three."), ["(1)", "(2)", "(2)(i)"]),
    "reserved range": (("(a) One.", "(b)-(d) [Reserved]", "(e) Two."), ["(a)", "(b)-(d)", "(e)"]),
    "reserved range in words": (("(1) through (3) [Reserved]", "(4) One."), ["(1)-(3)", "(4)"]),
    "run in": (("(i) One; and (ii) two.", "(iii) Three."), ["(i)", "(ii)", "(iii)"]),
    "a reference is no run-in": (("(a) See paragraphs (b), (c), and (d) of this section.", "(b) One."), ["(a)", "(b)"]),
    "a list after a lead-in": (
        ("(a) One may: (1) go; (2) run; or (3) stay.", "(b) Two."),
        ["(a)", "(a)(1)", "(a)(2)", "(a)(3)", "(b)"],
    ),
    "a list after a dash, with commas": (
        ("(a) One.", "(b) Two shall—(1) go, (2) run, and (3) stay.", "(c) Three."),
        ["(a)", "(b)", "(b)(1)", "(b)(2)", "(b)(3)", "(c)"],
    ),
    "a list in a list": (
        ("(a) One.", "(1) It means: (i) any of: (A) this; or (B) that; and (ii) all.", "(2) Two."),
        ["(a)", "(a)(1)", "(a)(1)(i)", "(a)(1)(i)(A)", "(a)(1)(i)(B)", "(a)(1)(ii)", "(a)(2)"],
    ),
    "lists that begin in one text and go on in the next": (
        ("(a) One.", "(1) It means: (i) Any of these: (A) this; or", "(B) that; and", "(ii) all.", "(2) Two."),
        ["(a)", "(a)(1)", "(a)(1)(i)", "(a)(1)(i)(A)", "(a)(1)(i)(B)", "(a)(1)(ii)", "(a)(2)"],
    ),
    "roman one in the text of (h)": (
        ("(g) One.", "(h) Two: (i) this; (ii) that.", "(i) Three.", "(j) Four."),
        ["(g)", "(h)", "(h)(i)", "(h)(ii)", "(i)", "(j)"],
    ),
    "a list whose paragraphs follow": (
        ("(a) Show: (1) the form; and (2) the fee.", "(1) The form is blue.", "(2) The fee is ten.", "(b) Two."),
        ["(a)", "(a)(1)", "(a)(2)", "(b)"],
    ),
    "a list with no place": (("(a) One.", "(1) Two.", "(i) Of: (1) this; and (2) that."), ["(a)", "(a)(1)", "(a)(1)(i)"]),
    "a list of one": (("(a) One may: (1) go or stay.", "(b) Two."), ["(a)", "(b)"]),
    "a list in a remark": (("(a) One. (Not if made: (1) by her; or (2) by him.)", "(b) Two."), ["(a)", "(b)"]),
    "references in a list": (
        (
            "(a) As in paragraphs (a)(1) and (2): see (1) and (2) above, or (1), (2), and (3) of the form.",
            "(b) Two: (1) or (2).",
        ),
        ["(a)", "(b)"],
    ),
    "places in a formula": (("(a) By: (1) plus (2), or (3) less (1).", "(b) Two."), ["(a)", "(b)"]),
    "a list in running text that goes on": (
        ("(a) One may: (1) go; or (2) stay; or", "(3) Run.", "(b) Two."),
        ["(a)", "(a)(1)", "(a)(2)", "(a)(3)", "(b)"],
    ),
    "words in brackets": (("(Approved by no one)", "(a) One.", "(the) Two."), ["(a)"]),
    "a gap": (("(a) One.", "(c) Two.", "(d) Three."), ["(a)", "(c)", "(d)"]),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_levels(name: str) -> None:
    paragraphs, expected = TROUBLES[name]
    assert paths(*paragraphs) == expected


def test_definitions_open_places_of_their_own() -> None:
    found = paths(
        "In this part:",
        "<I>Buoy</I> means a float:",
        "(1) Of wood; or",
        "(2) Of iron.",
        "It may be painted.",
        "<I>Chain, rope</I> or <I>cable</I> includes wire.",
        "“Dock” means a quay.",
        head="Definitions.",
    )
    assert found == [' "Buoy"', ' "Buoy"(1)', ' "Buoy"(2)', ' "Chain, rope"', ' "Dock"']


def test_a_continuing_paragraph_stands_above_the_list_before_it() -> None:
    document = read(
        '<DIV8 N="1.1"><HEAD>§ 1.1 T.</HEAD><P>(a) One:</P><P>(1) Two.</P><P>These count.</P>'
        "<P>(b) See:</P><FP>Here.</FP><P>(c) End.</P></DIV8>"
    )
    owner = {document.slice(1, b.start, b.end).decode(): b.node_id for b in document.partition}
    assert owner["These count."] == "99 CFR 1.1(a)"
    assert owner["Here."] == "99 CFR 1.1(b)"


META = "hierarchy_metadata='{&amp;quot;path&amp;quot;:&amp;quot;/on/D/title-21/%s&amp;quot;}'"

ROOTS = {
    '<DIV6 N="B" %s><HEAD>Subpart B—X</HEAD></DIV6>' % (META % "part-211/subpart-B"): "21 CFR Part 211 Subpart B",
    '<DIV4 N="C" %s><HEAD>SUBCHAPTER C—X</HEAD></DIV4>' % (META % "chapter-I/subchapter-C"): "21 CFR Chapter I Subchapter C",
    '<DIV9 N="Appendix A to Subpart B of Part 9"><HEAD>A</HEAD></DIV9>': "99 CFR Part 9 Subpart B Appendix A",
    '<DIV9 N="Table 1 to Subpart JJJJ of Part 60"><HEAD>A</HEAD></DIV9>': "99 CFR Part 60 Subpart JJJJ Table 1",
    '<DIV8 N="§§ 1.1–1.3"><HEAD>§§ 1.1–1.3 [Reserved]</HEAD></DIV8>': "99 CFR 1.1-1.3",
    '<DIV8 N="1.401(k)-1"><HEAD>§ 1.401(k)-1 Plans.</HEAD></DIV8>': "99 CFR 1.401(k)-1",
    "<DIV8><HEAD>§ 7.2 Without a number.</HEAD></DIV8>": "99 CFR 7.2",
    '<DIV5 N="23–49"><HEAD>PARTS 23–49 [RESERVED]</HEAD></DIV5>': "99 CFR Part 23-49",
}


@pytest.mark.parametrize("data", ROOTS)
def test_divisions_are_cited_as_a_lawyer_would(data: str) -> None:
    assert read(data).nodes[0].node_id == ROOTS[data]


def test_an_appendix_of_a_chapter() -> None:
    document = read('<DIV3 N="I"><HEAD>CHAPTER I—X</HEAD><DIV9 N="Appendix A to Chapter I"><HEAD>A</HEAD></DIV9></DIV3>')
    assert [node.node_id for node in document.nodes] == ["99 CFR Chapter I", "99 CFR Chapter I Appendix A"]


def test_numbers_with_a_full_stop_in_an_appendix() -> None:
    document = read(
        '<DIV9 N="Appendix A to Part 9"><HEAD>Appendix A</HEAD><P>I. One.</P><P>A. Two.</P><P>1. Three.</P>'
        "<P>2. Four.</P><P>B. Five.</P><P>II. Six.</P></DIV9>"
    )
    found = [node.node_id.removeprefix("99 CFR Part 9 Appendix A") for node in document.nodes[1:]]
    assert found == [" I", " I.A", " I.A.1", " I.A.2", " I.B", " II"]


def test_two_documents_of_one_issue_of_the_federal_register() -> None:
    rule = "<RULE><PREAMB><SUBJECT>{0}</SUBJECT></PREAMB><FRDOC>[FR Doc. 2026-{0} Filed]</FRDOC></RULE>"
    document = read(f"<RULES>{rule.format('00001')}{rule.format('00002')}</RULES>")
    assert [node.node_id for node in document.nodes] == ["FR Doc. 2026-00001", "FR Doc. 2026-00002"]


def test_a_chapter_below_a_subtitle_is_cited_without_it_for_chapters_are_numbered_through_the_title():
    document = read(
        '<DIV1 N="99" TYPE="TITLE"><HEAD>Title 99—X</HEAD><DIV2 N="B" TYPE="SUBTITLE"><HEAD>Subtitle B—X</HEAD>'
        '<DIV3 N="IX" TYPE="CHAPTER"><HEAD>CHAPTER IX—X</HEAD><DIV4 N="A" TYPE="SUBCHAP"><HEAD>SUBCHAPTER A—X</HEAD>'
        "</DIV4></DIV3></DIV2></DIV1>"
    )
    assert [node.node_id for node in document.nodes] == [
        "Title 99",
        "99 CFR Subtitle B",
        "99 CFR Chapter IX",
        "99 CFR Chapter IX Subchapter A",
    ]
