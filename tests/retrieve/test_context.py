"""A rule that makes no sense alone is delivered with what it stands under."""

from __future__ import annotations

from pincite.index import local
from pincite.model import Answer, Passage, Source
from pincite.parse.markdown import read_markdown
from pincite.passages import build
from pincite.retrieve import Budget, Corpus, answer
from pincite.retrieve.abstain import Decision

HANDBOOK = """# Service desk handbook

Tickets are answered in the order of their priority.

## Response targets

A request of normal priority is answered within 8 business hours, an urgent one within 2.

### Waiting

Targets are suspended while waiting on the requester. That time does not count toward the 8 business hour target.

### Reports

The desk lead reports missed targets every Monday.

## Canteen

Lunch is served at noon.
"""


def corpus_of(text: str) -> Corpus:
    data = text.encode()
    source = Source("handbook", "1", "Service desk handbook", "handbook.md", "text/markdown", "handbook.md", len(data), "")
    document = read_markdown(source, data)
    return Corpus.of([document], build(document))


def ask(text: str, corpus: Corpus, budget: Budget = Budget()) -> Answer:  # noqa: B008
    index = local.build(list(corpus.passages.values()), None)
    return answer(text, index, corpus, budget, abstainer=lambda hits, features: Decision(False, 1.0))


def passage(corpus: Corpus, words: str) -> Passage:
    return next(each for each in corpus.passages.values() if words in each.evidence_text)


def test_a_passage_is_found_by_its_headings_and_delivered_with_its_parent() -> None:
    corpus = corpus_of(HANDBOOK)
    given = ask("response target while waiting", corpus, Budget(hits=1, expanded=0))
    assert [(each.step, each.node_id) for each in given.passages] == [
        ("search", "handbook#response-targets/waiting"),
        ("expand", "handbook#response-targets"),
    ]
    assert given.passages[1].provenance == "handbook#response-targets/waiting stands under it"


def test_the_parent_is_cut_where_the_budget_ends_and_that_is_told() -> None:
    corpus = corpus_of(HANDBOOK)
    tokens = passage(corpus, "suspended").tokens
    given = ask("response target while waiting", corpus, Budget(tokens=tokens, hits=1))
    assert [each.step for each in given.passages] == ["search"]
    assert any(cut.step == "expand" and "budget" in cut.reason for cut in given.trace.cut)


def test_the_parent_of_a_section_is_the_text_above_it_and_the_top_has_none() -> None:
    corpus = corpus_of(HANDBOOK)
    assert corpus.parent(passage(corpus, "missed targets")) == passage(corpus, "within 8")
    assert corpus.parent(passage(corpus, "within 8")) == passage(corpus, "order of their priority")
    assert corpus.parent(passage(corpus, "Lunch")) == passage(corpus, "order of their priority")
    assert corpus.parent(passage(corpus, "order of their priority")) is None


def test_a_piece_of_a_long_section_stands_under_how_the_section_begins() -> None:
    long = "The desk writes down who called and what was said about the lamp and its keeper on that day. " * 4
    items = "\n".join(f"- {number}. {long}" for number in range(6))
    corpus = corpus_of(f"# H\n\n## Calls\n\nOnly these calls are kept:\n\n{items}\n\n## Other\n\nNothing.\n")
    last = passage(corpus, "5. The desk")
    assert "Only these calls are kept" not in last.evidence_text
    parent = corpus.parent(last)
    assert parent is not None
    assert "Only these calls are kept" in parent.evidence_text


def test_a_regulation_has_no_such_parent(corpus: Corpus) -> None:
    assert all(corpus.parent(each) is None for each in corpus.passages.values())
