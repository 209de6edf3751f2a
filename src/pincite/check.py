"""Verify an answer against the published files, and trust nothing else.

This module knows only the answer's JSON and the raw files. It imports neither tables nor index nor retrieval, and reads XML
with the standard library alone: the text of an XML document is all its character data in document order. A text in UTF-8 is its
own text. Only for what has no text of its own, or none that two extractors agree on (PDF, office files, HTML, other encodings),
is Pincite's own extraction called.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

from pincite.errors import CheckFailed, PinciteError, UsageError

_ANSWER_KEYS = frozenset({"question", "status", "reason", "passages", "trace", "seal"})
_SHA256 = re.compile(r"[0-9a-f]{64}")


class _Numbered(NamedTuple):
    """An element that carries a number: the number, and the byte range of its text in the document's."""

    number: str
    start: int
    end: int


Place = tuple[tuple[int, int], tuple[int, int]]
"""Page and byte offset where something begins, and where it ends."""


class Published(NamedTuple):
    """One raw file as read now: its bytes, the text of each page in UTF-8, in XML its numbered elements, and of a file whose
    text is extracted the places by their fragments (``#Prices!A7``).
    """

    data: bytes
    pages: tuple[bytes, ...]
    is_xml: bool
    numbered: tuple[_Numbered, ...] = ()
    places: Mapping[str, Place] = {}


class Verified(NamedTuple):
    """What was checked: citations, spans and files."""

    citations: int
    spans: int
    files: int


def check_answer(text: str | bytes, raw: Path) -> tuple[Verified, list[CheckFailed]]:
    """Verify the answer in *text* (JSON) against the files under *raw*; every disagreement is returned, none is raised.

    Raises ``UsageError`` where *text* is not an answer at all.
    """
    answer = _parse(text)
    failures = list(_sealed(answer))
    files: dict[str, Published | CheckFailed] = {}
    spans = 0
    for passage in answer["passages"]:
        try:
            spans += _check_passage(passage, raw, files)
        except CheckFailed as failure:
            failures.append(failure)
    return Verified(len(answer["passages"]), spans, len(files)), failures


def check_file(path: Path, raw: Path) -> Verified:
    """Verify the answers in the file *path* ("-": standard input), one a line; the first disagreement is raised.

    Further disagreements go to standard error, one sentence a line.
    """
    try:
        text = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise UsageError(f"the answer cannot be read ({error.strerror})", where=str(path)) from None
    results = [check_answer(line, raw) for line in text.splitlines() if line.strip()] or [check_answer(text, raw)]
    failures = [failure for _, found in results for failure in found]
    for failure in failures[1:]:
        sys.stderr.write(f"pincite: {failure}\n")
    if failures:
        raise failures[0]
    return Verified(*(sum(values) for values in zip(*(verified for verified, _ in results))))


def read_pages(raw: Path, path: str, sha256: str) -> tuple[bytes, ...]:
    """The text of each page of the published file *path* under *raw*, as spans count it; ``CheckFailed`` for other bytes."""
    return _read(raw, path, sha256).pages


