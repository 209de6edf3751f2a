"""Delimited files: dialects, headers, encodings, each cell once with its bytes, long files."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.parse.reading import leads_back, places, shown, sound, source_of

from pincite.errors import PinciteError
from pincite.model import Document
from pincite.parse import dialect, parse
from pincite.parse.delimited import cells
from pincite.parse.dialect import Marks, detect, lines_of, records


def made(text: str | bytes, media_type: str = "text/csv") -> Document:
    return parse(source_of(media_type), text if isinstance(text, bytes) else text.encode())


LAMPS = 'Lamp register 2026\n\nLamp;Hours;Cost;"Note, long"\r\nNorth;12;1,5;"a ""b""\nc"\r\nSouth;;2,25;x\r\n'


def test_a_record_is_a_place_and_repeats_the_header() -> None:
    document = made(LAMPS)
    assert places(document) == [("#row-1", "record", "row 1", "North"), ("#row-2", "record", "row 2", "South")]
    assert shown(document, "body") == ["Lamp register 2026"]
    assert shown(document, "table") == [
        "Lamp | Hours | Cost | Note, long",
        'Lamp: North | Hours: 12 | Cost: 1,5 | Note, long: a "b" c',
        "Lamp: South | Cost: 2,25 | Note, long: x",
    ]
    (header,) = document.links
    assert document.slice(1, header.target_start, header.target_end).startswith(b"Lamp;Hours")
    assert leads_back(document, LAMPS.encode())
    assert sound(document)


def test_each_cell_has_its_own_bytes_in_the_file() -> None:
    for encoding, media_type in (("utf-8", "text/csv"), ("utf-16", "text/csv"), ("cp1252", "text/csv; charset=cp1252")):
        data = 'Lampe;Höhe;Ort\nGröße;"1;5";"a ""b"""\n;;Köln\n'.encode(encoding)
        document = made(data, media_type)
        found = [list(cells(document, data, block)) for block in document.partition if block.node_id.startswith("doc#row")]
        assert [[(cell.column, cell.value) for cell in row] for row in found] == [
            [("Lampe", "Größe"), ("Höhe", "1;5"), ("Ort", 'a "b"')],
            [("Lampe", ""), ("Höhe", ""), ("Ort", "Köln")],
        ]
        plain = {"utf-16": "utf-16-le"}.get(encoding, encoding)
        written = [data[cell.raw_start : cell.raw_end].decode(plain) for cell in found[0]]
        assert written == ["Größe", '"1;5"', '"a ""b"""']


@pytest.mark.parametrize(
    ("text", "delimiter", "columns", "headed"),
    [
        ("a,b\n1,2\n", ",", ("a", "b"), True),
        ("a\tb\n1,5\t2,5\n", "\t", ("a", "b"), True),
        ("Ort;Preis\nKöln;1,50\nBonn;2,25\n", ";", ("Ort", "Preis"), True),
        ("Name;Place\nDoe, John;Rome, Italy\nRoe, Jane;Bern, CH\n", ";", ("Name", "Place"), True),
        ("Region,2023,2024\nNorth,12,13\nSouth,1,2\n", ",", ("Region", "2023", "2024"), True),
        ("1|x|2026-01-01\n2|y|2026-01-02\n", "|", ("Column 1", "Column 2", "Column 3"), False),
        ("North,12\nSouth,13\n", ",", ("Column 1", "Column 2"), False),
        ("sep=;\na;b\n1;2\n", ";", ("a", "b"), True),
        ("Lamp,,Cost,Cost\nx,1,2,3\ny,1,2,3\n", ",", ("Lamp", "Column 2", "Cost", "Cost"), True),
        ("1,2\n3,4\n", ",", ("Column 1", "Column 2"), False),
        ("Remark\nonly one column\n", ",", ("Remark",), True),
        ("'a, b','c'\n'd','e'\n'f','g'\n", ",", ("a, b", "c"), True),
    ],
)
def test_dialects(text: str, delimiter: str, columns: tuple[str, ...], headed: bool) -> None:
    found = detect(text)
    assert (found.delimiter, found.columns, bool(found.heads)) == (delimiter, columns, headed)


