"""``python -m laptop FOLDER REPOSITORY WIDGETS``: the notebooks and the dashboard's queries, on the embedded engine.

FOLDER holds ``tables/CATALOG/SCHEMA/TABLE``; WIDGETS is JSON, notebook name → widget → value. Prints one JSON object with what
each notebook showed and each query returned. A cell that fails ends with its notebook and number.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from session import give_session

CELL = "# COMMAND ----------"


class Widgets:
    """``dbutils.widgets``: the defaults a notebook declares, and what the run gives instead."""

    def __init__(self, given: dict[str, str]) -> None:
        self.given, self.declared = given, {}

    def text(self, name: str, default: str, label: str = "") -> None:
        self.declared[name] = default

    def get(self, name: str) -> str:
        if name not in self.declared:
            raise KeyError(f"the widget {name} was never declared")
        return self.given.get(name, self.declared[name])


class Shown:
    """``display``: evaluates what it is given, as the notebook page would, and keeps its size."""

    def __init__(self) -> None:
        self.items: list[str] = []

    def __call__(self, thing: Any) -> None:
        if type(thing).__module__.startswith("pyspark."):  # its DataFrame has every attribute one asks for
            self.items.append(f"rows {len(thing.toPandas())}")
        elif hasattr(thing, "savefig"):
            import io

            buffer = io.BytesIO()
            thing.savefig(buffer, format="png", dpi=60)
            self.items.append(f"figure {len(buffer.getvalue()) > 2000}")
        else:
            thing.to_html()
            self.items.append(f"rows {len(thing)}")


def cells(source: str) -> list[str]:
    """The Python cells of a notebook; cells of magic commands only are dropped, as a laptop has none."""
    parts = source.removeprefix("# Databricks notebook source\n").split(CELL)
    return [part for part in parts if any(line.strip() and not line.startswith("# MAGIC") for line in part.splitlines())]


def run_notebook(path: Path, widgets: dict[str, str], spark: Any) -> dict[str, Any]:
    shown = Shown()
    dbutils = type("dbutils", (), {"widgets": Widgets(widgets)})()
    names = {"spark": spark, "dbutils": dbutils, "display": shown, "__name__": "__notebook__"}
    os.chdir(path.parent)
    found = cells(path.read_text())
    for number, cell in enumerate(found, start=1):
        try:
            exec(compile(cell, f"{path.name}, cell {number}", "exec"), names)
        except Exception as error:
            raise SystemExit(f"{path.name}, cell {number}: {type(error).__name__}: {error}") from error
    return {"cells": len(found), "shown": shown.items}


def run_queries(path: Path, schema: str, spark: Any) -> dict[str, Any]:
    """Each dataset's columns and number of rows, unqualified table names resolved as the dashboard resource does."""
    catalog, _, database = schema.partition(".")
    spark.sql(f"USE CATALOG {catalog}").collect()
    spark.sql(f"USE SCHEMA {database}").collect()
    answers = {}
    for dataset in json.loads(path.read_text())["datasets"]:
        table = spark.sql("".join(dataset["queryLines"])).toArrow()
        answers[dataset["name"]] = {"columns": table.column_names, "rows": table.to_pylist()[:500]}
    return answers


def main(folder: Path, repository: Path, widgets: dict[str, dict[str, str]]) -> None:
    spark = give_session(folder)
    notebooks = {
        p.stem: run_notebook(p, widgets.get(p.stem, {}), spark) for p in sorted((repository / "notebooks").glob("*.py"))
    }
    queries = run_queries(repository / "resources" / "corpus_health.lvdash.json", "main.pincite", spark)
    sys.stdout.write("\n" + json.dumps({"notebooks": notebooks, "queries": queries}, default=str) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]))
