"""Plain text: what its lines show, encodings, and that nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.parse.reading import leads_back, places, shown, sound, source_of

from pincite.errors import PinciteError
from pincite.model import Document
from pincite.parse import parse


def made(text: str | bytes) -> Document:
    return parse(source_of("text/plain"), text if isinstance(text, bytes) else text.encode())


RULES = """LAMP RULES

1. Scope

This applies to all.
Second line.

2.1 Oil

Use:
  - whale
    free
  - clean
1) fill
2) trim

Annex B: Forms
--------------

> quoted
> here

3. Do this

4. Do that
"""


def test_structure() -> None:
    document = made(RULES)
    assert document.nodes[0].heading == "LAMP RULES"
    assert places(document) == [
        ("#1-scope", "heading", "1", "Scope"),
        ("#1-scope/2.1-oil", "heading", "2.1", "Oil"),
        ("#1-scope/2.1-oil/item", "item", "-", ""),
        ("#1-scope/2.1-oil/item-2", "item", "-", ""),
        ("#1-scope/2.1-oil/1", "item", "1)", ""),
        ("#1-scope/2.1-oil/2", "item", "2)", ""),
        ("#annex-b-forms", "heading", "Annex B", "Forms"),
        ("#annex-b-forms/3", "item", "3.", ""),
        ("#annex-b-forms/4", "item", "4.", ""),
    ]
    assert shown(document, "heading") == ["LAMP RULES", "1. Scope", "2.1 Oil", "Annex B: Forms"]
    assert shown(document, "body") == [
        "This applies to all. Second line.", "Use:", "whale free", "clean", "1) fill", "2) trim", "3. Do this", "4. Do that",
    ]  # fmt: skip
    assert shown(document, "note") == ["quoted here"]
    assert leads_back(document, RULES.encode())
    assert sound(document)


@pytest.mark.parametrize(
    "text",
    [
        "This line is a sentence and not a heading.\n\nSo is this one, although short.\n",
        "1. Fill the lamp.\n\n2. Trim the wick.\n",
        "WARNING: do not touch the lamp!\n",
        "3 lamps were lost at sea.\n",
        "-----\n\ntext\n",
    ],
)
def test_what_is_no_heading(text: str) -> None:
    assert shown(made(text), "heading") == []


def test_lines_without_end_are_paragraphs_of_their_own() -> None:
    document = made("A line of a log, in full, with all that was seen.\n" * 200)
    assert len(shown(document, "body")) == 200


@pytest.mark.parametrize(
    ("text", "encoding", "read_as"),
    [
        ("Größe – “ja” 5 €\n", "cp1252", "cp1252"),
        ("Größe über alles\n" * 40, "cp1252", "cp1252"),
        ("Маяк светит ночью. Смотритель зажигает лампу и пишет в журнал.\n" * 20, "cp1251", "cp1251"),
        ("Latarnia świeci w nocy. Żeglarze ją widzą, gdy przypływają łódką.\n" * 20, "cp1250", "cp1250"),
        ("Řidič odpovídá za vozidlo.\n", "cp1250", "cp1250"),
        ("A látogató kártyát visel, és őt kíséri egy őr.\n", "cp1250", "cp1250"),
        ("Račun se plaća u roku od 30 dana, ili prema ugovoru.\n", "cp1250", "cp1250"),
        ("Fakturę płaci się w ciągu 30 dni, lub według umowy.\n", "iso8859_2", "iso8859_2"),
        ("Sözleşmeye göre ödenir ve imzalanır.\n", "cp1254", "cp1254"),
        ("Le visiteur doit porter un badge où il est reçu, sûr et prêt.\n", "cp1252", "cp1252"),
        ("La città è più grande.\n", "cp1252", "cp1252"),
        ("Os cães põem limões; não há razões.\n", "cp1252", "cp1252"),
        ("Røde ører får på øen, 3 m³ je Größe.\n", "cp1252", "cp1252"),
        ("灯台は夜に光ります。守り人は日誌を書きます。\n" * 20, "cp932", "cp932"),
        ("Größe\n" * 9, "utf-16-le", "utf-16-le"),
        ("Größe\n" * 9, "utf-16-be", "utf-16-be"),
    ],
)
def test_encodings_are_guessed_noted_and_lead_back(text: str, encoding: str, read_as: str) -> None:
    data = text.encode(encoding)
    document = made(data)
    assert document.pages[0].decode() == text
    assert [finding.kind for finding in document.findings] == ["encoding_guessed"]
    assert leads_back(document, data, read_as)


def test_null_bytes_are_kept_and_noted() -> None:
    document = made("a lamp\0 burns all night\n" * 3)
    assert document.pages[0].count(b"\0") == 3
    assert [finding.kind for finding in document.findings] == ["null_bytes"]


@given(st.text(alphabet="aB1.)(-=~>* \n\r\té€", max_size=120), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
def test_any_text_is_conserved(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    try:
        document = made(data)
    except PinciteError:
        assert not text
        return
    assert sound(document)
    if encoding == "utf-8":
        assert leads_back(document, data)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        document = made(data)
    except PinciteError:
        return
    assert sound(document)
    assert not document.partition or document.partition[-1].raw_end == len(data)


@pytest.mark.parametrize(
    "text",
    [
        "訪客必須佩戴證件。",
        "訪客必須佩戴證件",
        "الزائر يحمل بطاقة",
        "המבקר עונד תג",
        "ผู้มาเยือนต้องติดบัตร",
        "आगंतुक पहचान पत्र पहनता है।",
    ],
)
def test_a_line_in_a_script_without_capitals_is_no_heading(text: str) -> None:
    assert shown(made(f"{text}\n"), "body") == [text]


TABLES = {
    "dashes": "Lamp  Place      Oil\n----- ---------- ---\nL-1   Pier       12\nL-2   Quay west   8\n                  9\n",
    "a line": "Oil of lamps\nLamp   Oil\n--------------\nNorth  12\nSouth   9\n",
    "blanks": "Item        Jan   Feb\nOil         12    13\nWicks        3     4\n",
    "tabs": "Item\t\tJan\tFeb\nOil\t\t12\t13\nLong wicks\t3\t4\n",
    "box": "+------+-----+\n| Lamp | Oil |\n+------+-----+\n| L-1  | 2 l |\n| L-2  | 3 l |\n+------+-----+\n",
    "grid": "+------+--------+\n| Lamp | Oil    |\n+======+========+\n| L-1  | 2 l of |\n|      | whale  |\n"
    "+------+--------+\n| L-2  | 3      |\n+------+--------+\n",
}
ROWS = {
    "dashes": ["Lamp | Place | Oil", "L-1 | Pier | 12", "L-2 | Quay west | 8 9"],
    "a line": ["Lamp | Oil", "North | 12", "South | 9"],
    "blanks": ["Item | Jan | Feb", "Oil | 12 | 13", "Wicks | 3 | 4"],
    "tabs": ["Item | Jan | Feb", "Oil | 12 | 13", "Long wicks | 3 | 4"],
    "box": ["Lamp | Oil", "L-1 | 2 l", "L-2 | 3 l"],
    "grid": ["Lamp | Oil", "L-1 | 2 l of whale", "L-2 | 3"],
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_drawn_in_text_is_rows_of_cells(name: str) -> None:
    data = f"Before.\n\n{TABLES[name]}\nAfter.\n".encode()
    document = made(data)
    assert shown(document, "table") == ROWS[name]
    assert [(link.kind, link.target_start) for link in document.links] == [
        ("table_header", next(block.start for block in document.partition if block.role == "table"))
    ]
    assert shown(document, "body")[-1] == "After."
    assert sound(document)
    assert leads_back(document, data)


@pytest.mark.parametrize(
    "text",
    [
        "Some prose that goes on and  has two spaces here\nand there  but no columns at all in it\nbecause  words are long.\n",
        "(a)   trim the wick\n(b)   fill the oil\n(c)   clean the glass\n",
        "Scope ............... 2\nRoles ............... 3\nForms ............... 4\n",
        "first  half  of  a  sentence  that  is  set  wide\nsecond line of it that goes on and on to the end\n",
        "Yours\n-----\nAnn\n",
    ],
)
def test_what_is_no_table(text: str) -> None:
    assert not [place for place in places(made(text)) if place[1] == "table"]


PAGES = "".join(
    f"Lamp Rules          Draft\n\nRule {n} says that lamps\nburn at night.\n\n        Page {n} of 3\n\f" for n in (1, 2, 3)
)


def test_running_heads_and_page_numbers_are_not_text() -> None:
    document = made(PAGES)
    assert shown(document, "body") == [f"Rule {n} says that lamps burn at night." for n in (1, 2, 3)]
    assert len(shown(document, "page_furniture")) == 6
    assert leads_back(document, PAGES.encode())
    assert shown(made("Pay on\n\n- 3 -\n\nlamps.\n"), "page_furniture") == []


def test_sums_at_the_foot_of_pages_are_text() -> None:
    bills = "".join(f"BILL\n\nOil burnt.\n\nTotal: {total}\n\f" for total in (12, 40, 7))
    assert [words for words in shown(made(bills), "body") if "Total" in words] == ["Total: 12", "Total: 40", "Total: 7"]
    assert shown(made(bills), "page_furniture") == ["BILL"] * 3


CONTENTS = """Guide