@pytest.mark.parametrize(
    ("text", "records"),
    [
        ("Stock\nSites: North, South\n\nItem,Qty,Unit\nBolt,10,pcs\nNut,20,pcs\n", ["Item: Bolt | Qty: 10 | Unit: pcs"]),
        (
            ",2024,,2025,\nRegion,Sold,Cost,Sold,Cost\nNorth,10,5,12,6\n",
            ["Region: North | 2024 Sold: 10 | 2024 Cost: 5"],
        ),
        (
            "Region,2024,,2025,\n,Sold,Cost,Sold,Cost\nNorth,10,5,12,6\n",
            ["Region: North | 2024 Sold: 10 | 2024 Cost: 5"],
        ),
        ('id, name, "note"\n1, Ann, "a, b"\n2, Bo, "c"\n', ["id: 1 | name: Ann | note: a, b", "id: 2 | name: Bo | note: c"]),
        ("id,name\n1,x\nid,name\n2,y\n", ["id: 1 | name: x", "id: 2 | name: y"]),
        (",Read,Write,Delete\nAdmin,x,x,x\nUser,x,,\n", ["Column 1: Admin | Read: x | Write: x", "Column 1: User | Read: x"]),
        ("time,speed\ns,m/s\n0,1.5\n1,2.5\n", ["time s: 0 | speed m/s: 1.5", "time s: 1 | speed m/s: 2.5"]),
        ("Sum,Key,Tag,Tag\nFix,AB-1,ui,hot\n", ["Sum: Fix | Key: AB-1 | Tag: ui | Tag: hot"]),
        ("Name,City\nAnn,Rome,x\nBo,Bern,y\nCy,Paris,z\n", ["Name: Ann | City: Rome | Column 3: x"]),
    ],
    ids=[
        "remarks above",
        "spanned",
        "spanned the other way",
        "blanks",
        "pages",
        "crosses",
        "units",
        "one record",
        "short header",
    ],
)
def test_which_rows_name_the_columns(text: str, records: list[str]) -> None:
    document = made(text)
    found = [words for words in shown(document, "table") if ": " in words]
    assert all(one.startswith(other) for one, other in zip(found, records, strict=False))
    assert len(found) >= len(records)
    assert leads_back(document, text.encode())


def test_what_follows_a_table_is_none_of_its_records() -> None:
    text = "id,name\n1,x\n2,y\n\nSource: the ledger\n\ncode,price,unit\nC1,5,kg\nC2,6,kg\n\nkey,n\nK,1\n"
    document = made(text)
    assert shown(document, "body") == ["Source: the ledger"]
    assert shown(document, "table") == [
        "id | name", "id: 1 | name: x", "id: 2 | name: y",
        "code | price | unit", "code: C1 | price: 5 | unit: kg", "code: C2 | price: 6 | unit: kg",
        "key | n", "key: K | n: 1",
    ]  # fmt: skip
    assert [name for name, kind, *_ in places(document) if kind == "record"] == [f"#row-{n}" for n in range(1, 6)]
    last = next(block for block in document.partition if block.node_id == "doc#row-4")
    assert [cell.column for cell in cells(document, text.encode(), last)] == ["code", "price", "unit"]
    assert leads_back(document, text.encode())
    assert sound(document)


def test_cells_that_hold_html_are_shown_as_they_are_read() -> None:
    text = 'id,note\n1,"<p>Oil &amp; <b>wicks</b></p><ul><li>daily</li></ul>"\n2,a < b & c\n'
    assert shown(made(text), "table")[1:] == ["id: 1 | note: Oil & wicks daily", "id: 2 | note: a < b & c"]
    assert leads_back(made(text), text.encode())


def test_a_group_that_no_column_has_is_told() -> None:
    assert [found.kind for found in made("a,b\n1,2\n", "text/csv; group=Nope").findings] == ["setting_without_effect"]


def test_what_is_declared_is_taken_as_it_is() -> None:
    document = made("a;b\nc;d\n", 'text/csv; delimiter=","; header=absent')
    assert shown(document, "table") == ["Column 1: a;b", "Column 1: c;d"]
    assert detect("a\tb,c\n1\t2,3\n", "text/tab-separated-values").delimiter == "\t"


def test_records_of_a_group_are_below_its_place() -> None:
    document = made("Region,Lamp\nNorth,A\nNorth,B\nSouth,C\n", "text/csv; group=Region")
    assert places(document) == [
        ("#north", "heading", "Region", "North"),
        ("#row-1", "record", "row 1", "North"),
        ("#row-2", "record", "row 2", "North"),
        ("#south", "heading", "Region", "South"),
        ("#row-3", "record", "row 3", "South"),
    ]
    assert document.nodes[2].parent_id == "doc#north"


def test_records_of_a_group_that_are_apart_are_below_one_place() -> None:
    document = made("Lamp,Region\nA,North\nB,South\nC,North\nD,South\n", "text/csv; group=Region")
    above = {node.heading: node.parent_id for node in document.nodes if node.kind == "record"}
    assert above == {"A": "doc#north", "B": "doc#south", "C": "doc#north", "D": "doc#south"}
    assert [node.node_id for node in document.nodes if node.kind == "heading"] == ["doc#north", "doc#south"]
    assert sound(document)


def test_records_with_too_many_or_too_few_cells_are_kept_and_counted() -> None:
    document = made("a,b\n1,2,3\n4\n5,6\n")
    assert shown(document, "table")[1:] == ["a: 1 | b: 2 | Column 3: 3", "a: 4", "a: 5 | b: 6"]
    assert [(found.kind, found.subject) for found in document.findings] == [("ragged_records", "2")]


@pytest.mark.parametrize(
    "text", ['a,b\n"x,1\ny,2\nz,3\n', 'a,b\nx,"5"" pipe\ny,2\n' + "z,3\n" * 200, 'a,b\n"in,1\n"out,2\nz,3\n']
)
def test_a_quotation_mark_that_is_never_closed_swallows_nothing(text: str) -> None:
    document = made(text)
    assert sum(node.kind == "record" for node in document.nodes) == text.count("\n") - 1
    assert leads_back(document, text.encode())


