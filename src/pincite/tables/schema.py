"""The tables, derived from the row types of ``model.py``: columns, keys, comments, and their Arrow, SQL and Delta forms."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Collection
from functools import cache
from typing import Any, NamedTuple

from pincite import model
from pincite.errors import UsageError

SCOPE_COLUMNS = ("project", "collection")
_COMMENTED_FIELD = re.compile(r"^    (\w+): [^#\n]*#\s*(.+?)\s*$", re.MULTILINE)


class Column(NamedTuple):
    """``annotation`` is the resolved Python type; ``nullable`` where it admits None."""

    name: str
    annotation: Any
    comment: str
    nullable: bool


class Table(NamedTuple):
    """``key`` is unique within a scope. ``lead`` and ``tail`` are columns around those of ``row``, with their comments."""

    name: str
    row: Any
    key: tuple[str, ...]
    comment: str
    lead: tuple[tuple[str, Any, str], ...] = ()
    tail: tuple[tuple[str, Any, str], ...] = ()
    log: bool = False  # a log is appended to; any other table holds a snapshot and is merged


_DOCUMENT = ("document_id", str, "the document these bytes belong to")
_HASH = ("content_hash", str, "of every other column but the scope")
_NAMES = ("names", tuple[str, ...], "what a reference may call it: see references/names.py; none where its id is a citation")
_CHUNK_IDS = ("chunk_ids", tuple[str, ...], "the passages that hold this node's text, in order")

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table("documents", model.DocumentRow, ("document_id",), "One row per source document, as last authored."),
        Table(
            "partition",
            model.Block,
            ("document_id", "ordinal"),
            "An ordered, gapless cover of every extracted byte of each document, each stretch with its role.",
            (_DOCUMENT,),
            (_HASH,),
        ),
        Table(
            "nodes",
            model.Node,
            ("document_id", "node_id", "ordinal"),
            "Every addressable place of a corpus: the right side of reference resolution.",
            (_DOCUMENT,),
            (_NAMES, _CHUNK_IDS, _HASH),
        ),
        Table("chunks", model.Passage, ("chunk_id",), "Passages: what is searched, cited and quoted."),
        Table("relation_edges", model.Edge, ("edge_id",), "One row per cross-reference, as observed, with an honest status."),
        Table("ingest_log", model.IngestRow, ("run_id", "document_id"), "What each run decided about each document.", log=True),
        Table(
            "enrichment_log",
            model.EnrichmentRow,
            ("run_id", "chunk_id"),
            "What a model wrote and the gate's word on it.",
            log=True,
        ),
        Table(
            "health_log",
            model.HealthRow,
            ("run_id", "measure", "kind"),
            "What each run left: documents, passages, references, uncertain places.",
            log=True,
        ),
        Table("retrieval_log", model.RetrievalRow, ("retrieval_id",), "Each question and why it got its answer.", log=True),
        Table("evaluation_log", model.EvaluationRow, ("evaluation_id",), "What each evaluation measured, over time.", log=True),
    )
}
SNAPSHOTS = ("partition", "nodes", "chunks", "relation_edges", "documents")
"""The merged tables in the order they are written: ``documents`` last, so that a killed run is seen and taken up again."""


def table_named(name: str) -> Table:
    """The definition of a table; ``UsageError`` where there is none."""
    if name not in TABLES:
        raise UsageError(f"there is no table {name!r}", next=f"choose one of {', '.join(TABLES)}")
    return TABLES[name]


@cache
def columns(name: str) -> tuple[Column, ...]:
    """All columns of a table, scope first."""
    table = table_named(name)
    scope = [("project", str, "with collection the scope: whose rows these are"), ("collection", str, "see project")]
    comments = field_comments(table.row)
    row = [(field, hint, comments.get(field, "")) for field, hint in typing.get_type_hints(table.row).items()]
    return tuple(_column(*each) for each in (*scope, *table.lead, *row, *table.tail))


@cache
def column_names(name: str) -> tuple[str, ...]:
    """The names of a table's columns, in order."""
    return tuple(column.name for column in columns(name))


def field_comments(row: Any) -> dict[str, str]:
    """The trailing comment of each field, from the class's source text."""
    return {match[1]: match[2] for match in _COMMENTED_FIELD.finditer(inspect.getsource(row))}


def _column(name: str, hint: Any, comment: str) -> Column:
    inner, nullable = strip_optional(hint)
    return Column(name, inner, comment, nullable)


def strip_optional(hint: Any) -> tuple[Any, bool]:
    """``int | None`` → ``(int, True)``; anything else → ``(itself, False)``."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        inner = [each for each in typing.get_args(hint) if each is not type(None)]
        return inner[0], True
    return hint, False


def is_record(hint: Any) -> bool:
    """Whether a type is one of the named tuples."""
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")


# --- forms -----------------------------------------------------------------------------------------------------------

_SQL = {str: "STRING", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}


def sql_type(hint: Any) -> str:
    """The Spark SQL type of an annotation.

    >>> sql_type(tuple[str, ...])
    'ARRAY<STRING>'
    """
    hint, _ = strip_optional(hint)
    if hint in _SQL:
        return _SQL[hint]
    if is_record(hint):
        fields = ", ".join(f"`{name}`: {sql_type(inner)}" for name, inner in typing.get_type_hints(hint).items())
        return f"STRUCT<{fields}>"
    return f"ARRAY<{sql_type(typing.get_args(hint)[0])}>"


def arrow_type(hint: Any) -> Any:
    """The pyarrow type of an annotation."""
    import pyarrow as pa

    hint, _ = strip_optional(hint)
    simple = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    if hint in simple:
        return simple[hint]
    if is_record(hint):
        return pa.struct([(name, arrow_type(inner)) for name, inner in typing.get_type_hints(hint).items()])
    return pa.list_(pa.field("element", arrow_type(typing.get_args(hint)[0])))


@cache
def arrow_schema(name: str) -> Any:
    """The ``pyarrow.Schema`` of a table: keys and scope not nullable, column comments as metadata."""
    import pyarrow as pa

    required = {*SCOPE_COLUMNS, *table_named(name).key}
    return pa.schema(
        [
            pa.field(
                column.name,
                arrow_type(column.annotation),
                nullable=column.name not in required,
                metadata={"comment": column.comment} if column.comment else None,
            )
            for column in columns(name)
        ]
    )


def ddl_columns(name: str, wanted: Collection[str] | None = None) -> str:
    """The column list of ``CREATE TABLE`` (or of ADD COLUMNS, for *wanted*): name, type, NOT NULL for the key, comment."""
    required = {*SCOPE_COLUMNS, *table_named(name).key}
    return ", ".join(
        f"`{column.name}` {sql_type(column.annotation)}"
        + (" NOT NULL" if column.name in required else "")
        + (f" COMMENT {sql_string(column.comment)}" if column.comment else "")
        for column in columns(name)
        if wanted is None or column.name in wanted
    )


def sql_string(text: str) -> str:
    """A Spark SQL string literal. Only for comments and names that were checked; values go in as parameters or columns."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
