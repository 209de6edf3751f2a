"""What the values of a JSON file look like to a reader: in one line, without markup, a long text in paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat
from typing import Any

from pincite.parse.compose import one_line
from pincite.parse.markup import BLOB, without_markup

LONG_TEXT = 700
"""Characters above which a string is cut into paragraphs."""
MIN_PARAGRAPH = 40
"""Characters below which a line of a string is no paragraph of its own."""
TITLES = ("title", "name", "heading", "label", "subject", "question", "term")
IDS = ("id", "key", "code", "number", "ref", "identifier")

_ESCAPE = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u.{4}|\\.", re.DOTALL)
_LINE_ENDS = frozenset({"\\n", "\\r", "\\u000a", "\\u000A"})
CODE = re.compile(r"[0-9a-fA-F-]{20,}|[A-Za-z0-9+/_=-]{32,}")
"""Identifiers of machines, which name nothing to a reader."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class Members(tuple[tuple[str, Any], ...]):
    """An object's members as written, so that a repeated key is not lost."""

    __slots__ = ()


def titles_of(keys: tuple[str, ...], declared: str) -> list[str]:
    """The members that may name a record, the likeliest first."""
    ranks = {name: rank for rank, name in enumerate((declared.casefold(), *TITLES, *IDS)) if name}
    return sorted((key for key in keys if key.casefold() in ranks), key=lambda key: ranks[key.casefold()])


def values(value: Any) -> Iterator[Any]:
    return (item for _, item in value) if isinstance(value, Members) else iter(value)


def is_container(value: Any) -> bool:
    return isinstance(value, (Members, list))


def scalar(value: Any) -> str:
    if isinstance(value, Members) and len(value) == 1:
        value = value[0][1]  # {"rendered": "Leave"}
    if value is None or isinstance(value, (bool, Members, list)):
        return ""
    return str(value)


def clean(words: str) -> str:
    """Half of a surrogate pair, which JSON can write and UTF-8 cannot, as the replacement character."""
    return words if words.isascii() else _SURROGATE.sub("�", words)


def token(key: str) -> str:
    """A key as it stands in a JSON pointer, shortened where it is no name."""
    if key.isalnum() and len(key) <= 80:
        return key
    return one_line(clean(key)[:80]).replace("~", "~0").replace("/", "~1")


def flat(value: Any) -> str:
    """A value in one line: ``key: value | key.key: value | key: a, b``."""
    shown: list[str] = []
    todo: list[tuple[str, Iterator[tuple[str | None, Any]]]] = [("", iter([(None, value)]))]
    while todo:
        path, items = todo[-1]
        prefix = f"{path}." if path else ""
        for key, item in items:
            here = path if key is None else prefix + key
            kind = type(item)
            if kind is str:
                words = without_markup(item) if "<" in item or "&" in item or len(item) > BLOB else item
                shown.append(f"{here}: {words}" if here else words)
            elif kind is Members:
                todo.append((here, iter(item)))
                break
            elif kind is not list:
                shown.append(f"{here}: {written(item)}" if here else written(item))
            elif any(map(is_container, item)):
                todo.append((here, zip(repeat(None), item)))
                break
            else:
                words = _joined(item)
                shown.append(f"{here}: {words}" if here else words)
        else:
            todo.pop()
    return clean(" | ".join(shown))


def _joined(items: list[Any]) -> str:
    """Scalars of a list; lines that end as lines do, as notebooks keep a text, as that text."""
    if any(isinstance(item, str) and item.endswith("\n") for item in items):
        return "".join(map(written, items))
    return ", ".join(map(written, items))


def written(value: Any) -> str:
    if isinstance(value, str):
        return clean(without_markup(value))
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return clean(str(value))


def pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A string's characters between its quotation marks as paragraphs, and those that are too long in parts."""
    at = start
    for escape in _ESCAPE.finditer(text, start, end):
        if escape.group() in _LINE_ENDS and escape.end() - at > MIN_PARAGRAPH:
            yield from _parts_of(text, at, escape.end())
            at = escape.end()
    if at < end:
        yield from _parts_of(text, at, end)


def _parts_of(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A paragraph in parts of a bearable length, cut between words, else anywhere but inside an escape."""
    while end - start > LONG_TEXT * 4 // 3:
        window = start + LONG_TEXT // 2, start + LONG_TEXT
        cut = max(text.rfind(". ", *window) + 1, 0) or text.rfind(" ", *window)
        if cut < 0:
            cut = start + LONG_TEXT
            inside = [found for found in _ESCAPE.finditer(text, start, cut + 12) if found.start() < cut < found.end()]
            cut = inside[0].start() if inside else cut
        yield start, cut
        start = cut
    yield start, end
