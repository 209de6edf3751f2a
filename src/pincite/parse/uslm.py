"""United States Legislative Markup: the U.S. Code as its publisher has it; laws, bills and federal regulations in it too.

USLM says the structure itself: every level is an element with an ``identifier`` such as ``/us/usc/t42/s1983/a/1``, so nothing
is inferred from designators. Node ids are citations: ``42 U.S.C. § 1983(a)(1)``, ``42 U.S.C. Chapter 21``. Notes, source
credits and the history of amendments are no text of the rule. ``<ref href>`` is kept in ``Document.hyperlinks``, and each
identifier in ``Document.anchors``, so that a reference in the markup leads to its node.
"""

from __future__ import annotations

from collections.abc import Mapping

from pincite.errors import Malformed
from pincite.model import Document, Hyperlink, Link, Source
from pincite.parse.build import END, HEADING, KIND, NODE_ID, RAW_END, RESERVED, Builder, Draft
from pincite.parse.plain import byte_of
from pincite.parse.scan import HOLDER, INLINE, LEAF, Text, scan
from pincite.parse.uslm_names import citation, number_in

ROOTS = frozenset(
    {"uscDoc", "lawDoc", "bill", "resolution", "pLaw", "statuteCompilation", "amendment", "engrossedAmendment", "cfrDoc"}
)
SECTIONS = frozenset({"section", "courtRule", "rule"})
SMALL = frozenset(
    {"subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem", "subsubitem", "level", "subrule"}
)
"""Levels below a section: their nodes are paragraphs."""
BIG = frozenset(
    {
        "title", "subtitle", "chapter", "subchapter", "part", "subpart", "division", "subdivision", "article", "subarticle",
        "appendix", "courtRules", "reorganizationPlans", "reorganizationPlan", "compiledAct", "preliminary",
    }
)  # fmt: skip
ROWS, CELLS = frozenset({"tr", "row", "tocItem", "header"}), frozenset({"td", "th", "column"})
_GONE = frozenset(
    {"repealed", "omitted", "transferred", "renumbered", "reserved", "expired", "terminated", "vacant", "removed"}
)
_INLINE = (
    "ref a b i u em strong sup sub inline span date term def shortTitle headingText quotedText amendingAction entity br del ins"
    " img page nobreak marker small center font chapeauText property committee person organization role location time"
)
_LEAVES = (
    "num heading subheading chapeau continuation content p text crossHeading caption docNumber docPublicationName dc:title"
    " dc:type dc:publisher dc:creator dc:date dc:rights dc:language dc:format dcterms:created dcterms:modified docTitle"
    " officialTitle enactingFormula resolvingClause designator label target li dt dd signature name affiliation docStage"
    " congress session currentChamber actionDescription approvedDate publicPrivate citableAs docReleasePoint startingProvision"
    " endingProvision processedDate processedBy subject provisionRange signatureDate"
)
_HOLDERS = {
    "metadata": "meta",
    "contents": "toc",
    "source_note": "sourceCredit source",
    "page_furniture": "ear leftRunningHead rightRunningHead editionNote citationNote explanationNote organizationNote"
    " backMatter",
    "authority": "statutoryAuthority authority",
    "notice": "notes note statutoryNote editorialNote effectiveDateNote sidenote changeNote",
    "footnote": "footnote",
    "": "main body quotedContent table thead tbody tfoot colgroup col tr td th layout row tocItem header column preface"
    " longTitle signatures legislativeHistory action listItem list ul ol dl div preamble recital endorsement attestation"
    " referenceItem headingItem groupItem index figure endMarker currentThroughPublicLaw",
}
KINDS: dict[str, int] = {
    **dict.fromkeys(_INLINE.split(), INLINE),
    **dict.fromkeys(_LEAVES.split(), LEAF),
    **{tag: HOLDER for tags in _HOLDERS.values() for tag in tags.split()},
    **dict.fromkeys((*ROOTS, *SECTIONS, *SMALL, *BIG), HOLDER),
}
KINDS |= {f"xhtml:{tag}": kind for tag, kind in KINDS.items()} | {f"html:{tag}": kind for tag, kind in KINDS.items()}
_ROLES = {tag: role for role, tags in _HOLDERS.items() if role for tag in tags.split()}


def _is_subject_group(tag: str, attributes: Mapping[str, str]) -> bool:
    """A level of the Code of Federal Regulations that has a heading and no number: nothing is cited by it."""
    return tag == "level" and not attributes.get("identifier")


def parse_uslm(source: Source, data: bytes) -> Document:
    """The document in a USLM file. Raises ``Malformed``, ``Forbidden`` or ``TooExpensive``."""
    return _Reader(source).document(data)


