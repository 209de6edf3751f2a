"""The trees give what LightGBM gives, missing values included, and a changed file is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import IndexFault
from pincite.rank.rerank import load_reranker, save_reranker


def test_the_trees_are_lightgbms(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    import numpy as np

    rng = np.random.default_rng(7)
    rows = rng.normal(size=(400, 5)).astype(np.float32)
    rows[rng.random(rows.shape) < 0.2] = np.nan
    rows[:, 4] = np.nan_to_num(rows[:, 4])  # a column that never lacks a value in training
    labels = (np.nan_to_num(rows[:, 0]) + np.isnan(rows[:, 1]) > 0.5).astype(int)
    names = ["a", "b", "c", "d", "e"]
    data = lightgbm.Dataset(rows, labels, group=[20] * 20, feature_name=names)
    model = lightgbm.train({"objective": "lambdarank", "verbose": -1, "min_data_in_leaf": 5, "num_threads": 1}, data, 12)
    save_reranker(model.dump_model(), {"invented": "0"}, tmp_path / "w.json")
    ours = load_reranker(tmp_path / "w.json")
    assert ours is not None
    fresh = rng.normal(size=(100, 5)).astype(np.float32)
    fresh[rng.random(fresh.shape) < 0.3] = np.nan
    assert ours.score(fresh, names) == pytest.approx(model.predict(fresh), abs=1e-4)
    assert ours.score(fresh[:, ::-1], names[::-1]) == pytest.approx(model.predict(fresh), abs=1e-4)
    without = np.column_stack([np.full(100, np.nan), fresh[:, 1:]])
    assert ours.score(fresh[:, 1:], names[1:]) == pytest.approx(model.predict(without), abs=1e-4)


def test_changed_weights_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    tree = {"split_feature": 0, "threshold": 0.5, "default_left": True, "missing_type": "NaN", "left_child": {"leaf_value": 1.0}, "right_child": {"leaf_value": 2.0}}  # fmt: skip # noqa: E501
    save_reranker({"feature_names": ["a"], "tree_info": [{"tree_structure": tree}]}, {}, path)
    assert load_reranker(path) is not None
    path.write_text(path.read_text().replace("2.0", "3.0"))
    with pytest.raises(IndexFault, match="damaged"):
        load_reranker(path)
    assert load_reranker(tmp_path / "absent.json") is None


def test_the_shipped_weights_load_and_say_what_trained_them() -> None:
    shipped = load_reranker()
    assert shipped is not None
    assert "obliqa dev" in shipped.trained_on
    assert not any("test" in name for name in shipped.trained_on)
