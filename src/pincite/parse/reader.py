"""What the XML dialects share: a reader that the scanner tells of holders, and that lays out each division's texts.

A dialect is a table of its elements (:class:`Dialect`) and a way to find a division's number and heading. Every text gets the
role its element or the holders around it give; nothing has no role: what a dialect does not know is a finding, and its text
is kept as a notice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pincite.errors import Malformed
from pincite.model import Document, Source
from pincite.parse.build import END, HEADING, KIND, NODE_ID, RAW_END, RESERVED, Builder, Draft, Roles
from pincite.parse.plain import RESERVED_TEXT
from pincite.parse.scan import HOLDER, INLINE, LEAF, NAMED, NOTED, Text, scan
from pincite.parse.section import lay_out
from pincite.parse.tables import TABLES, Table
from pincite.parse.terms import announces

_PARTS_OF_TABLES = frozenset({"table_head", "table_foot"})
"""Classes of the eCFR's <DIV> that say what stands before and after a table."""


class Dialect(NamedTuple):
    """The elements of one kind of XML file."""

    parser: str
    kinds: Mapping[str, int]  # element -> what it is to the scanner
    leaf_roles: Mapping[str, str]  # leaf -> role of its text
    holder_roles: Mapping[str, str]  # holder -> role of all texts in it
    divisions: Mapping[str, str]  # division -> kind of its node
    roots: frozenset[str]
    quoting: frozenset[str]  # holders whose paragraphs are not the section's own
    notices: frozenset[str]  # holders of notices
    footnotes: frozenset[str] = frozenset({"FTNT", "EFTNT"})


def dialect(
    parser: str,
    inline: str,
    holders: Mapping[str, str],
    leaves: Mapping[str, str],
    divisions: Mapping[str, str],
    roots: str,
    quoting: str,
    noted: str = "",
    named: str = "",
) -> Dialect:
    """A dialect from lists of element names separated by spaces; *holders* and *leaves* by the role they give."""
    kinds: dict[str, int] = {}
    for names, kind in (
        (inline.split(), INLINE),
        ([tag for tags in holders.values() for tag in tags.split()], HOLDER),
        ([*divisions], HOLDER),
        ([tag for tags in leaves.values() for tag in tags.split()], LEAF),
        (noted.split(), NOTED),
        (named.split(), NAMED),
    ):
        kinds |= dict.fromkeys(names, kind)
    leaf_roles = {tag: role or "body" for role, tags in leaves.items() for tag in tags.split()}
    holder_roles = {tag: role for role, tags in holders.items() if role for tag in tags.split()}
    known = frozenset({*roots.split(), *divisions})
    notices = frozenset(tag for tag, role in holder_roles.items() if role == "notice")
    return Dialect(parser, kinds, leaf_roles, holder_roles, divisions, known, frozenset(quoting.split()), notices)


class Waiting(NamedTuple):
    """A division that has begun and whose heading has not been read."""

    tag: str
    attributes: Mapping[str, str]
    raw: int
    position: int
    noticed: bool  # it stands in a notice


class Identity(NamedTuple):
    """What a division is called, and how many of its first texts say so."""

    node_id: str
    label: str
    heading: str
    printed: str  # the heading as it stands, to tell whether it is reserved
    heads: tuple[int, ...]  # indexes of the texts that are the heading


