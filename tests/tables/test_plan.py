"""Planning: each document of the manifest and of the table gets one action and its reason."""

from __future__ import annotations

from pincite.model import DocumentRow, Source
from pincite.tables.plan import plan


def source(document_id: str, sha256: str = "a" * 64, corpus_version: str = "2026-01-01") -> Source:
    return Source(document_id, corpus_version, "Title", "https://example.org/", "application/xml", "a.xml", 3, sha256)


def row(of: Source, status: str = "parsed", version: str = "v1") -> DocumentRow:
    return DocumentRow(
        of.document_id, of.corpus_version, of.title, of.uri, of.path, of.media_type, of.source_sha256, "", 3, 3, 1, "p", "1",
        version, True, status, 0, 0, 0, (), (), "",
    )  # fmt: skip


def actions(sources: list[Source], rows: list[DocumentRow]) -> dict[str, str]:
    return {each.document_id: each.action for each in plan(sources, rows, lambda _: "v1").actions}


def test_new_changed_unchanged_and_gone() -> None:
    known = [row(source("same")), row(source("changed", "b" * 64)), row(source("gone"))]
    assert actions([source("same"), source("changed"), source("new")], known) == {
        "same": "skip",
        "changed": "parse",
        "new": "parse",
        "gone": "remove",
    }


def test_another_parser_or_an_earlier_failure_is_parsed_again() -> None:
    one = source("one")
    assert actions([one], [row(one, version="v0")]) == {"one": "parse"}
    assert actions([one], [row(one, status="failed")]) == {"one": "parse"}


def test_another_edition_is_written_although_its_bytes_are_the_same() -> None:
    assert actions([source("one", corpus_version="2026-02-01")], [row(source("one"))]) == {"one": "parse"}


def test_every_action_says_why_and_a_repeated_run_has_nothing_to_do() -> None:
    first = plan([source("one")], [], lambda _: "v1")
    assert not first.nothing_to_do
    assert first.parse == (source("one"),)
    again = plan([source("one")], [row(source("one"))], lambda _: "v1")
    assert again.nothing_to_do
    assert again.kept == {"one"}
    assert all(each.reason for each in (*first.actions, *again.actions))


def test_an_empty_manifest_removes_everything_by_name() -> None:
    assert plan([], [row(source("one"))], lambda _: "v1").removed == ("one",)
