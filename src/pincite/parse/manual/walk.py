"""The rows in order, each given its role and its place in the tree: headings, paragraphs, items, notes, examples.

One pass with a little memory: the tree with its open headings, the open paragraph, its open list items, and what kind of
text is going on (body, note, example, annotation, contact, notice). All that it opens it closes at the next heading or number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pincite.model import Finding
from pincite.parse.manual.flow import BEGINS, TABLE, Metrics, Row, ends_sentence
from pincite.parse.manual.headings import CONTINUED, Heading, continues
from pincite.parse.manual.items import Items, can_be_item
from pincite.parse.manual.lines import is_short_form
from pincite.parse.manual.profiles import Choice
from pincite.parse.manual.starts import Start
from pincite.parse.manual.tables import is_page_of_table
from pincite.parse.manual.tree import Tree

_EXAMPLE = re.compile(r"Examples?\s*(\d{1,2}[A-Za-z]?)?\s*(?:[:.–—-]\s*(?P<title>\S.*))?$")
_EXAMPLE_TITLED = re.compile(r"Example\s*(\d{1,2}[A-Za-z]?)\s+[A-Z(].{0,110}$")
_EXAMPLE_NUMBER = re.compile(r"Examples?\s*(\d{1,2}[A-Za-z]?)")
_NOTE = re.compile(r"Notes?\s*(?:\d{1,2})?\s*(?:[:.]|$)")
_ANNOTATIONS = re.compile(r"annotations?\s*:?$", re.I)
_CONTACTS = re.compile(r"contacts?\s*:?$", re.I)
_NOTICE = re.compile(
    r"The\s?content\s?of\s?the\s?examples\s?in\s?this\s?document"
    r"|(?:©|\(c\))\s*Crown|Crown\s+[Cc]opyright|This publication is licensed"
)
_LEAP = 20  # numbers left out without a reserved range: more than a slip of the source


class Walk:
    """The pass over the rows. ``tree`` and ``findings`` are its result, with ``role`` and ``node`` of every row."""

    def __init__(self, choice: Choice, starts: Mapping[int, Start], headings: Sequence[Heading], metrics: Metrics) -> None:
        self.starts, self.metrics = starts, metrics
        self.headings = {heading.first: heading for heading in headings}
        self.tree = Tree(choice, starts, headings)
        self.items = Items(self.tree, metrics)
        self.findings: list[Finding] = []
        self.paragraph = self.example = self.entry = -1
        self.mode = "body"
        self.page = -1
        self.page_marks: dict[str, int] = {}
        self.note_node = 0
        self.jumps: dict[int, int] = {}

    def current(self) -> int:
        """Where text belongs now."""
        if self.example >= 0:
            return self.example
        if self.mode == "notice":
            return 0
        if self.mode == "body" and self.items.open:
            return self.items.open[-1].place
        return self.paragraph if self.paragraph >= 0 else self.tree.above()

    def run(self, rows: Sequence[Row]) -> None:
        """Give every row its role and node."""
        self.jumps = _find_jumps(rows, self.starts)
        index = 0
        while index < len(rows):
            row = rows[index]
            if row.page != self.page:
                self._new_page(rows, row, index)
            heading = self.headings.get(index)
            if heading is not None:
                self._heading(rows, heading)
                index = heading.last
                continue
            start = self.starts.get(index)
            if start is not None:
                self._start(row, start)
            elif row.role:
                self._marked(rows, row)
            else:
                self._text(rows, row)
            if row.line[14] and row.role != "footnote":
                self._remember_marks(row)
            index += 1

    def _close(self) -> None:
        self.paragraph, self.mode, self.example = -1, "body", -1
        self.items.open.clear()

    # --- pages ------------------------------------------------------------------------------------------------------

    def _new_page(self, rows: Sequence[Row], row: Row, index: int) -> None:
        self.page = row.page
        self.page_marks = {}
        if self.mode == "notice":
            self._close()
        if self.paragraph < 0:
            return
        if index < self.jumps.get(index, -1):
            self._close()
            self.tree.open.clear()
            self._unattached(
                row, "pages are missing before this one: its first lines belong to no numbered paragraph that is here"
            )
        elif row.mark >= TABLE and is_page_of_table(rows, index):
            self._close()
            title = f"Table on page {row.page + 1}"
            self.tree.open.append(self.tree.inside_division(title, self.tree.above(), "heading", "", title))
            self._unattached(row, "a table fills this page after a finished paragraph: nothing says that it belongs to it")

    def _unattached(self, row: Row, reason: str) -> None:
        line = row.line
        self.findings.append(Finding("unattached_text", row.page + 1, line.start, line.end, row.text[:40], reason))

    def _remember_marks(self, row: Row) -> None:
        text = row.line.text
        for start, end in row.line.markers:
            self.page_marks[text[start:end].strip()] = row.node

    # --- what is marked already -------------------------------------------------------------------------------------

    def _marked(self, rows: Sequence[Row], row: Row) -> None:
        if row.role == "footnote":
            self._footnote(row)
            return
        if row.role == "note":
            self._margin_note(rows, row)
            return
        if row.role == "reference_dictionary" and is_short_form(row):
            offset = row.line.cells[1][0]
            label, meaning = row.line.text[:offset].strip(), row.line.text[offset:].strip()
            self.entry = self.tree.inside_division(label, self.tree.division, "item", label, meaning)
        row.node = self.entry if row.role == "reference_dictionary" and self.entry >= 0 else self.tree.above()
        self._close()

    def _footnote(self, row: Row) -> None:
        """A citation line belongs to the open paragraph, a footnote to the text that has its mark on this page."""
        markers = row.line.markers
        mark = row.line.text[: markers[0][1]].strip() if markers and markers[0][0] == 0 else row.label
        if mark:
            owner = self.paragraph if self.paragraph >= 0 else self.tree.above()
            self.note_node = self.tree.unit_of(self.page_marks.get(mark, owner))
        row.node = self.note_node or self.tree.above()
        if self.mode in ("note", "example") and self.example < 0 and row.size >= 0.8 * self.metrics.size:
            self.mode = "body"

    def _margin_note(self, rows: Sequence[Row], row: Row) -> None:
        """A note in the margin belongs to the paragraph beside its first line."""
        before = rows[row.index - 1] if row.index else row
        if before.role == "note" and 0 < row.line.baseline - before.line.baseline < 1.9 * row.size:
            row.node = before.node
            return
        row.mark, row.node = BEGINS, self.tree.above()
        beside = _beside(rows, row)
        if beside is not None:
            row.node = self.tree.unit_of(beside.node)

    # --- headings ---------------------------------------------------------------------------------------------------

    def _heading(self, rows: Sequence[Row], heading: Heading) -> None:
        if self._ends_title(rows, heading):
            return
        if self._inside_example(rows, heading):
            _give(rows, heading, self.mode, self.current())
            return
        if CONTINUED.search(heading.text) and self.tree.repeats(heading):
            _give(rows, heading, "page_furniture", self.current())
            return
        self._close()
        start = self.starts.get(heading.first)
        if self.tree.is_title(rows[heading.first], heading):
            self.tree.title(heading)
        elif heading.appendix:
            self.tree.appendix(heading)
        elif start is not None:
            self.tree.margin_section(heading, start)
        else:
            self.tree.section(heading)
        _give(rows, heading, "heading", self.tree.above())
        self.note_node = 0
        title = heading.text.strip()
        self.mode = "annotation" if _ANNOTATIONS.match(title) else "contact" if _CONTACTS.match(title) else "body"

    def _ends_title(self, rows: Sequence[Row], heading: Heading) -> bool:
        """The second line of a numbered section's title: ``3.3 Special responsibilities of Accounting`` / ``Officers``."""
        above = rows[heading.first - 1] if heading.first else None
        start = self.starts.get(heading.first - 1)
        if above is None or start is None or start.kind != "section" or above.side or heading.appendix:
            return False
        if not continues(above, rows[heading.first], self.metrics):
            return False
        place = self.tree.places[above.node]
        place.heading = f"{place.heading} {heading.text}".strip()
        _give(rows, heading, "heading", above.node)
        return True

    def _inside_example(self, rows: Sequence[Row], heading: Heading) -> bool:
        """A bold line inside an example is no heading of the manual: text that is no numbered paragraph goes on below it."""
        if self.mode != "example" or heading.low or heading.appendix:
            return False
        row = rows[heading.first]
        after = heading.last
        while after in self.headings:
            after = self.headings[after].last
        leads_on = after >= len(rows) or after in self.starts or bool(rows[after].role)
        return not leads_on and row.size < 1.12 * self.metrics.size

    # --- numbers and text -------------------------------------------------------------------------------------------

    def _start(self, row: Row, start: Start) -> None:
        self._close()
        self.note_node = 0
        self.tree.close_for(start)
        if start.kind == "section":
            row.role, row.node = "heading", self.tree.numbered_section(row, start)
        elif start.kind == "reserved":
            row.role, row.node = "reserved", self.tree.reserved(start)
        else:
            self.paragraph = row.node = self.tree.paragraph(start)
            row.role = "body"

    def _text(self, rows: Sequence[Row], row: Row) -> None:
        if self._cue(row):
            return
        if row.kind and not (row.mark >= TABLE and row.kind == "letter") and self._item(rows, row):
            return
        if self.items.open and self.mode == "body":
            self.items.leave(rows, row)
        row.role, row.node = self.mode, self.current()

    def _item(self, rows: Sequence[Row], row: Row) -> bool:
        """A list item of the open paragraph; after a note only one whose label goes on with the list."""
        if self.paragraph < 0 or self.mode not in ("body", "note") or not can_be_item(row):
            return False
        if self.mode == "note" and not self.items.resumes(row):
            return False
        if not self.items.add(rows, row, self.paragraph, self.current()):
            return False
        self.mode = "body"
        return True

    def _cue(self, row: Row) -> bool:
        """Words that say what follows: Example, Note, a notice."""
        first = row.text[:1]
        if first == "E" and row.text[:7] == "Example" and _is_example(row):
            self._example(row)
        elif first == "N" and _NOTE.match(row.text) and self.mode not in ("annotation", "contact"):
            self.mode = "note" if self.example < 0 else "example"
            row.mark = BEGINS
            row.role, row.node = "note", self.current()
        elif first in "T©(C" and _NOTICE.match(row.text):
            self._close()
            self.mode = "notice"
            row.role, row.node = "notice", 0
        elif self.mode == "notice" and row.gap >= 1.5 and not row.top:
            self._close()
            return False
        else:
            return False
        return True

    def _example(self, row: Row) -> None:
        """An example belongs to its paragraph; one that stands below a heading only is a unit of its own."""
        self.mode = "example"
        self.example = -1
        row.mark = BEGINS
        if self.paragraph < 0:
            found = _EXAMPLE_NUMBER.match(row.text)
            label = f"Example {found.group(1)}" if found else "Example"
            self.example = self.tree.inside_division(label, self.tree.above(), "example", label, row.text, between=" ")
            self.tree.use_headings()
        row.role, row.node = "example", self.current()


