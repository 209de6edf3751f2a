"""What of a document's structure each extractor keeps: headings, list numbers, table cells, notes, and what must not be there.

    python benchmarks/structure.py [FOLDER...] [--peers PYTHON]

First documents made here, in which every heading, item, cell and note is a word that occurs once: it counts as kept where it is
present exactly once, after the one before it, and as what it is (a heading as a heading, an item with its number). Then every
Markdown and HTML file below each FOLDER, whose headings and cells are listed by another parser (lxml; Markdown through
markdown-it's HTML) and looked for in order. Prints the tables of ``docs/formats.md``.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import NamedTuple

from extract import PEERS
from pincite.errors import PinciteError
from pincite.model import Source
from pincite.parse.formats import media_type_of, reader_of
from structure_office import MADE as OFFICE

KINDS = ("headings", "numbers", "cells", "notes", "absent")


class Made(NamedTuple):
    """A document and what is in it, in order. ``absent`` is what a reader would not see."""

    name: str
    data: bytes
    headings: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()  # "3. item"
    cells: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


MARKDOWN = """---
title: frontq
---
# headaq

Text.[^n]

## headbq

3. itemaq
4. itembq
   1. itemcq

Setext headcq
-------------

| cellaq | cellbq |
|--------|--------|
| cellcq | celldq \\| x |
| celleq | |

<!-- hiddenq -->

> ### headdq

[^n]: noteaq
"""
HTML = """<html><head><title>t</title><style>.styleq{}</style></head><body><!-- commentq --><script>scriptq()</script>
<main><h1>headaq</h1><p>Text<sup><a href=#n>1</a></sup><span hidden>hiddenq</span></p><h2>headbq</h2>
<ol start=3><li>itemaq<li>itembq<ol type=a><li>itemcq</ol></ol>
<table><tr><th>cellaq<th>cellbq<tr><td rowspan=2>cellcq<td>celldq<tr><td>celleq</table>
<table><tr><td>cellfq<table><tr><td>cellgq<td>cellhq<tr><td>celliq<td>celljq</table><td>cellkq</table>
<h4>headcq</h4><dl><dt>cellmq<dd>cellnq</dl><section class=footnotes><ol><li id=n>noteaq</ol></section></main></body></html>"""
DELIMITED = 'titleq\n\ncellaq;cellbq\ncellcq;"cell dq\nsecond"\n;celleq\ncellfq;1,5\n'
JSON = '{"title": "cellaq", "items": [{"id": 1.50, "name": "cellbq", "tags": ["cellcq", "celldq"]}, {"name": "celleq"}]}'
TEXT = "HEADAQ\n\n1. Headbq\n\nSome text.\n\n1) itemaq\n2) itembq\n\n2.1 Headcq\n\nMore.\n"


def letter() -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"] = "headaq", "k@example.invalid"
    message.set_content("Text cellaq.\n")
    message.add_attachment(b"cellbq;cellcq\ncelldq;celleq\n", maintype="text", subtype="csv", filename="a.csv")
    return bytes(message)


def words(kind: str, letters: str) -> tuple[str, ...]:
    return tuple(f"{kind}{letter}q" for letter in letters)


DOCUMENTS = (
    Made(
        "page.md", MARKDOWN.encode(), words("head", "abcd"), ("3. itemaq", "4. itembq", "1. itemcq"), words("cell", "abcde"),
        ("noteaq",), ("hiddenq",),
    ),
    Made(
        "page.html", HTML.encode(), words("head", "abc"), ("3. itemaq", "4. itembq", "a. itemcq"),
        words("cell", "abcdefghijkmn"),
        ("noteaq",), ("styleq", "commentq", "scriptq", "hiddenq"),
    ),
    Made("table.csv", DELIMITED.encode(), (), (), ("cellaq", "cellbq", "cellcq", "cell dq second", "celleq", "cellfq", "1,5")),
    Made("data.json", JSON.encode(), (), (), ("cellaq", "1.50", "cellbq", "cellcq", "celldq", "celleq")),
    Made("rules.txt", TEXT.encode(), ("HEADAQ", "Headbq", "Headcq"), ("1) itemaq", "2) itembq")),
    Made("letter.eml", letter(), ("headaq",), (), words("cell", "abcde")),
    *(Made(*one) for one in OFFICE),
)  # fmt: skip
"""The formats that are text, and the office formats."""


class Read(NamedTuple):
    """What an extractor made: the text that can be quoted, the lines it takes for headings, and the text without markup."""

    text: str
    headings: tuple[str, ...]
    shown: str


def ours(name: str, data: bytes) -> Read | None:
    source = Source("doc", "1", "Doc", name, media_type_of(name), name, len(data), "")
    try:
        document = reader_of(source.media_type)(source, data)
    except PinciteError:
        return None
    blocks = [block for block in document.partition if block.role not in ("blank", "metadata")]
    words = [document.slice(block.page, block.start, block.end).decode() for block in blocks]  # what can be quoted
    shown = [document.display.get(block.ordinal, text) for block, text in zip(blocks, words)]
    headings = [text for block, text in zip(blocks, shown) if block.role == "heading"]
    if document.nodes[0].heading not in headings:
        headings.insert(0, document.nodes[0].heading)
    return Read(_plain("\n".join(words)), tuple(map(_plain, headings)), _plain("\n".join(shown)))


def of_peers(python: str, files: dict[str, bytes]) -> dict[str, dict[str, Read | None]]:
    """Peer -> file -> what it made; None where it failed."""
    found: dict[str, dict[str, Read | None]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        command = [python, str(PEERS), "--text", *(str(Path(folder) / name) for name in files)]
        lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    for row in map(json.loads, filter(lambda line: line.startswith("{"), lines)):
        read = None if row["seconds"] is None else _of_peer(row["peer"], row["text"])
        found.setdefault(row["peer"], {})[Path(row["file"]).name] = read
    return found


def _of_peer(peer: str, text: str) -> Read:
    mark = "Title: " if peer == "unstructured" else "#"
    headings = [line.lstrip("# ") if mark == "#" else line[len(mark) :] for line in text.splitlines() if line.startswith(mark)]
    return Read(_plain(text), tuple(map(_plain, headings)), _plain(text))


def _plain(text: str) -> str:
    """Without Markdown's escapes and emphasis, in one line."""
    return " ".join(re.sub(r"\\(?=[\W_])|[*`]", "", text).split())


