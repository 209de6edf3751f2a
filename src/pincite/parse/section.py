"""The texts of one section: each designator a node at its level, each text a block of the node it belongs to."""

from __future__ import annotations

import re

from pincite.parse.build import END, KIND, NODE_ID, RAW_END, RESERVED, Builder, Draft
from pincite.parse.designators import Designator, Readings, after_term, designators, dotted
from pincite.parse.outline import Placed, Step, outline
from pincite.parse.plain import ASIDE, HEADING_LEVELS, OPENING, RESERVED_TEXT, byte_of, lay_out_plain
from pincite.parse.scan import Text
from pincite.parse.terms import defined_term, heads, introduces

_NO_DESIGNATOR = Designator("", (), 0, 0)


_NUMBERED_HEADING = re.compile(r"(?:Paragraph\s+)?([0-9]+[A-Z]?(?:\([A-Za-z0-9]{1,5}\))+)(?=\s|\.|—|$)")


class Scope:
    """Paragraphs that are numbered together: a section's own, or those under one heading of an appendix or extract."""

    def __init__(self, base: str = "") -> None:
        self.base = base  # path of the heading, "" for the section's own
        self.steps: list[Step] = []
        self.placed: list[Placed] = []
        self.position = 0

    def outline(self) -> None:
        """Place all steps."""
        self.placed = outline(self.steps) if self.steps else []

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
        self.main = self.scope = Scope()
        self.scopes = [self.scope]
        self.headings: list[tuple[int, str]] = []  # level and path of each open heading
        self.all = self.definitions = self.headed = definitions
        self.awaited = definitions  # definitions were announced, and nothing numbered nor defined came since
        self.introducer: Readings = ()  # the paragraph whose definitions these are
        self.opens = True  # the last text announced something
        self.entries: list[tuple[Scope, int] | tuple[str, str]] = []

    def read(self, texts: list[Text]) -> None:
        """Note what each text opens: how many steps of which scope, or a heading (its path and that above it)."""
        for text in texts:
            context = text.context
            numbered = context[text.tag][1]
            headed = self.appendix or self.preamble or context.quoting == 1
            if headed and text.tag in HEADING_LEVELS and context.role == "":
                self.entries.append(self._heading(text, HEADING_LEVELS[text.tag]))
                continue
            if self.preamble:
                numbered = False
            elif self.scope is not self.main and not self.appendix:
                if context.quoting == 0:
                    self.scope, self.headings = self.main, []
                numbered = numbered or (context.quoting == 1 and context[text.tag][0] == "body")
            self.entries.append((self.scope, self._steps(text) if numbered else 0))
        for scope in self.scopes:
            scope.outline()

    def _heading(self, text: Text, level: int) -> tuple[str, str]:
        """A heading begins a scope of its own below the heading above it."""
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        above = self.headings[-1][1] if self.headings else ""
        printed = " ".join(text.text.split())
        match = _NUMBERED_HEADING.match(printed)
        path = f" {match.group(1)}" if match else f'{above} "{printed[:100].rstrip()}"'
        self.headings.append((level, path))
        self.scope = Scope(path)
        self.scopes.append(self.scope)
        self.opens = True
        return path, above

    def _steps(self, text: Text) -> int:
        """Add what one text opens to the scope; how much that is."""
        printed, steps = text.text, self.scope.steps
        before = len(steps)
        if printed[0] == "(":
            found = designators(text)
            if found:
                self._end_definitions(found[0])
            for designator in found:
                steps.append(Step(designator, self.opens))
                self.opens = True
            self.awaited = self.awaited and not found
        elif self.definitions and (term := defined_term(text, self.headed)):
            steps.append(Step(_NO_DESIGNATOR, self.opens, term, self.opens or self.awaited))
            steps.extend(Step(designator, True) for designator in after_term(text))
            self.awaited = False
        elif self.appendix or self.scope is not self.main:
            steps.extend(Step(designator, self.opens) for designator in dotted(text))
        self.opens = printed.endswith(OPENING)
        if not self.all and introduces(printed, self.opens):
            self.definitions = self.awaited = True
            self.headed = heads(printed)
            self.introducer = steps[-1].designator.readings if len(steps) > before else ()
        return len(steps) - before

    def _end_definitions(self, designator: Designator) -> None:
        """The paragraph after that of the definitions begins: what is in italics there is no term because of them."""
        following = {(kind, last + 1) for kind, _, last in self.introducer}
        if not self.opens and any(reading[:2] in following for reading in designator.readings):
            self.definitions = self.headed = self.all
            self.introducer = ()


