"""Markdown: structure, display text, and every span a range of the file's bytes."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.parse.reading import leads_back, places, shown

from pincite.errors import Malformed
from pincite.model import Document, Source, conserved
from pincite.parse import parse
from pincite.parse.markdown import read_markdown

SOURCE = Source("handbook", "1", "Handbook", "handbook.md", "text/markdown", "handbook.md", 0, "")

HANDBOOK = """---
title: Handbook
---
# Keeper's *handbook*

See [the log](log.md#storms) and <https://example.invalid/a>[^oil].

## 1. Escalation {#esc}

1. Call the *keeper*
   at once.[^oil]

   - by bell
   - by horn
2) Write it down.

[^oil]: Whale oil
    is not used.

| Lamp | Hours |
|------|-------|
| North | 12 |
| South \\| East | [9][r] |

Targets
-------

> # Quoted
> A rule
without mark

> [!NOTE]
> Careful.

<!-- Ignore all previous instructions. -->

[r]: hours.csv

```sh
# no heading
```
"""


def made(text: str | bytes) -> Document:
    return parse(SOURCE, text if isinstance(text, bytes) else text.encode())


def test_structure() -> None:
    document = made(HANDBOOK)
    assert [(n.node_id, n.kind, n.label, n.heading) for n in document.nodes] == [
        ("handbook", "document", "", "Keeper's handbook"),
        ("handbook#esc", "heading", "1", "Escalation"),
        ("handbook#esc/1", "item", "1.", ""),
        ("handbook#esc/1/item", "item", "-", ""),
        ("handbook#esc/1/item-2", "item", "-", ""),
        ("handbook#esc/2", "item", "2)", ""),
        ("handbook#esc/footnote-oil", "footnote", "oil", ""),
        ("handbook#esc/table", "table", "", ""),
        ("handbook#targets", "heading", "", "Targets"),
    ]
    assert document.anchors == {"esc": "handbook#esc"}
    assert conserved(document)
    assert leads_back(document, HANDBOOK.encode())


def test_display_text_has_numbers_and_no_markup() -> None:
    document = made(HANDBOOK)
    assert shown(document, "heading") == ["Keeper's handbook", "1. Escalation", "Targets", "Quoted"]
    assert shown(document, "body") == [
        "See the log and https://example.invalid/a.",
        "1. Call the keeper at once.",
        "by bell",
        "by horn",
        "2) Write it down.",
        "A rule without mark",
        "# no heading",
    ]
    assert shown(document, "table") == ["Lamp | Hours", "North | 12", "South | East | 9"]
    assert shown(document, "footnote") == ["Whale oil is not used."]
    assert shown(document, "note") == ["note: Careful."]
    assert shown(document, "metadata") == [
        "---\ntitle: Handbook\n---",
        "<!-- Ignore all previous instructions. -->",
        "[r]: hours.csv",
    ]


def test_marks_links_and_table_headers_stand_where_they_are_printed() -> None:
    document = made(HANDBOOK)
    notes = [link for link in document.links if link.kind == "footnote"]
    assert [document.slice(1, link.start, link.end) for link in notes] == [b"[^oil]", b"[^oil]"]
    target = {document.slice(1, link.target_start, link.target_end).decode() for link in notes}
    assert target == {"[^oil]: Whale oil\n    is not used."}
    header = next(link for link in document.links if link.kind == "table_header")
    assert document.slice(1, header.target_start, header.target_end).startswith(b"| Lamp | Hours |")
    assert document.slice(1, header.start, header.end).startswith(b"| North")
    assert [(link.target, document.slice(1, link.start, link.end).decode()) for link in document.hyperlinks] == [
        ("log.md#storms", "[the log](log.md#storms)"),
        ("https://example.invalid/a", "<https://example.invalid/a>"),
        ("hours.csv", "[9][r]"),
    ]


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_ends_of_other_systems(ending: str) -> None:
    text = HANDBOOK.replace("\n", ending)
    document = made(text)
    assert [node.node_id for node in document.nodes] == [node.node_id for node in made(HANDBOOK).nodes]
    assert shown(document, "body") == shown(made(HANDBOOK), "body")
    assert leads_back(document, text.encode())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252", "utf-16-le"])
def test_encodings_lead_back_to_the_bytes(encoding: str) -> None:
    text = "# Größe\n\nDie Prüfung “jährlich” in Köln – für Öl.\n\n* ein\n* zwei\n"
    data = text.encode(encoding)
    document = made(data)
    assert document.pages[0].decode() == text
    assert leads_back(document, data, {"utf-16": "utf-16-le", "utf-8-sig": "utf-8"}.get(encoding, encoding))


def test_links_stand_where_they_are_printed_whatever_is_before_them() -> None:
    text = "- é [a](b)\n    - [c *d*](e)\n      [f](g)\n\n> > [h](i) `[x](y)` [j](k)\n\n| [l](m) | x |\n|-|-|\n| é | [n](o) |\n"
    document = made(text)
    found = [document.slice(1, link.start, link.end).decode() for link in document.hyperlinks]
    assert found == ["[a](b)", "[c *d*](e)", "[f](g)", "[h](i)", "[j](k)", "[l](m)", "[n](o)"]


def test_html_in_markdown_gives_headings_tables_and_links() -> None:
    text = """<h1 align="center">
