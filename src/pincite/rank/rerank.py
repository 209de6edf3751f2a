"""The learned re-ranker: boosted trees kept as small JSON and evaluated with numpy; only training needs LightGBM."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pincite.errors import IndexFault
from pincite.model import sha256_hex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WEIGHTS = "reranker.json"
_FORMAT = 1


class Reranker(NamedTuple):
    """Trees as arrays over all nodes. A node below 0 in ``left`` or ``right`` is the leaf ``~node`` of ``values``."""

    names: tuple[str, ...]
    roots: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    missing_left: NDArray[np.bool_]  # where a value is NaN
    values: Floats
    depth: int
    trained_on: Mapping[str, str]  # name of a data set -> SHA-256 of what was read

    def score(self, rows: Floats, names: Sequence[str]) -> Floats:
        """One score per row; columns are matched by name, a missing one counts as NaN."""
        import numpy as np

        place = {name: at for at, name in enumerate(names)}
        padded = np.column_stack([rows, np.full(len(rows), np.nan, dtype=np.float32)])
        table = padded[:, np.array([place.get(name, rows.shape[1]) for name in self.names], dtype=np.int64)]
        node = np.repeat(self.roots[None, :], len(rows), axis=0)
        across = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            inside = np.maximum(node, 0)
            value = table[across, self.feature[inside]]
            go_left = np.where(np.isnan(value), self.missing_left[inside], value <= self.threshold[inside])
            node = np.where(node < 0, node, np.where(go_left, self.left[inside], self.right[inside]))
        total: Floats = self.values[~node].sum(axis=1, dtype=np.float32)
        return total


def load_reranker(path: Path | None = None) -> Reranker | None:
    """The committed weights, or those at *path*; None where none are shipped; ``IndexFault`` where they were changed."""
    import numpy as np

    source = path or (resources.files("pincite.rank") / "weights" / WEIGHTS)
    if not source.is_file():
        return None
    try:
        read = json.loads(source.read_text(encoding="utf-8"))
        body = read["model"]
        if read["format"] != _FORMAT or read["sha256"] != _seal(body):
            raise ValueError("its hash does not fit")
        integers = {key: np.array(body[key], dtype=np.int64) for key in ("roots", "feature", "left", "right")}
        return Reranker(
            tuple(body["names"]),
            integers["roots"],
            integers["feature"],
            np.array(body["threshold"], dtype=np.float64),
            integers["left"],
            integers["right"],
            np.array(body["missing_left"], dtype=bool),
            np.array(body["values"], dtype=np.float32),
            int(body["depth"]),
            dict(body["trained_on"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise IndexFault(
            f"the re-ranker's weights are damaged ({error})", where=str(source), next="restore them, or make train"
        ) from error


def save_reranker(dump: Mapping[str, Any], trained_on: Mapping[str, str], path: Path) -> None:
    """Write LightGBM's ``dump_model()`` as our JSON, sealed, with the hashes of what trained it."""
    body = _flatten(dump)
    body["trained_on"] = dict(sorted(trained_on.items()))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"format": _FORMAT, "model": body, "sha256": _seal(body)}, separators=(",", ":")) + "\n")


def _seal(body: Mapping[str, Any]) -> str:
    return sha256_hex(json.dumps(body, sort_keys=True, separators=(",", ":")).encode())


def _flatten(dump: Mapping[str, Any]) -> dict[str, Any]:
    columns: dict[str, list[Any]] = {
        key: [] for key in ("roots", "feature", "threshold", "left", "right", "missing_left", "values")
    }
    depth = 0
    for tree in dump["tree_info"]:
        root, deep = _grow(tree["tree_structure"], columns)
        columns["roots"].append(root)
        depth = max(depth, deep)
    return {"names": list(dump["feature_names"]), "depth": depth, **columns}


def _grow(node: Mapping[str, Any], columns: dict[str, list[Any]]) -> tuple[int, int]:
    """Add a subtree; (its node, or ``~leaf``, and how deep it goes)."""
    if "leaf_value" in node:
        columns["values"].append(float(f"{node['leaf_value']:.6g}"))
        return ~(len(columns["values"]) - 1), 0
    at = len(columns["feature"])
    columns["feature"].append(int(node["split_feature"]))
    columns["threshold"].append(float(f"{node['threshold']:.9g}"))
    # LightGBM reads a missing value as zero in a node whose training rows had none.
    missing_left = node["default_left"] if node["missing_type"] == "NaN" else node["threshold"] >= 0
    columns["missing_left"].append(bool(missing_left))
    columns["left"].append(0)
    columns["right"].append(0)
    left, deep_left = _grow(node["left_child"], columns)
    right, deep_right = _grow(node["right_child"], columns)
    columns["left"][at], columns["right"][at] = left, right
    return at, 1 + max(deep_left, deep_right)