def _give(rows: Sequence[Row], heading: Heading, role: str, node: int) -> None:
    for row in rows[heading.first : heading.last]:
        row.role, row.node = role, node


def _is_example(row: Row) -> bool:
    return _EXAMPLE.match(row.text) is not None or (_EXAMPLE_TITLED.match(row.text) is not None and not ends_sentence(row))


def _beside(rows: Sequence[Row], note: Row) -> Row | None:
    """The last line of text on a note's page that stands no lower than it, in the column next to it."""
    first = note.index
    while first and rows[first - 1].page == note.page:
        first -= 1
    page = [row for row in rows[first : note.index] if row.role != "note" and row.node >= 0]
    if not page:
        return None
    columns = [row.line.column for row in page]
    column = min(columns) if note.line.x1 < min(row.x0 for row in page) else max(columns)
    reach = note.line.baseline + 0.5 * note.size
    above = [row for row in page if row.line.column == column and row.line.baseline <= reach]
    return above[-1] if above else page[0]


def _find_jumps(rows: Sequence[Row], starts: Mapping[int, Start]) -> dict[int, int]:
    """First rows of pages before a start whose number leaps: where an excerpt leaves pages out. Row -> the start."""
    jumps: dict[int, int] = {}
    last: Start | None = None
    highest = 0  # a number that goes back is no leap forward when the order is taken up again
    for index in sorted(starts):
        start = starts[index]
        if start.scheme not in ("flat", "lettered"):
            continue
        if last is not None and start.number - highest > _LEAP:
            first = index
            while first > last.row + 1 and rows[first - 1].page == rows[index].page:
                first -= 1
            if first > last.row + 1:
                jumps[first] = index
        last, highest = start, max(highest, start.last)
    return jumps
