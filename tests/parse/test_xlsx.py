"""Excel workbooks: records, headers, merges, number formats, formulas, and what stands around the rows."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.styles import Font
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.table import Table
from tests.parse.office_files import XLSX, relations, shown, source, zipped

from pincite.model import Document, conserved
from pincite.parse import parse, xlsx
from pincite.parse.office.cells import moved
from pincite.parse.office.numberformat import display

SOURCE = source("register.xlsx", XLSX)
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def saved(book: Any) -> bytes:
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def changed(data: bytes, name: str, pattern: bytes, new: bytes) -> bytes:
    """The workbook with something in one of its parts replaced, which must be there."""
    with ZipFile(BytesIO(data)) as archive:
        parts: dict[str, str | bytes] = {each: archive.read(each) for each in archive.namelist()}
    content = parts[name]
    assert isinstance(content, bytes)
    content, count = re.subn(pattern, new, content)
    assert count
    return zipped(parts | {name: content})


def book_of(*rows: list[Any], name: str = "Prices") -> Any:
    book = openpyxl.Workbook()
    book.active.title = name
    for row in rows:
        book.active.append(row)
    return book


def read(book: Any) -> Document:
    document = parse(SOURCE, saved(book))
    assert conserved(document)
    return document


def rows_of(document: Document) -> list[tuple[str, str, str]]:
    return [
        (b.node_id, document.slice(b.page, b.start, b.end).decode(), document.display.get(b.ordinal, ""))
        for b in document.partition
        if b.role == "table"
    ]


def test_a_row_is_a_record_with_its_header_and_its_cells() -> None:
    document = read(book_of(["Lamp", "Hours"], ["North", 12], [None, None], ["South", 9]))
    assert rows_of(document) == [
        ("register#Prices", "Lamp\tHours", "Lamp | Hours"),
        ("register#Prices!A2", "North\t12", "Lamp: North | Hours: 12"),
        ("register#Prices!A4", "South\t9", "Lamp: South | Hours: 9"),
    ]
    block = next(b for b in document.partition if b.node_id == "register#Prices!A2")
    assert block.origin == "Prices!A2:B2"
    assert [cell[:2] for cell in xlsx.cells(document, block)] == [("Prices!A2", "North"), ("Prices!B2", "12")]
    assert [document.slice(block.page, start, end) for *_, start, end in xlsx.cells(document, block)] == [b"North", b"12"]


def test_values_are_shown_as_the_sheet_shows_them_and_the_stored_number_is_kept() -> None:
    book = book_of(["Item", "Rate", "Price", "Since", "Span"], ["Oil", 0.045, 1234.5, date(2026, 3, 4), timedelta(hours=36)])
    sheet = book.active
    sheet["B2"].number_format, sheet["C2"].number_format = "0.0%", '#,##0.00\\ "€"'
    document = read(book)
    assert rows_of(document)[1][1] == "Oil\t4.5%\t1,234.50 €\t2026-03-04\t36:00:00"
    assert ("metadata", "B2 [0.045]; C2 [1234.5]") in shown(document)


def test_formulas_stand_beside_their_values() -> None:
    data = saved(book_of(["Lamp", "Hours", "Twice"], ["North", 12, "=B2*2"]))
    document = parse(SOURCE, changed(data, "xl/worksheets/sheet1.xml", rb"<v ?/>|<v></v>", b"<v>24</v>"))
    assert rows_of(document)[1][1] == "North\t12\t24"
    assert ("metadata", "C2 =B2*2") in shown(document)


def test_formulas_that_nobody_calculated_stand_for_their_values() -> None:
    link = '=HYPERLINK("rules.docx","the ""rules""")'
    document = read(book_of(["Lamp", "Hours", "Twice"], ["North", 12, "=B2*2"], ["South", link, None]))
    assert [row[1] for row in rows_of(document)][1:] == ["North\t12\t=B2*2", 'South\tthe "rules"']
    assert [(found.kind, found.subject) for found in document.findings] == [("not_calculated", "Prices")]
    (led,) = document.hyperlinks
    assert (led.target, document.slice(led.page, led.start, led.end)) == ("rules.docx", b'the "rules"')


