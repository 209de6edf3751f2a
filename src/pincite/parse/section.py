"""The texts of one section: each designator a node at its level, each text a block of the node it belongs to."""

from __future__ import annotations

import re

from pincite.parse.build import END, HEADING, KIND, NODE_ID, RAW_END, RESERVED, Builder, Draft
from pincite.parse.designators import (
    Designator,
    Readings,
    after_term,
    compounds,
    designators,
    dotted,
    italics_of,
    numbered_example,
    numbered_heading,
    start_of,
)
from pincite.parse.outline import Placed, Step, outline
from pincite.parse.plain import ASIDE, HEADING_LEVELS, OPENING, RESERVED_TEXT, STOPPED, byte_of, lay_out_plain
from pincite.parse.scan import Text
from pincite.parse.terms import INTRODUCES, announces, defined_term, heads, introduces

_NO_DESIGNATOR = Designator("", (), 0, 0)


_NUMBERED_HEADING = re.compile(
    r"(?:Paragraph\s+|Section\s+)?([0-9]+[A-Z]?(?:\.[0-9]+)?(?:\([A-Za-z0-9]{1,5}\))+)(?=\s|[.:—]|$)"
)
"""A heading of a commentary: what it comments on is its name."""
_ABSOLUTE = re.compile(r" [0-9]+[A-Z]?(?:\.[0-9]+)?(?:\([A-Za-z0-9]{1,5}\))*$")
"""The name of such a heading: its paragraphs are 2(a)(1)-1, whatever headings stand above."""
_OF_SECTION = re.compile(r"(?:Section|§)\s+[0-9]+\.([0-9]+[A-Z]?)\b")
_OF_PARAGRAPH = re.compile(r"(?:Paragraph\s+)?((?:\([A-Za-z0-9]{1,5}\))+)(?=\s|[.:—]|$)")
_SET_APART = 8
"""The level of a heading that is a paragraph in italics: below all headings proper."""
_ALTERNATE = re.compile(r"(Alternate [IVX]+)\b")
_DATED = re.compile(r"\s*\((?:Date|[A-Z]{3,4} \d{4})\)\s*$")


class Scope:
    """Paragraphs that are numbered together: a section's own, or those under one heading of an appendix or extract.

    A scope stands below a place of its *parent*: that of the last of the parent's first *anchor* steps.
    """

    def __init__(self, name: str = "", parent: Scope | None = None, anchor: int = 0, level: int = 0) -> None:
        self.name, self.parent, self.anchor, self.level = name, parent, anchor, level
        self.base = self.above = ""  # path of the heading, and of what it stands below
        self.steps: list[Step] = []
        self.placed: list[Placed] = []
        self.position = 0
        self.numberings: set[str] = set()  # kinds of the numbered headings among the steps
        self.headings: dict[int, int] = {}  # level of heading -> how many steps there are up to its last

    def outline(self) -> None:
        """Place all steps; the parent's are placed."""
        if self.parent:
            self.above = self.parent.path_at(self.anchor)
            self.base = self.name if _ABSOLUTE.match(self.name) else self.above + self.name
        self.placed = [self._full(place) for place in outline(self.steps)] if self.steps else []

    def _full(self, place: Placed) -> Placed:
        """A place below the scope's heading."""
        found, below, readings, reason = place
        if found is None or (not self.base and found[0] in " ("):
            return place
        join = "" if found[0] in " (" else "-" if self.base.endswith(")") or _ABSOLUTE.match(self.base) else " "
        whole = f"{self.base}{join}"
        return Placed(whole + found, whole + below if below else self.base, tuple([whole + r for r in readings]), reason)

    def path_at(self, count: int) -> str:
        """Where the first *count* steps have led."""
        for index in range(count - 1, -1, -1):
            path = self.placed[index].path
            if path is not None:
                return path
        return self.base

    def head(self, number: Designator, level: int, *, opens: bool) -> None:
        """A numbered heading as the next step."""
        self.steps.append(Step(number, opens, heading=level))
        self.numberings |= {kind for kind, _, _ in number.readings}
        self.headings[level] = len(self.steps)

    def take(self, count: int) -> tuple[list[Step], list[Placed]]:
        """The next steps with their places."""
        position = self.position
        self.position += count
        return self.steps[position : self.position], self.placed[position : self.position]


