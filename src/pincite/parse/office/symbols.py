"""Characters of symbol fonts as Unicode. Word stores them in the private use area, where they mean nothing elsewhere."""

from __future__ import annotations

_GREEK = dict(zip("abcdefghijklmnopqrstuvwxyz", "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True))
_GREEK |= dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True))
_SYMBOL = {ord(latin): greek for latin, greek in _GREEK.items()} | {
    0xA2: "′", 0xA3: "≤", 0xA5: "∞", 0xA7: "♣", 0xA8: "♦", 0xA9: "♥", 0xAA: "♠", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→",
    0xAF: "↓", 0xB0: "°", 0xB1: "±", 0xB2: "″", 0xB3: "≥", 0xB4: "×", 0xB5: "∝", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠",
    0xBA: "≡", 0xBB: "≈", 0xBC: "…", 0xC5: "⊕", 0xC6: "∅", 0xC7: "∩", 0xC8: "∪", 0xCE: "∈", 0xCF: "∉", 0xD2: "®", 0xD3: "©",
    0xD4: "™", 0xD5: "∏", 0xD6: "√", 0xD7: "⋅", 0xD8: "¬", 0xD9: "∧", 0xDA: "∨", 0xDB: "⇔", 0xDC: "⇐", 0xDE: "⇒", 0xE5: "∑",
    0xF2: "∫", 0x2D: "−", 0x22: "∀", 0x24: "∃", 0x40: "≅", 0x5E: "⊥",
}  # fmt: skip
_WINGDINGS = {
    0x28: "☎", 0x2A: "✉", 0x46: "☞", 0x4A: "☺", 0x6C: "●", 0x6D: "❍", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x72: "❒", 0x73: "⬧",
    0x75: "◆", 0x76: "❖", 0x77: "◆", 0x9F: "•", 0xA0: "▪", 0xA1: "○", 0xA7: "▪", 0xA8: "☐", 0xAB: "★", 0xD8: "➢", 0xDF: "←",
    0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS2 = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0x97: "●", 0xA3: "☐"}
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS2}


def symbol(font: str, code: int) -> str | None:
    """The character *code* of a symbol font, None where it is not known here.

    >>> symbol("Wingdings", 0xF0FE), symbol("Symbol", 0xF061)
    ('☑', 'α')
    """
    table = _FONTS.get(font.casefold())
    if table is None:
        return None if 0xE000 <= code < 0xF900 or not 0 < code < 0xD800 else chr(code)
    low = code - 0xF000 if 0xF000 <= code < 0xF100 else code
    found = table.get(low)
    if found is None and font.casefold() == "symbol" and 0x20 <= low < 0x7F:
        return chr(low)  # digits and most signs are those of ASCII
    return found


def plain_bullet(text: str) -> str:
    """A bullet that every font has: letters ("o" in Courier, "Ø" in Wingdings) and private characters are drawn as signs.

    >>> plain_bullet("\\uf0b7"), plain_bullet("o"), plain_bullet("–")
    ('•', '•', '–')
    """
    return "".join("•" if 0xE000 <= ord(sign) < 0xF900 or sign.isalpha() or sign == "§" else sign for sign in text).strip()
