"""The annotation snapshot: laws, elements, cases, quoted facts and what was held of them. Loaded whole or refused whole."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, get_type_hints

from pincite.errors import CheckFailed, MissingSource, UsageError
from pincite.model import sha256_hex

SCHEMA = "pincite.match.snapshot/1"
HOLDINGS = ("satisfied", "not_satisfied", "not_reached")
FACT_KINDS = ("allegation", "finding", "undisputed", "testimony")


class Law(NamedTuple):
    law_id: str  # "42usc1983"
    citation: str  # "42 U.S.C. § 1983"
    title: str


class Element(NamedTuple):
    """What must be shown under a law, in our own words."""

    element_id: str
    law_id: str
    name: str
    description: str


class Variant(NamedTuple):
    """One way in which an element is met."""

    variant_id: str
    element_id: str
    name: str


class Case(NamedTuple):
    """One text. A case no instance speaks of is background: it stands for everything the laws do not reach."""

    case_id: str
    name: str
    source: str  # the text's path, relative to the snapshot
    source_sha256: str
    aliases: tuple[str, ...]  # SHA-256 of other copies of the same text
    invented: bool


class Fact(NamedTuple):
    """Evidence: an exact quote. ``start`` and ``end`` are Unicode code point offsets into the case's text."""

    fact_id: str
    case_id: str
    kind: str
    pointer: str  # for people: "paragraph 2"
    start: int
    end: int
    quote: str
    source_sha256: str


class Instance(NamedTuple):
    """A holding: these facts of one case meet an element, do not meet it, or the court did not reach it."""

    instance_id: str
    case_id: str
    element_id: str
    variant_id: str  # "" where none is named
    fact_ids: tuple[str, ...]
    holding: str


class Snapshot(NamedTuple):
    """Everything, checked. ``texts`` is each case's text, by case id; ``digest`` is of the file and of every text."""

    laws: tuple[Law, ...]
    elements: tuple[Element, ...]
    variants: tuple[Variant, ...]
    cases: tuple[Case, ...]
    facts: tuple[Fact, ...]
    instances: tuple[Instance, ...]
    texts: Mapping[str, str]
    digest: str


_TABLES: dict[str, Any] = {
    "laws": Law,
    "elements": Element,
    "variants": Variant,
    "cases": Case,
    "facts": Fact,
    "instances": Instance,
}


def load(path: Path) -> Snapshot:
    """The snapshot at *path* with its texts beside it.

    Every field, reference, hash and quote is checked. One fault refuses all of it: ``UsageError`` for its form and its
    references, ``MissingSource`` and ``CheckFailed`` for its texts.
    """
    try:
        data = path.read_bytes()
        content = json.loads(data)
    except OSError as error:
        raise UsageError(
            f"the snapshot cannot be read ({error.strerror})", where=str(path), next="name a snapshot file with --snapshot"
        ) from None
    except ValueError as error:
        raise UsageError(f"the snapshot is not JSON ({error})", where=str(path), next="build it again") from None
    return read(content, path.parent, sha256_hex(data), str(path))


def read(content: Any, folder: Path, digest: str, where: str) -> Snapshot:
    """The snapshot in *content* (parsed JSON), its texts in *folder*."""
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise UsageError(f"this is not a snapshot of the form {SCHEMA}", where=where, next="build it again")
    extra = sorted(set(content) - set(_TABLES) - {"schema"})
    if extra:
        raise UsageError(f"unknown table {extra[0]!r}", where=where, next=f"the tables are {', '.join(_TABLES)}")
    tables = {name: _table(name, content.get(name), where) for name in _TABLES}
    for name in ("laws", "cases"):
        if not tables[name]:
            raise UsageError(f"the snapshot has no {name}", where=where, next="annotate some")
    texts = {case.case_id: _text(case, folder, where) for case in tables["cases"]}
    sealed = sha256_hex("".join([digest, *(case.source_sha256 for case in tables["cases"])]).encode())
    snapshot = Snapshot(**tables, texts=texts, digest=sealed)
    check(snapshot, where)
    return snapshot


def check(snapshot: Snapshot, where: str) -> None:
    """Every reference between records, and every quote against its text; the first fault is raised."""
    _check_references(snapshot, where)
    cases = {case.case_id: case for case in snapshot.cases}
    for fact in snapshot.facts:
        case, place = cases[fact.case_id], f"{where}: fact {fact.fact_id}"
        if fact.source_sha256 != case.source_sha256:
            raise CheckFailed(f"its source hash is not that of {case.source}", where=place, next="annotate it again")
        if not 0 <= fact.start < fact.end or snapshot.texts[fact.case_id][fact.start : fact.end] != fact.quote:
            raise CheckFailed(
                f"its quote is not what stands at {fact.start}:{fact.end} of {case.source}",
                where=place,
                next="annotate it again",
            )


