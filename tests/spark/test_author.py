"""Authoring through the engine: stage, resolution as a join, publication."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pincite.errors import TableError
from pincite.model import Scope, Source, sha256_hex
from pincite.tables import health
from pincite.tables.author import author
from pincite.tables.plan import plan
from pincite.tables.publish import Published, publish
from pincite.tables.rows import from_arrow
from pincite.tables.spool import Spool
from pincite.tables.statement import Merged
from pincite.tables.store import SparkTableStore

SCOPE = Scope("example", "rules")


def part(number: int, target: str) -> bytes:
    return (
        f'<?xml version="1.0"?><DIV5 N="{number}" TYPE="PART" NODE="98:1.0.1"><HEAD>PART {number}—RECORDS</HEAD>'
        f'<DIV8 N="{number}.1" TYPE="SECTION" NODE="x"><HEAD>§ {number}.1 Scope.</HEAD>'
        f"<P>(a) Records are kept as {target} says.</P><P>(b) Nobody's record is lost.</P></DIV8></DIV5>"
    ).encode()


def land(folder: Path, **texts: bytes) -> list[Source]:
    folder.mkdir(exist_ok=True)
    sources = []
    for name, data in texts.items():
        (folder / f"{name}.xml").write_bytes(data)
        uri = f"https://example.org/title-98/{name}"
        sources.append(Source(name, "2026-01-01", name, uri, "application/xml", f"{name}.xml", len(data), sha256_hex(data)))
    return sources


def run(store: SparkTableStore, sources: list[Source], landing: Path, run_id: str, version: str = "v1") -> Published:
    planned = plan(sources, from_arrow("documents", store.read("documents", SCOPE)), lambda _: version)
    author(store, SCOPE, planned, landing, version)
    return publish(store, SCOPE, run_id, "2026-01-01T00:00:00Z")


def edges_of(store: SparkTableStore, document_id: str) -> list[tuple[str, str, int]]:
    rows = from_arrow("relation_edges", store.read("relation_edges", SCOPE))
    return [(r.target_node_id, r.status, len(r.target_chunk_ids)) for r in rows if r.document_id == document_id]


def test_a_part_that_comes_later_settles_what_waited_for_it(store: SparkTableStore, tmp_path: Path) -> None:
    first, second = land(tmp_path / "raw", one=part(1, "§ 2.1(b) of this chapter"), two=part(2, "§ 2.1(b)"))
    run(store, [first], tmp_path / "raw", "r1")
    assert [status for _, status, _ in edges_of(store, "one")] == ["out_of_corpus"]
    (tmp_path / "raw" / "one.xml").unlink()  # the first part cannot be read again, and need not be
    done = run(store, [first, second], tmp_path / "raw", "r2")
    assert edges_of(store, "one") == [("98 CFR 2.1(b)", "resolved", 1)]
    assert done.failed == ()
    assert (done.tables["relation_edges"].updated, done.tables["relation_edges"].inserted) == (1, 1)


@pytest.fixture(params=[pytest.param(1000, id="whole"), pytest.param(1, id="sliced")])
def sliced(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stage whole, and in slices of one document."""
    monkeypatch.setattr("pincite.tables.spool.SLICE_DOCUMENTS", request.param)


@pytest.mark.sail
@pytest.mark.usefixtures("sliced")
def test_failures_skips_and_removals_leave_a_reason_and_no_loss(sail_store: SparkTableStore, tmp_path: Path) -> None:
    store, raw = sail_store, tmp_path / "raw"
    good, bad = part(1, "§ 1.1(b)"), b"<DIV5><HEAD>cut"
    sources = land(raw, good=good, broken=bad, later=part(3, "§ 1.1"))
    done = run(store, sources, raw, "r1")
    assert [name for name, _ in done.failed] == ["broken"]
    before = store.read("chunks", SCOPE).num_rows
    statuses = dict(zip(*(store.read("documents", SCOPE)[name].to_pylist() for name in ("document_id", "status"))))
    assert statuses == {"good": "parsed", "broken": "failed", "later": "parsed"}

    # the good one is damaged, the last one leaves the manifest
    damaged = land(raw, good=b"<DIV5", broken=bad)
    done = run(store, damaged, raw, "r2")
    assert {name for name, _ in done.failed} == {"good", "broken"}
    assert done.tables["chunks"].deleted == before - done.tables["chunks"].unchanged > 0
    assert set(store.read("chunks", SCOPE)["document_id"].to_pylist()) == {"good"}
    log = [(row["run_id"], row["document_id"], row["action"]) for row in store.read("ingest_log", SCOPE).to_pylist()]
    assert Counter(log) == Counter(
        [
            ("r1", "good", "parse"),
            ("r1", "broken", "fail"),
            ("r1", "later", "parse"),
            ("r2", "good", "fail"),
            ("r2", "broken", "fail"),
            ("r2", "later", "remove"),
        ]
    )
    assert all(row["reason"] for row in store.read("ingest_log", SCOPE).to_pylist())

    # the same failures again change no table but the log
    again = run(store, damaged, raw, "r3")
    assert not any(report.committed for report in again.tables.values())


