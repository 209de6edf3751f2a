"""A case's text, cut at sentence ends into chunks of about 250 words. Offsets are Unicode code points into the text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from pincite.errors import Malformed, MissingSource, TooExpensive

WORDS = 250
MAX_BYTES = 2_000_000  # a long opinion has 300 kB; ten times that is not a statement of facts

_WORD = re.compile(r"\S+")
_BREAK = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])|\n\s*\n")
# A full stop after one of these, or after a single initial, ends no sentence.
_ABBREVIATED = re.compile(
    r"(?:\b(?:v|vs|Mr|Mrs|Ms|Dr|Jr|Sr|St|Inc|Co|Corp|Ltd|No|Nos|Art|Sec|Cl|Dept|Fed|Gov|Gen|Sen|Rep|Prof|Sgt|Lt|Capt|Bros|Assn|Dist)"
    r"|\b[A-Z]|\bU\.S(?:\.C)?|\bD\.C|\be\.g|\bi\.e)\.$"
)


class Chunk(NamedTuple):
    start: int
    end: int
    text: str  # exactly the case's text[start:end]


def read_case(path: Path) -> str:
    """The text of a case file; a ``ParseError`` says what is wrong where it is empty, binary, too large or not UTF-8."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise MissingSource(f"the case cannot be read ({error.strerror})", where=str(path), next="name a text file") from None
    return decode_case(data, str(path))


def decode_case(data: bytes, where: str) -> str:
    """*data* as text; refuses what is no text, holds no words, or is longer than ``MAX_BYTES``."""
    if len(data) > MAX_BYTES:
        raise TooExpensive(f"the case has more than {MAX_BYTES:,} bytes", where=where, next="hand in its facts alone")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(
            f"the case is not UTF-8 text (byte {error.start})", where=where, next="convert it to plain UTF-8 text"
        ) from None
    if any(ord(character) < 32 and character not in "\t\n\r\f" for character in text):
        raise Malformed("the case holds control characters: it is binary data", where=where, next="extract its text first")
    if not re.search(r"[^\W\d_]", text):
        raise Malformed("the case has no words", where=where, next="hand in a statement of facts")
    return text


def sentences(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, without the white space around it."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        cut = match.start() + len(match[0]) - len(match[0].lstrip("\"'”’)]"))
        if "\n" not in match[0] and _ABBREVIATED.search(text, max(start, cut - 12), cut):
            continue
        _add(spans, text, start, cut)
        start = match.end()
    _add(spans, text, start, len(text))
    return spans


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    if left < right:
        spans.append((start + left, start + right))


def chunks(text: str, words: int = WORDS) -> list[Chunk]:
    """Whole sentences, joined while that brings a chunk nearer to *words*; a sentence far longer than that is cut at words."""
    found: list[Chunk] = []
    start = end = count = 0
    for first, last, size in _pieces(text, words):
        if count and abs(count + size - words) > abs(words - count):
            found.append(Chunk(start, end, text[start:end]))
            count = 0
        if not count:
            start = first
        end = last
        count += size
    if count:
        found.append(Chunk(start, end, text[start:end]))
    return found


def _pieces(text: str, words: int) -> list[tuple[int, int, int]]:
    """(start, end, words) of each sentence; a monster is cut into pieces of *words*."""
    pieces = []
    for start, end in sentences(text):
        size = len(text[start:end].split())
        if size <= 2 * words:
            pieces.append((start, end, size))
            continue
        tokens = [match.span() for match in _WORD.finditer(text, start, end)]
        for at in range(0, len(tokens), words):
            part = tokens[at : at + words]
            pieces.append((part[0][0], part[-1][1], len(part)))
    return pieces
