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
    latest.setdefault(run.data.params.get("setting"), run)
baseline, aware = latest["baseline"], latest["edge_aware"]

# COMMAND ----------

# MAGIC %md
# MAGIC ## Every measure

# COMMAND ----------

from pincite.databricks.figures import compared


def measures(run):
    """Measures without their denominators, which are metrics of their own."""
    return {name: value for name, value in sorted(run.data.metrics.items()) if not name.endswith("_denominator")}


display(compared(measures(baseline), measures(aware), ("baseline", "edge-aware"), experiment.rpartition("/")[2]))

# COMMAND ----------

rows = [
    {
        "measure": name,
        "baseline": value,
        "edge_aware": measures(aware).get(name),
        "denominator": int(baseline.data.metrics[f"{name}_denominator"]),
    }
    for name, value in measures(baseline).items()
]
display(pd.DataFrame(rows))

# COMMAND ----------

# MAGIC %md
# MAGIC ## What was compared
# MAGIC Both must have seen the same tables, the same sources and the same questions.

# COMMAND ----------

parameters = sorted(set(baseline.data.params) | set(aware.data.params))
display(
    pd.DataFrame(
        [(p, baseline.data.params.get(p), aware.data.params.get(p)) for p in parameters],
        columns=["parameter", "baseline", "edge-aware"],
    )
)
for name in ("gold_sha256", "sources_sha256", "chunks_version"):
    assert baseline.data.params.get(name) == aware.data.params.get(name), (
        f"the two runs differ in {name}: they cannot be compared"
    )

# COMMAND ----------

# MAGIC %md
# MAGIC ## Question by question

# COMMAND ----------


def questions(run):
    """The per-question table beside a run."""
    logged = mlflow.artifacts.load_dict(f"{run.info.artifact_uri}/questions.json")["questions"]
    return {row["question_id"]: row for row in logged}


before, after = questions(baseline), questions(aware)
differing = [
    {
        "question": name,
        "kind": row["kind"],
        "expected": ", ".join(row["expected"]),
        "baseline": f"{row['status']}, {sum(row['whole'])} of {len(row['whole'])} whole",
        "edge_aware": f"{after[name]['status']}, {sum(after[name]['whole'])} of {len(after[name]['whole'])} whole",
    }
    for name, row in before.items()
    if (row["status"], row["whole"]) != (after[name]["status"], after[name]["whole"])
]
print(f"{len(before)} questions, {len(differing)} answered differently")
display(pd.DataFrame(differing, columns=["question", "kind", "expected", "baseline", "edge_aware"]))

# COMMAND ----------

# MAGIC %md
# MAGIC ## Over time

# COMMAND ----------

from matplotlib.figure import Figure

figure = Figure(figsize=(8, 3.5), layout="constrained")
axes = figure.add_subplot()
for setting, colour in (("baseline", "#9a9a9a"), ("edge_aware", "#2f6f4f")):
    timed = sorted(
        (r.info.start_time, r.data.metrics.get("citation_recall", 0.0)) for r in runs if r.data.params.get("setting") == setting
    )
    axes.plot([pd.Timestamp(t, unit="ms") for t, _ in timed], [v for _, v in timed], "o-", color=colour, label=setting)
axes.set_ylim(0, 1.02)
axes.set_ylabel("citation recall")
axes.legend(frameon=False)
figure.autofmt_xdate()
display(figure)
