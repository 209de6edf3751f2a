"""Statements for a catalog, without one."""

from __future__ import annotations

import pytest

from pincite.model import Scope
from pincite.tables.layout import create_statement, drift, reference
from pincite.tables.rows import to_arrow
from pincite.tables.schema import TABLES, arrow_schema, ddl_columns, table_named
from pincite.tables.statement import merge_statement, scope_condition


@pytest.mark.parametrize("name", TABLES)
def test_a_catalog_table_has_comments_key_feed_and_clustering(name: str) -> None:
    made = create_statement("`main`.`gold`.`t`", name)
    key = ", ".join(f"`{column}`" for column in ("project", "collection", *TABLES[name].key))
    assert f"CONSTRAINT `{name}_key` PRIMARY KEY ({key})" in made
    assert "CLUSTER BY (project, collection)" in made
    assert "'delta.enableChangeDataFeed' = 'true'" in made
    assert "`project` STRING NOT NULL COMMENT 'with collection the scope" in made
    assert "PRIMARY KEY" not in create_statement("t", name, primary_key=False)


def test_names_are_quoted() -> None:
    assert reference(False, "main.gold", "partition") == "`main`.`gold`.`partition`"
    assert reference(True, "/data/tables", "chunks") == "delta.`/data/tables/chunks`"


def test_only_the_wanted_columns_are_added() -> None:
    assert ddl_columns("documents", ["author_version", "links"]).count(" COMMENT ") == 2


def test_a_table_as_we_write_it_has_no_drift() -> None:
    for name in TABLES:
        assert drift(name, {field.name: field.type for field in arrow_schema(name)}) == []
        assert to_arrow(name, Scope("p", "c"), []).num_rows == 0


def test_the_scope_stands_in_the_join_and_in_the_delete_clause() -> None:
    scope = Scope("fda", "gmp 2026")
    statement = merge_statement(table_named("chunks"), scope, "`t`", "v")
    join, _, clauses = statement.partition(" WHEN MATCHED ")
    delete = clauses.partition(" THEN DELETE")[0]
    for part in (join, delete):
        assert "t.`project` = 'fda' AND t.`collection` = 'gmp 2026'" in part
    assert scope_condition(scope) == "`project` = 'fda' AND `collection` = 'gmp 2026'"
