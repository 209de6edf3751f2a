"""The eCFR's XML in both dialects: ecfr.gov's versioner and GPO's bulk data, under any root.

``DIV1`` title > ``DIV3`` chapter > ``DIV4`` subchapter > ``DIV5`` part > ``DIV6`` subpart > ``DIV7`` subject group > ``DIV8``
section; ``DIV9`` appendix. Any level may be missing. Paragraph levels are not in the markup (:mod:`pincite.parse.outline`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from pincite.errors import Malformed
from pincite.model import Document, Source
from pincite.parse.build import Builder, Place
from pincite.parse.elements import DIVISIONS, HOLDER_ROLES, KINDS, LEAF_ROLES, QUOTING, ROOTS
from pincite.parse.scan import Close, Open, Run, scan
from pincite.parse.section import RESERVED
from pincite.parse.tables import Table
from pincite.parse.terms import HEADING

PARSER = "ecfr-xml"

_CITED_TITLE = re.compile(r"\b(\d{1,2}) CFR\b|\bTitle (\d{1,2})\b|title-(\d{1,2})/")
_HINTED_TITLE = re.compile(r"title[-_ ]?(\d{1,2})(?!\d)|(?<!\d)(\d{1,2})[-_ ]?cfr", re.IGNORECASE)
_SECTION_HEAD = re.compile(r"§{1,2}\s*([\w.:()-]+(?:[-–—.]\w+)*)\s*(.*)", re.DOTALL)
_DIVISION_HEAD = re.compile(
    r"((?:title|subtitle|chapter|subchapter|parts?|subpart)\s+[\w–.-]+)\s*(?:[—:–-]+\s*)?(.*)", re.IGNORECASE | re.DOTALL
)
_APPENDIX = re.compile(
    r"(?P<name>.+?)\s+to\s+(?:subpart\s+(?P<subpart>\w+)\s+(?:of|to)\s+)?part\s+(?P<part>\w+)", re.IGNORECASE | re.DOTALL
)
_VOLUME = re.compile(r"\s*-{2}\s*Volume \d+\s*$")
_DASHES = str.maketrans("–—‑−", "----")


def parse_ecfr(source: Source, data: bytes) -> Document:
    """The document in *data*. Raises ``Malformed``, ``Forbidden`` or ``TooExpensive``."""
    items = scan(data, KINDS, source.path or source.document_id)
    root = next(item.tag for item in items if type(item) is Open)
    if root not in ROOTS:
        raise Malformed(f"<{root}> is no root of eCFR XML", where=source.path, next="give the file of a title, part or section")
    reader = _Reader(source, data)
    for item in items:
        kind = type(item)
        if kind is Run:
            reader.run(item)
        elif kind is Open:
            reader.open(item)
        else:
            reader.close(item)
    return reader.builder.document()


class _Reader:
    """Walks the items, keeping the open divisions and the role the open holders give."""

    def __init__(self, source: Source, data: bytes) -> None:
        self.builder = Builder(source, PARSER)
        self.source = source
        self.title = _title_hint(source)
        self.roles: list[str] = [""]  # the role of each open holder, inherited
        self.quoting = 0
        self.divisions: list[Place] = []
        self.waiting: Open | None = None  # a division whose heading has not come yet
        self.table: Table | None = None

    def open(self, item: Open) -> None:
        tag = item.tag
        if tag in DIVISIONS:
            self._settle("")
            self.builder.flush()
            self.waiting = item
            self.roles.append("")
            return
        role = HOLDER_ROLES.get(tag)
        if tag not in KINDS:
            self.builder.find(
                "unsupported_element", tag, f"<{tag}> is not in the eCFR element guide; its text is kept as a notice"
            )
            role = "notice"
        inherited = self.roles[-1]
        self.roles.append(inherited if inherited and inherited != "table" else role or inherited)
        self.quoting += tag in QUOTING
        if tag in ("FTNT", "EFTNT"):
            self.builder.begins_footnote = True
        if tag == "TABLE" and self.table is None:
            self.table = Table(self.builder)
        if self.table:
            self.table.open(tag)

    def close(self, item: Close) -> None:
        tag = item.tag
        self.roles.pop()
        if tag in DIVISIONS:
            self._settle("")
            self.builder.flush()
            place = self.divisions.pop()
            place.end, place.raw_end = max(place.end, self.builder.position), item.raw
            self._enter(self.divisions[-1] if self.divisions else None)
            return
        self.quoting -= tag in QUOTING
        if self.table:
            self.table.close(tag)
            if tag == "TABLE" and self.table.done:
                self.table = None

    def run(self, run: Run) -> None:
        if self.table:
            self.table.run(run)
            return
        tag = run.tag
        role = self.roles[-1] or LEAF_ROLES.get(tag, "body")
        if tag == "HEAD" and role == "heading" and self.waiting:
            self._heading(run)
            return
        if tag == "IDNO" and not self.title and run.text.strip().isdigit():
            self.title = run.text.strip()
        if self.waiting and run.text.strip():
            self._settle("")
        if tag in KINDS and tag not in LEAF_ROLES and not self.roles[-1]:
            role = "body"
        self.builder.text(run, role, role == "body" and not self.quoting)

    # --- divisions -------------------------------------------------------------------------------------------------

    def _heading(self, run: Run) -> None:
        """The heading of a division: it completes the identity of its node and is a block of it."""
        before = self.builder.position
        text, data, start = self.builder.take(run)
        place = self._settle(text, before)
        if place is None or not text:
            return
        self.builder.block(
            start, start + len(data), "reserved" if place.reserved and place.kind == "section" else "heading", place, data, run
        )
        self.builder.extend(place, start + len(data), run.raw_end)

    def _settle(self, head: str, start: int | None = None) -> Place | None:
        """Make the node of the division that waits for its heading."""
        item = self.waiting
        if item is None:
            return None
        self.waiting = None
        kind = DIVISIONS[item.tag]
        head = " ".join(_VOLUME.sub("", head).split())
        attributes = item.attributes
        self.title = self.title_of(kind, head, attributes) or self.title
        number = _number(attributes.get("N", ""), kind, head)
        label, heading = _split_head(kind, head, number)
        parent = self.divisions[-1] if self.divisions else None
        node_id = self._node_id(kind, number, heading)
        place = self.builder.open(node_id, kind, label, item.raw, parent)
        place.start = self.builder.position if start is None else start
        place.heading, place.reserved = heading, bool(RESERVED.search(head))
        self.divisions.append(place)
        self._enter(place)
        return place

    def _enter(self, place: Place | None) -> None:
        self.builder.place = place
        self.builder.has_definitions = bool(place and HEADING.search(place.heading))

    def title_of(self, kind: str, head: str, attributes: Mapping[str, str]) -> str:
        """The title's number, from the first of: the citation in the metadata, the heading, the bulk NODE, N."""
        cited = html.unescape(html.unescape(attributes.get("hierarchy_metadata", "")))
        for text in (cited, head if kind == "title" else ""):
            if match := _CITED_TITLE.search(text):
                return next(group for group in match.groups() if group)
        if ":" in attributes.get("NODE", ""):
            return attributes["NODE"].split(":")[0]
        return attributes.get("N", "") if kind == "title" else ""

    def _node_id(self, kind: str, number: str, heading: str) -> str:
        """The citation of a division."""
        cfr = f"{self.title} CFR" if self.title else "CFR"
        if kind == "title":
            return f"Title {self.title or number}"
        if kind == "section":
            return f"{cfr} {number}"
        if kind == "part":
            return f"{cfr} Part {number}"
        above = self._above(kind) or cfr
        if kind == "subject_group":
            return f'{above} "{heading}"'
        if kind == "appendix":
            return _appendix_id(cfr, number, above)
        return f"{above} {kind.capitalize()} {number}"

    def _above(self, kind: str) -> str:
        """The citation of the nearest open division that a division of *kind* is cited below."""
        wanted = {"subtitle": (), "chapter": ("subtitle",), "subchapter": ("chapter",), "subpart": ("part",)}.get(kind)
        for place in reversed(self.divisions):
            if place.kind != "title" and (wanted is None or place.kind in wanted):
                return place.node_id
        return ""