class Reader:
    """Told by the scanner of divisions and other holders; hands each division's texts on when they are complete."""

    dialect: Dialect

    def __init__(self, source: Source) -> None:
        self.source = source
        self.builder = Builder(source, self.dialect.parser)
        self.texts: list[Text] = []
        self.contexts = {("", 0): Roles(self.dialect.leaf_roles)}
        self.context = self.contexts["", 0]
        self.around: list[Roles] = []  # the context outside each open holder
        self.divisions: list[Draft] = []
        self.opened: list[bool] = []  # for each open holder: whether it is a division
        self.notices = 0  # open holders of a notice
        self.waiting: Waiting | None = None
        self.footnotes: set[int] = set()
        self.table: Table | None = None

    def document(self, data: bytes) -> Document:
        """The document in *data*. Raises ``Malformed``, ``Forbidden`` or ``TooExpensive``."""
        page = scan(data, self.dialect.kinds, self, self.source.path or self.source.document_id)
        return self.builder.document(page)

    def identify(self, waiting: Waiting, kind: str) -> Identity:
        """What the division that waits is called, from its attributes and ``self.texts``."""
        raise NotImplementedError

    # --- what the scanner tells ------------------------------------------------------------------------------------

    def open(self, tag: str, attributes: Mapping[str, str], raw: int, position: int) -> None:
        """A holder begins."""
        if not self.around and tag not in self.dialect.roots:
            reason = f"<{tag}> is no root of {self.dialect.parser}"
            raise Malformed(reason, where=self.source.path, next="give a file of the publisher's own format")
        self.around.append(self.context)
        division = tag in self.dialect.divisions and self.context.role != "contents"
        self.opened.append(division)
        if division:
            self.flush()
            self.waiting = Waiting(tag, attributes, raw, position, self.notices > 0)
            self.context = self.contexts["", 0]
            return
        if tag == "DIV" and attributes.get("class") in _PARTS_OF_TABLES:
            tag = f"DIV.{attributes['class']}"
        self._enter(tag)
        if tag in self.dialect.notices:
            self.notices += 1
        if tag in self.dialect.footnotes:
            self.footnotes.add(len(self.texts))
        elif tag in TABLES and self.table is None:
            self.table = Table(self.builder, self.texts)
        if self.table:
            self.table.open(tag, attributes)

    def close(self, tag: str, raw: int, position: int) -> None:
        """A holder ends."""
        self.context = self.around.pop()
        if self.opened.pop():
            self.flush()
            division = self.divisions.pop()
            division[END], division[RAW_END] = max(position, division[END]), raw
        elif tag in self.dialect.notices:
            self.notices -= 1
        elif self.table and self.table.close(tag):
            self.table = None
        if not self.around:
            self.flush()

    def note(self, tag: str, attributes: Mapping[str, str], position: int) -> None:
        """A picture, or an element that the dialect does not know."""
        if tag in self.dialect.kinds:
            picture = attributes.get("src", "") or tag
            self.builder.find("image", picture, "a picture; its content is not in the text", position)
        else:
            reason = f"<{tag}> is not an element of {self.dialect.parser}; text of its own is kept as a notice"
            self.builder.find("unsupported_element", tag, reason, position)

    def _enter(self, tag: str) -> None:
        """The role *tag* gives to the texts in it: the outermost holder that gives one decides, but a table's is weak."""
        now, known = self.context, self.dialect
        role = now.role
        if not role or role == "table":
            role = known.holder_roles.get(tag, role) if tag in known.kinds else "notice"
        quoting = 0 if tag not in known.quoting else 1 if tag == "EXTRACT" else 2
        key = (role, max(now.quoting, quoting))
        if key not in self.contexts:
            self.contexts[key] = Roles(known.leaf_roles, *key)
        self.context = self.contexts[key]

    # --- divisions -------------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Lay out the texts since the last division began or ended."""
        heads = self._settle(self.waiting) if self.waiting else ()
        texts = self.texts
        if not texts:
            return
        base = self.divisions[-1] if self.divisions else None
        self.builder.footnotes.read(texts, self.footnotes)
        if heads is None:
            for text in texts:
                self.builder.block(text, "notice", self.divisions[-1][NODE_ID])
            texts.clear()
        body = 0
        if heads and base is not None:
            role = "reserved" if base[RESERVED] else "heading"
            body = heads[-1] + 1
            for index in range(body):
                text = texts[index]
                self.builder.block(text, role if index in heads else text.context[text.tag][0], base[NODE_ID])
        if body < len(texts):
            rest = texts[body:] if body else texts
            lay_out(self.builder, base, rest, base is not None and announces(base[HEADING]))
        texts.clear()
        self.footnotes.clear()

    def _settle(self, waiting: Waiting) -> tuple[int, ...] | None:
        """Make the node of the division that waits; the indexes of its heading among the texts.

        None for a section that a notice quotes as it will read or once read: it has no node beside that of the one in force.
        """
        self.waiting = None
        kind = self.dialect.divisions[waiting.tag]
        name = self.identify(waiting, kind)
        if waiting.noticed and self.divisions and name.node_id in self.builder.ids:
            self.divisions.append(self.divisions[-1])
            return None
        parent = self.divisions[-1][NODE_ID] if self.divisions else None
        start = self.texts[0].start if self.texts else waiting.position
        draft = self.builder.open(name.node_id, kind, name.label, name.heading, parent, start, waiting.raw)
        printed = name.printed
        draft[RESERVED] = printed.endswith(("]", "].")) and bool(RESERVED_TEXT.search(printed))
        self.divisions.append(draft)
        return name.heads

    def above(self, kinds: tuple[str, ...] | None) -> str:
        """The citation of the nearest open division of one of *kinds* (None: any but a title), "" where none is open."""
        for draft in reversed(self.divisions):
            if draft[KIND] != "title" and (kinds is None or draft[KIND] in kinds):
                above: str = draft[NODE_ID]
                return above
        return ""
