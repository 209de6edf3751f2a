"""Ask every staff question and read all measures, each for itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pincite.evaluate.outcome import Extent
from pincite.evaluate.staff import measures
from pincite.evaluate.staff.held import Held, held_of
from pincite.evaluate.staff.observe import observe
from pincite.evaluate.staff.outcome import Asked, Owed, Reading
from pincite.evaluate.staff.package import package
from pincite.evaluate.staff.questions import Question, StaffGold
from pincite.model import QUOTABLE_ROLES, Block, Scope
from pincite.retrieve.profiles import activate

if TYPE_CHECKING:
    from pincite.retrieve.corpus import Corpus

Ask = Callable[[Question], Mapping[str, Any]]
"""A question to its answer as JSON."""

Partition = Mapping[str, Sequence[Block]]
"""Document id to its blocks."""


def ask_all(gold: StaffGold, ask: Ask, corpus: Corpus, partition: Partition) -> list[Asked]:
    """What came of every question. None is left out, whatever its answer is."""
    held = held_of(corpus, gold)
    return [_ask(question, ask, corpus, partition, held) for question in gold.questions]


def readings(asked: Sequence[Asked]) -> list[Reading]:
    """Every measure, in order."""
    return [reading for measure in measures.ALL for reading in measure(asked)]


def packaged(asked: Sequence[Asked], corpus: Corpus, gold: StaffGold) -> list[dict[str, Any]]:
    """The package of each answer."""
    held = held_of(corpus, gold)
    return [package(each.answer, each.question, held) for each in asked]


def _ask(question: Question, ask: Ask, corpus: Corpus, partition: Partition, held: Held) -> Asked:
    started = time.perf_counter()
    activations = tuple(activate(concept, question.benefit, held) for concept in question.concepts if concept in held.profiles)
    answer = ask(question)
    seconds = time.perf_counter() - started
    put = package(answer, question, held)
    owed = tuple(owed_at(question.document, each.at, corpus, partition) for each in question.obligations)
    spans = _spans(answer)
    return Asked(
        question,
        owed,
        answer,
        put["paths"],
        observe(put, held),
        activations,
        tuple(bool(each.extents) and all(_covered(extent, spans) for extent in each.extents) for each in owed),
        seconds,
    )


def owed_at(document_id: str, node_id: str, corpus: Corpus, partition: Partition) -> Owed:
    """Where an obligation stands: its passages, its quotable bytes by the partition, the references out of it."""
    node = corpus.node(document_id, node_id)
    if node is None:
        return Owed(node_id, frozenset(), (), ())
    first, last = (node.page, node.start), (node.page_end, node.end)
    extents = tuple(
        Extent(document_id, block.page, block.start, block.end)
        for block in partition.get(document_id, ())
        if block.role in QUOTABLE_ROLES and first <= (block.page, block.start) and (block.page, block.end) <= last
    )
    chunk_ids = frozenset(each.chunk_id for each in corpus.chunks_of(node_id) if each.document_id == document_id)
    edges = tuple(
        (edge.edge_id, frozenset(edge.target_chunk_ids) - chunk_ids)
        for chunk_id in sorted(chunk_ids)
        for edge in corpus.edges_from.get(chunk_id, ())
        if edge.status == "resolved" and first <= (edge.mention_span.page, edge.mention_span.start) < last
    )
    return Owed(node_id, chunk_ids, extents, tuple(edge for edge in edges if edge[1]))


def _spans(answer: Mapping[str, Any]) -> list[Extent]:
    if answer["status"] != "answered":
        return []
    return [
        Extent(passage["document_id"], span["page"], span["start"], span["end"])
        for passage in answer["passages"]
        for span in passage["spans"]
    ]


def _covered(wanted: Extent, spans: Iterable[Extent]) -> bool:
    """Whether every byte of *wanted* but one between two spans lies in a span: spans leave out the newline between lines."""
    position = wanted.start
    here = (span for span in spans if span[:2] == wanted[:2] and span.start < wanted.end and wanted.start < span.end)
    for span in sorted(here, key=lambda each: each.start):
        if span.start > position + (position > wanted.start):
            return False
        position = max(position, span.end)
    return position >= wanted.end


def open_asker(
    gold: StaffGold, state: Path, project: str | None, collection: str | None, tokens: int, method: str
) -> tuple[Ask, Corpus, Partition]:
    """A function that asks the corpus in *state* as ``pincite query`` does, with the corpus and its partition."""
    from pincite.retrieve import Budget
    from pincite.retrieve.profiles import Profiles, known_places
    from pincite.retrieve.session import ask, open_session
    from pincite.retrieve.wire import plain

    session = open_session(state, project, collection, method)
    held = known_places(session.corpus, Profiles(gold.profiles, gold.benefits()))
    budget = Budget(tokens=tokens)

    def put(question: Question) -> Mapping[str, Any]:
        given = ask(session, question.text, budget, 1, held, question.concepts, question.benefit)
        found: Mapping[str, Any] = plain(given)
        return found

    return put, session.corpus, read_partition(state / "tables", session.scope)


def read_partition(tables: Path, scope: Scope) -> Partition:
    """The partition of each document, from the tables."""
    from pincite.tables.read import read

    rows = read(tables, "partition", scope).to_pylist()
    found: dict[str, list[Block]] = {}
    for row in rows:
        found.setdefault(row["document_id"], []).append(Block(*(row[name] for name in Block._fields)))
    return {name: sorted(blocks) for name, blocks in found.items()}
