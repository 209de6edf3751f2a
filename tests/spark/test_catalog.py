"""Tables of a catalog, as on Databricks, on JVM Spark's own catalog: created, migrated, merged, staged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pincite.errors import EmptySnapshot, SchemaDrift
from pincite.model import Passage, Scope
from pincite.tables import layout
from pincite.tables.engine import Engine
from pincite.tables.rows import from_arrow
from pincite.tables.store import SparkTableStore

pytestmark = pytest.mark.jvm
ONE, OTHER = Scope("p", "one"), Scope("p", "other two")
Make = Callable[..., Passage]


@pytest.fixture
def store(jvm: Engine, tmp_path: Path) -> Iterator[SparkTableStore]:
    jvm.spark.sql(f"CREATE DATABASE governed LOCATION '{tmp_path / 'governed'}'").collect()
    yield SparkTableStore("spark_catalog.governed", lambda: jvm._replace(local=False), local=False)
    jvm.spark.sql("DROP DATABASE governed CASCADE").collect()


def test_a_catalogs_table_is_made_migrated_and_merged(store: SparkTableStore, passage: Make) -> None:
    spark = store.engine.spark
    assert store.version("chunks") == -1
    assert store.bootstrap(["chunks"]) == ["chunks"]
    properties = spark.sql("DESCRIBE DETAIL spark_catalog.governed.chunks").collect()[0]
    assert properties["clusteringColumns"] == ["project", "collection"]
    assert properties["properties"]["delta.enableChangeDataFeed"] == "true"
    store.merge("chunks", OTHER, [passage("a", "other")])
    store.merge("chunks", ONE, [passage("a"), passage("b")])
    report = store.merge("chunks", ONE, [passage("a", "2"), passage("c")])
    assert (report.inserted, report.updated, report.deleted) == (1, 1, 1)
    assert report.version_after == report.version_before + 1 == store.version("chunks")
    assert not store.merge("chunks", ONE, [passage("a", "2"), passage("c")]).committed
    assert set(from_arrow("chunks", store.read("chunks", ONE))) == {passage("a", "2"), passage("c")}
    assert from_arrow("chunks", store.read("chunks", OTHER)) == [passage("a", "other")]
    with pytest.raises(EmptySnapshot):
        store.merge("chunks", ONE, [])


def test_a_catalogs_older_table_is_migrated_or_refused(store: SparkTableStore) -> None:
    spark = store.engine.spark
    spark.sql(layout.create_statement("spark_catalog.governed.chunks", "chunks", primary_key=False)).collect()
    spark.sql("CREATE TABLE spark_catalog.governed.partition (project STRING, document_id STRING) USING DELTA").collect()
    spark.sql("ALTER TABLE spark_catalog.governed.chunks SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')").collect()
    spark.sql("ALTER TABLE spark_catalog.governed.chunks DROP COLUMN groundedness").collect()
    assert store.bootstrap(["chunks"]) == ["chunks"]
    assert "groundedness" in spark.table("spark_catalog.governed.chunks").columns
    with pytest.raises(SchemaDrift, match="ordinal is missing and part of the key"):
        store.bootstrap(["partition"])


def test_a_stage_is_replaced_read_and_dropped(store: SparkTableStore) -> None:
    engine = store.engine
    for text in ("first", "second"):
        layout.write_stage(engine, store.location, ONE, engine.spark.sql(f"SELECT '{text}' AS reason"))
    staged = layout.stage(engine, store.location, ONE)
    assert [row["reason"] for row in staged.collect()] == ["second"]
    layout.drop_stage(engine, store.location, ONE)
    assert layout.stage(engine, store.location, ONE) is None
