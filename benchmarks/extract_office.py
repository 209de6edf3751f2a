"""The cases of the office formats for ``extract.py``: files made by the libraries that write them, and their bare read.

The bare read opens the file and goes over everything the library gives: paragraphs and cells of tables (python-docx), values of
cells, read-only (openpyxl), texts of shapes, tables and notes (python-pptx). It has no labels, no notes, no formulas beside
values, and no places in the original.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any

WORDS = "Targets are suspended while waiting on the requester, which does not count toward the eight hour target."


def word(sections: int) -> bytes:
    import docx

    made = docx.Document()
    for number in range(sections):
        made.add_heading(f"Targets of lamp {number}", 2)
        made.add_paragraph(WORDS).add_run(" It is binding.").bold = True
        for text in ("Call.", "Write it down."):
            made.add_paragraph(text, style="List Number")
        table = made.add_table(3, 2)
        for at, text in enumerate(("Lamp", "Hours", "North", str(number), "South", "9")):
            table.cell(at // 2, at % 2).text = text
    return saved(made)


def workbook(rows: int) -> bytes:
    import openpyxl

    made = openpyxl.Workbook(write_only=True)
    sheet = made.create_sheet("Lamps")
    sheet.append(["Lamp", "Place", "Hours", "Cost", "Note", "Twice"])
    for number in range(rows):
        sheet.append([f"L{number}", "North", number % 24, number + 0.5, "call the keeper, now", f"=C{number + 2}*2"])
    return saved(made)


def deck(slides: int) -> bytes:
    import pptx
    from pptx.util import Inches

    made = pptx.Presentation()
    for number in range(slides):
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = f"Targets of lamp {number}"
        slide.placeholders[1].text_frame.text = WORDS
        table = slide.shapes.add_table(3, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
        for at, text in enumerate(("Lamp", "Hours", "North", str(number), "South", "9")):
            table.cell(at // 2, at % 2).text = text
        slide.notes_slide.notes_text_frame.text = "Say it slowly."
    return saved(made)


def saved(made: Any) -> bytes:
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def bare_word(data: bytes) -> None:
    import docx

    made = docx.Document(io.BytesIO(data))
    for paragraph in made.paragraphs:
        _ = paragraph.text, paragraph.style.name if paragraph.style else ""
    for table in made.tables:
        for row in table.rows:
            for cell in row.cells:
                _ = cell.text


def bare_workbook(data: bytes) -> None:
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = openpyxl.load_workbook(io.BytesIO(data), read_only=True)
    for sheet in made.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                _ = cell.value


def bare_deck(data: bytes) -> None:
    import pptx

    for slide in pptx.Presentation(io.BytesIO(data)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                _ = shape.text_frame.text
            if getattr(shape, "has_table", False):
                _ = [cell.text for row in shape.table.rows for cell in row.cells]
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame:
            _ = slide.notes_slide.notes_text_frame.text


CASES: tuple[tuple[str, Callable[[], bytes], Callable[[bytes], Any]], ...] = (
    ("small.docx", lambda: word(1), bare_word),
    ("handbook.docx", lambda: word(100), bare_word),
    ("small.xlsx", lambda: workbook(5), bare_workbook),
    ("lamps.xlsx", lambda: workbook(5000), bare_workbook),
    ("small.pptx", lambda: deck(1), bare_deck),
    ("deck.pptx", lambda: deck(60), bare_deck),
)