class Plan:
    """What the texts of a section open, before their levels are known."""

    def __init__(self, base: Draft | None, definitions: bool) -> None:
        self.appendix = base is not None and base[KIND] == "appendix"
        self.preamble = base is not None and base[KIND] == "document"  # its paragraphs are not numbered to be cited
        self.stopped = base is not None and base[KIND] == "section"  # it may have paragraphs "A." and "1."
        self.title = _bare(base[HEADING]) if base else ""
        self.main = self.scope = Scope()
        self.scopes = [self.scope]
        self.stack = [self.scope]  # the scopes of the open headings
        self.commentary = base is not None and " Supplement " in base[NODE_ID]
        self.section = 0, ""  # level and number of the heading for the section that a commentary is at
        self.clause = False  # the extract is the section's own text, as that of a contract clause is
        self.headed_last = False  # the last text was a heading
        self.all = self.definitions = self.headed = definitions
        self.awaited = definitions  # definitions were announced, and nothing numbered nor defined came since
        self.defining = 0  # level of the heading that announced definitions
        self.introducer: Readings = ()  # the paragraph whose definitions these are
        self.opens = True  # the last text announced something
        self.part = ""  # the last number of several parts
        self.awaiting: set[tuple[str, int]] = set()  # what numbers with a full stop would go on with
        self.entries: list[tuple[Scope, int]] = []
        """The scope of each text and how many of its steps it opens; -1: it is the heading of the scope."""

    def read(self, texts: list[Text]) -> None:
        """Note what each text opens."""
        for text in texts:
            context = text.context
            if context.quoting == 0 and not (self.appendix or self.preamble) and self._leave_extract(text):
                continue
            if level := self._heading_level(text):
                self._heading(text, level)
                continue
            self.headed_last = False
            self.entries.append((self.scope, self._steps(text) if self._is_numbered(text) else 0))
        for scope in self.scopes:
            scope.outline()

    def _heading_level(self, text: Text) -> int:
        """How deep a heading of an appendix or an extract is; 0 for a text that is none."""
        context = text.context
        if context.role or not (self.appendix or self.preamble or context.quoting == 1):
            return 0
        if text.tag in HEADING_LEVELS:
            return HEADING_LEVELS[text.tag]
        return _SET_APART if self.appendix and context[text.tag][1] and _is_set_apart(text) else 0

    def _is_numbered(self, text: Text) -> bool:
        """Whether designators of a text open paragraphs."""
        context = text.context
        if self.preamble:
            return False
        role, numbered = context[text.tag]
        quoted = (
            context.quoting == 1 and role == "body" and (self.clause or (self.scope is not self.main and not self.appendix))
        )
        return numbered or quoted

    def _leave_extract(self, text: Text) -> bool:
        """The section's own text goes on; True where an alternate of its clause begins: a division of its own."""
        if match := _ALTERNATE.match(text.text):
            self._open_scope(f" {match.group(1)}", self.main, 0, 0)
            self.entries.append((self.scope, -1))
            return True
        if self.scope is not self.main or self.clause:
            self.stack, self.scope, self.clause = [self.main], self.main, False
        return False

    def _open_scope(self, name: str, parent: Scope, anchor: int, level: int) -> None:
        self.scope = Scope(name, parent, anchor, level)
        self.scopes.append(self.scope)
        self.stack.append(self.scope)
        self.clause, self.part = False, ""

    def _heading(self, text: Text, level: int) -> None:
        """A numbered heading is a step of the scope it stands in; any other begins a scope of its own."""
        printed = " ".join(text.text.split())
        of_section = _OF_SECTION.match(printed)
        if of_section:
            self.section = level, of_section.group(1)
        elif level <= self.section[0]:
            self.section = 0, ""
        commented = _NUMBERED_HEADING.match(printed)
        name = f" {commented.group(1)}" if commented else f' "{printed[:100].rstrip()}"'
        if self.section[1] and (match := _OF_PARAGRAPH.match(printed)):
            commented, name = match, f" {self.section[1]}{match.group(1)}"
        elif of_section and self.commentary and not commented:
            commented, name = of_section, f" {of_section.group(1)}"
        number = None if commented or self.preamble else numbered_heading(text)
        self._close_headings(level, number)
        if number:
            self.entries.append((self.scope, 1))
            self.scope.head(number, level, opens=self.opens)
        elif self.title and self.scope is self.main and not self.main.steps and _bare(printed) == self.title:
            self.clause = True
            self.entries.append((self.main, 0))
        else:
            self._open_scope(name, self.scope, self._anchor(level), level)
            self.entries.append((self.scope, -1))
        if announces(printed):
            self.definitions = self.headed = self.awaited = True
            self.defining = level
        elif level <= self.defining:
            self.definitions = self.headed = self.all
        self.headed_last = self.opens = True

    def _close_headings(self, level: int, number: Designator | None) -> None:
        """Leave the headings that one of this level ends. A numbering that begins right below a heading belongs to it."""
        begins = number is not None and self.headed_last and any(first == 1 for _, first, _ in number.readings)
        while len(self.stack) > 1:
            scope = self.stack[-1]
            goes_on = number is not None and any(kind in scope.numberings for kind, _, _ in number.readings)
            if scope.level < level or (scope.level == level and (begins or goes_on)):
                break
            self.stack.pop()
        self.scope = self.stack[-1]
        if number and self.scope is self.main and not self.appendix and not self.preamble:
            self._open_scope("", self.main, len(self.main.steps), 0)  # the headings of an extract are not the section's

    def _anchor(self, level: int) -> int:
        """Below how many steps of the scope a heading of this level stands."""
        if self.scope is self.main and not self.appendix:
            return len(self.scope.steps)
        return max((count for above, count in self.scope.headings.items() if above < level), default=0)

    def _steps(self, text: Text) -> int:
        """Add what one text opens to the scope; how much that is."""
        printed, steps = text.text, self.scope.steps
        before = len(steps)
        if printed[start_of(printed)] == "(":
            found = designators(text, searched=True)
            if found:
                self._end_definitions(found[0])
            for designator in found:
                steps.append(Step(designator, self.opens))
                self.opens = True
            self.awaited = self.awaited and not found
        elif example := numbered_example(text):
            steps.append(Step(example, self.opens, example.label.rstrip("."), True))
            steps.extend(Step(designator, True) for designator in after_term(text))
        elif self.definitions and (term := defined_term(text, self.headed)):
            steps.append(Step(_NO_DESIGNATOR, self.opens, term, self.opens or self.awaited, self.introducer))
            steps.extend(Step(designator, True) for designator in after_term(text))
            self.awaited = False
        elif self.appendix or self.scope is not self.main:
            self._add(self._compounds(text) or dotted(text))
        elif self.stopped and STOPPED.match(printed):
            found = self._compounds(text) if printed[0] == "S" else []
            self._add(found or [designator for designator in dotted(text) if self._runs(designator)])
        self.opens = printed.endswith(OPENING)
        if self.all:
            self.awaited = self.awaited or (printed[0] == "(" and INTRODUCES.search(printed) is not None)
        elif introduces(printed, self.opens):
            self.definitions = self.awaited = True
            self.headed = heads(printed)
            self.introducer = steps[-1].designator.readings if len(steps) > before else ()
        return len(steps) - before

    def _add(self, designators: list[Designator]) -> None:
        self.scope.steps += [Step(designator, self.opens) for designator in designators]

    def _compounds(self, text: Text) -> list[Designator]:
        """A number of several parts and what follows it; "S4.1(b)" after "S4.1(a)" does not open S4.1 again."""
        found = compounds(text)
        if len(found) > 1 and found[0].label == self.part:
            return found[1:]
        self.part = found[0].label if found else self.part
        return found

    def _runs(self, number: Designator) -> bool:
        """Whether a number with a full stop, in a section, begins a list or goes on with one; else it is a word's."""
        if not any(first == 1 or (kind, first) in self.awaiting for kind, first, _ in number.readings):
            return False
        self.awaiting |= {(kind, last + 1) for kind, _, last in number.readings}
        return True

    def _end_definitions(self, designator: Designator) -> None:
        """The paragraph after that of the definitions begins: what is in italics there is no term because of them."""
        following = {(kind, last + 1) for kind, _, last in self.introducer}
        if not self.opens and any(reading[:2] in following for reading in designator.readings):
            self.definitions = self.headed = self.all
            self.introducer = ()


