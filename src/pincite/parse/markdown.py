"""Markdown (CommonMark, tables, footnotes, front matter) → ``Document``. The canonical text is the file's own text.

Headings outside lists and quotations open nested ``heading`` nodes; a single first-level heading at the top is the title of
the document and opens none. Every list item is an ``item`` node (``label`` "3." as it is counted, or "-"), every table a
``table`` node with a block per row whose display text has the cells joined with " | ", every footnote a ``footnote`` node
linked to its marks. Display text has the markup taken off. Front matter, HTML comments, scripts and link definitions are
``metadata``. Links are in ``Document.hyperlinks`` with the range of the whole link; ``{#name}`` after a heading and ``<a id>``
are anchors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import unescape

from markdown_it.token import Token

from pincite.model import Document, Source
from pincite.parse.compose import Composer, slug
from pincite.parse.markdown_lines import Found, Lines
from pincite.parse.markdown_marks import (
    ALERT,
    BOX,
    DIRECTIVE,
    FENCE,
    FENCED_BOX,
    HTML_HEADING,
    INERT,
    MODULE,
    are_bold,
    bold_words,
    cells_beyond,
    in_one_line,
    is_same,
    title_in,
)
from pincite.parse.markdown_parser import parser
from pincite.parse.numbers import NumberedParagraphs, split_number
from pincite.parse.textfile import TextWriter, decode
from pincite.parse.texttable import table_in

PARSER, VERSION = "markdown", "1"

_FRONT = re.compile(
    r"""(?P<mark>---|\+\+\+)[ \t]*(?:\r\n?|\n)\s*      # a line of three dashes (YAML) or pluses (TOML),
        (?=[\w"'-][^\r\n]*[:=]|\#|(?P=mark))           # then a key, a comment or the end,
        (?:.*?(?:\r\n?|\n))??(?:(?P=mark)|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)""",
    re.DOTALL | re.VERBOSE,
)
_ANCHOR = re.compile(r"<\w+\b[^>]*?\b(?:id|name)\s*=\s*[\"']?([^\s\"'>]+)", re.IGNORECASE)
_HTML_LINK = re.compile(r"<a\b[^>]*?\bhref\s*=\s*[\"']?([^\s\"'>]+)[^>]*>.*?</a\s*>", re.DOTALL | re.IGNORECASE)
_ROW_END = re.compile(r"</tr\s*>", re.IGNORECASE)
_CELL_END = re.compile(r"</t[dh]\s*>", re.IGNORECASE)
_HEADING_ID = re.compile(r"\s*\{#([\w.:-]+)[^}]*\}\s*$")
_TABLE_CELLS = " | "
_BOX_END = re.compile(r"^\s*:{3,}\s*$", re.MULTILINE)
_RULE = re.compile(r"\s*[-+|=]*-{3,}[-+|= ]*\s*$")
_APART = re.compile(r"\S {3,}\S")
_DESCRIPTION = re.compile(r"\n[ >]{0,9}:[ \t]")
_ATTRIBUTES = re.compile(r"\s*\{[.#][^}]*\}")
_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(?P<mark>[\"']?)(?P<words>[^\r\n]+?)(?P=mark)[ \t]*\r?$", re.MULTILINE)


def read_markdown(source: Source, data: bytes) -> Document:
    """The document of a Markdown file. Raises ``Malformed`` for what is empty or no text."""
    read = decode(source, data)
    made = Composer(source, PARSER, VERSION)
    _Reader(made, TextWriter(made, read)).read(read.text)
    return made.document()


class _Reader(Lines):
    """Walks the tokens of one file and hands its lines, in order, to the writer."""

    def __init__(self, made: Composer, writer: TextWriter) -> None:
        super().__init__(made, writer)
        self.notes: dict[str, tuple[int, int]] = {}  # label -> byte range of a footnote
        self.open_notes: list[tuple[str, int]] = []
        self.titled = False  # the one first-level heading is the document's title
        self.terms: list[int] = []  # how deep each open definition list is
        self.box = False  # whether a box of colons is open
        self.bold_headings = False  # whether bold paragraphs are all the headings there are
        self.numbered, self.above = NumberedParagraphs(), ""  # and the number of the heading above
        self.counted: dict[int, int] = {}  # level -> number of the last item of the list that is open there

    def read(self, text: str) -> None:
        """All of *text*."""
        front = _FRONT.match(text)
        body = text[front.end() :] if front else text
        self.divide(text, len(text) - len(body))
        if front:
            self.writer.put(0, front.end(), "metadata")
        self.parser = parser(bool(_DESCRIPTION.search(body)))
        tokens = self.parser.parse(body, self.env)
        given = _TITLE.search(front.group()) if front else None
        self._name(tokens, given["words"].strip() if given else "")
        self.bold_headings = are_bold(tokens)
        self._walk(tokens)
        self.gap(len(self.starts) - 1)
        self.writer.blank(len(text))
        for label, start, end in self.marks:
            if label in self.notes:
                self.made.link("footnote", (1, start, end), (1, *self.notes[label]))

    def _name(self, tokens: Sequence[Token], given: str) -> None:
        """The title: the one first-level heading, unless the front matter gives another, below which it is a heading."""
        given = "" if given.startswith(("[", "{", "|", ">")) else given
        heading = title_in(tokens)
        self.titled = bool(heading) and is_same(heading, given)
        if given and not self.titled:
            self.made.title(given)

    # --- places -----------------------------------------------------------------------------------------------------

    def _walk(self, tokens: Sequence[Token]) -> None:
        steps: dict[str, Callable[[Sequence[Token], int], None]] = {
            "heading_open": self._heading,
            "paragraph_open": self._paragraph,
            "fence": self._code,
            "code_block": self._code,
            "html_block": self._html,
            "hr": self._rule,
            "tr_open": self._row,
            "ordered_list_open": self._ordered,
            "admonition_title_open": self._admonition_title,
            "dt_open": self._term,
        }
        around: dict[str, Callable[[Token], None]] = {
            "list_item_open": self._item,
            "footnote_reference_open": self._footnote,
            "blockquote_open": self._quote,
            "admonition_open": self._admonition,
            "table_open": self._table,
            "dl_open": self._terms,
        }
        closers = list[tuple[str, Callable[[], None], int]]()
        for index, token in enumerate(tokens):
            kind = token.type
            if kind in steps:
                steps[kind](tokens, index)
            elif kind in around:
                first, last = token.map or (self.line, self.line)
                self.before(first)
                around[kind](token)
                closers.append((kind[:-4] + "close", self._closer(kind), last))
            elif closers and kind == closers[-1][0]:
                _, close, last = closers.pop()
                self.gap(self.without_blank(last))
                close()

    def _closer(self, kind: str) -> Callable[[], None]:
        if kind in ("blockquote_open", "admonition_open"):
            return self._end_role
        if kind in ("table_open", "dl_open"):
            return self._end_table if kind == "table_open" else self._end_terms
        return self._end_footnote if kind == "footnote_reference_open" else self.made.leave

    def _ordered(self, tokens: Sequence[Token], index: int) -> None:
        self.counted.pop(tokens[index].level + 1, None)

    def _item(self, token: Token) -> None:
        """An item with its number as it is printed: authors number every item "1." and leave the counting to the program."""
        number = token.info
        if number.isdecimal():
            last = self.counted.get(token.level)
            self.counted[token.level] = int(number) if last is None or int(number) > last else last + 1
            number = str(self.counted[token.level]) if last is not None else number
        label = f"{number}{token.markup}" if number else token.markup
        self.made.enter("item", fragment=number or "item", label=label)
        self.number = f"{label} " if number else ""

    def _terms(self, token: Token) -> None:
        self.terms.append(self.made.depth)

    def _end_terms(self) -> None:
        self.made.leave(self.terms.pop())

    def _term(self, tokens: Sequence[Token], index: int) -> None:
        """A term of a definition list opens an item, which ends with its last description."""
        line = (tokens[index].map or [self.line])[0]
        shown, found = self.inline(tokens[index + 1], line, line + 1)
        self.before(line)
        self.made.leave(self.terms[-1])
        self.made.enter("item", fragment=slug(shown), heading=shown[:120])
        self.put(line, line + 1, self.roles[-1], shown, found)

    def _quote(self, token: Token) -> None:
        first = self.text[self.starts[token.map[0]] : self.starts[token.map[0] + 1]] if token.map else ""
        self.roles.append("note" if re.match(r"[\s>]*\[!\w+\]", first) else self.roles[-1])

    def _admonition(self, token: Token) -> None:
        self.roles.append("note")

    def _admonition_title(self, tokens: Sequence[Token], index: int) -> None:
        """The line that opens a box, `!!! warning "Mind the gap"`: its kind and its title."""
        first, last = tokens[index].map or (self.line, self.line)
        kind = str(tokens[index - 1].meta.get("tag", ""))
        title, found = self.inline(tokens[index + 1], first, last)
        self.put(first, last, "note", title if title.casefold() == kind else f"{kind}: {title}", found)

    def _end_role(self) -> None:
        self.roles.pop()

    def _footnote(self, token: Token) -> None:
        label = str(token.meta.get("label", ""))
        self.made.enter("footnote", fragment=f"footnote-{slug(label)}", label=label)
        self.roles.append("footnote")
        self.open_notes.append((label, self.made.at))

    def _end_footnote(self) -> None:
        label, start = self.open_notes.pop()
        self.notes.setdefault(label, (start, self.made.at))
        self.roles.pop()
        self.made.leave()

    def _table(self, token: Token) -> None:
        self.made.enter("table", fragment="table")
        self.header: tuple[int, int] | None = None
        self.rows: list[tuple[int, int]] = []

    def _end_table(self) -> None:
        if self.header and self.rows:
            self.made.link("table_header", (1, self.rows[0][0], self.rows[-1][1]), (1, *self.header))
        self.made.leave()

    def _heading(self, tokens: Sequence[Token], index: int) -> None:
        token, inline = tokens[index], tokens[index + 1]
        first, last = token.map or (self.line, self.line)
        self.before(first)
        shown, found = self.inline(inline, first, last)
        if token.markup in ("-", "=") and _APART.search(inline.content):  # the last row of a drawn table
            self.put(first, last, self.roles[-1], shown, found)
            return
        named = _HEADING_ID.search(shown)
        shown = shown[: named.start()] if named else shown
        level = int(token.tag[1:])
        self._place(token, level, shown, named[1] if named else "")
        if named:
            self.made.anchor(named[1])
        self.put(first, last, "heading", shown, found)

    def _place(self, token: Token, level: int, words: str, name: str) -> None:
        """The place a heading opens: none inside lists and quotations, none for the title."""
        if token.level:
            return
        self._end_box()
        self.above = split_number(words)[0]
        if self.titled and level == 1:
            self.made.title(words)
        else:
            self.made.section(level, words, name)

    # --- text -------------------------------------------------------------------------------------------------------

    def _paragraph(self, tokens: Sequence[Token], index: int) -> None:
        token, content = tokens[index], tokens[index + 1].content
        first, last = token.map or (self.line, self.line)
        if content.startswith(("import", "export")) and MODULE.match(content):
            self.put(first, last, "metadata")
            return
        if last <= self.line:
            return  # it was part of a table
        below = _below_rule(tokens, index, last) if not token.level else 0
        if ("---" in content or below) and not token.level and self._drawn(first, below or last):
            return
        shown, found = self.inline(tokens[index + 1], first, last)
        if "<a " in content:
            found = sorted([*found, *self._html_links(first, last)], key=lambda link: link.start)
        bare = self._unmarked(shown, content, token.level)
        if not shown and not found:  # an anchor alone is one of what follows
            self.blank(first, last)
        elif not bare and not found:  # the line that closes a box, a directive
            self.put(first, last, "metadata")
        elif not token.level and self.bold_headings and (words := bold_words(content)):
            self.before(first)
            self.made.section(2 + split_number(words)[0].count("."), words)
            self.put(first, last, "heading", bare, found)
        else:
            self._numbered(token, bare, found)
        if self.box and _BOX_END.search(content):
            self._end_box()

    def _drawn(self, first: int, last: int) -> bool:
        """A table that is drawn with dashes or boxes, as pandoc writes them; whether the lines are one."""
        lines = [self.text[self.starts[line] : self.starts[line + 1]] for line in range(first, last)]
        drawn = table_in(lines) if any(map(_RULE.match, lines)) else None
        if drawn is None or drawn.rows[0].first:
            return False
        self.before(first)
        self.made.enter("table", fragment="table")
        spans = [self.put(first + row.first, first + row.last, "table", " | ".join(row.cells)) for row in drawn.rows]
        if drawn.headed and len(spans) > 1:
            self.made.link("table_header", (1, spans[1][0], spans[-1][1]), (1, *spans[0]))
        self.gap(last)
        self.made.leave()
        return True

    def _unmarked(self, shown: str, content: str, level: int) -> str:
        """What is shown of a paragraph without the marks of boxes and directives; the kind and title of a box stay."""
        if "{" in shown:
            shown = " ".join(DIRECTIVE.sub("", shown).split())
        if shown.startswith("[!") and self.roles[-1] == "note" and (alert := ALERT.match(content)):
            kind, title = alert["kind"].casefold(), alert["title"].strip()
            return f"{kind}: {shown.partition(']')[2].lstrip('+- ')}" if not title or title in shown else shown
        if ":::" not in shown:
            return shown
        box = BOX.match(content) if not level else None
        bare = FENCE.sub("", shown)
        if box and not self.box:
            self.box = True
            self.roles.append("note")
        return f"{box['kind'].casefold()}: {_ATTRIBUTES.sub('', bare)}".strip() if box else bare

    def _end_box(self) -> None:
        if self.box:
            self.box = False
            self.roles.pop()

    def _numbered(self, token: Token, shown: str, found: Sequence[Found]) -> None:
        """A paragraph; one that is numbered like its section ("2.1 The officer ...") is an item."""
        first, last = token.map or (self.line, self.line)
        digit = shown[:1].isdigit() and not token.level and self.roles[-1] == "body"
        label = self.numbered.label(shown, self.above) if digit else ""
        if label:
            self.before(first)
            self.made.paragraph(label)
        self.put(first, last, self.roles[-1], shown, found)

    def _code(self, tokens: Sequence[Token], index: int) -> None:
        first, last = tokens[index].map or (self.line, self.line)
        role = "note" if FENCED_BOX.match(tokens[index].info) else self.roles[-1]
        self.put(first, self.without_blank(last), role, tokens[index].content.strip("\n"))

    def _html(self, tokens: Sequence[Token], index: int) -> None:
        token = tokens[index]
        first, last = token.map or (self.line, self.line)
        words = INERT.sub(" ", token.content)
        heading = HTML_HEADING.match(words)
        if not words.strip():
            self.put(first, last, "metadata")
        elif heading and in_one_line(heading[2]):
            self.before(first)
            name = _ANCHOR.search(words)
            self._place(token, int(heading[1]), in_one_line(heading[2]), name[1] if name else "")
            self.put(first, last, "heading", in_one_line(words))
        elif _ROW_END.search(words):
            self._html_table(first, last)
        elif in_one_line(words):
            self.put(first, last, self.roles[-1], in_one_line(words), self._html_links(first, last))
        else:
            self.blank(first, last)
            self.pending += _ANCHOR.findall(words)
            return
        for name in _ANCHOR.finditer(words):
            self.made.anchor(name[1])

    def _html_table(self, first: int, last: int) -> None:
        """A table in HTML: what ends with ``</tr>`` is a row."""
        self.before(first)
        self.made.enter("table", fragment="table")
        at, end = self.writer.at, self.starts[min(last, len(self.starts) - 1)]
        self.line = max(self.line, last)
        for stop in [*[found.end() for found in _ROW_END.finditer(self.text, at, end)], end]:
            cells = [in_one_line(cell) for cell in _CELL_END.split(self.text[at:stop])]
            if any(cells):
                cells = cells if cells[-1] else cells[:-1]  # after the last cell's end
                self.writer.put(at, stop, "table", _TABLE_CELLS.join(cells))
            at = stop
        self.made.leave()

    def _html_links(self, first: int, last: int) -> list[Found]:
        start, end = self.starts[first], self.starts[min(last, len(self.starts) - 1)]
        links = _HTML_LINK.finditer(self.text, start, end)
        return [Found("link_open", unescape(link[1]), link.start(), link.end()) for link in links]

    def _rule(self, tokens: Sequence[Token], index: int) -> None:
        first, last = tokens[index].map or (self.line, self.line)
        if last > self.line:
            self.blank(first, last)

    def _row(self, tokens: Sequence[Token], index: int) -> None:
        first, last = tokens[index].map or (self.line, self.line)
        cells, found, at = list[str](), list[Found](), index + 1
        while tokens[at].type != "tr_close":
            if tokens[at].type == "inline":
                shown, here = self.inline(tokens[at], first, last, found[-1].end if found else 0)
                cells.append(shown)
                found += here
            at += 1
        head = tokens[index - 1].type == "thead_open"
        if head:
            self.columns = len(cells)
        elif whole := cells_beyond(self.text[self.starts[first] : self.starts[first + 1]], self.columns):
            cells = [self.inline(Token("inline", "", 0, content=cell), first, last)[0] for cell in whole]
        span = self.put(first, last + head, "table", _TABLE_CELLS.join(cells), found)  # the line |---|---| goes with it
        if head:
            self.header = span
        else:
            self.rows.append(span)


def _below_rule(tokens: Sequence[Token], index: int, last: int) -> int:
    """The end of the paragraph below a rule right under this one, 0 where there is none: names and cells of a drawn table."""
    rule, below = (*tokens[index + 3 : index + 5], None, None)[:2]
    if rule is None or below is None or rule.type != "hr" or below.type != "paragraph_open" or not rule.map or not below.map:
        return 0
    return below.map[1] if rule.map[0] == last and below.map[0] == rule.map[1] else 0
