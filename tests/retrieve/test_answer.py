from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from pincite.index import local
from pincite.index.local import LocalIndex
from pincite.model import ANSWER_STATUSES, Answer
from pincite.ports import Hit
from pincite.retrieve import Budget, Corpus, Decision, answer, log_row
from pincite.retrieve.wire import to_text


def always(hits: Sequence[Hit], features: Mapping[str, float]) -> Decision:
    return Decision(False, 1.0)


def citations(given: Answer, step: str | None = None) -> list[str]:
    return [passage.node_id for passage in given.passages if step in (None, passage.step)]


def test_the_baseline_finds_but_does_not_follow(index: LocalIndex, corpus: Corpus) -> None:
    given = answer("which definitions apply to this part", index, corpus, Budget(hits=1), follow=0)
    assert given.status == "answered"
    assert citations(given) == ["21 CFR 901.3"]
    assert given.trace.follow == 0


def test_a_resolved_reference_is_followed_and_says_from_where(index: LocalIndex, corpus: Corpus) -> None:
    given = answer("which definitions apply to this part", index, corpus, Budget(hits=1))
    assert citations(given, "follow") == ["21 CFR 900.3"]
    followed = given.passages[1]
    assert followed.provenance == "followed from 21 CFR 901.3 (“§ 900.3 of this chapter”)"
    assert followed.edge_id == corpus.edges[0].edge_id
    assert followed.evidence_text.startswith("Lot means")


def test_one_hop_and_never_more(index: LocalIndex, corpus: Corpus) -> None:
    onward = corpus.edges[0]._replace(
        edge_id="onward", source_chunk_id="chunk 21 CFR 900.3", target_node_id="21 CFR 901.180",
        target_chunk_ids=("chunk 21 CFR 901.180",),
    )  # fmt: skip
    chained = Corpus(corpus.passages.values(), (), [*corpus.edges, onward], corpus.origins.values())
    given = answer("which definitions apply to this part", index, chained, Budget(hits=1))
    assert citations(given) == ["21 CFR 901.3", "21 CFR 900.3"]


@pytest.mark.parametrize("status", ["ambiguous", "unresolved", "unsupported", "out_of_corpus"])
def test_only_exact_references_are_followed(index: LocalIndex, corpus: Corpus, status: str) -> None:
    edges = [corpus.edges[0]._replace(status=status)]
    inexact = Corpus(corpus.passages.values(), (), edges, corpus.origins.values())
    given = answer("which definitions apply to this part", index, inexact, Budget(hits=1))
    assert citations(given, "follow") == []
    assert [(cut.node_id, cut.step, cut.reason) for cut in given.trace.cut] == [("21 CFR 900.3", "follow", status)]


def test_a_range_gives_its_named_ends_and_nothing_between(index: LocalIndex, corpus: Corpus) -> None:
    """RULES has § 901.3 before § 900.3 in its file, but between them by number."""
    given = answer("adequate space prevents mixups", index, corpus, Budget(hits=1))
    assert citations(given, "follow") == ["21 CFR 900.3", "21 CFR 901.22"]


def test_neighbours_come_from_the_same_section(index: LocalIndex, corpus: Corpus) -> None:
    given = answer("adequate space prevents mixups", index, corpus, Budget(hits=1))
    assert citations(given, "expand") == ["21 CFR 901.42(a)"]
    assert given.passages[-1].provenance == "stands beside 21 CFR 901.42(b) in 21 CFR 901.42"


def test_what_a_profile_declares_is_delivered_whole(index: LocalIndex, corpus: Corpus) -> None:
    declared = ["21 CFR 901.42", "21 CFR 901.3", "21 CFR 999.1"]
    given = answer("which definitions apply to this part", index, corpus, Budget(hits=1), 0, declared=declared)
    assert citations(given, "declared") == ["21 CFR 901.42(a)", "21 CFR 901.42(b)"]
    assert given.passages[1].provenance == "declared by a profile: 21 CFR 901.42"
    small = answer("which definitions apply to this part", index, corpus, Budget(tokens=30, hits=1), 0, declared=declared)
    assert [cut.step for cut in small.trace.cut][:1] == ["declared"]


def test_what_is_left_of_the_budget_goes_to_further_hits_where_asked_for(index: LocalIndex, corpus: Corpus) -> None:
    question = "components batch buildings definitions records"
    few = answer(question, index, corpus, Budget(hits=1, expanded=0), 0, always)
    filled = answer(question, index, corpus, Budget(hits=1, expanded=0, fill=True), 0, always)
    assert len(few.passages) == 1
    assert citations(filled)[:1] == citations(few)
    assert len(filled.passages) > 3
    assert sum(passage.tokens for passage in filled.passages) <= filled.trace.budget


def test_the_budget_is_filled_of_itself_where_the_corpus_is_of_manuals(index: LocalIndex, corpus: Corpus) -> None:
    question = "components batch buildings definitions records"
    given = answer(question, index, corpus, Budget(hits=1, expanded=0), 0, always)
    corpus.__dict__["has_manuals"] = True
    filled = answer(question, index, corpus, Budget(hits=1, expanded=0), 0, always)
    assert len(given.passages) == 1
    assert len(filled.passages) > 3


def test_the_budget_holds_and_its_cuts_are_named(index: LocalIndex, corpus: Corpus) -> None:
    given = answer("components batch buildings definitions", index, corpus, Budget(tokens=30, hits=3), abstainer=always)
    assert given.passages
    assert sum(passage.tokens for passage in given.passages) == given.trace.tokens <= 30
    assert any(cut.reason.startswith("budget: ") for cut in given.trace.cut)
    nothing = answer("components", index, corpus, Budget(tokens=3))
    assert (nothing.status, nothing.reason) == ("refused", "no passage fits the budget of 3 tokens")


