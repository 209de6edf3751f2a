"""Properties of the XML parsers over generated files: no byte lost, spans round, paragraph trees recovered."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from xml.sax.saxutils import escape

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.model import Document, Source, conserved, sha256_hex
from pincite.parse import parse
from pincite.parse.designators import designators, kinds_of
from pincite.parse.outline import Step, _cheapest_way, outline
from pincite.parse.scan import Text
from pincite.passages import build

# --- trees ------------------------------------------------------------------------------------------------------------

LEVELS = ("a", "1", "i", "A", "*1", "*i")
TENS, ONES = ("", "x", "xx"), ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
ROMAN = [TENS[number // 10] + ONES[number % 10] for number in range(1, 30)]

Tree = list["Tree"]  # a paragraph is the list of those below it


def trees(depth: int = 6, width: int = 3) -> st.SearchStrategy[Tree]:
    """Paragraph trees, most of them shallow, some very wide at the top."""
    below = st.just([])
    for level in range(depth):
        top = level == depth - 1
        below = st.lists(below, max_size=28 if top else width)  # type: ignore[assignment]
    return below  # type: ignore[return-value]


def printed(kind: str, place: int) -> str:
    """The designator at *place* of a numbering, without brackets."""
    plain = kind.lstrip("*")
    if plain == "1":
        return str(place)
    if plain == "i":
        return ROMAN[place - 1]
    letters = "abcdefghijklmnopqrstuvwxyz"
    label = letters[place - 1] if place <= 26 else letters[place - 27] * 2
    return label.upper() if plain == "A" else label


def render(tree: Tree, joined: list[bool]) -> tuple[str, list[str]]:
    """The ``<P>`` elements of a tree, and the path of each paragraph. *joined*: draws of ``(a)(1)`` in one paragraph."""
    lines: list[str] = []
    paths: list[str] = []
    draws = iter(joined * 50)

    def walk(children: Tree, level: int, path: str, before: str) -> None:
        for place, child in enumerate(children, start=1):
            label = printed(LEVELS[level], place)
            here = f"{path}({label})"
            shown = before if place == 1 else ""
            shown += f"(<I>{label}</I>)" if LEVELS[level].startswith("*") else f"({label})"
            paths.append(here)
            if child and next(draws, False) and level < 2:
                walk(child, level + 1, here, shown)  # the first child stands in the same paragraph
                continue
            lines.append(f"<P>{shown} {'The following apply:' if child else 'It applies.'}</P>")
            if child:
                walk(child, level + 1, here, "")

    walk(tree, 0, "", "")
    return "\n".join(lines), paths


def read(body: str, head: str = "Test.") -> Document:
    data = f'<DIV8 N="1.1" TYPE="SECTION">\n<HEAD>§ 1.1 {head}</HEAD>\n{body}\n</DIV8>'.encode()
    document = parse(Source("x", "", "", "", "application/xml", "title-99/x.xml", len(data), ""), data)
    assert document.pages[0].decode() == "".join(ET.fromstring(data).itertext())
    return document


@given(trees(), st.lists(st.booleans(), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_a_paragraph_tree_is_recovered(tree: Tree, joined: list[bool]) -> None:
    body, paths = render(tree, joined)
    document = read(body)
    assert [node.node_id for node in document.nodes[1:]] == [f"99 CFR 1.1{path}" for path in paths]
    assert not document.findings
    assert conserved(document)


@given(trees(depth=4))
@settings(max_examples=60, deadline=None)
def test_the_plain_way_is_the_cheapest_way(tree: Tree) -> None:
    body, _ = render(tree, [False])
    texts = ["".join(paragraph.itertext()) for paragraph in ET.fromstring(f"<x>{body}</x>")]
    steps, opens = [], True
    for text in texts:
        paragraph = Text("P", text, 0, len(text), 0, 0, None, None)
        steps += [Step(designator, opens) for designator in designators(paragraph)]
        opens = text.endswith(":")
    assert [place.path for place in outline(steps)] == [place.path for place in _cheapest_way(steps)]


# --- arbitrary content ------------------------------------------------------------------------------------------------

words = st.text(st.sampled_from("abc (1)(i)(A)§—é\u2009\U0001f4dc&<>\"'\n\t.;:[]Reserved means"), max_size=40).map(escape)
inline = st.one_of(
    words,
    st.builds(lambda tag, text: f"<{tag}>{text}</{tag}>", st.sampled_from(["I", "SU", "FR", "B", "sub"]), words),
    st.builds('<E T="{}">{}</E>'.format, st.sampled_from(["03", "04", "52"]), words),
    st.sampled_from(["<FTREF/>", "<br/>", "<!-- c -->", "<AC T='8'/>"]),
)
leaf = st.builds(
    lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
    st.sampled_from(["P", "FP", "FP-1", "CITA", "HD1", "XREF", "APPRO", "PSPACE", "HED", "BOGUS"]),
    st.lists(inline, max_size=5),
)
row = st.builds(lambda cells: "<TR>" + "".join(f"<TD>{c}</TD>" for c in cells) + "</TR>", st.lists(inline, max_size=4))
table = st.builds(lambda rows: f"<TABLE>{''.join(rows)}</TABLE>", st.lists(row, max_size=4))
block = st.recursive(
    st.one_of(leaf, leaf, leaf, table, words),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(["EXTRACT", "NOTE", "FTNT", "EXAMPLE", "EDNOTE", "AUTH", "DIV", "UNHEARD", "P"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)
bodies = st.lists(block, max_size=12).map("\n".join)


@given(bodies, st.sampled_from(["Test.", "Definitions.", "[Reserved]"]))
@settings(max_examples=70, deadline=None)
def test_no_byte_is_lost_and_every_span_slices_back(body: str, head: str) -> None:
    document = read(body, head)
    assert conserved(document)
    nodes = {node.node_id: node for node in document.nodes}
    for block in document.partition:
        assert block.node_id in nodes or block.role == "blank"
        if block.node_id:
            assert nodes[block.node_id].start <= block.start <= block.end <= nodes[block.node_id].end
    for passage in build(document):
        slices = [document.slice(span.page, span.start, span.end) for span in passage.spans]
        assert [sha256_hex(piece) for piece in slices] == [span.sha256 for span in passage.spans]
        assert passage.evidence_text == b"\n".join(slices).decode()


@given(bodies, bodies)
@settings(max_examples=20, deadline=None)
def test_an_edit_elsewhere_keeps_a_passage_its_id(first: str, second: str) -> None:
    kept = "<DIV8 N='1.2'><HEAD>§ 1.2 B.</HEAD><P>(a) Kept.</P></DIV8>"

    def chunk_ids(front: str) -> set[str]:
        data = f"<DIV5 N='1'><DIV8 N='1.1'><HEAD>§ 1.1 A.</HEAD>{front}</DIV8>{kept}</DIV5>"
        document = parse(Source("x", "", "", "", "application/xml", "title-99/x.xml", 0, ""), data.encode())
        return {passage.chunk_id for passage in build(document) if passage.node_id.startswith("99 CFR 1.2")}

    assert chunk_ids(first) == chunk_ids(second) != set()


# --- designators ------------------------------------------------------------------------------------------------------


@given(st.sampled_from(["a", "1", "i", "A"]), st.integers(1, 28))
def test_what_is_printed_is_read(kind: str, place: int) -> None:
    assert (kind, place) in kinds_of(printed(kind, place), False)
    assert (f"*{kind}", place) in kinds_of(printed(kind, place), True)
