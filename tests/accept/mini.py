"""A miniature manual, invented, with the traps of the real ones; and the protocol that registers four cases of it."""

from __future__ import annotations

from typing import Any

import pymupdf

from pincite.model import sha256_hex

LEFT, TEXT, TOP, LEADING = 60.0, 60.0, 90.0, 14.0

# (style, text): h heading, b bold run-in, p plain, c citation at the right margin, s small, "" a blank line
PAGES: list[list[tuple[str, str]]] = [
    [
        ("h", "DMG Chapter 91: Lamp allowance"),
        ("", ""),
        ("p", "Definitions 91001 - 91009"),
        ("p", "Keeping the lamp 91010 - 91999"),
        ("", ""),
        ("h", "Definitions"),
        ("b", "Meaning of lamp"),
        ("p", "91001 A lamp is a light that is kept by a keeper and that can be seen from the sea. The keeper may"),
        ("p", "be one person or a couple who share the watch, as set out in the rules of the station. See DMG 91002 -"),
        ("p", "91004 for further details."),
        ("", ""),
        ("p", "Note: See DMG 91010 for who keeps a lamp."),
        ("", ""),
        ("c", "1 Lamp Regs, reg 2(1); 2 reg 2(2)"),
        ("", ""),
        ("p", "91002 A keeper is a person who"),
        ("", ""),
        ("p", "1. lights the lamp and"),
        ("", ""),
        ("p", "2. trims it."),
        ("", ""),
        ("c", "1 Lamp Regs, reg 3"),
        ("", ""),
        ("p", "91003 - 91009"),
    ],
    [
        ("h", "Keeping the lamp"),
        ("b", "Amounts"),
        ("p", "91010 The amount of the allowance is what is left of the standard amount after the income of the"),
        ("p", "keeper has been taken from it, for every week in which the lamp was lit."),
        ("", ""),
        ("c", "1 Lamp Regs, reg 4"),
        ("", ""),
        ("b", "Example"),
        ("", ""),
        ("p", "Edwin keeps a lamp on the north shore and has a small income from mending nets. The decision maker"),
        ("p", "takes that income from the standard amount and finds"),
    ],
    [
        ("p", "that he is owed the rest of it for each week."),
        ("", ""),
        ("p", "91011 The allowance is paid"),
        ("", ""),
        ("p", "1. weekly or"),
        ("", ""),
        ("p", "2. monthly, where the keeper asks for it."),
        ("", ""),
        ("c", "1 Lamp Regs, reg 5"),
        ("", ""),
        ("p", "91012 - 91999"),
    ],
    [
        ("p", "The content of the examples in this document (including use of imagery) is for illustrative purposes"),
        ("p", "only"),
    ],
]


def pdf() -> bytes:
    """The manual as a PDF; the same bytes at every call."""
    document = pymupdf.open()
    for lines in PAGES:
        page = document.new_page(width=595, height=842)
        y = TOP
        for style, text in lines:
            y += LEADING
            if not text:
                continue
            size, font = (15.0, "hebo") if style == "h" else (11.0, "hebo") if style == "b" else (10.0, "helv")
            size = 8.0 if style == "c" else size
            x = 535 - pymupdf.get_text_length(text, fontname=font, fontsize=size) if style == "c" else LEFT
            page.insert_text((x, y), text, fontsize=size, fontname=font)
    document.set_metadata({})
    data: bytes = document.tobytes(no_new_id=True)
    return data


def passage(citation: str, heading: str | None, begins: str, ends: str, pages: list[int], **more: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"contains": [], "excludes": [], "roles": [], "references": []}
    return {"citation": citation, "governing_heading": heading, "begins": begins, "ends": ends, "pages": pages, **empty, **more}


def protocol(data: bytes) -> dict[str, Any]:
    """Four cases, the wrapped reference, the list, the example across pages, the notice; and four more of the same pages."""
    lamp = passage(
        "DMG 91001",
        "Meaning of lamp",
        "A lamp is a light",
        "1 Lamp Regs, reg 2(1); 2 reg 2(2)",
        [1],
        contains=["See DMG 91002 - 91004 for further details.", "Note: See DMG 91010 for who keeps a lamp."],
        excludes=["A keeper is a person"],
        roles=[{"role": ["note"], "begins": "Note: See DMG 91010"}],
        references=[
            {"kind_of": "dmg", "target": "DMG 91002", "end": "DMG 91004"},
            {"kind_of": "dmg", "target": "DMG 91010", "end": None},
        ],
    )
    keeper = passage("DMG 91002", None, "A keeper is a person who", "1 Lamp Regs, reg 3", [1], contains=["2. trims it."])
    amount = passage(
        "DMG 91010",
        "Amounts",
        "The amount of the allowance",
        "owed the rest of it for each week.",
        [2, 3],
        contains=["Edwin keeps a lamp"],
        excludes=["The allowance is paid"],
        roles=[{"role": ["example"], "begins": "Example"}],
    )
    paid = passage(
        "DMG 91011", None, "The allowance is paid", "1 Lamp Regs, reg 5", [3], excludes=["The content of the examples"]
    )
    reserved = [{"begins": "91003 - 91009", "page": 1}]
    notices = [{"begins": "The content of the examples", "page": 4}]
    cases = [
        {"id": "wrapped", "passages": [lamp], "not_paragraphs": ["DMG 91004"], "reserved": reserved},
        {
            "id": "list",
            "passages": [keeper],
            "not_paragraphs": ["DMG 91003", "DMG 1"],
            "reserved": reserved,
            "not_headings": [{"citation": "DMG 91001", "heading": "Keeping the lamp 91010 - 91999"}],
        },
        {"id": "example", "passages": [amount], "not_paragraphs": []},
        {"id": "notice", "passages": [paid], "notices": notices, "no_paragraphs_on": [4]},
    ]
    contents = [{"begins": "Keeping the lamp 91010", "page": 1}]
    last = [{"begins": "91012 - 91999", "page": 3}]
    more = [
        {"id": "contents", "passages": [lamp], "contents": contents, "not_paragraphs": ["DMG 91003"]},
        {"id": "two", "passages": [lamp, keeper], "not_paragraphs": ["DMG 91004"]},
        {"id": "last-range", "passages": [paid], "reserved": last, "not_paragraphs": ["DMG 91012", "DMG 91999"]},
        {"id": "all", "passages": [lamp, keeper, amount, paid], "not_paragraphs": ["DMG 1", "DMG 2"]},
    ]
    entry = {"pdf": "mini.pdf", "sha256": sha256_hex(data), "title": "DMG Chapter 91", "published_pages": [1, 2, 3, 4]}
    return {
        "documents": {"mini": entry},
        "cases": [
            *({"stage": "initial", "document": "mini", **case} for case in cases),
            *({"stage": "expanded", "document": "mini", **case} for case in more),
        ],
    }
