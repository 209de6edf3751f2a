"""Names of WordprocessingML and DrawingML in Clark notation, and small readers of their values."""

from __future__ import annotations

import re

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
V = "{urn:schemas-microsoft-com:vml}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
XML = "{http://www.w3.org/XML/1998/namespace}"

_OFF = frozenset({"0", "false", "off"})


def value(parent: etree._Element | None, name: str) -> str:
    """``w:val`` of the child *name*, "" where there is none."""
    child = None if parent is None else parent.find(W + name)
    return "" if child is None else child.get(W + "val", "")


def flag(parent: etree._Element | None, name: str) -> bool | None:
    """An on-off child: None where it is not there."""
    child = None if parent is None else parent.find(W + name)
    return None if child is None else child.get(W + "val", "1") not in _OFF


def number(text: str | None, otherwise: int = 0) -> int:
    """An integer attribute, *otherwise* where it is none; measures such as ``12.5pt`` are none."""
    try:
        return int(text) if text else otherwise
    except ValueError:
        return otherwise


_FILE = re.compile(r"[^\n]{1,300}\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)", re.IGNORECASE)
_GUESSED = re.compile(
    r"\s*(?:Description automatically generated(?: with \w+ confidence)?|AI-generated content may be incorrect\.)"
)


def description(properties: etree._Element) -> str:
    """What a picture or a shape is described as; "" where that is the name of its file."""
    words = _GUESSED.sub("", properties.get("descr", "") or properties.get("title", "")).strip()
    return "" if _FILE.fullmatch(words) else words


def chosen(alternate: etree._Element) -> etree._Element | None:
    """What of an ``mc:AlternateContent`` is read: the first choice that holds anything, else the fallback. Never two."""
    for branch in alternate:
        if branch.tag in (MC + "Choice", MC + "Fallback") and len(branch):
            return branch
    return None
