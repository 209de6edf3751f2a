"""The demo corpus, evaluated in memory by words alone; and the whole command on real tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pincite.errors import FloorMissed, IndexFault, UsageError
from pincite.evaluate import report
from pincite.evaluate.calibrate import Seen, fit
from pincite.evaluate.corpus import Materials, evaluate
from pincite.evaluate.gold import load
from pincite.evaluate.pin import documents
from pincite.evaluate.run import shortfalls
from pincite.index.local import build as build_index
from pincite.passages import build, chunks_of_nodes
from pincite.ports import Hit
from pincite.references import observe
from pincite.references.resolve import known_of, resolve
from pincite.retrieve import Corpus, calibrated
from pincite.sources.manifest import load as load_manifest

REPOSITORY = Path(__file__).parents[2]
FIXTURES = REPOSITORY / "fixtures/ecfr"
GOLD = REPOSITORY / "conf/gold/demo.yml"
MANIFEST = REPOSITORY / "conf/corpora/demo.yml"


@pytest.fixture(scope="module")
def demo():
    parsed = documents(load_manifest(MANIFEST).sources, FIXTURES)
    passages = {document.source.document_id: build(document) for document in parsed}
    known = known_of(
        (document.source.document_id, node.node_id, chunks)
        for document in parsed
        for node, chunks in zip(document.nodes, chunks_of_nodes(document.nodes, passages[document.source.document_id]))
    )
    edges = [
        edge
        for document in parsed
        for edge in resolve(observe(document), known, source=document.source, passages=passages[document.source.document_id])
    ]
    every = [passage for each in passages.values() for passage in each]
    index = build_index(every, None)
    blocks = {document.source.document_id: document.partition for document in parsed}
    pages = {document.source.document_id: document.pages for document in parsed}
    return index, Materials(Corpus.of(parsed, every, edges), blocks, pages.__getitem__)


def test_the_demo_is_evaluated_in_both_modes(demo):
    index, known = demo
    done = evaluate(load(GOLD), index, known)
    assert set(done.parts) == {"dev", "test"}
    for baseline, aware in done.parts.values():
        assert aware.share("citation_recall").value >= baseline.share("citation_recall").value
        assert aware.share("quotable_share").value == 1.0
        assert aware.share("citation_recall").denominator == sum(len(q.expected) for q in done.gold.part(aware.part))
        assert {share.index_kind for share in aware.shares} == {"local-bm25 bm25"}
        assert {share.floor for share in aware.shares} == {done.abstainer.floor.value}
        assert all("follow" in each.setting.parameters for each in (baseline, aware))
    text = "\n".join(report.table(*done.parts["dev"]))
    assert "citation_recall" in text
    assert "McNemar" in text
    rows = report.rows(done.parts["dev"])
    assert {"part", "mode", "name", "numerator", "denominator", "index_kind", "floor", "value"} == set(rows[0])


def test_following_references_gains_what_the_baseline_cannot_reach(demo):
    """With one hit and no neighbours only an edge can bring the second piece of evidence."""
    from pincite.evaluate.corpus import reply
    from pincite.evaluate.run import Setting, run
    from pincite.retrieve import Budget, Decision, answer

    index, known = demo
    narrow = Budget(hits=1, expanded=0)
    settings = [
        Setting(
            name,
            lambda text, follow=follow: reply(
                answer(text, index, known.corpus, narrow, follow, lambda hits, features: Decision(False, 1.0))
            ),
            "local-bm25",
            None,
        )
        for name, follow in (("baseline", 0), ("edge-aware", 1))
    ]
    baseline, aware = run(load(GOLD), "all", settings, known.blocks, known.pages)
    assert aware.share("edge_recall").value - baseline.share("edge_recall").value >= 0.2
    assert shortfalls(load(GOLD)._replace(agreed={"edge_gain": 0.99}), baseline, aware)


def seen(cosine: float, bm25: float, answerable: bool) -> Seen:
    return Seen({"cosine": cosine, "bm25": bm25, "agreement": 0.0}, answerable)


SEPARABLE = [seen(0.6 + i / 50, 8 + i, True) for i in range(8)] + [seen(0.2 + i / 50, 2 + i / 4, False) for i in range(8)]


def test_calibration_separates_what_can_be_separated_and_says_how_often_it_erred():
    abstainer = fit(SEPARABLE, "local", "HYBRID", "stamp")
    hit = [Hit("c", 1.0)]
    for one in SEPARABLE:
        assert abstainer(hit, one.features).abstain != one.answerable
    assert (
        "16 dev questions, left out in turn: 0 of 8 answerable turned away, 0 of 8 others answered"
        in abstainer.floor.calibration
    )
    assert abstainer([], SEPARABLE[0].features).abstain
    mislabelled = [*SEPARABLE, seen(0.9, 20, False), seen(0.1, 1, True)]
    text = fit(mislabelled, "local", "HYBRID", "stamp").floor.calibration
    assert "1 of 9 answerable turned away, 1 of 9 others answered" in text


def test_calibration_needs_both_kinds():
    with pytest.raises(UsageError, match="in scope and out of scope"):
        fit(SEPARABLE[:8], "local", "HYBRID", "stamp")


def test_a_calibration_is_kept_and_used_only_with_its_own_index(tmp_path: Path):
    abstainer = fit(SEPARABLE, "local", "HYBRID", "stamp")
    assert calibrated.load(tmp_path, "stamp", "local") is None
    calibrated.save(abstainer, tmp_path)
    assert calibrated.load(tmp_path, "stamp", "local") == abstainer
    assert calibrated.load(tmp_path, "other", "local") is None
    assert calibrated.load(tmp_path, "stamp", "local-bm25") is None
    written = (tmp_path / calibrated.FILE).stat().st_mtime_ns
    calibrated.save(abstainer, tmp_path)
    assert (tmp_path / calibrated.FILE).stat().st_mtime_ns == written
    for damage in ("{", "{}", '{"features": 3}'):
        (tmp_path / calibrated.FILE).write_text(damage)
        with pytest.raises(IndexFault, match="calibration cannot be read"):
            calibrated.load(tmp_path, "stamp", "local")


@pytest.mark.sail
def test_the_command_on_real_tables_tracks_once_and_fails_where_a_floor_is_missed(tmp_path: Path, capsys):
    from typer.testing import CliRunner

    from pincite.cli import app

    runner = CliRunner(mix_stderr=False) if "mix_stderr" in CliRunner.__init__.__code__.co_varnames else CliRunner()
    state = ["--state", str(tmp_path)]
    ran = runner.invoke(app, ["run", str(MANIFEST), *state, "--mirror", str(FIXTURES)])
    assert ran.exit_code == 0, ran.output
    assert "logged baseline, edge-aware" in ran.output
    again = runner.invoke(app, ["evaluate", "--gold", str(GOLD), *state])
    assert "nothing logged for baseline, edge-aware: the same run is there already" in again.output
    for_programs = runner.invoke(app, ["evaluate", "--gold", str(GOLD), *state, "--json", "--split", "dev"])
    assert {json.loads(line)["mode"] for line in for_programs.stdout.splitlines()} == {"baseline", "edge-aware"}

    strict = tmp_path / "strict.yml"
    strict.write_text(GOLD.read_text(encoding="utf-8").replace("citation_recall: 0.80", "edge_gain: 0.99"), encoding="utf-8")
    missed = runner.invoke(app, ["evaluate", "--gold", str(strict), *state])
    assert isinstance(missed.exception, FloorMissed)
    assert "edge_gain is" in str(missed.exception)
