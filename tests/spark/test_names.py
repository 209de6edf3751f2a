"""The join over a corpus decides references by name as the corpus in memory does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pincite.evaluate.pin import documents
from pincite.model import Scope
from pincite.references.resolve import known_of, resolve
from pincite.sources.manifest import load
from pincite.tables.corpus import made_of
from pincite.tables.engine import Engine
from pincite.tables.resolution import resolved
from pincite.tables.rows import from_arrow, node_rows, to_arrow

REPOSITORY = Path(__file__).parents[2]
SCOPE = Scope("demo", "service-desk")


@pytest.mark.sail
def test_names_are_resolved_by_the_join_as_in_memory(sail: Engine) -> None:
    sources = load(REPOSITORY / "conf/corpora/team.yml").sources
    made = [made_of(document) for document in documents(sources, REPOSITORY / "fixtures/team")]
    rows: list[Any] = [
        row for each in made for row in node_rows(each.document.source.document_id, each.document.nodes, each.held, each.names)
    ]
    known = known_of((row[0], row[1], row[-2], row[-3]) for row in rows)
    in_memory = [e for m in made for e in resolve(m.observed, known, source=m.document.source, passages=m.passages)]
    open_ = [e for m in made for e in resolve(m.observed, {}, source=m.document.source, passages=m.passages)]
    assert {edge.status for edge in open_} <= {"unresolved", "out_of_corpus"}
    frames = [sail.spark.createDataFrame(to_arrow(name, SCOPE, r)) for name, r in (("relation_edges", open_), ("nodes", rows))]
    decided = from_arrow("relation_edges", resolved(*frames, SCOPE).toArrow())
    assert sorted(decided) == sorted(in_memory)
    again = resolved(sail.spark.createDataFrame(to_arrow("relation_edges", SCOPE, decided)), frames[1].where("false"), SCOPE)
    assert sorted(e.edge_id for e in from_arrow("relation_edges", again.toArrow()) if e.status == "resolved") == []
