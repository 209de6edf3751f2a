"""Paragraph and character styles of a Word document: heading levels, numbering, indents and hiddenness, with inheritance."""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml import etree

from pincite.parse.office.words import W, flag, number, value

_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titulo|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|заголовок|"
    r"címsor|başlık|επικεφαλίδα|标题|標題|見出し|제목)\s*([1-9])",
    re.IGNORECASE,
)
"""Names of heading styles. Word itself writes "heading 1" in every language; other programs write what they show."""

BODY_LEVEL = 9
"""The outline level that means body text, zero-based as in the file."""


class Style(NamedTuple):
    """What a style says once inheritance is settled. ``level`` is 1 to 9 for headings, 0 for others."""

    name: str = ""  # lower case
    level: int = 0
    num_id: str = ""
    ilvl: int = -1
    numbered_by: str = ""  # the style of the chain that names num_id
    indent: int | None = None  # twips from the left margin
    hidden: bool = False
    bold: bool = False
    size: int = 0  # half points, 0 where none is stated


NO_STYLE = Style()


class Styles:
    """The styles of one document by id. A document without styles has none, and everything is body text."""

    def __init__(self, root: etree._Element | None) -> None:
        self._elements: dict[str, etree._Element] = {}
        self._settled: dict[str, Style] = {}
        self.default = ""
        defaults = None if root is None else root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        self.language = value(defaults, "lang")  # "fr-FR", "" where none is stated
        for element in () if root is None else root.findall(W + "style"):
            style_id = element.get(W + "styleId", "")
            self._elements[style_id] = element
            if element.get(W + "type") == "paragraph" and element.get(W + "default", "0") not in ("0", "false", "off"):
                self.default = style_id

    def __getitem__(self, style_id: str) -> Style:
        if style_id not in self._settled:
            self._settled[style_id] = self._settle(style_id)
        return self._settled[style_id]

    def num_id(self, style_id: str) -> str:
        """The numbering of a list style."""
        return self[style_id].num_id

    def _chain(self, style_id: str) -> list[etree._Element]:
        """The style and what it is based on, nearest first; a circle ends where it closes."""
        chain: list[etree._Element] = []
        seen: set[str] = set()
        while style_id in self._elements and style_id not in seen:
            seen.add(style_id)
            chain.append(self._elements[style_id])
            style_id = value(chain[-1], "basedOn")
        return chain

    def _settle(self, style_id: str) -> Style:
        style = NO_STYLE
        for element in reversed(self._chain(style_id)):
            style = _inherit(style, element)
        if not self._elements and (match := _HEADING.fullmatch(style_id)):
            return style._replace(name=style_id.casefold(), level=int(match[1]))
        return style


def _inherit(above: Style, element: etree._Element) -> Style:
    """What *element* says, and *above* where it says nothing."""
    name = value(element, "name")
    paragraph, run = element.find(W + "pPr"), element.find(W + "rPr")
    level, outline, named = above.level, value(paragraph, "outlineLvl"), _HEADING.fullmatch(name.strip())
    if outline.isdigit():
        level = int(outline) + 1 if int(outline) < BODY_LEVEL else 0
    elif named:
        level = int(named[1])
    num_id, ilvl, by = above.num_id, above.ilvl, above.numbered_by
    numbering = None if paragraph is None else paragraph.find(W + "numPr")
    if numbering is not None:
        if value(numbering, "numId"):
            num_id, by = value(numbering, "numId"), element.get(W + "styleId", "")
        ilvl = number(value(numbering, "ilvl"), -1)
    own = indent(paragraph)
    hidden, bold = flag(run, "vanish"), flag(run, "b")
    return Style(
        name.casefold(),
        level,
        num_id,
        ilvl,
        by,
        above.indent if own is None else own,
        above.hidden if hidden is None else hidden,
        above.bold if bold is None else bold,
        number(value(run, "sz")) or above.size,
    )


def indent(paragraph: etree._Element | None) -> int | None:
    """The left indent that paragraph properties state, in twips; None where they state none."""
    element = None if paragraph is None else paragraph.find(W + "ind")
    if element is None:
        return None
    stated = element.get(W + "left", element.get(W + "start"))
    return None if stated is None else number(stated)


def is_drop_cap(properties: etree._Element) -> bool:
    """Whether a paragraph is the large first letter of the next one: Word keeps it in a frame of its own."""
    frame = properties.find(W + "framePr")
    return frame is not None and frame.get(W + "dropCap") in ("drop", "margin")