class _Reader:
    """Told by the scanner of elements that hold others. Texts are dealt with at the next element that begins or ends."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.builder = Builder(source, "uslm")
        self.texts: list[Text] = []
        self.context = ""  # role of all texts here, "" where it is the rule's own text
        self.contexts: list[str] = []  # outside each open holder
        self.levels: list[Draft | None] = []  # for each open holder: its node
        self.open_nodes: list[Draft] = []
        self.quoting = 0  # open holders whose levels are no places of this document
        self.waiting: tuple[str, Mapping[str, str], int, int, int] | None = None  # the level whose number comes next
        self.head: list[Text] = []  # number and heading that wait for the text they open
        self.row: list[list[Text]] | None = None
        self.rows: list[tuple[list[tuple[int, int]], list[tuple[int, int]]]] = []  # heads and bodies of open tables
        self.in_head = 0
        self.hyperlinks: list[Hyperlink] = []
        self.anchors: dict[str, str] = {}
        self.unmarked: tuple[int, int] | None = None  # the last reference without an address: a footnote's mark
        self.notes: list[tuple[tuple[int, int], int]] = []  # mark and beginning of each open footnote
        self.unknown: set[str] = set()

    def document(self, data: bytes) -> Document:
        """The document in *data*."""
        page = scan(data, KINDS, self, self.source.path or self.source.document_id, marked="href")
        made = self.builder.document(page)
        return made._replace(hyperlinks=tuple(self.hyperlinks), anchors=self.anchors)

    # --- what the scanner tells --------------------------------------------------------------------------------------

    def open(self, tag: str, attributes: Mapping[str, str], raw: int, position: int) -> None:
        """A holder begins."""
        self._drain()
        self._settle()
        tag = tag.rpartition(":")[2]
        if not self.contexts and tag not in ROOTS:
            what = f"<{tag}> is no root of United States Legislative Markup"
            raise Malformed(what, where=self.source.path, next="give a file of the publisher's own format")
        self.contexts.append(self.context)
        self.levels.append(None)
        if (tag in BIG or tag in SECTIONS or tag in SMALL) and not _is_subject_group(tag, attributes):
            if not self.quoting and not self.context:
                self._flush_head()
                self.waiting = tag, attributes, raw, position, len(self.levels) - 1
        else:
            self._enter(tag, attributes, raw, position)

    def _enter(self, tag: str, attributes: Mapping[str, str], raw: int, position: int) -> None:
        """Something that is no level: a note, a table, quoted law."""
        role = _ROLES.get(tag, "" if tag in KINDS or tag in ROOTS else "notice")
        if tag == "source" and attributes.get("style", "").endswith("CITA"):
            role = "amendment_history"
        if tag == "note" and attributes.get("type") == "footnote":
            role = "footnote"
            self.notes.append((self.unmarked or (0, 0), -1))
        elif tag == "note" and "mendment" in attributes.get("topic", "") and "shortTitle" not in attributes.get("topic", ""):
            role = "amendment_history"
        if role and self.context in ("", "notice"):
            self._flush_head()
            self.context = role
        if tag == "notes" and self.open_nodes and not self.quoting and self.levels[-1] is None:
            above = self.open_nodes[-1]
            draft = self.builder.open(f"{above[NODE_ID]} note", "note", "note", "", above[NODE_ID], position, raw)
            self.levels[-1] = draft
            self.open_nodes.append(draft)
        if tag == "quotedContent":
            self.quoting += 1
        if tag in ("table", "layout"):
            self.rows.append(([], []))
        self.in_head += tag == "thead"
        if tag in ROWS:
            self.row = []
        elif tag in CELLS and self.row is not None:
            self.row.append([])

    def close(self, tag: str, raw: int, position: int) -> None:
        """A holder ends."""
        self._drain()
        self._settle()
        tag = tag.rpartition(":")[2]
        draft = self.levels.pop()
        if draft is not None:
            self._flush_head()
            self.open_nodes.pop()
            draft[END], draft[RAW_END] = max(position, draft[END]), raw
        if tag == "quotedContent":
            self.quoting -= 1
        if tag in ROWS:
            self._end_row(tag)
        if tag in ("table", "layout") and self.rows:
            heads, bodies = self.rows.pop()
            if heads and bodies:
                ends = 1, bodies[0][0], bodies[-1][1], 1, heads[0][0], heads[-1][1]
                self.builder.links.append(Link("table_header", *ends))
        self.in_head -= tag == "thead"
        if self.context == "footnote" and self.contexts[-1] != "footnote" and self.notes:
            mark, start = self.notes.pop()
            if start >= 0 and mark[1]:
                self.builder.links.append(Link("footnote", 1, *mark, 1, start, self.builder.blocks[-1][1]))
        self.context = self.contexts.pop()
        if not self.contexts:
            self._flush_head()

    def note(self, tag: str, attributes: Mapping[str, str], position: int) -> None:
        """An element this module does not know: said once for each."""
        if self.context != "metadata" and tag not in self.unknown:
            self.unknown.add(tag)
            reason = f"<{tag}> is not known here; text of its own is kept as a notice"
            self.builder.find("unsupported_element", tag, reason, position)

    # --- levels ------------------------------------------------------------------------------------------------------

    def _settle(self, printed: str = "", start: int = -1) -> None:
        """Make the node of the level that waits; *printed* is its number."""
        if self.waiting is None:
            return
        (tag, attributes, raw, position, place), self.waiting = self.waiting, None
        above = self.open_nodes[-1] if self.open_nodes else None
        identifier = attributes.get("identifier", "")
        node_id = citation(identifier) or self._uncited(tag, printed, above)
        kind = "section" if tag in SECTIONS else "paragraph" if tag in SMALL else tag
        parent = above[NODE_ID] if above else None
        draft = self.builder.open(node_id, kind, number_in(printed, kind), "", parent, start if start >= 0 else position, raw)
        draft[RESERVED] = attributes.get("status", "") in _GONE
        if identifier:
            self.anchors.setdefault(identifier, draft[NODE_ID])
        self.open_nodes.append(draft)
        self.levels[place] = draft

    def _uncited(self, tag: str, printed: str, above: Draft | None) -> str:
        """A level without a citation of its own: the one above it, and its number."""
        base = above[NODE_ID] if above else self.source.document_id
        number = number_in(printed, tag)
        if tag in SMALL:
            return f"{base}{number if number.startswith('(') else f'({number})' if number else '(?)'}"
        if number.casefold().startswith(tag):  # "TITLE I" names its level itself
            return f"{base} {tag.capitalize()}{number[len(tag) :]}"
        return f"{base} § {number}" if tag in SECTIONS else f"{base} {tag.capitalize()} {number or '?'}"

    # --- texts -------------------------------------------------------------------------------------------------------

    def _drain(self) -> None:
        """Deal with the texts since the last element that holds others."""
        if not self.texts:
            return
        for text in self.texts:
            self._settle(text.text if text.tag.endswith("num") else "", text.start)
            self._references(text)
            if self.row is not None:
                self.row[-1:] = [[*(self.row[-1] if self.row else ()), text]]
            elif self.context or not self.open_nodes or self.quoting:
                self._flush_head()
                self._block([text], self.context or ("body" if self.open_nodes else "metadata"))
            else:
                self._own(text, self.open_nodes[-1])
        self.texts.clear()

    def _own(self, text: Text, level: Draft) -> None:
        """A text of a level: a number goes with the text it opens; a number with a heading is a block of its own."""
        tag = text.tag.rpartition(":")[2]
        if tag in ("num", "heading"):
            if tag == "num" and self.head:
                self._flush_head()
            if tag == "heading" and not level[HEADING]:
                level[HEADING] = " ".join(text.text.split()).rstrip("]")
            self.head.append(text)
            return
        if level[KIND] == "paragraph" and len(self.head) == 1 and self.head[0].tag.endswith("num"):
            texts, self.head = [*self.head, text], []
            self._block(texts, "body")
            return
        self._flush_head()
        self._block([text], "heading" if tag in ("subheading", "crossHeading") else "body")

    def _flush_head(self) -> None:
        """Number and heading that nothing followed: the heading of a section or of what is above it, or a paragraph's."""
        if not self.head:
            return
        texts, self.head = self.head, []
        level = self.open_nodes[-1] if self.open_nodes else None
        paragraph = level is not None and level[KIND] == "paragraph"
        gone = level is not None and level[RESERVED]
        self._block(texts, "body" if paragraph else "reserved" if gone else "heading")

    def _block(self, texts: list[Text], role: str) -> None:
        """Texts that follow one another as one entry of the partition."""
        first, last = texts[0], texts[-1]
        node_id = self.open_nodes[-1][NODE_ID] if self.open_nodes else ""
        if self.context == "footnote" and self.notes and self.notes[-1][1] < 0:
            self.notes[-1] = self.notes[-1][0], first.start
        self.builder.blocks.append((first.start, last.end, role, node_id, first.raw_start, last.raw_end))
        if len(texts) > 1:
            self.builder.display[first.start] = " ".join(" ".join(text.text.split()) for text in texts)

    def _end_row(self, tag: str) -> None:
        """The cells of a row as one block, its cells apart."""
        cells, self.row = self.row or [], None
        texts = [text for cell in cells for text in cell]
        if not texts:
            return
        self._flush_head()
        start, end = texts[0].start, texts[-1].end
        self._block(texts, self.context or "table")
        shown = " | ".join(" ".join(" ".join(text.text.split()) for text in cell) for cell in cells)
        self.builder.display[start] = shown
        if self.rows and tag != "tocItem":
            heads, bodies = self.rows[-1]
            (heads if self.in_head or tag == "header" else bodies).append((start, end))

    def _references(self, text: Text) -> None:
        """The links of a text; one without an address is the mark of a footnote."""
        if not text.marks:
            return
        for inline in text.inlines():
            if inline.tag == "ref" and inline.end > inline.start:
                span = byte_of(text, inline.start), byte_of(text, inline.end)
                if inline.kind:
                    self.hyperlinks.append(Hyperlink(1, *span, inline.kind))
                else:
                    self.unmarked = span
