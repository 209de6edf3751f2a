"""What stands inside a Word document's paragraphs and around them: fields, links, boxes, hidden text, comments, equations."""

from __future__ import annotations

import pytest
from tests.parse.office_files import DOCX, R, W, relations, shown, source, word, zipped

from pincite.model import Document, conserved
from pincite.parse import parse

SOURCE = source("handbook.docx", DOCX)
MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
WPS = 'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
VML = 'xmlns:v="urn:schemas-microsoft-com:vml"'


def read(body: str, **parts: str | bytes) -> Document:
    document = parse(SOURCE, word(body, **parts))
    assert conserved(document)
    return document


def texts(document: Document) -> list[str]:
    return [text for _, text in shown(document)]


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(*content: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(content)}</w:p>"


def field(code: str, result: str) -> str:
    return (
        f'<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>{code}</w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run(result)}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def linked(document: Document) -> list[tuple[str, str]]:
    return [(document.slice(1, link.start, link.end).decode(), link.target) for link in document.hyperlinks]


def test_fields_print_their_result_and_lead_to_bookmarks() -> None:
    heading = p('<w:bookmarkStart w:id="1" w:name="_Ref7"/>', run("Targets"), properties='<w:outlineLvl w:val="0"/>')
    document = read(
        heading + p(run("See "), field(r" REF _Ref7 \r \h ", "section 2"), run(" and "), field(" PAGE ", "9"), run("."))
    )
    assert texts(document) == ["Targets", "See section 2 and 9."]
    assert linked(document) == [("section 2", "#_Ref7")]
    assert document.anchors["_Ref7"] == "handbook#targets"


def test_a_field_inside_a_field_and_a_reference_to_nothing() -> None:
    nested = field(f" IF 1 = </w:instrText></w:r>{field(' PAGE ', '1')}<w:r><w:instrText> x ", "shown")
    document = read(p(nested, field(" REF gone ", "Error!")))
    assert texts(document) == ["shownError!"]
    assert [(found.kind, found.subject) for found in document.findings] == [("broken_reference", "gone")]


def test_links_are_kept_with_their_words() -> None:
    links = relations(("r1", "hyperlink", "../log.docx"), external=("r1",))
    body = p(run("In "), f'<w:hyperlink r:id="r1" w:anchor="storms">{run("the log")}</w:hyperlink>') + p(
        field(' HYPERLINK "https://example.invalid/a b" ', "here")
    )
    assert linked(read(body, links=links)) == [("the log", "../log.docx#storms"), ("here", "https://example.invalid/a b")]


def test_a_text_box_is_read_once_after_its_paragraph() -> None:
    box = f"<w:txbxContent>{p(run('In the box.'))}</w:txbxContent>"
    both = (
        f"<mc:AlternateContent {MC}><mc:Choice Requires='wps'><w:drawing><wps:txbx {WPS}>{box}</wps:txbx></w:drawing>"
        "</mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox {VML}>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent>"
    )
    assert texts(read(p(run("Before"), f"<w:r>{both}</w:r>", run(" after.")))) == ["Before after.", "In the box."]


def test_hidden_text_is_kept_and_is_no_text() -> None:
    body = p(run("Seen"), run(" unseen", "<w:vanish/>"), run(" words.")) + p(run("Styled"), properties='<w:pStyle w:val="H"/>')
    document = read(body, styles='<w:style w:type="paragraph" w:styleId="H"><w:rPr><w:vanish/></w:rPr></w:style>')
    assert shown(document) == [("body", "Seen words."), ("metadata", "unseen"), ("metadata", "Styled")]
    assert [found.kind for found in document.findings] == ["hidden_text", "hidden_text"]


def test_a_deleted_paragraph_mark_joins_two_paragraphs_and_a_deleted_row_is_said() -> None:
    body = p(run("First "), properties='<w:rPr><w:del w:author="A" w:id="1"/></w:rPr>') + p(run("second."))
    row = f"<w:tr>{{}}<w:tc>{p(run('x{}'))}</w:tc><w:tc>{p(run('y'))}</w:tc></w:tr>"
    gone = '<w:trPr><w:del w:author="A"/></w:trPr>'
    table = f"<w:tbl>{row.format('', 1)}{row.format(gone, 2)}</w:tbl>"
    document = read(body + table)
    assert [text for role, text in shown(document) if role != "metadata"] == ["First second.", "x1\ty"]
    assert [text for role, text in shown(document) if role == "metadata"] == ["x2\ty"]
    assert [found.kind for found in document.findings] == ["tracked_deletion"]


def test_moved_text_is_read_where_it_went() -> None:
    body = p(f'<w:moveFrom w:author="A">{run("moved")}</w:moveFrom>', run("stays")) + p(
        f'<w:moveTo w:author="A">{run("moved")}</w:moveTo>'
    )
    assert [text for role, text in shown(read(body)) if role == "body"] == ["stays", "moved"]


def test_comments_stand_at_the_end_of_their_section_with_their_place() -> None:
    body = p(run("A "), '<w:commentRangeStart w:id="3"/>', run("doubtful"), '<w:commentRangeEnd w:id="3"/>') .replace(
        "</w:p>", '<w:r><w:commentReference w:id="3"/></w:r></w:p>'
    )  # fmt: skip
    document = read(body, comments=f'<w:comment w:id="3" w:author="Ada">{p(run("Is it?"))}</w:comment>')
    assert shown(document) == [("body", "A doubtful"), ("annotation", "Is it?")]
    link = document.links[0]
    assert (link.kind, document.slice(1, link.start, link.end)) == ("annotation", b"doubtful")
    assert document.nodes[-1].heading == "Ada"


def test_symbols_breaks_and_equations_are_characters() -> None:
    symbols = '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:tab/><w:t>yes</w:t><w:br/><w:t>x</w:t><w:noBreakHyphen/></w:r>'
    part = "<m:r><m:t>{}</m:t></m:r>"
    fraction = f"<m:oMath {MATH}><m:f><m:num>{part.format('a+1')}</m:num><m:den>{part.format('4')}</m:den></m:f></m:oMath>"
    assert texts(read(p(symbols) + p(run("= "), fraction))) == ["☑\tyes\nx-", "= (a+1)/4"]


def test_nested_tables_are_read_in_order() -> None:
    def row(*cells: str) -> str:
        return "<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in cells) + "</w:tr>"

    inner = f"<w:tbl>{row(p(run('in1')), p(run('in2')))}</w:tbl>"
    outer = f"<w:tbl>{row(p(run('a')), p(run('b')))}{row(p(run('c')), p(run('before')) + inner + p(run('after')))}</w:tbl>"
    assert texts(read(outer)) == ["a\tb", "c", "before", "in1\tin2", "after"]


def test_a_continued_cell_is_empty_and_one_with_words_of_its_own_is_read() -> None:
    def row(first: str, merge: str) -> str:
        cell = f'<w:tc><w:tcPr><w:vMerge w:val="{merge}"/></w:tcPr>{p(run(first))}</w:tc>'
        return f"<w:tr>{cell}<w:tc>{p(run('b'))}</w:tc></w:tr>"

    table = f"<w:tbl>{row('tall', 'restart')}{row('', 'continue')}{row('own', 'continue')}</w:tbl>"
    assert texts(read(table)) == ["tall\tb", "\tb", "own\tb"]


def test_a_table_of_one_cell_only_lays_out_its_text() -> None:
    cell = p(run("Scope"), properties='<w:outlineLvl w:val="1"/>') + p(run("All lamps."))
    document = read(f"<w:tbl><w:tr><w:tc>{cell}</w:tc></w:tr></w:tbl>")
    assert shown(document) == [("heading", "Scope"), ("body", "All lamps.")]


def test_content_controls_contents_and_page_heads_have_their_roles() -> None:
    gallery = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>'
    contents = f"<w:sdt><w:sdtPr>{gallery}</w:sdtPr><w:sdtContent>{p(run('Targets 3'))}</w:sdtContent></w:sdt>"
    control = f"<w:sdt><w:sdtPr/><w:sdtContent>{run('filled in')}</w:sdtContent></w:sdt>"
    section = '<w:sectPr><w:headerReference w:type="default" r:id="h1"/></w:sectPr>'
    main = f"<w:document {W} {R}><w:body>{contents}{p(control)}{section}</w:body></w:document>"
    parts: dict[str, str | bytes] = {
        "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")), "word/document.xml": main,
        "word/_rels/document.xml.rels": relations(("h1", "header", "header1.xml")),
        "word/header1.xml": f"<w:hdr {W}>{p(run('Confidential'))}</w:hdr>",
    }  # fmt: skip
    document = parse(SOURCE, zipped(parts))
    assert shown(document) == [("page_furniture", "Confidential"), ("contents", "Targets 3"), ("body", "filled in")]


