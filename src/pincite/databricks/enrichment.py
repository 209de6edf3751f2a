"""Enrichment on a workspace: a model is asked about the passages of ``chunks``, slice by slice, and the gate judges its words.

Never more than a slice of the passages comes to the driver. A model that is down, slow or out of budget costs its help and
nothing else: the run goes on, and the next one takes up where this one stopped.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.databricks import session
from pincite.databricks.corpora import STATE, Corpus
from pincite.enrich.budget import Purse
from pincite.enrich.run import Outlook, enriched, outlook
from pincite.enrich.settings import Settings
from pincite.model import Passage
from pincite.ports import LLMClient
from pincite.sources.acquire import whole_file
from pincite.tables.rows import from_arrow
from pincite.tables.spool import groups
from pincite.tables.store import SparkTableStore

if TYPE_CHECKING:
    from pincite.databricks.connect import Connection
    from pincite.databricks.parameters import Parameters

Say = Callable[..., None]

SLICE = 2_000  # passages on the driver at once
REPLIES = "replies.sqlite"
SERVING = "databricks/"


def settings_of(parameters: Parameters, corpus: Corpus) -> Settings | None:
    """What a model may write of a corpus: as its file says, by the job's chat endpoint where one is named; None for nothing."""
    settings = corpus.manifest.enrich
    if settings is None or not parameters.chat_endpoint:
        return settings
    return settings._replace(model=SERVING + parameters.chat_endpoint, base_url="")


def endpoint_of(settings: Settings) -> str:
    """The serving endpoint that is asked; "" for a model that is none."""
    return settings.model.removeprefix(SERVING) if settings.model.startswith(SERVING) else ""


def client_of(settings: Settings, connection: Connection) -> LLMClient:
    """The model of these settings. Nothing is asked of it yet."""
    from pincite.enrich.clients import open_client

    if not (endpoint := endpoint_of(settings)):
        return open_client(settings.model, settings.base_url)
    from pincite.databricks.serving import ServingChat

    return ServingChat(connection, endpoint)


def enrich_corpus(
    parameters: Parameters, store: SparkTableStore, connection: Connection, corpus: Corpus, settings: Settings, say: Say
) -> None:
    """Ask about every passage of a corpus that has no reply yet; write what changed, and a row for every text judged.

    A repeated run asks nothing and writes nothing. In a dry run only what would be asked is told.
    """
    client, name = client_of(settings, connection), "/".join(corpus.scope)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        recall(parameters, folder)
        if parameters.dry_run:
            looks = [outlook(passages, settings, client, folder) for passages in slices(store, corpus)]
            total = Outlook(*(sum(column) for column in zip(*looks))) if looks else Outlook(0, 0, 0, 0, 0.0)
            say(corpus=name, action=f"would ask {settings.model}", **total._asdict())
            return
        purse, counts, stopped = Purse(settings), dict.fromkeys(COUNTED, 0), ""
        for passages in slices(store, corpus):
            done = enriched(
                passages, settings, client, folder, run_id=parameters.run_id, logged_at=session.now(), purse=purse
            )  # fmt: skip
            store.append("enrichment_log", corpus.scope, done.rows)  # first: a reply is told once, a passage is helped again
            store.update("chunks", corpus.scope, [new for old, new in zip(passages, done.passages) if old != new])
            if done.asked:
                keep(parameters, folder)
            counts = {field: counts[field] + getattr(done, field) for field in COUNTED}
            if stopped := done.stopped:
                break
    say(corpus=name, action=f"asked {settings.model}", tokens=purse.tokens_in + purse.tokens_out, **counts)
    if stopped:
        say(corpus=name, action=f"stopped, the rest keeps its own words until the next run: {stopped}")


COUNTED = ("accepted", "unsupported", "failed", "asked", "cached", "left")


def slices(store: SparkTableStore, corpus: Corpus) -> Iterator[list[Passage]]:
    """The passages of a corpus, whole documents together, so many at a time."""
    documents = store.frame("documents", corpus.scope).where("passages > 0").select("document_id", "passages").toArrow()
    counts = dict(zip(*(column.to_pylist() for column in documents.columns)))
    for group in groups(dict(sorted(counts.items())), SLICE):
        wanted = store.engine.spark.createDataFrame([(each,) for each in sorted(group)], "document_id STRING")
        rows = store.frame("chunks", corpus.scope).join(wanted, "document_id", "left_semi").select(*Passage._fields)
        yield from_arrow("chunks", rows.toArrow())


# --- replies: a volume takes whole files only, so the cache is worked on here and copied there -----------------------------


def recall(parameters: Parameters, folder: Path) -> None:
    """Bring the replies of earlier runs into *folder*."""
    if (kept := _kept(parameters)).is_file():
        shutil.copyfile(kept, folder / REPLIES)


def keep(parameters: Parameters, folder: Path) -> None:
    """Put the replies in *folder* into the volume, whole or not at all: a run that is killed asks for the last slice again."""
    with (folder / REPLIES).open("rb") as replies, whole_file(_kept(parameters)) as kept:
        shutil.copyfileobj(replies, kept)


def _kept(parameters: Parameters) -> Path:
    return Path(parameters.landing) / STATE / REPLIES
