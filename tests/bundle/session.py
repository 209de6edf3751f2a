"""``python -m session PACKAGE ENTRY_POINT ARG…``: what the platform does around a wheel task, on the embedded engine.

It attaches the catalog's tables to the session (the embedded engine's catalog lives as long as a session), speaks the part of
Databricks SQL that the embedded engine does not (table constraints, clustering, properties, history, adding columns) and
refuses what serverless refuses. Then it calls the entry point of the installed package.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import re
import shutil
import signal
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

CREATE = re.compile(
    r"CREATE TABLE IF NOT EXISTS\s+(?P<name>\S+)\s+\((?P<columns>.*)\)\s+USING DELTA(?P<rest>.*)$", re.DOTALL | re.I
)
KEY = re.compile(r",\s*CONSTRAINT\s+`?\w+`?\s+PRIMARY KEY\s*\((?P<key>[^)]*)\)", re.I)
CLUSTER = re.compile(r"CLUSTER BY\s*\((?P<columns>[^)]*)\)", re.I)
COMMENT = re.compile(r"COMMENT\s+('(?:[^'\\]|\\.)*')", re.I)
PROPERTIES = re.compile(r"TBLPROPERTIES\s*\((?P<pairs>[^)]*)\)", re.I)
RESTORE = re.compile(r"RESTORE TABLE\s+(?P<name>\S+)\s+TO VERSION AS OF\s+(?P<version>\d+)\s*;?$", re.I)
HISTORY = re.compile(r"DESCRIBE HISTORY\s+(?P<name>\S+)(?:\s+LIMIT\s+(?P<limit>\d+))?\s*;?$", re.I)
ADD = re.compile(r"ALTER TABLE\s+(?P<name>\S+)\s+ADD COLUMNS\s*\((?P<columns>.*)\)\s*;?$", re.DOTALL | re.I)
DROP = re.compile(r"DROP TABLE(?: IF EXISTS)?\s+(?P<name>\S+?)\s*;?$", re.I)
UNSUPPORTED = re.compile(r"^\s*(CACHE\s+TABLE|CREATE\s+GLOBAL\s+TEMP|REFRESH\s+TABLE)", re.I)
ALLOWED_SETTINGS = ("spark.sql.shuffle.partitions", "spark.sql.session.timeZone", "spark.sql.ansi.enabled")


class NotSupported(Exception):
    """What serverless compute refuses."""


def main(package: str, entry_point: str, arguments: list[str]) -> None:
    folder = Path(os.environ["TESTWORKSPACE_FOLDER"])
    given = dict(argument.removeprefix("--").split("=", 1) for argument in arguments if "=" in argument)
    give_session(folder, f"{given.get('catalog', '*')}/{given.get('schema', '*')}")
    if "TESTWORKSPACE_HOLD" in os.environ:
        hold_after(*os.environ["TESTWORKSPACE_HOLD"].split(":"))
    found = [e for e in importlib.metadata.distribution(package).entry_points if e.name == entry_point]
    if not found:
        raise SystemExit(f"{package} has no entry point {entry_point}")
    sys.argv = [entry_point, *arguments]
    found[0].load()()


def hold_after(module: str, name: str) -> None:
    """Go no further once this function has returned: whoever means to kill the task then is never too late."""
    *above, name = name.split(".")
    owner: Any = importlib.import_module(module)
    for each in above:
        owner = getattr(owner, each)
    function = getattr(owner, name)

    def held(*args: Any, **kwargs: Any) -> None:
        function(*args, **kwargs)
        while True:
            signal.pause()

    setattr(owner, name, held)


def give_session(folder: Path, schema: str = "*/*") -> Any:
    """Make the platform's session: what ``SparkSession.builder.getOrCreate()`` returns from now on.

    It knows the tables of the schemas that *schema* fits: each costs a statement, and a task is told which one is its own.
    """
    from pyspark.sql.connect.session import SparkSession

    spark = SparkSession.builder.remote(os.environ["SPARK_REMOTE"]).getOrCreate()
    plain = SparkSession.sql
    attach(spark, folder, schema)

    def sql(self: Any, query: str, *args: Any, **kwargs: Any) -> Any:
        return _spoken(self, plain, folder, query, args, kwargs)

    SparkSession.sql = sql
    _ask_before_reading_and_writing(SparkSession)
    _refuse_what_serverless_refuses(SparkSession)
    return spark


def attach(spark: Any, folder: Path, schema: str = "*/*") -> None:
    """Make the tables under *folder* (``tables/CATALOG/SCHEMA/TABLE``) known to the session."""
    for path in sorted(folder.glob(f"tables/{schema}")):
        schema = f"{path.parent.name}.{path.name}"
        spark.sql(f"CREATE SCHEMA IF NOT EXISTS {schema} LOCATION '{path}'").collect()
        for table in sorted(path.glob("*/_delta_log")):
            name = f"{schema}.`{table.parent.name}`"
            spark.sql(f"CREATE TABLE IF NOT EXISTS {name} USING DELTA LOCATION '{table.parent}'").collect()


def _spoken(spark: Any, plain: Any, folder: Path, query: str, args: Any, kwargs: Any) -> Any:
    if UNSUPPORTED.match(query):
        raise NotSupported(f"[NOT_SUPPORTED_WITH_SERVERLESS] {query[:60]} is not supported on serverless compute")
    _refuse_what_is_denied(query)
    if match := RESTORE.match(query):
        _table(folder, match["name"]).restore(int(match["version"]))
        return plain(spark, "SELECT 1")
    if match := HISTORY.match(query):
        return _history(spark, folder, match)
    if match := DROP.match(query):
        return _drop(spark, plain, folder, match, query)
    if match := ADD.match(query):
        return _add_columns(spark, plain, folder, match)
    if match := CREATE.match(query):
        return _create(spark, plain, folder, match)
    return plain(spark, query, *args, **kwargs)


def _refuse_what_is_denied(statement: str) -> None:
    """Privileges of Unity Catalog on tables: the workspace's ``deny("SQL", pattern)``, matched against the statement."""
    from pyspark.errors.exceptions.connect import AnalysisException

    if "DATABRICKS_HOST" not in os.environ:
        return  # a laptop's session: nobody grants anything there
    for pattern in call("GET", "/test/denied")["patterns"]:
        if re.search(pattern, _bare(statement)):
            raise AnalysisException(
                "[INSUFFICIENT_PERMISSIONS] Insufficient privileges:\nUser does not have the privilege that "
                f"{statement.split('(')[0][:80]} needs. SQLSTATE: 42501"
            )


