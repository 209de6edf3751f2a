"""Resolution over a whole corpus as a join: every edge of a scope against every node of it.

The decision is ``pincite.references.resolve.reresolve``, the same that serves a corpus held in memory; the join only
brings each edge the nodes it has to know: its target, its range's end, and what contains them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from pincite.model import Edge, Scope
from pincite.tables.rows import from_arrow, to_arrow
from pincite.tables.schema import column_names, columns, sql_type

_LOOKED_UP = "target_node_id STRING, end_key STRING, node_id STRING"
_HELD = "held_nodes"


def resolved(edges: Any, nodes: Any, scope: Scope) -> Any:
    """A DataFrame of ``relation_edges``: *edges* decided again, given the ``nodes`` of their scope."""
    targets = edges.where("target_node_id IS NOT NULL AND status <> 'unsupported'").selectExpr(
        "target_node_id", "coalesce(target_end_node_id, '') AS end_key"
    )
    looked_up = targets.distinct().mapInArrow(_look_ups, _LOOKED_UP)
    held = looked_up.join(nodes.select("node_id", "document_id", "chunk_ids"), "node_id").selectExpr(
        "target_node_id", "end_key", "struct(document_id, node_id, chunk_ids) AS held_node"
    )
    known = held.groupBy("target_node_id", "end_key").agg({"held_node": "collect_list"})
    known = known.withColumnRenamed("collect_list(held_node)", _HELD)
    keyed = edges.selectExpr(
        *(f"`{name}`" for name in column_names("relation_edges")), "coalesce(target_end_node_id, '') AS end_key"
    )
    joined = keyed.join(known, ["target_node_id", "end_key"], "left")
    ddl = ", ".join(f"`{column.name}` {sql_type(column.annotation)}" for column in columns("relation_edges"))
    return joined.mapInArrow(partial(_decisions, scope=scope), ddl)


def _look_ups(batches: Iterable[Any]) -> Iterator[Any]:
    """(target, end) → one row for each node id the decision asks for."""
    import pyarrow as pa

    from pincite.references.resolve import ancestors

    schema = pa.schema([(name, pa.string()) for name in ("target_node_id", "end_key", "node_id")])
    for batch in batches:
        rows = []
        for target, end in zip(batch.column("target_node_id").to_pylist(), batch.column("end_key").to_pylist()):
            asked = [name for name in (target, end) if name]
            wanted = dict.fromkeys([*asked, *(above for name in asked for above in ancestors(name))])
            rows += [(target, end, name) for name in wanted]
        by_column = zip(*rows) if rows else ((), (), ())
        yield pa.RecordBatch.from_arrays([pa.array(values, pa.string()) for values in by_column], schema=schema)


def _decisions(batches: Iterable[Any], scope: Scope) -> Iterator[Any]:
    """Edges with the nodes they know → edges decided."""
    import pyarrow as pa

    from pincite.references.resolve import known_of, reresolve

    for batch in batches:
        table = pa.Table.from_batches([batch])
        edges = from_arrow("relation_edges", table)
        decided: list[Edge] = []
        for edge, held in zip(edges, table.column(_HELD).to_pylist()):
            known = known_of((node["document_id"], node["node_id"], tuple(node["chunk_ids"] or ())) for node in held or ())
            decided += reresolve([edge], known)
        yield from to_arrow("relation_edges", scope, decided).to_batches()
