"""Plain text → ``Document``. The canonical text is the file's own text; structure is what its lines show.

Headings are underlined lines, numbered lines ("3.2 Scope", "Annex B: Forms") and lines in capitals that stand alone between
blank lines; items begin with a number, a letter or a bullet. What is in doubt is a paragraph. Its lines are joined in the
display text; lines quoted with ">" are ``note`` blocks. Tables that are drawn with blanks, dashes or boxes are ``table`` nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pincite.model import Document, Source
from pincite.parse.compose import Composer
from pincite.parse.divisions import BELOW, ENDS_SENTENCE, HEADING_LIMIT, RANKS, is_division, kind_of, names_division
from pincite.parse.numbers import NumberedParagraphs, split_number
from pincite.parse.textfile import TextWriter, decode
from pincite.parse.textlines import Line, entries, folded, furniture, is_contents, is_contents_title, lines_of
from pincite.parse.texttable import Drawn, table_in

PARSER, VERSION = "text", "1"
PARAGRAPH_LIMIT = 3000
"""Characters above which a paragraph of lines is taken to be a paragraph a line."""

_UNDERLINE = re.compile(r"\s*(={3,}|-{3,}|~{3,}|\*{3,}|#{3,}|\^{3,})\s*\Z")
_BULLETS = "-*•–·◦▪‣⁃●○■□►✓✔☐☑☒o"
_ITEM = re.compile(
    r"[ \t]*(?P<label>[-*•–·◦▪‣⁃●○■□►✓✔☐☑☒]|o(?=[ \t]{2})|\d{1,3}[.)]|[A-Za-z][.)]"
    r"|\((?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})\)|[ivx]{1,5}[.)]|[Ss]tep[ ]\d{1,3}[.:)]|STEP[ ]\d{1,3}[.:)])[ \t]+(?=\S)"
)
_SECTION = re.compile(
    r"[ \t]*(?P<label>(?:Section|SECTION|Sec\.|SEC\.|Clause|Rule|§)[ ]?\d{1,4}(?:\.\d{1,3}){0,3}[.:])[ \t]+(?=[A-Z“\"(])"
)
"""A section that is a paragraph: "Section 2. Dues are set by the board.\""""
_QUOTED = re.compile(r"[ \t]*>")


def read_text(source: Source, data: bytes) -> Document:
    """The document of a text file. Raises ``Malformed`` for what is empty or no text."""
    read = decode(source, data)
    made = Composer(source, PARSER, VERSION)
    lay_out(made, TextWriter(made, read))
    return made.document()


def lay_out(made: Composer, writer: TextWriter) -> None:
    """Hand all of the writer's text to the composer, below the place that is open."""
    base = made.depth
    _Layout(made, writer).lay_out()
    made.leave(base)
    writer.blank(len(writer.text))


# --- lines --------------------------------------------------------------------------------------------------------------


class _Table(NamedTuple):
    """Lines that are a table, and its rows."""

    lines: list[Line]
    drawn: Drawn


class _Aside(NamedTuple):
    """Lines that are not the text's own, and what they are."""

    lines: list[Line]
    role: str


_Group = list[Line] | _Table | _Aside


def _groups(text: str) -> Iterator[_Group]:
    """Lines between blank lines; tables, contents lists, running heads and feet apart; a heading's underline ends one."""
    for lines in _runs(text):
        if isinstance(lines, _Aside) or is_contents(lines):
            yield lines if isinstance(lines, _Aside) else _Aside(lines, "contents")
            continue
        while drawn := table_in([line.text for line in lines]):
            first, last = drawn.rows[0].first, drawn.rows[-1].last
            yield from _underlined(lines[:first])
            yield _Table(lines, drawn)
            lines = lines[last:]
        yield from _underlined(lines)


def _runs(text: str) -> Iterator[list[Line] | _Aside]:
    """Lines that no blank line divides."""
    run: list[Line] = []
    lines = lines_of(text)
    running = furniture(lines)
    for line in lines:
        blank = not line.text.strip()
        if not blank and line.start not in running:
            run.append(line)
            continue
        if run:
            yield run
            run = []
        if not blank:
            yield _Aside([line], "page_furniture")
    if run:
        yield run


