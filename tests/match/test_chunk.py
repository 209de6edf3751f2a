"""Chunks are whole sentences of the case's own text, at exact offsets; bad input is one sentence."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import Malformed, MissingSource, TooExpensive
from pincite.match.chunk import MAX_BYTES, WORDS, chunks, decode_case, read_case, sentences

FIXTURE = Path(__file__).parents[2] / "fixtures/match/cases"


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def test_sentences_end_where_a_reader_would_end_them():
    text = (
        'Mr. Lund v. Perch Inc. was heard. "He left." She stayed! The U.S. Attorney, J. Day, rose?\n\nno capital here. 42 came.'
    )
    assert pieces(text) == [
        "Mr. Lund v. Perch Inc. was heard.",
        '"He left."',
        "She stayed!",
        "The U.S. Attorney, J. Day, rose?",
        "no capital here.",
        "42 came.",
    ]


@given(st.text(alphabet="ab. \n?!”\"'Aé1", max_size=300))
def test_sentences_and_chunks_keep_every_visible_character_in_order(text: str):
    assert "".join("".join(pieces(text)).split()) == "".join(text.split())
    found = chunks(text, words=5)
    assert all(chunk.text == text[chunk.start : chunk.end] for chunk in found)
    assert "".join("".join(chunk.text for chunk in found).split()) == "".join(text.split())
    assert all(before.end <= after.start for before, after in itertools.pairwise(found))


def test_chunks_have_about_250_words_and_end_with_sentences():
    text = " ".join(f"Sentence number {number} has exactly seven words." for number in range(400))
    sizes = [len(chunk.text.split()) for chunk in chunks(text)]
    assert all(abs(size - WORDS) <= 4 for size in sizes[:-1])
    assert all(chunk.text.endswith(".") for chunk in chunks(text))


def test_a_sentence_without_end_is_cut():
    text = "word " * 5000
    assert max(len(chunk.text.split()) for chunk in chunks(text)) == WORDS


def test_every_fixture_case_is_cut_and_rejoined():
    for path in FIXTURE.glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        assert "".join("".join(chunk.text for chunk in chunks(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "has no words"),
        (b" \n\t ", "has no words"),
        (b"1234 .. 5", "has no words"),
        (b"\x00\x01\x02abc", "binary data"),
        (b"%PDF-1.7 \x93\xff", "not UTF-8"),
        (b"\xff\xfea\x00b\x00", "not UTF-8"),
    ],
)
def test_bad_cases_are_refused_in_one_sentence(tmp_path: Path, data: bytes, message: str):
    path = tmp_path / "case.txt"
    path.write_bytes(data)
    with pytest.raises(Malformed, match=message) as error:
        read_case(path)
    assert "\n" not in str(error.value)
    assert "case.txt" in str(error.value)


def test_a_case_of_ten_megabytes_is_refused_unread(tmp_path: Path):
    path = tmp_path / "case.txt"
    path.write_bytes(b"word " * 2_000_000)
    with pytest.raises(TooExpensive, match=r"more than 2,000,000 bytes"):
        read_case(path)
    assert MAX_BYTES < 10_000_000


@pytest.mark.parametrize("unit", [". ", ".\"'", "\n ", ". \n", "A. ", "Mr. X ", ".      a", "\n\n"])
def test_hostile_texts_are_cut_in_linear_time(unit: str):
    import time

    started = time.process_time()
    chunks(unit * (1_000_000 // len(unit)))
    assert time.process_time() - started < 10


def test_a_missing_case_and_a_folder_are_refused(tmp_path: Path):
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(MissingSource, match="cannot be read"):
            read_case(path)


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert decode_case(b"\xef\xbb\xbfFacts.", "x") == "Facts."
