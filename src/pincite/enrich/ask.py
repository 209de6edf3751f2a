"""A model is asked many questions: a few at a time, within a budget, each reply kept as it comes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from pincite.enrich.budget import Purse, tokens_of
from pincite.enrich.reply import Invalid, read
from pincite.errors import PlatformError, UsageError
from pincite.ports import Completion, LLMClient
from pincite.sealed import SealedCache

BREAK_AFTER = 5  # failures in a row: the model is down
_MODEL = r"(?:AI|LLM|assistant|chatbot|(?:large )?language model)"
_TO_A_MODEL = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|rules above|everything above)\b"
    r"|\b(?:system|developer)\s+(?:prompt|message)\b|<\|im_start\|>|\[/?INST\]"
    rf"|\bas an? {_MODEL}\b|\byou are (?:now )?(?:an? )?{_MODEL}\b"
    rf"|\b(?:note|message|instructions?) (?:to|for) (?:the |any |all )?{_MODEL}\b",
    re.I | re.S,
)


Waiting = dict[Future[str], tuple[bytes, int]]


Message = Mapping[str, str]


class Question(NamedTuple):
    """What a model is asked: the *passage* it is about, the *messages* in their order, and the *parts* wanted in reply."""

    passage: str
    messages: tuple[Message, ...]
    parts: tuple[str, ...]


class Said(NamedTuple):
    """A reply, or the trouble there was instead. ``withheld``: the text was not sent at all."""

    text: str = ""
    cached: bool = False
    trouble: str = ""
    withheld: bool = False
    tokens_in: int | None = None  # as the endpoint counted them; None where it does not say
    tokens_out: int | None = None


def addresses_a_model(text: str) -> bool:
    """Whether a text seems to speak to a model: such a passage is not sent, and is searched by its own words."""
    return bool(_TO_A_MODEL.search(text))


def all_of(
    questions: Mapping[bytes, Question],
    system: str,
    client: LLMClient,
    cache: SealedCache,
    purse: Purse,
    concurrency: int,
    say: Callable[[str], None],
) -> tuple[dict[bytes, Said], str]:
    """What was said to each question, by key, and why asking stopped early ("" where it did not)."""
    said = {key: _remembered(value) for key, value in cache.read(list(questions)).items()}
    missing = ((key, question) for key, question in questions.items() if key not in said)
    stopped, failures, waiting = "", 0, Waiting()
    with ThreadPoolExecutor(concurrency) as pool:
        sender = _Sender(pool, system, client, cache, purse, concurrency)
        while True:
            stopped = stopped or sender.send(missing, waiting, said)
            if not waiting:
                break
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                key, asked = waiting.pop(future)
                said[key] = _answered(future, key, cache)
                purse.settle(asked, *_took(said[key], asked))
                failures = failures + 1 if said[key].trouble else 0
                if failures >= BREAK_AFTER and not stopped:
                    stopped = f"the model failed {failures} times in a row ({said[key].trouble})"
                    say(stopped)
    return said, stopped


class _Sender(NamedTuple):
    pool: ThreadPoolExecutor
    system: str
    client: LLMClient
    cache: SealedCache
    purse: Purse
    concurrency: int

    def send(self, questions: Iterator[tuple[bytes, Question]], waiting: Waiting, said: dict[bytes, Said]) -> str:
        """Send as many as may be under way at once; why no more can be sent, "" where more can."""
        while len(waiting) < self.concurrency:
            key, question = next(questions, (b"", Question("", (), ())))
            if not key:
                return ""
            if addresses_a_model(question.passage):
                trouble = "the passage seems to speak to a model, so it is not sent"
                self.cache.write({key: b"w" + trouble.encode()})
                said[key] = Said(trouble=trouble, withheld=True)
                continue
            asked = tokens_of(self.system) + sum(tokens_of(message["content"]) for message in question.messages)
            if not self.purse.reserve(asked):
                return "the budget is spent"
            waiting[self.pool.submit(self.client.complete, self.system, list(question.messages))] = key, asked
        return ""


def _answered(future: Future[str], key: bytes, cache: SealedCache) -> Said:
    """A reply, kept where it is one that can be read; a failure of the platform is told and never kept."""
    try:
        text = future.result()
    except (PlatformError, UsageError) as error:
        return Said(trouble=str(error))
    said = Said(text)
    if isinstance(text, Completion):
        said = Said(str(text), tokens_in=text.tokens_in, tokens_out=text.tokens_out)
    try:
        read(text)
    except Invalid:
        return said  # asked again by the next run
    cache.write({key: b"r" + text.encode("utf-8", "surrogatepass")})
    return said


def _took(said: Said, asked: int) -> tuple[int, int]:
    """Tokens of a request and its reply: as the endpoint counted them, else as we estimate them."""
    replied = 0 if said.trouble else tokens_of(said.text)
    return asked if said.tokens_in is None else said.tokens_in, replied if said.tokens_out is None else said.tokens_out


def _remembered(value: bytes) -> Said:
    text = value[1:].decode("utf-8", "surrogatepass")
    return Said(text, cached=True) if value[:1] == b"r" else Said(cached=True, trouble=text, withheld=True)
