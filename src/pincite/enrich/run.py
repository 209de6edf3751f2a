"""Passages in, passages out: a model is asked about each, the gate judges what it wrote, and only what passes is searched.

A passage keeps its own words whatever happens: accepted text is added after them, in ``retrieval_text`` alone. A model that is
down, slow, lying or malicious leaves the passages as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pincite.enrich import ask, parts
from pincite.enrich.ask import Question, Said
from pincite.enrich.budget import Purse, tokens_of
from pincite.enrich.parts import Part
from pincite.enrich.prompt import Prompt, complaint, load, quoted
from pincite.enrich.settings import Settings
from pincite.model import EnrichmentRow, Passage
from pincite.passages.identity import content_hash
from pincite.ports import LLMClient
from pincite.sealed import SealedCache

SEPARATOR = "\n⸻\n"
"""Stands between a passage's own words and a model's in ``retrieval_text``. It has no letter, so it is no word to search."""


AGAIN = "again"  # the prompt of the second question
LONGEST_COMPLAINT = 3_000  # characters of what a model is told of its first answer


class Run(NamedTuple):
    """What one enrichment did. ``left``: passages not asked about, because the budget was spent or the model was down."""

    passages: tuple[Passage, ...]
    rows: tuple[EnrichmentRow, ...]
    asked: int
    cached: int
    accepted: int  # passages with any accepted part
    unsupported: int  # parts that did not pass the gate
    failed: int  # passages without a usable reply
    left: int  # passages not asked about, the first time or the second
    tokens_in: int
    tokens_out: int
    spent: float
    stopped: str  # why it stopped early, "" where it did not

    def told(self) -> str:
        """One line for people."""
        text = f"{self.accepted} passages helped, {self.unsupported} texts unsupported, {self.failed} without a usable reply"
        text += f"; {self.asked} asked, {self.cached} from the cache, {self.tokens_in + self.tokens_out} tokens"
        text += f" ({self.spent:.4f} spent)" if self.spent else ""
        return text + (f"; {self.left} left: {self.stopped}" if self.left else "")


class Outlook(NamedTuple):
    """What an enrichment would do: a dry run."""

    candidates: int
    cached: int
    withheld: int
    tokens: int  # at most, of requests and replies
    cost: float  # at most


def enriched(
    passages: Sequence[Passage],
    settings: Settings,
    client: LLMClient,
    folder: Path,
    *,
    run_id: str = "",
    logged_at: str = "",
    say: Callable[[str], None] = lambda line: None,
    purse: Purse | None = None,
) -> Run:
    """The passages with what a model added and the gate accepted, and a row for every text it judged for the first time.

    Where the gate refuses a text, the model is told why and may write it once more (``Settings.again``). Replies are kept in
    *folder*: an interrupted or exhausted run is taken up where it stopped, and a repeated run asks nothing. A corpus that comes
    in slices has one *purse* for all.
    """
    plain = [own_words(passage) for passage in passages]
    asker = _Asker(settings, client, cache_in(folder), name_of(client, settings), purse or Purse(settings), say)
    texts = {at: passage.evidence_text for at, passage in enumerate(plain) if is_candidate(passage)}
    answers, left, stopped = asker.converse(texts)
    out, rows, accepted, unsupported = list(plain), list[EnrichmentRow](), 0, 0
    for at, given in answers.items():
        out[at] = _helped(plain[at], [part for answer in given for part in answer.parts])
        accepted += out[at] is not plain[at]
        usable = [answer for answer in given if not answer.said.trouble]
        unsupported += len(usable[-1].refused) if usable else 0
        for answer in given:
            rows += list(_rows(plain[at], answer, asker.name, run_id, logged_at)) if not answer.said.cached else []
    every = [answer for given in answers.values() for answer in given]
    fresh = sum(not answer.said.cached and not answer.said.trouble for answer in every)
    known = sum(answer.said.cached for answer in every)
    failed = sum(any(part.status in (parts.FAILED, parts.INVALID) for part in given[0].parts) for given in answers.values())
    counts, spent = (fresh, known, accepted, unsupported, failed, left), asker.purse
    return Run(tuple(out), tuple(rows), *counts, spent.tokens_in, spent.tokens_out, spent.spent, stopped)


class Answer(NamedTuple):
    """What a model said to one question, part by part with the gate's word on it."""

    said: Said
    parts: list[Part]
    prompt: Prompt

    @property
    def refused(self) -> list[Part]:
        """The texts that the gate did not accept."""
        return [part for part in self.parts if part.status == parts.UNSUPPORTED]


