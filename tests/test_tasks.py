"""The whole job on the embedded engine, on the small corpus: run, repeat, change, remove, fail, add."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from pincite import tasks
from pincite.errors import EmptySnapshot, FloorMissed, HashMismatch, PartialFailure, ScopeBusy
from pincite.model import Source, sha256_hex
from pincite.sources.manifest import Manifest, load
from pincite.tables.lock import scope_lock
from pincite.tables.read import read
from pincite.tables.schema import SNAPSHOTS
from pincite.tables.store import SparkTableStore

REPOSITORY = Path(__file__).parents[1]
PART_1, PART_2 = "99-cfr-1", "99-cfr-2"

pytestmark = pytest.mark.sail


class Bench:
    """A state folder, a corpus whose files can be changed, and what was said."""

    def __init__(self, folder: Path) -> None:
        self.whole = load(REPOSITORY / "conf" / "corpora" / "demo.yml")
        self.manifest = self.whole._replace(gold=None)  # most tests are about tables, not about answers
        self.mirror = folder / "mirror"
        shutil.copytree(REPOSITORY / "fixtures" / "ecfr", self.mirror)
        self.state = folder / "state"
        self.said: list[str] = []

    def job(self, manifest: Manifest | None = None) -> tasks.Job:
        return tasks.Job(manifest or self.manifest, self.state, self.state / "raw", self.mirror, None, self.said.append)

    def run(self, manifest: Manifest | None = None) -> None:
        self.said.clear()
        tasks.run(self.job(manifest))

    def only(self, *wanted: str) -> Manifest:
        return self.manifest._replace(sources=tuple(s for s in self.manifest.sources if s.document_id in wanted))

    def with_bytes(self, document_id: str, data: bytes) -> Manifest:
        """The corpus with one file's bytes changed on purpose: landed and pinned."""

        def changed(source: Source) -> Source:
            if source.document_id != document_id:
                return source
            (self.mirror / source.path).write_bytes(data)
            (self.state / "raw" / source.path).unlink(missing_ok=True)
            return source._replace(source_sha256=sha256_hex(data), source_bytes=len(data))

        return self.manifest._replace(sources=tuple(map(changed, self.manifest.sources)))

    def versions(self) -> dict[str, int]:
        store = SparkTableStore(self.state / "tables")
        return {name: store.version(name) for name in (*SNAPSHOTS, "ingest_log")}

    def rows(self, table: str) -> set[tuple[str, str]]:
        found = read(self.state / "tables", table, self.manifest.scope, ["document_id", "content_hash"])
        return {(row["document_id"], row["content_hash"]) for row in found.to_pylist()}

    def statuses(self, document_id: str) -> dict[str, str]:
        edges = tasks.rows(self.job(), "relation_edges")
        return {str(edge.target_node_id): edge.status for edge in edges if edge.document_id == document_id}


def gold_that_agrees_on(bench: Bench, floor: float) -> Manifest:
    assert bench.whole.gold is not None
    content = yaml.safe_load(bench.whole.gold.read_text(encoding="utf-8"))
    content["agreed"] = {"citation_recall": floor}
    path = bench.mirror / "gold.yml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return bench.whole._replace(gold=path)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_repeated_run_writes_no_version_and_says_so(bench: Bench) -> None:
    bench.run()
    assert any(line.startswith("merge") and "chunks +" in line for line in bench.said)
    before = bench.versions()
    assert all(version >= 0 for version in before.values())
    bench.run()
    assert bench.versions() == before
    assert any("no table version written" in line for line in bench.said)
    assert any("the index is current" in line for line in bench.said)


def test_a_part_added_later_resolves_the_edges_that_waited_for_it(bench: Bench) -> None:
    bench.run(bench.only(PART_1))
    waiting = {target for target, status in bench.statuses(PART_1).items() if status == "out_of_corpus"}
    chunks = {row for row in bench.rows("chunks") if row[0] == PART_1}
    bench.run()
    after = bench.statuses(PART_1)
    arrived = {target for target in waiting if target.startswith("99 CFR 2.") or target == "99 CFR Part 2"}
    assert arrived
    assert {after[target] for target in arrived} == {"resolved"}
    assert {row for row in bench.rows("chunks") if row[0] == PART_1} == chunks
    assert "author    1 documents" in " ".join(bench.said), "the first part was not parsed again"


def test_a_removed_part_takes_its_rows_and_the_edges_to_it_wait_again(bench: Bench) -> None:
    bench.run()
    resolved = {target for target, status in bench.statuses(PART_1).items() if status == "resolved" and "99 CFR 2" in target}
    assert resolved
    bench.run(bench.only(PART_1))
    assert {document for document, _ in bench.rows("chunks")} == {PART_1}
    assert {bench.statuses(PART_1)[target] for target in resolved} == {"out_of_corpus"}