# --- documents of our own -----------------------------------------------------------------------------------------------


def kept(made: Made, read: Read | None) -> dict[str, tuple[int, int]]:
    """For each kind, how many of the document's are kept, of how many."""
    if read is None:
        return {kind: (0, len(getattr(made, kind))) for kind in KINDS}
    counts = {kind: (sum(_in_order(getattr(made, kind), read.text)), len(getattr(made, kind))) for kind in KINDS[1:4]}
    headings = [any(word in line for line in read.headings) for word in made.headings]
    counts["headings"] = sum(headings), len(headings)
    counts["absent"] = sum(word not in read.text for word in made.absent), len(made.absent)
    return counts


def _in_order(items: Iterable[str], text: str) -> Iterator[bool]:
    """For each item whether it occurs exactly once, after the last one that does."""
    at = 0
    for item in items:
        found = text.find(item)
        yield text.count(item) == 1 and found >= at
        at = max(at, found)


def own_documents(peers: list[str]) -> None:
    files = {made.name: made.data for made in DOCUMENTS}
    results = {"pincite": {name: ours(name, data) for name, data in files.items()}}
    for python in peers:
        results |= of_peers(python, files)
    print("| document | kept | " + " | ".join(results) + " |\n|---|---|" + "---|" * len(results))
    for made in DOCUMENTS:
        rows = {name: kept(made, read.get(made.name)) for name, read in results.items()}
        for kind in KINDS:
            if getattr(made, kind):
                cells = " | ".join("{} of {}".format(*row[kind]) for row in rows.values())
                print(f"| {made.name} | {kind} | {cells} |")


# --- documents of others --------------------------------------------------------------------------------------------------


def truth(path: Path) -> tuple[list[str], list[str]]:
    """The headings and cells of a file by another parser, in order."""
    import lxml.html
    from markdown_it import MarkdownIt

    data = path.read_bytes()
    text = data.decode("utf-8", "replace")
    if path.suffix == ".md":
        text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
        text = MarkdownIt("commonmark").enable("table").render(text)
    text = re.sub(r"<(script|style|template|noscript)\b.*?</\1>|<!--.*?-->", "", text, flags=re.DOTALL | re.IGNORECASE)
    if not text.strip():
        return [], []
    text = f"<html><body>{text}</body></html>" if path.suffix == ".md" else text
    tree = lxml.html.document_fromstring(text.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    headings = [_plain(node.text_content()) for node in tree.iter("h1", "h2", "h3", "h4", "h5", "h6")]
    cells = [_plain(node.text_content()) for node in tree.iter("td", "th") if node.find(".//table") is None]
    return [item for item in headings if _squeezed(item)], [item for item in cells if _squeezed(item)]


def public_documents(folders: list[str], peers: list[str]) -> None:
    paths = [path for folder in folders for path in sorted(Path(folder).rglob("*")) if path.suffix in (".md", ".html")]
    files = {f"{number}{path.suffix}": path.read_bytes() for number, path in enumerate(paths) if path.stat().st_size < 300_000}
    found = {"pincite": {name: ours(name, data) for name, data in files.items()}}
    for python in peers:
        found |= of_peers(python, files)
    counts = {name: Counter[str]() for name in found}
    for name in files:
        if _is_other(files[name]):
            continue
        headings, cells = truth(paths[int(name.split(".")[0])])
        for extractor, reads in found.items():
            read = reads.get(name) or Read("", (), "")
            counts[extractor] += Counter(failed=reads.get(name) is None, headings=_sequence(headings, read.headings))
            counts[extractor] += Counter(cells=_sequence(cells, [read.shown]))
            counts[extractor] += Counter(all_headings=len(headings), all_cells=len(cells))
    print(f"\n{len(files)} files\n")
    print("| extractor | headings as headings, in order | cells, in order | not read |\n|---|---|---|---|")
    for name, count in counts.items():
        headings, cells = (f"{count[kind]} of {count[f'all_{kind}']}" for kind in ("headings", "cells"))
        print(f"| {name} | {headings} | {cells} | {count['failed']} |")


def _is_other(data: bytes) -> bool:
    """Not UTF-8: the other parser would have to guess too."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return False


def _sequence(items: list[str], texts: Iterable[str]) -> int:
    """How many of *items* are found one after the other in *texts*."""
    text, at, count = _squeezed("\n".join(texts)), 0, 0
    for item in map(_squeezed, items):
        found = text.find(item, at)
        if found >= 0:
            at, count = found + len(item), count + 1
    return count


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*")
    parser.add_argument(
        "--peers", action="append", default=[], help="an interpreter that has other extractors; may be repeated"
    )
    options = parser.parse_args()
    own_documents(options.peers)
    if options.folders:
        public_documents(options.folders, options.peers)


if __name__ == "__main__":
    main()