@pytest.mark.sail
def test_a_changed_byte_fails_its_document_only(sail_store: SparkTableStore, tmp_path: Path) -> None:
    sources = land(tmp_path / "raw", one=part(1, "§ 1.1"), two=part(2, "§ 2.1"))
    (tmp_path / "raw" / "two.xml").write_bytes(part(2, "§ 2.2"))
    done = run(sail_store, sources, tmp_path / "raw", "r1")
    assert [name for name, _ in done.failed] == ["two"]
    assert "changed while it was read" in done.failed[0][1]
    assert edges_of(sail_store, "one")


@pytest.mark.sail
@pytest.mark.usefixtures("sliced")
def test_a_run_killed_between_two_tables_ends_in_the_same_tables(
    sail_store: SparkTableStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = tmp_path / "raw"
    sources = land(raw, one=part(1, "§ 2.1(b) of this chapter"), two=part(2, "§ 1.1"))
    calls = []
    merge = Spool.merge

    def killed(self: Spool, table: str) -> Merged:
        calls.append(table)
        if table == dies_at:
            raise KeyboardInterrupt
        return merge(self, table)

    for dies_at in ("nodes", "relation_edges", "documents"):
        with monkeypatch.context() as patched:
            patched.setattr(Spool, "merge", killed)
            with pytest.raises(KeyboardInterrupt):
                run(sail_store, sources, raw, dies_at)
    run(sail_store, sources, raw, "last")
    monkeypatch.setattr("pincite.tables.spool.SLICE_DOCUMENTS", 1000)
    clean = SparkTableStore(tmp_path / "clean", lambda: sail_store.engine)
    run(clean, sources, raw, "last")
    for table in ("documents", "partition", "nodes", "chunks", "relation_edges"):
        key = lambda row: str(sorted(row.items()))  # noqa: E731
        assert sorted(sail_store.read(table, SCOPE).to_pylist(), key=key) == sorted(
            clean.read(table, SCOPE).to_pylist(), key=key
        )


PAGES = {
    "desk": "# Desk\n\nSee [targets](rules.md#targets), [the log](log.md) and Procedure 7.\n",
    "shift": "# Shift\n\nNothing is cited here but [the desk](desk.md).\n",
    "rules": "# Rules\n\n## Targets\n\nEight hours.\n\n## Scope\n\nAll lamps.\n",
}
CHANGES = {
    "a heading is renamed": {"rules": PAGES["rules"].replace("## Targets", "## Aims")},
    "and renamed again": {"rules": PAGES["rules"].replace("## Targets", "## Targets\n\n### Ends")},
    "a page arrives": {"log": "# The log\n\nWho was called.\n"},
    "two pages of one name": {"seven": "# Procedure 7\n\nCall.\n", "other": "# Procedure 7\n\nWrite.\n"},
    "one of them goes": {"other": ""},
    "a text is edited": {"rules": PAGES["rules"].replace("Eight", "Nine")},
}


def pages(folder: Path, texts: dict[str, str]) -> list[Source]:
    folder.mkdir(exist_ok=True)
    sources = []
    for name, text in texts.items():
        data = text.encode()
        (folder / f"{name}.md").write_bytes(data)
        about = (name, "", name, f"{name}.md", "text/markdown", f"{name}.md", len(data), sha256_hex(data))
        sources.append(Source(*about))
    return sources


@pytest.mark.sail
@pytest.mark.parametrize("dies", [False, True])
def test_only_edges_that_may_lead_elsewhere_are_decided_again_and_none_is_missed(
    sail_store: SparkTableStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies: bool
) -> None:
    """Each change, also where the run before died between nodes and edges: the edges are those of a corpus read at once."""
    raw, texts, again, merge = tmp_path / "raw", dict(PAGES), list[set[str]](), Spool.merge
    looked_at = Spool._looked_at_again

    def noted(self: Spool, name: str) -> set[str]:
        found = looked_at(self, name)
        again.extend([found] * (name == "relation_edges"))
        return found

    def killed(self: Spool, name: str) -> Merged:
        if name == "relation_edges":
            raise KeyboardInterrupt
        return merge(self, name)

    monkeypatch.setattr(Spool, "_looked_at_again", noted)
    run(sail_store, pages(raw, texts), raw, "first")
    for number, (what, change) in enumerate(CHANGES.items()):
        texts = {name: text for name, text in {**texts, **change}.items() if text}
        if dies and number % 2 == 0:
            with monkeypatch.context() as patched:
                patched.setattr(Spool, "merge", killed)
                with pytest.raises(KeyboardInterrupt):
                    run(sail_store, pages(raw, texts), raw, f"killed {what}")
            continue
        run(sail_store, pages(raw, texts), raw, what)
        clean = SparkTableStore(tmp_path / f"clean-{number}", lambda: sail_store.engine)
        run(clean, pages(raw, texts), raw, what)
        states = [sorted(map(str, store.read("relation_edges", SCOPE).to_pylist())) for store in (sail_store, clean)]
        assert states[0] == states[1], what
    decided = [documents for documents in again if documents]
    assert ({"desk"} in decided) == (not dies)  # the edge of "shift" was left alone
    assert any("shift" in documents for documents in decided) == dies


@pytest.mark.sail
def test_no_rows_travel_inside_a_plan_whose_size_is_limited(
    sail_store: SparkTableStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = land(tmp_path / "raw", one=part(1, "§ 2.1(b) of this chapter"), two=part(2, "§ 1.1"))
    session = type(sail_store.engine.spark)
    monkeypatch.setattr(session, "createDataFrame", lambda *_: pytest.fail("rows were sent along with a plan"))
    run(sail_store, sources[:1], tmp_path / "raw", "r1")
    run(sail_store, sources, tmp_path / "raw", "r2")
    assert [status for _, status, _ in edges_of(sail_store, "one")] == ["resolved"]


@pytest.mark.sail
def test_an_unfinished_or_missing_stage_is_refused(
    sail_store: SparkTableStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TableError, match="there is no stage"):
        publish(sail_store, SCOPE, "r", "t")
    sources = land(tmp_path / "raw", one=part(1, "§ 1.1"), two=part(2, "§ 2.1"))
    write_bytes = Path.write_bytes

    def killed(path: Path, data: bytes) -> int:
        if path.name == "read-000001.arrow":
            raise KeyboardInterrupt
        return write_bytes(path, data)

    monkeypatch.setattr(Path, "write_bytes", killed)
    with pytest.raises(KeyboardInterrupt):
        author(sail_store, SCOPE, plan(sources, [], lambda _: "v1"), tmp_path / "raw", "v1")
    with pytest.raises(TableError, match="the stage is unfinished"):
        publish(sail_store, SCOPE, "r", "t")
    assert sail_store.version("documents") == -1


@pytest.mark.sail
def test_what_each_run_left_is_counted(sail_store: SparkTableStore, tmp_path: Path) -> None:
    """A reference that waits and is settled later: both states can be seen afterwards. One set of counts a run."""
    store = sail_store
    first, second = land(tmp_path / "raw", one=part(1, "§ 2.1(b) of this chapter"), two=b"<DIV5><HEAD>cut")
    run(store, [first, second], tmp_path / "raw", "r1")
    (second,) = land(tmp_path / "raw", two=part(2, "§ 2.1(b)"))
    run(store, [first, second], tmp_path / "raw", "r2")
    health.log(store, SCOPE, "r2", "2026-01-02T00:00:00Z")  # as a task that is repeated does
    rows = [row for row in from_arrow("health_log", store.read("health_log", SCOPE)) if row.measure != "passages"]
    assert {(row.run_id, row.measure, row.kind, row.value) for row in rows} == {
        ("r1", "documents", "failed", 1),
        ("r1", "documents", "parsed", 1),
        ("r1", "references", "out_of_corpus", 1),
        ("r2", "documents", "parsed", 2),
        ("r2", "references", "resolved", 2),
    }
    assert len(rows) == 5
    assert {row.corpus_version for row in rows} == {"2026-01-01"}
    counted = {row.kind: row.value for row in from_arrow("health_log", store.read("health_log", SCOPE)) if row.run_id == "r2"}
    assert counted["indexed"] == sum(store.read("chunks", SCOPE)["indexable"].to_pylist())
