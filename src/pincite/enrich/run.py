"""Passages in, passages out: a model is asked about each, the gate judges what it wrote, and only what passes is searched.

A passage keeps its own words whatever happens: accepted text is added after them, in ``retrieval_text`` alone. A model that is
down, slow, lying or malicious leaves the passages as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pincite.enrich import ask, parts
from pincite.enrich.ask import Said
from pincite.enrich.budget import Purse, tokens_of
from pincite.enrich.prompt import Prompt, load, quoted
from pincite.enrich.settings import Settings
from pincite.model import EnrichmentRow, Passage
from pincite.passages.identity import content_hash
from pincite.ports import LLMClient
from pincite.sealed import SealedCache

SEPARATOR = "\n⸻\n"
"""Stands between a passage's own words and a model's in ``retrieval_text``. It has no letter, so it is no word to search."""


class Run(NamedTuple):
    """What one enrichment did. ``left``: passages not asked about, because the budget was spent or the model was down."""

    passages: tuple[Passage, ...]
    rows: tuple[EnrichmentRow, ...]
    asked: int
    cached: int
    accepted: int  # passages with any accepted part
    unsupported: int  # parts that did not pass the gate
    failed: int  # passages without a usable reply
    left: int
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

    Replies are kept in *folder*: an interrupted or exhausted run is taken up where it stopped, and a repeated run asks nothing.
    A corpus that comes in slices has one *purse* for all.
    """
    prompt, plain = load(), [own_words(passage) for passage in passages]
    cache, name = cache_in(folder), name_of(client, settings)
    chosen = [at for at, passage in enumerate(plain) if is_candidate(passage)]
    texts = {key_of(prompt, name, plain[at].evidence_text): plain[at].evidence_text for at in chosen}
    purse = purse or Purse(settings)
    said, stopped = ask.all_of(texts, prompt, client, cache, purse, settings.concurrency, say)
    out, rows, accepted, unsupported, failed, left = list(plain), list[EnrichmentRow](), 0, 0, 0, 0
    for at in chosen:
        reply = said.get(key_of(prompt, name, plain[at].evidence_text))
        if reply is None:
            left += 1
            continue
        judged = parts.judged(plain[at].evidence_text, reply, settings.parts)
        out[at] = _helped(plain[at], judged)
        accepted += out[at] is not plain[at]
        unsupported += sum(part.status == parts.UNSUPPORTED for part in judged)
        failed += any(part.status in (parts.FAILED, parts.INVALID) for part in judged)
        rows += list(_rows(plain[at], judged, reply, prompt, name, run_id, logged_at)) if not reply.cached else []
    fresh = sum(not reply.cached and not reply.trouble for reply in said.values())
    known = sum(reply.cached for reply in said.values())
    counts = (fresh, known, accepted, unsupported, failed, left)
    return Run(tuple(out), tuple(rows), *counts, purse.tokens_in, purse.tokens_out, purse.spent, stopped)


def outlook(passages: Sequence[Passage], settings: Settings, client: LLMClient, folder: Path) -> Outlook:
    """What ``enriched`` would do, at most. Nothing is asked and nothing written."""
    prompt, name = load(), name_of(client, settings)
    texts = {key_of(prompt, name, p.evidence_text): p.evidence_text for p in map(own_words, passages) if is_candidate(p)}
    known = cache_in(folder).read(list(texts))
    asked = [text for key, text in texts.items() if key not in known]
    sent = [text for text in asked if not ask.addresses_a_model(text)]
    ins = sum(tokens_of(prompt.system) + tokens_of(quoted(prompt, text)) for text in sent)
    outs = settings.reply_tokens * len(sent)
    cost = (ins * settings.input_price + outs * settings.output_price) / 1_000_000
    return Outlook(len(texts), len(known), len(asked) - len(sent), ins + outs, cost)


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


def key_of(prompt: Prompt, model: str, text: str) -> bytes:
    """The cache's key: prompt, model and text, each of its own length."""
    fields = [prompt.sha256.encode(), model.encode(), text.encode("utf-8", "surrogatepass")]
    return hashlib.sha256(b"".join(b"%d:%b" % (len(field), field) for field in fields)).digest()


def cache_in(folder: Path) -> SealedCache:
    """The replies kept in *folder*."""
    return SealedCache(folder / "replies.sqlite", "replies", "reply", "cache of replies")


def _helped(passage: Passage, judged: Sequence[parts.Part]) -> Passage:
    accepted = [part for part in judged if part.status == parts.ACCEPTED]
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


def _rows(
    passage: Passage, judged: Sequence[parts.Part], said: Said, prompt: Prompt, model: str, run_id: str, logged_at: str
) -> Iterator[EnrichmentRow]:
    for part in judged:
        yield EnrichmentRow(
            run_id, logged_at, passage.document_id, passage.chunk_id, passage.node_id, part.name, part.status, part.score,
            part.claimed, part.reason, part.text, model, prompt.label, prompt.sha256,
        )  # fmt: skip
