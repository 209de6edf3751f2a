"""The tree under construction: which headings are open, what they close, and how each place is cited."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from pincite.parse.manual.flow import Row
from pincite.parse.manual.headings import Heading
from pincite.parse.manual.places import Place, number_of_title, without
from pincite.parse.manual.profiles import Choice
from pincite.parse.manual.starts import Start

_MARGIN_DATE = re.compile(r"\(\d{1,2}-\d{1,2}-\d{2,4}\)")
_BACK_MATTER = re.compile(r"(?:Glossary|Index|Bibliography|References|Abbreviations|List of)\b", re.IGNORECASE)
_CODED = re.compile(r"([A-Z]{1,4}\d{1,3}[A-Z]?)\s*[:–—-]\s")
_CONTINUED_AFTER = re.compile(r"[,(–-]?\s*\(?\bcont", re.IGNORECASE)


class Tree:
    """``places`` in order; ``open`` are the headings above what comes next; ``division`` the document or the annex it is in."""

    def __init__(self, choice: Choice, starts: Mapping[int, Start], headings: Sequence[Heading]) -> None:
        self.choice = choice
        self.places: list[Place] = []
        self.ids: dict[str, int] = {}
        self.open: list[int] = []  # outermost first
        self.division = self.place(choice.root, -1, choice.kind, choice.root, without(choice.root, choice.title))
        self.series = -1  # the title below which numbers began again
        self.inside = _inside_numbered(headings)
        self.annexes_numbered = any(start.scheme == "dotted" and start.label[0].isalpha() for start in starts.values())

    def place(self, node_id: str, parent: int, kind: str, label: str, heading: str = "") -> int:
        """A new node; its id is made distinct where the document has it already."""
        count = self.ids[node_id] = self.ids.get(node_id, 0) + 1
        if count > 1:
            node_id = f"{node_id} ({count})"
        self.places.append(Place(node_id, parent, kind, label, heading))
        return len(self.places) - 1

    def inside_division(self, name: str, parent: int, kind: str, label: str, heading: str, between: str = ": ") -> int:
        """A new node that is named after the division it stands in."""
        return self.place(f"{self.places[self.division].node_id}{between}{name}", parent, kind, label, heading)

    def above(self) -> int:
        """The innermost open heading, or the division."""
        return self.open[-1] if self.open else self.division

    def unit_of(self, place: int) -> int:
        """The paragraph (or heading) an item belongs to."""
        while self.places[place].kind == "item":
            place = self.places[place].parent
        return place

    def use_headings(self) -> None:
        """Something stands below the open headings: one of the same rank closes them from now on."""
        for index in self.open:
            self.places[index].used = True

    # --- headings ---------------------------------------------------------------------------------------------------

    def title(self, heading: Heading) -> None:
        """The document's own title."""
        self.open.clear()
        self.places[0].heading = without(self.choice.root, heading.text)

    def is_title(self, row: Row, heading: Heading) -> bool:
        """Whether a heading at the beginning of the document names the root: it is no section."""
        if row.page > 0 or self.division != 0 or len(self.places) > 6:
            return False
        return any(
            found.expand(form) == self.choice.root
            for p, form, _ in self.choice.profile.roots
            if (found := p.search(heading.text))
        )

    def repeats(self, heading: Heading) -> bool:
        """ "Exhibit 2 (Cont. 3)" on a later page of Exhibit 2: nothing new begins."""
        start = _CONTINUED_AFTER.split(heading.text, maxsplit=1)[0].strip(" ,(–-")
        return bool(start) and any(
            start.startswith(self.places[index].label or " ") or self.places[index].heading.startswith(start)
            for index in (*self.open, self.division)
        )

    def appendix(self, heading: Heading) -> None:
        """An appendix, annex or exhibit begins."""
        self.open.clear()
        owner, chapter, label = self.places[0].node_id, self._chapter(), heading.appendix
        if chapter and self.choice.profile.family == "dmg":
            owner = chapter
        elif label[:7] == "Exhibit":
            owner = owner.split()[0]
        self.division = self.place(f"{owner} {label}", 0, "annex", label, without(label, heading.text))

    def _chapter(self) -> str:
        """A DMG number begins with its chapter: 77161 stands in chapter 77."""
        for place in reversed(self.places):
            if place.kind == "paragraph" and place.label.isdigit() and len(place.label) >= 5:
                return f"DMG Chapter {place.label[:2]}"
        return ""

    def section(self, heading: Heading) -> None:
        """A heading, below those that it does not close."""
        if self.division and self.open and _BACK_MATTER.match(heading.text) and heading.rank <= self.places[self.open[0]].rank:
            self.leave_annex()
        if self.division:
            # what the contents say of a title is said of the body, not of an appendix
            heading = heading._replace(low=0, high=0, rank=(2.0,) if heading.rank == (1.0,) else heading.rank)
        number = number_of_title(heading.text)
        self._close_up_to(number, heading.rank)
        holder = self.inside.get(heading.first, 0)
        while self.open and _ends(self.places[self.open[-1]], heading):
            if holder and self.places[self.open[-1]].numbered == holder:
                break
            self.open.pop()
        index = self.inside_division(heading.text, self.above(), "heading", "", heading.text)
        place = self.places[index]
        place.rank, place.low, place.high, place.numbered = heading.rank, heading.low, heading.high, number
        self.open.append(index)

    def _close_up_to(self, number: int, rank: tuple[float, ...]) -> None:
        """A title with a lower number in the same type, and all below it, end here, whatever their sizes."""
        for position, index in enumerate(self.open):
            if 0 < self.places[index].numbered < number and self.places[index].rank == rank:
                del self.open[position:]
                return

    def margin_section(self, heading: Heading, start: Start) -> None:
        """A section whose number, date and title stand in the margin."""
        title = _MARGIN_DATE.sub("", heading.text.removeprefix(start.label)).strip(" .")
        depth = (float(start.label.count(".")),)
        self.division = 0
        while self.open and (self.places[self.open[-1]].kind != "margin_section" or self.places[self.open[-1]].rank >= depth):
            self.open.pop()
        index = self.place(self.cite(start), self.above(), "margin_section", start.label, title)
        self.places[index].rank = depth
        self.open.append(index)

    # --- numbers ----------------------------------------------------------------------------------------------------

    def close_for(self, start: Start) -> None:
        """Leave the annex and the headings that a number of the main numbering does not stand in."""
        if self.division and self._is_main(start):
            self.leave_annex()
        while self.open and start.scheme in ("flat", "lettered") and 0 < self.places[self.open[-1]].high < start.number:
            self.open.pop()
        self.use_headings()

    def _is_main(self, start: Start) -> bool:
        """Whether a number is of the manual's main numbering, which an annex has no part in."""
        if start.scheme == "dotted":
            return self.annexes_numbered and start.label[0].isdigit()
        return start.scheme in ("flat", "lettered")

    def leave_annex(self) -> None:
        """The main text goes on: headings below the annex are closed."""
        inside = self.division
        self.division = 0
        self.open = [index for index in self.open if index < inside]

    def numbered_section(self, row: Row, start: Start) -> int:
        """A section whose number stands before its title."""
        depth = (float(start.label.count(".")),)
        while self.open and self.places[self.open[-1]].rank >= depth:
            self.open.pop()
        kind = "margin_section" if row.side else "heading"
        index = self.place(self.cite(start), self.above(), kind, start.label, row.text[row.rest :].strip())
        self.places[index].rank = depth
        self.open.append(index)
        return index

    def reserved(self, start: Start) -> int:
        """A reserved number or range."""
        alone = start.end_label == start.label
        name = self.cite(start) + ("" if alone else f"-{start.end_label}")
        index = self.place(name, self.above(), "reserved", start.label if alone else f"{start.label}-{start.end_label}")
        self.places[index].reserved = True
        return index

    def paragraph(self, start: Start) -> int:
        return self.place(self.cite(start), self.above(), "paragraph", start.label)

    def cite(self, start: Start) -> str:
        """The node id of what a number begins."""
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


