"""A team's own documents, in memory and by words alone: procedures, a register and an export that cite each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.evaluate.corpus import Materials, evaluate, reply
from pincite.evaluate.gold import load
from pincite.evaluate.pin import documents
from pincite.evaluate.run import Setting, run
from pincite.index.local import build as build_index
from pincite.model import Edge
from pincite.references.resolve import known_of, resolve
from pincite.retrieve import Budget, Corpus, Decision, answer
from pincite.sources.manifest import load as load_manifest
from pincite.tables.corpus import made_of

REPOSITORY = Path(__file__).parents[2]
GOLD = REPOSITORY / "conf/gold/team.yml"


@pytest.fixture(scope="module")
def team():
    manifest = load_manifest(REPOSITORY / "conf/corpora/team.yml")
    made = [made_of(document) for document in documents(manifest.sources, REPOSITORY / "fixtures/team")]
    known = known_of(
        (each.document.source.document_id, node.node_id, chunks, names)
        for each in made
        for node, chunks, names in zip(each.document.nodes, each.held, each.names)
    )
    edges = [
        edge for each in made for edge in resolve(each.observed, known, source=each.document.source, passages=each.passages)
    ]
    every = [passage for each in made for passage in each.passages]
    blocks = {each.document.source.document_id: each.document.partition for each in made}
    pages = {each.document.source.document_id: each.document.pages for each in made}
    corpus = Corpus.of([each.document for each in made], every, edges)
    return build_index(every, None), Materials(corpus, blocks, pages.__getitem__), edges


def test_the_team_is_evaluated_in_both_modes(team):
    index, known, _ = team
    done = evaluate(load(GOLD), index, known)
    for baseline, aware in done.parts.values():
        assert aware.share("citation_recall").value >= max(0.8, baseline.share("citation_recall").value)
        assert aware.share("quotable_share").value == 1.0


def test_references_between_the_documents_bring_what_one_hit_cannot(team):
    index, known, _ = team
    narrow = Budget(hits=1, expanded=0, parents=0)
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
    assert aware.share("edge_recall").value - baseline.share("edge_recall").value >= 0.4


def test_what_the_documents_say_of_each_other(team):
    edges: list[Edge] = team[2]
    found = {(edge.source_node_id, edge.status, edge.target_node_id) for edge in edges}
    assert found == {
        ("handbook#response-targets/missed-targets", "resolved", "escalation#second-level"),
        ("handbook#access-to-the-desk-book", "resolved", "access-control"),
        ("handbook#lost-equipment", "resolved", "incident-response#3-lost-keys-and-badges"),
        ("access-control#2-how-long", "resolved", "access-control#1-who-approves"),
        ("incident-response#3-lost-keys-and-badges", "resolved", "key-rotation"),
        ("incident-response#4-after-the-incident", "resolved", "records#2-keeping"),
        ("records#3-destruction", "out_of_corpus", "21 CFR 211.180(b)"),
        ("escalation#money", "resolved", "escalation#change-procedure"),
        ("escalation#change-procedure", "resolved", "risks#row-3"),
        ("key-rotation#3-exceptions", "resolved", "escalation#second-level"),
        ("key-rotation#3-exceptions", "resolved", "escalation"),
        ("risks#row-2", "resolved", "key-rotation"),
        ("assets#/items/0", "resolved", "key-rotation"),
    }
