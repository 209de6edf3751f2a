"""What a corpus may have written by a model, by which one, and for how much."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from pincite.errors import UsageError

PARTS = ("retrieval_text", "title", "questions", "summary")


_MODEL = re.compile(r"local|(?:openai|databricks)/.+")


class Settings(NamedTuple):
    """The ``enrich:`` of a corpus' manifest. A budget of 0 is none. Money is in the currency of the prices."""

    model: str = "local"
    base_url: str = ""
    parts: tuple[str, ...] = PARTS
    tokens: int = 0  # at most, of requests and replies together
    money: float = 0.0  # at most
    input_price: float = 0.0  # of a million tokens
    output_price: float = 0.0
    concurrency: int = 4
    reply_tokens: int = 1024  # reserved for a reply before it is asked for
    again: bool = True  # whether a model may write once more what the gate refused


_KEYS = {"model", "base_url", "parts", "tokens", "money", "input_price", "output_price", "concurrency", "reply_tokens", "again"}


def settings_of(content: object, where: str) -> Settings:
    """The settings in a manifest; ``UsageError`` with the fault where they are none."""
    if isinstance(content, Mapping) and (unknown := sorted(map(str, content.keys() - _KEYS))):
        raise UsageError(
            f"'enrich' has the unknown field {unknown[0]!r}", where=where, next=f"its fields are {', '.join(sorted(_KEYS))}"
        )
    if not isinstance(content, Mapping) or not isinstance(content.get("model"), str):
        raise UsageError("'enrich' must name a model", where=where, next=f"its fields are {', '.join(sorted(_KEYS))}")
    if not _MODEL.fullmatch(content["model"]):
        step = "use local, openai/NAME or databricks/ENDPOINT"
        raise UsageError(f"'enrich' names a model {content['model']!r} of no known kind", where=where, next=step)
    parts = content.get("parts", list(PARTS))
    if not isinstance(parts, list) or not parts or not set(parts) <= set(PARTS):
        raise UsageError("'enrich' has wrong parts", where=where, next=f"choose of {', '.join(PARTS)}")
    numbers = {name: _number(content, name, where) for name in ("tokens", "money", "input_price", "output_price")}
    concurrency, reply = content.get("concurrency", 4), content.get("reply_tokens", 1024)
    if not (_whole(concurrency) and 1 <= concurrency <= 64 and _whole(reply) and 1 <= reply <= 100_000):
        raise UsageError("'enrich' has a wrong concurrency (1 to 64) or reply_tokens", where=where, next="correct it")
    if not isinstance(again := content.get("again", True), bool):
        raise UsageError("'enrich: again' must be true or false", where=where, next="correct it")
    found = Settings(content["model"], str(content.get("base_url", "")), tuple(parts), int(numbers["tokens"]), numbers["money"])
    found = found._replace(input_price=numbers["input_price"], output_price=numbers["output_price"])
    return checked(found._replace(concurrency=concurrency, reply_tokens=reply, again=again), where)


def checked(settings: Settings, where: str) -> Settings:
    """*settings* itself; ``UsageError`` for a budget of money without prices."""
    if settings.money and not (settings.input_price or settings.output_price):
        raise UsageError("a budget of money needs prices", where=where, next="give input_price and output_price")
    return settings


def _number(content: Mapping[str, Any], name: str, where: str) -> float:
    value = content.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e15:
        raise UsageError(f"'enrich: {name}' must be a number from 0", where=where, next="correct it")
    return float(value)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