def test_tabs_at_the_ends_of_a_line_are_cells() -> None:
    document = made("a\tb\tc\n\tx\t\n", "text/tab-separated-values")
    data = b"a\tb\tc\n\tx\t\n"
    (block,) = (block for block in document.partition if block.node_id == "doc#row-1")
    assert [cell.value for cell in cells(document, data, block)] == ["", "x", ""]


@pytest.mark.slow
def test_lines_of_delimiters_alone_are_no_records() -> None:
    document = made("Lamp,Oil\nL-1,2\n,,\n ,\nL-2,3\n,\n")
    assert [name for name, kind, *_ in places(document) if kind == "record"] == ["#row-1", "#row-2"]
    assert [finding.kind for finding in document.findings] == []
    assert sound(document)


def test_quotation_marks_behind_a_backslash_belong_to_the_cell() -> None:
    data = b'id,text,path\n1,"say \\"hi\\", ok","a"\n2,"b","C:\\\\x"\n'
    document = parse(source_of("text/csv"), data)
    assert shown(document, "table")[1:] == ['id: 1 | text: say "hi", ok | path: a', "id: 2 | text: b | path: C:\\x"]
    assert [finding.kind for finding in document.findings] == []
    row = next(block for block in document.partition if block.node_id == "doc#row-1")
    found = [(cell.value, data[cell.raw_start : cell.raw_end]) for cell in cells(document, data, row)]
    assert found == [("1", b"1"), ('say "hi", ok', b'"say \\"hi\\", ok"'), ("a", b'"a"')]


def test_a_path_that_ends_in_a_backslash_is_no_escape() -> None:
    document = made('path,n\n"C:\\dir\\",1\n"C:\\other\\",2\n')
    assert shown(document, "table")[1:] == ["path: C:\\dir\\ | n: 1", "path: C:\\other\\ | n: 2"]


def test_what_excel_is_told_of_the_separator_is_metadata() -> None:
    document = made("sep=|\nA|B\n1|2\n3|4\n")
    assert shown(document, "metadata") == ["sep=|"]


def test_a_million_records_in_bounded_memory_and_time() -> None:
    code = (
        "from pincite.parse import parse; from pincite.model import Source\n"
        "data = b'Lamp,Hours,Note\\n' + b'North,12,call the keeper\\n' * 1_000_000\n"
        "document = parse(Source('doc', '1', 'Doc', '', 'text/csv', 'd.csv', 0, ''), data)\n"
        "records = sum(node.kind == 'record' for node in document.nodes)\n"
        "print(records, document.findings[0].kind, b''.join(document.pages) == data)\n"
        "import os, resource\n"  # a process begins with its parent's ru_maxrss; its own peak is in /proc where there is one
        "status = open('/proc/self/status').read() if os.path.exists('/proc/self/status') else ''\n"
        "own = [int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith('VmHWM')]\n"
        "print(own[0] if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=250).stdout
    summary, megabytes = printed.splitlines()
    assert summary == "90910 grouped_records True"
    assert int(megabytes) < 900


_CELLS = st.lists(
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), max_size=8), min_size=3, max_size=3),
    min_size=1,
    max_size=8,
)


@given(_CELLS, st.sampled_from([",", ";", "\t", "|"]), st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_is_read_back_cell_by_cell(rows: list[list[str]], delimiter: str, ending: str) -> None:
    rows = [["first", "second", "third"], *rows]
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator=ending, quoting=csv.QUOTE_ALL).writerows(rows)
    data = written.getvalue().encode()
    name = {"\t": "tab"}.get(delimiter, delimiter)
    try:
        document = made(data, f'text/csv; delimiter="{name}"; header=present; charset=utf-8')
    except PinciteError:
        return
    assert leads_back(document, data)
    records = [block for block in document.partition if block.node_id.startswith("doc#row-")]
    filled = [row for row in rows[1:] if any(map(str.strip, row))]
    assert [[cell.value for cell in cells(document, data, block)] for block in records] == filled
    assert all(
        data[cell.raw_start : cell.raw_end].startswith(b'"') for block in records for cell in cells(document, data, block)
    )


@given(st.text(alphabet="ab1,;\t|\"'\n\r \0é", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        document = made(text)
    except PinciteError:
        return
    if all(finding.kind != "encoding_guessed" for finding in document.findings):
        assert leads_back(document, text.encode())
    assert sound(document)


@given(st.text(alphabet='ab,"\n\r\x0b\x1c\u2028é', max_size=60), st.integers(0, 9))
def test_lines_are_divided_piece_by_piece(text: str, size: int) -> None:
    whole, start = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", text), text.find("\n") + 1
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dialect, "PIECE", size)
        assert list(lines_of(text)) == whole
        assert "".join(lines_of(text, start)) == text[start:]
        in_pieces = list(records(text, Marks(",", '"'), expected=2))
    assert in_pieces == list(records(text, Marks(",", '"'), expected=2))
    assert [record.start for record in in_pieces[1:]] == [record.end for record in in_pieces[:-1]]
