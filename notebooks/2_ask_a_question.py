# Databricks notebook source
# MAGIC %md
# MAGIC # 2. Ask a question
# MAGIC What is quoted, where it stands, which references were followed and what the budget cut.
# MAGIC With `search_endpoint` empty the questions are asked by words alone, of an index made here and now from the passages.
# MAGIC `landing` is the volume's folder: with it, the decision to abstain is the one that the task evaluate calibrated there.

# COMMAND ----------

# MAGIC %pip install -q bm25s==0.3.16 PyStemmer==3.1.0 databricks-ai-search==0.81

# COMMAND ----------

import os
import sys

sys.path.append(os.path.abspath("../src"))

dbutils.widgets.text("catalog", "main")
dbutils.widgets.text("schema", "pincite")
dbutils.widgets.text("project", "fda")
dbutils.widgets.text("collection", "cfr-gmp")
dbutils.widgets.text("search_endpoint", "")
dbutils.widgets.text("embedding_endpoint", "databricks-gte-large-en")
dbutils.widgets.text("landing", "")
dbutils.widgets.text("question", "Who may release a batch that was not tested?")

# COMMAND ----------

from pincite.databricks.rows import TableRows
from pincite.databricks.session import open_store
from pincite.model import Scope
from pincite.retrieve.partial import PartialCorpus, RememberedIndex

store = open_store(dbutils.widgets.get("catalog"), dbutils.widgets.get("schema"))
scope = Scope(dbutils.widgets.get("project"), dbutils.widgets.get("collection"))
corpus = PartialCorpus(TableRows(store, scope))  # what an answer needs comes here, the corpus stays in its tables

if dbutils.widgets.get("search_endpoint"):
    from pincite.databricks.connect import Connection
    from pincite.databricks.search import Place, VectorSearchIndex
    from pincite.databricks.session import counted

    place = Place(
        f"{store.location}.passages",
        dbutils.widgets.get("search_endpoint"),
        f"{store.location}.chunks",
        dbutils.widgets.get("embedding_endpoint"),
    )
    counts = counted(store, scope)
    index = VectorSearchIndex(Connection(), place, scope, lambda: counts)
else:
    from pincite.index.local import build

    from pincite.tables.rows import from_arrow

    index = build(from_arrow("chunks", store.read("chunks", scope)), None)

abstainer = None
if dbutils.widgets.get("landing") and dbutils.widgets.get("search_endpoint"):
    from pincite.databricks.evaluation import calibration_folder
    from pincite.retrieve.calibrated import load

    abstainer = load(calibration_folder(dbutils.widgets.get("landing"), scope), index.stamp, index.floor().backend)

# COMMAND ----------

# MAGIC %md
# MAGIC ## The answer

# COMMAND ----------

import pandas as pd

from pincite.retrieve import answer

question = dbutils.widgets.get("question")
searched = RememberedIndex(index, corpus)
corpus.gather(lambda follow=follow: answer(question, searched, corpus, follow=follow, abstainer=abstainer) for follow in (0, 1))
given = answer(question, searched, corpus, follow=1, abstainer=abstainer)
print(f"{given.status} {given.reason}")
columns = ["node_id", "step", "provenance", "tokens", "evidence_text", "reading"]  # a row's reading names its columns
display(pd.DataFrame([{name: getattr(passage, name) for name in columns} for passage in given.passages], columns=columns))

# COMMAND ----------

# MAGIC %md
# MAGIC ## What was followed

# COMMAND ----------

followed = [passage for passage in given.passages if passage.edge_id]
display(pd.DataFrame([(p.provenance, p.node_id, p.evidence_text) for p in followed], columns=["why", "citation", "evidence"]))

# COMMAND ----------

# MAGIC %md
# MAGIC ## What was cut, and why

# COMMAND ----------

display(pd.DataFrame([cut._asdict() for cut in given.trace.cut], columns=["chunk_id", "node_id", "step", "reason"]))

# COMMAND ----------

# MAGIC %md
# MAGIC ## How the decision was made

# COMMAND ----------

trace = given.trace
print(
    f"{trace.backend} {trace.query_type}: floor {trace.floor}, confidence {trace.confidence:.2f}; {trace.tokens} of {trace.budget} tokens"
)
print(trace.calibration)
display(pd.DataFrame([candidate._asdict() for candidate in trace.candidates]))

# COMMAND ----------

# MAGIC %md
# MAGIC ## The same question without following references

# COMMAND ----------

baseline = answer(question, searched, corpus, follow=0, abstainer=abstainer)
only_aware = {p.node_id for p in given.passages} - {p.node_id for p in baseline.passages}
only_baseline = {p.node_id for p in baseline.passages} - {p.node_id for p in given.passages}
print(f"only with references: {sorted(only_aware)}")
print(f"only without: {sorted(only_baseline)}")
