"""A partial corpus answers as a whole one, from the rows the questions need, fetched together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import UsageError
from pincite.index import local
from pincite.model import Edge, Node, Passage, Source, sha256_hex
from pincite.ports import Hit
from pincite.retrieve import Corpus, answer
from pincite.retrieve.abstain import Decision
from pincite.retrieve.corpus import Origin, overlaps
from pincite.retrieve.partial import WINDOW, Facts, PartialCorpus, RememberedIndex

Places = Sequence[tuple[str, str]]


class Held:
    """``Rows`` over a whole corpus; every call is noted with its number of keys."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus, self.calls = corpus, list[tuple[str, int]]()

    def facts(self) -> Facts:
        return Facts(self.corpus.indexable, self.corpus.cfr_titles, self.corpus.has_manuals)

    def passages(self, chunk_ids: Sequence[str]) -> Iterable[Passage]:
        return self._noted("passages", chunk_ids, [self.corpus.passages[i] for i in chunk_ids if i in self.corpus.passages])

    def windows(self, windows: Sequence[tuple[str, int]]) -> Iterable[Passage]:
        rows = self.corpus.passages.values()
        return self._noted("windows", windows, [p for p in rows if (p.document_id, p.ordinal // WINDOW) in windows])

    def nodes(self, node_ids: Sequence[str]) -> Iterable[tuple[str, Node]]:
        return self._noted("nodes", node_ids, [pair for pair in self.corpus.all_nodes if pair[1].node_id in node_ids])

    def lineages(self, places: Places) -> Iterable[tuple[str, Node]]:
        wanted = [pair for pair in self.corpus.all_nodes if (pair[0], pair[1].node_id) in places]
        return self._noted("lineages", places, [p for p in self.corpus.all_nodes if any(_within(each, p) for each in wanted)])

    def below(self, places: Places) -> tuple[Iterable[tuple[str, Node]], Iterable[Passage]]:
        wanted = [pair for pair in self.corpus.all_nodes if (pair[0], pair[1].node_id) in places]
        nodes = [pair for pair in self.corpus.all_nodes if any(_within(pair, each) for each in wanted)]
        names = {*places, *((document_id, node.node_id) for document_id, node in nodes)}
        found = [
            passage
            for passage in self.corpus.passages.values()
            if (passage.document_id, passage.node_id) in names
            or any(overlaps(span, node) for d, node in nodes if d == passage.document_id for span in passage.spans)
        ]
        return self._noted("below", places, (nodes, found))

    def edges(self, chunk_ids: Sequence[str]) -> Iterable[Edge]:
        return self._noted("edges", chunk_ids, [edge for edge in self.corpus.edges if edge.source_chunk_id in chunk_ids])

    def cited(self, node_ids: Sequence[str]) -> Iterable[str]:
        return self._noted("cited", node_ids, [node_id for node_id in node_ids if node_id in self.corpus.cited_targets])

    def origins(self, document_ids: Sequence[str]) -> Iterable[Origin]:
        return self._noted("origins", document_ids, [self.corpus.origins[document_id] for document_id in document_ids])

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        return self._noted("frequencies", terms, {t: self.corpus.frequency(t) for t in terms if self.corpus.frequency(t)})

    def _noted(self, name: str, keys: Sequence[Any], found: Any) -> Any:
        assert keys, name
        assert len(set(keys)) == len(keys), name
        self.calls.append((name, len(keys)))
        return found


def _within(inner: tuple[str, Node], outer: tuple[str, Node]) -> bool:
    a, b = inner[1], outer[1]
    return inner[0] == outer[0] and (b.page, b.start) <= (a.page, a.start) and (a.page_end, a.end) <= (b.page_end, b.end)


class Plain:
    """An index that is no ``LocalIndex``: as a live one, it knows no words, so that the corpus is asked for them."""

    def __init__(self, inner: Any) -> None:
        self._inner, self.sent = inner, list[str]()

    def search(self, query: str, k: int, *, filters: Mapping[str, Any] | None = None) -> Sequence[Hit]:
        self.sent.append(query)
        found: Sequence[Hit] = self._inner.search(query, k, filters=filters)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def never(hits: Sequence[Hit], features: Mapping[str, float]) -> Decision:
    return Decision(False, 1.0)


@pytest.fixture(scope="module")
def rules() -> Corpus:
    """The invented parts of ``fixtures/ecfr`` and a manual-like copy: parsed, cut, resolved."""
    from pincite.tasks import author_one

    root = Path(__file__).parents[2] / "fixtures" / "ecfr" / "title-99"
    done = []
    for name in ("part-1.xml", "part-2.xml"):
        data = (root / name).read_bytes()
        source = Source(name, "2026-01-01", name, "", "application/xml", name, len(data), sha256_hex(data))
        done.append(author_one(source, data))
    from pincite.passages import chunks_of_nodes
    from pincite.references.resolve import known_of, resolve

    held = [
        (each.document.source.document_id, node.node_id, ids)
        for each in done
        for node, ids in zip(each.document.nodes, chunks_of_nodes(each.document.nodes, each.passages))
    ]
    known = known_of(held)
    edges = [e for each in done for e in resolve(each.observed, known, source=each.document.source, passages=each.passages)]
    edges.sort(key=lambda edge: (edge.document_id, edge.mention_span.start, edge))
    return Corpus.of([each.document for each in done], [p for each in done for p in each.passages], edges)


def same(whole: Corpus, questions: Sequence[str]) -> Held:
    """Every question, both ways, of the whole corpus and of a gathered one; nothing is fetched after gathering."""
    index, rows = Plain(local.build(list(whole.passages.values()), None)), Held(whole)
    corpus = PartialCorpus(rows)
    remembered = RememberedIndex(index, corpus)
    asked = [(question, follow) for question in questions for follow in (0, 1)]
    corpus.gather(lambda q=q, f=f: answer(q, remembered, corpus, follow=f, abstainer=never) for q, f in asked)
    gathered = list(rows.calls)
    for question, follow in asked:
        expected = answer(question, index, whole, follow=follow, abstainer=never)
        assert answer(question, remembered, corpus, follow=follow, abstainer=never) == expected, question
        assert answer(question, RememberedIndex(index, corpus), PartialCorpus(Held(whole)), follow=follow) == answer(
            question, index, whole, follow=follow
        ), question
    assert rows.calls == gathered
    return rows


QUESTIONS = [
    "How long is the log of the light kept?",
    "What does 99 CFR 1.5(f) say?",
    "What does 99 CFR 2.3 require of a lightship?",
    "Does 42 U.S.C. 1983 apply?",
    "Which parts of 99 CFR Part 1 bind a keeper?",
    "bicycles",
    "certificate of the keeper 1.5",
    "",
]


def test_the_answers_are_those_of_the_whole_corpus(rules: Corpus) -> None:
    rows = same(rules, QUESTIONS)
    assert {name for name, _ in rows.calls} >= {"passages", "windows", "lineages", "below", "edges", "cited", "frequencies"}


def test_many_questions_share_their_statements(rules: Corpus) -> None:
    """Rows are fetched for all questions together: more questions make no more rounds."""
    few, many = (
        same(rules, QUESTIONS[:2]),
        same(rules, [f"{q} {word}" for q in QUESTIONS for word in ("light", "keeper", "log")]),
    )
    assert len(many.calls) < 2 * len(few.calls) + 6
    assert len(many.calls) < 25


def test_the_invented_rules_too(corpus: Corpus) -> None:
    same(corpus, ["approve components", "What does 901.42 say of mixups?", "lot", "records of distribution", "820.30"])


@given(st.lists(st.text("abclighthouse keeper log § 1.5(f) 99 CFR 2", max_size=40), max_size=4))
def test_whatever_is_asked(rules: Corpus, questions: list[str]) -> None:
    same(rules, questions)


def test_only_what_is_needed_comes(rules: Corpus) -> None:
    """Ten copies of the corpus: one question brings no more rows than of one."""
    copies = [
        passage._replace(chunk_id=f"{passage.chunk_id}-{n}", document_id=f"{passage.document_id}-{n}")
        for n in range(10)
        for passage in rules.passages.values()
    ]
    nodes = [(f"{document_id}-{n}", node) for n in range(10) for document_id, node in rules.all_nodes]
    origins = [origin._replace(document_id=f"{origin.document_id}-{n}") for n in range(10) for origin in rules.origins.values()]
    whole = Corpus(copies, nodes, (), origins)
    corpus = PartialCorpus(Held(whole))
    index = RememberedIndex(Plain(local.build(copies, None)), corpus)
    corpus.gather([lambda: answer("How long is the log of the light kept?", index, corpus, abstainer=never)])
    assert 0 < len(corpus._here["passages"]) < len(copies) / 3


def test_a_search_is_sent_once_and_its_time_is_told(rules: Corpus) -> None:
    index, corpus = Plain(local.build(list(rules.passages.values()), None)), PartialCorpus(Held(rules))
    remembered = RememberedIndex(index, corpus)
    for _ in range(3):
        answer("light", remembered, corpus, follow=0, abstainer=never)
    assert index.sent == ["light"]
    started = remembered.clock()
    remembered._found = {key: (hits, 5.0) for key, (hits, _) in remembered._found.items()}
    answer("light", remembered, corpus, follow=0, abstainer=never)
    assert 5.0 < remembered.clock() - started < 6.0


def test_what_only_a_whole_corpus_has_is_refused(rules: Corpus) -> None:
    corpus = PartialCorpus(Held(rules))
    for name in ("edges", "all_nodes", "by_document", "edges_to"):
        with pytest.raises(NotImplementedError):
            getattr(corpus, name)
    for listed in (corpus.passages, corpus.nodes, corpus.edges_from, corpus.by_unit):
        with pytest.raises(NotImplementedError):
            list(listed)
    assert "none" not in corpus.passages
    with pytest.raises(KeyError):
        corpus.passages["none"]


def test_an_error_of_a_question_is_not_swallowed(rules: Corpus) -> None:
    def fails() -> None:
        raise UsageError("asked wrongly")

    corpus = PartialCorpus(Held(rules))
    with pytest.raises(UsageError, match="asked wrongly"):
        corpus.gather([fails])
    assert not corpus.unsettled
