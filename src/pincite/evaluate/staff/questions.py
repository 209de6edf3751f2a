"""The gold set of staff questions: what each must find, and the routes declared for a concept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import UsageError
from pincite.retrieve.profiles import Profile, profile_of


class Obligation(NamedTuple):
    """One thing a complete answer owes, and the place that says it."""

    kind: str  # rule, condition, definition, exception, ...
    at: str  # node_id
    page: int  # of the document's file
    need: str


class Question(NamedTuple):
    question_id: str
    text: str
    benefit: str
    document: str  # document_id of all its obligations
    concepts: tuple[str, ...]
    obligations: tuple[Obligation, ...]


class StaffGold(NamedTuple):
    corpus: str
    questions: tuple[Question, ...]
    profiles: Mapping[str, Profile]
    digest: str  # SHA-256 of the file

    @property
    def obligations(self) -> int:
        """The denominator of most measures. It is fixed by the file alone."""
        return sum(len(question.obligations) for question in self.questions)

    def benefits(self) -> dict[str, frozenset[str]]:
        """Document id -> the benefits it is asked about."""
        found: dict[str, set[str]] = {}
        for question in self.questions:
            found.setdefault(question.document, set()).add(question.benefit)
        return {name: frozenset(values) for name, values in found.items()}


def load(path: Path) -> StaffGold:
    """Read and check a gold set; ``UsageError`` names the place of a fault."""
    import yaml

    try:
        data = path.read_bytes()
        content = yaml.safe_load(data)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the questions cannot be read ({error})", where=str(path), next="name others with --gold") from None
    except yaml.YAMLError as error:
        raise UsageError(f"the questions are not YAML ({error})", where=str(path), next="correct the file") from None
    return read(content, hashlib.sha256(data).hexdigest(), str(path))


def read(content: Any, digest: str, where: str) -> StaffGold:
    """The gold set in *content*, as YAML gives it."""
    entries = content.get("questions") if isinstance(content, dict) else None
    if not isinstance(entries, list) or not entries:
        raise UsageError("there is no list of questions", where=where, next="see docs/manuals-census.md for the form")
    try:
        questions = tuple(_question(entry) for entry in entries)
        profiles = [profile_of(entry) for entry in content.get("profiles") or ()]
        corpus = str(content["corpus"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"a question or profile is not complete ({error!r})", where=where, next="add what is missing"
        ) from None
    _refuse_repeats([question.question_id for question in questions], where)
    _refuse_repeats([profile.concept for profile in profiles], where)
    return StaffGold(corpus, questions, {profile.concept: profile for profile in profiles}, digest)


def _question(entry: Mapping[str, Any]) -> Question:
    owed = tuple(Obligation(str(o["kind"]), str(o["at"]), int(o["page"]), str(o["need"])) for o in entry["obligations"])
    if not owed:
        raise ValueError(f"question {entry['id']} owes nothing")
    concepts = tuple(str(each) for each in entry["concepts"])
    return Question(str(entry["id"]), str(entry["question"]), str(entry["benefit"]), str(entry["document"]), concepts, owed)


def _refuse_repeats(names: list[str], where: str) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise UsageError(f"{repeated[0]!r} is used twice", where=where, next="give each its own name")