def test_merged_cells_have_their_value_once_and_rows_below_are_found_by_it() -> None:
    book = book_of(["Region", "Lamp", "Hours"], ["North", "A", 1], [None, "B", 2])
    book.active.merge_cells("A2:A3")
    document = read(book)
    assert [row[1:] for row in rows_of(document)][1:] == [
        ("North\tA\t1", "Region: North | Lamp: A | Hours: 1"),
        ("B\t2", "Region: North | Lamp: B | Hours: 2"),
    ]


def test_a_header_of_two_rows_names_groups() -> None:
    book = book_of(["Lamp", "Hours", None], [None, "Day", "Night"], ["North", 1, 11])
    book.active.merge_cells("B1:C1")
    for row in book.active["A1:C2"]:
        for cell in row:
            cell.font = Font(bold=True)
    assert rows_of(read(book))[2][2] == "Lamp: North | Hours / Day: 1 | Hours / Night: 11"


def test_names_that_recur_below_names_of_groups_are_a_header() -> None:
    """Two quarters a year: the second row alone names nothing, both together do."""
    book = book_of(["Region", "2025", None, "2026", None], [None, "Q1", "Q2", "Q1", "Q2"], ["North", 1, 2, 3, 4])
    for area in ("A1:A2", "B1:C1", "D1:E1"):
        book.active.merge_cells(area)
    shown_as = rows_of(read(book))[2][2]
    assert shown_as == "Region: North | 2025 / Q1: 1 | 2025 / Q2: 2 | 2026 / Q1: 3 | 2026 / Q2: 4"


def test_columns_of_one_name_are_a_header_where_values_below_differ_in_kind() -> None:
    document = read(book_of(["Risk", "Cost", "Cost"], ["Fire", 1, 2], ["Leak", 3, 4]))
    assert rows_of(document)[1][2] == "Risk: Fire | Cost: 1 | Cost: 2"


def test_a_second_table_under_a_title_has_a_header_of_its_own() -> None:
    document = read(book_of(["Lamp", "Hours"], ["North", 12], [], ["Keepers"], ["Key", "Value"], ["Ada", "north"]))
    assert rows_of(document)[-1][2] == "Key: Ada | Value: north"


def test_tables_of_one_sheet_have_their_own_titles_and_headers() -> None:
    book = book_of(
        ["Lamps"], ["Lamp", "Hours"], ["North", 12], [], ["Keepers"], [], ["Name", "Shift"], ["Ada", 1], ["Bob", 2]
    )  # fmt: skip
    document = read(book)
    tables = [(node.node_id, node.heading) for node in document.nodes if node.kind == "table"]
    assert tables == [("register#Prices!A1", "Lamps"), ("register#Prices!A7", "Keepers")]
    assert rows_of(document)[-1][2] == "Name: Bob | Shift: 2"


@pytest.mark.parametrize("header", [["Lamp", "Keeper", "Bell"], ["Code", "Text", "Who"]])
def test_a_table_of_texts_has_its_first_row_as_header_and_goes_on_after_a_blank_row(header: list[str]) -> None:
    document = read(book_of(header, ["North", "Ada", "brass"], [], ["South", "Bob", "iron"]))
    assert rows_of(document)[-1][2] == f"{header[0]}: South | {header[1]}: Bob | {header[2]}: iron"


def test_numbers_alone_have_no_header() -> None:
    assert [row[2] for row in rows_of(read(book_of([1, 2, 3], [4, 5, 6])))] == ["1 | 2 | 3", "4 | 5 | 6"]


def test_hidden_sheets_comments_links_and_names_are_kept() -> None:
    book = book_of(["Lamp", "See"], ["North", "log"])
    sheet = book.active
    sheet["A2"].comment = Comment("Check the wick.", "Ada")
    sheet["B2"].hyperlink = "https://example.invalid/log"
    hidden = book.create_sheet("Codes")
    hidden.sheet_state = "hidden"
    hidden.append(["only a code"])
    book.defined_names["first_lamp"] = DefinedName("first_lamp", attr_text="Prices!$A$2")
    document = read(book)
    assert ("annotation", "Check the wick.") in shown(document)
    link = document.hyperlinks[0]
    assert (document.slice(link.page, link.start, link.end), link.target) == (b"log", "https://example.invalid/log")
    assert document.anchors["first_lamp"] == "register#Prices!A2"
    assert ("metadata", "first_lamp: =Prices!$A$2") in shown(document)
    assert [(found.kind, found.subject) for found in document.findings] == [("hidden_sheet", "Codes")]
    assert document.pages[1].strip() == b"only a code"


