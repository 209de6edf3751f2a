"""Word documents: headings, labels as printed, tables, notes, fields and tracked changes."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

import docx
import pytest
from tests.parse.office_files import DOCX, relations, shown, source, word

from pincite.model import Document, conserved
from pincite.parse import parse

SOURCE = source("handbook.docx", DOCX)


def read(body: str, **parts: str | bytes) -> Document:
    document = parse(SOURCE, word(body, **parts))
    assert conserved(document)
    return document


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"


def listed(text: str, level: int = 0, number: int = 1) -> str:
    return p(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def level(at: int, form: str, text: str, more: str = "", start: int = 1) -> str:
    left = 720 * (at + 1)
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>{more}<w:lvlText w:val="{text}"/>'
        f'<w:pPr><w:ind w:left="{left}" w:hanging="360"/></w:pPr></w:lvl>'
    )


def numbering(*levels: str, nums: str = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>') -> str:
    return f'<w:abstractNum w:abstractNumId="0">{"".join(levels)}</w:abstractNum>{nums}'


LEGAL = numbering(level(0, "decimal", "%1."), level(1, "decimal", "%1.%2"), level(2, "lowerLetter", "(%3)"))


def texts(document: Document) -> list[str]:
    return [text for _, text in shown(document)]


def test_headings_nest_and_give_ids() -> None:
    made = docx.Document()
    made.add_heading("Lamp handbook", 0)
    made.add_heading("Escalation", 1)
    made.add_heading("Response targets", 2)
    made.add_paragraph("Within 8 hours.")
    made.add_heading("Records", 1)
    out = BytesIO()
    made.save(out)
    document = parse(SOURCE, out.getvalue())
    ids = [(node.node_id, node.kind, node.heading) for node in document.nodes]
    assert ids == [
        ("handbook", "document", "Lamp handbook"),
        ("handbook#escalation", "heading", "Escalation"),
        ("handbook#escalation/response-targets", "heading", "Response targets"),
        ("handbook#records", "heading", "Records"),
    ]
    block = next(b for b in document.partition if b.node_id.endswith("targets") and b.role == "body")
    assert document.slice(1, block.start, block.end) == b"Within 8 hours."
    assert block.origin == "word/document.xml paragraph 4"


def test_labels_are_counted_as_word_prints_them() -> None:
    body = "".join(
        [
            listed("a"),
            listed("b", 1),
            listed("c", 2),
            listed("d", 2),
            listed("e", 1),
            listed("f", 2),
            listed("g"),
            listed("h", 1),
        ]
    )
    document = read(body, numbering=LEGAL)
    assert texts(document) == ["1. a", "1.1 b", "(a) c", "(b) d", "1.2 e", "(a) f", "2. g", "2.1 h"]
    assert [node.node_id for node in document.nodes][1:5] == [
        "handbook#1", "handbook#1/1.1", "handbook#1/1.1/(a)", "handbook#1/1.1/(b)",
    ]  # fmt: skip


def test_an_instance_may_start_again_and_another_goes_on() -> None:
    nums = (
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="0"/></w:num>'
        '<w:num w:numId="3"><w:abstractNumId w:val="0"/>'
        '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>'
    )
    body = listed("a") + p("between") + listed("b", number=2) + listed("c", number=3) + listed("d", number=3)
    document = read(body, numbering=numbering(level(0, "decimal", "%1."), nums=nums))
    assert texts(document) == ["1. a", "between", "2. b", "5. c", "6. d"]


@pytest.mark.parametrize(
    ("form", "label"), [("upperRoman", "IV"), ("lowerLetter", "d"), ("ordinal", "4th"), ("decimalZero", "04"), ("none", "")]
)
def test_number_formats(form: str, label: str) -> None:
    document = read(listed("x"), numbering=numbering(level(0, form, "%1", start=4)))
    assert texts(document) == [f"{label} x".strip()]


def test_tables_have_each_cell_once() -> None:
    made = docx.Document()
    table = made.add_table(3, 3)
    for row in range(3):
        for column in range(3):
            table.cell(row, column).text = f"r{row}c{column}"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "tall"
    table.cell(0, 1).merge(table.cell(0, 2)).text = "wide"
    out = BytesIO()
    made.save(out)
    document = parse(SOURCE, out.getvalue())
    rows = [text for role, text in shown(document) if role == "table"]
    assert rows == ["r0c0\twide\t", "tall\tr1c1\tr1c2", "\tr2c1\tr2c2"]


def test_footnotes_stand_at_the_end_of_their_section_and_are_linked() -> None:
    body = (
        '<w:p><w:r><w:t>Oil</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t> burns.</w:t></w:r></w:p>'
        + p("More.")
        + p("Next", '<w:outlineLvl w:val="0"/>')
    )
    document = read(body, footnotes=f'<w:footnote w:id="2">{p("Whale oil.")}</w:footnote>')
    assert shown(document) == [
        ("body", "Oil[1] burns."), ("body", "More."), ("footnote", "Whale oil."), ("heading", "Next"),
    ]  # fmt: skip
    link = document.links[0]
    assert document.slice(1, link.start, link.end) == b"[1]"
    assert document.slice(1, link.target_start, link.target_end).strip() == b"Whale oil."


def test_tracked_changes_are_read_as_accepted_and_nothing_is_lost() -> None:
    body = (
        "<w:p><w:r><w:t>Within </w:t></w:r>"
        '<w:del w:author="A" w:date="2026"><w:r><w:delText>8</w:delText></w:r></w:del>'
        '<w:ins w:author="A" w:date="2026"><w:r><w:t>4</w:t></w:r></w:ins><w:r><w:t> hours.</w:t></w:r></w:p>'
    )
    document = read(body)
    assert shown(document) == [("body", "Within 4 hours."), ("metadata", "8")]
    assert sorted((found.kind, found.subject) for found in document.findings) == [
        ("tracked_deletion", "8"), ("tracked_insertion", "4"),
    ]  # fmt: skip


def test_a_large_first_letter_belongs_to_its_paragraph() -> None:
    document = read(
        p("L", '<w:framePr w:dropCap="drop"/>') + p("amps burn at night.") + p("F", '<w:framePr w:w="2"/>') + p("x")
    )
    assert texts(document) == ["Lamps burn at night.", "F", "x"]


def with_chunk(name: str, data: bytes) -> Document:
    body = p("Before.") + '<w:altChunk r:id="r9"/>' + p("After.")
    out = BytesIO(word(body, links=relations(("r9", "aFChunk", name))))
    with ZipFile(out, "a") as archive:
        archive.writestr(f"word/{name}", data)
    document = parse(SOURCE, out.getvalue())
    assert conserved(document)
    return document


PAGE = b"<!DOCTYPE html><html><body><h2>Oil</h2><p>No whales.</p></body></html>"
ARCHIVE = (
    b'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="x"\n\n--x\nContent-Type: text/html\n\n'
    + PAGE
    + b"\n--x--\n"
)


@pytest.mark.parametrize(("name", "data"), [("a.html", PAGE), ("a.mht", ARCHIVE)])
def test_a_document_inside_a_document_is_read_where_it_stands(name: str, data: bytes) -> None:
    document = with_chunk(name, data)
    assert [text for role, text in shown(document) if role in ("body", "heading")] == ["Before.", "Oil", "No whales.", "After."]
    (heading,) = (node for node in document.nodes if node.kind == "heading")
    assert (heading.heading, heading.parent_id) == ("Oil", document.nodes[0].node_id)


def test_a_word_document_inside_another_is_read_and_one_inside_that_is_told() -> None:
    twice = BytesIO(word(p("again") + '<w:altChunk r:id="r9"/>', links=relations(("r9", "aFChunk", "b.docx"))))
    with ZipFile(twice, "a") as archive:
        archive.writestr("word/b.docx", word(p("and again")))
    document = with_chunk("a.docx", twice.getvalue())
    assert [text for role, text in shown(document) if role == "body"] == ["Before.", "again", "After."]
    assert [finding.kind for finding in document.findings] == ["unsupported_element"]


@pytest.mark.parametrize(("name", "data"), [("a.rtf", b"{\\rtf1 x}"), ("a.html", b"")])
def test_a_document_inside_a_document_that_is_not_read_is_told(name: str, data: bytes) -> None:
    document = with_chunk(name, data)
    assert [text for role, text in shown(document) if role == "body"] == ["Before.", "After."]
    assert [finding.kind for finding in document.findings] == ["unsupported_element"]


def test_raised_digits_after_a_digit_do_not_run_into_it() -> None:
    raised = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{}</w:t></w:r>'
    text = "<w:r><w:t>10</w:t></w:r>" + raised.format("-6") + "<w:r><w:t> of 4 m</w:t></w:r>" + raised.format("2")
    assert texts(read(f"<w:p>{text}</w:p>")) == ["10⁻⁶ of 4 m2"]


def test_a_heading_is_called_without_the_mark_of_its_note_and_a_note_has_the_sign_it_is_marked_with() -> None:
    mark = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    own = '<w:r><w:footnoteReference w:customMarkFollows="1" w:id="2"/><w:t>*</w:t></w:r>'
    heading = f'<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Lamps</w:t></w:r>{mark}</w:p>'
    notes = "".join(f'<w:footnote w:id="{at}"><w:p><w:r><w:t>Note {at}</w:t></w:r></w:p></w:footnote>' for at in (1, 2))
    document = read(f"{heading}<w:p><w:r><w:t>Oil</w:t></w:r>{own}</w:p>", footnotes=notes)
    assert [(node.kind, node.node_id, node.label, node.heading) for node in document.nodes[1:]] == [
        ("heading", "handbook#lamps", "", "Lamps"),
        ("footnote", "handbook#lamps/footnote-1", "1", ""),
        ("footnote", "handbook#lamps/footnote", "*", ""),
    ]
    assert [document.slice(link.page, link.start, link.end) for link in document.links] == [b"[1]", b"*"]


def test_a_legal_level_keeps_its_leading_zero() -> None:
    levels = numbering(level(0, "upperRoman", "Article %1."), level(1, "decimalZero", "Section %1.%2", "<w:isLgl/>"))
    assert texts(read(listed("Duties") + listed("Watch", 1), numbering=levels)) == ["Article I. Duties", "Section 1.01 Watch"]


def test_a_row_is_counted_by_the_number_its_cell_has_without_words() -> None:
    row = f"<w:tr><w:tc>{listed('')}</w:tc><w:tc>{p('{}')}{listed('')}</w:tc></w:tr>"
    document = read(f"<w:tbl>{row.format('Lift')}{row.format('Wait')}</w:tbl>", numbering=numbering(level(0, "decimal", "%1.")))
    assert texts(document) == ["1.\tLift", "3.\tWait"]


@pytest.mark.parametrize(
    ("form", "count", "label"),
    [
        ("hebrew1", 15, "טו"),
        ("hebrew1", 115, "קטו"),
        ("russianLower", 2, "б"),
        ("arabicAlpha", 1, "أ"),
        ("hex", 11, "B"),
        ("thaiNumbers", 12, "๑๒"),
        ("ideographTraditional", 11, "11"),
    ],
)
def test_labels_in_other_alphabets(form: str, count: int, label: str) -> None:
    document = read(listed("x"), numbering=numbering(level(0, form, "%1)", start=count)))
    assert texts(document) == [f"{label}) x"]
    assert not document.findings


def test_a_letter_that_a_font_draws_as_a_bullet_is_a_bullet() -> None:
    assert texts(read(listed("oil"), numbering=numbering(level(0, "bullet", "o")))) == ["• oil"]


STYLED = '<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 2"/></w:style>'


@pytest.mark.parametrize(("below", "kinds"), [(p("12"), ["table"]), (p("12", '<w:pStyle w:val="H"/>'), ["heading"] * 4)])
def test_headings_that_name_columns_are_those_of_a_table(below: str, kinds: list[str]) -> None:
    head = p("Lamp", '<w:pStyle w:val="H"/>')
    rows = f"<w:tr>{2 * f'<w:tc>{head}</w:tc>'}</w:tr><w:tr>{2 * f'<w:tc>{below}</w:tc>'}</w:tr>"
    document = read(f"<w:tbl>{rows}</w:tbl>", styles=STYLED)
    assert [node.kind for node in document.nodes[1:]] == kinds


def test_what_a_heading_was_before_a_tracked_change_makes_no_heading() -> None:
    was = '<w:pPrChange w:author="A"><w:pPr><w:pStyle w:val="H"/></w:pPr></w:pPrChange>'
    row = f"<w:tr><w:tc>{p('a')}</w:tc><w:tc>{p('b', was)}</w:tc></w:tr>"
    assert texts(read(f"<w:tbl>{row}</w:tbl>", styles=STYLED)) == ["a\tb"]


def set_as(text: str, looks: str = "<w:b/>", properties: str = "") -> str:
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{looks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def outline(document: Document) -> list[tuple[str, str, str]]:
    return [(node.node_id.partition("#")[2], node.label, node.heading) for node in document.nodes[1:] if node.kind == "heading"]


def test_bold_paragraphs_head_a_document_without_heading_styles() -> None:
    large = '<w:b/><w:sz w:val="32"/>'
    body = set_as("Lamp handbook", large, '<w:jc w:val="center"/>') + set_as("1. Oil") + p("Fill it.") + set_as("1.1 Whale oil")
    body += (
        p("None.")
        + set_as("Wicks", "<w:u w:val='single'/>")
        + p("Trim them.")
        + set_as("Never leave a lit lamp alone.")
        + p("x")
    )
    document = read(body)
    assert document.nodes[0].heading == "Lamp handbook"
    assert [(label, heading) for _, label, heading in outline(document)] == [("1", "Oil"), ("1.1", "Whale oil"), ("", "Wicks")]
    assert [len(path.split("/")) for path, _, _ in outline(document)] == [1, 2, 1]


def test_larger_bold_paragraphs_stand_above_smaller_ones_and_numbered_ones_keep_their_labels() -> None:
    large, counted = '<w:b/><w:sz w:val="32"/>', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = (
        p("Preface text.")
        + set_as("Oil", large)
        + set_as("Whale", properties=counted)
        + p("None.")
        + set_as("Seed", properties=counted)
    )
    document = read(body + p("Some."), numbering=numbering(level(0, "decimal", "%1.")))
    assert [(label, heading) for _, label, heading in outline(document)] == [("", "Oil"), ("1", "Whale"), ("2", "Seed")]
    assert [len(path.split("/")) for path, _, _ in outline(document)] == [1, 2, 2]


@pytest.mark.parametrize(
    "body",
    [
        p("Scope", '<w:outlineLvl w:val="0"/>') + set_as("Oil") + p("x") + set_as("Wick") + p("y"),  # there are headings
        set_as("Oil") + p("x"),  # only one
        "".join(map(set_as, ("All", "is", "bold"))) + p("x"),  # nearly everything
        f"<w:tbl><w:tr><w:tc>{set_as('Oil')}</w:tc><w:tc>{set_as('Wick')}</w:tc></w:tr></w:tbl>" + p("x") + p("y"),
        listed("x").replace("<w:t ", "<w:rPr><w:b/></w:rPr><w:t ") * 2 + p("x") + p("y"),  # items of a list with bullets
        set_as("The keeper must do all of this:") + p("x") + set_as("And all of that as well:") + p("y"),
    ],
)
def test_bold_paragraphs_head_nothing_where_others_do_or_they_divide_nothing(body: str) -> None:
    document = read(body, numbering=numbering(level(0, "bullet", "•")))
    assert [heading for _, _, heading in outline(document) if heading != "Scope"] == []


def test_an_annex_stands_beside_the_numbered_sections() -> None:
    body = set_as("1. Oil") + p("Fill it.") + set_as("Annex A: Prices") + p("Three.") + p("Four.")
    assert [(len(path.split("/")), label) for path, label, _ in outline(read(body))] == [(1, "1"), (1, "Annex A")]


def test_a_number_in_words_of_another_language_is_told() -> None:
    french = '<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="fr-FR"/></w:rPr></w:rPrDefault></w:docDefaults>'
    document = read(listed("x"), styles=french, numbering=numbering(level(0, "cardinalText", "%1.")))
    assert (texts(document), [found.kind for found in document.findings]) == (["One. x"], ["uncertain_label"])
