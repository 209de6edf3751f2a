"""Leave one case out, and the controls: each way of cheating must be caught."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from pincite.errors import CheckFailed, UsageError
from pincite.evaluate import matcher as room
from pincite.evaluate import matcher_report
from pincite.evaluate.matcher import DECISION, check_unlabelled, leave_one_out
from pincite.evaluate.matcher_cases import load as load_cases
from pincite.match.search import MatchIndex
from pincite.match.snapshot import Fact, Instance

_spec = importlib.util.spec_from_file_location("match_toy", Path(__file__).parents[1] / "match/toy.py")
toy = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(toy)


def index_of(snapshot) -> MatchIndex:
    return MatchIndex(snapshot, toy.HashEmbedder())


@pytest.fixture(scope="module")
def report():
    return leave_one_out(index_of(toy.fixture()), "toy")


def share(report, method: str, name: str):
    return next(one for one in report.shares if (one.index_kind, one.name) == (method, name))


def test_denominators_are_counts_of_annotations(report):
    snapshot = toy.fixture()
    cases = {instance.case_id for instance in snapshot.instances}
    pairs = {(instance.case_id, instance.element_id) for instance in snapshot.instances}
    satisfied = {(i.case_id, i.element_id) for i in snapshot.instances if i.holding == "satisfied"}
    variants = {(i.case_id, i.variant_id) for i in snapshot.instances if i.variant_id}
    for method in ("hybrid", "bm25", "vector"):
        assert share(report, method, "law_top_1").denominator == len(cases)
        assert share(report, method, "element_recall_5").denominator == len(pairs)
        assert share(report, method, "element_recall_5_given_law").denominator == len(pairs)
        assert share(report, method, "element_recall_5_satisfied_only").denominator == len(satisfied)
        assert share(report, method, "variant_recall_5").denominator == len(variants)
    assert share(report, DECISION, "law_top_3").denominator == len(cases)
    assert sum(law.cases for law in report.laws) == len(cases)
    assert [(one.kind, one.cases) for one in report.rejections] == [("background", 24)]
    assert report.unseen == 0
    assert ("hybrid", "bm25") in report.tests


def test_an_unseen_label_stays_in_the_denominator_as_a_miss():
    """A law that one case alone has can only be missed by search, and that miss is counted."""
    snapshot = toy.fixture()
    only = "inv-one-tablet"
    drugs = {element.element_id for element in snapshot.elements if element.law_id == "21usc841"}
    instances = tuple(i for i in snapshot.instances if i.element_id not in drugs or i.case_id == only)
    alone = leave_one_out(index_of(snapshot._replace(instances=instances)), "alone")
    cases = {instance.case_id for instance in instances}
    pairs = {(instance.case_id, instance.element_id) for instance in instances}
    assert alone.unseen == 1
    for method in ("hybrid", "bm25", "vector"):
        assert share(alone, method, "law_top_1").denominator == len(cases)
        assert share(alone, method, "element_recall_5").denominator == len(pairs)
        row = next(law for law in alone.laws if law.law_id == "21usc841")
        assert (row.cases, row.first[method], row.first_three[method]) == (1, 0, 0)
    assert any("no other case has" in line for line in matcher_report.lines(alone))


def with_copies(snapshot, *, aliased: bool):
    """Every annotated case twice: a copy in other bytes, named as an alias or, as the control, not."""
    cases, facts, instances, texts = [], [], [], {}
    for case in snapshot.cases:
        name, text = f"{case.case_id}-copy", "Reprinted.\n" + snapshot.texts[case.case_id]
        source = room_hash(text)
        cases.append(case._replace(case_id=name, source_sha256=source, aliases=(case.source_sha256,) if aliased else ()))
        texts[name] = text
    for fact in snapshot.facts:
        name = f"{fact.case_id}-copy"
        source = next(case.source_sha256 for case in cases if case.case_id == name)
        shift = len("Reprinted.\n")
        facts.append(
            Fact(
                f"{fact.fact_id}-copy", name, fact.kind, fact.pointer, fact.start + shift, fact.end + shift, fact.quote, source
            )
        )
    for one in snapshot.instances:
        names = tuple(f"{fact}-copy" for fact in one.fact_ids)
        instances.append(
            Instance(f"{one.instance_id}-copy", f"{one.case_id}-copy", one.element_id, one.variant_id, names, one.holding)
        )
    return snapshot._replace(
        cases=snapshot.cases + tuple(cases),
        facts=snapshot.facts + tuple(facts),
        instances=snapshot.instances + tuple(instances),
        texts={**snapshot.texts, **texts},
    )


def room_hash(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()


def test_an_alias_left_in_would_be_noticed_and_is_taken_out(report):
    """Copies that are named as aliases change nothing but the counts of words; unnamed ones give every law away."""
    snapshot = toy.fixture()
    clean = leave_one_out(index_of(with_copies(snapshot, aliased=True)), "aliased")
    leaking = leave_one_out(index_of(with_copies(snapshot, aliased=False)), "leaking")
    for method in ("hybrid", "bm25", "vector"):
        honest = share(report, method, "law_top_1").value
        assert share(clean, method, "law_top_1").value == pytest.approx(honest, abs=0.1)
        assert share(leaking, method, "law_top_1").value > max(0.85, honest + 0.25)


def test_a_leaked_label_in_what_is_indexed_fails():
    index = index_of(toy.fixture())
    index.quotes[0] = f"Concerted action: {index.quotes[0]}"
    with pytest.raises(CheckFailed, match="not the quote alone"):
        check_unlabelled(index)


@pytest.mark.parametrize(
    "label", ["42 U.S.C. § 1983", "Unlawful employment practices", "Unreasonable\nRestraint", "42usc2000e-2"]
)
def test_a_leaked_label_in_a_text_fails(label: str):
    snapshot = toy.fixture()
    texts = {**snapshot.texts, "inv-barley": snapshot.texts["inv-barley"] + f" This concerns {label}."}
    with pytest.raises(CheckFailed, match="case inv-barley: its text holds the label"):
        leave_one_out(index_of(snapshot._replace(texts=texts)), "leak")


def test_a_rank_counts_ties_and_missing_evidence_against_the_law():
    import numpy as np

    assert room._law_rank(np.array([0.5, 0.5, 0.1]), frozenset({0})) == 2
    assert room._law_rank(np.array([0.5, 0.4, 0.1]), frozenset({0, 2})) == 1
    assert room._law_rank(np.array([0.0, 0.0, 0.0]), frozenset({0})) == 4


ROWS = [
    {
        "id": 1,
        "name": "A v. B",
        "facts": "Officers arrested him under Section 1983 rules.",
        "law": "42usc1983",
        "kind": "pilot",
    },
    {"id": 2, "name": "C v. D", "facts": "Jailers beat a man in a cell.", "law": "42usc1983", "kind": "pilot"},
    {
        "id": 3,
        "name": "E v. F",
        "facts": "The company paid women less, a Title VII claim.",
        "law": "42usc2000e-2",
        "kind": "pilot",
    },
    {"id": 4, "name": "G v. H", "facts": "The employer fired women.", "law": "42usc2000e-2", "kind": "pilot"},
    {"id": 5, "name": "I v. J", "facts": "A ship struck a pier.", "law": None, "kind": "far_negative"},
    {"id": 6, "name": "K v. L", "facts": "A firm fired an old man.", "law": None, "kind": "near_negative"},
]


def test_cases_labelled_with_laws_only_are_evaluated_and_say_so(tmp_path: Path):
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    published, masked = load_cases(path, mask=False), load_cases(path, mask=True)
    assert published.naming == masked.naming == 2
    assert published.snapshot.texts["1"] == ROWS[0]["facts"]
    assert masked.snapshot.texts["1"] == "Officers arrested him under the statute rules."
    assert masked.snapshot.texts["3"] == "The company paid women less, a the statute claim."
    report = leave_one_out(index_of(published.snapshot), "laws only", element_level=False, kinds=published.kinds)
    assert {share.name for share in report.shares} == {"law_top_1", "law_top_3"}
    assert [(one.kind, one.cases) for one in report.rejections] == [("far", 1), ("near", 1)]
    assert all(isinstance(row, dict) for row in matcher_report.rows(report))


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "line 1: this is not JSON"), ('{"id": 1}', "needs id"), ("", "no case has a law"), ("[1]", "needs id")],
)
def test_bad_case_files_are_refused_in_one_sentence(tmp_path: Path, text: str, message: str):
    path = tmp_path / "cases.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        load_cases(path, mask=False)
    with pytest.raises(UsageError, match="cannot be read"):
        load_cases(tmp_path / "none", mask=False)


@pytest.mark.data
def test_real_cases_by_words_and_the_decision_reach_what_was_measured(shared_data: Path):
    """Without a model (hashed vectors): BM25 and the decision's words alone. The floors are far below what is measured."""
    path = shared_data / "benchmarks/us_facts_statutes/cases_terms_to_1999.jsonl"
    cases = load_cases(path, mask=False)
    report = leave_one_out(index_of(cases.snapshot), "real", element_level=False, kinds=cases.kinds)
    assert report.cases == 62
    assert share(report, "bm25", "law_top_1").numerator >= 54
    assert share(report, DECISION, "law_top_1").numerator >= 57
    rejected = {one.kind: one.rejected / one.cases for one in report.rejections}
    assert rejected["far"] >= 0.75
    assert rejected["near"] >= 0.5
    assert report.unseen == 1