def _title_hint(source: Source) -> str:
    """The title's number from where the file lies or what it is called, "" where neither says."""
    for text in (source.path, source.document_id, source.uri):
        if match := _HINTED_TITLE.search(text):
            return match.group(1) or match.group(2)
    return ""


def _number(printed: str, kind: str, head: str) -> str:
    """A division's number as it is cited: without "§", with plain hyphens."""
    number = " ".join(printed.replace("§", "").translate(_DASHES).split())
    if kind == "section":
        number = number.replace(" - ", "-")
    if kind in ("chapter", "subtitle") and number in ("", "0"):
        match = _DIVISION_HEAD.match(head)
        number = match.group(1).split()[-1] if match else number
    return number


def _split_head(kind: str, head: str, number: str) -> tuple[str, str]:
    """What the source prints as the label, and the heading without it."""
    if kind == "section":
        match = _SECTION_HEAD.match(head)
        return number, (match.group(2) if match else head).strip()
    match = _DIVISION_HEAD.match(head) if kind not in ("subject_group", "appendix") else None
    if match:
        return match.group(1), match.group(2).strip()
    return number, head


def _appendix_id(cfr: str, number: str, above: str) -> str:
    match = _APPENDIX.match(number)
    if match:
        subpart = f" Subpart {match['subpart']}" if match["subpart"] else ""
        return f"{cfr} Part {match['part']}{subpart} {match['name']}"
    return f"{above} {re.sub(r' to$', '', number) or 'Appendix'}"