def test_many_rows_share_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "NODES_LIMIT", 10)
    document = read(book_of(["Lamp", "Hours"], *([f"L{at}", at] for at in range(39))))
    records = [node for node in document.nodes if node.kind == "record"]
    assert len(records) == 10
    assert records[0].label == "2–5"
    assert rows_of(document)[1][2].splitlines()[1] == "Lamp: L1 | Hours: 1"
    assert sum(row[1].count("\n") + 1 for row in rows_of(document)) == 40
    assert [found.kind for found in document.findings] == ["grouped_records"]


def test_a_long_text_in_a_million_cells_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "MAX_TEXT", 1000)
    with pytest.raises(xlsx.TooExpensive, match="show more than"):
        read(book_of(*(["x" * 300] for _ in range(5))))


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.045, "0.0%", "4.5%"), (-1234.5, '"$"#,##0.00_);("$"#,##0.00)', "($1,234.50)"), (5, "000", "005"),
        (123456789, "000-00-0000", "123-45-6789"), (1234567, '0.0,,"M"', "1.2M"), (1.5, "# ?/?", "1 1/2"),
        (12345, "0.00E+00", "1.23E+04"), (45296.5, "d/m/yy h:mm", "2024-01-05 12:00"), (45292, "mmm yyyy", "2024-01"),
        (1.25, "[h]:mm:ss", "30:00:00"), (0, '0;-0;"none"', "none"), (2, '[=1]"one";[=2]"two";0', "two"),
        (3.1, 'General "kg"', "3.1 kg"), (0.1 + 0.2, "", "0.3"), (2, "GENERAL", "2"),
        (60, "yyyy-mm-dd", "1900-02-29"), (2.5, "0", "3"),
    ],
)  # fmt: skip
def test_number_formats(value: float, code: str, text: str) -> None:
    assert display(value, code) == text


def test_a_workbook_may_count_from_1904() -> None:
    book = book_of(["Day"], [datetime(2026, 1, 2)])
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    book.active["A2"] = datetime(2026, 1, 2)
    assert "2026-01-02" in read(book).pages[0].decode()


def test_shared_formulas_move_with_their_cell() -> None:
    assert moved("SUM(B$1:B3)*'Old A1'!C4&\"D5\"+LOG10(2)", 1, 2) == "SUM(D$1:D4)*'Old A1'!E5&\"D5\"+LOG10(2)"


def test_years_in_order_are_names_of_columns_and_other_numbers_are_data() -> None:
    years = book_of(["Line", 2024, 2025], ["Dues", 1, 2], ["Rents", 3, 4])
    assert rows_of(read(years))[1][2] == "Line: Dues | 2024: 1 | 2025: 2"
    months = book_of(["Line", date(2026, 1, 1), date(2026, 2, 1)], ["Dues", 1, 2])
    assert rows_of(read(months))[1][2] == "Line: Dues | 2026-01-01: 1 | 2026-02-01: 2"
    days = book_of(["Keeper", 1, 2, 3, 4], ["Ada", "day", "off", "off", "day"])
    assert rows_of(read(days))[1][2] == "Keeper: Ada | 1: day | 2: off | 3: off | 4: day"
    for data in ([["Ada", 34, "north"], ["Bob", 29, "south"]], [["Ada", 1990, "north"], ["Bob", 1985, "south"]]):
        assert rows_of(read(book_of(*data)))[1][2] == " | ".join(map(str, data[1]))
    assert rows_of(read(book_of(["Year", 2026], ["Owner", "Ada"])))[1][2] == "Owner: Ada"


def test_a_merge_is_shown_in_its_rows_however_many_come_after_it() -> None:
    book = book_of(["Lamp", "Keeper"], ["North", "Ada"], ["South", None], ["East", "Bob"])
    book.active.merge_cells("B2:B3")
    assert [row[2] for row in rows_of(read(book))][2:] == ["Lamp: South | Keeper: Ada", "Lamp: East | Keeper: Bob"]


