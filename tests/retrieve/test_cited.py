from __future__ import annotations

import pytest

from pincite.index.local import LocalIndex
from pincite.retrieve import Corpus, answer
from pincite.retrieve.cited import lookup, mentioned


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What does 21 CFR 901.42(b) ask for?", ["21 CFR 901.42(b)"]),
        ("What does 21 cfr 901.42 (b) ask for?", ["21 CFR 901.42(b)"]),
        ("What does 21 C.F.R. § 901.22 ask for?", ["21 CFR 901.22"]),
        ("see § 901.22", ["21 CFR 901.22"]),
        ("901.22 and 901.3", ["21 CFR 901.22", "21 CFR 901.3"]),
        ("under 314.80?", ["21 CFR 314.80"]),
        ("sterility under part 212?", ["21 CFR Part 212"]),
        ("parts 901", ["21 CFR Part 901"]),
        ("formulated at 98.5 percent, or 98.5% of 12.30", []),
        ("what part 2.5 grams play", []),
        ("this section and paragraph (b)", []),
        ("42 U.S.C. 1983", ["42 U.S.C. § 1983"]),
    ],
)
def test_citations_of_a_question(corpus: Corpus, question: str, wanted: list[str]) -> None:
    assert mentioned(question, corpus) == wanted


def test_a_cited_node_comes_first(index: LocalIndex, corpus: Corpus) -> None:
    given = answer("components and closures, batches and buildings under 21 CFR 901.180", index, corpus)
    assert given.passages[0].node_id == "21 CFR 901.180"
    assert given.passages[0].provenance == "named in the question as 21 CFR 901.180"
    assert given.trace.features["cited"] == 1.0


def test_a_cited_section_brings_all_its_paragraphs(index: LocalIndex, corpus: Corpus) -> None:
    given = answer("what does 21 CFR 901.42 say", index, corpus)
    assert [p.node_id for p in given.passages if p.step == "cited"] == ["21 CFR 901.42(a)", "21 CFR 901.42(b)"]


def test_a_citation_the_corpus_does_not_hold_is_answered_by_nothing(index: LocalIndex, corpus: Corpus) -> None:
    given = answer("what does 21 CFR 1271.10 say about components and closures", index, corpus)
    assert given.status == "abstained"
    assert "21 CFR 1271.10, which this corpus does not hold" in given.reason


def test_one_that_a_passage_cites_may_be_asked_about(index: LocalIndex, corpus: Corpus) -> None:
    named = lookup("records of distribution under 21 CFR 820.30", corpus)
    assert named.outside == named.discussed == ("21 CFR 820.30",)
    given = answer("records of distribution after the expiry date, see 21 CFR 820.30", index, corpus)
    assert given.passages[0].node_id == "21 CFR 901.180"


def test_a_part_that_is_named_selects_no_passage(index: LocalIndex, corpus: Corpus) -> None:
    named = lookup("buildings in part 901", corpus)
    assert (named.passages, named.containers) == ((), ("21 CFR Part 901",))


def test_a_question_of_a_citation_alone_is_not_searched_for(index: LocalIndex, corpus: Corpus) -> None:
    given = answer("What does 21 CFR 901.22 require?", index, corpus)
    assert [p.node_id for p in given.passages] == ["21 CFR 901.22"]
    assert given.trace.candidates == ()


def test_what_is_left_beside_a_citation_is_searched_for(index: LocalIndex, corpus: Corpus) -> None:
    given = answer("Does 21 CFR 901.22 say anything on buildings of suitable size?", index, corpus)
    assert [p.node_id for p in given.passages][:2] == ["21 CFR 901.22", "21 CFR 901.42(a)"]


def test_citations_are_cut_out_of_what_is_searched(corpus: Corpus) -> None:
    assert lookup("may 21 cfr 901.22 (a) and 901.3 differ", corpus).rest.split() == ["may", "and", "differ"]
