# Databricks notebook source
# MAGIC %md
# MAGIC # 3. Compare the baseline with the edge-aware run
# MAGIC Two MLflow runs of one evaluation: every measure with its denominator, and the questions on which they differ.

# COMMAND ----------

import os
import sys

sys.path.append(os.path.abspath("../src"))

dbutils.widgets.text("experiment", "/Users/me/pincite-evaluation-dev")
dbutils.widgets.text("tracking_uri", "")
experiment, tracking_uri = dbutils.widgets.get("experiment"), dbutils.widgets.get("tracking_uri")

# COMMAND ----------

import mlflow
import pandas as pd

if tracking_uri:
    mlflow.set_tracking_uri(tracking_uri)
client = mlflow.MlflowClient()
found = client.get_experiment_by_name(experiment)
assert found is not None, f"there is no experiment {experiment}: run the job's task evaluate first"
runs = client.search_runs([found.experiment_id], order_by=["attributes.start_time DESC"], max_results=200)
latest = {}
for run in runs:
    latest.setdefault(run.data.params.get("mode"), run)
assert {"baseline", "edge-aware"} <= latest.keys(), (
    f"{experiment} has no run of each mode yet: run the job's task evaluate first"
)
baseline, aware = latest["baseline"], latest["edge-aware"]

# COMMAND ----------

# MAGIC %md
# MAGIC ## Every measure

# COMMAND ----------

from pincite.databricks.figures import compared


def measures(run, part="test"):
    """The measures of one part; numerators and denominators are metrics of their own."""
    found = {name.removeprefix(f"{part}."): value for name, value in run.data.metrics.items() if name.startswith(f"{part}.")}
    return {name: value for name, value in sorted(found.items()) if "." not in name}


display(compared(measures(baseline), measures(aware), ("baseline", "edge-aware"), experiment.rpartition("/")[2]))

# COMMAND ----------

rows = [
    {
        "part": part,
        "measure": name,
        "baseline": value,
        "edge_aware": measures(aware, part).get(name),
        "denominator": int(baseline.data.metrics[f"{part}.{name}.denominator"]),
    }
    for part in ("dev", "test")
    for name, value in measures(baseline, part).items()
]
display(pd.DataFrame(rows))

# COMMAND ----------

# MAGIC %md
# MAGIC ## What was compared
# MAGIC Both must have seen the same tables, the same sources and the same questions.

# COMMAND ----------

parameters = sorted(set(baseline.data.params) | set(aware.data.params))
both = [(name, baseline.data.params.get(name), aware.data.params.get(name)) for name in parameters]
display(pd.DataFrame(both, columns=["parameter", "baseline", "edge-aware"]))
assert baseline.data.params["gold"] == aware.data.params["gold"], "the two runs asked other questions"
for name in [tag for tag in baseline.data.tags if tag.startswith("pincite.table_version.") or tag == "pincite.data_digest"]:
    assert baseline.data.tags[name] == aware.data.tags.get(name), f"the two runs differ in {name}: they cannot be compared"

# COMMAND ----------

# MAGIC %md
# MAGIC ## Question by question

# COMMAND ----------


def questions(run):
    """The per-question table beside a run."""
    logged = mlflow.artifacts.load_dict(f"{run.info.artifact_uri}/questions.json")
    return pd.DataFrame(logged["data"], columns=logged["columns"]).set_index("question_id")


before, after = questions(baseline), questions(aware)
joined = before.join(after[["status", "passed", "cited", "whole", "delivered"]], rsuffix="_edge_aware")
differing = joined[(joined["status"] != joined["status_edge_aware"]) | (joined["passed"] != joined["passed_edge_aware"])]
print(f"{len(before)} questions, {len(differing)} answered differently")
display(
    differing.reset_index()[
        ["question_id", "kind", "question", "expected", "status", "status_edge_aware", "passed", "passed_edge_aware"]
    ]
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Over time

# COMMAND ----------

from pincite.databricks.figures import over_time

series = {}
for mode in ("baseline", "edge-aware"):
    of_mode = [run for run in runs if run.data.params.get("mode") == mode]
    timed = sorted((run.info.start_time, run.data.metrics.get("test.citation_recall", 0.0)) for run in of_mode)
    series[mode] = [(pd.Timestamp(moment, unit="ms").floor("min"), value) for moment, value in timed]
display(over_time(series, "citation recall"))
