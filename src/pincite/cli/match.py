"""match: a case's facts to the laws they point to."""

from __future__ import annotations

import json
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from pincite.cli import app


class By(str, Enum):
    """How facts are found."""

    hybrid = "hybrid"
    bm25 = "bm25"
    vector = "vector"


@app.command()
def match(
    case: Annotated[Path, typer.Argument(help="The statement of facts, plain UTF-8 text; '-' reads standard input.")],
    snapshot: Annotated[Path, typer.Option(help="The annotation snapshot.")] = Path("fixtures/match/snapshot.json"),
    method: Annotated[By, typer.Option(help="bm25 needs no model.")] = By.hybrid,
    alpha: Annotated[
        float, typer.Option(min=0.0, max=0.5, help="The share of cases these laws reach that may be turned away.")
    ] = 0.05,
    state: Annotated[Path, typer.Option(help="The folder whose embeddings/ are kept.")] = Path("data"),
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, with every neighbour's quote and offsets.")] = False,
) -> None:
    """Rank the laws that a case's facts point to, with the neighbours' quotes, or say that nothing here matches."""
    from pincite.match.open import open_index

    index = open_index(snapshot, method.value, state)  # before anything else is imported: the model takes longest to load
    from pincite.match.chunk import MAX_BYTES, decode_case, read_case
    from pincite.match.matching import match as find
    from pincite.match.matching import matcher, to_json, to_text

    text = decode_case(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input") if str(case) == "-" else read_case(case)
    found = find(text, matcher(index, alpha), method.value)
    print(json.dumps(to_json(found), ensure_ascii=False) if as_json else to_text(found, text))
