"""What serverless compute refuses, found in the syntax tree of code that runs in a task.

``reachable`` follows the imports of the package from the entry points, also those inside functions. ``violations`` names the
line and the rule. A function that only the laptop calls may be left out by name, in ``test_serverless.py`` with its reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

ATTRIBUTES = {
    "rdd": "there is no RDD",
    "toDF_rdd": "there is no RDD",
    "sparkContext": "there is no SparkContext",
    "_sc": "there is no SparkContext",
    "sqlContext": "there is no SQLContext",
    "_jvm": "there is no JVM gateway",
    "_jsc": "there is no JVM gateway",
    "_jdf": "there is no JVM gateway",
    "_jsparkSession": "there is no JVM gateway",
    "mapPartitions": "there is no RDD",
    "accumulator": "there are no accumulators",
    "registerTempTable": "it is gone from Spark Connect",
    "createGlobalTempView": "there are no global temp views",
    "createOrReplaceGlobalTempView": "there are no global temp views",
    "entry_point": "dbutils.notebook.entry_point is off",
    "environ": "a task has no environment variables of ours",
    "environb": "a task has no environment variables of ours",
    "getenv": "a task has no environment variables of ours",
    "putenv": "a task has no environment variables of ours",
    "registerJavaFunction": "there is no JVM gateway",
    "registerJavaUDAF": "there is no JVM gateway",
    "setLogLevel": "there is no SparkContext",
    "addPyFile": "there is no SparkContext",
    "getcwd": "the working directory is not guaranteed",
    "cwd": "the working directory is not guaranteed",
}
CALLED = {
    "cache": "nothing can be cached",
    "persist": "nothing can be persisted",
    "unpersist": "nothing can be persisted",
    "checkpoint": "nothing can be checkpointed",
    "localCheckpoint": "nothing can be checkpointed",
    "cacheTable": "nothing can be cached",
    "uncacheTable": "nothing can be cached",
    "clearCache": "nothing can be cached",
    "broadcast": "there are no broadcast variables",
    "parallelize": "there is no RDD",
}
NAMES = {
    "SparkContext": "there is no SparkContext",
    "SparkConf": "there is no SparkContext",
    "SQLContext": "there is no SQLContext",
    "HiveContext": "there is no Hive",
}
NOT_SPARK = {"functools", "os", "F", "functions"}  # functools.cache, F.broadcast (a join hint) are fine
SETTINGS = frozenset(
    f"spark.sql.{name}"
    for name in ("shuffle.partitions", "session.timeZone", "ansi.enabled", "files.maxPartitionBytes", "legacy.timeParserPolicy")
) | {"spark.databricks.execution.timeout"}
STATEMENTS = {
    re.compile(r"\b(?:UN)?CACHE\s+TABLE\b|\bCLEAR\s+CACHE\b", re.IGNORECASE): "nothing can be cached",
    re.compile(r"^\s*(?:ADD|LIST)\s+(?:JAR|FILE|ARCHIVE)S?\b", re.IGNORECASE): "nothing can be added to a session",
    re.compile(r"\bGLOBAL\s+TEMP", re.IGNORECASE): "there are no global temp views",
    re.compile(r"\bglobal_temp\."): "there are no global temp views",
    re.compile(r"^\s*SET\s+(?!TIME)(?P<key>spark\.[\w.]+)", re.IGNORECASE): "",
    re.compile(r"(?:^|[\s'\"])(?:dbfs:/|/dbfs/)(?!Volumes)"): "DBFS is limited: use a volume",
}


def violations(source: str, without: Collection[str] = ()) -> Iterator[str]:
    """``line N: reason`` for everything serverless refuses; functions named in *without* are not looked into."""
    for node in _walk(ast.parse(source), frozenset(without)):
        reason = _reason(node)
        if reason:
            yield f"line {getattr(node, 'lineno', 0)}: {reason}"


def _walk(node: ast.AST, without: frozenset[str]) -> Iterator[ast.AST]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in without:
        return
    yield node
    for child in ast.iter_child_nodes(node):
        if not _is_docstring(child):
            yield from _walk(child, without)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _reason(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES:
        return f".{node.attr}: {ATTRIBUTES[node.attr]}"
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return next((f"{a.name}: {_imported(node, a.name)}" for a in node.names if _imported(node, a.name)), "")
    if isinstance(node, ast.Name) and node.id in NAMES:
        return f"{node.id}: {NAMES[node.id]}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _call(node, node.func)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
        names = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        return next((f"getattr {name!r}: {ATTRIBUTES[name]}" for name in names if name in ATTRIBUTES), "")
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _statement(node.value)
    return ""


def _imported(node: ast.Import | ast.ImportFrom, name: str) -> str:
    if name in NAMES:
        return NAMES[name]
    from_os = isinstance(node, ast.ImportFrom) and node.module == "os"
    return ATTRIBUTES.get(name, "") if from_os else ""


def _call(node: ast.Call, function: ast.Attribute) -> str:
    base = function.value.id if isinstance(function.value, ast.Name) else ""
    if function.attr in CALLED and base not in NOT_SPARK:
        return f".{function.attr}(): {CALLED[function.attr]}"
    is_setting = function.attr == "config" or (
        function.attr in ("set", "unset") and isinstance(function.value, ast.Attribute) and function.value.attr == "conf"
    )
    if function.attr == "trigger" and {word.arg for word in node.keywords} - {"availableNow"}:
        return ".trigger(): a stream runs with availableNow only"
    if is_setting and function.attr != "config" and node.args and not isinstance(node.args[0], ast.Constant):
        return ".conf.set(): the setting's name must be written out, or nobody can see whether it is supported"
    key = node.args[0].value if is_setting and node.args and isinstance(node.args[0], ast.Constant) else None
    if isinstance(key, str) and key.startswith("spark.") and key not in SETTINGS:
        return f"{key}: the setting is not supported"
    return ""


def _statement(text: str) -> str:
    for pattern, reason in STATEMENTS.items():
        if match := pattern.search(text):
            if reason:
                return f"{match[0].strip()!r}: {reason}"
            if match["key"] not in SETTINGS:
                return f"{match['key']}: the setting is not supported"
    return ""


def reachable(package: Path, start: str) -> dict[str, Path]:
    """The modules of the package at *package* that *start* imports, directly or not: name → file."""
    found: dict[str, Path] = {}
    waiting = [start]
    while waiting:
        name = waiting.pop()
        path = _file(package, name)
        if name in found or path is None:
            continue
        found[name] = path
        parent = name if path.name == "__init__.py" else name.rpartition(".")[0]
        waiting += [name.rpartition(".")[0], *_imports(ast.parse(path.read_text()), parent)]
    return found


def _file(package: Path, name: str) -> Path | None:
    if name.split(".")[0] != package.name:
        return None
    base = package.parent.joinpath(*name.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def _imports(tree: ast.AST, parent: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*parent.split(".")[: len(parent.split(".")) - node.level + 1], *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
