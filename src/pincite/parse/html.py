"""HTML and saved web pages → ``Document``. The canonical text is what a browser without scripts would show, a block a line.

- White space is collapsed as in a browser; ``<br>`` is a line break; numbers of ordered lists stand before their items; the
  cells of a table's row are joined with " | ", places that a cell of another row or column reaches into stay empty there, and
  are filled in the display text.
- Scripts, styles, templates, comments and what is hidden are inert: not in the text, counted in a finding.
- ``nav``, the page's ``header`` and ``footer``, buttons and lists of links that are named as menus have role ``navigation``.
- A single ``h1`` is the document's title; the other headings open nested ``heading`` nodes. List items and terms of definition
  lists are ``item`` nodes, tables of data ``table`` nodes (tables that only lay out a page are read as blocks), notes
  ``footnote`` nodes linked to their marks.
- ``Block.origin`` is the element's path (``/html/body/div[2]/p[1]``). Every ``href`` is in ``Document.hyperlinks``, every
  ``id`` and ``a name`` in ``Document.anchors`` with the node whose text comes next.

Nothing is fetched, no script runs, no entity is expanded but HTML's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pincite.errors import Forbidden, NoText
from pincite.model import Document, Source
from pincite.parse.compose import Composer, one_line, slug
from pincite.parse.divisions import BELOW, RANKS, is_division, kind_of
from pincite.parse.encodings import as_browsers_do
from pincite.parse.html_elements import (
    CONSENT,
    CONSENT_LIMIT,
    MENU_NAME,
    NAVIGATION,
    NAVIGATION_ROLES,
    REGIONS,
    SPECIAL,
    alternative,
    are_bold,
    are_divisions,
    bold_words,
    children,
    data_rows,
    flattened,
    heading_level,
    heading_words,
    is_footer,
    is_hidden,
    is_mostly_links,
    list_style,
    name_below,
    next_element,
    opened_by,
    role_of,
    skips,
    whole_number,
    without_masses,
)
from pincite.parse.html_walk import Walker
from pincite.parse.numbers import NumberedParagraphs, item_number, split_number
from pincite.parse.textfile import decode

PARSER, VERSION = "html", "1"
_SPACES = re.compile(r"[ \t\n\r\f]+")
_DECLARED = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]+)", re.I
)
_ENTITIES = re.compile(r"<!DOCTYPE[^>\[]*\[.*?<!ENTITY", re.IGNORECASE | re.DOTALL)


def read_html(source: Source, data: bytes) -> Document:
    """The document of an HTML page. Raises ``Malformed``, ``Forbidden`` for entity declarations, ``NoText`` without text."""
    found = _DECLARED.search(data[:4096])
    named = b"".join(found.groups(b"")).decode().lower() if found else ""
    read = decode(source, data, as_browsers_do(named))
    if _ENTITIES.search(read.text[:65536]):
        raise Forbidden("it declares entities", where=source.path, next="save the page without its DOCTYPE's own declarations")
    made = Composer(source, PARSER, VERSION)
    for kind, subject, reason in read.notes:
        made.find(kind, subject, reason)
    _Reader(made).page(flattened(made, without_masses(made, read.text)))
    if all(block.role in ("metadata", "blank") for block in made.blocks):
        raise NoText("the page has no text of its own", where=source.path, next="save it from a browser after it has loaded")
    return made.document()


_HOLDS_PARAGRAPHS = frozenset({"p", "div", "body", "main", "section", "article"})
_TITLES = 'h1, [role="heading"][aria-level="1"]'


class _List(NamedTuple):
    """An open list."""

    ordered: bool
    style: str  # 1, a, A, i, I
    step: int  # -1 where it counts down


class _Reader(Walker):
    """Walks the elements of one page in the order of the page, without recursion."""

    def __init__(self, made: Composer) -> None:
        super().__init__(made)
        self.lists: list[_List] = []
        self.counters: list[int] = []
        self.titles = 0
        self.sectioning = 0  # how many of article, main, section are open
        self.bold_headings = False  # whether bold paragraphs are all the headings there are
        self.divided = False  # whether paragraphs that say "Article 1" and no more are
        self.names: set[int] = set()  # paragraphs that name the division above them
        self.numbered, self.above = NumberedParagraphs(), ""  # and the number of the heading above
        self.controlled: frozenset[str] = frozenset()  # ids of elements that a control opens

    def page(self, text: str) -> None:
        """All of a page."""
        root = LexborHTMLParser(text).root
        if root is None:
            return
        self._head(root)
        self.titles = sum(1 for node in root.css(_TITLES) if node.text(strip=True))
        if root.css_first("h2, h3, h4, h5, h6, [role=heading]") is None:
            self.bold_headings, self.divided = are_bold(root), are_divisions(root)
        self.controlled = frozenset(opened_by(root))
        self.walk(root)
        self.flush()
        self.made.leave(1)
        for name, start, end in self.marks:
            if name in self.bounds and self.bounds[name][1] > self.bounds[name][0]:
                self.made.link("footnote", (1, start, end), (1, *self.bounds[name]))
        if self.inert:
            kinds = ", ".join(f"{count} {name}" for name, count in sorted(self.inert.items()))
            self.made.find(
                "inert_content", kinds, "scripts, styles, what is hidden and what is struck out are not part of the text", 0
            )

    def _head(self, root: LexborNode) -> None:
        title = root.css_first("head title")
        words = " ".join(title.text().split()) if title else ""
        if words:
            self.made.title(words)
            self._metadata(f"title: {words}", "/html/head/title")
        for node in root.css("head meta[name][content]"):
            name, content = node.attributes.get("name") or "", node.attributes.get("content") or ""
            if name.lower() in ("description", "author", "keywords", "date", "dcterms.title", "dcterms.modified") and content:
                self._metadata(f"{name.lower()}: {' '.join(content.split())}", f"/html/head/meta[@name='{name}']")

    def is_collapsed(self, attributes: dict[str, str | None]) -> bool:
        """A panel of tabs or of an accordion. A menu that opens is neither."""
        return attributes.get("role") == "tabpanel" or attributes.get("id") in self.controlled

    def _metadata(self, words: str, origin: str) -> None:
        self.made.add(words, "metadata", origin=origin)
        self.made.add("\n", "blank")

    def element(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
        if not attributes and tag not in SPECIAL and not (tag == "p" and (self.bold_headings or self.divided)):
            return True
        level = heading_level(tag, attributes)
        closers: list[Callable[[], None]] = []
        if attributes:
            name = attributes.get("id") or (attributes.get("name") if tag == "a" else None)
            if name:
                self.pending.append(name)
                closers.append(self.bound(name))
        if (attributes or tag in REGIONS) and self.roles[-1] != "navigation" and self._is_navigation(node, tag, attributes):
            closers.append(self._navigation(tag))
        elif attributes and (role := role_of(attributes)):
            self.roles.append(role)
            closers.append(self._end_role)
        closer, descend = self._special(node, tag, attributes, level)
        if closer:
            closers.append(closer)
        if closers:
            self.frames[-1].close = _all(closers)
        if not descend:
            self.leave()
        return descend

    def _special(
        self, node: LexborNode, tag: str, attributes: dict[str, str | None], level: int
    ) -> tuple[Callable[[], None] | None, bool]:
        """What an element does by its tag: what to do at its end, and whether its children are to be taken."""
        if tag == "br":
            self.words.add("\n", kept=True)
        elif tag == "img":
            self.words.add(alternative(attributes))
        elif tag == "a":
            return self.anchor_of(attributes), True
        elif level and self.roles[-1] not in ("footnote", "heading"):
            return self._heading(node, level), True
        elif tag == "p" and (self.bold_headings or self.divided) and not self.lists:
            return self._without_headings(node), True
        elif tag in ("ol", "ul", "menu"):
            return self._list(node, tag, attributes), True
        elif tag == "li":
            return self._item(attributes), True
        elif tag in ("dt", "dd"):
            return self._term(node, tag), True
        elif tag in ("pre", "textarea"):
            return self._preformatted(), True
        elif tag in ("article", "main", "section"):
            self.sectioning += 1
            return self._end_main if tag == "main" else self._end_section, True
        elif tag == "summary" and self.roles[-1] == "body" and not node.css("h1, h2, h3, h4, h5, h6"):
            return self._heading(node, 6), True  # the question whose answer the box holds
        elif tag in ("aside", "details", "blockquote"):
            return self.made.enclose(), True
        elif tag == "table" and (rows := data_rows(node, attributes)) is not None:
            self._table(node, rows)
            return None, False
        return None, True

    def place_of(self, text: str) -> None:
        """A paragraph that is numbered like its section is an item, which holds what follows it."""
        if self.roles[-1] != "body" or self.lists or self.frames[-1].tag not in _HOLDS_PARAGRAPHS:
            return
        if text[0].isdigit() and (label := self.numbered.label(text, self.above)):
            self.made.paragraph(label)

    # --- elements ---------------------------------------------------------------------------------------------------

    def _end_role(self) -> None:
        self.roles.pop()

    def _navigation(self, tag: str) -> Callable[[], None]:
        self.flush()
        if tag == "footer":
            self.made.leave(1)  # the page's
        self.roles.append("navigation")

        def close() -> None:
            self.flush()
            self.roles.pop()

        return close

    def _is_navigation(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
        if tag == "button" and attributes.get("aria-controls") in self.controlled:
            return False  # the question above an answer that it opens
        if tag in NAVIGATION or (attributes.get("role") or "").lower() in NAVIGATION_ROLES:
            return True
        if tag in ("header", "footer"):
            return not self.sectioning
        if tag in ("div", "ul", "ol", "p", "td", "table", "aside", "section", "form"):
            if not self.sectioning and is_footer(attributes, node.text()):
                return True
            named = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
            if CONSENT.search(named) and len(node.text()) < CONSENT_LIMIT:
                return True
            return bool(MENU_NAME.search(named)) and is_mostly_links(node)
        return tag == "a" and not self.words.parts and skips(node, attributes)

    def _end_section(self) -> None:
        self.sectioning -= 1

    def _end_main(self) -> None:
        self.sectioning -= 1
        self.made.leave(1)

    def _heading(self, node: LexborNode, level: int) -> Callable[[], None] | None:
        words = heading_words(node)
        if not words:
            return None
        number = split_number(words)[0]
        title = level == 1 and self.titles == 1 and number != "1"  # "1 Purpose" is a part, whatever its level
        if self.roles[-1] == "navigation" and not title:
            return None
        self.roles.append("heading")
        self.above = number
        if title:
            self.made.leave(1)
            self.made.title(words)
        elif not self.lists:  # a heading inside a list item opens no section
            self.made.section(level, words)
        return self._end_heading

    def _without_headings(self, node: LexborNode) -> Callable[[], None] | None:
        """A paragraph of a page that has no headings: one that announces a division, names it, or is bold, serves as one."""
        if self.divided and is_division(words := " ".join(node.text().split())):
            name = name_below(node)
            self.names |= {name.mem_id} if name else set()
            self.made.section(RANKS[kind_of(words)], f"{words} {heading_words(name)}" if name else words)
        elif node.mem_id not in self.names:
            words = bold_words(node) if self.bold_headings else ""
            level = 2 + split_number(words)[0].count(".") + BELOW * self.divided
            return self._heading(node, level) if words else None
        self.above = ""
        self.roles.append("heading")
        return self._end_heading

    def _end_heading(self) -> None:
        self.flush()
        self.roles.pop()

    def _list(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> Callable[[], None]:
        step = -1 if tag == "ol" and "reversed" in attributes else 1
        first = 1 if step > 0 else sum(child.tag == "li" for child in children(node))
        style = list_style(attributes) if tag == "ol" else ""
        self.lists.append(_List(bool(style), style, step))
        self.counters.append(whole_number(attributes.get("start"), first) - step)

        def close() -> None:
            self.lists.pop()
            self.counters.pop()

        return close

    def _item(self, attributes: dict[str, str | None]) -> Callable[[], None] | None:
        if not self.lists or self.roles[-1] == "navigation":
            return None
        ordered, style, step = self.lists[-1]
        number = self.counters[-1] = whole_number(attributes.get("value"), self.counters[-1] + step)
        label = item_number(number, style) + "." if ordered else "•"
        note = self.roles[-1] == "footnote"
        kind = "footnote" if note else "item"
        fragment = f"footnote-{number}" if note else label.rstrip(".") if ordered else "item"
        self.made.enter(kind, fragment=fragment, label=label)
        depth = self.made.depth
        self.prefix = f"{label} " if ordered else ""

        def close() -> None:
            self.prefix = ""
            self.made.leave(depth - 1)

        return close

    def _term(self, node: LexborNode, tag: str) -> Callable[[], None] | None:
        """A term of a definition list opens an item, which ends with its last description."""
        if self.roles[-1] == "navigation":
            return None
        made = self.made
        if tag == "dt":
            words = " ".join(node.text().split())
            made.enter("item", fragment=slug(words), heading=words[:120])
            depth = made.depth
            following = next_element(node)
            if following is None or following.tag != "dd":
                return lambda: made.leave(depth - 1)
            return None
        depth, following = made.depth, next_element(node)
        if made.kind != "item" or (following is not None and following.tag == "dd"):
            return None
        return lambda: made.leave(depth - 1)

    def _preformatted(self) -> Callable[[], None]:
        self.pre += 1

        def close() -> None:
            self.flush()
            self.pre -= 1

        return close

    # --- tables -----------------------------------------------------------------------------------------------------

    def _table(self, table: LexborNode, rows: list[tuple[LexborNode, str]]) -> None:
        """A table of data: a node, a block per row."""
        made = self.made
        caption = next((node for node in children(table) if node.tag == "caption"), None)
        words = " ".join(caption.text().split()) if caption else ""
        made.enter("table", fragment=slug(words) if words else "table", heading=words)
        depth, path = made.depth, self.path()
        if caption is not None:
            self.inline(caption)
            self.origin = f"{path}/caption"
            self.flush("heading")
        header: tuple[int, int] | None = None
        body: tuple[int, int] | None = None
        spans: dict[int, tuple[int, str]] = {}  # column -> rows a cell still reaches down, and its text
        for row, step in rows:
            heading, shown = self._row(row, spans)
            self.origin = f"{path}/{step}"
            role = "" if self.roles[-1] == "navigation" else "table"
            span = self.flush(role, shown)
            if span is None:
                continue
            if (heading or step.startswith("thead")) and body is None:
                header = (header[0] if header else span[0], span[1])
            else:
                body = (body[0] if body else span[0], span[1])
        if header and body:
            made.link("table_header", (1, *body), (1, *header))
        made.leave(depth - 1)

    def _row(self, row: LexborNode, spans: dict[int, tuple[int, str]]) -> tuple[bool, str]:
        """The cells of a row into the current words; whether all are headers, and the row as shown."""
        shown: list[str] = []
        column = headers = count = 0
        for cell in children(row):
            tag = cell.tag
            if tag not in ("td", "th") or is_hidden(attributes := cell.attributes):
                continue
            if spans:
                column = self._reached(spans, column, shown)
            if shown:
                self.words.add(" | ", kept=True)
            before, only = len(self.words.parts), cell.child
            if only is not None and only.next is None and only.tag == "-text":
                self.words.add(only.text_content or "")
            else:
                self.inline(cell)
            text = "".join(self.words.parts[before:]).strip()
            across, down = (whole_number(attributes.get(name), 1) for name in ("colspan", "rowspan")) if attributes else (1, 1)
            for _ in range(min(max(across, 1), 100)):
                shown.append(text)
                if down > 1:
                    spans[column] = (down - 1, text)
                column += 1
            headers += tag == "th"
            count += 1
        if spans:
            self._reached(spans, column, shown, to_end=True)
        return count > 0 and headers == count, " | ".join(map(one_line, shown))

    def _reached(self, spans: dict[int, tuple[int, str]], column: int, shown: list[str], to_end: bool = False) -> int:
        """Pass the columns that cells of rows above reach into."""
        while column in spans or (to_end and any(other > column for other in spans)):
            left, text = spans.pop(column, (1, ""))
            if shown:
                self.words.add(" | ", kept=True)
            shown.append(text)
            if left > 1:
                spans[-column - 1] = (left - 1, text)
            column += 1
        if to_end:
            for moved in [other for other in spans if other < 0]:
                spans[-moved - 1] = spans.pop(moved)
        return column


def _all(closers: list[Callable[[], None]]) -> Callable[[], None]:
    if len(closers) == 1:
        return closers[0]

    def close() -> None:
        for closer in reversed(closers):
            closer()

    return close
