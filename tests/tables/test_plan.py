"""Planning: each document of the manifest and of the table gets one action and its reason."""

from __future__ import annotations

from pincite.model import DocumentRow, Source
from pincite.sources.manifest import Barred
from pincite.tables.plan import decisions, plan, summary


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


def test_what_a_run_left_half_written_is_read_again_or_removed() -> None:
    same, back, twin = source("same"), source("back", "c" * 64), "b" * 64
    known = [row(same), row(back)]
    sources = [same, back, source("barred", "d" * 64), source("original", twin), source("copy", twin)]
    barred = {"barred": Barred("empty", "it is empty")}
    made = plan(
        sources, known, lambda _: "v1", barred, skip_duplicates=True, unfinished={"back", "gone", "barred", "copy"}
    ).actions
    assert {each.document_id: (each.action, each.kind) for each in made} == {
        "same": ("skip", "unchanged"),
        "back": ("parse", "again"),
        "barred": ("skip", "empty"),
        "copy": ("remove", "duplicate"),
        "original": ("parse", "new"),
        "gone": ("remove", "removed"),
    }


def test_an_empty_manifest_removes_everything_by_name() -> None:
    assert plan([], [row(source("one"))], lambda _: "v1").removed == ("one",)


def test_what_is_barred_is_skipped_with_its_reason_and_keeps_its_rows() -> None:
    known = [row(source("locked")), row(source("left-out"))]
    barred = {
        "locked": Barred("encrypted", "it needs a password"),
        "empty": Barred("empty", "it has no bytes"),
        "left-out": Barred("excluded", "a pattern excludes it"),
    }
    made = plan([source("locked", "b" * 64), source("empty"), source("left-out")], known, lambda _: "v1", barred)
    assert [(each.document_id, each.action, each.kind) for each in made.actions] == [
        ("locked", "skip", "encrypted"), ("empty", "skip", "empty"), ("left-out", "remove", "excluded")
    ]  # fmt: skip
    assert "rows of its earlier version stay" in made.actions[0].reason
    assert [each.document_id for each in made.incidents] == ["locked", "empty"]


def test_of_equal_files_one_is_read_the_one_that_is_there_already() -> None:
    first, second = source("a")._replace(path="a"), source("b")._replace(path="b")
    fresh = plan([first, second], [], lambda _: "v1", skip_duplicates=True)
    assert [(each.action, each.kind) for each in fresh.actions] == [("parse", "new"), ("skip", "duplicate")]
    there = plan([first, second], [row(second)], lambda _: "v1", skip_duplicates=True)
    assert [(each.action, each.kind) for each in there.actions] == [("skip", "duplicate"), ("skip", "unchanged")]
    became = plan([first, second], [row(first), row(source("b", "b" * 64))], lambda _: "v1", skip_duplicates=True)
    assert [(each.action, each.kind) for each in became.actions] == [("skip", "unchanged"), ("remove", "duplicate")]
    assert not fresh.incidents


def test_a_moved_file_is_told_from_a_changed_one() -> None:
    (action,) = plan([source("a")._replace(path="new/a.xml")], [row(source("a"))], lambda _: "v1").actions
    assert (action.action, action.kind) == ("parse", "moved")
    assert "new/a.xml" in action.reason


def test_the_summary_keeps_health_apart_from_incidents() -> None:
    sources = [source(f"d{i}", f"{i:064}") for i in range(1000)]
    known = [row(each) for each in sources[:900]]
    barred = {each.document_id: Barred("unsupported", "there is no reader for it") for each in sources[900:]}
    lines = summary(plan(sources, known, lambda _: "v1", barred))
    told = decisions(plan(sources, known, lambda _: "v1", barred))
    assert len(told) == len(barred), "what is as it was is not told"
    assert all(barred[line.split()[1]].reason in line for line in told)
    assert lines[0].endswith("nothing")
    assert "900 unchanged" in lines[1]
    assert "100 files are not read: 100 unsupported" in lines[2]
    assert not any(line.startswith("incident") for line in summary(plan(sources[:900], known, lambda _: "v1")))


def test_of_files_with_the_same_bytes_the_plainest_name_is_read() -> None:
    def named(path: str) -> Source:
        return source(path)._replace(path=path, media_type="text/csv")

    paths = ["a/copy of register.csv", "a/register.xlsx", "register (2).csv", "archive/register.csv", "z/register.csv"]
    decided = plan([named(path) for path in paths], [], lambda _: "v1", skip_duplicates=True).actions
    assert [each.document_id for each in decided if each.action == "parse"] == ["z/register.csv"]
