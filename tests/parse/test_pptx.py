"""PowerPoint decks: slides, titles, levels, tables, notes, groups, descriptions and order."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pptx
import pytest
from lxml import etree
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Inches
from tests.parse.office_files import PPTX, shown, source

from pincite.model import Document, conserved
from pincite.parse import parse
from pincite.parse.office.drawing import diagram_lines
from pincite.parse.pptx import automatic

SOURCE = source("deck.pptx", PPTX)
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
BULLETS, TITLE_ONLY, BLANK = 1, 5, 6


def deck() -> Any:
    return pptx.Presentation()


def slide(made: Any, layout: int = BULLETS, title: str = "") -> Any:
    added = made.slides.add_slide(made.slide_layouts[layout])
    if title:
        added.shapes.title.text = title
    return added


def box(shapes: Any, text: str, left: float, top: float) -> Any:
    added = shapes.add_textbox(Inches(left), Inches(top), Inches(1), Inches(0.4))
    added.text_frame.text = text
    return added


def read(made: Any) -> Document:
    out = BytesIO()
    made.save(out)
    document = parse(SOURCE, out.getvalue())
    assert conserved(document)
    return document


def texts(document: Document) -> list[str]:
    return [text for role, text in shown(document) if role != "metadata"]


def test_a_slide_is_a_page_and_a_node_with_its_title() -> None:
    made = deck()
    slide(made, title="Escalation").placeholders[1].text_frame.text = "Call the keeper."
    slide(made, title="Records")
    document = read(made)
    assert [(n.node_id, n.kind, n.heading) for n in document.nodes][1:] == [
        ("deck#slide-1", "slide", "Escalation"), ("deck#slide-2", "slide", "Records"),
    ]  # fmt: skip
    assert [node.page for node in document.nodes][1:] == [1, 2]
    block = next(b for b in document.partition if b.role == "body")
    assert block.origin == "slide 1, shape 2, paragraph 1"


def test_levels_nest() -> None:
    made = deck()
    frame = slide(made, title="Targets").placeholders[1].text_frame
    frame.text = "P1"
    for text, level in (("by day", 1), ("by night", 1), ("in storms", 2)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    document = read(made)
    assert [n.node_id for n in document.nodes if n.kind == "item"] == [
        "deck#slide-1/item", "deck#slide-1/item-2", "deck#slide-1/item-2/item",
    ]  # fmt: skip


def test_shapes_are_read_from_top_to_bottom_whatever_their_order_and_groups_stay_together() -> None:
    made = deck()
    on = slide(made, TITLE_ONLY, "Order")
    box(on.shapes, "low", 1, 5)
    group = on.shapes.add_group_shape()
    box(group.shapes, "in group 1", 1, 3)
    box(group.shapes, "in group 2", 4, 3.1)
    box(on.shapes, "right", 5, 2)
    box(on.shapes, "left", 1, 2.2)
    assert texts(read(made)) == ["Order", "left", "right", "in group 1", "in group 2", "low"]


def test_tables_notes_charts_and_descriptions_are_kept() -> None:
    made = deck()
    on = slide(made, TITLE_ONLY, "Hours")
    table = on.shapes.add_table(3, 3, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for row in range(3):
        for column in range(3):
            table.cell(row, column).text = f"r{row}c{column}"
    table.cell(0, 1).text = "wide"
    table.cell(0, 2).text = ""
    table.cell(0, 1).merge(table.cell(0, 2))
    chart = CategoryChartData()
    chart.categories = ["North", "South"]
    chart.add_series("Oil", (3, 4.5))
    on.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(4), Inches(3), Inches(2), chart)
    on.shapes.add_shape(MSO_SHAPE.OVAL, Inches(8), Inches(6), Inches(1), Inches(1))._element.nvSpPr.cNvPr.set("descr", "A lamp")
    on.notes_slide.notes_text_frame.text = "Say it slowly."
    document = read(made)
    assert texts(document) == [
        "Hours", "r0c0\twide\t", "r1c0\tr1c1\tr1c2", "r2c0\tr2c1\tr2c2", "Oil: North: 3; South: 4.5", "A lamp",
        "Say it slowly.",
    ]  # fmt: skip
    assert document.links[0].kind == "table_header"
    assert ("note", "Say it slowly.") in shown(document)


def test_hidden_slides_and_links_are_marked() -> None:
    made = deck()
    first, second = slide(made, title="First"), slide(made, title="Second")
    second._element.set("show", "0")
    run = box(first.shapes, "see ", 1, 3).text_frame.paragraphs[0].add_run()
    run.text = "the log"
    run.hyperlink.address = "https://example.invalid/log"
    document = read(made)
    link = document.hyperlinks[0]
    assert (document.slice(link.page, link.start, link.end), link.target) == (b"the log", "https://example.invalid/log")
    assert [(found.kind, found.subject) for found in document.findings] == [("hidden_slide", "slide 2")]


@pytest.mark.parametrize(
    ("count", "scheme", "text"),
    [(3, "alphaUcParenR", "C)"), (4, "romanLcPeriod", "iv."), (2, "arabicParenBoth", "(2)"), (5, "arabicPlain", "5")],
)
def test_automatic_numbers(count: int, scheme: str, text: str) -> None:
    assert automatic(count, scheme) == text


def test_a_diagram_is_read_as_its_connections_order_it() -> None:
    names = ("Third", "First", "Second")
    points = "".join(
        f'<dgm:pt modelId="{at}"><dgm:t><a:p><a:r><a:t>{name}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for at, name in enumerate(names, 1)
    )
    order = "".join(f'<dgm:cxn srcId="0" destId="{at}" srcOrd="{place}"/>' for place, at in enumerate((2, 3, 1)))
    root = etree.fromstring(
        '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        f'<dgm:ptLst><dgm:pt modelId="0" type="doc"/>{points}</dgm:ptLst><dgm:cxnLst>{order}</dgm:cxnLst></dgm:dataModel>'
    )
    assert list(diagram_lines(root)) == ["First", "Second", "Third"]


def numbered(paragraph: Any, scheme: str, start: int = 1) -> None:
    properties = paragraph._p.get_or_add_pPr()
    etree.SubElement(properties, f"{A}buAutoNum", type=scheme, startAt=str(start))


def test_numbers_of_another_scheme_or_start_count_anew() -> None:
    made = deck()
    frame = slide(made, title="Steps").placeholders[1].text_frame
    for scheme, start in (("arabicPeriod", 1), ("arabicPeriod", 1), ("romanUcPeriod", 5), ("arabicPeriod", 9)):
        numbered(frame.add_paragraph(), scheme, start)
        frame.paragraphs[-1].text = "x"
    assert texts(read(made))[1:] == ["1. x", "2. x", "V. x", "9. x"]


def test_a_list_may_be_numbered_by_its_shape() -> None:
    made = deck()
    frame = slide(made, title="Steps").placeholders[1].text_frame
    style = frame._txBody.find(f"{A}lstStyle")
    etree.SubElement(etree.SubElement(style, f"{A}lvl1pPr"), f"{A}buAutoNum", type="arabicParenR")
    frame.text = "Fill"
    frame.add_paragraph().text = "Light"
    etree.SubElement(frame.paragraphs[1]._p.get_or_add_pPr(), f"{A}buNone")
    assert texts(read(made))[1:] == ["1) Fill", "Light"]


def test_a_shape_that_is_a_button_leads_where_it_is_clicked_to() -> None:
    made = deck()
    button = box(slide(made, title="One").shapes, "to the oil", 1, 4)
    button.click_action.target_slide = slide(made, title="Oil")
    document = read(made)
    assert [(document.slice(1, link.start, link.end).decode(), link.target) for link in document.hyperlinks] == [
        ("to the oil", "#slide-2")
    ]


def test_words_that_a_merged_cell_covers_are_said() -> None:
    made = deck()
    table = slide(made, TITLE_ONLY, "Lamps").shapes.add_table(1, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(0, 0).text, table._tbl.tr_lst[0].tc_lst[1].txBody.p_lst[0].get_or_add_endParaRPr().getparent().add_r().text = (
        "Seen",
        "stale",
    )
    document = read(made)
    assert texts(document)[1:] == ["Seen\t"]
    assert [(found.kind, found.subject) for found in document.findings] == [("covered_text", "stale")]


@pytest.mark.parametrize(
    ("described", "text"),
    [("pier.png", []), ("The pier\n\nDescription automatically generated", ["The pier"]), ("The pier", ["The pier"])],
)
def test_the_name_of_a_file_describes_no_picture(described: str, text: list[str]) -> None:
    made = deck()
    box(slide(made, BLANK).shapes, "x", 1, 1)._element.nvSpPr.cNvPr.set("descr", described)
    assert texts(read(made)) == ["x", *text]
