"""Office documents for ``structure.py``: every heading, item, cell and note is a word that occurs once.

What a reader of the printed page would not see is ``absent``: deleted and hidden text, the text a merged cell covers.
"""

from __future__ import annotations

import io
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_FOOTNOTES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
_NUMBERING = (
    '<w:abstractNum xmlns:w="{0}" w:abstractNumId="90"><w:multiLevelType w:val="multilevel"/>'
    '<w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum>'
)
_RUN = '<w:{1} xmlns:w="{0}" w:id="{2}" w:author="A" w:date="2026-01-01T00:00:00Z"><w:r><w:{3}>{4}</w:{3}></w:r></w:{1}>'


def _saved(made: Any) -> bytes:
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def word() -> bytes:
    """Headings, a list of two levels that starts at 3, merged cells, a footnote, a tracked change, hidden text."""
    import docx
    from docx.oxml import parse_xml
    from docx.oxml.ns import qn

    made = docx.Document()
    numbering = made.part.numbering_part.element
    numbering.insert(0, parse_xml(_NUMBERING.format(W)))
    number = numbering.add_num(90)
    made.add_heading("headaq", 1)
    made.add_heading("headbq", 2)
    for level, text in ((0, "itemaq"), (1, "itembq"), (1, "itemcq"), (0, "itemdq")):
        properties = made.add_paragraph(text)._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_ilvl().val, properties.get_or_add_numId().val = level, number.numId
    table = made.add_table(3, 2)
    for at, text in enumerate(("cellaq", "cellbq", "cellcq", "celldq", "", "celleq")):
        table.cell(at // 2, at % 2).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    paragraph = made.add_paragraph("Marked")
    paragraph.add_run()._r.append(parse_xml(f'<w:footnoteReference xmlns:w="{W}" w:id="5"/>'))
    paragraph._p.append(parse_xml(_RUN.format(W, "del", 7, "delText", "deletedq")))
    paragraph._p.append(parse_xml(_RUN.format(W, "ins", 8, "t", " insertedq")))
    hidden = made.add_paragraph().add_run("hiddenq")
    hidden._r.get_or_add_rPr().append(hidden._r.makeelement(qn("w:vanish"), {}))
    made.add_heading("headcq", 1)
    return _with_footnote(_saved(made), "noteaq")


def _with_footnote(data: bytes, text: str) -> bytes:
    """python-docx writes no footnotes: the part is added to what it wrote."""
    notes = (
        f'<w:footnotes xmlns:w="{W}"><w:footnote w:id="5"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    out = io.BytesIO()
    with ZipFile(io.BytesIO(data)) as old, ZipFile(out, "w", ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "[Content_Types].xml":
                override = f'<Override PartName="/word/footnotes.xml" ContentType="{_TYPE}"/></Types>'
                content = content.replace(b"</Types>", override.encode())
            elif name == "word/_rels/document.xml.rels":
                related = f'<Relationship Id="rId99" Type="{_FOOTNOTES}" Target="footnotes.xml"/></Relationships>'
                content = content.replace(b"</Relationships>", related.encode())
            new.writestr(name, content)
        new.writestr("word/footnotes.xml", notes)
    return out.getvalue()


def workbook() -> bytes:
    """A title, a header, a date, a percentage, a merged cell, a comment, a hidden sheet."""
    from datetime import date

    import openpyxl
    from openpyxl.comments import Comment

    made = openpyxl.Workbook()
    sheet = made.active
    for row in (["cellaq"], [], ["cellbq", "cellcq", "celldq"], ["celleq", 0.125, date(2026, 3, 4)], [None, 0.5, None]):
        sheet.append(row)
    sheet.merge_cells("A4:A5")
    sheet["B4"].number_format = sheet["B5"].number_format = "0.0%"
    sheet["C4"].number_format = "yyyy-mm-dd"
    sheet["B4"].comment = Comment("noteaq", "A")
    made.create_sheet("Second").append(["cellfq"])
    return _saved(made)


def deck() -> bytes:
    """Titles, a numbered list, a table, notes, a group, and shapes in another order than they are read."""
    import pptx
    from pptx.oxml import parse_xml
    from pptx.util import Inches

    made = pptx.Presentation()
    first = made.slides.add_slide(made.slide_layouts[5])
    first.shapes.title.text = "headaq"
    for text, top in (("cellbq", 4), ("cellaq", 2)):
        first.shapes.add_textbox(Inches(1), Inches(top), Inches(3), Inches(0.5)).text_frame.text = text
    group = first.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(5), Inches(3), Inches(0.5)).text_frame.text = "cellcq"
    first.notes_slide.notes_text_frame.text = "noteaq"
    second = made.slides.add_slide(made.slide_layouts[1])
    second.shapes.title.text = "headbq"
    frame = second.placeholders[1].text_frame
    numbered = '<a:buAutoNum xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" type="arabicPeriod" startAt="3"/>'
    for at, text in enumerate(("itemaq", "itembq")):
        paragraph = frame.paragraphs[0] if at == 0 else frame.add_paragraph()
        paragraph.text = text
        paragraph._p.get_or_add_pPr().append(parse_xml(numbered))
    table = second.shapes.add_table(2, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    for at, text in enumerate(("celldq", "celleq", "cellfq", "cellgq")):
        table.cell(at // 2, at % 2).text = text
    return _saved(made)


def words(kind: str, letters: str) -> tuple[str, ...]:
    return tuple(f"{kind}{letter}q" for letter in letters)


MADE = (
    (
        "handbook.docx", word(), words("head", "abc"), ("3. itemaq", "3.a itembq", "3.b itemcq", "4. itemdq"),
        words("cell", "abcde"), ("noteaq",), ("deletedq", "hiddenq"),
    ),
    ("register.xlsx", workbook(), (), (), (*words("cell", "abcde"), "12.5%", "2026-03-04", "50.0%", "cellfq"), ("noteaq",), ()),
    ("deck.pptx", deck(), words("head", "ab"), ("3. itemaq", "4. itembq"), words("cell", "abcdefg"), ("noteaq",), ()),
)  # fmt: skip
"""Name, bytes, and what is in it in order: the fields of ``structure.Made``."""