Contents

Oil ............ 1
Wicks . . . . .  3
  2.1 Trimming ... 4

Oil

Fill it.

Wicks

Trim them.
"""


def test_a_contents_list_is_none_of_the_text_and_tells_the_headings() -> None:
    document = made(CONTENTS)
    assert [place[3] for place in places(document)] == ["Oil", "Wicks"]
    assert shown(document, "contents")[0] == "Contents"
    assert shown(document, "body") == ["Guide", "Fill it.", "Trim them."]
    drawn = made("CONTENTS\n\n1  Oil     2\n2  Wicks   3\n3  Forms   5\n\n1  Oil\n\nFill it.\n")
    assert (len(shown(drawn, "contents")), [place[0] for place in places(drawn)]) == (4, ["#1-oil"])


def test_a_register_with_leaders_is_no_contents_list() -> None:
    document = made("Fees\n\nLicence ....... 10\nPermit ........ 15\nCopy .......... 2\n\nFees are due in advance.\n")
    assert shown(document, "body")[1:4] == ["Licence ....... 10", "Permit ........ 15", "Copy .......... 2"]
    assert shown(document, "contents") == []


DIVIDED = """LAMP CODE

PART I
GENERAL

Article 1

Aim

This code is for lamps.

Article 2

Lamps shall burn.