def _table(name: str, rows: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(rows, list):
        raise UsageError(f"the table {name!r} is missing", where=where, next="build the snapshot again")
    record = _TABLES[name]
    hints = get_type_hints(record)
    found = tuple(_row(record, hints, row, f"{where}: {name} {number}") for number, row in enumerate(rows, 1))
    ids = [row[0] for row in found]
    if len(set(ids)) != len(ids):
        twice = next(value for value in ids if ids.count(value) > 1)
        raise UsageError(f"the id {twice!r} is used twice in {name}", where=where, next="give each record its own id")
    return found


def _row(record: Any, hints: Mapping[str, Any], row: Any, where: str) -> Any:
    if not isinstance(row, dict) or set(row) != set(record._fields):
        raise UsageError(f"a record needs exactly {', '.join(record._fields)}", where=where, next="correct it")
    values = []
    for name in record._fields:
        value = row[name]
        if hints[name] is str or hints[name] is int or hints[name] is bool:
            good = type(value) is hints[name]
        else:
            good = isinstance(value, list) and all(type(item) is str for item in value)
            value = tuple(value) if good else value
        if not good:
            raise UsageError(f"{name} is {type(value).__name__}, not {_name(hints[name])}", where=where, next="correct it")
        values.append(value)
    return record(*values)


def _name(hint: Any) -> str:
    return {str: "a string", int: "an integer", bool: "true or false"}.get(hint, "a list of strings")


def _text(case: Case, folder: Path, where: str) -> str:
    place = f"{where}: case {case.case_id}"
    relative = PurePosixPath(case.source)
    if relative.is_absolute() or ".." in relative.parts or not relative.parts:
        raise UsageError(f"the path {case.source!r} leaves the snapshot's folder", where=place, next="use a path inside it")
    try:
        data = (folder / relative).read_bytes()
    except OSError:
        raise MissingSource(f"its text {case.source} is not here", where=place, next="put it beside the snapshot") from None
    if sha256_hex(data) != case.source_sha256:
        raise CheckFailed(
            f"{case.source} has SHA-256 {sha256_hex(data)}, the snapshot says {case.source_sha256}",
            where=place,
            next="restore the text, or annotate it again",
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"its text {case.source} is not UTF-8", where=place, next="convert it and annotate it again") from None


def _check_references(snapshot: Snapshot, where: str) -> None:
    laws = {law.law_id for law in snapshot.laws}
    elements = {element.element_id: element for element in snapshot.elements}
    variants = {variant.variant_id: variant for variant in snapshot.variants}
    cases = {case.case_id for case in snapshot.cases}
    facts = {fact.fact_id: fact for fact in snapshot.facts}
    for element in snapshot.elements:
        _known(element.law_id, laws, "law", f"{where}: element {element.element_id}")
    for variant in snapshot.variants:
        _known(variant.element_id, elements, "element", f"{where}: variant {variant.variant_id}")
    for fact in snapshot.facts:
        _known(fact.case_id, cases, "case", f"{where}: fact {fact.fact_id}")
        _one_of(fact.kind, FACT_KINDS, f"{where}: fact {fact.fact_id}")
    for instance in snapshot.instances:
        place = f"{where}: instance {instance.instance_id}"
        _known(instance.case_id, cases, "case", place)
        _known(instance.element_id, elements, "element", place)
        _one_of(instance.holding, HOLDINGS, place)
        if not instance.fact_ids:
            raise UsageError("an instance needs at least one fact", where=place, next="name the facts it rests on")
        for fact_id in instance.fact_ids:
            _known(fact_id, facts, "fact", place)
            if facts[fact_id].case_id != instance.case_id:
                raise UsageError(f"fact {fact_id!r} is of another case", where=place, next="correct it")
        if instance.variant_id:
            _known(instance.variant_id, variants, "variant", place)
            if variants[instance.variant_id].element_id != instance.element_id:
                raise UsageError(f"variant {instance.variant_id!r} is of another element", where=place, next="correct it")


def _known(value: str, known: Iterable[str], what: str, where: str) -> None:
    if value not in known:
        raise UsageError(f"there is no {what} {value!r}", where=where, next="correct the reference")


def _one_of(value: str, allowed: tuple[str, ...], where: str) -> None:
    if value not in allowed:
        raise UsageError(f"{value!r} is not one of {', '.join(allowed)}", where=where, next="correct it")


def alias_groups(snapshot: Snapshot) -> list[list[int]]:
    """For each case the positions of itself, first, and of every other copy of it.

    Copies are cases of one source hash, cases that name one hash as an alias, and cases with the same words in the same order.
    """
    group: dict[str, int] = {}
    root = list(range(len(snapshot.cases)))

    def find(at: int) -> int:
        while root[at] != at:
            at = root[at]
        return at

    for at, case in enumerate(snapshot.cases):
        words = " ".join(snapshot.texts[case.case_id].split()).casefold()
        for key in (case.source_sha256, *case.aliases, "words:" + words):
            root[find(at)] = find(group.setdefault(key, at))
    members: dict[int, list[int]] = {}
    for at in range(len(root)):
        members.setdefault(find(at), []).append(at)
    return [[at, *(other for other in members[find(at)] if other != at)] for at in range(len(root))]
