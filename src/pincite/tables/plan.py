"""What a run will do with each document, decided from the manifest and the ``documents`` table before anything is parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pincite.model import DocumentRow, Source

PARSE, SKIP, REMOVE = "parse", "skip", "remove"


class Action(NamedTuple):
    """One decision. ``source`` is None for a document that is gone from the manifest."""

    document_id: str
    action: str
    reason: str
    source: Source | None


class Plan(NamedTuple):
    """Every document of the manifest and of the table, once, in the manifest's order, removed ones last."""

    actions: tuple[Action, ...]

    @property
    def parse(self) -> tuple[Source, ...]:
        """What has to be read."""
        return tuple(each.source for each in self.actions if each.action == PARSE and each.source)

    @property
    def kept(self) -> frozenset[str]:
        """Documents whose rows stay as they are."""
        return frozenset(each.document_id for each in self.actions if each.action == SKIP)

    @property
    def removed(self) -> tuple[str, ...]:
        """Documents whose rows go."""
        return tuple(each.document_id for each in self.actions if each.action == REMOVE)

    @property
    def nothing_to_do(self) -> bool:
        """Whether every document is as it was: then no engine is started and no version written."""
        return all(each.action == SKIP for each in self.actions)


def plan(sources: Sequence[Source], documents: Iterable[DocumentRow], version: Callable[[Source], str]) -> Plan:
    """Decide for each source whether to parse or skip it, and for each known document whether it is gone.

    *version* gives what decides a document's rows besides its bytes (the parser's version and the like), as stored in
    ``author_version``.
    """
    known = {row.document_id: row for row in documents}
    actions = [_decide(source, known.get(source.document_id), version(source)) for source in sources]
    listed = {source.document_id for source in sources}
    gone = [Action(each, REMOVE, "it is no longer in the manifest", None) for each in known if each not in listed]
    return Plan((*actions, *gone))


def _decide(source: Source, row: DocumentRow | None, version: str) -> Action:
    action, reason = PARSE, ""
    described = (source.corpus_version, source.title, source.uri, source.path, source.media_type)
    if row is None:
        reason = "it is new"
    elif row.status != "parsed":
        reason = "the last run could not parse it"
    elif row.source_sha256 != source.source_sha256:
        reason = f"its bytes changed ({row.source_sha256[:12]} before, {source.source_sha256[:12]} now)"
    elif row.author_version != version:
        reason = f"it was authored by {row.author_version!r}, this is {version!r}"
    elif (row.corpus_version, row.title, row.source_uri, row.source_path, row.media_type) != described:
        reason = "its version, title, address or path changed in the manifest"
    else:
        action, reason = SKIP, f"unchanged: the same bytes ({source.source_sha256[:12]}) and the same parser"
    return Action(source.document_id, action, reason, source)