def _underlined(lines: list[Line]) -> Iterator[list[Line]]:
    group: list[Line] = []
    for line in lines:
        group.append(line)
        if (len(group) == 2 and _is_underline(group)) or (len(group) == 3 and _is_between_lines(group)):
            yield group
            group = []
    if group:
        yield from _split(group)


def _split(group: list[Line]) -> Iterator[list[Line]]:
    """A group as it is, or a line at a time where so many lines can be no paragraph."""
    if group[-1].end - group[0].start > PARAGRAPH_LIMIT:
        yield from ([line] for line in group)
    else:
        yield group


def _is_underline(group: Sequence[Line]) -> bool:
    words, line = group[0].text.strip(), group[1].text.strip()
    return (
        bool(_UNDERLINE.match(line))
        and len(words) <= HEADING_LIMIT
        and len(line) >= 0.5 * len(words)
        and words != line
        and not _UNDERLINE.match(words)
    )


def _is_between_lines(group: Sequence[Line]) -> bool:
    """Whether a line stands between two that draw the same rule."""
    above, words, below = (line.text.strip() for line in group)
    return bool(_UNDERLINE.match(above)) and above == below and not _UNDERLINE.match(words) and len(words) <= HEADING_LIMIT


_WORDS_OF_A_STOPPED_HEADING = 8


class _Number(NamedTuple):
    """The number a single line begins with."""

    label: str
    depth: int  # 1 for "3", 2 for "3.2"
    stopped: bool = False  # it ends in a full stop: a heading only where text of its own follows


def _number_of(group: list[Line]) -> _Number | None:
    if len(group) != 1:
        return None
    words = group[0].text.strip()
    label, rest = split_number(words)
    if not label or len(words) > HEADING_LIMIT or not rest[:1].isupper():
        return None
    stopped = not kind_of(label) and rest.endswith(".") and len(rest.split()) <= _WORDS_OF_A_STOPPED_HEADING
    if (ENDS_SENTENCE.search(rest) and not stopped) or ("." in label and rest.endswith(":")):
        return None
    return _Number(label, label.count(".") + 1, stopped)


# --- divisions ----------------------------------------------------------------------------------------------------------

_DIVIDED = frozenset({"title", "part", "chapter", "article"})


def _is_name(group: _Group) -> bool:
    """Whether a group is a line that may name the division announced above it."""
    return isinstance(group, list) and len(group) == 1 and names_division(group[0].text.strip())


def _words(group: list[Line]) -> str:
    """The words of a group's first line."""
    return " ".join(group[0].text.split())


def _is_indented(groups: Sequence[_Group]) -> bool:
    """Whether nearly all paragraphs are indented, so that a line which is not stands above them."""
    paragraphs = [group for group in groups if isinstance(group, list) and len(group) > 1]
    indented = sum(all(line.text[:2].isspace() for line in group) for group in paragraphs)
    return len(paragraphs) > 2 and indented >= 0.8 * len(paragraphs)


def _opens_division(group: _Group) -> bool:
    return isinstance(group, list) and len(group) == 1 and is_division(group[0].text)


# --- blocks -------------------------------------------------------------------------------------------------------------


def _with_registers(groups: list[_Group]) -> list[_Group]:
    """The groups, those that look like contents lists line by line where nothing in the text is called what they list."""
    places = [at for at, group in enumerate(groups) if isinstance(group, _Aside) and group.role == "contents"]
    if not places:
        return groups
    lists = [group.lines for group in groups if isinstance(group, _Aside) and group.role == "contents"]
    names = {name for lines in lists for name in entries(lines)}
    lone = {folded(split_number(_words(group))[1]) for group in groups if isinstance(group, list) and len(group) < 4}
    above = groups[places[0] - 1] if places[0] else None
    if (isinstance(above, list) and is_contents_title(above)) or 3 * len(names & lone) >= len(names):
        return groups
    kept: list[_Group] = []
    for at, group in enumerate(groups):
        kept += [[line] for line in group.lines] if at in places and isinstance(group, _Aside) else [group]
    return kept