def _is_set_apart(text: Text) -> bool:
    """Whether a paragraph is a heading in fact: short and all in italics, or the name of a paragraph commented on."""
    printed = text.text
    if len(printed) > 120:
        return False
    italics = italics_of(text)
    whole = bool(italics) and italics[0].start == 0 and italics[0].end >= len(printed) - 1
    return whole or (_NUMBERED_HEADING.match(printed) is not None and printed.count(".") < 2 and printed[-1] not in ",;:")


def _bare(heading: str) -> str:
    """A heading without the date of a clause and its last full stop, to tell whether another repeats it."""
    return _DATED.sub("", heading).strip().rstrip(".").casefold()


def lay_out(builder: Builder, base: Draft | None, texts: list[Text], definitions: bool) -> None:
    """Give every text of the section *base* its node and its block. *definitions*: its heading says so."""
    if base is not None and not definitions and lay_out_plain(builder, base, texts):
        return
    plan = Plan(base, definitions)
    plan.read(texts)
    writer = _Writer(builder, base)
    for text, (scope, count) in zip(texts, plan.entries, strict=True):
        if count < 0:
            writer.heading(text, scope)
        elif count:
            writer.designated(text, scope, *scope.take(count))
        else:
            writer.plain(text, scope)
    writer.close()


class _Writer:
    """Writes the blocks and nodes of one section in document order."""

    def __init__(self, builder: Builder, base: Draft | None) -> None:
        self.builder, self.base = builder, base
        self.base_id: str = base[NODE_ID] if base else ""
        self.open: list[tuple[str, Draft]] = []  # path and draft of each open paragraph, outermost first
        self.seen: dict[str, tuple[str, Draft]] = {}  # path -> path above and draft
        self.scope: Scope | None = None
        self.flush = False  # the next text without designator belongs one level up
        self.end = self.raw_end = 0  # of the last text

    def heading(self, text: Text, scope: Scope) -> None:
        """A heading inside an appendix or an extract: a division of its own."""
        self._leave(scope.above)
        parent = self.open[-1][1][NODE_ID] if self.open else self.base_id or None
        printed = " ".join(text.text.split())
        draft = self.builder.open(
            f"{self.base_id}{scope.base.rstrip('.')}",
            "division",
            scope.name.strip(),
            printed,
            parent,
            text.start,
            text.raw_start,
        )
        self._enter(scope.base, scope.above, draft)
        self.builder.block(text, text.context[text.tag][0], draft[NODE_ID])
        self.end, self.raw_end, self.flush, self.scope = text.end, text.raw_end, False, scope

    def designated(self, text: Text, scope: Scope, steps: list[Step], placed: list[Placed]) -> None:
        """A text that opens one or more paragraphs, or defines a term."""
        levels = [(step, place) for step, place in zip(steps, placed, strict=True) if place[0] is not None]
        if not levels:
            self.plain(text, scope)
            return
        self.scope = scope
        role = text.context[text.tag][0]
        if len(levels) == 1:
            self._level(text, role, levels[0], text.start, text.end, len(text.text))
        else:
            starts = [0, *(step.designator.start for step, _ in levels[1:]), len(text.text)]
            for level, begin, finish in zip(levels, starts, starts[1:], strict=False):
                kept = len(text.text[begin:finish].rstrip())
                self._level(text, role, level, byte_of(text, begin), byte_of(text, begin + kept), finish)
        self.end, self.raw_end = text.end, text.raw_end
        self.flush = not text.text.endswith(OPENING) and not levels[-1][0].heading

    def _level(self, text: Text, role: str, level: tuple[Step, Placed], start: int, end: int, finish: int) -> None:
        """One paragraph: its node and its block."""
        (designator, _, term, _, _, heading), (found, parent, readings, reason) = level
        path = found or ""
        self._leave(parent)
        above = self.open[-1][1][NODE_ID] if self.open else self.base_id or None
        kind = "division" if heading else "definition" if term and not designator[0] else "paragraph"
        label, shown = (term, term) if kind == "definition" else (designator[0], designator[4])
        if heading:
            shown = " ".join(text.text.split())
        draft = self.builder.open(f"{self.base_id}{path.rstrip('.')}", kind, label, shown, above, start, text.raw_start)
        if readings:
            draft[13], draft[14] = tuple([self.base_id + reading.rstrip(".") for reading in readings]), reason
        if finish - designator[3] < 24 and RESERVED_TEXT.match(text.text[designator[3] : finish].strip()):
            draft[RESERVED] = True
            role = "reserved"
        self._enter(path, parent, draft)
        self.builder.blocks.append((start, end, role, draft[NODE_ID], text.raw_start, text.raw_end))
        self.end, self.raw_end = end, text.raw_end

    def plain(self, text: Text, scope: Scope) -> None:
        """A text without designator: it goes on where the last one was, or one level above a list it follows."""
        role, numbered = text.context[text.tag]
        if scope is not self.scope:
            if self.scope is not None:
                self._leave(scope.path_at(scope.position))
            self.scope, self.flush = scope, False
        node_id = self.base_id
        if role not in ASIDE and self.open:
            if numbered:
                if self.flush and self.open[-1][1][KIND] not in ("definition", "division"):
                    self._leave(self.open[-2][0] if len(self.open) > 1 else "")
                self.flush = False
            self.end, self.raw_end = text.end, text.raw_end
            node_id = self.open[-1][1][NODE_ID] if self.open else self.base_id
        self.builder.block(text, role, node_id)

    def _enter(self, path: str, above: str, draft: Draft) -> None:
        self.open.append((path, draft))
        self.seen[path] = above, draft

    def _leave(self, path: str) -> None:
        """Close the open paragraphs down to *path*: they end where the last text ended. What was closed opens again."""
        opened = self.open
        while opened and opened[-1][0] != path:
            draft = opened.pop()[1]
            draft[END], draft[RAW_END] = self.end, self.raw_end
        again: list[tuple[str, Draft]] = []
        while path and not opened and path in self.seen:
            above, draft = self.seen[path]
            again.append((path, draft))
            path = above
        opened.extend(reversed(again))

    def close(self) -> None:
        """The section ends."""
        self._leave("")
