"""What a run will do with each document, decided from the corpus and the ``documents`` table before anything is parsed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from pincite.model import DocumentRow, Source
from pincite.parse.formats import media_type_of
from pincite.sources.manifest import Barred, Manifest

PARSE, SKIP, REMOVE, FAIL = "parse", "skip", "remove", "fail"

NEW, CHANGED, MOVED, AGAIN, DESCRIBED, UNCHANGED, REMOVED, DUPLICATE = (
    "new", "changed", "moved", "again", "described", "unchanged", "removed", "duplicate"
)  # fmt: skip
"""Kinds of decisions about what can be read; about the rest the kind is one of ``sources.discover.TROUBLES``."""

HEALTHY = frozenset({UNCHANGED, DUPLICATE, "excluded"})
"""Kinds of skips that are as they should be. Any other skip is an incident: somebody wanted that file."""


class Action(NamedTuple):
    """One decision. ``source`` is None for a document that is gone from the corpus."""

    document_id: str
    action: str
    reason: str
    source: Source | None
    kind: str = ""


class Plan(NamedTuple):
    """Every document of the corpus and of the table, once, in the corpus' order, removed ones last."""

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

    @property
    def incidents(self) -> tuple[Action, ...]:
        """Skips that somebody should look at."""
        return tuple(each for each in self.actions if each.action == SKIP and each.kind not in HEALTHY)

    def counts(self) -> dict[tuple[str, str], int]:
        """How many decisions there are of each action and kind."""
        return dict(Counter((each.action, each.kind) for each in self.actions))


def plan(
    sources: Sequence[Source],
    documents: Iterable[DocumentRow],
    version: Callable[[Source], str],
    barred: Mapping[str, Barred] | None = None,
    *,
    skip_duplicates: bool = False,
    unfinished: Collection[str] = (),
) -> Plan:
    """Decide for each source whether to parse or skip it, and for each known document whether it is gone.

    *version* gives what decides a document's rows besides its bytes (the parser's version and the like), as stored in
    ``author_version``. *barred* are sources that cannot be read: they are skipped, and keep the rows they had. *unfinished*
    are documents whose rows a run may have left half written (``tables.unfinished``): they are read again, or removed.
    """
    known = {row.document_id: row for row in documents}
    barred = barred or {}
    twins = _twins([each for each in sources if each.document_id not in barred], known) if skip_duplicates else {}
    actions = []
    for source in sources:
        row, bar, twin = known.get(source.document_id), barred.get(source.document_id), twins.get(source.document_id)
        if bar is not None:
            actions.append(_barred(source, row, bar, source.document_id in unfinished))
        elif twin is not None:
            actions.append(_duplicate(source, row, twin, source.document_id in unfinished))
        else:
            actions.append(_decide(source, row, version(source), source.document_id in unfinished))
    listed = {source.document_id for source in sources}
    there = dict.fromkeys([*known, *sorted(unfinished)])
    gone = [Action(each, REMOVE, "it is no longer in the corpus", None, REMOVED) for each in there if each not in listed]
    return Plan((*actions, *gone))


def plan_corpus(manifest: Manifest, documents: Iterable[DocumentRow], version: str, unfinished: Collection[str] = ()) -> Plan:
    """The plan of a corpus, pinned or a folder."""
    return plan(
        manifest.sources,
        documents,
        lambda _: version,
        manifest.barred,
        skip_duplicates=manifest.skip_duplicates,
        unfinished=unfinished,
    )


def _twins(sources: Sequence[Source], known: Mapping[str, DocumentRow]) -> dict[str, Source]:
    """Each source whose bytes another one has, with that one: the one whose rows are there already, else the plainest name."""
    by_hash: dict[str, list[Source]] = {}
    for source in sources:
        by_hash.setdefault(source.source_sha256, []).append(source)
    twins = {}
    for same in by_hash.values():
        if len(same) > 1:
            there = [each for each in same if _holds(known.get(each.document_id), each)]
            first = min(there or same, key=_plainness)
            twins.update({each.document_id: first for each in same if each is not first})
    return twins


_COPY = re.compile(r"\bcop(?:y|ies)\b|\bkopie\b|\bbackup\b|\bold\b|\barchive\b|\(\d+\)|~|\.bak\b", re.IGNORECASE)


