"""Each engine reads and changes what the other wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pincite.model import Passage, Scope
from pincite.tables.engine import Engine
from pincite.tables.rows import from_arrow
from pincite.tables.store import SparkTableStore

pytestmark = [pytest.mark.jvm, pytest.mark.sail]
ONE, OTHER = Scope("p", "one"), Scope("p", "other two")


@pytest.mark.parametrize("first", ["sail", "jvm"])
def test_what_one_writes_the_other_reads_and_changes(
    sail: Engine, jvm: Engine, tmp_path: Path, passage: Callable[..., Passage], first: str
) -> None:
    stores = {name: SparkTableStore(tmp_path, lambda engine=engine: engine) for name, engine in (("sail", sail), ("jvm", jvm))}
    writer, reader = (stores["sail"], stores["jvm"]) if first == "sail" else (stores["jvm"], stores["sail"])
    writer.merge("chunks", ONE, [passage("a"), passage("b"), passage("c")])
    writer.merge("chunks", ONE, [passage("a"), passage("b", "it's 2")])
    writer.merge("chunks", OTHER, [passage("z")])
    seen = reader.frame("chunks", ONE).toArrow()
    assert set(from_arrow("chunks", seen)) == {passage("a"), passage("b", "it's 2")}
    report = reader.merge("chunks", ONE, [passage("b", "3"), passage("d")])
    assert (report.inserted, report.updated, report.deleted) == (1, 1, 1)
    back = writer.frame("chunks").toArrow()
    assert set(from_arrow("chunks", back)) == {passage("b", "3"), passage("d"), passage("z")}