Chapter 2 Keepers

1. Duties

They trim.

PART II

Article 3
Oil

Whale.

ANNEX A
"""


def test_divisions_that_stand_on_lines_of_their_own_are_headings_with_the_name_below() -> None:
    document = made(DIVIDED)
    assert [(name, label, heading) for name, _, label, heading in places(document)] == [
        ("#part-i-general", "PART I", "GENERAL"),
        ("#part-i-general/article-1-aim", "Article 1", "Aim"),
        ("#part-i-general/article-2", "", "Article 2"),
        ("#part-i-general/chapter-2-keepers", "Chapter 2", "Keepers"),
        ("#part-i-general/chapter-2-keepers/1-duties", "1", "Duties"),
        ("#part-ii", "", "PART II"),
        ("#part-ii/article-3-oil", "Article 3", "Oil"),
        ("#annex-a", "", "ANNEX A"),
    ]
    assert shown(document, "body") == ["This code is for lamps.", "Lamps shall burn.", "They trim.", "Whale."]
    assert leads_back(document, DIVIDED.encode())


def test_numbered_paragraphs_sections_and_steps_are_items() -> None:
    text = (
        "1. Oil\n\n1.1 Fill it\nto the brim.\n1.2 Trim it.\n\nThe sum is\n1.9 Million.\n\nSection 4. Burn it.\n\n"
        "Step 1: Look.\nStep 2: Leave.\n"
    )
    document = made(text)
    assert [(name, label) for name, kind, label, _ in places(document) if kind == "item"] == [
        ("#1-oil/1.1", "1.1"), ("#1-oil/1.2", "1.2"), ("#1-oil/section-4", "Section 4."),
        ("#1-oil/step-1", "Step 1:"), ("#1-oil/step-2", "Step 2:"),
    ]  # fmt: skip
    assert leads_back(document, text.encode())
    tabs = made("1.\tOil\n\t1.1\tFill\n\t1.2\tTrim\n2.\tWick\n\t-\tcut\n")
    assert [label for _, kind, label, _ in places(tabs)] == ["1.", "1.1", "1.2", "2.", "-"]


def test_lines_that_hang_out_of_an_indented_text_and_lines_between_rules_are_headings() -> None:
    part = "   It is long and\n   goes on here.\n\n"
    assert [place[3] for place in places(made(f"Oil of lamps\n\n{part}{part}Exit status\n\n{part}"))] == [
        "Oil of lamps",
        "Exit status",
    ]
    framed = made("=====\nRules\n=====\n\nOil\n---\n\nFill.\n")
    assert (framed.nodes[0].heading, [place[3] for place in places(framed)]) == ("Rules", ["Oil"])


def test_numbered_headings_may_end_in_a_full_stop_where_text_of_their_own_follows() -> None:
    text = "".join(
        f"{n}. {word}.\n\nIt is said here at length that lamps burn.\n\n" for n, word in enumerate(("Oil", "Wicks", "Glass"), 1)
    )
    assert [place[0] for place in places(made(text))] == ["#1-oil", "#2-wicks", "#3-glass"]
    assert [place[1] for place in places(made("1. Fill it.\n\n2. Trim it.\n\n3. Go.\n"))] == ["item"] * 3


def test_a_number_that_the_end_of_a_line_parted_from_its_word_is_no_item() -> None:
    document = made("b) Oil is burnt as said in section\n7. This holds for all lamps.\nc) Wicks:\n1. cut\n2. dry\n")
    assert [label for _, kind, label, _ in places(document) if kind == "item"] == ["b)", "c)", "1.", "2."]
    hanging = made("  1. The rule goes on, see rule\n     2. It ends here.\n  2. Oil:\n     1. fill\n")
    assert [label for _, kind, label, _ in places(hanging) if kind == "item"] == ["1.", "2.", "1."]


def test_a_numbered_line_that_announces_a_list_is_no_heading() -> None:
    document = made("2 CLAIMS\n\n2.1 A claim must:\n\n(a) be short.\n\n2.2 Late claims\n")
    assert [(kind, name) for name, kind, *_ in places(document)] == [
        ("heading", "#2-claims"),
        ("item", "#2-claims/2.1"),
        ("item", "#2-claims/2.1/a"),
        ("heading", "#2-claims/2.2-late-claims"),
    ]
