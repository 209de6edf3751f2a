"""Rows of ``model.py`` to Arrow and back, column by column: no pandas, no dictionary per row."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Sequence
from typing import Any

from pincite.model import Block, Document, DocumentRow, Node, Scope, digest, sha256_hex
from pincite.tables.schema import arrow_schema, arrow_type, columns, is_record, strip_optional, table_named


def to_arrow(name: str, scope: Scope, rows: Sequence[Sequence[Any]]) -> Any:
    """A ``pyarrow.Table`` with all columns of table *name*; each row holds the values after the scope columns."""
    import pyarrow as pa

    schema = arrow_schema(name)
    described = columns(name)[len(scope) :]
    by_column: Iterable[Sequence[Any]] = zip(*rows) if rows else [() for _ in described]
    arrays = [pa.array([value] * len(rows), pa.string()) for value in scope]
    arrays += [_array(column.annotation, values) for column, values in zip(described, by_column)]
    if len(arrays) != len(schema):
        raise ValueError(f"{name}: a row has {len(arrays) - len(scope)} values, the table {len(described)} columns")
    return pa.Table.from_arrays(arrays, schema=schema)


def _array(hint: Any, values: Sequence[Any]) -> Any:
    """An Arrow array of *values*; records and lists of records are built from their columns."""
    import pyarrow as pa

    hint, _ = strip_optional(hint)
    if is_record(hint):
        return _records(hint, values)
    if typing.get_origin(hint) is tuple and is_record(typing.get_args(hint)[0]):
        offsets = [0]
        for value in values:
            offsets.append(offsets[-1] + len(value))
        inner = _records(typing.get_args(hint)[0], [item for value in values for item in value])
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), inner, type=arrow_type(hint))
    return pa.array(values, arrow_type(hint))


def _records(hint: Any, values: Sequence[Any]) -> Any:
    import pyarrow as pa

    hints = typing.get_type_hints(hint)
    by_field: Iterable[Sequence[Any]] = zip(*values) if values else [() for _ in hints]
    arrays = [_array(inner, column) for inner, column in zip(hints.values(), by_field)]
    return pa.StructArray.from_arrays(arrays, fields=list(arrow_type(hint)))


def from_arrow(name: str, table: Any) -> list[Any]:
    """Rows of ``table_named(name).row``, from an Arrow table that has at least its columns."""
    row = table_named(name).row
    hints = typing.get_type_hints(row)
    return [row(*values) for values in zip(*(_values(hint, table.column(field)) for field, hint in hints.items()))]


def _values(hint: Any, column: Any) -> list[Any]:
    values = column.to_pylist()
    convert = _converter(hint)
    return values if convert is None else [convert(value) for value in values]


def _converter(hint: Any) -> Any:
    """A function from Arrow's plain Python value to ours, or None where they are the same."""
    hint, _ = strip_optional(hint)
    if is_record(hint):
        converters = {field: _converter(inner) for field, inner in typing.get_type_hints(hint).items()}
        return lambda value: None if value is None else hint(*(f(value[k]) if f else value[k] for k, f in converters.items()))
    if typing.get_origin(hint) is tuple:
        inner = _converter(typing.get_args(hint)[0])
        return lambda value: tuple(value or ()) if inner is None else tuple(inner(item) for item in value or ())
    return None


# --- the rows of one document ----------------------------------------------------------------------------------------


def document_row(document: Document, passages: int, author_version: str) -> DocumentRow:
    """The row of ``documents`` for a parsed document with so many passages."""
    source = document.source
    text = b"".join(document.pages)
    values = (
        source.document_id,
        source.corpus_version,
        source.title,
        source.uri,
        source.path,
        source.media_type,
        source.source_sha256,
        sha256_hex(text),
        source.source_bytes,
        len(text),
        len(document.pages),
        document.parser,
        document.parser_version,
        author_version,
        True,
        "parsed",
        len(document.nodes),
        len(document.partition),
        passages,
        document.findings,
        document.links,
    )
    return DocumentRow(*values, digest(*values))


def partition_rows(document_id: str, partition: Sequence[Block]) -> list[tuple[Any, ...]]:
    """Rows of ``partition``."""
    return [(document_id, *block, digest(document_id, *block)) for block in partition]


def node_rows(
    document_id: str, nodes: Sequence[Node], held: Sequence[tuple[str, ...]], names: Sequence[tuple[str, ...]] = ()
) -> list[tuple[Any, ...]]:
    """Rows of ``nodes``, each with the passages that hold its text and what it may be called.

    *held* is what ``passages.chunks_of_nodes`` gives, *names* what ``references.names.names_of`` does; none is () for all.
    """
    rows = zip(nodes, held, names or [()] * len(nodes))
    return [(document_id, *node, called, ids, digest(document_id, *node, called, ids)) for node, ids, called in rows]
