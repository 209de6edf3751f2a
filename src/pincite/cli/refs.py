"""``pincite refs``: the references in plain text."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from pincite.cli import app
from pincite.errors import MissingSource, UsageError

_HALF = re.compile("[\ud800-\udfff]")


@app.command()
def refs(
    file: Path | None = typer.Argument(
        None, help="One text a line, or JSON Lines with `text` and `at`; without it, standard input."
    ),
    at: str = typer.Option("", help='Where the texts stand, for example "21 CFR 211.22(a)".'),
    family: str = typer.Option("cfr", help="The family of references: cfr, internal, manual or rulebook."),
    passages: Path | None = typer.Option(
        None, help="Instead of texts, passages as `rank` reads them: references between them, in rulebooks defined terms too."
    ),
) -> None:
    """Find the references in plain text: one JSON object a reference, offsets in characters (start, end) and bytes (span)."""
    if passages is not None:
        _between(passages)
        return
    from pincite.references import find, place_at

    for number, (text, place, identity) in enumerate(_texts(file, at), start=1):
        before = reached = 0  # mentions are in order: bytes are counted once, not from the beginning for each
        for mention in find(text, place_at(place, family), family):
            before += len(text[reached : mention.start].encode())
            reached = mention.start
            print(
                json.dumps(
                    {
                        "line": number,
                        **identity,
                        "mention": mention.text,
                        "kind": mention.kind,
                        "target_node_id": mention.target_node_id,
                        "target_end_node_id": mention.target_end_node_id,
                        "status": mention.status,
                        "reason": mention.reason,
                        "start": mention.start,
                        "end": mention.end,
                        "span": {"start": before, "end": before + len(mention.text.encode())},
                    },
                    ensure_ascii=False,
                )
            )


def _between(passages: Path) -> None:
    """One JSON object for each reference and passage it leads to; `rank --edges` reads them."""
    from pincite.rank.collection import read_passages
    from pincite.rank.edges import rows

    for row in rows(read_passages(passages)):
        print(json.dumps(row, ensure_ascii=False))


def _texts(file: Path | None, at: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(text, place, what identifies it) of each line."""
    where = str(file) if file else "standard input"
    for number, line in enumerate(_lines(file, where), start=1):
        if not line.lstrip().startswith("{"):
            yield line, at, {}
            continue
        try:
            row = json.loads(line)
        except ValueError:
            yield line, at, {}  # a text may begin with a brace
            continue
        if not isinstance(row.get("text"), str) or not isinstance(row.get("at", at), str):
            raise UsageError("the object has no `text`, or an `at` that is no string", where=f"{where}, line {number}")
        if _HALF.search(row["text"]):
            raise UsageError(
                "the text has half a character (a lone surrogate)", where=f"{where}, line {number}", next="mend it"
            )
        yield row["text"], row.get("at", at), {"id": row["id"]} if "id" in row else {}


def _lines(file: Path | None, where: str) -> Iterator[str]:
    """Lines without their ends, split at newlines only: a text may hold other separators."""
    try:
        data = file.read_bytes() if file else sys.stdin.buffer.read()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise MissingSource(f"cannot be read ({error.strerror})", where=where, next="name a text file") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"is not UTF-8 (byte {error.start})", where=where, next="convert it first") from None
    for line in text.split("\n"):
        yield line.removesuffix("\r")