def test_a_question_about_nothing_here_is_not_answered(index: LocalIndex, corpus: Corpus) -> None:
    given = answer("zebra migration", index, corpus)
    assert (given.status, given.passages) == ("abstained", ())
    assert "words" in given.reason


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("component " * 1_000_000, "10000000 characters"),
        ("\x00\x01PK\x03", "binary"),
        ("components \ufffd\ufffd", "binary"),
    ],
)
def test_what_cannot_be_asked_is_refused(index: LocalIndex, corpus: Corpus, question: str, reason: str) -> None:
    given = answer(question, index, corpus)
    assert given.status == "refused"
    assert reason in given.reason


def test_an_index_that_lags_behind_is_refused(rebuilt: Callable[[int], LocalIndex], corpus: Corpus) -> None:
    given = answer("components", rebuilt(4), corpus)
    assert given.status == "refused"
    assert given.reason.startswith("index and tables disagree: 4 passages indexed, 6 in")


def test_an_abstainer_sees_hits_and_features_and_decides(index: LocalIndex, corpus: Corpus) -> None:
    seen: dict[str, float] = {}

    def never(hits: Sequence[Hit], features: Mapping[str, float]) -> Decision:
        seen.update(features, hits=len(hits))
        return Decision(True, 0.25, "I would rather not")

    given = answer("quality control unit", index, corpus, abstainer=never)
    assert (given.status, given.reason, given.trace.confidence) == ("abstained", "I would rather not", 0.25)
    assert given.trace.candidates
    assert seen["hits"] >= 1
    assert seen["coverage"] == seen["known"] == 1.0


def test_the_log_row_holds_what_was_decided(index: LocalIndex, corpus: Corpus) -> None:
    given = answer("which definitions apply to this part", index, corpus, Budget(hits=1))
    row = log_row(given, "2026-11-30T10:00:00Z", 0.004, 3)
    assert row.status in ANSWER_STATUSES
    assert (row.mode, row.chunks_version, row.seconds) == ("edge_aware", 3, 0.004)
    assert row.selected == ("chunk 21 CFR 901.3", "chunk 21 CFR 900.3")
    assert row.followed == (corpus.edges[0].edge_id,)
    assert [candidate.chunk_id for candidate in row.candidates if candidate.selected] == ["chunk 21 CFR 901.3"]
    assert log_row(given, "2026-11-30T11:00:00Z", 0.004, 3).retrieval_id != row.retrieval_id


def halves(corpus: Corpus, raw: tuple[int, int] | None) -> Corpus:
    """The passage on components in two pieces, as a paragraph that was too long for one."""
    whole = corpus.passages["chunk 21 CFR 901.22"]
    span, cut = whole.spans[0], whole.spans[0].start + 20
    pieces = []
    for name, start, end in (("first", span.start, cut), ("second", cut, span.end)):
        own = span._replace(start=start, end=end, raw_start=raw and raw[0], raw_end=raw and raw[1])
        pieces.append(whole._replace(chunk_id=name, ordinal=100 + len(pieces), spans=(own,), retrieval_text=name))
    others = [passage for passage in corpus.passages.values() if passage is not whole]
    return Corpus([*others, *pieces], (), (), corpus.origins.values())


@pytest.mark.parametrize("raw", [None, (10, 200)])
@pytest.mark.parametrize(("asked", "rest"), [("first", "second"), ("second", "first")])
def test_the_rest_of_a_paragraph_comes_along(corpus: Corpus, raw: tuple[int, int] | None, asked: str, rest: str) -> None:
    cut = halves(corpus, raw)
    given = answer(asked, local.build(list(cut.passages.values()), None), cut, Budget(hits=1, expanded=0), abstainer=always)
    assert [passage.chunk_id for passage in given.passages] == [asked, rest]
    assert given.passages[1].provenance == "the rest of 21 CFR 901.22"


def test_another_paragraph_of_the_same_section_is_no_rest(corpus: Corpus) -> None:
    cut = halves(corpus, (10, 200))
    second = cut.passages["second"]
    elsewhere = second._replace(spans=(second.spans[0]._replace(raw_start=300, raw_end=400),))
    apart = Corpus([*cut.passages.values(), elsewhere], (), (), corpus.origins.values())
    assert apart.continuations(apart.passages["first"]) == []


def test_rows_of_a_table_are_delivered_with_the_names_of_their_columns(corpus: Corpus) -> None:
    row = next(iter(corpus.passages.values()))._replace(
        role="table", evidence_text="East\t20\t2026-09-01", breadcrumb="Cranes", heading_path=("Cranes",),
        retrieval_text="Cranes\nCrane: East | Load: 20 | Next inspection: 2026-09-01",
    )  # fmt: skip
    for passage, reading in (
        (row, "Crane: East | Load: 20 | Next inspection: 2026-09-01"),
        (row._replace(retrieval_text="Cranes\nEast | 20 | 2026-09-01"), ""),
        (row._replace(groundedness=0.9, derivation="model_rewritten"), ""),
    ):
        held = Corpus([passage], (), (), corpus.origins.values())
        given = answer("when is the East crane next", local.build([passage], None), held)
        assert [(found.evidence_text, found.reading) for found in given.passages] == [("East\t20\t2026-09-01", reading)]
    assert "\n    = Crane: East" in to_text(
        answer("East crane", local.build([row], None), Corpus([row], (), (), corpus.origins.values()))
    )
