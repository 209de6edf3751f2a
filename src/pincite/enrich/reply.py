"""A model's reply: one JSON object of exactly the agreed fields, or nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

MOST_CHARACTERS = 40_000
DEEPEST = 3
MOST_QUESTIONS = 5
_TEXTS = {"retrieval_text": 20_000, "title": 200, "summary": 4_000}
_FENCE = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.S)


class Reply(NamedTuple):
    """What a model wrote about a passage. ``confidence``: its own opinion, None where it gave none."""

    retrieval_text: str = ""
    title: str = ""
    questions: tuple[str, ...] = ()
    summary: str = ""
    confidence: float | None = None


class Invalid(Exception):
    """A reply that is not what was asked for; says why."""


def read(text: str) -> Reply:
    """The reply in *text*; ``Invalid`` for prose, other fields, wrong types, too much, or nesting that has no end.

    >>> read('{"title": "Storage of samples"}').title
    'Storage of samples'
    """
    if len(text) > MOST_CHARACTERS:
        raise Invalid(f"the reply has {len(text)} characters, at most {MOST_CHARACTERS} are read")
    fenced = _FENCE.fullmatch(text.strip())
    body = (fenced[1] if fenced else text).strip()
    if not body.startswith("{"):
        raise Invalid("the reply is no JSON object but " + (f"begins with {body[:40]!r}" if body else "empty"))
    if _depth(body) > DEEPEST:
        raise Invalid(f"the reply is nested more than {DEEPEST} deep")
    try:
        content = json.loads(body, object_pairs_hook=_object, parse_constant=_no_constant)
    except ValueError as error:
        raise Invalid(f"the reply is not JSON ({error})") from error
    return _checked(content)


def _depth(body: str) -> int:
    """How deep brackets nest, those within strings included: never less than JSON's own depth."""
    deepest = depth = 0
    for character in body:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    listed = list(pairs)
    found = dict(listed)
    if len(found) != len(listed):
        raise ValueError("a field occurs twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _checked(content: dict[str, Any]) -> Reply:
    unknown = content.keys() - set(Reply._fields)
    if unknown or not content:
        raise Invalid(f"the reply has the unknown field {sorted(unknown)[0]!r}" if unknown else "the reply has no field")
    for name, longest in _TEXTS.items():
        value = content.get(name, "")
        if not isinstance(value, str) or len(value) > longest:
            raise Invalid(f"{name!r} must be a text of at most {longest} characters")
    questions = content.get("questions", [])
    if not isinstance(questions, list) or len(questions) > MOST_QUESTIONS or not all(isinstance(q, str) for q in questions):
        raise Invalid(f"'questions' must be a list of at most {MOST_QUESTIONS} texts")
    confidence = content.get("confidence")
    if confidence is not None and (isinstance(confidence, bool) or not isinstance(confidence, (int, float))):
        raise Invalid("'confidence' must be a number from 0 to 1")
    return Reply(
        _line(content.get("retrieval_text", "")),
        _line(content.get("title", "")),
        tuple(_line(question) for question in questions if question.strip()),
        _line(content.get("summary", "")),
        None if confidence is None else _number(confidence),
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _number(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")