def test_lines_above_a_table_are_its_title_with_the_unit_and_sentences_are_not() -> None:
    book = book_of(["Budget"], ["in thousands"], [], ["Line", "2025"], ["Dues", 1])
    assert [node.heading for node in read(book).nodes if node.kind == "table"] == ["Budget, in thousands"]
    book = book_of(["This book is reviewed each year."], [], ["Rules"], ["1. Trim the wick."])
    assert [node.kind for node in read(book).nodes] == ["document", "sheet", "record", "record"]


def test_tables_beside_each_other_are_read_one_after_the_other() -> None:
    book = book_of(
        ["Lamps", None, None, None, "Codes"], ["Lamp", "Hours", "Since", None, "Code", "Meaning"],
        ["North", 12, 2020, None, "N", "north quay"], ["South", 9, 2021, None, "S", "south quay"],
        ["East", 7, 2022], ["West", 5, 2023], ["Total", 33], [None, None, None, "counted by hand"],
    )  # fmt: skip
    sheet = book.active
    sheet["E3"].comment = Comment("Painted white.", "Ada")
    sheet.merge_cells("F3:F4")
    document = read(book)
    assert [(node.node_id, node.heading) for node in document.nodes if node.kind == "table"] == [
        ("register#Prices!A1", "Lamps"), ("register#Prices!E1", "Codes"),
    ]  # fmt: skip
    assert [row[2] for row in rows_of(document) if row[2]] == [
        "Lamp | Hours | Since", "Lamp: North | Hours: 12 | Since: 2020", "Lamp: South | Hours: 9 | Since: 2021",
        "Lamp: East | Hours: 7 | Since: 2022", "Lamp: West | Hours: 5 | Since: 2023", "Lamp: Total | Hours: 33",
        "Code | Meaning", "Code: N | Meaning: north quay", "Code: S | Meaning: north quay",
    ]  # fmt: skip
    assert ("register#Prices!D8", "counted by hand") in [row[:2] for row in rows_of(document)]
    (remark,) = [block for block in document.partition if block.role == "annotation"]
    assert remark.node_id == "register#Prices!E3"


def test_a_column_left_empty_for_the_eye_parts_no_table() -> None:
    rows = [["Lamp", "Keeper", None, "Hours", "Since"], ["North", "Ada", None, 12, 2020], ["South", "Bob", None, None, None]]
    document = read(book_of(*rows))
    assert rows_of(document)[1][2] == "Lamp: North | Keeper: Ada | Hours: 12 | Since: 2020"


def test_tables_beside_each_other_that_go_on_are_read_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pincite.parse.office.region.MOST_BESIDE", 10)
    rows = [["Name", "Hours", None, "Name", "Hours"], *([f"a{at}", at, None, f"b{at}", at] for at in range(60))]
    found = [cell for row in rows_of(read(book_of(*rows))) for cell in row[1].split("\t")]
    assert sorted(found) == sorted(str(cell) for row in rows for cell in row if cell is not None)


def test_tables_that_the_workbook_names_are_read_one_after_the_other_and_below_each_other() -> None:
    book = book_of(["Lamp", "Hours", None, "Keeper", "Phone"], ["North", 1, None, "Ada", 2], ["Oil", "Litres"], ["Whale", 3])
    for name, place in (("Lamps", "A1:B2"), ("Keepers", "D1:E2"), ("Oils", "A3:B4")):
        book.active.add_table(Table(displayName=name, ref=place))
    assert [shown for _, _, shown in rows_of(read(book)) if ":" in shown] == [
        "Lamp: North | Hours: 1", "Keeper: Ada | Phone: 2", "Oil: Whale | Litres: 3",
    ]  # fmt: skip


def test_remarks_below_a_table_are_no_values_of_its_first_column() -> None:
    rows = [["Lamp", "Hours", "Keeper"], ["North", 1, "Ada"], [None, None, None], ["1) until June"], ["Source: keeper"]]
    assert [shown for _, _, shown in rows_of(read(book_of(*rows)))][-2:] == ["", ""]


