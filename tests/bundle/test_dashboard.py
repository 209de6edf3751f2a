"""The dashboard's page: a whole grid, no widget upon another, every widget and query used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def dashboard(repository: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((repository / "resources" / "corpus_health.lvdash.json").read_text())
    return found


def test_widgets_fit_the_grid_and_do_not_overlap(dashboard: dict[str, Any]) -> None:
    for page in dashboard["pages"]:
        taken: set[tuple[int, int]] = set()
        for item in page["layout"]:
            at = item["position"]
            assert at["x"] + at["width"] <= 6, item["widget"]["name"]
            area = {(x, y) for x in range(at["x"], at["x"] + at["width"]) for y in range(at["y"], at["y"] + at["height"])}
            assert not area & taken, item["widget"]["name"]
            taken |= area


def test_names_are_unique_and_every_dataset_is_shown(dashboard: dict[str, Any]) -> None:
    widgets = [item["widget"] for page in dashboard["pages"] for item in page["layout"]]
    names = [widget["name"] for widget in widgets]
    assert len(set(names)) == len(names)
    shown = {query["query"]["datasetName"] for widget in widgets for query in widget["queries"]}
    assert shown == {dataset["name"] for dataset in dashboard["datasets"]}


def test_queries_name_tables_without_catalog_or_schema(dashboard: dict[str, Any]) -> None:
    """The resource gives catalog and schema, so that development and production read their own tables."""
    from pincite.tables.schema import TABLES

    for dataset in dashboard["datasets"]:
        words = " ".join(dataset["queryLines"]).replace("(", " ").replace(")", " ").split()
        tables = {words[at + 1] for at, word in enumerate(words) if word.upper() == "FROM" and words[at + 1] != "SELECT"}
        assert tables, dataset["name"]
        assert tables <= set(TABLES), dataset["name"]


def test_bars_of_more_than_can_be_read_are_the_longest_and_the_rest_together() -> None:
    from pincite.databricks.figures import bars

    axes = bars({f"d{at}": {"body": float(at), "table": 1.0} for at in range(100)}, "Bytes").axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert len(names) == 60
    assert names[-1] == "41 others"
    assert sum(patch.get_width() for patch in axes.patches) == sum(range(100)) + 100
