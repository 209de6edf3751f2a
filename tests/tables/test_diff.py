"""The difference between what a scope holds and its new snapshot."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import TableError
from pincite.tables.diff import changes

Rows = dict[str, tuple[str, str]]  # key -> document_id, content_hash


def table(rows: Rows) -> pa.Table:
    columns = {
        "chunk_id": list(rows),
        "document_id": [document for document, _ in rows.values()],
        "content_hash": [hashed for _, hashed in rows.values()],
    }
    return pa.table(columns, schema=pa.schema([(name, pa.string()) for name in columns]))


def applied(old: Rows, new: Rows, kept: set[str]) -> Rows:
    """What a MERGE makes of *old*, given only the changes."""
    change = changes(table(old), table(new), ("chunk_id",), kept)
    state = {key: value for key, value in old.items() if key not in change.deletes.column("chunk_id").to_pylist()}
    state.update({row["chunk_id"]: (row["document_id"], row["content_hash"]) for row in change.upserts.to_pylist()})
    assert len(state) == change.unchanged + change.inserted + change.updated
    assert change.empty == (state == old)
    return state


contents = st.tuples(st.sampled_from(["d1", "d2", "d3"]), st.sampled_from("123")).map(lambda pair: (pair[0], "".join(pair)))
rows = st.dictionaries(st.sampled_from("abcdefgh"), contents)  # a content hash covers the document's id


@given(rows, rows)
def test_a_snapshot_becomes_the_whole_state(old: Rows, new: Rows) -> None:
    assert applied(old, new, set()) == new
    assert changes(table(new), table(new), ("chunk_id",)).empty


@given(rows, rows, st.sets(st.sampled_from(["d1", "d2", "d3"])))
def test_rows_of_kept_documents_are_never_deleted(old: Rows, new: Rows, kept: set[str]) -> None:
    state = applied(old, new, kept)
    for key, (document, _) in old.items():
        assert (key in state) == (key in new or document in kept)


def test_only_what_changed_is_shipped() -> None:
    old = {"a": ("d", "1"), "b": ("d", "1"), "c": ("d", "1")}
    change = changes(table(old), table({"a": ("d", "1"), "b": ("d", "2"), "z": ("d", "1")}), ("chunk_id",))
    assert change.upserts.column("chunk_id").to_pylist() == ["b", "z"]
    assert change.deletes.column("chunk_id").to_pylist() == ["c"]
    assert (change.inserted, change.updated, change.deleted, change.unchanged) == (1, 1, 1, 1)


def test_two_rows_with_one_key_are_refused() -> None:
    doubled = pa.concat_tables([table({"a": ("d", "1")}), table({"a": ("d", "2")})])
    with pytest.raises(TableError, match="not unique"):
        changes(table({}), doubled, ("chunk_id",))