def test_a_cell_across_a_table_is_no_value_and_a_bold_one_names_the_rows_below() -> None:
    book = book_of(
        ["Code", "Lamp", "Fee"], ["A. Oil"], ["A1", "North", 1], ["Fixed each year."], ["B. Gas"], ["B1", "South", 2]
    )
    for row in (2, 5):
        book.active.cell(row, 1).font = Font(bold=True)
    book.active.merge_cells("A4:C4")
    document = read(book)
    assert [shown for _, text, shown in rows_of(document) if text.startswith("Fixed")] == [""]
    assert [(node.parent_id, node.kind) for node in document.nodes if node.node_id.endswith(("A3", "B1", "A6"))] == [
        ("register#Prices!A2", "record"), ("register#Prices!A5", "record"),
    ]  # fmt: skip


def test_years_above_a_column_of_names_are_a_header_without_a_word_before_them() -> None:
    rows = rows_of(read(book_of([None, 2024, 2025], ["Births", 5, 6], ["Deaths", 3, 4])))
    assert rows[1][2] == "Births | 2024: 5 | 2025: 6"
    assert rows_of(read(book_of([2024, 2025, 2026], [5, 6, 7])))[1][2] == "5 | 6 | 7"


def test_a_form_has_no_header() -> None:
    book = book_of(["Applicant", "Orlo"], ["Street", "High"])
    for row in (1, 2):
        book.active.cell(row, 1).font = Font(bold=True)
    assert [shown for _, _, shown in rows_of(read(book))] == ["Applicant: Orlo", "Street: High"]


def test_units_in_a_row_that_stays_in_place_belong_to_the_names() -> None:
    book = book_of(["Permit", "Power", "Oil"], [None, "W", None], ["P-1", 60, 3])
    book.active.freeze_panes = "A3"
    assert rows_of(read(book))[-1][2] == "Permit: P-1 | Power / W: 60 | Oil: 3"


def test_a_link_leads_to_the_record_that_holds_the_cell() -> None:
    book = book_of(["Lamp", "Where"], ["North", '=HYPERLINK("#Oils!B2","there")'])
    book.active["A2"].hyperlink = "#Oils!B1"
    oils = book.create_sheet("Oils")
    oils.append(["Oil", "Litres"])
    oils.append(["Whale", 3])
    document = read(book)
    assert {link.target: document.anchors.get(link.target[1:]) for link in document.hyperlinks} == {
        "#Oils!B1": "register#Oils", "#Oils!B2": "register#Oils!A2",
    }  # fmt: skip


def test_values_that_a_merge_hides_are_said() -> None:
    book = book_of(["Lamp", "Hours"], ["North", 12])
    data = changed(
        saved(book),
        "xl/worksheets/sheet1.xml",
        b"</sheetData>",
        b'</sheetData><mergeCells><mergeCell ref="A2:B2"/></mergeCells>',
    )
    document = parse(SOURCE, data)
    assert [(found.kind, found.subject) for found in document.findings] == [("covered_text", "B2 12")]


@pytest.mark.parametrize("code", ["[h", "0[s", "0.0" * 50, ";;;", "[>", "0/", "/0", "E+0", "[$", '"'])
def test_broken_formats_never_crash(code: str) -> None:
    book = book_of(["Lamp"], [1e25])
    book.active["A2"].number_format = code
    assert len(rows_of(read(book))) == 2


def test_names_of_groups_may_stand_in_several_rows_and_reach_over_few_cells() -> None:
    book = book_of([None, 2026], [None, "H1", None, "H2"], ["Unit", "Plan", "Real", "Plan", "Real"], ["North", 1, 2, 3, 4])
    for place in ("B1:E1", "B2:C2", "D2:E2"):
        book.active.merge_cells(place)
    shown = rows_of(read(book))[-1][2]
    assert shown == "Unit: North | 2026 / H1 / Plan: 1 | 2026 / H1 / Real: 2 | 2026 / H2 / Plan: 3 | 2026 / H2 / Real: 4"


