"""Measures against hand-computed values, denominators that cannot shrink, and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import UsageError
from pincite.rank import score


def file(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_measures_by_hand_with_a_query_that_has_no_results(tmp_path: Path) -> None:
    judged = score.read_qrels(file(tmp_path, "q", "a 0 x 1\na 0 y 1\nb 0 z 1\nc 0 w 0\n"))
    run = score.read_run(file(tmp_path, "r", "a Q0 x 1 9 t\na Q0 n 2 8 t\na Q0 y 3 7 t\n"))
    values = score.per_query(run, judged)
    assert values["R@10"].tolist() == [1.0, 0.0]
    assert values["AP@10"].tolist() == pytest.approx([(1 + 2 / 3) / 2, 0.0])
    assert values["Both@10"].tolist() == [1.0, 0.0]
    assert values["RR"].tolist() == [1.0, 0.0]
    figures = {figure.measure: figure for figure in score.figures(values)}
    assert figures["R@10"].value == 0.5
    assert figures["R@10"].queries == 2
    assert figures["R@10"].low <= 0.5 <= figures["R@10"].high


def test_equal_scores_have_one_order(tmp_path: Path) -> None:
    judged = score.read_qrels(file(tmp_path, "q", "a 0 x 1\n"))
    one = score.read_run(file(tmp_path, "r", "a Q0 y 1 1 t\na Q0 x 2 1 t\n"))
    other = score.read_run(file(tmp_path, "s", "a Q0 x 1 1 t\na Q0 y 2 1 t\n"))
    assert score.per_query(one, judged)["RR"].tolist() == score.per_query(other, judged)["RR"].tolist() == [1.0]


def test_a_difference_is_paired(tmp_path: Path) -> None:
    judged = score.read_qrels(file(tmp_path, "q", "".join(f"q{n} 0 x 1\n" for n in range(20))))
    good = {f"q{n}": {"x": 2.0, "y": 1.0} for n in range(20)}
    poor = {f"q{n}": {"x": 1.0, "y": 2.0} for n in range(20)}
    found = {d.measure: d for d in score.differences(score.per_query(poor, judged), score.per_query(good, judged))}
    assert found["RR"].value == 0.5
    assert found["RR"].p_value < 0.01
    assert found["R@10"].p_value == 1.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a 0 x\n", "3 fields"),
        ("a 0 x one\n", "whole number"),
        ("a 0 x 0\n", "nothing is judged"),
        ("a 0 x 1\na 0 x 0\n", "judged 1 and 0"),
        ("a 0 nowhere 1\n", "not among"),
    ],
)
def test_bad_judgements(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        score.read_qrels(file(tmp_path, "q", text), known=["x"])


@pytest.mark.parametrize(
    ("text", "says"),
    [("a Q0 x 1 nan t\n", "NaN"), ("a Q0 x 1 9 t\na Q0 x 2 8 t\n", "twice"), ("", "empty"), ("a Q0 x 1 high t\n", "no number")],
)
def test_bad_runs(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        score.read_run(file(tmp_path, "r", text))


def test_binary_data_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="no text"):
        score.read_run(tmp_path / "r")


def test_sets_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    judged = score.read_qrels(file(tmp_path, "q", "a 0 x 1\n"))
    with pytest.raises(UsageError, match="no query in common"):
        score.per_query({"other": {"x": 1.0}}, judged)


def test_abstaining_is_the_positive_class() -> None:
    decisions = {"a": (True, 0.1), "b": (True, 0.2), "c": (False, 0.9), "d": (False, 0.8)}
    report = score.abstention(decisions, {"a": True, "b": False, "c": False, "d": True})
    assert (report.precision, report.recall, report.coverage) == (0.5, 0.5, 0.5)
    assert report.auroc == 0.75
    assert report.curve[-1] == (1.0, 0.5)
    with pytest.raises(UsageError, match="no decision"):
        score.abstention({}, {"a": True})


@pytest.mark.parametrize("name", ["bogus", "R@", "R@x", "R@0", "R@-1", "Both@0", "P(rel="])
def test_a_measure_that_is_none_is_refused_before_anything_is_measured(tmp_path: Path, name: str) -> None:
    judged = score.read_qrels(file(tmp_path, "q", "a 0 x 1\n"))
    with pytest.raises(UsageError, match="there is no measure"):
        score.per_query({"a": {"x": 1.0}}, judged, ["RR", name])
