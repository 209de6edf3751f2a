"""What a sheet says around its rows: merges, links, comments, tables, page heads, drawings. Read before the rows stream by."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from lxml import etree

from pincite.parse.office.cells import place_of, string_of
from pincite.parse.office.package import MAX_TREE, Package, parser, plain_names
from pincite.parse.office.words import R, S, number

_ROOT = re.compile(rb"<((?:\w+:)?)worksheet\b[^>]*>")
_ROWS_END = re.compile(rb"</(?:\w+:)?sheetData\s*>|<(?:\w+:)?sheetData\s*/>")
_ROWS_BEGIN = re.compile(rb"<(?:\w+:)?sheetData\s*/?>")
_ROW = re.compile(rb"<(?:\w+:)?row[\s>/]")
_HEAD_CODES = re.compile(r'&(?:"[^"]*"|[0-9]{1,3}|K[0-9A-F]{6}|K\d\d[+-]\d{3}|[LCRPNDTGFAZBIUEXYSO])|&&', re.IGNORECASE)
_CHUNK = 1 << 20
_THREADS = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"


class Area(NamedTuple):
    """A rectangle of cells, from 1, ends included."""

    top: int
    left: int
    bottom: int
    right: int


class Remark(NamedTuple):
    """A comment on a cell."""

    text: str
    author: str


class Frame(NamedTuple):
    """Everything of a sheet but its rows."""

    rows: int  # how many row elements it has
    frozen: int  # rows that stay in place: they are the head
    merges: list[Area]
    links: dict[tuple[int, int], str]  # cell -> address, or "#Sheet!A1"
    remarks: dict[tuple[int, int], list[Remark]]
    tables: list[tuple[Area, str, int]]  # range, name and number of header rows
    pivots: list[tuple[Area, int]]  # range, and its first columns that name the rows
    furniture: list[str]
    hidden_columns: int
    drawings: list[str]  # parts


def area(reference: str) -> Area | None:
    """The rectangle of ``A1:B2`` or ``A1``; None where it is neither."""
    first, _, last = reference.replace("$", "").partition(":")
    top, left = place_of(first)
    bottom, right = place_of(last or first)
    return Area(top, left, bottom, right) if top and bottom else None


def frame(package: Package, name: str) -> Frame:
    """Read *name* once without its rows."""
    rows, head, tail = _around(package, name)
    frozen = 0
    pane = None if head is None else head.find(f".//{S}pane")
    if pane is not None and pane.get("state", "").startswith("frozen"):
        frozen = number(pane.get("ySplit"))
    hidden = () if head is None else [one for one in head.iter(S + "col") if one.get("hidden") in ("1", "true")]
    merges = [] if tail is None else [a for one in tail.iter(S + "mergeCell") if (a := area(one.get("ref", "")))]
    tables = [found for part in package.related(name, "table") if (found := _table(package, part))]
    pivots = [pivot for part in package.related(name, "pivotTable") if (pivot := _pivot(package, part))]
    return Frame(
        rows, frozen, sorted(merges), _links(package, name, tail), _remarks(package, name), sorted(tables), pivots,
        _furniture(tail), len(hidden), package.related(name, "drawing"),
    )  # fmt: skip


def _around(package: Package, name: str) -> tuple[int, etree._Element | None, etree._Element | None]:
    """About how many rows there are, and what stands before and after them as trees of their own."""
    head, tail, rows, ended = bytearray(), bytearray(), 0, False
    begun: re.Match[bytes] | None = None
    with package.open(name) as file:
        while data := file.read(_CHUNK):
            if begun is None and len(head) < MAX_TREE:
                head += data
                begun = _ROWS_BEGIN.search(head)
                data = bytes(head[begun.start() :]) if begun else b""
            if ended and len(tail) < MAX_TREE:
                tail += data
            elif begun and not ended:
                window = bytes(tail) + data
                end = _ROWS_END.search(window)
                rows += len(_ROW.findall(data))
                ended, tail = end is not None, bytearray(window[end.end() :] if end else window[-32:])
    return rows, *_trees(bytes(head[: begun.start()] if begun else head), bytes(tail) if ended else b"")


def _trees(head: bytes, tail: bytes) -> tuple[etree._Element | None, etree._Element | None]:
    root = _ROOT.search(head)
    if root is None:
        return None, None
    end = b"</" + root[1] + b"worksheet>"
    return _read(plain_names(head[root.start() :] + end)), _read(plain_names(root[0] + (tail or end)))


def _read(data: bytes) -> etree._Element | None:
    try:
        return etree.fromstring(data, parser())
    except etree.XMLSyntaxError:
        return None  # the rows' own reader tells what is wrong with the part


def _links(package: Package, name: str, tail: etree._Element | None) -> dict[tuple[int, int], str]:
    found: dict[tuple[int, int], str] = {}
    relations = package.relationships(name)
    for link in () if tail is None else tail.iter(S + "hyperlink"):
        place = area(link.get("ref", ""))
        relation = relations.get(link.get(R + "id", ""))
        location = link.get("location", "").replace("'", "").replace("$", "")
        target = (relation.target if relation else "") + (f"#{location}" if location else "")
        if place and target:
            found[place.top, place.left] = target
    return found


def _remarks(package: Package, name: str) -> dict[tuple[int, int], list[Remark]]:
    """Comments by cell. A thread replaces the comment that stands for it in older programs."""
    found: dict[tuple[int, int], list[Remark]] = {}
    for part in package.related(name, "comments"):
        root = package.optional(part)
        authors = [] if root is None else [one.text or "" for one in root.iter(S + "author")]
        for comment in () if root is None else root.iter(S + "comment"):
            text, at = comment.find(S + "text"), number(comment.get("authorId"), -1)
            author = authors[at] if 0 <= at < len(authors) else ""
            if text is not None:
                found.setdefault(place_of(comment.get("ref", "")), []).append(Remark(string_of(text).strip(), author))
    for part in package.related(name, "threadedComment"):
        threads: dict[tuple[int, int], list[Remark]] = {}
        root = package.optional(part)
        for comment in () if root is None else root.iter(_THREADS + "threadedComment"):
            words = (comment.findtext(_THREADS + "text") or "").strip()
            threads.setdefault(place_of(comment.get("ref", "")), []).append(Remark(words, ""))
        found |= threads
    return found


def _table(package: Package, part: str) -> tuple[Area, str, int] | None:
    root = package.optional(part)
    place = None if root is None else area(root.get("ref", ""))
    if root is None or place is None:
        return None
    return place, root.get("displayName", root.get("name", "")), number(root.get("headerRowCount"), 1)


def _pivot(package: Package, part: str) -> tuple[Area, int] | None:
    root = package.optional(part)
    place = None if root is None else root.find(S + "location")
    found = None if place is None else area(place.get("ref", ""))
    return (found, number(place.get("firstDataCol"))) if found is not None and place is not None else None


def _furniture(tail: etree._Element | None) -> list[str]:
    """Page headers and footers, without their codes."""
    found = []
    for part in () if tail is None else tail.iterfind(f"{S}headerFooter/*"):
        text = " ".join(_HEAD_CODES.sub(lambda match: "&" if match[0] == "&&" else " ", part.text or "").split())
        if text and text not in found:
            found.append(text)
    return found


class Merges:
    """Which cells a merge covers, asked row by row from the top."""

    def __init__(self, areas: list[Area]) -> None:
        self.areas = areas
        self.tops = [one.top for one in areas]
        self.open: list[Area] = []
        self.next = 0

    def at(self, row: int) -> list[Area]:
        """The merges that reach into *row*. Rows must be asked for in order."""
        last = bisect_right(self.tops, row)
        self.open = [one for one in (*self.open, *self.areas[self.next : last]) if one.bottom >= row]
        self.next = max(self.next, last)
        return self.open


def covered(areas: list[Area], row: int, column: int) -> Area | None:
    """The merge that covers a cell it does not begin in."""
    for one in areas:
        if one.left <= column <= one.right and (row, column) != (one.top, one.left):
            return one
    return None
