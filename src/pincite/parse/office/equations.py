"""Office equations in one line: (a)/(b), x^2, a_i, √(x), so that no number runs into the next."""

from __future__ import annotations

from lxml import etree

from pincite.parse.office.words import M, W


def linear(element: etree._Element) -> str:
    """The characters of an equation in order, with the signs that its layout stands for."""
    name = etree.QName(element).localname if isinstance(element.tag, str) else ""
    if element.tag in (M + "t", W + "t"):
        return element.text or ""
    if name in _LAYOUTS:
        return _LAYOUTS[name](element)
    return "".join(linear(child) for child in element if child.tag not in (W + "del", W + "moveFrom"))


def _part(element: etree._Element, name: str) -> str:
    child = element.find(M + name)
    return "" if child is None else linear(child).strip()


def _grouped(text: str) -> str:
    return text if len(text) < 2 or text.isalnum() else f"({text})"


def _fraction(element: etree._Element) -> str:
    return f"{_grouped(_part(element, 'num'))}/{_grouped(_part(element, 'den'))}"


def _scripted(element: etree._Element) -> str:
    low, high = _part(element, "sub"), _part(element, "sup")
    return _part(element, "e") + (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "")


def _root(element: etree._Element) -> str:
    degree = _part(element, "deg")
    return f"{degree}√({_part(element, 'e')})"


def _nary(element: etree._Element) -> str:
    properties = element.find(M + "naryPr")
    sign = None if properties is None else properties.find(M + "chr")
    shown = "∫" if sign is None else sign.get(M + "val", "∫")
    low, high = _part(element, "sub"), _part(element, "sup")
    return shown + (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "") + f" {_part(element, 'e')}"


def _delimited(element: etree._Element) -> str:
    properties = element.find(M + "dPr")

    def sign(name: str, usual: str) -> str:
        found = None if properties is None else properties.find(M + name)
        return usual if found is None else found.get(M + "val", usual)

    inner = sign("sepChr", "|").join(linear(one) for one in element.findall(M + "e"))
    return f"{sign('begChr', '(')}{inner}{sign('endChr', ')')}"


def _matrix(element: etree._Element) -> str:
    rows = [", ".join(linear(one) for one in row.findall(M + "e")) for row in element.findall(M + "mr")]
    return "[" + "; ".join(rows) + "]"


def _lines(element: etree._Element) -> str:
    return "; ".join(linear(one) for one in element.findall(M + "e"))


_LAYOUTS = {
    "f": _fraction, "sSup": _scripted, "sSub": _scripted, "sSubSup": _scripted, "rad": _root, "nary": _nary, "d": _delimited,
    "m": _matrix, "eqArr": _lines,
}  # fmt: skip