class _Layout:
    """Hands the groups of one text, in order, to the composer."""

    def __init__(self, made: Composer, writer: TextWriter) -> None:
        self.made, self.writer = made, writer
        self.groups = _with_registers(list(_parted(_groups(writer.text))))
        self.numbers = [_number_of(group) if isinstance(group, list) else None for group in self.groups]
        kinds = {kind_of(number.label) for number in self.numbers if number}
        kinds |= {kind_of(_words(group)) for group in self.groups if isinstance(group, list) and _opens_division(group)}
        self.divided = bool(kinds & _DIVIDED)
        asides = [group for group in self.groups if isinstance(group, _Aside) and group.role == "contents"]
        self.listed = frozenset(name for aside in asides for name in entries(aside.lines))
        self.stopped = sum(number is not None and number.stopped for number in self.numbers)
        self.hangs = _is_indented(self.groups)
        self.numbered, self.above = NumberedParagraphs(), ""  # and the number of the heading above

    def lay_out(self) -> None:
        """All of it."""
        skip = False
        for position, group in enumerate(self.groups):
            if skip:
                skip = False
            elif isinstance(group, _Table):
                self._table(group, self._names_contents(position - 1))
            elif isinstance(group, _Aside) or self._names_contents(position):
                lines, role = (group.lines, group.role) if isinstance(group, _Aside) else (group, "contents")
                self.writer.put(lines[0].start, lines[-1].end, role, " ".join(" ".join(line.text.split()) for line in lines))
            elif _opens_division(group):
                skip = self._division(position)
            elif level := self._level(position, group):
                self._heading(group, level, first=position == 0)
            else:
                self._paragraph(group)

    def _names_contents(self, position: int) -> bool:
        """Whether a group is the line above a contents list, which may be drawn as a table."""
        group = self.groups[position]
        following = self.groups[position + 1] if position + 1 < len(self.groups) else None
        listed = isinstance(following, _Table) or (isinstance(following, _Aside) and following.role == "contents")
        return position >= 0 and listed and isinstance(group, list) and is_contents_title(group)

    def _table(self, table: _Table, contents: bool) -> None:
        """A node with a block a row, the body linked to the row that names the columns; a contents list is none."""
        (lines, drawn), made = table, self.made
        self.writer.blank(lines[drawn.rows[0].first].start)
        role = "contents" if contents else "table"
        if not contents:
            made.enter("table", fragment="table")
        rows = ((lines[row.first].start, lines[row.last - 1].end, row.cells) for row in drawn.rows)
        placed = [self.writer.put(start, end, role, " | ".join(cells)) for start, end, cells in rows]
        if contents:
            return
        if drawn.headed and len(placed) > 1:
            made.link("table_header", (len(made.texts), placed[1][0], placed[-1][1]), (len(made.texts), *placed[0]))
        made.leave()

    def _division(self, position: int) -> bool:
        """A division that is announced on a line of its own, with its name on the next; whether there is one."""
        lines = self.groups[position]
        assert isinstance(lines, list)
        label = _words(lines)
        following = self.groups[position + 1] if position + 1 < len(self.groups) else None
        named = following is not None and _is_name(following) and not self._names_contents(position + 1)
        name = _words(following) if named and isinstance(following, list) else ""
        self.writer.blank(lines[0].start)
        self.made.section(RANKS[kind_of(label)], f"{label} {name}".strip())
        self.above = ""
        self.writer.put(lines[0].start, lines[0].end, "heading", label)
        if name and isinstance(following, list):
            self.writer.put(following[0].start, following[0].end, "heading", name)
        return bool(name)

    def _level(self, position: int, group: list[Line]) -> int:
        """The level of the heading a group is; 0 where it is none."""
        words = group[0].text.strip()
        if len(group) == 3 and _is_between_lines(group):
            return 1
        if len(group) == 2 and _is_underline(group):
            return 1 if group[1].text.strip()[0] in "=*" else 2
        if len(group) != 1 or len(words) > HEADING_LIMIT:
            return 0
        if number := self.numbers[position]:
            return self._numbered_level(position, number)
        hangs_out = self.hangs and group[0].text[:1].isalpha() and "   " not in words and not ENDS_SENTENCE.search(words)
        if folded(words) in self.listed or hangs_out:
            return 2 + BELOW * self.divided
        cased = [letter for letter in words if letter.lower() != letter.upper()]  # most scripts have no capitals
        capitals = len(cased) > 3 and words == words.upper() and not _ITEM.match(group[0].text)
        if not capitals or ENDS_SENTENCE.search(words):
            return 0
        return 2 + BELOW if self.divided and position else 1

    def _numbered_level(self, position: int, number: _Number) -> int:
        before = self.numbers[position - 1] if position else None
        following = self.numbers[position + 1] if position + 1 < len(self.numbers) else None
        if self.divided and (rank := RANKS.get(kind_of(number.label))):
            return rank
        kind = kind_of(number.label)
        alone = all(not other or (other.depth, kind_of(other.label)) != (number.depth, kind) for other in (before, following))
        level = number.depth + 1 + BELOW * self.divided
        if number.stopped:
            return level if self.stopped > 2 and before is None and following is None and self._has_text(position + 1) else 0
        return level if alone or number.depth > 1 else 0  # single numbers one after the other are a list

    def _has_text(self, position: int) -> bool:
        """Whether a group is a paragraph of its own, no item."""
        group = self.groups[position] if position < len(self.groups) else None
        return isinstance(group, list) and not _ITEM.match(group[0].text)

    def _heading(self, group: list[Line], level: int, first: bool) -> None:
        words = " ".join(group[len(group) == 3].text.split())
        self.writer.blank(group[0].start)
        self.above = split_number(words)[0]
        if first and level == 1 and not self.above:
            self.made.title(words)
        else:
            self.made.section(level, words)
        self.writer.put(group[0].start, group[-1].end, "heading", words)

    def _paragraph(self, group: list[Line]) -> None:
        """A paragraph, or the items of a list with the words before it."""
        pieces: list[tuple[str, list[Line]]] = []
        for line in group:
            quoted = ">" if _QUOTED.match(line.text) else ""
            last = pieces[-1][0] if pieces else None
            label = "" if quoted else self._label(line, last)
            if label[:1].isdigit() and last is not None and not _goes_on(label, line, pieces):
                label = ""  # "as said in section", "7. This": a number that the end of the line parted from its word
            if label or last is None or (quoted == ">") != (last == ">"):
                pieces.append((label or quoted, [line]))
            else:
                pieces[-1][1].append(line)
        for label, lines in pieces:
            _piece(self.made, self.writer, label, lines)

    def _label(self, line: Line, last: str | None) -> str:
        """The number or mark of the item that a line begins; "2.1" only at the top of a paragraph or below another such."""
        if found := _ITEM.match(line.text) or (_SECTION.match(line.text) if last is None else None):
            return found["label"]
        words = line.text.lstrip()
        if words[:1].isdigit() and (last is None or last[:1].isdigit()):
            return self.numbered.label(words, self.above)
        return ""


