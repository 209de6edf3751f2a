"""Reading files of every format, beside the library's own bare read of the same bytes and beside other extractors.

    python benchmarks/extract.py [--rounds N] [--only html,csv] [--peers PYTHON]

A case is a format: files made here, the bare read, and our reader. The *bare read* is what the library needs to deliver what is
in the file without making anything of it: tokens of Markdown, all elements and texts of HTML, rows of cells, a JSON value. Ours
makes nodes, a hashed partition and byte ranges of the same bytes. Ratios are of the best processor time of several rounds,
contenders interleaved in one process. The limit is 1.5; where the bare read is C code that makes a Python list, that is out of
reach for Python code that makes and hashes a row for each: *floor* is the bare read and the same records made again from parts
that are known already, ids written out, blocks hashed (decision 0260).

``--peers PYTHON`` is the interpreter of an environment with ``unstructured``, ``markitdown`` or ``docling``: each reads the
same files there, by the clock, after a first read that loads it. ``unstructured`` uses spaCy's rules for sentences where its
model is absent, which makes it faster.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from extract_office import CASES as OFFICE
from pincite.model import Block, Document, Node, Source
from pincite.parse.formats import media_type_of, reader_of

LIMIT = 1.5
PEERS = Path(__file__).with_name("extract_peers.py")


class Case(NamedTuple):
    """A format: a file of it, and how its library reads it."""

    name: str  # of the file
    make: Callable[[], bytes]
    bare: Callable[[bytes], Any]


# --- files --------------------------------------------------------------------------------------------------------------

WORDS = "Targets are suspended while waiting on the requester, which does not count toward the eight hour target."


def markdown(sections: int) -> bytes:
    part = "## {0}. Targets of lamp {0}\n\n{1}\nIt is *binding*.[^{0}]\n\n1. Call.\n2. Write it in [the log](log.md).\n\n"
    table = "| Lamp | Hours |\n|------|-------|\n| North | {0} |\n| South | 9 |\n\n[^{0}]: See the rules.\n\n"
    return ("# Handbook\n\n" + "".join((part + table).format(number, WORDS) for number in range(sections))).encode()


def html(sections: int) -> bytes:
    part = (
        "<h2 id=s{0}>{0}. Targets</h2><p>{1} It is <b>binding</b>.</p><ol><li>Call.<li>Write it in <a href=log>the log</a>."
        "</ol><table><tr><th>Lamp<th>Hours<tr><td>North<td>{0}<tr><td>South<td>9</table>"
    )
    body = "".join(part.format(number, WORDS) for number in range(sections))
    return f"<!doctype html><html><head><title>Handbook</title></head><body><main><h1>Handbook</h1>{body}</main>".encode()


def delimited(rows: int) -> bytes:
    lines = "".join(f'L{number},North,{number % 24},{number}.50,"call the keeper, now"\n' for number in range(rows))
    return ("Lamp,Place,Hours,Cost,Note\n" + lines).encode()


def json_records(rows: int) -> bytes:
    records = [
        {"id": f"L{n}", "name": "North", "hours": n % 24, "note": WORDS, "at": {"lat": 1.5, "lon": n}} for n in range(rows)
    ]
    return json.dumps({"title": "Lamps", "items": records}).encode()


def json_lines(rows: int) -> bytes:
    return "".join(json.dumps({"id": f"L{n}", "name": "North", "note": WORDS}) + "\n" for n in range(rows)).encode()


def plain(sections: int) -> bytes:
    return "".join(f"{n}.1 Targets of lamp\n\n{WORDS}\n{WORDS}\n\n- call\n- write\n\n" for n in range(1, sections)).encode()


def mail() -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "Keeper <keeper@example.invalid>", "Oil"
    message.set_content((WORDS + "\n\n") * 40)
    message.add_attachment(delimited(40), maintype="text", subtype="csv", filename="lamps.csv")
    return bytes(message)


# --- bare reads ---------------------------------------------------------------------------------------------------------


def bare_markdown(data: bytes) -> None:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    MarkdownIt("commonmark").enable("table").use(footnote_plugin).parse(data.decode())


def bare_html(data: bytes) -> None:
    from selectolax.lexbor import LexborHTMLParser

    root = LexborHTMLParser(data.decode()).root
    assert root is not None
    for node in root.traverse(include_text=True):
        _ = node.tag, node.text_content, node.attributes if node.is_element_node else None


def bare_csv(data: bytes) -> None:
    list(csv.reader(io.StringIO(data.decode(), newline="")))


def bare_json_lines(data: bytes) -> None:
    [json.loads(line) for line in data.decode().splitlines()]


def bare_mail(data: bytes) -> None:
    for part in BytesParser(policy=policy.default).parsebytes(data).walk():
        if not part.is_multipart():
            part.get_payload(decode=True)


CASES = (
    Case("small.md", lambda: markdown(1), bare_markdown),
    Case("handbook.md", lambda: markdown(200), bare_markdown),
    Case("small.html", lambda: html(1), bare_html),
    Case("handbook.html", lambda: html(200), bare_html),
    Case("lamps.csv", lambda: delimited(5000), bare_csv),
    Case("lamps.json", lambda: json_records(2000), json.loads),
    Case("lamps.jsonl", lambda: json_lines(2000), bare_json_lines),
    Case("rules.txt", lambda: plain(500), lambda data: data.decode().splitlines()),
    Case("letter.eml", mail, bare_mail),
    *(Case(*case) for case in OFFICE),
)
"""The formats that are text, and the office formats."""


# --- measuring ----------------------------------------------------------------------------------------------------------


def best(rounds: int, *contenders: Callable[[], Any]) -> list[float]:
    """Best processor time of each contender, interleaved; short ones several times in a row."""
    times = [float("inf")] * len(contenders)
    for _ in range(rounds):
        for index, contender in enumerate(contenders):
            started, runs = time.process_time(), 0
            while time.process_time() - started < 0.02:
                contender()
                runs += 1
            times[index] = min(times[index], (time.process_time() - started) / runs)
    return times


def records_alone(document: Document) -> Callable[[], Any]:
    """Makes the document's records again, column by column, of parts that are there: what no reader can do without."""
    nodes, blocks = list(zip(*document.nodes)), list(zip(*document.partition))
    fragments = [node_id.rpartition("#")[2] for node_id in nodes[0]]
    pieces = [document.slice(block.page, block.start, block.end) for block in document.partition]

    def make() -> Any:
        ids = [f"{document.source.document_id}#{fragment}" for fragment in fragments]
        hashes = [sha256(piece).hexdigest() for piece in pieces]
        made = list(map(_node, zip(ids, *nodes[1:]))), list(map(_block, zip(*blocks[:6], hashes, *blocks[7:])))
        return made, dict(document.display), b"".join(pieces)

    return make


