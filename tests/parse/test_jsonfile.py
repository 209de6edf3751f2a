"""JSON and JSON Lines: pointers, records, byte ranges, numbers as written, and hostile files."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.parse.reading import leads_back, places, shown, sound, source_of

from pincite.errors import Malformed, PinciteError, TooExpensive
from pincite.model import Document
from pincite.parse import parse


def made(text: str | bytes, media_type: str = "application/json") -> Document:
    return parse(source_of(media_type), text if isinstance(text, bytes) else text.encode())


REGISTER = """{"title": "Lamps", "edition": 1.50, "owner": {"name": "Keeper", "sworn": true},
 "items": [{"id": "L1", "name": "North", "hours": 12, "gone": null, "tags": ["a", "b"], "at": {"lat": 1e3}}, {"id": "L2"}],
 "a/b": {"c~d": {"deep": [{"x": 1}]}}, "years": [1900, 1901]}"""


def test_places_are_json_pointers() -> None:
    document = made(REGISTER)
    assert document.nodes[0].heading == "Lamps"
    assert places(document) == [
        ("#/owner", "heading", "", "owner"),
        ("#/items", "heading", "", "items"),
        ("#/items/0", "record", "", "North"),
        ("#/items/1", "record", "", "L2"),
        ("#/a~1b", "heading", "", "a/b"),
        ("#/a~1b/c~0d", "heading", "", "c~d"),
        ("#/a~1b/c~0d/deep", "heading", "", "deep"),
        ("#/a~1b/c~0d/deep/0", "record", "[0]", ""),
    ]
    assert leads_back(document, REGISTER.encode())
    assert sound(document)


def test_what_is_shown_has_numbers_as_they_are_written() -> None:
    assert shown(made(REGISTER), "body") == [
        "title: Lamps | edition: 1.50",
        "name: Keeper | sworn: true",
        "id: L1 | name: North | hours: 12 | gone: null | tags: a, b | at.lat: 1e3",
        "id: L2",
        "x: 1",
        "years: 1900, 1901",
    ]


def test_a_record_is_its_bytes_in_the_file() -> None:
    document = made(REGISTER)
    (block,) = (block for block in document.partition if block.node_id == "doc#/items/1")
    assert REGISTER.encode()[block.raw_start : block.raw_end] == b'{"id": "L2"}'


def test_a_repeated_key_is_a_finding_and_both_values_are_shown() -> None:
    document = made('{"items": [{"a": 1, "a": 2}], "b": 1, "b": 2}')
    assert [finding.subject for finding in document.findings if finding.kind == "duplicate_key"] == ["b", "a"]
    assert shown(document, "body") == ["a: 1 | a: 2", "b: 1 | b: 2"]


def test_a_long_text_is_a_block_a_paragraph() -> None:
    text = "First paragraph about oil. " * 80 + "\n\n" + "Zweiter “Absatz” 😀 " * 90
    document = made(json.dumps({"body": text, "note": "x"}))
    blocks = shown(document, "body")
    assert len(blocks) > 2
    assert " ".join(" ".join(blocks[:-1]).split()) == " ".join(f"body: {text}".split())
    assert leads_back(document, json.dumps({"body": text, "note": "x"}).encode())


def test_a_record_is_not_named_by_a_machines_identifier() -> None:
    document = made('[{"id": "1389d0fa-5346-4953-8d52-45d7fd96c5e8", "text": "a"}, {"id": "A 7"}]')
    assert places(document) == [("#/0", "record", "[0]", ""), ("#/1", "record", "", "A 7")]


def test_no_block_of_a_long_record_is_longer_than_a_passage() -> None:
    text = "A sentence that is “quoted” here. " * 120
    document = made(json.dumps([{"id": "L1", "body": text, "note": "n"}]))
    assert max(len(words) for words in shown(document, "body")) < 1000
    assert all(words.endswith(".") for words in shown(document, "body")[1:-2])


def test_declared_mapping() -> None:
    declared = "application/json; records=/laws; id=ref; heading=short; text=body; skip=internal"
    document = made(
        '{"laws": {"x": {"ref": "A 1", "short": "Oil", "body": "No whales.", "n": 3}, "y": {"ref": "A 2"}}}', declared
    )
    assert places(document)[1:] == [("#/laws/A 1", "record", "A 1", "Oil"), ("#/laws/A 2", "record", "A 2", "A 2")]
    assert shown(document, "body")[0] == "body: No whales."
    kept = made('[{"ref": "1", "internal": "salary", "body": "b"}]', declared)
    assert (shown(kept, "metadata"), shown(kept, "body")) == (["internal: salary"], ["ref: 1", "body: b"])


def test_lines_are_records_and_a_broken_one_is_kept() -> None:
    document = made('{"id": 1, "title": "One"}\n\nbroken {\n[2, {"x": 3}]\n"text"\n', "application/x-ndjson")
    assert places(document) == [
        ("#row-1", "record", "", "One"),
        ("#row-3", "record", "row 3", ""),
        ("#row-4", "record", "row 4", ""),
    ]
    assert [finding.kind for finding in document.findings] == ["malformed_record"]
    assert "broken {" in shown(document, "body")
    assert [node[0] for node in places(made('{"a": 1}\n{"a": 2}\n'))] == ["#row-1", "#row-2"]


def test_pages_of_a_manual_are_still_read_from_an_old_manifest() -> None:
    data = json.dumps({"pages": [{"page": 1, "text": "1001  A claimant is paid.\n"}]})
    assert made(data).pages == made(data, "application/vnd.pincite.pages+json").pages
    assert made(data).parser == made(data, "application/vnd.pincite.pages+json").parser != "json"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1,}', "line 1, column"),
        ("[1, 2", "not JSON"),
        ('{"a"', "not JSON"),
        ("nonsense", "a value is expected"),
        ("", "empty"),
    ],
)
def test_what_is_not_json_says_where(text: str, reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        made(text)


@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000])
def test_bottomless_nesting_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(TooExpensive, match="nested deeper"):
        made(text)


def test_nesting_that_can_be_read_is_read_without_recursion() -> None:
    document = made('{"a":' * 400 + '"' + "long " * 600 + '"' + "}" * 400)
    assert sound(document)
    assert max(node.node_id.count("/") for node in document.nodes) == 200


def test_fifty_megabytes_in_one_line() -> None:
    record = '{"id": %d, "name": "Lamp", "note": "' + "call the keeper " * 1500 + '"}'
    text = "[" + ",".join(record % number for number in range(2_000)) + "]"
    started = time.process_time()
    document = made(text)
    assert len(text) > 48_000_000
    assert sum(node.kind == "record" for node in document.nodes) == 2_000
    assert time.process_time() - started < 120


def test_half_a_surrogate_pair_and_null_bytes() -> None:
    document = made(b'{"a": "x\\ud800y", "b": "\\u0000", "c": "raw \x00"}')
    shown(document, "body")[0].encode()
    assert [finding.kind for finding in document.findings] == ["null_bytes"]
    assert made('{"a": NaN}').findings[0].kind == "not_in_json"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_encodings(encoding: str) -> None:
    text = '{"Größe": "“lang” 😀"}'
    data = text.encode(encoding)
    document = made(data)
    assert shown(document, "body") == ["Größe: “lang” 😀"]
    names = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
    assert leads_back(document, data, names.get(encoding, encoding))


_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)


@given(_VALUES, st.sampled_from([None, 1]), st.booleans())
def test_any_json_is_conserved_and_every_scalar_is_shown(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return
    try:
        document = made(data)
    except Malformed as error:
        assert "not text" in error.what  # noqa: PT017
        return
    if document.parser == "json":
        assert leads_back(document, data)
        assert sound(document)
        for scalar in _scalars(value):
            assert scalar in "\n".join(shown(document))


def _scalars(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [found for inner in value.values() for found in _scalars(inner)]
    if isinstance(value, list):
        return [found for inner in value for found in _scalars(inner)]
    return [json.dumps(value)] if not isinstance(value, str) else []


@given(st.text(alphabet='{}[]",:\\ 1e.-tnu\n', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for media_type in ("application/json", "application/x-ndjson"):
        try:
            assert sound(made(text, media_type))
        except PinciteError:
            continue


def test_html_in_values_is_shown_as_it_is_read_and_stays_in_the_text() -> None:
    value = "<p>Oil &amp; <b>wicks</b>.</p><script>bad()</script><ul><li>daily</li></ul>"
    text = json.dumps([{"id": 7, "title": {"rendered": "Lamps &#8211; care"}, "body": value, "max": "a < b & c"}])
    document = made(text)
    assert [node.heading for node in document.nodes[1:]] == ["Lamps – care"]
    assert (
        shown(document) == ["[", "id: 7 | title.rendered: Lamps – care | body: Oil & wicks. daily | max: a < b & c", "]"][1:2]
    )
    long = made(json.dumps({"body": "<p>Trim the <i>wick</i>.</p>\n" * 60}))
    assert set(" ".join(shown(long)).removeprefix("body: ").split(". ")) == {"Trim the wick", "Trim the wick."}
    assert b"<script>" in document.pages[0]


def test_data_in_letters_is_no_text() -> None:
    document = made(
        json.dumps({"items": [{"name": "Lamp", "icon": "QUJD" * 90, "scan": "data:image/png;base64," + "iVBO" * 900}]})
    )
    assert shown(document, "body") == ["name: Lamp | icon: [data of 360 characters]"]
    assert shown(document, "metadata") == ["scan: [data of 3622 characters]"]
    assert [found.subject for found in document.findings] == ["scan"]
    lines = made(json.dumps({"pem": "\n".join(["QUJD" * 16] * 20), "words": "\n".join(f"word{n}" for n in range(99))}))
    assert shown(lines, "metadata") == ["pem: [data of 1299 characters]"]
    assert shown(made(json.dumps({"a": " " * 300, "b": "x"})), "metadata") == []
    assert sum(words.count("word") for words in shown(lines, "body")) == 100


def test_lines_of_a_text_in_a_list_are_that_text() -> None:
    document = made(json.dumps({"cells": [{"cell_type": "markdown", "source": ["# Oil\n", "\n", "Trim it."]}]}))
    assert shown(document)[1].split("\n") == ["cell_type: markdown | source: # Oil", "", "Trim it."]


def test_a_member_without_a_name_is_no_title_and_a_pointer_to_nothing_is_told() -> None:
    document = made('{"": "v", "items": [{"id": "a"}]}', "application/json; records=/rows")
    assert document.nodes[0].heading == "Doc"
    assert [found.kind for found in document.findings] == ["setting_without_effect"]


def test_records_may_be_members_of_an_object_by_their_ids() -> None:
    text = json.dumps({"L-1": {"title": "North", "oil": "12 l"}, "L-2": {"title": "South", "oil": "9 l"}})
    document = made(text)
    assert places(document) == [("#/L-1", "record", "L-1", "North"), ("#/L-2", "record", "L-2", "South")]
    assert leads_back(document, text.encode())
    plain = made(json.dumps({"paths": {"/a": {"get": {"x": 1}}, "/b": {"get": {"x": 2}}}}))
    assert {place[1] for place in places(plain)} == {"heading"}