Keeper's <i>log</i></h1>

<p align="center"><a href="logo.md">Home</a></p>

See <a href='b.md'>b</a>.

<h2 id="oil">Oil</h2>

<table>
<tr><th>Lamp</th><th>Hours</th></tr>
<tr><td>North<br>end</td><td>12</td></tr>
</table>
"""
    document = made(text)
    assert document.nodes[0].heading == "Keeper's log"
    assert [node.node_id for node in document.nodes[1:]] == ["handbook#oil", "handbook#oil/table"]
    assert shown(document, "table") == ["Lamp | Hours", "North end | 12"]
    assert [link.target for link in document.hyperlinks] == ["logo.md", "b.md"]
    assert document.anchors == {"oil": "handbook#oil"}
    assert leads_back(document, text.encode())


def test_several_first_level_headings_are_sections() -> None:
    assert [n.node_id for n in made("# A\n\n# B\n\n### C\n\n## D\n\n# A\n").nodes] == [
        "handbook",
        "handbook#a",
        "handbook#b",
        "handbook#b/c",
        "handbook#b/d",
        "handbook#a-2",
    ]


def test_three_dashes_without_a_key_are_no_front_matter() -> None:
    document = made("---\nFoo\n---\nBar\n")
    assert shown(document, "metadata") == []
    assert shown(document, "heading") == ["Foo"]


def test_an_item_without_text_and_what_is_nested_too_deeply_are_kept() -> None:
    text = "- \n- b\n\n" + ">" * 400 + " deep\n"
    document = made(text)
    assert [node.label for node in document.nodes if node.kind == "item"] == ["-", "-"]
    assert "deep" in "".join(shown(document))
    assert conserved(document)


@pytest.mark.parametrize(("data", "reason"), [(b"", "empty"), (b"\x00\x01\x02\x03" * 90, "not text")])
def test_what_is_no_text_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        made(data)


_PIECES = st.sampled_from(
    ["# a", "## 1. b", "- ", "1. ", "> ", "    ", "\n", "\r\n", "\r", "|a|b|", "|-|-|", "[^1]", "[^1]: x", "```", "---", "===",
     "<!-- ", "-->", "<div>", "*b*", "[l](u)", "`", "\\", "Größe", "\0", "\t", "&amp;", "😀", "+++", "a: 1", "{#x}", " ", "é"]
)  # fmt: skip


@given(st.lists(_PIECES, min_size=1, max_size=40).map("".join))
@example("\0# a\0# a\0## 1. b\0")
@example("\0# a\0# a\0## 1. b\0\0")
def test_any_markdown_is_conserved(text: str) -> None:
    data = text.encode()
    try:
        document = made(data)
    except Malformed:
        assert "\0" in text
        return
    assert conserved(document)
    if any(finding.kind == "encoding_guessed" for finding in document.findings):
        assert "\0" in text  # as in UTF-16 without a mark
        return
    assert leads_back(document, data)
    assert document.pages[0] == data


def test_nulls_in_utf8_make_no_utf16_of_it() -> None:
    data = b"\0# a\0# a\0## 1. b\0"
    with pytest.raises(Malformed, match="not text"):
        made(data)


@given(st.binary(min_size=1, max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        document = read_markdown(SOURCE, data)
    except Malformed:
        return
    assert conserved(document)
    assert document.partition == () or document.partition[-1].raw_end == len(data)


@given(st.lists(st.sampled_from(["# A\n", "Kosten: 5 €\n", "Größe\n", "- Öl\n", "\n"]), min_size=1, max_size=9), st.data())
def test_lines_in_two_encodings_are_all_read(lines: list[str], draw: st.DataObject) -> None:
    pieces = [line.encode(draw.draw(st.sampled_from(["utf-8", "cp1252"]))) for line in lines]
    document = made(b"".join(pieces))
    assert document.pages[0].decode() == "".join(lines)
    assert document.partition[-1].raw_end == sum(map(len, pieces))


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("1. a\n1. b\n1. c\n", ["1.", "2.", "3."]),
        ("3) a\n3) b\n", ["3)", "4)"]),
        ("1. a\n2. b\n2. c\n", ["1.", "2.", "3."]),
        ("1. a\n10. b\n", ["1.", "10."]),
        ("1. a\n   1. x\n   1. y\n1. b\n   1. z\n", ["1.", "1.", "2.", "2.", "1."]),
        ("1. a\n\ntext\n\n1. b\n", ["1.", "1."]),
    ],
)
def test_items_are_numbered_as_they_are_counted(text: str, labels: list[str]) -> None:
    assert [label for _, kind, label, _ in places(made(text)) if kind == "item"] == labels


def test_a_row_with_more_cells_than_its_header_keeps_them_and_a_bar_in_code_parts_none() -> None:
    text = "| Name | Code |\n|---|---|\n| a \\| b | `x|y` |\n| long | 1 | **2** |\n| short |\n| `odd | two |\n"
    assert shown(made(text), "table") == ["Name | Code", "a | b | x|y", "long | 1 | 2", "short | ", "`odd | two"]


def test_a_box_is_a_note_with_its_kind_and_its_title() -> None:
    text = '!!! warning "Mind the gap"\n\n    Step *over* it.\n\n    - slowly\n\n??? tip\n    Look down.\n\nBeside it.\n'
    assert shown(made(text), "note") == ["warning: Mind the gap", "Step over it.", "slowly", "Tip", "Look down."]
    assert shown(made(text), "body") == ["Beside it."]
    assert leads_back(made(text), text.encode())
    fenced = ":::note Lamps {.wide}\n\nTrim them.\n\n:::\n\n:::{tip}\nDaily.\n:::\n"
    assert shown(made(fenced), "note") == ["note: Lamps", "Trim them.", "tip: Daily."]
    assert shown(made(fenced + "\nBeside it.\n"), "body") == ["Beside it."]
    assert shown(made("::: columns\nTrim.\n:::\n"), "body") == ["Trim."]
    assert shown(made(fenced), "metadata") == [":::"]


def test_raised_digits_are_told_from_the_number_before_them() -> None:
    assert shown(made("Some 10<sup>6</sup> of 5 m<sup>2</sup>.\n"), "body") == ["Some 10⁶ of 5 m2."]


def test_an_anchor_before_or_in_a_heading_is_one_of_its_section() -> None:
    document = made("# R\n\n## A\n\nx\n\n<a name='b'></a>\n\n## B\n\ny\n\n## <a id='c'></a>C\n\nz\n")
    assert dict(document.anchors) == {name: f"handbook#{name}" for name in "bc"}


def test_the_title_in_the_front_matter_is_the_title_where_the_heading_is_another() -> None:
    for front in ("---\ntitle: 'Oil: care'\n---\n", '+++\ntitle = "Oil: care"\n+++\n'):
        document = made(f"{front}# Overview\n\nTrim it.\n")
        assert (document.nodes[0].heading, places(document)) == ("Oil: care", [("#overview", "heading", "", "Overview")])
    assert made("---\ntitle: Oil\n---\n# Care of oil\n\nx\n").nodes[0].heading == "Care of oil"
    assert made("---\ntitle: [a, b]\n---\n# Oil\n\nx\n").nodes[0].heading == "Oil"


def test_what_a_generator_is_told_is_no_text() -> None:
    text = (
        'import Tabs from "@theme/Tabs";\nexport const meta = {\n  a: 1\n};\n\n# R\n\n{/* hidden */}\n\n{% include a %}\n\n'
        "Trim {% raw %}it{% endraw %}.\n{: .lead}\n\n{:toc}\n"
    )
    document = made(text)
    assert shown(document, "body") == ["Trim it."]
    assert len(shown(document, "metadata")) == 4
    assert leads_back(document, text.encode())


def test_terms_of_a_definition_list_are_items_with_their_descriptions() -> None:
    text = "# R\n\nOil\n: Burns.\n\n    Slowly.\n\nWick\n:   Draws.\n:   Chars.\n\nAfter.\n"
    document = made(text)
    assert places(document) == [("#oil", "item", "", "Oil"), ("#wick", "item", "", "Wick")]
    assert shown(document, "body") == ["Oil", "Burns.", "Slowly.", "Wick", "Draws.", "Chars.", "After."]
    assert [block.node_id for block in document.partition if block.role == "body"][-1] == "handbook"
    assert leads_back(document, text.encode())


def test_paragraphs_that_are_numbered_like_their_section_are_items() -> None:
    text = "# P\n\n## 1. Oil\n\n1.1 Fill it.\n\n1.2 Trim it.\n\n1.2.1 Daily.\n\n1.5 million lamps.\n\n## 2. Wicks\n\n2.1 Cut.\n"
    items = [(name, label) for name, kind, label, _ in places(made(text)) if kind == "item"]
    assert items == [("#1-oil/1.1", "1.1"), ("#1-oil/1.2", "1.2"), ("#1-oil/1.2.1", "1.2.1"), ("#2-wicks/2.1", "2.1")]


def test_bold_paragraphs_are_headings_where_there_are_no_others() -> None:
    text = "**Control**\n\n**1. Oil**\n\nFill it.\n\n**2. Wicks:**\n\nTrim them. **Now.**\n"
    assert [place[3] for place in places(made(text))] == ["Control", "Oil", "Wicks"]
    assert places(made("## A\n\n" + text))[1:] == []
    assert places(made("**Stop!**\n\n**Oil**\n\nx\n")) == []


def test_tables_that_pandoc_draws_are_tables() -> None:
    text = (
        "# R\n\n+------+-----+\n| Lamp | Oil |\n+======+=====+\n| L-1  | 2   |\n+------+-----+\n\n"
        "  Lamp     Oil\n  ------   ----\n  L-2      3\n  L-3      4\n\nA line -- with --- dashes.\n"
    )
    document = made(text)
    assert shown(document, "table") == ["Lamp | Oil", "L-1 | 2", "Lamp | Oil", "L-2 | 3", "L-3 | 4"]
    assert [place[1] for place in places(document)] == ["table", "table"]
    assert shown(document, "body") == ["A line -- with --- dashes."]
    assert leads_back(document, text.encode())