def seal(answer: Mapping[str, Any]) -> str:
    """SHA-256 over an answer's canonical JSON, its own ``seal`` left out: it shows a change of any byte after writing."""
    rest = {key: value for key, value in answer.items() if key != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def _parse(text: str | bytes) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the answer is not JSON ({error})", next="give the output of 'pincite query --json'") from None
    if not isinstance(answer, dict) or not isinstance(answer.get("passages"), list):
        raise UsageError("the answer has no list of passages", next="give the output of 'pincite query --json'")
    return answer


def _sealed(answer: Mapping[str, Any]) -> Iterator[CheckFailed]:
    unknown = sorted(set(answer) - _ANSWER_KEYS)
    if unknown:
        yield CheckFailed(f"the answer has an unknown field {unknown[0]!r}", next="give an answer as it was written")
    elif "seal" in answer and answer["seal"] != seal(answer):
        yield CheckFailed("the answer was changed after it was written: its seal does not fit", next="ask again")


def _check_passage(passage: Any, raw: Path, files: dict[str, Published | CheckFailed]) -> int:
    """How many spans were verified; ``CheckFailed`` at the first disagreement."""
    try:
        where = f"{passage['node_id']} in {passage['path']}"
        published = _published(passage["path"], passage["source_sha256"], raw, files)
        slices = [_check_span(span, published, where) for span in passage["spans"]]
        evidence = passage["evidence_text"].encode("utf-8", "surrogatepass")
        citation = passage["node_id"].removeprefix(passage.get("document_id", ""))  # a manual's own name is not printed in it
    except (KeyError, TypeError, AttributeError) as error:
        raise CheckFailed(f"a passage of the answer is not complete ({error!r})", next="ask again") from None
    if not slices:
        raise CheckFailed("the citation has no span", where=where)
    if b"\n".join(slices) != evidence:
        raise CheckFailed("the quoted text is not what stands in the file", where=where)
    first, last = passage["spans"][0], passage["spans"][-1]
    if not _stands_there(citation, published, ((first["page"], first["start"]), (last["page"], last["end"]))):
        raise CheckFailed("the quoted text does not stand under this citation", where=where)
    return len(slices)


def _published(path: Any, wanted: Any, raw: Path, files: dict[str, Published | CheckFailed]) -> Published:
    if path not in files:
        try:
            files[path] = _read(raw, str(path), wanted)
        except CheckFailed as failure:
            files[path] = failure
    found = files[path]
    if isinstance(found, CheckFailed):
        raise found
    if hashlib.sha256(found.data).hexdigest() != wanted:
        raise CheckFailed("the answer names two different hashes for one file", where=str(path))
    return found


def _read(raw: Path, path: str, wanted: Any) -> Published:
    file = (raw / path).resolve()
    if not file.is_relative_to(raw.resolve()):
        raise CheckFailed("the answer names a file outside the folder", where=path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise CheckFailed(f"the published file cannot be read ({error.strerror})", where=str(file)) from None
    found = hashlib.sha256(data).hexdigest()
    if found != wanted:
        raise CheckFailed(f"the file has SHA-256 {found}, the answer was made from {wanted}", where=str(file))
    media_type = _media_type(data, path)
    if media_type == "application/xml":
        return Published(data, (_xml_text(data, str(file)),), True, _numbered(data))
    if pages := _text_of(media_type, data):
        return Published(data, pages, False)
    return _extracted(media_type, data, str(file))


def _check_span(span: Mapping[str, Any], published: Published, where: str) -> bytes:
    page, start, end = span["page"], span["start"], span["end"]
    if not 1 <= page <= len(published.pages):
        raise CheckFailed(f"the file has no page {page}", where=where)
    text = published.pages[page - 1]
    place = f"bytes {start}-{end} of page {page}"
    if not 0 <= start < end <= len(text):
        raise CheckFailed(f"{place} are outside the text of {len(text)} bytes", where=where)
    piece: bytes = text[start:end]
    found = hashlib.sha256(piece).hexdigest()
    if not _SHA256.fullmatch(str(span["sha256"])) or found != span["sha256"]:
        raise CheckFailed(f"{place} have SHA-256 {found}, the answer says {span['sha256']}", where=where)
    if span.get("raw_start") is not None or span.get("raw_end") is not None:
        _check_raw(span, piece, published, where)
    return piece


def _check_raw(span: Mapping[str, Any], piece: bytes, published: Published, where: str) -> None:
    """The file's bytes ``raw_start:raw_end`` must be whole elements whose character data holds the span's text."""
    start, end = span["raw_start"], span["raw_end"]
    place = f"bytes {start}-{end} of the file"
    if not isinstance(start, int) or not isinstance(end, int):
        raise CheckFailed(f"{place} are no range", where=where)
    if not 0 <= start < end <= len(published.data):
        raise CheckFailed(f"{place} are outside the file of {len(published.data)} bytes", where=where)
    element = published.data[start:end]
    if not published.is_xml:
        if published.data.removeprefix(_BOM) == published.pages[0] and piece not in element:
            raise CheckFailed(f"{place} do not hold the quoted text", where=where)
        return
    if not element.startswith(b"<") or not element.endswith(b">"):
        raise CheckFailed(f"{place} are not an element", where=where)
    try:
        held = _xml_text(b"<_>" + element + b"</_>", where)
    except CheckFailed:
        raise CheckFailed(f"{place} are not a whole element", where=where) from None
    if piece not in held:
        raise CheckFailed(f"{place} do not hold the quoted text", where=where)


# --- the text of a file ----------------------------------------------------------------------------------------------


def _parser(on_text: Any, where: str) -> expat.XMLParserType:
    def refuse(*_: Any) -> int:
        raise CheckFailed("the file declares entities or a document type, which are never expanded", where=where)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.CharacterDataHandler = on_text
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.ExternalEntityRefHandler = refuse
    return parser


def _xml_text(data: bytes, where: str) -> bytes:
    """All character data in document order, as UTF-8: what ``"".join(root.itertext())`` gives."""
    pieces: list[str] = []
    try:
        _parser(pieces.append, where).Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise CheckFailed(f"the file is not well-formed XML ({error})", where=where) from None
    return "".join(pieces).encode("utf-8", "surrogatepass")


def _media_type(data: bytes, path: str) -> str:
    from pincite.sources.classify import HEAD_BYTES, classify

    found = classify(data[:HEAD_BYTES], len(data), path, BytesIO(data)).media_type
    return "application/xml" if found == "text/plain" and path.lower().endswith(".xml") else found


_BOM = b"\xef\xbb\xbf"
_TEXTS = ("text/markdown", "text/plain", "text/csv", "text/tab-separated-values", "application/json", "application/x-ndjson")


def _text_of(media_type: str, data: bytes) -> tuple[bytes, ...]:
    """The text of a file that is text in UTF-8: itself; () for any other."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return ()
    return (data.removeprefix(_BOM),) if media_type in _TEXTS and b"\0" not in data else ()


def _extracted(media_type: str, data: bytes, where: str) -> Published:
    from pincite.model import Source, sha256_hex
    from pincite.parse import parse

    source = Source("check", "", where, "", media_type, where, len(data), sha256_hex(data))
    try:
        document = parse(source, data)
    except PinciteError as error:
        raise CheckFailed(f"the file's text cannot be extracted ({error.what})", where=where) from None
    named = [node for node in document.nodes if node.node_id.startswith("check#")]
    places = {node.node_id[5:]: ((node.page, node.start), (node.page_end, node.end)) for node in named}
    return Published(data, document.pages, False, places=places)


# --- does the text stand under its citation? -------------------------------------------------------------------------

_LABEL = re.compile(r"\d[\w.\-]*(?<![.\-])|\b[A-Z]\b|\([^()\s]{1,6}\)")


def _stands_there(citation: str, published: Published, quoted: Place) -> bool:
    """Whether the citation's own label is found where its text stands.

    In XML the numbered elements around the text (``N`` attributes) decide: the innermost one's number must be in the
    citation, and each designator "(a)(1)" must be printed between its start and the text's end. Elsewhere what the citation
    names must be printed on a page up to there: its last number (of a range both), or a word of its heading; a place that the
    extraction of the file gives must hold the text. *quoted* is where the text begins and ends.
    """
    (_, start), (page, end) = quoted
    around = [each for each in published.numbered if each.start <= start < each.end]
    designators = re.findall(r"\([^()\s]{1,6}\)", citation)
    base = re.sub(r"\([^()\s]{1,6}\)", "", citation)
    if around:
        innermost = around[-1]
        number, words = _words(innermost.number), _words(base)
        if not number or not _ends_with(words, number):
            return False
        return _in_order(designators, published.pages[0][innermost.start : end].decode("utf-8", "replace"))
    if citation in published.places:
        begin, stop = published.places[citation]
        return begin <= quoted[0] and quoted[1] <= stop
    shown = b"".join(published.pages[:page]).decode("utf-8", "replace")
    if citation.startswith("#"):
        return _named(citation, unicodedata.normalize("NFKC", shown).casefold())
    return _printed(base, "".join(shown.split()).casefold())


_POSITION = re.compile(
    r"(?:row|slide|sheet|message|untitled|attachment|section|table|item|notes?)(?:-?\d+)?$|(?:footnote|endnote|comment)(?:-|$)|.*![A-Z]+\d+"
)


def _named(fragment: str, shown: str) -> bool:
    """Whether *shown* has a word of the last heading in a fragment (``#escalation/response-targets``). A position has none."""
    for part in reversed(fragment[1:].split("/")):
        words = re.findall(r"[^\W\d_]{2,}", part)
        if words and not _POSITION.match(part):
            return any(word in shown for word in words)
    return True


def _printed(label: str, shown: str) -> bool:
    """Whether *shown*, blanks removed, has the label's number or a word of its heading. A document's bare name has neither."""
    heading = label.rpartition(": ")[2] if ": " in label else ""
    if heading:
        words = re.findall(r"\w+", heading)
        return not words or any(word.casefold() in shown for word in words)
    numbers = re.findall(r"\d(?:[\w./\-]*\w)?", label)
    return not numbers or all(part.casefold() in shown for part in re.split("[-/‐-―]", numbers[-1]))


def _ends_with(words: list[str], number: list[str]) -> bool:
    """Whether the element's number ("211.22", "A", "Appendix A to Part 800") is what the citation names."""
    return words[-1:] == number[-1:] or set(number) <= set(words) or set(words[-2:]) <= set(number)


def _words(label: str) -> list[str]:
    return re.sub(r"[^\w.\-]", " ", re.sub("[‐-―]", "-", label)).split()


def _in_order(designators: list[str], text: str) -> bool:
    at = 0
    for designator in designators:
        at = text.find(designator, at)
        if at < 0:
            return False
        at += len(designator)
    return True


def _numbered(data: bytes) -> tuple[_Numbered, ...]:
    """Every element with an ``N`` attribute, outer ones before inner ones, with its range in the text.

    Subject groups (DIV7) are left out, theirs is a running number that no citation has; so is the "0" of reserved chapters.
    """
    position = 0
    stack: list[int] = []
    found: list[_Numbered] = []

    def on_text(text: str) -> None:
        nonlocal position
        position += len(text.encode("utf-8", "surrogatepass"))

    def on_start(name: str, attributes: dict[str, str]) -> None:
        stack.append(len(found))
        found.append(
            _Numbered(attributes.get("N", "") if name.startswith("DIV") and name != "DIV7" else "", position, position)
        )

    def on_end(name: str) -> None:
        at = stack.pop()
        found[at] = found[at]._replace(end=position)

    parser = _parser(on_text, "")
    parser.StartElementHandler, parser.EndElementHandler = on_start, on_end
    parser.Parse(data, True)
    return tuple(each for each in found if each.number not in ("", "0"))
