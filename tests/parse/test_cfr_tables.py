"""Tables of the Code: their columns, their titles and their notes, in the three ways they are marked up."""

from __future__ import annotations

from pincite.model import Document, Source, conserved
from pincite.parse import parse
from pincite.passages import build


def read(body: str) -> Document:
    data = (
        f'<DIV8 N="9.1" TYPE="SECTION"><HEAD>§ 9.1 Goats.</HEAD><P>(a) See the table.</P>{body}<P>(b) End.</P></DIV8>'.encode()
    )
    document = parse(Source("x", "", "", "", "application/xml", "title-99/x.xml", len(data), ""), data)
    assert conserved(document)
    return document


def annual(table: str) -> Document:
    section = f"<SECTION><SECTNO>§ 9.1</SECTNO><SUBJECT>Goats.</SUBJECT><P>(a) See the table.</P>{table}</SECTION>"
    data = f"<CFRGRANULE><PART><HD SOURCE='HED'>PART 9—GOATS</HD>{section}</PART></CFRGRANULE>".encode()
    return parse(Source("x", "", "", "", "application/xml", "title-99/x.xml", len(data), ""), data)


def rows(document: Document) -> list[str]:
    return [document.display[b.ordinal] for b in document.partition if b.role == "table" and b.ordinal in document.display]


def footnotes(document: Document) -> list[tuple[str, str]]:
    """Each mark, and what the footnote it is linked to begins with."""
    page = document.pages[0]
    return [
        (page[k.start : k.end].decode(), " ".join(page[k.target_start : k.target_end].decode().split()))
        for k in document.links
        if k.kind == "footnote"
    ]


def test_cells_that_span_leave_the_others_in_their_columns() -> None:
    table = """<TABLE><THEAD><TR><TH rowspan="2">Kind</TH><TH colspan="2">Milk</TH><TH rowspan="2">Age</TH></TR><TR><TH>Raw</TH>
<TH>Boiled</TH></TR></THEAD><TBODY><TR><TD rowspan="2">Goat</TD><TD>1</TD><TD>2</TD><TD>3</TD></TR>
<TR><TD>4</TD><TD>5</TD><TD>6</TD></TR>
<TR><TD colspan="4">Sheep</TD></TR><TR><TD>Ewe</TD><TD>7</TD><TD>8</TD><TD>9</TD></TR></TBODY></TABLE>"""
    assert rows(read(table)) == [
        "Kind | Milk |  | Age", " | Raw | Boiled", "Goat | 1 | 2 | 3", " | 4 | 5 | 6", "Sheep", "Ewe | 7 | 8 | 9",
    ]  # fmt: skip


def test_headings_of_two_levels_name_each_column() -> None:
    heads = (
        '<CHED H="1">Kind</CHED><CHED H="1">Milk</CHED><CHED H="2">Raw</CHED><CHED H="2">Boiled</CHED><CHED H="1">Age</CHED>'
    )
    body = '<ROW><ENT I="01">Goat</ENT><ENT>1</ENT><ENT>2</ENT><ENT>3</ENT></ROW><ROW><ENT I="21" A="03">Sheep</ENT></ROW>'
    given = annual(f"<GPOTABLE><TTITLE>Table 1</TTITLE><BOXHD>{heads}</BOXHD>{body}</GPOTABLE>")
    assert rows(given) == ["Table 1", "Kind | Milk – Raw | Milk – Boiled | Age", "Goat | 1 | 2 | 3", "Sheep"]


def test_the_title_and_the_notes_around_a_table_are_the_tables() -> None:
    given = read(
        """<DIV width="100%"><DIV class="table_head"><P class="gpotbl_title">Table 1—Goats</P></DIV>
<DIV class="gpotbl_div"><TABLE>
<TR><TH>Kind</TH><TH>Milk <sup>1</sup></TH></TR><TR><TD>Goat <sup>2</sup></TD><TD>10<sup>3</sup></TD></TR></TABLE></DIV>
<DIV class="table_foot"><P class="gpotbl_note"><sup>1</sup> (1) In litres.</P>
<P class="gpotbl_note"><sup>2</sup> Any.</P></DIV></DIV>"""
    )
    assert [n.node_id for n in given.nodes] == ["99 CFR 9.1", "99 CFR 9.1(a)", "99 CFR 9.1(b)"]
    assert footnotes(given) == [("1", "1 (1) In litres."), ("2", "2 Any.")]
    assert not given.findings
    (link,) = [k for k in given.links if k.kind == "table_header"]
    assert given.slice(1, link.target_start, link.target_end).decode().startswith("Table 1—Goats")


def test_a_heading_that_names_the_table_is_kept_with_its_rows() -> None:
    body = "".join(f"<TR><TD>Goat number {n} of the herd in the yard behind the house</TD></TR>" for n in range(60))
    given = read(f"<HD1>Table 1 to Paragraph (a)</HD1><TABLE><TR><TH>Kind</TH></TR>{body}</TABLE>")
    pieces = [p for p in build(given, 200) if p.role == "table"]
    assert len(pieces) > 2
    assert all("Table 1 to Paragraph (a)\nKind\n" in p.retrieval_text for p in pieces[1:])


def test_notes_of_gpo_tables_are_linked_and_marks_raised_together_are_two() -> None:
    heads = "<BOXHD><CHED H='1'>Kind</CHED><CHED H='1'>Milk <SU>1 2</SU></CHED></BOXHD><ROW><ENT>Goat</ENT><ENT>1</ENT></ROW>"
    given = annual(f"<GPOTABLE>{heads}<TNOTE><SU>1</SU> In litres.</TNOTE><TNOTE><SU>2</SU> A day.</TNOTE></GPOTABLE>")
    assert footnotes(given) == [("1", "1 In litres."), ("2", "2 A day.")]
    assert [b.role for b in given.partition if b.role != "blank"][-2:] == ["footnote", "footnote"]
