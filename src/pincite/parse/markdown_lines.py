"""The lines of a Markdown file and the text in them: each character is handed over once, in order, with its links and marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pincite.parse.compose import Composer
from pincite.parse.markdown_marks import shown_of
from pincite.parse.textfile import TextWriter

_LINE_END = re.compile(r"\r\n?|\n")
_MARKUP = re.compile(r"[*_`\[\]<&\\~]")
_BETWEEN_LINES = re.compile(r" *\n *")
_INDENT = re.compile(r"[ \t]*")
_ONLY_MARKS = re.compile(r"[\s>]*\Z")
_DEFINITION = re.compile(r"[\s>]*\[[^\]]+\]:")
_ANCHOR = re.compile(r"<\w+\b[^>]*?\b(?:id|name)\s*=\s*[\"']?([^\s\"'>]+)", re.IGNORECASE)


class Found(NamedTuple):
    """A footnote mark or a link, in characters of the file."""

    kind: str
    target: str
    start: int
    end: int


class Lines:
    """Hands the lines of one file to the writer; what they are, the reader says (``markdown.py``)."""

    def __init__(self, made: Composer, writer: TextWriter) -> None:
        self.made, self.writer = made, writer
        self.roles = ["body"]
        self.line = 0  # the first that has not been handed over
        self.starts: list[int] = []
        self.number = ""  # of a list item whose text comes next
        self.pending: list[str] = []  # anchors that wait for the text that follows
        self.marks: list[tuple[str, int, int]] = []  # label and byte range of each mark of a note
        self.env: dict[str, Any] = {}
        self.parser: MarkdownIt

    def divide(self, text: str, offset: int) -> None:
        """Where each line of *text* begins that lies behind character *offset*."""
        self.text, body = text, text[offset:]
        ends = [found.end() for found in _LINE_END.finditer(body)] if "\r" in body else _line_ends(body)
        self.starts = [offset, *(offset + end for end in ends)]
        if self.starts[-1] < len(text):
            self.starts.append(len(text))

    def inline(self, token: Token, first: int, last: int, after: int = 0) -> tuple[str, list[Found]]:
        """What is shown of a text, and the marks and links in it; they are looked for from character *after* on."""
        content = token.content
        if not _MARKUP.search(content):
            return (_BETWEEN_LINES.sub(" ", content) if "\n" in content else content), []
        children: list[Token] = []
        self.parser.inline.parse(content, self.parser, self.env, children)
        for child in children:
            if child.type == "html_inline":
                self.pending += _ANCHOR.findall(child.content)
        wanted = [child for child in children if "at" in child.meta]
        found = self._places(content, wanted, max(self.starts[first], after), self.starts[last]) if wanted else []
        return shown_of(children), found

    def _places(self, content: str, wanted: list[Token], start: int, end: int) -> list[Found]:
        """Where in the file the *wanted* marks and links of a text stand that lies between *start* and *end*.

        The text was made by taking indentation and quotation marks off the lines, so each of its lines is found in one.
        """
        places, at = list[tuple[int, int]](), start  # (character of the content, of the file) at each line of the content
        offset = 0
        for line in content.split("\n"):
            here = self.text.find(line, at, end)
            if here < 0:
                return [Found(child.type, _target(child), start, end) for child in wanted]
            places.append((offset, here))
            offset, at = offset + len(line) + 1, here + len(line)

        def in_file(character: int) -> int:
            of_content, of_file = max(place for place in places if place[0] <= character)
            return of_file + character - of_content

        return [Found(child.type, _target(child), in_file(child.meta["at"]), in_file(child.meta["to"])) for child in wanted]

    # --- lines ------------------------------------------------------------------------------------------------------

    def put(self, first: int, last: int, role: str, shown: str | None = None, found: Sequence[Found] = ()) -> tuple[int, int]:
        """Lines *first* to *last* (excluded) as one block; its byte range."""
        self.before(first)
        if self.pending:
            self._anchor_pending()
        start, end = self.starts[max(first, self.line)], self.starts[min(last, len(self.starts) - 1)]
        self.line = max(self.line, last)
        base, base_character = self.made.at, self.writer.at
        if shown is not None:
            shown, self.number = self.number + shown, ""
        span = self.writer.put(start, end, role, shown)
        for kind, target, begin, finish in found:
            here = base + _bytes(self.text, base_character, begin)
            there = here + _bytes(self.text, begin, finish)
            if kind == "footnote_ref":
                self.marks.append((target, here, there))
            else:
                self.made.hyperlink(target, here, there)
        return span

    def _anchor_pending(self) -> None:
        for name in self.pending:
            self.made.anchor(name)
        self.pending.clear()

    def gap(self, line: int) -> None:
        """The lines before *line* that no token covers: blank ones, definitions of links, items without text."""
        while self.line < min(line, len(self.starts) - 1):
            start, end = self.starts[self.line], self.starts[self.line + 1]
            words = self.text[start:end]
            self.line += 1
            if _ONLY_MARKS.match(words):
                continue  # joins the next blank
            self.writer.put(start, end, "metadata" if _DEFINITION.match(words) else self.roles[-1])

    def before(self, line: int) -> None:
        """Everything before *line* is handed over, so that a place that is opened now begins with its own text."""
        self.gap(line)
        start = self.starts[min(max(line, self.line), len(self.starts) - 1)]
        indent = _INDENT.match(self.text, start)
        self.writer.blank(indent.end() if indent else start)

    def blank(self, first: int, last: int) -> None:
        """Lines *first* to *last* (excluded) have nothing to read."""
        self.gap(first)
        self.line = max(self.line, last)

    def without_blank(self, line: int) -> int:
        """The line after the last one before *line* that has words."""
        while line > self.line and _ONLY_MARKS.match(self.text[self.starts[line - 1] : self.starts[line]]):
            line -= 1
        return line


def _line_ends(text: str) -> list[int]:
    """Where each line that ends with a line feed ends."""
    return list(accumulate(len(line) + 1 for line in text.split("\n")))[:-1]


def _bytes(text: str, start: int, end: int) -> int:
    return len(text[start:end].encode())


def _target(token: Token) -> str:
    return str(token.meta["label"] if token.type == "footnote_ref" else token.attrs.get("href", ""))
