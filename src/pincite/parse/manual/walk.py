"""The rows in order, each given its role and its place in the tree: headings, paragraphs, items, notes, examples.

One pass with a little memory: the open heading, the open paragraph, the open list items, and what kind of text is going on
(body, note, example, annotation, contact, notice). Everything it opens it also closes at the next heading or number.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from pincite.model import Finding
from pincite.parse.manual.flow import BEGINS, TABLE, Metrics, Row, ends_sentence
from pincite.parse.manual.headings import CONTINUED, Heading, continues
from pincite.parse.manual.lines import is_short_form
from pincite.parse.manual.places import Place, is_next, number_of_title, without
from pincite.parse.manual.profiles import Choice
from pincite.parse.manual.starts import Start
from pincite.parse.manual.tables import is_page_of_table

_EXAMPLE = re.compile(r"Examples?\s*(\d{1,2}[A-Za-z]?)?\s*(?:[:.–—-]\s*(?P<title>\S.*))?$")
_EXAMPLE_TITLED = re.compile(r"Example\s*(\d{1,2}[A-Za-z]?)\s+[A-Z(].{0,110}$")
_NOTE = re.compile(r"Notes?\s*(?:\d{1,2})?\s*(?:[:.]|$)")
_ANNOTATIONS = re.compile(r"annotations?\s*:?$", re.I)
_CONTACTS = re.compile(r"contacts?\s*:?$", re.I)
_NOTICE = re.compile(
    r"The\s?content\s?of\s?the\s?examples\s?in\s?this\s?document"
    r"|(?:©|\(c\))\s*Crown|Crown\s+[Cc]opyright|This publication is licensed"
)
_MARGIN_DATE = re.compile(r"\(\d{1,2}-\d{1,2}-\d{2,4}\)")
_BACK_MATTER = re.compile(r"(?:Glossary|Index|Bibliography|References|Abbreviations|List of)\b", re.IGNORECASE)
_CODED = re.compile(r"([A-Z]{1,4}\d{1,3}[A-Z]?)\s*[:–—-]\s")
_LEAP = 20  # numbers left out without a reserved range: more than a slip of the source


class Walk:
    """The pass over the rows. ``places`` and ``findings`` are its result, with ``role`` and ``node`` of every row."""

    def __init__(self, choice: Choice, starts: Mapping[int, Start], headings: Sequence[Heading], metrics: Metrics) -> None:
        self.choice, self.starts, self.metrics = choice, starts, metrics
        self.headings = {heading.first: heading for heading in headings}
        self.inside = _inside_numbered(headings)
        self.places: list[Place] = []
        self.findings: list[Finding] = []
        self.ids: dict[str, int] = {}
        self.open: list[int] = []  # the headings above, outermost first
        self.paragraph = -1
        self.items: list[tuple[float, str, str, int]] = []  # (where its text stands, kind, label, place)
        self.mode = "body"
        self.division = self.place(choice.root, -1, choice.kind, choice.root, without(choice.root, choice.title))
        self.page_marks: dict[str, int] = {}
        self.page = -1
        self.note_node = 0
        self.example = -1
        self.entry = -1
        self.series = -1  # the title below which numbers began again
        self.jumps: dict[int, int] = {}
        self.annexes_numbered = any(start.scheme == "dotted" and start.label[0].isalpha() for start in starts.values())

    # --- the tree ---------------------------------------------------------------------------------------------------

    def place(self, node_id: str, parent: int, kind: str, label: str, heading: str = "") -> int:
        """A new node; its id is made distinct where the document has it already."""
        count = self.ids[node_id] = self.ids.get(node_id, 0) + 1
        if count > 1:
            node_id = f"{node_id} ({count})"
        self.places.append(Place(node_id, parent, kind, label, heading))
        return len(self.places) - 1

    def above(self) -> int:
        """The innermost open heading, or the division."""
        return self.open[-1] if self.open else self.division

    def current(self) -> int:
        """Where text belongs now."""
        if self.example >= 0:
            return self.example
        if self.mode == "notice":
            return 0
        if self.mode == "body" and self.items:
            return self.items[-1][3]
        return self.paragraph if self.paragraph >= 0 else self.above()

    # --- one pass ---------------------------------------------------------------------------------------------------

    def run(self, rows: Sequence[Row]) -> None:
        """Give every row its role and node."""
        self.jumps = self._find_jumps(rows)
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

    def _new_page(self, rows: Sequence[Row], row: Row, index: int) -> None:
        self.page = row.page
        self.page_marks = {}
        if self.mode == "notice":
            self._close()
        if self.paragraph < 0:
            return
        if index < self.jumps.get(index, -1):
            self._close()
            self.open.clear()
            self._unattached(
                row, "pages are missing before this one: its first lines belong to no numbered paragraph that is here"
            )
        elif row.mark >= TABLE and is_page_of_table(rows, index):
            self._close()
            title = f"Table on page {row.page + 1}"
            self.open.append(self.place(f"{self.places[self.division].node_id}: {title}", self.above(), "heading", "", title))
            self._unattached(row, "a table fills this page after a finished paragraph: nothing says that it belongs to it")

    def _unattached(self, row: Row, reason: str) -> None:
        line = row.line
        self.findings.append(Finding("unattached_text", row.page + 1, line.start, line.end, row.text[:40], reason))

    def _find_jumps(self, rows: Sequence[Row]) -> dict[int, int]:
        """First rows of pages before a start whose number leaps: where an excerpt leaves pages out. Row -> the start."""
        jumps: dict[int, int] = {}
        last: Start | None = None
        highest = 0  # a number that goes back is no leap forward when the order is taken up again
        for index in sorted(self.starts):
            start = self.starts[index]
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

    def _remember_marks(self, row: Row) -> None:
        text = row.line.text
        for start, end in row.line.markers:
            self.page_marks[text[start:end].strip()] = row.node

    def _marked(self, rows: Sequence[Row], row: Row) -> None:
        if row.role == "footnote":
            self._footnote(row)
            return
        if row.role == "note":
            self._margin_note(rows, row)
            return
        if row.role == "reference_dictionary" and is_short_form(row):
            offset = row.line.cells[1][0]
            label = row.line.text[:offset].strip()
            self.entry = self.place(
                f"{self.places[self.division].node_id}: {label}", self.division, "item", label, row.line.text[offset:].strip()
            )
        row.node = self.entry if row.role == "reference_dictionary" and self.entry >= 0 else self.above()
        self._close()

    def _footnote(self, row: Row) -> None:
        """A citation line belongs to the open paragraph, a footnote to the text that has its mark on this page."""
        markers = row.line.markers
        mark = row.line.text[: markers[0][1]].strip() if markers and markers[0][0] == 0 else row.label
        if mark:
            owner = self.paragraph if self.paragraph >= 0 else self.above()
            found = self.page_marks.get(mark, owner)
            self.note_node = self.unit_of(found)
        row.node = self.note_node or self.above()
        if self.mode in ("note", "example") and self.example < 0 and row.size >= 0.8 * self.metrics.size:
            self.mode = "body"

    def _margin_note(self, rows: Sequence[Row], row: Row) -> None:
        """A note in the margin belongs to the paragraph beside its first line."""
        before = rows[row.index - 1] if row.index else row
        if before.role == "note" and 0 < row.line.baseline - before.line.baseline < 1.9 * row.size:
            row.node = before.node
            return
        row.mark, row.node = BEGINS, self.above()
        first = row.index
        while first and rows[first - 1].page == row.page:
            first -= 1
        page = [other for other in rows[first : row.index] if other.role != "note" and other.node >= 0]
        if not page:
            return
        columns = [other.line.column for other in page]
        column = min(columns) if row.line.x1 < min(other.x0 for other in page) else max(columns)
        reach = row.line.baseline + 0.5 * row.size
        above = [other.node for other in page if other.line.column == column and other.line.baseline <= reach]
        row.node = self.unit_of(above[-1] if above else page[0].node)

    def unit_of(self, place: int) -> int:
        """The paragraph (or heading) an item belongs to."""
        while self.places[place].kind == "item":
            place = self.places[place].parent
        return place

    def _close(self) -> None:
        self.paragraph, self.mode, self.example = -1, "body", -1
        self.items.clear()

    # --- headings ---------------------------------------------------------------------------------------------------

    def _heading(self, rows: Sequence[Row], heading: Heading) -> None:
        if self._ends_title(rows, heading):
            return
        if self._inside_example(rows, heading):
            for row in rows[heading.first : heading.last]:
                row.role, row.node = self.mode, self.current()
            return
        if CONTINUED.search(heading.text) and self._repeats(heading):
            for row in rows[heading.first : heading.last]:
                row.role, row.node = "page_furniture", self.current()
            return
        self._close()
        if self._is_title(rows[heading.first], heading):
            self.open.clear()
            self.places[0].heading = without(self.choice.root, heading.text)
        elif heading.appendix:
            self._appendix(heading)
        else:
            self._section(heading, self.starts.get(heading.first))
        for row in rows[heading.first : heading.last]:
            row.role, row.node = "heading", self.above()
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
        self.places[above.node].heading = f"{self.places[above.node].heading} {heading.text}".strip()
        for row in rows[heading.first : heading.last]:
            row.role, row.node = "heading", above.node
        return True

    def _is_title(self, row: Row, heading: Heading) -> bool:
        """The document's own title, at its beginning: it names the root, it is no section."""
        if row.page > 0 or self.division != 0 or len(self.places) > 6:
            return False
        return any(
            found.expand(form) == self.choice.root
            for p, form, _ in self.choice.profile.roots
            if (found := p.search(heading.text))
        )

    def _repeats(self, heading: Heading) -> bool:
        """ "Exhibit 2 (Cont. 3)" on a later page of Exhibit 2: nothing new begins."""
        start = re.split(r"[,(–-]?\s*\(?\bcont", heading.text, maxsplit=1, flags=re.IGNORECASE)[0].strip(" ,(–-")
        return bool(start) and any(
            start.startswith(self.places[index].label or " ") or self.places[index].heading.startswith(start)
            for index in (*self.open, self.division)
        )

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

    def _appendix(self, heading: Heading) -> None:
        self.open.clear()
        owner = self.places[0].node_id
        chapter = self._chapter()
        label = heading.appendix
        prefix = (
            chapter
            if chapter and self.choice.profile.family == "dmg"
            else owner.split()[0]
            if label[:7] == "Exhibit"
            else owner
        )
        self.division = self.place(f"{prefix} {label}", 0, "annex", label, without(label, heading.text))

    def _chapter(self) -> str:
        """A DMG number begins with its chapter: 77161 stands in chapter 77."""
        for place in reversed(self.places):
            if place.kind == "paragraph" and place.label.isdigit() and len(place.label) >= 5:
                return f"DMG Chapter {place.label[:2]}"
        return ""

    def _section(self, heading: Heading, start: Start | None) -> None:
        if start is not None:
            self._margin_section(heading, start)
            return
        if self.division and self.open and _BACK_MATTER.match(heading.text) and heading.rank <= self.places[self.open[0]].rank:
            self._leave_annex()
        if self.division:
            # what the contents say of a title is said of the body, not of an appendix
            heading = heading._replace(low=0, high=0, rank=(2.0,) if heading.rank == (1.0,) else heading.rank)
        number = number_of_title(heading.text)
        self._close_up_to(number, heading.rank)
        holder = self.inside.get(heading.first, 0)
        while self.open and self._ends(self.places[self.open[-1]], heading):
            if holder and self.places[self.open[-1]].numbered == holder:
                break
            self.open.pop()
        name = f"{self.places[self.division].node_id}: {heading.text}"
        index = self.place(name, self.above(), "heading", "", heading.text)
        place = self.places[index]
        place.rank, place.low, place.high, place.numbered = heading.rank, heading.low, heading.high, number
        self.open.append(index)

    def _close_up_to(self, number: int, rank: tuple[float, ...]) -> None:
        """A title with a lower number in the same type, and all below it, end here, whatever their sizes."""
        for position, index in enumerate(self.open):
            if 0 < self.places[index].numbered < number and self.places[index].rank == rank:
                del self.open[position:]
                return

    def _margin_section(self, heading: Heading, start: Start) -> None:
        """A section whose number, date and title stand in the margin."""
        title = _MARGIN_DATE.sub("", heading.text.removeprefix(start.label)).strip(" .")
        depth = (float(start.label.count(".")),)
        self.division = 0
        while self.open and (self.places[self.open[-1]].kind != "margin_section" or self.places[self.open[-1]].rank >= depth):
            self.open.pop()
        index = self.place(self._cite(start), self.above(), "margin_section", start.label, title)
        self.places[index].rank = depth
        self.open.append(index)

    @staticmethod
    def _ends(above: Place, heading: Heading) -> bool:
        """Whether a new heading closes the one above it."""
        if above.high and heading.low:
            return not (
                above.low <= heading.low
                and heading.high <= above.high
                and (above.low, above.high) != (heading.low, heading.high)
            )
        if above.high and not heading.low:
            return heading.rank < above.rank
        if not above.used and heading.rank >= above.rank:
            return False
        return heading.rank <= above.rank

    def _use_headings(self) -> None:
        for index in self.open:
            self.places[index].used = True

    # --- paragraphs -------------------------------------------------------------------------------------------------

    def _start(self, row: Row, start: Start) -> None:
        self._close()
        self.note_node = 0
        if self.division and self._is_main(start):
            self._leave_annex()
        while self.open and start.scheme in ("flat", "lettered") and 0 < self.places[self.open[-1]].high < start.number:
            self.open.pop()
        self._use_headings()
        if start.kind == "section":
            self._numbered_section(row, start)
            return
        if start.kind == "reserved":
            name = self._cite(start) + (f"-{start.end_label}" if start.end_label != start.label else "")
            label = start.label if start.end_label == start.label else f"{start.label}-{start.end_label}"
            row.node = self.place(name, self.above(), "reserved", label)
            self.places[row.node].reserved = True
            row.role = "reserved"
            return
        self.paragraph = row.node = self.place(self._cite(start), self.above(), "paragraph", start.label)
        row.role = "body"

    def _is_main(self, start: Start) -> bool:
        """Whether a number is of the manual's main numbering, which an annex has no part in."""
        if start.scheme == "dotted":
            return self.annexes_numbered and start.label[0].isdigit()
        return start.scheme in ("flat", "lettered")

    def _leave_annex(self) -> None:
        """The main text goes on: headings below the annex are closed."""
        inside = self.division
        self.division = 0
        self.open = [index for index in self.open if index < inside]

    def _numbered_section(self, row: Row, start: Start) -> None:
        depth = start.label.count(".")
        while self.open and self.places[self.open[-1]].rank >= (float(depth),):
            self.open.pop()
        title = row.text[row.rest :].strip()
        index = self.place(self._cite(start), self.above(), "margin_section" if row.side else "heading", start.label, title)
        self.places[index].rank = (float(depth),)
        self.open.append(index)
        row.role, row.node = "heading", index

    def _cite(self, start: Start) -> str:
        profile = self.choice.profile
        if profile.sections:
            return self._cite_sectioned(start)
        if start.scheme == "restarting":
            return f"{self._series(start)} para {start.label}"
        if start.scheme == "own":
            return f"{self.places[self.division].node_id} para {start.label}"
        return profile.citation.format(root=self.choice.root, label=start.label)

    def _series(self, start: Start) -> str:
        """What numbers begin again under: a policy with a code ("PM1: Local plans") by its code, else the title."""
        if start.number == 1 or self.series < 0:
            self.series = self.above()
        place = self.places[self.series]
        code = _CODED.match(place.heading)
        return f"{self.choice.root} {code[1]}" if code else place.node_id

    def _cite_sectioned(self, start: Start) -> str:
        root = self.choice.root
        if start.kind == "section":
            return f"{root.split()[0]} {start.label}"
        above = self.places[self.above()]
        section = above.node_id if above.kind != "manual" else root
        return self.choice.profile.citation.format(section=section, label=start.label)

    # --- text -------------------------------------------------------------------------------------------------------

    def _text(self, rows: Sequence[Row], row: Row) -> None:
        if self._cue(rows, row):
            return
        if row.kind and not (row.mark >= TABLE and row.kind == "letter") and self._item(rows, row):
            return
        if self.items and self.mode == "body":
            self._return_from_items(rows, row)
        row.role, row.node = self.mode, self.current()

    def _return_from_items(self, rows: Sequence[Row], row: Row) -> None:
        """Text set further out than an item, or apart from it after a short line, belongs to what holds the item."""
        while self.items and row.x0 < self.items[-1][0] - 3:
            self.items.pop()
        before = rows[row.index - 1]
        full = before.line.x1 > self.metrics.right - 0.15 * (self.metrics.right - self.metrics.left)
        if self.items and row.gap >= 1.4 and not row.top and not full and abs(row.x0 - self.items[0][0]) < 3:
            self.items.clear()

    def _cue(self, rows: Sequence[Row], row: Row) -> bool:
        """Words that say what follows: Example, Note, a notice."""
        first = row.text[:1]
        if first == "E" and row.text[:7] == "Example" and self._is_example(row):
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

    @staticmethod
    def _is_example(row: Row) -> bool:
        return _EXAMPLE.match(row.text) is not None or (_EXAMPLE_TITLED.match(row.text) is not None and not ends_sentence(row))

    def _example(self, row: Row) -> None:
        """An example belongs to its paragraph; one that stands below a heading only is a unit of its own."""
        self.mode = "example"
        self.example = -1
        row.mark = BEGINS
        if self.paragraph < 0:
            found = re.match(r"Examples?\s*(\d{1,2}[A-Za-z]?)?", row.text)
            label = f"Example {found.group(1)}" if found and found.group(1) else "Example"
            name = f"{self.places[self.division].node_id} {label}"
            self.example = self.place(name, self.above(), "example", label, row.text)
            self._use_headings()
        row.role, row.node = "example", self.current()

    # --- items ------------------------------------------------------------------------------------------------------

    def _item(self, rows: Sequence[Row], row: Row) -> bool:
        """A list item of the open paragraph: a node of its own, below the item it belongs to."""
        if self.paragraph < 0 or row.kind in ("bullet", "flat", "lettered", "plain") or self.mode not in ("body", "note"):
            return False
        if self.mode == "note" and not self._resumes(row):
            return False
        before = rows[row.index - 1] if row.index else None
        if (
            before is not None
            and row.gap < 1.3
            and before.node == self.current()
            and not self._fits_list(row)
            and not ends_sentence(before)
        ):
            return False
        level = self._level(row)
        if level is None:
            return False
        self.mode = "body"
        del self.items[level:]
        parent = self.items[-1][3] if self.items else self.paragraph
        name = self._item_id(row, parent)
        if name in self.ids:
            return False
        index = self.place(name, parent, "item", row.label)
        hangs = row.line.cells and not row.line.text[row.rest : row.line.cells[1][0]].strip()
        self.items.append((row.line.cells[1][1] if hangs else row.x0, row.kind, row.label, index))
        row.role, row.node = "body", index
        return True

    def _resumes(self, row: Row) -> bool:
        """After a note, an item goes on with the list only where its label is the next one."""
        return any(kind == row.kind and is_next(label, row.label) for _, kind, label, _ in self.items)

    def _fits_list(self, row: Row) -> bool:
        return row.label in ("1", "a", "i", "A") or self._resumes(row) or row.kind in ("dotted", "mixed")

    def _level(self, row: Row) -> int | None:
        """How many of the open items stay open above this one; ``None`` where it cannot be an item."""
        if row.kind in ("dotted", "mixed"):
            prefix = row.label.rsplit(".", 1)[0]
            for position in range(len(self.items) - 1, -1, -1):
                if self.items[position][2] == prefix:
                    return position + 1
            return None
        for position, (_, kind, label, _) in enumerate(self.items):
            if kind == row.kind and is_next(label, row.label) and not self._opens_roman(row, position):
                return position
        if row.kind in ("stop", "half", "bracket"):
            return 0 if not self.items or self.items[0][1] == row.kind else self._by_indent(row)
        return self._by_indent(row) if row.label in ("a", "i", "A", "I") or not self.items else None

    def _opens_roman(self, row: Row, position: int) -> bool:
        """``i`` after ``h`` goes on with the letters unless it is set further in."""
        return row.label == "i" and row.x0 > self.items[position][0] + 6

    def _by_indent(self, row: Row) -> int:
        level = len(self.items)
        while level and self.items[level - 1][0] >= row.x0 - 3:
            level -= 1
        return level

    def _item_id(self, row: Row, parent: int) -> str:
        paragraph = self.places[self.paragraph].node_id
        if row.kind in ("dotted", "mixed", "stop", "half"):
            return f"{paragraph} {row.label}"
        return f"{self.places[parent].node_id}({row.label})"


def _inside_numbered(headings: Sequence[Heading]) -> dict[int, int]:
    """Titles that stand inside a numbered one whatever their sizes: between "2. Results" and "3. Conclusions" -> 2.

    Below the last number of a series are those set in types that stood below the ones before. First row -> number.
    """
    series: list[list[int]] = []
    for position, heading in enumerate(headings):
        number = number_of_title(heading.text)
        for found in series:
            last = headings[found[-1]]
            if 0 < number - number_of_title(last.text) < 3 and heading.rank == last.rank:
                found.append(position)
                break
        else:
            if number == 1:
                series.append([position])
    inside: dict[int, int] = {}
    for found in series:
        if len(found) < 3:
            continue
        below = {headings[p].rank for p in range(found[0], found[-1])} - {headings[found[0]].rank}
        for position in range(found[0], len(headings)):
            heading = headings[position]
            if heading.appendix and position > found[-1]:
                break
            at = bisect_right(found, position) - 1
            if position not in found and (at + 1 < len(found) or heading.rank in below) and not number_of_title(heading.text):
                inside[heading.first] = number_of_title(headings[found[at]].text)
    return inside
