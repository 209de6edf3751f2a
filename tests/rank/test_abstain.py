"""The calibrated abstainer: its guarantee on data it has not seen, and what it refuses."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pincite.errors import PinciteError, UsageError
from pincite.rank.abstain import auroc, decide, describe, fit, load, save, statement
from pincite.rank.answerable import form


def sample(count: int, seed: int, shift: float = 1.5) -> tuple[list[dict[str, float]], list[bool]]:
    draw = random.Random(seed)
    labels = [draw.random() < 0.6 for _ in range(count)]
    return [{"top": draw.gauss(shift * label, 1), "noise": draw.gauss(0, 1)} for label in labels], labels


def test_at_most_the_level_of_answerable_queries_is_turned_away_on_average() -> None:
    shares = []
    for seed in range(20):
        calibration = fit(*sample(200, seed), level=0.1)
        rows, labels = sample(400, 1000 + seed)
        turned = [decide(calibration, row).abstain for row, label in zip(rows, labels) if label]
        shares.append(sum(turned) / len(turned))
    assert 0.05 < sum(shares) / len(shares) <= 0.115


def test_it_tells_answerable_from_unanswerable_and_says_how_often_it_was_wrong() -> None:
    rows, labels = sample(300, 1, shift=3)
    calibration = fit(rows, labels, source="an invented set")
    assert calibration.auroc > 0.95
    assert f"{calibration.let_through} (" in statement(calibration)
    wrong = sum(not decide(calibration, row).abstain for row, label in zip(rows, labels) if not label)
    assert wrong / labels.count(False) < 0.4


def test_useless_features_do_not_pretend() -> None:
    rows, labels = sample(200, 5, shift=0)
    calibration = fit(rows, labels, level=0.05)
    assert calibration.let_through / calibration.unanswerable > 0.75
    assert calibration.turned_away <= 0.05 * (calibration.answerable + 1)


def test_groups_stay_together_and_a_class_that_is_too_small_is_refused() -> None:
    rows, labels = sample(40, 3)
    fit(rows, labels, groups=[str(at // 4) for at in range(40)])
    with pytest.raises(UsageError, match="at least 5"):
        fit(rows, [True] * 40)
    with pytest.raises(UsageError, match="level"):
        fit(rows, labels, level=1.5)


def test_a_calibration_is_sealed(tmp_path: Path) -> None:
    calibration = fit(*sample(60, 2))
    path = tmp_path / "c.json"
    save(calibration, path)
    assert load(path) == calibration
    path.write_text(path.read_text().replace('"level": 0.05', '"level": 0.06'))
    with pytest.raises(UsageError, match="changed"):
        load(path)
    path.write_text("{}")
    with pytest.raises(UsageError, match="no calibration"):
        load(path)
    with pytest.raises(PinciteError, match="cannot be read"):
        load(tmp_path / "absent")


def test_auroc_by_hand() -> None:
    assert auroc([0.1, 0.4, 0.35, 0.8], [False, False, True, True]) == 0.75
    assert auroc([1.0, 1.0], [True, False]) == 0.5


def test_a_distribution_is_described_whole() -> None:
    found = describe({"x": [3.0, 1.0, 1.0, 1.0, 1.0]})
    assert (found["x_top"], found["x_gap"]) == (3.0, 2.0)
    assert found["x_lead"] == pytest.approx(3 - 7 / 5)
    assert describe({"x": []})["x_top"] == 0.0


def test_the_form_of_a_question_against_the_passage() -> None:
    assert form("How long may it last?", ["It lasts 30 days."])["time_absent"] == 0.0
    assert form("How long may it last?", ["It lasts as prescribed."])["time_absent"] == 1.0
    assert form("Does the Act specify the exact fee?", ["A fee as prescribed is due."])["detail_deferred"] == 1.0
