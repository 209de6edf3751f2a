from __future__ import annotations

import pytest

from pincite.evaluate.calibrate import FEATURES, Seen, as_entry, calibrate, cut, fit
from pincite.evaluate.gold import Gold
from pincite.ports import Floor
from pincite.retrieve.abstain import FittedAbstainer

GOLD = Gold("ladders", "2026-01-01", {}, (), "digest")


def seen(values: list[float], in_scope: bool) -> list[Seen]:
    return [Seen(dict.fromkeys(FEATURES["local"], value), in_scope) for value in values]


def test_a_clean_gap_is_found_and_its_middle_is_the_floor() -> None:
    rows = seen([0.8, 0.9, 0.7], True) + seen([0.1, 0.2, 0.3], False)
    fitted = calibrate(rows, "local", "HYBRID", GOLD)
    assert "3 of 3 kept, 3 of 3 rejected" in fitted.floor.calibration
    assert fitted.confidence(rows[2].features) > fitted.floor.value > fitted.confidence(rows[-1].features)


def test_the_fit_matches_scikit_learn() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    rows = seen([0.8, 0.9, 0.35, 0.5], True) + seen([0.1, 0.2, 0.6], False)
    terms, intercept = fit(rows, ["cosine"], ridge=1.0)
    design = StandardScaler().fit_transform([[row.features["cosine"]] for row in rows])
    peer = LogisticRegression(C=1.0, class_weight="balanced", tol=1e-10).fit(design, [row.in_scope for row in rows])
    assert terms[0].weight == pytest.approx(peer.coef_[0][0], rel=1e-4)
    assert intercept == pytest.approx(peer.intercept_[0], abs=1e-4)


def test_the_cut_weighs_both_kinds_of_error_alike() -> None:
    assert cut([0.9, 0.8, 0.2, 0.3], [True, True, False, False]) == pytest.approx(0.55)
    assert cut([0.9, 0.8, 0.7, 0.75], [True, True, True, False]) == pytest.approx(0.775)


def test_one_class_alone_does_not_break_it() -> None:
    fitted = calibrate(seen([0.5, 0.6], True), "local", "HYBRID", GOLD)
    assert "0 of 0 rejected" in fitted.floor.calibration


def test_an_entry_reads_back_to_the_same_decision() -> None:
    fitted = calibrate(seen([0.8, 0.9], True) + seen([0.1, 0.2], False), "local", "HYBRID", GOLD)
    entry = as_entry(fitted)
    terms = [type(fitted.terms[0])(name, *values) for name, values in entry["features"].items()]
    back = FittedAbstainer(terms, entry["intercept"], Floor("local", entry["query_type"], entry["floor"], ""))
    features = dict.fromkeys(FEATURES["local"], 0.4)
    assert back.confidence(features) == pytest.approx(fitted.confidence(features), abs=1e-3)