def lay_out(builder: Builder, base: Draft | None, texts: list[Text], definitions: bool) -> None:
    """Give every text of the section *base* its node and its block. *definitions*: its heading says so."""
    if base is not None and not definitions and lay_out_plain(builder, base, texts):
        return
    plan = Plan(base, definitions)
    plan.read(texts)
    writer = _Writer(builder, base)
    for text, (scope, count) in zip(texts, plan.entries, strict=True):
        if isinstance(scope, str):
            writer.heading(text, scope, str(count))
        elif count:
            steps, placed = scope.take(int(count))
            writer.designated(text, steps, placed, scope.base)
        else:
            writer.plain(text, scope.base)
    writer.close()


class _Writer:
    """Writes the blocks and nodes of one section in document order."""

    def __init__(self, builder: Builder, base: Draft | None) -> None:
        self.builder, self.base = builder, base
        self.base_id: str = base[NODE_ID] if base else ""
        self.open: list[tuple[str, Draft]] = []  # path and draft of each open paragraph, outermost first
        self.seen: dict[str, tuple[str, Draft]] = {}  # path -> path above and draft
        self.scope = ""
        self.flush = False  # the next text without designator belongs one level up
        self.end = self.raw_end = 0  # of the last text

    def heading(self, text: Text, path: str, above: str) -> None:
        """A heading inside an appendix or an extract: a division of its own."""
        self._leave(above)
        parent = self.open[-1][1][NODE_ID] if self.open else self.base_id or None
        printed = " ".join(text.text.split())
        draft = self.builder.open(
            f"{self.base_id}{path}", "division", path.strip(), printed, parent, text.start, text.raw_start
        )
        self._enter(path, above, draft)
        self.builder.block(text, text.context[text.tag][0], draft[NODE_ID])
        self.end, self.raw_end, self.flush, self.scope = text.end, text.raw_end, False, path

    def designated(self, text: Text, steps: list[Step], placed: list[Placed], scope: str) -> None:
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
        self.flush = not text.text.endswith(OPENING)

    def _level(self, text: Text, role: str, level: tuple[Step, Placed], start: int, end: int, finish: int) -> None:
        """One paragraph: its node and its block."""
        (designator, _, term, _), (found, below, readings, reason) = level
        scope = self.scope
        if found and (scope or found[-1] == "."):
            scope += "" if found[0] in " (" else "-" if scope.endswith(")") else " "
            found, below = f"{scope}{found}", f"{scope}{below}" if below else self.scope
            readings = tuple([f"{scope}{reading}" for reading in readings])
        path, parent = found or "", below
        self._leave(parent)
        above = self.open[-1][1][NODE_ID] if self.open else self.base_id or None
        kind, label, heading = ("definition", term, term) if term else ("paragraph", designator[0], designator[4])
        draft = self.builder.open(f"{self.base_id}{path.rstrip('.')}", kind, label, heading, above, start, text.raw_start)
        if readings:
            draft[13], draft[14] = tuple([self.base_id + reading.rstrip(".") for reading in readings]), reason
        if finish - designator[3] < 24 and RESERVED_TEXT.match(text.text[designator[3] : finish].strip()):
            draft[RESERVED] = True
            role = "reserved"
        self._enter(path, parent, draft)
        self.builder.blocks.append((start, end, role, draft[NODE_ID], text.raw_start, text.raw_end))
        self.end, self.raw_end = end, text.raw_end

    def plain(self, text: Text, scope: str) -> None:
        """A text without designator: it goes on where the last one was, or one level above a list it follows."""
        role, numbered = text.context[text.tag]
        if scope != self.scope:
            self._leave(scope)
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
