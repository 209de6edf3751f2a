"""References inside the United States Code are completed by where they stand; outside it, nothing changes."""

from __future__ import annotations

import pytest

from pincite.model import Place
from pincite.references.federal import mentions

HERE = "42 U.S.C. § 1983(b)(2)(A)"


def targets(text: str, node_id: str = HERE, *context: str) -> list[str | None]:
    return [found.target_node_id for found in mentions(text, Place(node_id, context), {})]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("as section 1985 of this title says", ["42 U.S.C. § 1985"]),
        ("under sections 1981, 1982(a), and 1985 to 1988 of this title",
         ["42 U.S.C. § 1981", "42 U.S.C. § 1982(a)", "42 U.S.C. § 1985"]),
        ("section 300aa–1(b) of this title", ["42 U.S.C. § 300aa-1(b)"]),
        ("section 552a of title 5", ["5 U.S.C. § 552a"]),
        ("for this section", ["42 U.S.C. § 1983"]),
        ("under subsection (a)", ["42 U.S.C. § 1983(a)"]),
        ("under subsections (a) and (c)(1)", ["42 U.S.C. § 1983(a)", "42 U.S.C. § 1983(c)(1)"]),
        ("paragraph (1) does not apply", ["42 U.S.C. § 1983(b)(1)"]),
        ("subparagraph (B) applies", ["42 U.S.C. § 1983(b)(2)(B)"]),
        ("clause (ii) applies", ["42 U.S.C. § 1983(b)(2)(A)(ii)"]),
        ("paragraph (3) of subsection (c)", ["42 U.S.C. § 1983(c)(3)"]),
        ("paragraph (3) of this subsection", ["42 U.S.C. § 1983(b)(3)"]),
        ("in this paragraph", ["42 U.S.C. § 1983(b)(2)"]),
        ("in this subsection", ["42 U.S.C. § 1983(b)"]),
        ("paragraph (1) of section 1985(a) of this title", ["42 U.S.C. § 1985(a)(1)"]),
        ("paragraph (1) of section 552a(b) of title 5", ["5 U.S.C. § 552a(b)(1)"]),
        ("in this title", ["42 U.S.C."]),
        ("chapter 21 of this title", ["42 U.S.C. Chapter 21"]),
        ("a paragraph (1) of that Act", []),
        ("of this clause", []),
    ],
)  # fmt: skip
def test_what_the_code_says_of_itself(text: str, expected: list[str]) -> None:
    assert targets(text) == expected


def test_a_note_quotes_other_law() -> None:
    note = "42 U.S.C. § 1983 note"
    assert targets("except as subsection (a) provides", note) == []
    assert targets("for purposes of this section", note) == [None]
    assert targets("amending section 1985 of this title", note) == ["42 U.S.C. § 1985"]


def test_this_chapter_is_the_one_above() -> None:
    assert targets("in this chapter", HERE, "42 U.S.C.", "42 U.S.C. Chapter 21") == ["42 U.S.C. Chapter 21"]


@pytest.mark.parametrize("text", ["subsection (a) applies", "clause (ii) applies", "this subsection"])
def test_outside_the_code_these_words_are_left_alone(text: str) -> None:
    assert targets(text, "21 CFR 211.22(a)") == []
