"""What holds for every text: offsets, order, fidelity; and that no text takes long."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.model import Mention, Place
from pincite.references import find

HERE = Place("21 CFR 911.22(b)(2)", ("21 CFR Part 911", "21 CFR Part 911 Subpart B", "21 CFR 911.22"))
_PIECES = """§ §§ (a) (1) (iv) (B) (aa) 911.22 1.401(k)-1 505 360ddd-1 21 CFR C.F.R. U.S.C. USC of this the part parts subpart
section sections sec. paragraph chapter title appendix A F IX act Act Clean Water Code , ; and or to through - – — et seq. note
Pub. L. 104-191 110 Stat. FR 45077 E.O. 10530 Executive Order Fed. Reg. App. Comp. p. 9 ( ) [Reserved] é 𝔸 United States
S5 S5.1 571.208 standard Standard No. 209 IRC Code tit. thereof
that such subsection clause division A title II (see) Internal Revenue"""
PIECES = st.sampled_from([*_PIECES.split(), " ", "  ", "\n", "\u00a0", "( i)", "of title", "of this section", "U.S. Code"])
TEXTS = st.one_of(
    st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join), st.lists(PIECES, max_size=40).map(" ".join)
)


def marked(text: str, mentions: list[Mention]) -> str:
    """The text with marks spliced in around each mention, last first, so that offsets stay true."""
    for mention in reversed(mentions):
        text = text[: mention.start] + "\x02" + text[mention.start : mention.end] + "\x03" + text[mention.end :]
    return text


@given(TEXTS, st.sampled_from([HERE, *map(Place, ("", "36 CFR Part 800 Appendix A(c)", "49 CFR 571.208 S4.1(a)", "nonsense"))]))
def test_spans_are_ordered_apart_and_exact(text, place):
    mentions = find(text, place)
    for mention in mentions:
        assert 0 <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.text
        assert mention.status in ("unresolved", "unsupported")
        assert mention.target_node_id or mention.reason
        assert not (mention.status == "unsupported" and mention.target_node_id)
    for before, after in pairwise(mentions):
        assert before.end <= after.start


@given(TEXTS.filter(lambda text: "\x02" not in text and "\x03" not in text))
def test_marking_changes_no_character(text):
    assert marked(text, find(text, HERE)).replace("\x02", "").replace("\x03", "") == text


@given(TEXTS)
def test_the_same_text_reads_the_same_twice(text):
    assert find(text, HERE) == find(text, HERE)


HOSTILE = {
    "brackets": "(",
    "closed brackets": "()",
    "signs": "§",
    "numbers": "1.1.",
    "sections": "section ",
    "sections of": "section 1 of the ",
    "capitals": "section 1 of the Aa Bb ",
    "paragraphs": "paragraph (a)",
    "designators": "(a)",
    "dashes": "§ 1.1-1",
    "list": "§ 1.1, ",
    "list of designators": "(a), ",
    "of this": "of this section ",
    "bare": "(a) of this section",
    "titles": "21 CFR ",
    "codes": "21 U.S.C. 1, ",
    "wide": "section" + " " * 40,
    "spaces": " ",
    "lines": "\n",
    "chain": "part 1 of part 2 of ",
    "act": "Act (",
    "act means": "Act means the Aa Bb ",
    "and": "and ",
    "acts": "Aa of the Act of ",
    "letters": "a",
    "capital": "A",
    "digits": "1",
    "dots": "U.S. ",
    "parts": "part 1, subpart A, ",
    "laws": "Pub. L. 1-1, ",
    "pages": "1 FR 1, 1, ",
    "words": "section 402, ",
    "bare parts": "part 4, ",
    "numbered": "subpart 15.4, ",
    "asides": "§§ 911.13 (a b), ",
    "exceptions": "§ 1.1(a) (except (a)(1)), (b), ",
    "semicolons": "paragraphs (a); (b); ",
    "terms": "paragraph (a) of the definition of a ",
    "tables": "Table 1 to subpart A of part 1, ",
    "clauses": "paragraph (a) of the clause at 1.1 ",
    "aside lists": "(a) (b c), ",
    "standards": "S5.1, ",
    "standards after": "49 CFR 571.908 S5 ",
    "levels": "subsection (a) of section 5 ",
    "that section": "paragraph (a) of that section ",
    "thereof": "section 5 thereof ",
    "revenue": "Internal Revenue Code (the ",
    "revenue code": "IRC 61, ",
    "short": "App. A to ",
    "state codes": "Cal. Code, tit. 13, § 1.1 ",
    "divisions": "section 5 of division A of ",
    "inside": "part 9 of this chapter, ",
    "appendices": "appendix A to § 1.1 ",
}
LEADS = (
    *(
        "§§ 1.1",
        "§ 1.1,",
        "§ 1.1 of",
        "paragraphs (a)",
        "paragraph (a) of this",
        "paragraph (a) of § 1.1",
        "21 U.S.C. 1",
        "21 U.S.C.",
    ),
    *(
        "section 1 of the ",
        "section 1 of title",
        "section 1, ",
        "21 CFR part 1",
        "21 CFR",
        "part 1",
        "part 1 of",
        "subpart A of part 1,",
    ),
    *("Act means ", "Aa Act (", "Pub. L. 1-1", "1 Stat. 1", "1 FR 1", "E.O. 1053", "title 21", "this section", "section"),
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_of_anything_is_read_in_time(name):
    piece = HOSTILE[name]
    size = 1_000_000 if name in ("brackets", "signs", "numbers", "sections", "list") else 300_000
    text = piece * (size // len(piece))
    start = time.process_time()
    find(text, HERE)
    assert time.process_time() - start < 10  # a megabyte that is nothing but references takes one or two seconds


@pytest.mark.parametrize("lead", LEADS)
def test_a_reference_that_never_ends_is_read_in_time(lead):
    start = time.process_time()
    for piece in HOSTILE.values():
        find(lead + piece * (30_000 // len(piece)), HERE)
    assert time.process_time() - start < 10  # quadratic work on 30 kB would take a minute


def test_time_grows_with_the_text_and_no_faster():
    def seconds(size: int) -> float:
        text = "§ 1.1(a), section 1 of the Aa Act (secs. 5), (b) of this section, paragraph (a) " * size
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            find(text, HERE)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(4000) < 10 * seconds(1000)
