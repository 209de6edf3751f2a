"""Nodes under construction, and the order of the labels that list items have."""

from __future__ import annotations

import re

_TITLE_NUMBER = re.compile(r"(\d{1,2})\.?\s+[A-Z]")
_ROMAN = re.compile(r"[ivxl]+$")


class Place:
    """A node under construction. ``page`` and offsets are filled in when the blocks are made."""

    __slots__ = (
        "end",
        "heading",
        "high",
        "kind",
        "label",
        "low",
        "node_id",
        "numbered",
        "page",
        "page_end",
        "parent",
        "rank",
        "reserved",
        "start",
        "used",
    )

    def __init__(self, node_id: str, parent: int, kind: str, label: str, heading: str) -> None:
        self.node_id, self.parent, self.kind, self.label, self.heading = node_id, parent, kind, label, heading
        self.page = self.start = self.page_end = self.end = 0
        self.reserved = self.used = False
        self.numbered = 0  # of a title that begins with a number: "2. Results"
        self.low = self.high = 0
        self.rank: tuple[float, ...] = ()


def without(label: str, title: str) -> str:
    """A title without the label it begins with, which is kept apart."""
    return title[len(label) :].lstrip(" :–—-.") if title.lower().startswith(label.lower()) else title


def number_of_title(title: str) -> int:
    """The number a title begins with ("2. Results"), 0 where it has none."""
    found = _TITLE_NUMBER.match(title)
    return int(found[1]) if found else 0


def is_next(label: str, after: str) -> bool:
    """Whether *after* is the label that follows *label*: 1 2, a b, i ii."""
    if label.isdigit() or after.isdigit():
        return label.isdigit() and after.isdigit() and int(after) == int(label) + 1
    if len(label) == 1 and len(after) == 1 and ord(after) == ord(label) + 1:
        return True
    return _ROMAN.match(label) is not None and _ROMAN.match(after) is not None and roman_value(after) == roman_value(label) + 1


def roman_value(text: str) -> int:
    """The number of a Roman numeral in lower case.

    >>> roman_value("xiv")
    14
    """
    values = {"i": 1, "v": 5, "x": 10, "l": 50}
    numbers = [values[letter] for letter in text]
    return sum(-n if any(n < later for later in numbers[i + 1 : i + 2]) else n for i, n in enumerate(numbers))
