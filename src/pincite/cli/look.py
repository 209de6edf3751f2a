"""inspect: what the parser makes of one file."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pincite.cli import app
from pincite.errors import Malformed, MissingSource, NeedsPassword, NoText, ParseError

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
    media_type: str = typer.Option(
        "", help="Read it as this, with parameters, e.g. 'text/csv; header=absent'; by its content where not given."
    ),
) -> None:
    """Print what the parser makes of one file: a JSON object a line, of type node, partition, passage or reference.

    No table is read or written. Offsets are bytes of the extracted text; raw offsets are bytes of the file.
    """
    from pincite.parse import parse
    from pincite.passages import build

    source, data = _read(file, source_id, media_type)
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


def _read(file: Path, source_id: str, media_type: str) -> tuple[Source, bytes]:
    """The file's bytes, and a source that tells the parser where it lies and what it is: what discovery would say."""
    from pincite.model import Source, sha256_hex
    from pincite.parse.formats import check_settings
    from pincite.sources.discover import look

    if media_type:
        check_settings(media_type)
    try:
        data = file.read_bytes()
    except OSError as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else str(error.strerror)
        raise MissingSource(reason, where=str(file), next="name a file that can be read") from None
    place = _PLACE.search(str(file.absolute()))
    path = place.group() if place else file.name
    found = look(file.name, data)
    if found.kind.trouble and not media_type:
        refused = _REFUSED.get(found.kind.trouble, Malformed)
        step = "'pincite formats' lists what is read" if found.kind.trouble == "unsupported" else "look at the file"
        raise refused(found.kind.reason, where=str(file), next=step)
    identity = source_id or re.sub(r"\.\w+$", "", path).replace("/", "-")
    kind, title, uri = media_type or found.kind.media_type, found.title or file.stem, file.absolute().as_uri()
    return Source(identity, "", title, uri, kind, path, len(data), sha256_hex(data)), data


_REFUSED: dict[str, type[ParseError]] = {"encrypted": NeedsPassword, "needs_ocr": NoText}
"""What a trouble of discovery is called where a file is asked for by name; ``Malformed`` where nothing else."""


def _passage(row: Passage) -> dict[str, Any]:
    return row._asdict() | {"spans": [span._asdict() for span in row.spans]}


def _references(document: Document, passages: tuple[Passage, ...]) -> Iterator[dict[str, Any]]:
    """The document's references, decided against its own nodes."""
    from pincite.passages import chunks_of_nodes
    from pincite.references import observe
    from pincite.references.names import names_of
    from pincite.references.resolve import known_of, resolve

    held = zip(document.nodes, chunks_of_nodes(document.nodes, passages), names_of(document) or repeat(()))
    known = known_of((document.source.document_id, node.node_id, chunk_ids, names) for node, chunk_ids, names in held)
    for edge in resolve(observe(document), known, source=document.source, passages=passages):
        row = edge._asdict()
        row["span"] = row.pop("mention_span")._asdict()
        yield row


def _print(kind: str, rows: Iterator[dict[str, Any]]) -> None:
    write = sys.stdout.write
    for row in rows:
        write(json.dumps({"type": kind, **row}, ensure_ascii=False) + "\n")
