"""enrich: let a model help passages to be found, within a budget and behind the gate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from pincite.cli import app
from pincite.cli.corpus import DRY_RUN, STATE, VECTORS, opened


@app.command()
def enrich(
    corpus: Path = typer.Argument(..., help="A folder, its configuration, or a corpus manifest; it has been run before."),
    state: Path = STATE,
    model: str | None = typer.Option(
        None, "--model", help="local, openai/NAME or databricks/ENDPOINT; as the corpus says otherwise."
    ),
    base_url: str | None = typer.Option(
        None, "--base-url", help="Of an OpenAI-compatible endpoint; its key is PINCITE_LLM_KEY."
    ),
    tokens: int | None = typer.Option(None, "--tokens", min=0, help="The budget in tokens; 0 is none."),
    money: float | None = typer.Option(
        None, "--money", min=0, help="The budget in money, by --input-price and --output-price."
    ),
    input_price: float | None = typer.Option(None, "--input-price", min=0, help="Of a million tokens that are sent."),
    output_price: float | None = typer.Option(None, "--output-price", min=0, help="Of a million tokens that are written."),
    concurrency: int | None = typer.Option(None, "--concurrency", min=1, max=64, help="Requests under way at once."),
    again: bool | None = typer.Option(
        None, "--again/--no-again", help="Let the model write once more what the gate refused; as the corpus says otherwise."
    ),
    vectors: bool | None = VECTORS,
    dry_run: bool = DRY_RUN,
) -> None:
    """Let a model add words to passages, for search only. What the gate does not accept is logged and never searched.

    Stops when the budget is spent and says what is left; run it again to go on. Replies are kept, so nothing is paid twice.
    """
    from pincite import tasks
    from pincite.enrich.settings import Settings, checked
    from pincite.errors import UsageError

    manifest, _ = opened(corpus, state, vectors)
    given: dict[str, Any] = {
        "model": model, "base_url": base_url, "tokens": tokens, "money": money, "input_price": input_price,
        "output_price": output_price, "concurrency": concurrency, "again": again,
    }  # fmt: skip
    if manifest.enrich is None and model is None:
        raise UsageError("no model is named", where=str(corpus), next="give --model, or 'enrich:' in the corpus' configuration")
    base = manifest.enrich or Settings()
    settings = checked(base._replace(**{name: value for name, value in given.items() if value is not None}), str(corpus))
    job = tasks.Job(manifest, state, state / "raw", None, None, print, dry_run=dry_run)
    tasks.enrich_only(job, settings)
