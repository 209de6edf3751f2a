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
from pincite.parse.numbers import split_number
from pincite.parse.textfile import TextWriter, decode
from pincite.parse.texttable import Drawn, table_in

PARSER, VERSION = "text", "1"
HEADING_LIMIT = 90
"""Characters above which a line is no heading."""
PARAGRAPH_LIMIT = 3000
"""Characters above which a paragraph of lines is taken to be a paragraph a line."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_UNDERLINE = re.compile(r"\s*(={3,}|-{3,}|~{3,}|\*{3,})\s*\Z")
_BULLETS = "-*•–·◦▪‣⁃●○■□►✓✔☐☑☒o"
_ITEM = re.compile(
    r"[ \t]*(?P<label>[-*•–·◦▪‣⁃●○■□►✓✔☐☑☒]|o(?=[ \t]{2})|\d{1,3}[.)]|[A-Za-z][.)]"
    r"|\((?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})\)|[ivx]{1,5}[.)])[ \t]+(?=\S)"
)
_QUOTED = re.compile(r"[ \t]*>")
_ENDS_SENTENCE = re.compile(r"[.,;?!。．，、；？！…؟۔،؛।॥။።]\s*\Z")


class Line(NamedTuple):
    """A line of the file, in characters, line end included."""

    text: str
    start: int
    end: int


def read_text(source: Source, data: bytes) -> Document:
    """The document of a text file. Raises ``Malformed`` for what is empty or no text."""
    read = decode(source, data)
    made = Composer(source, PARSER, VERSION)
    lay_out(made, TextWriter(made, read))
    return made.document()


def lay_out(made: Composer, writer: TextWriter) -> None:
    """Hand all of the writer's text to the composer, below the place that is open."""
    base = made.depth
    groups = list(_paragraphs(writer.text))
    numbered = [_number_of(group) if isinstance(group, list) else None for group in groups]
    for position, group in enumerate(groups):
        if isinstance(group, _Table):
            _table(made, writer, group)
            continue
        following = numbered[position + 1] if position + 1 < len(groups) else None
        before = numbered[position - 1] if position else None
        level = _heading_level(group, numbered[position], before, following)
        if level:
            _heading(made, writer, group, level, first=position == 0)
        else:
            _paragraph(made, writer, group, base)
    made.leave(base)
    writer.blank(len(writer.text))


# --- lines --------------------------------------------------------------------------------------------------------------


class _Table(NamedTuple):
    """Lines that are a table, and its rows."""

    lines: list[Line]
    drawn: Drawn


def _paragraphs(text: str) -> Iterator[list[Line] | _Table]:
    """Lines between blank lines, tables apart; a heading's underline ends one."""
    for lines in _runs(text):
        while drawn := table_in([line.text for line in lines]):
            first, last = drawn.rows[0].first, drawn.rows[-1].last
            yield from _underlined(lines[:first])
            yield _Table(lines, drawn)
            lines = lines[last:]
        yield from _underlined(lines)


def _runs(text: str) -> Iterator[list[Line]]:
    """Lines that no blank line divides."""
    run: list[Line] = []
    for found in _LINE.finditer(text):
        if found.group().strip():
            run.append(Line(found.group(), found.start(), found.end()))
        elif run:
            yield run
            run = []


def _underlined(lines: list[Line]) -> Iterator[list[Line]]:
    group: list[Line] = []
    for line in lines:
        group.append(line)
        if len(group) == 2 and _is_underline(group):
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
    return bool(_UNDERLINE.match(line)) and len(words) <= HEADING_LIMIT and len(line) >= 0.5 * len(words) and words != line


class _Number(NamedTuple):
    """The number a single line begins with."""

    label: str
    depth: int  # 1 for "3", 2 for "3.2"


def _number_of(group: list[Line]) -> _Number | None:
    if len(group) != 1:
        return None
    words = group[0].text.strip()
    label, rest = split_number(words)
    if not label or len(words) > HEADING_LIMIT or _ENDS_SENTENCE.search(rest) or not rest[:1].isupper():
        return None
    return _Number(label, label.count(".") + 1)


def _heading_level(group: list[Line], number: _Number | None, before: _Number | None, following: _Number | None) -> int:
    """The level of the heading a group is; 0 where it is none."""
    words = group[0].text.strip()
    if len(group) == 2 and _is_underline(group):
        return 1 if group[1].text.strip()[0] in "=*" else 2
    if len(group) != 1 or len(words) > HEADING_LIMIT:
        return 0
    if number:
        alone = all(other is None or other.depth != number.depth for other in (before, following))
        return number.depth + 1 if alone or number.depth > 1 else 0  # single numbers one after the other are a list
    cased = [letter for letter in words if letter.lower() != letter.upper()]  # most scripts have no capitals
    capitals = len(cased) > 3 and words == words.upper() and not _ITEM.match(group[0].text)
    return 1 if capitals and not _ENDS_SENTENCE.search(words) else 0


# --- blocks -------------------------------------------------------------------------------------------------------------


def _heading(made: Composer, writer: TextWriter, group: list[Line], level: int, first: bool) -> None:
    words = " ".join(group[0].text.split())
    writer.blank(group[0].start)
    if first and level == 1 and not split_number(words)[0]:
        made.title(words)
    else:
        made.section(level, words)
    writer.put(group[0].start, group[-1].end, "heading", words)


def _table(made: Composer, writer: TextWriter, table: _Table) -> None:
    """A node with a block a row, the body linked to the row that names the columns."""
    lines, drawn = table
    writer.blank(lines[drawn.rows[0].first].start)
    made.enter("table", fragment="table")
    placed = [writer.put(lines[row.first].start, lines[row.last - 1].end, "table", " | ".join(row.cells)) for row in drawn.rows]
    if drawn.headed and len(placed) > 1:
        made.link("table_header", (len(made.texts), placed[1][0], placed[-1][1]), (len(made.texts), *placed[0]))
    made.leave()


def _paragraph(made: Composer, writer: TextWriter, group: list[Line], base: int) -> None:
    """A paragraph, or the items of a list with the words before it."""
    pieces: list[tuple[str, list[Line]]] = []
    for line in group:
        label = "" if _QUOTED.match(line.text) else _item_label(line)
        quoted = ">" if _QUOTED.match(line.text) else ""
        last = pieces[-1][0] if pieces else None
        if label or last is None or (quoted == ">") != (last == ">"):
            pieces.append((label or quoted, [line]))
        else:
            pieces[-1][1].append(line)
    for label, lines in pieces:
        _piece(made, writer, label, lines)


def _item_label(line: Line) -> str:
    found = _ITEM.match(line.text)
    return found["label"] if found else ""


def _piece(made: Composer, writer: TextWriter, label: str, lines: list[Line]) -> None:
    words = [" ".join(line.text.split()) for line in lines]
    if label == ">":
        words = [re.sub(r"^(> ?)+", "", line) for line in words]
    shown, start, end = " ".join(words), lines[0].start, lines[-1].end
    item = label not in ("", ">")
    if item:
        writer.blank(start + len(lines[0].text) - len(lines[0].text.lstrip()))
        bare = label.strip("().")
        made.enter("item", fragment="item" if label in _BULLETS else bare, label=label)
        shown = shown[len(label) :].lstrip() if label in _BULLETS else shown
    writer.put(start, end, "note" if label == ">" else "body", shown)
    if item:
        made.leave()
