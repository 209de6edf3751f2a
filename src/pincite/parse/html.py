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
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pincite.errors import Forbidden, NoText
from pincite.model import Document, Source
from pincite.parse.compose import Composer, one_line, slug
from pincite.parse.formats import parameters
from pincite.parse.html_elements import (
    CONSENT,
    CONSENT_LIMIT,
    HEADINGS,
    INERT,
    INLINE,
    MENU_NAME,
    NAVIGATION,
    NAVIGATION_ROLES,
    REGIONS,
    SKIPPED,
    SPECIAL,
    alternative,
    children,
    data_rows,
    flattened,
    heading_words,
    is_hidden,
    is_mostly_links,
    is_notes,
    is_permalink,
    next_element,
    whole_number,
    without_masses,
)
from pincite.parse.numbers import exponent, item_number
from pincite.parse.textfile import decode

PARSER, VERSION = "html", "1"
_SPACES = re.compile(r"[ \t\n\r\f]+")
_DECLARED = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]+)", re.I
)
_ENTITIES = re.compile(r"<!DOCTYPE[^>\[]*\[.*?<!ENTITY", re.IGNORECASE | re.DOTALL)
_AS_BROWSERS_DO = {
    **dict.fromkeys(("iso-8859-1", "iso8859-1", "latin1", "latin-1", "ascii", "us-ascii", "windows-1252"), "cp1252"),
    **dict.fromkeys(("gb2312", "gbk", "x-gbk"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "x-sjis", "sjis"), "cp932"),
    **dict.fromkeys(("ks_c_5601-1987", "euc-kr"), "cp949"),
    **dict.fromkeys(("utf-16", "utf-16le", "utf-16be"), "utf-8"),  # whoever could read the declaration did not read UTF-16
}


def read_html(source: Source, data: bytes) -> Document:
    """The document of an HTML page. Raises ``Malformed``, ``Forbidden`` for entity declarations, ``NoText`` without text."""
    found = _DECLARED.search(data[:4096])
    named = b"".join(found.groups(b"")).decode().lower() if found else ""
    declared = parameters(source.media_type).get("charset", "") or named
    read = decode(source, data, _AS_BROWSERS_DO.get(declared.lower(), declared))
    if _ENTITIES.search(read.text[:65536]):
        raise Forbidden("it declares entities", where=source.path, next="save the page without its DOCTYPE's own declarations")
    made = Composer(source, PARSER, VERSION)
    for kind, subject, reason in read.notes:
        made.find(kind, subject, reason)
    _Reader(made).page(flattened(made, without_masses(made, read.text)))
    if made.at == 0:
        raise NoText("the page has no text of its own", where=source.path, next="save it from a browser after it has loaded")
    return made.document()


class _Words:
    """The words of one block, white space collapsed as a browser does it; sizes in UTF-8 bytes."""

    __slots__ = ("links", "loose", "parts", "size")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.parts: list[str] = []
        self.size, self.loose = 0, True
        self.links: list[tuple[str, int, int, bool]] = []  # href, its bytes, whether it is a mark

    def add(self, text: str, kept: bool = False) -> None:
        """Append *text*; with *kept*, its white space as it is."""
        if not kept:
            if "  " in text or not text.isprintable():
                text = _SPACES.sub(" ", text)
            if self.loose and text[:1] == " ":
                text = text[1:]
        if text:
            self.parts.append(text)
            self.size += len(text) if text.isascii() else len(text.encode())
            self.loose = text[-1] in " \n"


class _Frame:
    """An open element."""

    __slots__ = ("close", "counts", "inline", "number", "path", "tag")

    def __init__(self, tag: str, number: int, inline: bool) -> None:
        self.tag, self.number, self.inline = tag, number, inline
        self.close: Callable[[], None] | None = None
        self.counts: dict[str, int] = {}  # children so far, by tag
        self.path = ""  # once somebody asked for it

    def step(self) -> str:
        """The element in a path."""
        return self.tag if self.tag in ("html", "body") else f"{self.tag}[{self.number}]"


class _List(NamedTuple):
    """An open list."""

    ordered: bool
    style: str  # 1, a, A, i, I
    step: int  # -1 where it counts down


