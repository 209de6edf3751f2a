"""Headings of a Word document that has no heading styles: short paragraphs that are bold or underlined as a whole."""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml import etree

from pincite.parse.numbers import split_number
from pincite.parse.office.numbering import Numbering
from pincite.parse.office.styles import Styles
from pincite.parse.office.words import W, flag, number, value

LIMIT = 100
"""Characters above which a paragraph is no heading."""
_ENDS = ".;,!?"
_MOST_BEFORE_COLON = 4
"""Words of a heading that ends with a colon; more lead into a list."""
_CAPTION = re.compile(r"\s*(?:Table|Figure|Tabelle|Abbildung|Tableau)\s+[\dIVX]", re.IGNORECASE)
_DIVISION = re.compile(
    r"(?:chapter|part|section|article|annex|appendix|kapitel|teil|abschnitt|chapitre|titre)\b", re.IGNORECASE
)
_DIVIDING = frozenset({"decimal", "decimalZero", "upperRoman", "upperLetter"})
"""Numbers that count sections; a bold item of another list is an item."""
_ASIDE = frozenset({W + "tbl", W + "txbxContent", W + "sdtContent"})


class Look(NamedTuple):
    """How a paragraph with words is set."""

    paragraph: etree._Element
    heads: bool  # whether it may be a heading
    size: int  # half points
    centred: bool
    depth: int  # of the number it begins with, 1 where it has none


def headings_by_look(root: etree._Element, styles: Styles, numbering: Numbering) -> dict[etree._Element, int]:
    """Levels of the paragraphs that are headings by their look, 0 for the document's title; none where styles say what is one.

    There are several, no more than twice as many as other paragraphs. Larger ones stand above smaller ones, "1.2" below "1".
    """
    looks: list[Look] = []
    for paragraph in root.iter(W + "p"):
        if _is_styled(paragraph, styles):
            return {}
        if not any(above.tag in _ASIDE for above in paragraph.iterancestors()) and (
            look := _look(paragraph, styles, numbering)
        ):
            looks.append(look)
    found = [look for look in looks if look.heads]
    if not 1 < len(found) <= 2 * (len(looks) - len(found)):
        return {}
    first = found[0]
    largest = first.size > max(look.size for look in found[1:])
    title = first is looks[0] and (first.centred or largest) and not _DIVISION.match(_words(first.paragraph))
    heads = found[1:] if title else found
    sizes = sorted({look.size for look in heads}, reverse=True)
    levels = {look.paragraph: min(sizes.index(look.size) + look.depth, 9) for look in heads}
    return levels | ({first.paragraph: 0} if title else {})


def _words(paragraph: etree._Element) -> str:
    return "".join(text.text or "" for text in paragraph.iter(W + "t")).strip()


def _is_styled(paragraph: etree._Element, styles: Styles) -> bool:
    properties = paragraph.find(W + "pPr")
    outline = value(properties, "outlineLvl")
    return styles[value(properties, "pStyle") or styles.default].level > 0 or (outline.isdigit() and int(outline) < 9)


def _look(paragraph: etree._Element, styles: Styles, numbering: Numbering) -> Look | None:
    properties = paragraph.find(W + "pPr")
    style = styles[value(properties, "pStyle") or styles.default]
    runs = [
        (run, words)
        for run in paragraph.iter(W + "r")
        if (words := "".join(t.text or "" for t in run.iterfind(W + "t"))).strip()
    ]
    text = " ".join("".join(words for _, words in runs).split())
    if not text:
        return None
    set_off = all(_is_set_off(run.find(W + "rPr"), style.bold, styles) for run, _ in runs)
    size = max(number(value(run.find(W + "rPr"), "sz")) or style.size for run, _ in runs)
    label, listed = _label(properties, style.num_id, style.ilvl, numbering)
    leads = text.endswith(":") and len(text.split()) > _MOST_BEFORE_COLON
    short = len(text) <= LIMIT and text[-1] not in _ENDS and not leads and any(map(str.isalpha, text))
    heads = set_off and short and not listed and not _CAPTION.match(text) and not style.name.startswith(("toc", "caption"))
    printed = label or split_number(text)[0]
    return Look(
        paragraph, heads, size, value(properties, "jc") == "center", len(re.findall(r"\w+", printed.rpartition(" ")[2])) or 1
    )


def _is_set_off(run: etree._Element | None, by_style: bool, styles: Styles) -> bool:
    own = flag(run, "b")
    named = value(run, "rStyle")
    bold = own if own is not None else by_style or bool(named and styles[named].bold)
    return bold or value(run, "u") not in ("", "none")


def _label(properties: etree._Element | None, num_id: str, ilvl: int, numbering: Numbering) -> tuple[str, bool]:
    """A number like the one that counts the paragraph ("%1.%2"), and whether it is an item of a list that divides nothing."""
    own = None if properties is None else properties.find(W + "numPr")
    num_id = value(own, "numId") or num_id
    level = numbering.level(num_id, number(value(own, "ilvl"), max(ilvl, 0)))
    if level is None:
        return "", False
    return level.text, level.form not in _DIVIDING
