"""The one place that knows engines: how each is started, and what each cannot do.

==================  =====================  ==========================  =================================
                    Sail (in process)      JVM Spark + Delta           Databricks serverless
==================  =====================  ==========================  =================================
tables are          folders                folders                     Unity Catalog tables
laid out            partitioned by scope   partitioned by scope        clustered by scope
CREATE TABLE        no comments, no path   yes                         yes, with primary key
                    (``deltalake`` does)
ADD COLUMNS         refused                yes                         yes
                    (``deltalake`` does)
DESCRIBE HISTORY    no                     yes                         yes
change data feed    no                     yes                         yes
commit conflict     "Failed to commit      ConcurrentAppendException,  the same
                    transaction"           ... in DELTA_CONCURRENT_*
Python functions    one process, one lock  worker processes            worker processes
==================  =====================  ==========================  =================================
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pincite.errors import CommitConflict, PinciteError, StorageFull, TableError, UsageError


class Engine(NamedTuple):
    """A running engine: a Spark Connect session (or one with the same DataFrame API) and what it can do."""

    name: str
    spark: Any
    local: bool  # tables are folders that ``deltalake`` can read beside the engine
    one_process: bool  # its Python functions share this process and its lock
    stop: Callable[[], None]
    pid: int | None = None  # of the driver, where it is another process


DELTA_VERSION = "4.4.0"  # 4.4.1's jar is not to be had
DELTA_ARTIFACTS = ("delta-spark_4.2_2.13", "delta-storage")
JVM_START_SECONDS = 90.0
_CONFLICTS = ("Failed to commit transaction", "DELTA_CONCURRENT", "ConcurrentAppendException", "ConcurrentDelete")
_FULL = ("No space left on device", "os error 28", "ENOSPC", "Disk quota exceeded")


def sail() -> Engine:
    """The embedded engine: a Spark Connect server on a loopback port of its own, in this process."""
    os.environ.setdefault("RUST_LOG", "off")
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "0")  # its allocator else keeps what a join freed: 200 MB and more
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    spark = _connect(server.listening_address[1])

    def stop() -> None:
        spark.stop()
        server.stop()

    return Engine("sail", spark, True, True, stop)


def jvm(cores: int = 2, memory: str = "1g", settings: Mapping[str, str] | None = None) -> Engine:
    """The reference engine: a Spark Connect server of JVM Spark with Delta in a process of its own, on a free loopback port.

    Needs Java 17. Delta's two jars come from the Maven cache, or from Maven once. *settings* are Spark's, over ours;
    ``SMALL_DATA`` makes a thousand small statements bearable.
    """
    port = _free_port()
    configured = {**_JVM_SETTINGS, **(settings or {}), "spark.connect.grpc.binding.port": str(port)}
    process = subprocess.Popen(
        [*_spark_submit(cores, memory, configured), "spark-internal"],
        env=_jvm_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _await_port(process, port)
    spark = _connect(port)

    def stop() -> None:
        spark.stop()
        process.terminate()
        process.wait()

    return Engine("jvm", spark, True, False, stop, process.pid)


_JVM_SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
}


SMALL_DATA = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.databricks.delta.stats.collect": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def _spark_submit(cores: int, memory: str, settings: Mapping[str, str]) -> list[str]:
    import pyspark

    home = os.path.dirname(pyspark.__file__)
    everything = {**settings, "spark.jars": ",".join(delta_jars())}
    configured = [part for name, value in everything.items() for part in ("--conf", f"{name}={value}")]
    main = "org.apache.spark.sql.connect.service.SparkConnectServer"
    return [f"{home}/bin/spark-submit", "--master", f"local[{cores}]", "--driver-memory", memory, "--class", main, *configured]


def _jvm_environment() -> dict[str, str]:
    """Workers are this interpreter and import what it can; nothing of an outer Spark reaches the server."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    path = os.pathsep.join(each for each in sys.path if each)
    return {**kept, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": path}


def delta_jars() -> list[str]:
    """Paths of Delta's jars, fetched into the Maven cache where they are not there yet."""
    from jgo.maven import MavenContext

    maven = MavenContext()
    artifacts = (maven.project("io.delta", name).at_version(DELTA_VERSION).artifact() for name in DELTA_ARTIFACTS)
    return [str(artifact.resolve()) for artifact in artifacts]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_port(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + JVM_START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    process.kill()
    raise TableError("JVM Spark did not start", next="check that Java 17 is installed and that memory is free")


def _connect(port: int) -> Any:
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"  # so that pyspark.sql.functions makes Connect columns
    from pyspark.sql.connect.session import SparkSession

    return SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()


def databricks() -> Engine:
    """The workspace's engine: the session a serverless task or notebook runs in, or Databricks Connect's."""
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession()
    if spark is None:
        try:
            from databricks.connect import DatabricksSession
        except ImportError:
            spark = SparkSession.builder.getOrCreate()
        else:
            spark = DatabricksSession.builder.serverless().getOrCreate()
    return Engine("databricks", spark, False, False, lambda: None)


def start(name: str) -> Engine:
    """An engine by name: ``sail``, ``jvm`` or ``databricks``."""
    engines = {"sail": sail, "jvm": jvm, "databricks": databricks}
    if name not in engines:
        raise UsageError(f"there is no engine {name!r}", next=f"choose one of {', '.join(engines)}")
    return engines[name]()


def translated(error: Exception, where: str) -> PinciteError | None:
    """Our error for an engine's; None where it is none of the known kinds."""
    text = str(error)
    if any(sign in text for sign in _FULL):
        return StorageFull("the disk is full", where=where, next="free some space and run again: no table was half-written")
    if any(sign in text for sign in _CONFLICTS):
        return CommitConflict("another writer committed first", where=where, next="run again when it has ended")
    if type(error).__module__.startswith(("pyspark", "grpc", "py4j", "deltalake", "_internal")):
        return TableError(f"the engine refused: {text.splitlines()[0][:300] if text else type(error).__name__}", where=where)
    return None