class _Asker(NamedTuple):
    """One model, its replies so far, and what may be spent on more."""

    settings: Settings
    client: LLMClient
    cache: SealedCache
    name: str
    purse: Purse
    say: Callable[[str], None]

    def converse(self, texts: Mapping[int, str]) -> tuple[dict[int, list[Answer]], int, str]:
        """The answers about each text, a second where the first was refused; how many are wanting; why asking stopped early."""
        first, stopped = self.ask(load(), {at: _first(text, self.settings.parts) for at, text in texts.items()})
        found = {at: [answer] for at, answer in first.items()}
        wanting = len(texts) - len(first)
        refused = {at: answer for at, answer in first.items() if answer.refused} if self.settings.again and not stopped else {}
        if refused:
            second, stopped = self.ask(load(AGAIN), {at: _once_more(texts[at], answer) for at, answer in refused.items()})
            wanting += len(refused) - len(second)
            for at, answer in second.items():
                found[at].append(answer)
        return found, wanting, stopped

    def ask(self, prompt: Prompt, questions: Mapping[int, Question]) -> tuple[dict[int, Answer], str]:
        """The answer to each question that has one, and why asking stopped early."""
        keys = {at: key_of(prompt, self.name, question) for at, question in questions.items()}
        asked = {keys[at]: question for at, question in questions.items()}
        said, stopped = ask.all_of(
            asked, load().system, self.client, self.cache, self.purse, self.settings.concurrency, self.say
        )  # fmt: skip
        return {
            at: Answer(said[keys[at]], parts.judged(question.passage, said[keys[at]], question.parts), prompt)
            for at, question in questions.items()
            if keys[at] in said
        }, stopped


def _first(text: str, wanted: Sequence[str]) -> Question:
    return Question(text, ({"role": "user", "content": quoted(load(), text)},), tuple(wanted))


def _once_more(text: str, answer: Answer) -> Question:
    """The same question, the answer to it, and what the gate found in that."""
    asked = _first(text, ())
    found = "\n".join(f"{part.name}: {part.text}\n  {part.reason}" for part in answer.refused)
    told = {"role": "user", "content": complaint(load(AGAIN), found[:LONGEST_COMPLAINT])}
    replied = {"role": "assistant", "content": answer.said.text}
    wanted = tuple(dict.fromkeys(part.name for part in answer.refused))
    return Question(text, (*asked.messages, replied, told), wanted)


def outlook(passages: Sequence[Passage], settings: Settings, client: LLMClient, folder: Path) -> Outlook:
    """What ``enriched`` would do, at most. Nothing is asked and nothing written."""
    name = name_of(client, settings)
    texts = dict.fromkeys(passage.evidence_text for passage in map(own_words, passages) if is_candidate(passage))
    questions = {key_of(load(), name, question): question for question in (_first(text, settings.parts) for text in texts)}
    known = cache_in(folder).read(list(questions))
    asked = [question for key, question in questions.items() if key not in known]
    sent = [question for question in asked if not ask.addresses_a_model(question.passage)]
    ins = sum(tokens_of(load().system) + tokens_of(question.messages[0]["content"]) for question in sent)
    outs = settings.reply_tokens * len(sent)
    if settings.again:  # the question, the reply and the complaint once more
        ins, outs = 2 * ins + outs + len(sent) * tokens_of(load(AGAIN).system + " " * LONGEST_COMPLAINT), 2 * outs
    cost = (ins * settings.input_price + outs * settings.output_price) / 1_000_000
    return Outlook(len(questions), len(known), len(asked) - len(sent), ins + outs, cost)


def is_candidate(passage: Passage) -> bool:
    """Whether a model may be asked about it: searched, and not read by OCR, which has its own mark to keep."""
    return passage.indexable and passage.derivation == "observed" and bool(passage.evidence_text.strip())


def own_words(passage: Passage) -> Passage:
    """The passage without a model's words: the very row that it was before."""
    if passage.derivation != "model_rewritten":
        return passage
    text = passage.retrieval_text.rpartition(SEPARATOR)[0] or passage.retrieval_text
    return _sealed(passage._replace(retrieval_text=text, derivation="observed", groundedness=None))


def name_of(client: LLMClient, settings: Settings) -> str:
    """The model's name, for the log and the cache."""
    return str(getattr(client, "name", settings.model))


def key_of(prompt: Prompt, model: str, question: Question) -> bytes:
    """The cache's key: prompt, model and messages, each of its own length."""
    said = [message["content"].encode("utf-8", "surrogatepass") for message in question.messages]
    fields = [prompt.sha256.encode(), model.encode(), *said]
    return hashlib.sha256(b"".join(b"%d:%b" % (len(field), field) for field in fields)).digest()


def cache_in(folder: Path) -> SealedCache:
    """The replies kept in *folder*."""
    return SealedCache(folder / "replies.sqlite", "replies", "reply", "cache of replies")


def _helped(passage: Passage, judged: Sequence[Part]) -> Passage:
    own = passage.evidence_text.split()
    accepted = [part for part in judged if part.status == parts.ACCEPTED and part.text.split() != own]  # a copy is no help
    if not accepted:
        return passage
    words = "\n".join(dict.fromkeys(part.text for part in accepted))
    return _sealed(
        passage._replace(
            retrieval_text=f"{passage.retrieval_text}{SEPARATOR}{words}",
            derivation="model_rewritten",
            groundedness=min(part.score for part in accepted),
        )
    )


def _sealed(passage: Passage) -> Passage:
    hashes = "".join(span.sha256 for span in passage.spans)
    return passage._replace(content_hash=content_hash(tuple(passage[1:-1]), hashes))


def _rows(passage: Passage, answer: Answer, model: str, run_id: str, logged_at: str) -> Iterator[EnrichmentRow]:
    for part in answer.parts:
        yield EnrichmentRow(
            run_id, logged_at, passage.document_id, passage.chunk_id, passage.node_id, part.name, part.status, part.score,
            part.claimed, part.reason, part.text, model, answer.prompt.label, answer.prompt.sha256,
        )  # fmt: skip