def test_a_document_that_fails_keeps_its_rows_and_the_others_are_done(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.run()
    before = {row for row in bench.rows("chunks") if row[0] == PART_1}
    whole = (bench.mirror / "title-99" / "part-1.xml").read_bytes()
    with pytest.raises(PartialFailure, match="1 of the documents"):
        bench.run(bench.with_bytes(PART_1, whole[: len(whole) // 2]))
    assert PART_1 in capsys.readouterr().err
    assert {row for row in bench.rows("chunks") if row[0] == PART_1} == before
    assert {document for document, _ in bench.rows("documents")} == {PART_1, PART_2}
    failed = [row for row in tasks.rows(bench.job(), "ingest_log") if row.action == "fail"]
    assert [row.document_id for row in failed] == [PART_1]
    assert failed[0].reason


def test_a_changed_section_changes_only_its_rows(bench: Bench) -> None:
    bench.run()
    before = bench.rows("chunks")
    text = (bench.mirror / "title-99" / "part-2.xml").read_bytes()
    assert b"lightship" in text
    last = text.rindex(b"lightship")
    bench.run(bench.with_bytes(PART_2, text[:last] + b"lightvessel" + text[last + len(b"lightship") :]))
    after = bench.rows("chunks")
    assert {row for row in before if row[0] == PART_1} <= after
    assert before != after


def test_one_changed_byte_stops_before_anything_is_parsed(bench: Bench) -> None:
    path = bench.mirror / "title-99" / "part-1.xml"
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    with pytest.raises(HashMismatch):
        bench.run()
    assert not (bench.state / "tables" / "chunks").exists()


def test_two_runs_of_one_scope_at_once(bench: Bench) -> None:
    bench.run()
    before = bench.versions()
    with scope_lock(bench.state / "tables", bench.manifest.scope), pytest.raises(ScopeBusy):
        bench.run()
    assert bench.versions() == before


def test_a_manifest_that_lost_everything_is_refused(bench: Bench) -> None:
    bench.run()
    before = bench.rows("chunks")
    with pytest.raises(EmptySnapshot):
        bench.run(bench.manifest._replace(sources=()))
    assert bench.rows("chunks") == before


def run_killed_at(table: str, bench: Bench, manifest: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that dies before it writes *table*, when those before it are written."""
    merge = SparkTableStore.merge

    def killed(self: SparkTableStore, name: str, *args: object, **options: object) -> object:
        if name == table:
            raise KeyboardInterrupt
        return merge(self, name, *args, **options)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(SparkTableStore, "merge", killed)
        with pytest.raises(KeyboardInterrupt):
            bench.run(manifest)


@pytest.mark.parametrize("table", ["partition", "nodes", "chunks", "relation_edges", "documents"])
def test_killed_between_two_tables_then_run_again_ends_in_the_same_rows(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    bench.run()
    wanted = {name: bench.rows(name) for name in SNAPSHOTS}
    shutil.rmtree(bench.state)
    run_killed_at(table, bench, bench.manifest, monkeypatch)
    bench.run()
    assert {name: bench.rows(name) for name in SNAPSHOTS} == wanted


@pytest.mark.parametrize("table", ["chunks", "documents"])
def test_what_a_killed_run_wrote_goes_where_its_change_is_taken_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    """A document that was changed and one that was gone are as they were again: nothing would look changed."""
    bench.run()
    wanted = {name: bench.rows(name) for name in SNAPSHOTS}
    published = (bench.mirror / "title-99" / "part-1.xml").read_bytes()
    changed = bench.with_bytes(PART_1, published.replace(b"light", b"lamp"))
    others = tuple(each for each in changed.sources if each.document_id != PART_2)

    run_killed_at(table, bench, changed._replace(sources=others), monkeypatch)
    assert {name: bench.rows(name) for name in SNAPSHOTS} != wanted
    bench.with_bytes(PART_1, published)
    bench.run()
    assert {name: bench.rows(name) for name in SNAPSHOTS} == wanted
    before = bench.versions()
    bench.run()
    assert bench.versions() == before


def test_a_question_is_a_row_of_the_retrieval_log_and_needs_no_engine(bench: Bench) -> None:
    from pincite.retrieve import answer
    from pincite.retrieve.session import open_session

    bench.run()
    session = open_session(bench.state)
    given = answer("Who keeps the light?", session.searcher, session.corpus)
    for _ in range(2):
        tasks.log_answers(bench.state / "tables", session.scope, [(given, 0.25)])
    logged = tasks.rows(bench.job(), "retrieval_log")
    assert [(row.question, row.status, row.seconds) for row in logged] == [(given.question, given.status, 0.25)] * 2
    assert logged[0].chunks_version == bench.versions()["chunks"]


def test_an_evaluation_is_logged_once_and_a_missed_floor_fails_the_run(bench: Bench) -> None:
    bench.run(gold_that_agrees_on(bench, 0.01))
    assert any("logged baseline, edge-aware" in line for line in bench.said)
    before = bench.versions()
    bench.run(gold_that_agrees_on(bench, 0.01))
    assert any("nothing logged for baseline, edge-aware" in line for line in bench.said)
    with pytest.raises(FloorMissed, match=r"citation_recall is .* agreed 1\.100"):
        bench.run(gold_that_agrees_on(bench, 1.1))
    assert bench.versions() == before