def test_a_title_merged_across_a_table_names_no_columns() -> None:
    book = book_of(["Lamps of the pier"], ["Lamp", "Hours"], ["North", 12])
    book.active.merge_cells("A1:B1")
    assert rows_of(read(book))[-1][2] == "Lamp: North | Hours: 12"


def test_a_header_that_comes_again_is_no_record_of_itself() -> None:
    assert rows_of(read(book_of(["Lamp", "Hours"], ["North", 12], ["Lamp", "Hours"], ["South", 9])))[2][2] == "Lamp | Hours"


def test_groups_of_a_pivot_table_belong_to_every_row() -> None:
    rows = [["Region", "Lamp", "Sum"], ["North", "Desk", 1], [None, "Floor", 2], ["Total", None, 3]]
    where = "xl/worksheets/_rels/sheet1.xml.rels"
    pivot = f'<pivotTableDefinition xmlns="{MAIN}"><location ref="A1:C4" firstDataCol="2"/></pivotTableDefinition>'
    with ZipFile(BytesIO(saved(book_of(*rows)))) as archive:
        parts: dict[str, str | bytes] = {each: archive.read(each) for each in archive.namelist()}
    data = zipped(parts | {where: relations(("p", "pivotTable", "../pivot.xml")), "xl/pivot.xml": pivot})
    assert [shown for _, _, shown in rows_of(parse(SOURCE, data))][2:] == [
        "Region: North | Lamp: Floor | Sum: 2", "Region: Total | Sum: 3",
    ]  # fmt: skip


def test_a_sentence_below_a_title_takes_nothing_from_it() -> None:
    rows = [["Fees of the pier"], ["They hold from May; oil is extra."], [None], ["Lamp", "Fee"], ["North", 12]]
    (table,) = (node for node in read(book_of(*rows)).nodes if node.kind == "table")
    assert table.heading == "Fees of the pier"


def test_the_name_of_a_column_of_names_may_stand_in_a_row_below_the_header() -> None:
    book = book_of([None, "2025", None], [None, "Plan", "Real"], ["Unit"], ["North", 1, 2])
    book.active.merge_cells("B1:C1")
    assert rows_of(read(book))[-1][2] == "Unit: North | 2025 / Plan: 1 | 2025 / Real: 2"


def test_a_sentence_alone_below_a_table_is_no_value_of_its_first_column() -> None:
    rows = [["Lamp", "Hours", "Keeper"], ["North", 1, "Ada"], ["South"], ["Hours are those of the summer."]]
    assert [shown for _, _, shown in rows_of(read(book_of(*rows)))][2:] == ["Lamp: South", ""]


def test_a_row_of_errors_above_a_table_names_nothing() -> None:
    book = book_of(["#NAME?", "#NAME?", "#NAME?"], ["Purpose", None, "0-6"], ["Sex", "Age", None], ["Male", "15-24", 12])
    for cell in book.active[1]:
        cell.data_type = "e"
    book.active.merge_cells("A2:B2")
    assert rows_of(read(book))[-1][2] == "Purpose / Sex: Male | Purpose / Age: 15-24 | 0-6: 12"


def test_names_of_groups_need_not_be_merged() -> None:
    rows = [
        [None, "2024", None, "2025"],
        ["Lamp", "Plan", "Real", "Plan", "Real"],
        ["North", 1, 2, 3, 4],
        ["South", 5, 6, 7, 8],
    ]
    assert (
        rows_of(read(book_of(*rows)))[2][2] == "Lamp: North | 2024 / Plan: 1 | 2024 / Real: 2 | 2025 / Plan: 3 | 2025 / Real: 4"
    )
    preamble = [["Prepared by", "Ada"], ["Lamp", "Plan", "Real", "Low", "High"], ["North", 1, 2, 3, 4]]
    assert rows_of(read(book_of(*preamble)))[-1][2] == "Lamp: North | Plan: 1 | Real: 2 | Low: 3 | High: 4"


def test_rows_of_groups_below_a_header_do_not_name_the_column_of_names() -> None:
    rows = [[None, "Plan", "Real"], ["Lamps"], ["North", 1, 2], ["Oils"], ["Whale", 3, 4]]
    assert rows_of(read(book_of(*rows)))[2][2] == "North | Plan: 1 | Real: 2"
