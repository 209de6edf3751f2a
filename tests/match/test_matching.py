"""What a reader gets: every law and element, the neighbours' exact quotes, holdings as they were, or an honest nothing."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from pincite.match.matching import match, matcher, to_json, to_text
from pincite.match.search import MatchIndex

_spec = importlib.util.spec_from_file_location("match_toy", Path(__file__).parent / "toy.py")
toy = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(toy)

BIDS = (
    "Four paving firms took turns to bid on school repairs. "
    "The one whose turn it was told the others what it would bid, and they bid more."
)


@pytest.fixture(scope="module")
def ready():
    return matcher(MatchIndex(toy.fixture(), toy.HashEmbedder()))


def test_every_law_and_element_is_listed_with_quotes_that_slice_back(ready):
    found = match(BIDS, ready)
    snapshot = ready.facts.snapshot
    assert {law.law_id for law in found.laws} == {law.law_id for law in snapshot.laws}
    assert {element.element_id for law in found.laws for element in law.elements} == {e.element_id for e in snapshot.elements}
    assert [law.score for law in found.laws] == sorted((law.score for law in found.laws), reverse=True)
    supports = [support for law in found.laws for element in law.elements for support in element.supports]
    assert supports
    for support in supports:
        text = snapshot.texts[support.case_id]
        assert text[support.start : support.end] == support.quote
        assert support.invented
        assert 0 <= support.chunk < len(found.chunks)
    for piece in found.chunks:
        assert BIDS[piece.start : piece.end].strip()


def test_opposing_and_unreached_holdings_stay_labelled(ready):
    """Each quote carries the holding of its own annotation, also where it speaks against the element."""
    snapshot = ready.facts.snapshot
    held = {(i.case_id, i.element_id, fact, i.variant_id): i.holding for i in snapshot.instances for fact in i.fact_ids}
    seen = set()
    for text in (snapshot.texts["inv-flour"], snapshot.texts["inv-heating-oil"], snapshot.texts["inv-hidden-lineup"]):
        for law in match(text, ready).laws:
            for element in law.elements:
                for support in element.supports:
                    key = (support.case_id, element.element_id, support.fact_id, support.variant_id)
                    assert support.holding == held[key]
                    seen.add(support.holding)
    assert seen == {"satisfied", "not_satisfied", "not_reached"}


def test_nothing_here_matches_is_said_with_how_far_to_trust_it():
    by_words = matcher(MatchIndex(toy.fixture(), None), alpha=0.2)
    found = match("Whisk two eggs, fold in flour and sugar, bake until golden, let cool.", by_words, "bm25")
    assert found.status == "abstained"
    text = to_text(found)
    assert text.startswith("nothing here matches")
    assert "U.S.C." not in text
    assert "turned away when left out" in text


def test_the_answer_for_programs_is_plain_json_and_calls_no_score_a_probability(ready):
    plain = json.loads(json.dumps(to_json(match(BIDS, ready)), ensure_ascii=False))
    assert plain["status"] == "matched"
    assert "guarantee" in plain["calibration"]
    assert plain["laws"][0]["elements"][0]["supports"][0]["source_sha256"]
    assert "probab" not in json.dumps([law["elements"] for law in plain["laws"]]).lower()
    text = to_text(match(BIDS, ready))
    assert "none is a probability" in text
    assert "compared with whole cases, the order is 15 U.S.C. § 1" in text


def test_a_long_case_is_cut_and_the_chunk_that_found_a_fact_is_named(ready):
    filler = "The parties stipulated to the exhibits and the hearing was adjourned. " * 40
    found = match(filler + BIDS, ready)
    assert len(found.chunks) >= 2
    supports = {s.fact_id: s for law in found.laws for element in law.elements for s in element.supports}
    assert found.chunks[supports["inv-roofing/a"].chunk].end == len(filler + BIDS)


def test_the_best_opposing_case_is_told_however_many_agree(ready):
    texts = ready.facts.snapshot.texts
    seen = 0
    for text in (texts["inv-flour"], texts["inv-heating-oil"], texts["inv-roofing"]):
        found = match(text, ready)
        told = to_text(found)
        for element in [element for law in found.laws for element in law.elements]:
            holdings = [support.holding for support in element.supports]
            assert len(holdings[3:]) == len(set(holdings[3:]) - set(holdings[:3]))
            other = next((each for each in element.supports if each.holding != holdings[0]), None)
            if other is not None and found.status == "matched":
                assert f"{other.holding.replace('_', ' ')} in {other.case} " in told
                seen += 1
    assert seen


def test_the_words_of_a_long_case_that_led_to_a_neighbour_are_named(ready):
    case = "The parties stipulated to the exhibits and the hearing was adjourned. " * 40 + BIDS
    found = match(case, ready)
    assert found.status == "matched"
    best = found.laws[0].elements[0].supports[0]
    piece = found.chunks[best.chunk]
    told = to_text(found, case)
    assert f"like characters {piece.start} to {piece.end} of the case: “{' '.join(case[piece.start :].split()[:12])} …”" in told
    assert "of the case" not in to_text(match(BIDS, ready), BIDS)
