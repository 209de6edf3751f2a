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
from collections.abc import Callable
from typing import Any, NamedTuple

from pincite.errors import CommitConflict, PinciteError, StorageFull, TableError, UsageError


class Engine(NamedTuple):
    """A running engine: a Spark Connect session (or one with the same DataFrame API) and what it can do."""

    name: str
    spark: Any
    local: bool  # tables are folders that ``deltalake`` can read beside the engine
    stop: Callable[[], None]


_CONFLICTS = ("Failed to commit transaction", "DELTA_CONCURRENT", "ConcurrentAppendException", "ConcurrentDelete")
_FULL = ("No space left on device", "os error 28", "ENOSPC", "Disk quota exceeded")


def sail() -> Engine:
    """The embedded engine: a Spark Connect server on a loopback port of its own, in this process."""
    os.environ.setdefault("RUST_LOG", "off")
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    port = server.listening_address[1]
    from pyspark.sql.connect.session import SparkSession

    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()

    def stop() -> None:
        spark.stop()
        server.stop()

    return Engine("sail", spark, True, stop)


def start(name: str) -> Engine:
    """An engine by name: ``sail``, ``jvm`` or ``databricks``."""
    engines = {"sail": sail}
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