def _ends(above: Place, heading: Heading) -> bool:
    """Whether a new heading closes the one above it."""
    if above.high and heading.low:
        same = (above.low, above.high) == (heading.low, heading.high)
        return same or not (above.low <= heading.low and heading.high <= above.high)
    if above.high and not heading.low:
        return heading.rank < above.rank
    if not above.used and heading.rank >= above.rank:
        return False
    return heading.rank <= above.rank


def _inside_numbered(headings: Sequence[Heading]) -> dict[int, int]:
    """Titles that stand inside a numbered one whatever their sizes: between "2. Results" and "3. Conclusions" -> 2.

    Below the last number of a series are those set in types that stood below the ones before. First row -> number.
    """
    inside: dict[int, int] = {}
    for found in _series_of(headings):
        below = {headings[p].rank for p in range(found[0], found[-1])} - {headings[found[0]].rank}
        for position in range(found[0], len(headings)):
            heading = headings[position]
            if heading.appendix and position > found[-1]:
                break
            at = bisect_right(found, position) - 1
            if position not in found and (at + 1 < len(found) or heading.rank in below) and not number_of_title(heading.text):
                inside[heading.first] = number_of_title(headings[found[at]].text)
    return inside


def _series_of(headings: Sequence[Heading]) -> list[list[int]]:
    """Positions of titles that are numbered from one on in one type, at least three."""
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
    return [found for found in series if len(found) >= 3]
