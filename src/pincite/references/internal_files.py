"""Files by name in the prose of a team's documents, and what every reader of that prose gives back.

    use `escalation.md`; policies/leave.docx; Lamp register.xlsx; “Leave policy (old).docx”

A name with spaces is read where it is set off or where its words are capitalised. A file that is only an example ("a file such
as notes.md", "a code-of-conduct.md") is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from pincite.references.names import NOT_FIRST, folded_path, is_common_file

Links = Mapping[int, tuple[int, str]]
"""Links of a text by where they begin (or end): the other end, and what they seek."""
_NONE: Links = MappingProxyType({})


class Home(NamedTuple):
    """The document the text stands in. ``own`` are its own names, which are no references here."""

    document_id: str
    folder: str = ""
    own: frozenset[str] = frozenset()
    has_rows: bool = False
    stem: str = ""  # of the file's name
    links: Links = _NONE  # of the text that is read, by where they begin
    links_to: Links = _NONE  # the same, by where they end


class Found(NamedTuple):
    """A reference in characters of the text."""

    start: int
    end: int
    kind: str  # title, name (a title that nothing points at), code, file, heading, section, annex, table, row, ...
    sought: str
    reason: str = ""


EXTENSIONS = r"md|markdown|docx?|xlsx?|xlsm|csv|tsv|jsonl?|html?|pptx?|pdf|txt|eml|xml|ya?ml|rst|odt|ods"
FILE = re.compile(
    rf"(?<![\w./@:%~-])(?P<path>(?:\.{{1,2}}/)?(?:[\w.-]{{1,60}}/){{0,12}}[\w-][\w.-]{{0,80}}\.(?:{EXTENSIONS}))(?![\w/-]|\.\w)",
    re.IGNORECASE,
)
_CAPITALISED = re.compile(r"(?:[A-Z0-9][\w&’'()-]{0,40}[ ](?:(?:of|and|for|the|to|on|&|-|–)[ ]){0,2}){1,6}$")
_SET_OFF = re.compile(r"(?:(?<![^\s(\[])[\"`]|[“«])(?P<words>\w[^“”\"`«»\n/]{0,80}[ ])$")
_CLOSING = ("”", '"', "`", "»")
_OPENS = re.compile(r"(?:^|[.:!?\n>*-][ ]?)$")
"""Before a sentence: one capitalised word there ("Configure config.yaml") is as likely its verb as part of the name."""
_EXAMPLE = re.compile(
    r"(?:\b(?:an?|such[ ]as|e\.g\.,?|for[ ](?:example|instance),?|named|called|like)|\bcreate|\bi\.e\.)[ ][“\"`«*_\[]{0,3}$",
    re.IGNORECASE,
)
_REACH = 120


def files(text: str, home: Home) -> Iterator[Found]:
    """The files that a text names, those it gives as examples left out."""
    for match in FILE.finditer(text):
        starts = _starts(text, match)
        if not match["path"].casefold().startswith("www.") and not _EXAMPLE.search(text, max(0, starts[0] - 24), starts[0]):
            begins = starts[-1] if len(starts) == 2 and _OPENS.search(text, max(0, starts[0] - 3), starts[0]) else starts[0]
            yield Found(begins, match.end(), "file", _sought(text, match, starts, home))


def file_at(text: str, at: int, home: Home) -> tuple[int, str] | None:
    """(where it ends, what it seeks) of the file whose name begins at *at*; None where none does."""
    match = FILE.search(text, at, at + _REACH)
    starts = _starts(text, match) if match else []
    if match is None or at not in starts:
        return None
    return match.end(), _sought(text, match, starts[starts.index(at) :], home)


def file_before(text: str, end: int, home: Home) -> tuple[int, str] | None:
    """(where it begins, what it seeks) of the file whose name ends at *end*; None where none does."""
    word = max(text.rfind(" ", 0, end), text.rfind("`", 0, end - 1)) + 1
    match = FILE.match(text, word)
    if match is None or match.end() != end:
        return None
    starts = _starts(text, match)
    return starts[0], _sought(text, match, starts, home)


def _starts(text: str, match: re.Match[str]) -> list[int]:
    """Where the name may begin, the longest first: words before it that are capitalised or set off may belong to it."""
    start = match.start()
    if "/" in match["path"]:
        return [start]
    low = max(0, start - _REACH)
    if text[match.end() : match.end() + 1] in _CLOSING and (set_off := _SET_OFF.search(text, low, start)):
        return [set_off.start("words"), start]
    run = _CAPITALISED.search(text, low, start)
    words = run[0].split(" ")[:-1] if run else []
    while words and words[0] in NOT_FIRST:
        words.pop(0)
    found, at = [], start - sum(len(word) + 1 for word in words)
    for word in words:
        found += [at] if word[0].isupper() or word[0].isdigit() else []
        at += len(word) + 1
    return [*found, start]


def _sought(text: str, match: re.Match[str], starts: list[int], home: Home) -> str:
    longer = [f"file:{text[start : match.end()].casefold()}" for start in starts if start < match.start()]
    return " | ".join([*longer, _of_path(match["path"], home)])


def _of_path(path: str, home: Home) -> str:
    """The file of that path beside the document or in the corpus; else, of a bare name, the one file of that name."""
    parts = [part for part in home.folder.split("/") if part]
    steps = path.split("/")
    while steps and steps[0] in (".", ".."):
        if steps.pop(0) == ".." and parts:
            parts.pop()
    beside = "/".join([*parts, *steps])
    found = {f"path:{beside}": None}
    if len(steps) > 1 or not is_common_file(steps[0]):
        found[f"path:{'/'.join(steps)}"] = None
    if len(steps) == 1 and not is_common_file(steps[0]):
        found[f"file:{steps[0].casefold()}"] = None
    else:
        found[folded_path(beside)] = None
    return " | ".join(found)
