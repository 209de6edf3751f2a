# Databricks notebook source
# MAGIC %md
# MAGIC # 1. Explore a corpus
# MAGIC What was read, what every byte of it is, which passages came of it, and how its sections refer to each other.
# MAGIC The names of the schema and of the others are those of `databricks bundle summary`: in dev the schema is `dev_YOU_pincite`.

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
    """One table, this scope only; values go in as literals of the DataFrame API, never into SQL text."""
    from pyspark.sql import functions as F

    frame = spark.table(f"{schema}.{name}")
    for column, value in scope.items():
        frame = frame.where(F.col(column) == F.lit(value))
    return frame


# COMMAND ----------

# MAGIC %md
# MAGIC ## Documents

# COMMAND ----------

display(
    table("documents")
    .select("document_id", "corpus_version", "title", "status", "source_bytes", "text_bytes", "nodes", "blocks", "passages")
    .orderBy("document_id")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## What every byte is
# MAGIC The partition covers each extracted byte exactly once; these are the bytes of each role.

# COMMAND ----------

from pincite.databricks.figures import bars

roles = (
    table("partition")
    .selectExpr("document_id", "role", "`end` - start AS bytes")
    .groupBy("document_id", "role")
    .sum("bytes")
    .toPandas()
)
by_document = {
    document: dict(zip(rows["role"], rows["sum(bytes)"])) for document, rows in roles.groupby("document_id", sort=True)
}
display(bars(by_document, "Bytes of each document, by role", "bytes"))

# COMMAND ----------

# MAGIC %md
# MAGIC ## Passages
# MAGIC Evidence is the document's own words and the only thing that is quoted. What is not indexed says why.

# COMMAND ----------

passages = table("chunks").select("node_id", "breadcrumb", "role", "tokens", "indexable", "exclusion_reason", "evidence_text")
display(passages.orderBy("document_id", "ordinal").limit(50))

# COMMAND ----------

fates = table("chunks").groupBy("role", "indexable", "exclusion_reason").count().toPandas()
fates["fate"] = fates["exclusion_reason"].where(~fates["indexable"], "indexed")
by_role = {role: dict(zip(rows["fate"], rows["count"])) for role, rows in fates.groupby("role", sort=True)}
display(bars(by_role, "Passages by role", "passages"))

# COMMAND ----------

# MAGIC %md
# MAGIC ## The sections of the corpus and what they cite
# MAGIC Sections that hold references stand on the inner circle in document order; targets outside the corpus beyond it.

# COMMAND ----------

from pincite.databricks.figures import edge_graph

edges = table("relation_edges").select("source_node_id", "target_node_id", "status", "kind")
display(edge_graph([row.asDict() for row in edges.limit(50_000).collect()]))  # no corpus is brought to the driver whole

# COMMAND ----------

display(edges.groupBy("kind", "status").count().orderBy("kind", "status"))
