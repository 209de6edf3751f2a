"""What a model wrote about one passage, part by part, each with the gate's word on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pincite.enrich import reply
from pincite.enrich.ask import Said
from pincite.enrich.gate.near import open_near
from pincite.enrich.ground import verify_grounding

ACCEPTED, UNSUPPORTED, INVALID, FAILED, WITHHELD = "accepted", "unsupported", "invalid", "failed", "withheld"
_FORMS = {"retrieval_text": "text", "title": "title", "questions": "question", "summary": "summary"}


class Part(NamedTuple):
    """One text. ``name`` is a part of the settings; ``status`` one of this module's; ``reason`` why it is not accepted."""

    name: str
    status: str
    text: str = ""
    score: float = 0.0
    claimed: float | None = None
    reason: str = ""


def judged(source: str, said: Said, wanted: Sequence[str]) -> list[Part]:
    """The parts of a reply about the passage *source*. A part that a model left out is none."""
    if said.trouble:
        return [Part("reply", WITHHELD if said.withheld else FAILED, reason=said.trouble)]
    try:
        written = reply.read(said.text)
    except reply.Invalid as error:
        return [Part("reply", INVALID, text=said.text[:2000], reason=str(error))]
    return [_judged(source, name, text, written.confidence) for name, text in _texts(written, wanted)]


def _texts(written: reply.Reply, wanted: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in wanted:
        value = getattr(written, name)
        yield from ((name, text) for text in ([value] if isinstance(value, str) else value) if text)


def _judged(source: str, name: str, text: str, claimed: float | None) -> Part:
    found = verify_grounding(source, text, claimed, _FORMS[name], open_near())
    reason = "; ".join(f"{each.code}: {each.detail}" for each in found.reasons)
    return Part(name, ACCEPTED if found.grounded else UNSUPPORTED, text, found.score, claimed, reason)
