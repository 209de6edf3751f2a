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

_KEYED = {
    "target_key": "coalesce(target_node_id, '')",
    "end_key": "coalesce(target_end_node_id, '')",
    "sought_key": "coalesce(sought, '')",
}
"""What a decision depends on: equal for edges that need the same nodes."""
_LOOKED_UP = ", ".join(f"{name} STRING" for name in (*_KEYED, "name"))
_HELD = "held_nodes"


def resolved(edges: Any, nodes: Any, scope: Scope) -> Any:
    """A DataFrame of ``relation_edges``: *edges* decided again, given the ``nodes`` of their scope.

    Two rounds: the nodes and documents that are named, then the places inside the documents that the first round found.
    """
    names = _names(nodes)
    asking = edges.where("(target_node_id IS NOT NULL OR sought <> '') AND status <> 'unsupported'").selectExpr(*_keys())
    first = _held(asking.distinct().mapInArrow(_look_ups, _LOOKED_UP), names)
    inside = first.where("sought_key LIKE '% § %'").selectExpr(*_KEYED, "name", "held_node.document_id AS document_id")
    second = _held(inside.mapInArrow(_look_ups_inside, _LOOKED_UP).distinct(), names)
    known = first.unionByName(second).selectExpr(*_KEYED, "named_struct('name', name, 'node', held_node) AS held_node")
    known = known.groupBy(*_KEYED).agg({"held_node": "collect_list"}).withColumnRenamed("collect_list(held_node)", _HELD)
    keyed = edges.selectExpr(*(f"`{name}`" for name in column_names("relation_edges")), *_keys())
    joined = keyed.join(known, list(_KEYED), "left")
    ddl = ", ".join(f"`{column.name}` {sql_type(column.annotation)}" for column in columns("relation_edges"))
    return joined.mapInArrow(partial(_decisions, scope=scope), ddl)


def _keys() -> list[str]:
    """The target counts where there is no name: that of a name is what was found last time."""
    found = "sought IS NULL OR sought = ''"
    return [
        f"CASE WHEN {found} OR '{name}' = 'sought_key' THEN {value} ELSE '' END AS {name}" for name, value in _KEYED.items()
    ]


def _names(nodes: Any) -> Any:
    """Everything a node may be asked for by: its id and its names."""
    held = "struct(document_id, node_id, chunk_ids) AS held_node"
    called = nodes.selectExpr("document_id", "node_id", "chunk_ids", "explode(names) AS called").selectExpr(
        "CASE WHEN called LIKE '§ %' THEN concat(document_id, ' ', called) ELSE called END AS name", held
    )
    return nodes.selectExpr("node_id AS name", held).unionByName(called)


def _held(looked_up: Any, names: Any) -> Any:
    return looked_up.join(names, "name").select(*_KEYED, "name", "held_node")


def asked(target: str, end: str, sought: str) -> Iterator[str]:
    """The names that a decision looks at first: those sought, or the target, its range's end and what contains them."""
    from pincite.references.named import look_ups
    from pincite.references.resolve import ancestors

    if sought:
        yield from look_ups(sought)
        return
    named = [name for name in (target, end) if name]
    yield from named
    for name in named:
        yield from ancestors(name)


def names_that_changed(before: Iterable[Any], after: Iterable[Any]) -> set[str]:
    """Every name, old or new, of documents whose nodes are not what they were. Both are Arrow tables of ``NAMED`` columns.

    Edges that ask for none of them are decided as they were: places inside a document are looked at where its name was found.
    """
    old, new = _known(before), _known(after)
    changed = [document_id for document_id in {*old, *new} if old.get(document_id) != new.get(document_id)]
    return {name for each in changed for known in (old, new) for name in known.get(each, ())}


NAMED = ("document_id", "node_id", "chunk_ids", "names")


def _known(tables: Iterable[Any]) -> dict[str, dict[str, set[Any]]]:
    """For each document, what each of its names means."""
    from pincite.references.resolve import known_of

    found: dict[str, dict[str, set[Any]]] = {}
    for table in tables:
        for document_id, node_id, chunk_ids, names in zip(*(table.column(name).to_pylist() for name in NAMED)):
            for name, held in known_of([(document_id, node_id, tuple(chunk_ids or ()), tuple(names or ()))]).items():
                found.setdefault(document_id, {}).setdefault(name, set()).update(held)
    return found


def _look_ups(batches: Iterable[Any]) -> Iterator[Any]:
    """A target or a name → one row for each key the decision asks for."""
    for batch in batches:
        rows = []
        for target, end, sought in zip(*(batch.column(name).to_pylist() for name in _KEYED)):
            rows += [(target, end, sought, name) for name in dict.fromkeys(asked(target, end, sought))]
        yield _asked(rows)


def _look_ups_inside(batches: Iterable[Any]) -> Iterator[Any]:
    """A name and a document it was found to be → one row for each place in it the decision asks for."""
    from pincite.references.named import look_ups_inside

    for batch in batches:
        rows = []
        for target, end, sought, name, document_id in zip(*(column.to_pylist() for column in batch.columns)):
            rows += [(target, end, sought, key) for key in dict.fromkeys(look_ups_inside(sought, [(name, document_id)]))]
        yield _asked(rows)


def _asked(rows: list[tuple[str, str, str, str]]) -> Any:
    import pyarrow as pa

    schema = pa.schema([(name, pa.string()) for name in (*_KEYED, "name")])
    by_column = zip(*rows) if rows else [()] * len(schema)
    return pa.RecordBatch.from_arrays([pa.array(values, pa.string()) for values in by_column], schema=schema)


def _decisions(batches: Iterable[Any], scope: Scope) -> Iterator[Any]:
    """Edges with the nodes they know → edges decided."""
    import pyarrow as pa

    from pincite.references.named import Held
    from pincite.references.resolve import reresolve

    for batch in batches:
        table = pa.Table.from_batches([batch])
        edges = from_arrow("relation_edges", table)
        decided: list[Edge] = []
        for edge, held in zip(edges, table.column(_HELD).to_pylist()):
            known: dict[str, list[Held]] = {}
            for each in held or ():
                node = each["node"]
                held_node = Held(node["document_id"], tuple(node["chunk_ids"] or ()), node["node_id"])
                if held_node not in known.setdefault(each["name"], []):
                    known[each["name"]].append(held_node)
            decided += reresolve([edge._replace(sought=edge.sought or "")], known)
        yield from to_arrow("relation_edges", scope, decided).to_batches()
