"""Gold sets: the questions, where each belongs, and the evidence a complete answer delivers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import UsageError

KINDS = ("direct", "edge", "near", "far")
"""``direct``: answered in one place; ``edge``: needs the target of an explicit citation; the others are not in the corpus."""

IN_SCOPE = frozenset({"direct", "edge"})


class Expected(NamedTuple):
    """One piece of evidence: the node, the hashes of the blocks that are its own text, the citing node it is reached by."""

    node_id: str
    spans: tuple[str, ...]
    via: str = ""


class Question(NamedTuple):
    question_id: str
    kind: str
    text: str
    expected: tuple[Expected, ...]
    part: str  # "dev" or "test"

    @property
    def in_scope(self) -> bool:
        return self.kind in IN_SCOPE


class Gold(NamedTuple):
    corpus: str
    as_of: str
    agreed: Mapping[str, float]  # the floor of each measure an evaluation must reach
    questions: tuple[Question, ...]
    digest: str  # SHA-256 of the file

    def part(self, name: str) -> tuple[Question, ...]:
        """The questions of ``dev`` or ``test``, or of both (``all``)."""
        return tuple(question for question in self.questions if name in ("all", question.part))


def load(path: Path) -> Gold:
    """Read and check a gold set; ``UsageError`` names the question and what is wrong with it."""
    import yaml

    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"the gold set cannot be read: {error.strerror}", where=str(path), next="name another with --gold"
        ) from None
    try:
        content = yaml.load(data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - the safe loader, in C
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"the gold set is not YAML: {error}", where=str(path), next="correct it") from None
    return read(content, hashlib.sha256(data).hexdigest(), str(path))


def read(content: Any, digest: str, where: str) -> Gold:
    """The gold set in *content*, as YAML gives it."""
    entries = content.get("questions") if isinstance(content, dict) else None
    if not isinstance(entries, list) or not entries:
        raise UsageError("the gold set has no list of questions", where=where, next="see docs/evaluation.md for its form")
    plain = [_question(entry, number, where) for number, entry in enumerate(entries, 1)]
    ids = [question.question_id for question in plain]
    repeated = sorted({name for name in ids if ids.count(name) > 1})
    if repeated:
        raise UsageError(f"question id {repeated[0]!r} is used twice", where=where, next="give each question its own id")
    parts = split(plain)
    return Gold(
        corpus=str(content.get("corpus", "")),
        as_of=str(content.get("as_of", "")),
        agreed={str(key): float(value) for key, value in (content.get("agreed") or {}).items()},
        questions=tuple(question._replace(part=parts[question.question_id]) for question in plain),
        digest=digest,
    )


def _question(entry: Any, number: int, where: str) -> Question:
    place = f"{where}: question {number}"
    if not isinstance(entry, dict) or not {"id", "kind", "question"} <= entry.keys():
        raise UsageError("a question needs id, kind and question", where=place, next="add what is missing")
    if entry["kind"] not in KINDS:
        raise UsageError(f"kind {entry['kind']!r} is not one of {', '.join(KINDS)}", where=place, next="correct it")
    expected = tuple(_expected(item, place) for item in entry.get("expect") or ())
    if (entry["kind"] in IN_SCOPE) != bool(expected):
        raise UsageError("exactly the questions in scope name their evidence", where=place, next="add or remove expect")
    if entry["kind"] == "edge" and not any(item.via for item in expected):
        raise UsageError(
            "an edge question names the citing node of at least one piece of evidence", where=place, next="add via"
        )
    return Question(str(entry["id"]), str(entry["kind"]), str(entry["question"]), expected, "")


def _expected(item: Any, place: str) -> Expected:
    if not isinstance(item, dict) or not item.get("node"):
        raise UsageError("expected evidence needs a node", where=place, next="write the node's citation")
    spans = tuple(str(span) for span in item.get("spans") or ())
    if any(len(span) != 64 for span in spans):
        raise UsageError(f"a span hash of {item['node']} is not a SHA-256", where=place, next="run pincite.evaluate.pin")
    return Expected(str(item["node"]), spans, str(item.get("via", "")))


def split(questions: Iterable[Question]) -> dict[str, str]:
    """The part of each question id: within its kind, in the order of SHA-256 of the id, dev and test in turn.

    The rule looks at ids and kinds only, so no result can move a question, and both parts hold every kind.
    """
    parts: dict[str, str] = {}
    by_kind: dict[str, list[str]] = {}
    for question in questions:
        by_kind.setdefault(question.kind, []).append(question.question_id)
    for ids in by_kind.values():
        ordered = sorted(ids, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
        parts.update({name: ("dev", "test")[position % 2] for position, name in enumerate(ordered)})
    return parts
