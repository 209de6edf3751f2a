"""The eCFR's XML in both dialects: ecfr.gov's versioner and GPO's bulk data, under any root.

``DIV1`` title > ``DIV3`` chapter > ``DIV4`` subchapter > ``DIV5`` part > ``DIV6`` subpart > ``DIV7`` subject group > ``DIV8``
section; ``DIV9`` appendix. Any level may be missing. Paragraph levels are not in the markup (:mod:`pincite.parse.outline`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pincite.errors import Malformed
from pincite.model import Document, Source
from pincite.parse.build import END, HEADING, KIND, NODE_ID, RAW_END, RESERVED, Builder, Draft, Roles
from pincite.parse.elements import DIVISIONS, FOOTNOTES, HOLDER_ROLES, KINDS, LEAF_ROLES, QUOTING, ROOTS
from pincite.parse.scan import Text, scan
from pincite.parse.section import RESERVED_TEXT, lay_out
from pincite.parse.tables import TABLES, Table
from pincite.parse.terms import HEADING as DEFINITIONS

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
    reader = _Reader(source)
    page = scan(data, KINDS, reader, source.path or source.document_id)
    return reader.builder.document(page)


class _Reader:
    """Told by the scanner of divisions and other holders; hands each division's texts on when they are complete."""

    def __init__(self, source: Source) -> None:
        self.builder = Builder(source, PARSER)
        self.source = source
        self.title = _title_hint(source)
        self.stated = False  # the file's metadata says the title
        self.texts: list[Text] = []
        self.contexts = {("", False): Roles(LEAF_ROLES)}
        self.context = self.contexts["", False]
        self.around: list[Roles] = []  # the context outside each open holder
        self.divisions: list[Draft] = []
        self.waiting: tuple[str, Mapping[str, str], int, int] | None = None  # a division without its heading yet
        self.footnotes: set[int] = set()
        self.table: Table | None = None

    # --- what the scanner tells ------------------------------------------------------------------------------------

    def open(self, tag: str, attributes: Mapping[str, str], raw: int, position: int) -> None:
        """A holder begins."""
        if not self.around and tag not in ROOTS:
            reason = f"<{tag}> is no root of eCFR XML"
            raise Malformed(reason, where=self.source.path, next="give the file of a title, a part or a section")
        self.around.append(self.context)
        if tag in DIVISIONS:
            self._flush()
            self.waiting = (tag, attributes, raw, position)
            self.context = self.contexts["", False]
            return
        self._enter(tag)
        if tag in FOOTNOTES:
            self.footnotes.add(len(self.texts))
        elif tag in TABLES and self.table is None:
            self.table = Table(self.builder, self.texts)
        if self.table:
            self.table.open(tag)

    def close(self, tag: str, raw: int, position: int) -> None:
        """A holder ends."""
        self.context = self.around.pop()
        if tag in DIVISIONS:
            self._flush()
            division = self.divisions.pop()
            division[END], division[RAW_END] = max(position, division[END]), raw
        elif self.table and self.table.close(tag):
            self.table = None
        elif tag == "PUBLICATIONSTMT":
            self._read_number()
        if not self.around:
            self._flush()

    def note(self, tag: str, attributes: Mapping[str, str], position: int) -> None:
        """An image, or an element that is not in the guide."""
        if tag in KINDS:
            self.builder.find("image", attributes.get("src", ""), "a picture; its content is not in the text", position)
        else:
            reason = f"<{tag}> is not in the eCFR element guide; its text is kept as a notice"
            self.builder.find("unsupported_element", tag, reason, position)

    def _enter(self, tag: str) -> None:
        """The role that *tag* gives to the texts in it: the outermost that gives one decides, but a table's is weak."""
        now = self.context
        role = now.role
        if not role or role == "table":
            role = HOLDER_ROLES.get(tag, role) if tag in KINDS else "notice"
        key = (role, now.quoting or tag in QUOTING)
        if key not in self.contexts:
            self.contexts[key] = Roles(LEAF_ROLES, *key)
        self.context = self.contexts[key]

    def _read_number(self) -> None:
        """The title's number as the bulk dialect's header has it."""
        for text in self.texts:
            if text.tag == "IDNO" and not self.title and text.text.isdigit():
                self.title = text.text

    # --- divisions -------------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Lay out the texts since the last division began or ended."""
        head = self._settle() if self.waiting else None
        if not self.texts:
            return
        base = self.divisions[-1] if self.divisions else None
        texts = self.texts
        self.builder.footnotes.read(texts, self.footnotes)
        if head is not None and base is not None:
            role = "reserved" if base[RESERVED] and base[KIND] == "section" else "heading"
            for text in texts[:head]:
                self.builder.block(text, text.context[text.tag][0], base[NODE_ID])
            self.builder.block(texts[head], role, base[NODE_ID])
            texts = texts[head + 1 :]
        if texts:
            lay_out(self.builder, base, texts, bool(base and DEFINITIONS.search(base[HEADING])))
        self.texts.clear()
        self.footnotes.clear()

    def _settle(self) -> int | None:
        """Make the node of the division that waits for its heading; the index of the heading among the texts."""
        assert self.waiting
        tag, attributes, raw, position = self.waiting
        self.waiting = None
        index = next((i for i, t in enumerate(self.texts) if t.tag == "HEAD" and t.context.role == ""), None)
        printed = self.texts[index].text if index is not None else ""
        kind = DIVISIONS[tag]
        head = " ".join((_VOLUME.sub("", printed) if kind == "title" else printed).split())
        self.title = self._title_of(kind, head, attributes) or self.title
        number = _number(attributes.get("N", ""), kind, head)
        label, heading = _split_head(kind, head, number)
        if not self.title:
            self.title = "?"
            self.builder.find(
                "unknown_title", tag, "neither the file nor its path says which title of the Code this is", position
            )
        parent = self.divisions[-1][NODE_ID] if self.divisions else None
        start = self.texts[index].start if index is not None else position
        draft = self.builder.open(self._node_id(kind, number, heading), kind, label, heading, parent, start, raw)
        draft[RESERVED] = head.endswith(("]", "].")) and bool(RESERVED_TEXT.search(head))
        self.divisions.append(draft)
        return index

    def _title_of(self, kind: str, head: str, attributes: Mapping[str, str]) -> str:
        """The title's number, from the first of: the citation in the metadata, the heading, the bulk NODE, N."""
        cited = attributes.get("hierarchy_metadata", "")
        if cited:
            if self.stated:
                return self.title
            if match := _CITED_TITLE.search(cited):
                self.stated = True
                return next(group for group in match.groups() if group)
        if kind == "title" and (match := _CITED_TITLE.search(head)):
            return next(group for group in match.groups() if group)
        if ":" in attributes.get("NODE", ""):
            return attributes["NODE"].split(":")[0]
        return attributes.get("N", "") if kind == "title" else ""

    def _node_id(self, kind: str, number: str, heading: str) -> str:
        """The citation of a division."""
        cfr = f"{self.title} CFR"
        if kind == "section":
            return f"{cfr} {number}"
        if kind == "title":
            return f"Title {self.title}"
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
        for draft in reversed(self.divisions):
            if draft[KIND] != "title" and (wanted is None or draft[KIND] in wanted):
                above: str = draft[NODE_ID]
                return above
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
