"""inspect: what the parser makes of one file."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pincite.cli import app
from pincite.errors import MissingSource

if TYPE_CHECKING:
    from pincite.model import Document, Passage, Source

_PLACE = re.compile(r"title-?\d+[\\/].*", re.IGNORECASE)


@app.command()
def inspect(
    file: Path = typer.Argument(..., help="A file of a format that is read: see 'pincite formats'."),
    references: bool = typer.Option(True, help="Find references too, resolved within this file alone."),
    findings: bool = typer.Option(False, help="Print what the parser could not settle, and links such as footnotes, too."),
    source_id: str = typer.Option(
        "", help='The document_id, e.g. "21-cfr-211"; it also tells the title where the file does not.'
    ),
) -> None:
    """Print what the parser makes of one file: a JSON object a line, of type node, partition, passage or reference.

    No table is read or written. Offsets are bytes of the extracted text; raw offsets are bytes of the file.
    """
    from pincite.parse import parse
    from pincite.passages import build

    source, data = _read(file, source_id)
    document = parse(source, data)
    passages = build(document)
    _print("node", ({"document_id": source.document_id, **row._asdict()} for row in document.nodes))
    _print("partition", ({"document_id": source.document_id, **row._asdict()} for row in document.partition))
    _print("passage", (_passage(row) for row in passages))
    if references:
        _print("reference", _references(document, passages))
    if findings:
        _print("finding", (row._asdict() for row in document.findings))
        _print("link", (row._asdict() | {"link": row.kind} for row in document.links))
    elif document.findings:
        print(f"pincite: {file}: {len(document.findings)} findings; --findings prints them", file=sys.stderr)


def _read(file: Path, source_id: str) -> tuple[Source, bytes]:
    """The file's bytes, and a source that tells the parser where it lies."""
    from pincite.model import Source, sha256_hex
    from pincite.parse.formats import media_type_of

    try:
        data = file.read_bytes()
    except OSError as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else str(error.strerror)
        raise MissingSource(reason, where=str(file), next="name a file that can be read") from None
    place = _PLACE.search(str(file.absolute()))
    path = place.group() if place else file.name
    pdf = data[:1024].lstrip().startswith(b"%PDF-")
    media_type = "application/pdf" if pdf else media_type_of(file.name) or "application/xml"
    identity = source_id or re.sub(r"\.\w+$", "", path).replace("/", "-")
    return Source(identity, "", file.stem, file.absolute().as_uri(), media_type, path, len(data), sha256_hex(data)), data


def _passage(row: Passage) -> dict[str, Any]:
    return row._asdict() | {"spans": [span._asdict() for span in row.spans]}


def _references(document: Document, passages: tuple[Passage, ...]) -> Iterator[dict[str, Any]]:
    """The document's references, decided against its own nodes."""
    from pincite.passages import chunks_of_nodes
    from pincite.references import observe
    from pincite.references.resolve import known_of, resolve

    held = zip(document.nodes, chunks_of_nodes(document.nodes, passages))
    known = known_of((document.source.document_id, node.node_id, chunk_ids) for node, chunk_ids in held)
    for edge in resolve(observe(document), known, source=document.source, passages=passages):
        row = edge._asdict()
        row["span"] = row.pop("mention_span")._asdict()
        yield row


def _print(kind: str, rows: Iterator[dict[str, Any]]) -> None:
    write = sys.stdout.write
    for row in rows:
        write(json.dumps({"type": kind, **row}, ensure_ascii=False) + "\n")
