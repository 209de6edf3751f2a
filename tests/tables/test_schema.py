"""The tables are derived from model.py: columns, comments, keys, and the forms engines read."""

from __future__ import annotations

import pyarrow as pa
import pytest

from pincite import model
from pincite.errors import UsageError
from pincite.tables import schema


@pytest.mark.parametrize("name", schema.TABLES)
def test_every_table_begins_with_its_scope_and_has_its_key(name: str) -> None:
    names = schema.column_names(name)
    assert names[:2] == ("project", "collection")
    assert set(schema.TABLES[name].key) <= set(names)
    assert len(set(names)) == len(names)


def test_columns_follow_the_row_type() -> None:
    assert schema.column_names("chunks")[2:] == model.Passage._fields
    assert schema.column_names("partition")[2:] == ("document_id", *model.Block._fields, "content_hash")
    assert schema.column_names("nodes")[-2:] == ("chunk_ids", "content_hash")


def test_snapshots_are_written_with_documents_last() -> None:
    assert schema.SNAPSHOTS[-1] == "documents"
    assert set(schema.SNAPSHOTS) == {name for name, table in schema.TABLES.items() if not table.log}


def test_a_trailing_comment_becomes_the_column_comment() -> None:
    comment = next(c.comment for c in schema.columns("chunks") if c.name == "evidence_text")
    assert comment.startswith("the document's own words")
    assert "the document\\'s own words" in schema.ddl_columns("chunks")


def test_types_in_sql_and_arrow() -> None:
    assert "`spans` ARRAY<STRUCT<`page`: BIGINT, `start`: BIGINT, `end`: BIGINT, `sha256`: STRING" in schema.ddl_columns(
        "chunks"
    )
    arrow = schema.arrow_schema("chunks")
    assert pa.types.is_struct(arrow.field("spans").type.value_type)
    assert not arrow.field("chunk_id").nullable
    assert arrow.field("groundedness").nullable


def test_an_unknown_table_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="choose one of documents"):
        schema.table_named("chunks; DROP TABLE chunks")
