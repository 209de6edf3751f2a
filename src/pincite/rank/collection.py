"""Plain passages and queries, read from JSON lines, and what a ranking can know of a passage's place among the others."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import MissingSource, UsageError
from pincite.references.rulebook_shelf import Label, parse_label, steps

_HEADING_WORDS = 12  # a passage of at most so many words, without a full stop, is a heading
_OPENING_WORDS = 12
_FORM = "give one JSON object a line, with id and text"
_CONTEXT_LEVELS = 4
_CONTEXT_CHARACTERS = 160


class Item(NamedTuple):
    """One passage as given. Everything but ``id`` and ``text`` may be empty."""

    id: str
    text: str
    title: str = ""
    document: str = ""
    heading_path: tuple[str, ...] = ()
    citation: str = ""


class Query(NamedTuple):
    id: str
    text: str


class Collection(NamedTuple):
    """Passages in the order given. Relatives are positions, -1 where there is none."""

    items: tuple[Item, ...]
    parents: tuple[int, ...]  # the passage whose number this one's extends
    previous: tuple[int, ...]  # the neighbours in the same document
    following: tuple[int, ...]
    depths: tuple[int, ...]  # of the number: "3.10.9.(1)" is 4; 0 where there is no number
    contexts: tuple[str, ...]  # title and headings above the passage, for matching only


def read_passages(path: Path) -> tuple[Item, ...]:
    """The passages of a JSON-lines file; ``UsageError`` names the line that is no passage, or repeats an id."""
    items: list[Item] = []
    seen: dict[str, int] = {}
    for number, row in _rows(path):
        item = _item(row, f"{path.name} line {number}")
        if item.id in seen:
            what = f'passage id "{item.id}" occurs again, first on line {seen[item.id]}'
            raise UsageError(what, where=f"{path.name} line {number}", next="give every passage an id of its own")
        seen[item.id] = number
        items.append(item)
    if not items:
        raise UsageError(
            "there is no passage in the file", where=path.name, next="give one JSON object a line with id and text"
        )
    return tuple(items)


def read_queries(path: Path) -> tuple[Query, ...]:
    """The queries of a JSON-lines file, ids unique, none empty."""
    queries: dict[str, Query] = {}
    for number, row in _rows(path):
        where = f"{path.name} line {number}"
        query = Query(_text(row, "id", where, required=True), _own_text(row, where))
        if not any(character.isalnum() for character in query.text):
            raise UsageError(f'query "{query.id}" is empty', where=where, next="give it a text or take it out")
        if query.id in queries:
            raise UsageError(f'query id "{query.id}" occurs again', where=where, next="give every query an id of its own")
        queries[query.id] = query
    if not queries:
        raise UsageError("there is no query in the file", where=path.name, next=_FORM)
    return tuple(queries.values())


def rows_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where, object) of each line of a JSON-lines file."""
    for number, row in _rows(path):
        yield f"{path.name} line {number}", row


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MissingSource(f"cannot be read ({error.strerror})", where=str(path), next="check the path") from error
    for number, line in enumerate(data.removeprefix(codecs.BOM_UTF8).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line.decode("utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
            raise UsageError(
                "this line is not JSON in UTF-8", where=f"{path.name} line {number}", next="give one JSON object a line"
            ) from error
        if not isinstance(row, dict):
            raise UsageError(
                "this line is JSON, but no object", where=f"{path.name} line {number}", next="give one JSON object a line"
            )
        yield number, row


def _item(row: Mapping[str, Any], where: str) -> Item:
    heading_path = row.get("heading_path") or ()
    if isinstance(heading_path, str):
        heading_path = (heading_path,)
    if not isinstance(heading_path, (list, tuple)):
        raise UsageError("heading_path is no list of strings", where=where, next="give the headings from the outermost in")
    return Item(
        _text(row, "id", where, required=True),
        _own_text(row, where),
        _text(row, "title", where),
        _text(row, "document", where),
        tuple(str(part) for part in heading_path),
        _text(row, "citation", where),
    )


def _own_text(row: Mapping[str, Any], where: str) -> str:
    """The text, which may be empty but not left out: under another name all of a file would silently be empty."""
    if "text" not in row:
        raise UsageError("text is missing", where=where, next='give "text" as a string')
    return _text(row, "text", where)


def _text(row: Mapping[str, Any], key: str, where: str, *, required: bool = False) -> str:
    value = row.get(key)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or (required and not value.strip()):
        raise UsageError(f"{key} is missing or no string", where=where, next=f'give "{key}" as a string')
    if required and len(value.split()) != 1:
        raise UsageError(
            f"{key} {value!r} has white space, which a TREC run cannot hold", where=where, next="give ids without spaces"
        )
    return value


def collect(items: Sequence[Item]) -> Collection:
    """The passages with their places: who stands above and beside whom, from numbers and headings alone."""
    labels = [parse_label(item.citation) for item in items]
    parents = _parents(items, labels)
    previous, following = _neighbours(items)
    return Collection(
        tuple(items),
        parents,
        previous,
        following,
        tuple(_depth(label) for label in labels),
        tuple(_context(items, parents, position) for position in range(len(items))),
    )


def _neighbours(items: Sequence[Item]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    last: dict[str, int] = {}
    previous, following = [-1] * len(items), [-1] * len(items)
    for position, item in enumerate(items):
        if item.document in last:
            previous[position] = last[item.document]
            following[last[item.document]] = position
        last[item.document] = position
    return tuple(previous), tuple(following)


def _depth(label: Label) -> int:
    return len(steps(label))


def _parents(items: Sequence[Item], labels: Sequence[Label]) -> tuple[int, ...]:
    """The nearest passage whose address is a beginning of this one's; a rule's, where the chapter's number is not printed."""
    places: dict[tuple[str, tuple[str, ...]], int] = {}
    parents: list[int] = []
    for position, (item, label) in enumerate(zip(items, labels)):
        path = steps(label)
        above = (places.get((item.document, path[:cut])) for cut in range(len(path) - 1, 0, -1))
        parents.append(next((place for place in above if place is not None), -1))
        if path:
            places.setdefault((item.document, path), position)
    return tuple(parents)


def _context(items: Sequence[Item], parents: Sequence[int], position: int) -> str:
    item = items[position]
    parts = [part for part in (item.title, *item.heading_path) if part and part not in item.text[:_CONTEXT_CHARACTERS]]
    above: list[str] = []
    place = parents[position]
    while place >= 0 and len(above) < _CONTEXT_LEVELS:
        first = items[place].text.strip().split("\n", 1)[0][:_CONTEXT_CHARACTERS]
        if first:
            above.append(first)
        place = parents[place]
    return " › ".join([*parts, *reversed(above)])


def opening(item: Item) -> str:
    """What a passage says it is about: its title, the innermost heading, a short first line, or its first words."""
    if item.title or item.heading_path:
        return item.title or item.heading_path[-1]
    first = item.text.strip().split("\n", 1)[0]
    sentence = first.split(". ", 1)[0]
    return " ".join(sentence.split()[:_OPENING_WORDS])


def is_heading(text: str) -> bool:
    """Whether a passage is only a heading: a few words that end without a stop."""
    stripped = text.strip()
    return len(stripped.split()) <= _HEADING_WORDS and not stripped.endswith((".", ";", ":"))