_node, _block = partial(tuple.__new__, Node), partial(tuple.__new__, Block)


def measure(case: Case, rounds: int) -> tuple[bytes, list[float]]:
    """The file, and seconds of the bare read, of ours, and of the records alone."""
    data = case.make()
    source = Source("doc", "1", "Doc", case.name, media_type_of(case.name), case.name, len(data), "")
    read = reader_of(source.media_type)
    return data, best(rounds, lambda: case.bare(data), lambda: read(source, data), records_alone(read(source, data)))


def of_peers(python: str, files: dict[str, bytes]) -> dict[tuple[str, str], float]:
    """Seconds of each peer and file, as measured in the peers' own environment; what fails is absent."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        command = [python, str(PEERS), *(str(Path(folder) / name) for name in files)]
        lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    rows = [json.loads(line) for line in lines if line.startswith("{")]
    return {(row["peer"], Path(row["file"]).name): row["seconds"] for row in rows if row["seconds"] is not None}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="endings of file names, with commas")
    parser.add_argument(
        "--peers", action="append", default=[], help="an interpreter that has other extractors; may be repeated"
    )
    options = parser.parse_args()
    cases = [case for case in CASES if not options.only or case.name.endswith(tuple(options.only.split(",")))]
    measured = {case.name: measure(case, options.rounds) for case in cases}
    files = {name: data for name, (data, _) in measured.items()}
    peers = {key: value for python in options.peers for key, value in of_peers(python, files).items()}
    names = sorted({peer for peer, _ in peers})
    print(
        f"{'file':16}{'bytes':>10}{'bare ms':>10}{'ours ms':>10}{'ratio':>8}{'floor':>8}"
        + "".join(f"{name:>26}" for name in names)
    )
    for name, (data, (bare, ours, records)) in measured.items():
        row = f"{name:16}{len(data):>10}{1000 * bare:>10.2f}{1000 * ours:>10.2f}{ours / bare:>8.1f}{1 + records / bare:>8.1f}"
        for peer in names:
            seconds = peers.get((peer, name))
            row += f"{'-':>26}" if seconds is None else f"{f'{1000 * seconds:.1f} ms, {seconds / ours:.1f} of ours':>26}"
        print(row)
    print(f"limit {LIMIT} times the bare read")


if __name__ == "__main__":
    main()
