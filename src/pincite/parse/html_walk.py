"""Walking the elements of a page in their order: words of a block, the path of an element, what is inert, links, anchors.

``Walker`` knows what every element has in common; what an element means by its name is the reader's (``html.py``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from selectolax.lexbor import LexborNode

from pincite.parse.compose import Composer
from pincite.parse.html_elements import (
    BLOCK_ROLES,
    INERT,
    INLINE,
    NOT_IN_HEADINGS,
    SKIPPED,
    UNSEEN,
    alternative,
    is_control,
    is_hidden,
)
from pincite.parse.numbers import exponent

_SPACES = re.compile(r"[ \t\n\r\f]+")


class Words:
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
                text = _SPACES.sub(" ", text.translate(UNSEEN))
            if self.loose and text[:1] == " ":
                text = text[1:]
        if text:
            self.parts.append(text)
            self.size += len(text) if text.isascii() else len(text.encode())
            self.loose = text[-1] in " \n"


class Frame:
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


class Walker:
    """Walks the elements of one page in the order of the page, without recursion."""

    def __init__(self, made: Composer) -> None:
        self.made, self.words = made, Words()
        self.frames: list[Frame] = []
        self.roles = ["body"]
        self.pending: list[str] = []  # names that wait for the text that follows
        self.inert: Counter[str] = Counter()
        self.origin, self.prefix, self.pre = "", "", 0
        self.bounds: dict[str, tuple[int, int]] = {}  # id -> bytes of its element
        self.marks: list[tuple[str, int, int]] = []  # id and bytes of each mark of a note

    def element(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
        """What an element means; whether its children are to be taken too."""
        raise NotImplementedError

    def is_collapsed(self, attributes: dict[str, str | None]) -> bool:
        """Whether what is hidden is so only until a reader opens it."""
        raise NotImplementedError

    def place_of(self, text: str) -> None:
        """Open the place that a block of text begins."""
        raise NotImplementedError

    # --- the walk ---------------------------------------------------------------------------------------------------

    def walk(self, root: LexborNode) -> None:
        node: LexborNode | None = root
        while node is not None:
            if self._enter(node):
                child = node.child
                if child is not None:
                    node = child
                    continue
                self.leave()
            following = node.next
            while following is None:
                node = node.parent
                if node is None or not self.frames:
                    return
                self.leave()
                following = node.next
            node = following

    def _enter(self, node: LexborNode) -> bool:
        """Take a node; whether its children are to be taken too."""
        tag = node.tag or "-"
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
        inline = tag in INLINE and not (attributes and attributes.get("role") in BLOCK_ROLES)
        if not inline and self.words.parts:
            self.flush()
        if tag in NOT_IN_HEADINGS and self.roles[-1] == "heading" and self.made.ends_in("heading"):
            self.roles[-1] = self.roles[-2]  # its end tag is missing
        self.frames.append(Frame(tag, counts[tag], inline))
        return self.element(node, tag, attributes)

    def _is_inert(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
        """Whether an element is left out, and counted: what cannot be seen, and marks that only link to themselves."""
        if tag in INERT:
            self.inert[INERT[tag]] += 1
        elif is_hidden(attributes) and not self.is_collapsed(attributes):
            self.inert["hidden"] += 1
        elif is_control(node, tag, attributes):
            self.inert["permalink"] += 1
            self.pending += [name] if (name := attributes.get("id") or attributes.get("name")) else []
        else:
            return False
        return True

    def leave(self) -> None:
        frame = self.frames.pop()
        if not frame.inline and self.words.parts:
            self.flush()
        if frame.close:
            frame.close()

    # --- text -------------------------------------------------------------------------------------------------------

    def _text(self, text: str) -> None:
        if not self.words.parts:
            if not text.strip(" \t\n\r\f"):
                return
            self.origin = self.path()
            if self.prefix:
                self.words.add(self.prefix, kept=True)
                self.prefix = ""
        if self.frames[-1].tag == "sup":
            text = exponent(self.words.parts, text)
        self.words.add(text, kept=self.pre > 0)

    def path(self) -> str:
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

    def flush(self, role: str = "", shown: str | None = None) -> tuple[int, int] | None:
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
        if not role and not shown:
            self.place_of(text)
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

    def bound(self, name: str) -> Callable[[], None]:
        start = self.made.at

        def close() -> None:
            self.bounds.setdefault(name, (start, max(start, self.made.at - 1)))

        return close

    def anchor_of(self, attributes: dict[str, str | None]) -> Callable[[], None] | None:
        href = attributes.get("href")
        if not href:
            return None
        begin = self.words.size if self.words.parts else len(self.prefix.encode())
        about = " ".join(attributes.get(name) or "" for name in ("role", "class", "epub:type")).lower()
        mark = "noteref" in about or "footnote" in about or any(frame.tag == "sup" for frame in self.frames[-4:])
        if mark and ("backlink" in about or "backref" in about):
            mark = False

        def close() -> None:
            if self.words.size > begin:
                self.words.links.append((href, begin, self.words.size, mark))

        return close

    # --- the text of a cell, a caption ---------------------------------------------------------------------------------------

    def inline(self, element: LexborNode) -> None:
        """The text below *element*, whatever its structure, into the current words."""
        words, node, depth = self.words, element.child, 0
        closers: list[tuple[int, Callable[[], None]]] = []
        while node is not None:
            tag = node.tag or "-"
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
            closer = self.anchor_of(attributes)
            if closer:
                closers.append((depth, closer))
        elif tag not in INLINE or tag == "br":
            self.words.add(" ; " if tag in ("td", "th") and not self.words.loose else " ")
            if tag not in ("br", "td", "th") and node.child is not None:  # a cell is followed by its mark
                closers.append((depth, lambda: self.words.add(" ")))
        return node.child
