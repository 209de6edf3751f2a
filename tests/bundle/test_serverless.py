"""Code that runs in a task uses only what serverless has, and the scan would find it if it did not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from serverless import reachable, violations

EXCEPTIONS = {
    "pincite.tables.engine": {
        "sail": "starts the embedded engine",
        "_jvm_environment": "of JVM Spark's child process",
        "_connect": "to an engine of this machine",
    },
    "pincite.tables.stage": {"stage_jobs": "sets a library's switch in a child process of its own"},
    "pincite.evaluate.tracking": {"_write": "writes a store on this machine; tasks log to the workspace"},
    "pincite.enrich.clients": {"open_client": "the address of a laptop's model; a task names a serving endpoint"},
    "pincite.enrich.http": {"_authorization": "the key of such a model, which comes from nowhere else"},
    "pincite.index.embed": {"load_embedder": "a model on this machine; tasks embed by serving endpoint"},
    "pincite.index.models": {"cache_folder": "where that model lies"},
}
"""module → function → why serverless allows it, or no task calls it. Each entry must exist and be needed."""

SEEDED = [
    "frame.rdd.map(f)",
    "spark.sparkContext.broadcast(x)",
    "sc.parallelize([1])",
    "spark._jvm.java.lang.System",
    "frame._jdf",
    "frame.cache()",
    "frame.select('a').persist()",
    "frame.unpersist()",
    "frame.checkpoint()",
    "frame.localCheckpoint()",
    "spark.catalog.cacheTable('t')",
    "spark.sql('CACHE TABLE t')",
    "spark.sql('create or replace global temporary view v as select 1')",
    "frame.createGlobalTempView('v')",
    "frame.createOrReplaceGlobalTempView('v')",
    "spark.sql('select * from global_temp.v')",
    "frame.registerTempTable('t')",
    "spark.conf.set('spark.sql.adaptive.enabled', 'false')",
    "SparkSession.builder.config('spark.executor.memory', '4g')",
    "spark.sql('SET spark.executor.cores = 4')",
    "import os\nos.environ['X'] = '1'",
    "import os\nos.getenv('X')",
    "from os import environ",
    "from pyspark import SparkContext",
    "import os\nos.getcwd()",
    "from pathlib import Path\nPath.cwd()",
    "open('/dbfs/tmp/x')",
    "spark.read.load('dbfs:/tmp/x')",
    "def inner():\n    def deeper():\n        return frame.cache()",
    "dbutils.notebook.entry_point.getDbutils()",
    "spark.sql('UNCACHE TABLE t')",
    "spark.sql('clear cache')",
    "spark.sql(f'cache table {name}')",
    "spark.sql('ADD JAR /x.jar')",
    "spark.catalog.clearCache()",
    "spark.catalog.uncacheTable('t')",
    "getattr(spark, 'sparkContext')",
    "getattr(frame, 'rdd', None)",
    "from pyspark import SparkConf",
    "spark.udf.registerJavaFunction('f', 'x.Y')",
    "stream.writeStream.trigger(processingTime='1 minute').start()",
    "spark.conf.set(name, 'x')",
    "spark.sqlContext.sql('select 1')",
    "accumulator = spark.accumulator(0)",
]
ALLOWED = [
    "import functools\n@functools.cache\ndef f(): ...",
    "import functools\nfunctools.cache(f)",
    "from pyspark.sql import functions as F\nF.broadcast(frame)",
    "spark.conf.set('spark.sql.shuffle.partitions', '8')",
    "spark.sql('SET TIME ZONE UTC')",
    "self.cache = {}",
    "stream.writeStream.trigger(availableNow=True)",
    "getattr(error, 'details', None)",
    '"""It never uses CACHE TABLE or a global temp view."""',
    "frame.createOrReplaceTempView('v')",
    "open('/Volumes/main/a/b')",
]


@pytest.mark.parametrize("code", SEEDED)
def test_the_scan_finds(code: str) -> None:
    assert list(violations(code))


@pytest.mark.parametrize("code", ALLOWED)
def test_the_scan_allows(code: str) -> None:
    assert list(violations(code)) == []


def test_no_code_of_a_task_uses_what_serverless_refuses(repository: Path) -> None:
    modules = reachable(repository / "src" / "pincite", "pincite.databricks.job")
    assert {"pincite.databricks.tasks", "pincite.tables.store", "pincite.model", "pincite.passages.build"} <= set(modules)
    found = [
        f"{name}, {problem}"
        for name, path in modules.items()
        for problem in violations(path.read_text(), EXCEPTIONS.get(name, {}))
    ]
    assert found == []


def test_nothing_is_left_out_of_the_scan_without_need(repository: Path) -> None:
    modules = reachable(repository / "src" / "pincite", "pincite.databricks.job")
    for name, functions in EXCEPTIONS.items():
        source = modules[name].read_text()
        defined = {node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)}
        assert set(functions) <= defined, f"{name} has no longer all of {sorted(functions)}"
        for function in functions:
            others = set(functions) - {function}
            assert list(violations(source, others)) != list(violations(source, functions)), (
                f"{name}.{function} needs no exception"
            )


def test_notebooks_use_only_what_serverless_has(repository: Path) -> None:
    found = [f"{path.name}, {p}" for path in (repository / "notebooks").glob("*.py") for p in violations(path.read_text())]
    assert found == []