class _Reader:
    """Walks the elements of one page in the order of the page, without recursion."""

    def __init__(self, made: Composer) -> None:
        self.made, self.words = made, _Words()
        self.frames: list[_Frame] = []
        self.roles = ["body"]
        self.lists: list[_List] = []
        self.counters: list[int] = []
        self.pending: list[str] = []  # names that wait for the text that follows
        self.inert: Counter[str] = Counter()
        self.origin, self.prefix, self.pre = "", "", 0
        self.titles = 0
        self.sectioning = 0  # how many of article, main, section are open
        self.bounds: dict[str, tuple[int, int]] = {}  # id -> bytes of its element
        self.marks: list[tuple[str, int, int]] = []  # id and bytes of each mark of a note

    def page(self, text: str) -> None:
        """All of a page."""
        root = LexborHTMLParser(text).root
        if root is None:
            return
        self._head(root)
        self.titles = sum(1 for node in root.css("h1") if node.text(strip=True))
        self._walk(root)
        self._flush()
        self.made.leave(1)
        for name, start, end in self.marks:
            if name in self.bounds and self.bounds[name][1] > self.bounds[name][0]:
                self.made.link("footnote", (1, start, end), (1, *self.bounds[name]))
        if self.inert:
            kinds = ", ".join(f"{count} {name}" for name, count in sorted(self.inert.items()))
            self.made.find("inert_content", kinds, "scripts, styles and what is hidden are not part of the text", 0)

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

    def _metadata(self, words: str, origin: str) -> None:
        self.made.add(words, "metadata", origin=origin)
        self.made.add("\n", "blank")

    # --- the walk ---------------------------------------------------------------------------------------------------

    def _walk(self, root: LexborNode) -> None:
        node: LexborNode | None = root
        while node is not None:
            if self._enter(node):
                child = node.child
                if child is not None:
                    node = child
                    continue
                self._leave()
            following = node.next
            while following is None:
                node = node.parent
                if node is None or not self.frames:
                    return
                self._leave()
                following = node.next
            node = following

    def _enter(self, node: LexborNode) -> bool:
        """Take a node; whether its children are to be taken too."""
        tag = node.tag or ""
        if tag == "-text":
            self._text(node.text_content or "")
            return False
        if tag[0] in "-!":
            self.inert["comment"] += tag == "-comment"
            return False
        counts = self.frames[-1].counts if self.frames else {}
        counts[tag] = counts.get(tag, 0) + 1
        if tag in SKIPPED:
            return False
        attributes = node.attributes
        if (attributes or tag in INERT) and self._is_inert(node, tag, attributes):
            return False
        inline = tag in INLINE
        if not inline and self.words.parts:
            self._flush()
        self.frames.append(_Frame(tag, counts[tag], inline))
        return self._element(node, tag, attributes)

    def _is_inert(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
        """Whether an element is left out, and counted: what cannot be seen, and marks that only link to themselves."""
        if tag in INERT or is_hidden(attributes):
            self.inert[tag if tag in INERT else "hidden"] += 1
        elif tag == "a" and is_permalink(node, attributes):
            self.inert["permalink"] += 1
            self.pending += [name] if (name := attributes.get("id") or attributes.get("name")) else []
        else:
            return False
        return True

    def _element(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
        if not attributes and tag not in SPECIAL:
            return True
        closers: list[Callable[[], None]] = []
        if attributes:
            name = attributes.get("id") or (attributes.get("name") if tag == "a" else None)
            if name:
                self.pending.append(name)
                closers.append(self._bound(name))
        if (attributes or tag in REGIONS) and self.roles[-1] != "navigation" and self._is_navigation(node, tag, attributes):
            closers.append(self._navigation(tag))
        elif attributes and is_notes(attributes):
            self.roles.append("footnote")
            closers.append(self._end_role)
        closer, descend = self._special(node, tag, attributes)
        if closer:
            closers.append(closer)
        if closers:
            self.frames[-1].close = _all(closers)
        if not descend:
            self._leave()
        return descend

    def _special(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> tuple[Callable[[], None] | None, bool]:
        """What an element does by its tag: what to do at its end, and whether its children are to be taken."""
        if tag == "br":
            self.words.add("\n", kept=True)
        elif tag == "img":
            self.words.add(alternative(attributes))
        elif tag == "a":
            return self._anchor(attributes), True
        elif tag in HEADINGS and self.roles[-1] != "footnote":
            return self._heading(node, int(tag[1])), True
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
        elif tag == "table" and (rows := data_rows(node, attributes)) is not None:
            self._table(node, rows)
            return None, False
        return None, True

    def _leave(self) -> None:
        frame = self.frames.pop()
        if not frame.inline and self.words.parts:
            self._flush()
        if frame.close:
            frame.close()

    # --- text -------------------------------------------------------------------------------------------------------

    def _text(self, text: str) -> None:
        if not self.words.parts:
            if not text.strip(" \t\n\r\f"):
                return
            self.origin = self._path()
            if self.prefix:
                self.words.add(self.prefix, kept=True)
                self.prefix = ""
        if self.frames[-1].tag == "sup":
            text = exponent(self.words.parts, text)
        self.words.add(text, kept=self.pre > 0)

    def _path(self) -> str:
        """The path of the innermost open element that is not inline."""
        frames, depth = self.frames, len(self.frames)
        while depth > 1 and frames[depth - 1].inline:
            depth -= 1
        known = depth
        while known and not frames[known - 1].path:
            known -= 1
        path = frames[known - 1].path if known else ""
        for frame in frames[known:depth]:
            frame.path = path = f"{path}/{frame.step()}"
        return path or "/"

    def _flush(self, role: str = "", shown: str | None = None) -> tuple[int, int] | None:
        """The words so far as one block."""
        words = self.words
        if not words.parts:
            return None
        whole = "".join(words.parts)
        text = whole.strip("\n").rstrip() if self.pre else whole.strip(" \n\t\r\f")
        lead = whole.find(text)  # only white space, a byte a character
        if not text:
            words.clear()
            return None
        made = self.made
        for name in self.pending:
            made.anchor(name)
        self.pending.clear()
        start, end = made.add(text, role or self.roles[-1], origin=self.origin, shown=shown)
        for href, begin, finish, mark in words.links:
            place = max(start, min(start + begin - lead, end)), max(start, min(start + finish - lead, end))
            made.hyperlink(href, *place)
            if mark and href.startswith("#"):
                self.marks.append((href[1:], *place))
        made.add("\n", "blank")
        words.clear()
        return start, end

    # --- elements ---------------------------------------------------------------------------------------------------

    def _bound(self, name: str) -> Callable[[], None]:
        start = self.made.at

        def close() -> None:
            self.bounds.setdefault(name, (start, max(start, self.made.at - 1)))

        return close

    def _end_role(self) -> None:
        self.roles.pop()

    def _navigation(self, tag: str) -> Callable[[], None]:
        self._flush()
        if tag == "footer":
            self.made.leave(1)  # the page's
        self.roles.append("navigation")

        def close() -> None:
            self._flush()
            self.roles.pop()

        return close

    def _is_navigation(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
        if tag in NAVIGATION or (attributes.get("role") or "").lower() in NAVIGATION_ROLES:
            return True
        if tag in ("header", "footer"):
            return not self.sectioning
        if tag in ("div", "ul", "ol", "p", "td", "table", "aside", "section", "form"):
            named = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
            if CONSENT.search(named) and len(node.text()) < CONSENT_LIMIT:
                return True
            return bool(MENU_NAME.search(named)) and is_mostly_links(node)
        return False

    def _end_section(self) -> None:
        self.sectioning -= 1

    def _end_main(self) -> None:
        self.sectioning -= 1
        self.made.leave(1)

    def _anchor(self, attributes: dict[str, str | None]) -> Callable[[], None] | None:
        href = attributes.get("href")
        if not href:
            return None
        begin = self.words.size
        about = f"{attributes.get('role') or ''} {attributes.get('class') or ''}".lower()
        mark = "noteref" in about or "footnote" in about or any(frame.tag == "sup" for frame in self.frames[-4:])
        if mark and ("backlink" in about or "backref" in about):
            mark = False

        def close() -> None:
            if self.words.size > begin:
                self.words.links.append((href, begin, self.words.size, mark))

        return close

    def _heading(self, node: LexborNode, level: int) -> Callable[[], None] | None:
        words = heading_words(node)
        if not words:
            return None
        title = level == 1 and self.titles == 1
        if self.roles[-1] == "navigation" and not title:
            return None
        self.roles.append("heading")
        if title:
            self.made.leave(1)
            self.made.title(words)
        elif not self.lists:  # a heading inside a list item opens no section
            self.made.section(level, words)
        return self._end_heading

    def _end_heading(self) -> None:
        self._flush()
        self.roles.pop()

    def _list(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> Callable[[], None]:
        step = -1 if tag == "ol" and "reversed" in attributes else 1
        first = 1 if step > 0 else sum(child.tag == "li" for child in children(node))
        self.lists.append(_List(tag == "ol", attributes.get("type") or "1", step))
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
            self._flush()
            self.pre -= 1

        return close

    # --- tables -----------------------------------------------------------------------------------------------------

    def _table(self, table: LexborNode, rows: list[tuple[LexborNode, str]]) -> None:
        """A table of data: a node, a block per row."""
        made = self.made
        caption = next((node for node in children(table) if node.tag == "caption"), None)
        words = " ".join(caption.text().split()) if caption else ""
        made.enter("table", fragment=slug(words) if words else "table", heading=words)
        depth, path = made.depth, self._path()
        if caption is not None:
            self._inline(caption)
            self.origin = f"{path}/caption"
            self._flush("heading")
        header: tuple[int, int] | None = None
        body: tuple[int, int] | None = None
        spans: dict[int, tuple[int, str]] = {}  # column -> rows a cell still reaches down, and its text
        for row, step in rows:
            heading, shown = self._row(row, spans)
            self.origin = f"{path}/{step}"
            role = "" if self.roles[-1] == "navigation" else "table"
            span = self._flush(role, shown)
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
                self._inline(cell)
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

    def _inline(self, element: LexborNode) -> None:
        """The text below *element*, whatever its structure, into the current words."""
        words, node, depth = self.words, element.child, 0
        closers: list[tuple[int, Callable[[], None]]] = []
        while node is not None:
            tag = node.tag or ""
            child = None
            if tag == "-text":
                text = node.text_content or ""
                raised = len(text) < 4 and node.parent is not None and node.parent.tag == "sup"
                words.add(exponent(words.parts, text) if raised else text)
            elif tag[0] not in "-!" and tag not in SKIPPED:
                child = self._inline_element(node, tag, depth, closers)
            if child is not None:
                node, depth = child, depth + 1
                continue
            while node is not None:
                if closers and closers[-1][0] == depth:
                    closers.pop()[1]()
                following = node.next
                if following is not None or depth == 0:
                    node = following
                    break
                node, depth = node.parent, depth - 1

    def _inline_element(
        self, node: LexborNode, tag: str, depth: int, closers: list[tuple[int, Callable[[], None]]]
    ) -> LexborNode | None:
        attributes = node.attributes
        if (attributes or tag in INERT) and self._is_inert(node, tag, attributes):
            return None
        name = attributes.get("id") or (attributes.get("name") if tag == "a" else None)
        if name:
            self.pending.append(name)
        if tag == "img":
            self.words.add(alternative(attributes))
        elif tag == "a":
            closer = self._anchor(attributes)
            if closer:
                closers.append((depth, closer))
        elif tag not in INLINE or tag == "br":
            self.words.add(" ; " if tag in ("td", "th") and not self.words.loose else " ")
            if tag not in ("br", "td", "th") and node.child is not None:  # a cell is followed by its mark
                closers.append((depth, lambda: self.words.add(" ")))
        return node.child


def _all(closers: list[Callable[[], None]]) -> Callable[[], None]:
    if len(closers) == 1:
        return closers[0]

    def close() -> None:
        for closer in reversed(closers):
            closer()

    return close