def _indent(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip())


def _goes_on(label: str, line: Line, pieces: Sequence[tuple[str, list[Line]]]) -> bool:
    """Whether a number inside a paragraph begins an item: it counts on, begins, or the line above ends a sentence."""
    number = label.strip("().")
    if "." in number:
        return True  # what it goes on with has been looked at
    before = str(int(number) - 1)
    counts_on = any(mark.strip("().") == before and _indent(lines[0]) == _indent(line) for mark, lines in pieces)
    return number == "1" or counts_on or pieces[-1][1][-1].text.rstrip()[-1:] in ".;:,!?"


def _parted(groups: Iterator[_Group]) -> Iterator[_Group]:
    """Groups, those that open a division and go on with its name or text taken apart."""
    for group in groups:
        if isinstance(group, list) and len(group) > 1 and is_division(group[0].text):
            yield group[:1]
            yield group[1:]
        else:
            yield group


def _piece(made: Composer, writer: TextWriter, label: str, lines: list[Line]) -> None:
    words = [" ".join(line.text.split()) for line in lines]
    if label == ">":
        words = [re.sub(r"^(> ?)+", "", line) for line in words]
    shown, start, end = " ".join(words), lines[0].start, lines[-1].end
    item, numbered = label not in ("", ">"), False
    if item:
        writer.blank(start + len(lines[0].text) - len(lines[0].text.lstrip()))
        bare = label.strip("().:").casefold().replace(" ", "-") if " " in label else label.strip("().")
        if numbered := (label[0].isdigit() and "." in label[:-1]) or " " in label:
            made.paragraph(label, bare)
        else:
            made.enter("item", fragment="item" if label in _BULLETS else bare, label=label)
        shown = shown[len(label) :].lstrip() if label in _BULLETS else shown
    writer.put(start, end, "note" if label == ">" else "body", shown)
    if item and not numbered:
        made.leave()
