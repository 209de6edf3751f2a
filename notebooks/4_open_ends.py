# Databricks notebook source
# MAGIC %md
# MAGIC # 4. Open ends: what is unresolved, uncertain or quarantined, and why
# MAGIC Nothing is dropped silently: whatever could not be parsed, resolved or shown is a row with a reason.

# COMMAND ----------

import os
import sys

sys.path.append(os.path.abspath("../src"))

dbutils.widgets.text("catalog", "main")
dbutils.widgets.text("schema", "pincite")
dbutils.widgets.text("project", "fda")
dbutils.widgets.text("collection", "cfr-gmp")
schema = f"{dbutils.widgets.get('catalog')}.{dbutils.widgets.get('schema')}"
scope = {"project": dbutils.widgets.get("project"), "collection": dbutils.widgets.get("collection")}


def table(name):
    """One table, this scope only."""
    from pyspark.sql import functions as F

    frame = spark.table(f"{schema}.{name}")
    for column, value in scope.items():
        frame = frame.where(F.col(column) == F.lit(value))
    return frame


# COMMAND ----------

# MAGIC %md
# MAGIC ## References that lead nowhere yet
# MAGIC `out_of_corpus` is understood and would resolve if its target were ingested; `ambiguous` has several candidates;
# MAGIC `unsupported` is a form the grammar does not know.

# COMMAND ----------

open_edges = table("relation_edges").where("status <> 'resolved'")
counts = open_edges.groupBy("status", "reason").count().orderBy("status", "reason")
display(counts)

# COMMAND ----------

from pincite.databricks.figures import bars

lacking = open_edges.selectExpr("status", "coalesce(target_node_id, mention) AS target")  # a name may be all that is known
rows = lacking.groupBy("status", "target").count().orderBy("count", ascending=False).limit(25).toPandas()
wanted = {str(row["target"]): {row["status"]: row["count"]} for _, row in rows.iterrows()}
display(bars(wanted, "What the corpus lacks most", "references"))

# COMMAND ----------

display(
    open_edges.where("status IN ('ambiguous', 'unresolved', 'unsupported')")
    .select("source_node_id", "mention", "kind", "status", "candidates", "reason", "sought")
    .orderBy("source_node_id")
    .limit(200)
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Uncertain boundaries
# MAGIC Places with more than one admissible reading, the chosen one first, and what the parsers could not settle.

# COMMAND ----------

display(table("nodes").where("size(readings) > 1").select("document_id", "node_id", "label", "readings", "reason").limit(200))

# COMMAND ----------

findings = table("documents").selectExpr("document_id", "explode(findings) AS finding")
display(findings.selectExpr("document_id", "finding.kind", "finding.subject", "finding.reason", "finding.page").limit(500))

# COMMAND ----------

# MAGIC %md
# MAGIC ## Quarantine: documents that failed, passages that are not indexed

# COMMAND ----------

display(table("ingest_log").where("action = 'fail'").select("logged_at", "document_id", "reason").orderBy("logged_at"))

# COMMAND ----------

display(table("documents").where("status <> 'parsed'").select("document_id", "corpus_version", "status"))

# COMMAND ----------

display(table("chunks").where("NOT indexable").groupBy("role", "exclusion_reason").count().orderBy("role"))