def _ask_before_reading_and_writing(session: Any) -> None:
    from pyspark.sql.connect.readwriter import DataFrameWriter

    table, save = session.table, DataFrameWriter.saveAsTable

    def reading(self: Any, name: str) -> Any:
        _refuse_what_is_denied(f"SELECT FROM {name}")
        return table(self, name)

    def writing(self: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        _refuse_what_is_denied(f"INSERT INTO {name}")
        return save(self, name, *args, **kwargs)

    session.table, DataFrameWriter.saveAsTable = reading, writing


def _bare(name: str) -> str:
    return name.replace("`", "")


def _table(folder: Path, name: str) -> Any:
    from deltalake import DeltaTable

    return DeltaTable(str(folder / "tables" / _bare(name).replace(".", "/")))


def _history(spark: Any, folder: Path, match: re.Match[str]) -> Any:
    limit = int(match["limit"]) if match["limit"] else None
    rows = [(int(h["version"]), str(h.get("operation"))) for h in _table(folder, match["name"]).history(limit)]
    return spark.createDataFrame(rows, "version bigint, operation string")


def _drop(spark: Any, plain: Any, folder: Path, match: re.Match[str], query: str) -> Any:
    """A managed table goes with its files; the embedded engine leaves them."""
    result = plain(spark, query)
    result.collect()
    shutil.rmtree(folder / "tables" / _bare(match["name"]).replace(".", "/"), ignore_errors=True)
    return result


def _create(spark: Any, plain: Any, folder: Path, match: re.Match[str]) -> Any:
    """Register keys, clustering and properties with the workspace, then make the table with what the engine knows."""
    name = _bare(match["name"])
    catalog, schema, table = name.split(".")
    location = folder / "tables" / catalog / schema
    if not known("schemas", f"{catalog}.{schema}"):
        raise NotSupported(f"[SCHEMA_NOT_FOUND] The schema {catalog}.{schema} cannot be found")
    plain(spark, f"CREATE SCHEMA IF NOT EXISTS {catalog}.{schema} LOCATION '{location}'").collect()
    key, cluster = KEY.search(match["columns"]), CLUSTER.search(match["rest"])
    pairs = PROPERTIES.search(match["rest"])
    properties = dict(re.findall(r"'([^']+)'\s*=\s*'([^']*)'", pairs["pairs"])) if pairs else {}
    comment = COMMENT.search(match["rest"])
    columns = KEY.sub("", match["columns"])
    partition = f" PARTITIONED BY ({cluster['columns']})" if cluster else ""
    text = f" COMMENT {comment[1]}" if comment else ""
    result = plain(spark, f"CREATE TABLE IF NOT EXISTS {match['name']} ({columns}) USING DELTA{text}{partition}")
    result.collect()
    described = {
        "full_name": name,
        "name": table,
        "properties": properties,
        "primary_key": [each.strip(" `") for each in key["key"].split(",")] if key else [],
        "clustering": [each.strip() for each in cluster["columns"].split(",")] if cluster else [],
        "comment": comment[1] if comment else "",
    }
    call("PUT", f"/test/tables/{name}", described)
    return result


def _add_columns(spark: Any, plain: Any, folder: Path, match: re.Match[str]) -> Any:
    probe = plain(spark, f"SELECT {_nulls(match['columns'])}").toArrow()
    from deltalake import Schema

    name = _bare(match["name"])
    _table(folder, name).alter.add_columns(Schema.from_arrow(probe.schema).fields)
    plain(spark, f"DROP TABLE {name}").collect()
    return plain(spark, f"CREATE TABLE {name} USING DELTA LOCATION '{folder / 'tables' / name.replace('.', '/')}'")


def _nulls(columns: str) -> str:
    """``a STRING COMMENT 'x', b INT`` → ``CAST(NULL AS STRING) AS a, …``."""
    found = re.findall(r"`(\w+)`\s+((?:[^,`'<(]|<[^>]*>)+?)\s*(?:COMMENT\s+'(?:[^'\\]|\\.)*'\s*)?(?:,|$)", columns)
    return ", ".join(f"CAST(NULL AS {kind}) AS `{name}`" for name, kind in found)


def known(kind: str, name: str) -> bool:
    try:
        call("GET", f"/api/2.1/unity-catalog/{kind}/{name}")
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return False
        raise
    return True


def call(method: str, path: str, body: Any = None) -> Any:
    request = urllib.request.Request(
        os.environ["DATABRICKS_HOST"] + path,
        method=method,
        data=json.dumps(body).encode() if body is not None else None,
        headers={"Authorization": f"Bearer {os.environ['DATABRICKS_TOKEN']}"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read() or b"{}")


def _refuse_what_serverless_refuses(session: Any) -> None:
    from pyspark.sql.connect.dataframe import DataFrame

    def refuse(name: str) -> Any:
        def method(*_: Any, **__: Any) -> Any:
            raise NotSupported(f"[NOT_SUPPORTED_WITH_SERVERLESS] {name} is not supported on serverless compute")

        return method

    for name in ("cache", "persist", "unpersist", "checkpoint", "createGlobalTempView", "createOrReplaceGlobalTempView"):
        setattr(DataFrame, name, refuse(name))


def run_statements(texts: list[str]) -> None:
    """Each statement to its end, in a session of the workspace."""
    spark = give_session(Path(os.environ["TESTWORKSPACE_FOLDER"]))
    for text in texts:
        spark.sql(text).collect()


if __name__ == "__main__" and sys.argv[1] == "--sql":
    run_statements(sys.argv[2:])
elif __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