def _plainness(source: Source) -> tuple[bool, bool, int]:
    """What is least likely a copy of the others: a name that fits what it holds, says nothing of a copy, and lies highest."""
    named = media_type_of(source.path)
    fits = named == source.media_type.partition(";")[0]
    return not fits, bool(_COPY.search(source.path)), source.path.count("/")


def _holds(row: DocumentRow | None, source: Source) -> bool:
    return row is not None and row.status == "parsed" and row.source_sha256 == source.source_sha256


def _barred(source: Source, row: DocumentRow | None, bar: Barred, unfinished: bool) -> Action:
    if bar.kind == "excluded":
        action = REMOVE if row or unfinished else SKIP
        return Action(source.document_id, action, bar.reason, source, bar.kind)
    stays = "; the rows of its earlier version stay" if row is not None and row.status == "parsed" else ""
    return Action(source.document_id, SKIP, bar.reason + stays, source, bar.kind)


def _duplicate(source: Source, row: DocumentRow | None, twin: Source, unfinished: bool) -> Action:
    reason = f"duplicate of {twin.document_id!r} ({twin.path!r}): the same bytes"
    return Action(source.document_id, REMOVE if row or unfinished else SKIP, reason, source, DUPLICATE)


def _decide(source: Source, row: DocumentRow | None, version: str, unfinished: bool) -> Action:
    action, kind, reason = PARSE, NEW, "it is new"
    described = (source.corpus_version, source.title, source.uri, source.media_type)
    if row is None:
        pass
    elif row.status != "parsed":
        kind, reason = AGAIN, "the last run could not parse it"
    elif row.source_sha256 != source.source_sha256:
        kind, reason = CHANGED, f"its bytes changed ({row.source_sha256[:12]} before, {source.source_sha256[:12]} now)"
    elif row.author_version != version:
        kind, reason = AGAIN, f"it was authored by {row.author_version!r}, this is {version!r}"
    elif row.source_path != source.path:
        kind, reason = MOVED, f"its path changed ({row.source_path!r} before, {source.path!r} now)"
    elif (row.corpus_version, row.title, row.source_uri, row.media_type) != described:
        kind, reason = DESCRIBED, "its version, title, address or media type changed in the corpus"
    elif unfinished:
        kind, reason = AGAIN, "a run that did not end may have left rows of another version"
    else:
        action, kind = SKIP, UNCHANGED
        reason = f"unchanged: the same bytes ({source.source_sha256[:12]}) and the same parser"
    return Action(source.document_id, action, reason, source, kind)


# --- telling -------------------------------------------------------------------------------------------------------------


def decisions(plan: Plan) -> list[str]:
    """A line for each document that is not as it was: what would be done, with which file, and why."""
    told = [each for each in plan.actions if each.kind != "unchanged"]
    return [f"{each.action:<9} {each.document_id:<28} {_where(each) or '-':<28} {each.reason}" for each in told]


def summary(plan: Plan) -> list[str]:
    """A plan in a few lines: what will be done, what is as it should be, and apart from it what somebody should look at."""
    work = _told(each for each in plan.actions if each.action != SKIP)
    health = _told(each for each in plan.actions if each.action == SKIP and each.kind in HEALTHY)
    lines = [f"to do     {work or 'nothing'}", f"healthy   {health or 'nothing is skipped'}"]
    if plan.incidents:
        lines.append(f"incident  {len(plan.incidents)} files are not read: {_told(plan.incidents)}")
        first: dict[str, Action] = {}
        for each in plan.incidents:
            first.setdefault(each.kind, each)
        for kind, each in first.items():
            lines.append(f"          {kind}: {_where(each)}: {each.reason}")
    return lines


def _told(actions: Iterable[Action]) -> str:
    counts = Counter(each.kind if each.action != REMOVE else f"{each.kind}, removed" for each in actions)
    return ", ".join(
        f"{count} {kind.replace('_', ' ').replace('removed, removed', 'removed')}" for kind, count in counts.items()
    )


def _where(action: Action) -> str:
    return (
        ascii(action.source.path)[1:-1] if action.source and "\n" in action.source.path else getattr(action.source, "path", "")
    )
