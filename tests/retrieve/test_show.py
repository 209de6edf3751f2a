from __future__ import annotations

import pytest

from pincite.errors import UsageError
from pincite.retrieve import Corpus
from pincite.retrieve.show import show
from pincite.retrieve.wire import shown_text


def test_a_paragraph_with_its_context(corpus: Corpus) -> None:
    (shown,) = show("21 CFR 901.42(b)", corpus)
    assert shown.text == "Adequate space prevents mixups. See §§ 900.3 through 901.22."
    assert shown.path == ("21 CFR Part 901", "21 CFR 901.42")
    assert shown.children == ()
    assert [edge.mention for edge in shown.outgoing] == ["§§ 900.3 through 901.22"]


def test_a_section_holds_its_paragraphs(corpus: Corpus) -> None:
    (shown,) = show("21 CFR 901.42", corpus)
    assert shown.children == ("21 CFR 901.42(a)", "21 CFR 901.42(b)")
    assert shown.text.startswith("Buildings shall")
    assert shown.text.endswith("through 901.22.")


def test_what_cites_it(corpus: Corpus) -> None:
    (shown,) = show("21 CFR 900.3", corpus)
    assert [edge.source_node_id for edge in shown.incoming] == ["21 CFR 901.3", "21 CFR 901.42(b)"]
    text = shown_text(shown)
    assert "cited by:\n    21 CFR 901.3 (“§ 900.3 of this chapter”, resolved)" in text


def test_a_reference_that_leads_outside_is_shown_as_such(corpus: Corpus) -> None:
    (shown,) = show("21 CFR 901.180", corpus)
    assert "21 CFR 820.30 (“21 CFR 820.30”, out_of_corpus)" in shown_text(shown)


@pytest.mark.parametrize("citation", ["21 cfr 901.42 (a)", "§ 901.42(a)", " 901.42(a) ", "21 CFR  901.42(a)"])
def test_loose_spellings(corpus: Corpus, citation: str) -> None:
    assert show(citation, corpus)[0].node_id == "21 CFR 901.42(a)"


def test_what_is_not_there(corpus: Corpus) -> None:
    with pytest.raises(UsageError, match=r"no '21 CFR 901.43'; the nearest are 21 CFR 901"):
        show("21 CFR 901.43", corpus)
    with pytest.raises(UsageError, match="pincite export nodes"):
        show("☃", corpus)


def test_a_bare_number_and_a_number_in_a_reserved_range(corpus: Corpus) -> None:
    (_, first), *_ = corpus.all_nodes
    named = [
        first._replace(node_id=name, reserved="-" in name) for name in ("DMG 77161", "DMG 77162-77169", "Memo A 1/2 para 5")
    ]
    manual = Corpus(list(corpus.passages.values()), [("doc", node) for node in named], [], list(corpus.origins.values()))
    assert show("77161", manual)[0].node_id == "DMG 77161"
    assert show("DMG 77164", manual)[0].node_id == show("77164", manual)[0].node_id == "DMG 77162-77169"
    with pytest.raises(UsageError):
        show("5", manual)
    with pytest.raises(UsageError):
        show("DMG 77170", manual)


def test_the_way_to_a_place_is_said_once_and_a_mention_on_one_line(corpus: Corpus) -> None:
    (shown,) = show("21 CFR 901.42(b)", corpus)
    path = ("DMG Chapter 77", "DMG Chapter 77: Entitlement", "DMG Chapter 77: Couple (2)")
    edge = shown.outgoing[0]._replace(mention="DMG 77162 -\n77164")
    text = shown_text(shown._replace(path=path, outgoing=(edge,)))
    assert "in DMG Chapter 77 > Entitlement > Couple (2) (" in text
    assert "(“DMG 77162 - 77164”, " in text


@pytest.mark.parametrize("name", ["Bylaws", "notes/by laws.docx", "BY LAWS.DOCX", "by laws"])
def test_a_document_of_a_teams_own_by_its_title_or_its_file(corpus: Corpus, name: str) -> None:
    root = corpus.all_nodes[0][1]._replace(node_id="notes-by-laws", parent_id=None, kind="document", heading="Bylaws")
    origin = corpus.origins["doc"]._replace(title="by laws", path="notes/by laws.docx")
    held = Corpus(list(corpus.passages.values()), [("doc", root)], [], [origin])
    assert show(name, held)[0].node_id == "notes-by-laws"
    twice = [("doc", root), ("other", root._replace(node_id="other"))]
    with pytest.raises(UsageError):
        show(name, Corpus((), twice, [], [origin, origin._replace(document_id="other")]))