@pytest.mark.parametrize("name", ["heading 2", "Überschrift 2", "标题 2", "Titre 2"])
def test_headings_are_known_by_style_in_any_language_and_by_inheritance(name: str) -> None:
    styles = (
        f'<w:style w:type="paragraph" w:styleId="X2"><w:name w:val="{name}"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="House heading"/><w:basedOn w:val="X2"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Toc"><w:name w:val="TOC Heading"/><w:basedOn w:val="X2"/>'
        '<w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>'
    )
    body = "".join(p(run(text), properties=f'<w:pStyle w:val="{style}"/>') for style, text in
                   (("X2", "Direct"), ("Own", "Inherited"), ("Toc", "No heading")))  # fmt: skip
    assert shown(read(body, styles=styles)) == [("heading", "Direct"), ("heading", "Inherited"), ("contents", "No heading")]


def test_numbering_of_a_style_and_a_circle_of_styles() -> None:
    numbering = (
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperLetter"/>'
        '<w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
        '<w:pStyle w:val="Sub"/><w:lvlText w:val="%1%2"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    )
    numbered = (
        '<w:style w:type="paragraph" w:styleId="{0}"><w:basedOn w:val="{1}"/>'
        '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    )
    styles = numbered.format("Top", "Sub") + numbered.format("Sub", "Top")
    used = (("Top", "a"), ("Sub", "b"), ("Sub", "c"))
    body = "".join(p(run(text), properties=f'<w:pStyle w:val="{style}"/>') for style, text in used)
    assert texts(read(body, styles=styles, numbering=numbering)) == ["A. a", "A1 b", "A2 c"]


def test_a_note_whose_mark_is_deleted_is_kept_beside_the_text() -> None:
    notes = f'<w:footnote w:id="1">{p(run("Old rule."))}</w:footnote><w:footnote w:id="2">{p(run("New rule."))}</w:footnote>'
    mark = '<w:r><w:footnoteReference w:id="{}"/></w:r>'
    body = p(run("Fill"), f'<w:del w:author="A" w:id="1">{mark.format(1)}</w:del>', mark.format(2))
    document = read(body, footnotes=notes)
    assert shown(document) == [("body", "Fill[1]"), ("metadata", "Old rule."), ("footnote", "New rule.")]
    assert [finding.kind for finding in document.findings] == ["tracked_deletion"]


def test_a_deleted_cell_is_no_part_of_its_row() -> None:
    cell = "<w:tc><w:tcPr>{}</w:tcPr>{}</w:tc>"
    row = cell.format("", p(run("a"))) + cell.format('<w:cellDel w:author="A" w:id="1"/>', p(run("gone")))
    document = read(f"<w:tbl><w:tr>{row}</w:tr></w:tbl>" + p())
    assert "gone" not in " ".join(text for role, text in shown(document) if role == "table")


def test_a_text_box_is_no_picture_unless_it_is_described() -> None:
    box = f"<wps:txbx><w:txbxContent>{p(run('Boxed.'))}</w:txbxContent></wps:txbx>"
    drawing = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
    inside = f'<wp:docPr id="1" name="Box 1"{{}}/>{box}'
    shape = f'<w:r><w:drawing {WPS}><wp:inline xmlns:wp="{drawing}">{inside}</wp:inline></w:drawing></w:r>'
    assert not read(p(shape.format(""))).findings
    assert "A map" in texts(read(p(shape.format(' descr="A map"'))))


LIST = (
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
    '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
)
COUNTED = '<w:numPr><w:numId w:val="1"/></w:numPr>'


def test_notes_count_their_lists_for_themselves() -> None:
    mark = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    heading = p(run("Part"), properties='<w:outlineLvl w:val="0"/>')
    body = p(run("one"), mark, properties=COUNTED) + heading + p(run("two"), properties=COUNTED)
    document = read(body, numbering=LIST, footnotes=f'<w:footnote w:id="1">{p(run("aside"), properties=COUNTED)}</w:footnote>')
    assert texts(document) == ["1. one[1]", "1. aside", "Part", "2. two"]


def test_notes_may_count_from_one_in_each_section() -> None:
    restart = '<w:sectPr><w:footnotePr><w:numRestart w:val="eachSect"/></w:footnotePr></w:sectPr>'
    mark = '<w:r><w:footnoteReference w:id="{}"/></w:r>'
    body = p(run("a"), mark.format(1), properties=restart) + p(run("b"), mark.format(2)) + restart
    document = read(body, footnotes="".join(f'<w:footnote w:id="{at}">{p(run("x"))}</w:footnote>' for at in (1, 2)))
    assert texts(document)[:2] == ["a[1]", "b[1]"]


def test_a_bookmark_between_rows_is_a_place() -> None:
    row = f"<w:tr><w:tc>{p(run('a'))}</w:tc><w:tc>{p(run('b'))}</w:tc></w:tr>"
    link = f'<w:hyperlink w:anchor="row">{run("there")}</w:hyperlink>'
    document = read(f'<w:tbl><w:bookmarkStart w:id="1" w:name="row"/>{row}</w:tbl>' + p(link))
    assert document.anchors["row"].endswith("#table")
    assert not document.findings


def test_a_hidden_row_is_kept_beside_the_table() -> None:
    row = f"<w:tr>{{}}<w:tc>{p(run('{}'))}</w:tc><w:tc>{p(run('y'))}</w:tc></w:tr>"
    document = read(f"<w:tbl>{row.format('', 'seen')}{row.format('<w:trPr><w:hidden/></w:trPr>', 'unseen')}</w:tbl>")
    assert shown(document) == [("table", "seen\ty"), ("metadata", "unseen\ty")]
    assert [found.kind for found in document.findings] == ["hidden_text"]


def test_a_ticked_box_is_shown_where_its_field_has_an_empty_result() -> None:
    box = '<w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData></w:fldChar>'
    rest = "".join(f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("separate", "end"))
    assert texts(read(p(run("Done: "), f"<w:r>{box}</w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r>", rest))) == [
        "Done: ☒"
    ]


@pytest.mark.parametrize("number", ['<w:fldSimple w:instr=" AUTONUM "/>', "LISTNUM"])
def test_numbers_that_word_counts_and_does_not_store_are_told(number: str) -> None:
    signs = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "end")]
    field = f"{signs[0]}<w:r><w:instrText> LISTNUM x </w:instrText></w:r>{signs[1]}" if number == "LISTNUM" else number
    document = read(p(field, run("pays")))
    assert (texts(document), [found.kind for found in document.findings]) == (["pays"], ["unsupported_field"])
