"""``VectorIndex`` over Vector Search: a Delta Sync index on the chunks table, made, synced and counted here.

One index serves every scope of the table; a search is filtered by scope and by ``indexable``. A search that asks for more
than HYBRID allows, or names an unknown filter, is refused before it is sent.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from pincite.databricks.connect import Connection
from pincite.databricks.errors import platform
from pincite.databricks.wait import LOG, Patience, patiently, until
from pincite.errors import CountMismatch, IndexFault, PlatformError, UsageError
from pincite.model import Scope
from pincite.ports import Floor, Hit

T = TypeVar("T")
NAME = re.compile(r"[A-Za-z0-9_]+\.[A-Za-z0-9_]+\.[A-Za-z0-9_]+")
PRIMARY_KEY = "chunk_id"
EMBEDDED = "retrieval_text"
COLUMNS = (
    "chunk_id",
    "project",
    "collection",
    "document_id",
    "corpus_version",
    "node_id",
    "indexable",
    "retrieval_text",
)
"""What is synced. ``retrieval_text`` is searched by words and by vector; evidence is read from the table, never from here."""
FILTERS = frozenset(COLUMNS) - {EMBEDDED}
QUERY_TYPES = ("HYBRID", "ANN", "FULL_TEXT")
MOST_RESULTS = 200
SYNCS = 3  # how often a sync that ended short of the table's version is sent
IDLE = frozenset({"ONLINE", "ONLINE_NO_PENDING_UPDATE"})

_CALIBRATION = (
    "not calibrated: whoever asks without the calibrated decision is answered unless the corpus hardly has a word of it. "
    "The task evaluate fits that decision on the dev questions against the live index, by leaving each out in turn, and keeps "
    "it in the volume. "
)
_OF_SCORE = {
    "HYBRID": "A HYBRID score is fused from ranks and as high for the best of nothing as for a hit, so it is never used",
    "ANN": "An ANN score is 1 / (1 + d²) of unit vectors, told as the cosine it stands for",
    "FULL_TEXT": "A full-text score has no upper end and grows with the question",
}
FLOORS = {name: Floor("databricks", name, 0.0, _CALIBRATION + told) for name, told in _OF_SCORE.items()}


class Place(NamedTuple):
    """Names of one index and what it hangs on."""

    name: str  # of the index, catalog.schema.name
    endpoint: str
    source_table: str  # catalog.schema.chunks
    embedding_endpoint: str


class Counted(NamedTuple):
    """What the chunks table holds: all rows, and the indexable ones of the scope."""

    rows: int
    indexable: int


class VectorSearchIndex:
    """Implements ``VectorIndex``. *counted* reads the table's counts when they are needed."""

    def __init__(
        self,
        connection: Connection,
        place: Place,
        scope: Scope,
        counted: Callable[[], Counted],
        *,
        query_type: str = "HYBRID",
        rerank: bool = False,
        patience: Patience = Patience(),  # noqa: B008 - an immutable tuple
        floor: Floor | None = None,
    ) -> None:
        if not NAME.fullmatch(place.name):
            raise UsageError(f"{place.name!r} is no index name", next="use catalog.schema.name of letters, digits and _")
        if query_type not in QUERY_TYPES:
            raise UsageError(f"there is no query type {query_type!r}", next=f"choose one of {', '.join(QUERY_TYPES)}")
        self._connection, self.place, self.scope, self._counted = connection, place, scope, counted
        self.query_type, self.rerank, self._patience = query_type, rerank, patience
        self._floor = floor or FLOORS[query_type]

    def floor(self) -> Floor:
        """The declared floor of this query type."""
        return self._floor

    @property
    def model(self) -> str:
        """The serving endpoint that embeds."""
        return self.place.embedding_endpoint

    @property
    def stamp(self) -> str:
        """The index's name and the version of the table it has taken in."""
        found = self._described()
        return f"{self.place.name}@{processed_version(found)}" if found else self.place.name

    # --- making and syncing

    def plan(self) -> str:
        """What ``sync`` would do, in words, after checking endpoint and index; changes nothing."""
        self._check_endpoint()
        found = self._described()
        if found is None:
            return f"create the index {self.place.name} on {self.place.endpoint} and wait for its first sync"
        self._check_index(found)
        return f"sync the index {self.place.name} if the table is ahead of version {processed_version(found)}"

    def sync(self, version: int) -> None:
        """Create the index where it is missing, bring it to the table's *version*, and wait until it is there.

        Nothing is sent where it is there already. A sync refused because a pipeline is running is awaited and sent again; so
        is one that ended short of the version, because another writer's began before the table's last commit. Raises
        ``IndexFault`` where the index is another one, has failed or stays behind, ``CountMismatch`` where it lost rows,
        ``PlatformError`` where the limit passes.
        """
        deadline = time.monotonic() + self._patience.limit
        self._check_endpoint()
        found = self._described()
        if found is None:
            self._create()
        else:
            self._check_index(found)
        behind = found is not None and not self._holds(found, version)
        for _ in range(SYNCS):
            if behind:
                until(self._start_sync, f"starting the sync of {self.place.name}", self._left(deadline))
            sent = time.monotonic()
            arrived = until(
                lambda sent=sent: self._arrived(version, sent),  # type: ignore[misc]
                f"syncing {self.place.name} to version {version}",
                self._left(deadline),
            )
            if arrived:
                return self._check_rows()
            behind = True
        raise IndexFault(
            f"after {SYNCS} syncs the index says it holds version {self._version()}, its table is at {version}",
            where=self.place.name,
            next="look at its pipeline's events; if it stays, rebuild the index (docs/runbook.md, Rebuild the index)",
        )

    def _left(self, deadline: float) -> Patience:
        return self._patience._replace(limit=max(0.0, deadline - time.monotonic()))

    def _version(self) -> int:
        return processed_version(self._described() or {})

    def _check_endpoint(self) -> None:
        found = self._asked(
            lambda client: client.get_endpoint(self.place.endpoint),
            self.place.endpoint,
            missing="deploy the bundle, which makes it",
        )
        if found.get("endpoint_type") != "STANDARD":
            raise IndexFault(
                f"the endpoint is of type {found.get('endpoint_type')}, not STANDARD, and takes other filters",
                where=self.place.endpoint,
                next="name a STANDARD endpoint in search_endpoint; nothing was changed",
            )
        until(self._endpoint_online, f"waiting for the endpoint {self.place.endpoint}", self._patience)

    def _endpoint_online(self) -> tuple[bool | None, str]:
        found = self._asked(lambda client: client.get_endpoint(self.place.endpoint), self.place.endpoint)
        state = str(found.get("endpoint_status", {}).get("state", "unknown"))
        if state in ("OFFLINE", "STOPPED", "STOPPING", "DELETED", "RED_STATE"):
            raise IndexFault(f"the endpoint is {state}", where=self.place.endpoint, next="start it, then repair the run")
        return (True, state) if state == "ONLINE" else (None, state)

    def _described(self) -> dict[str, Any] | None:
        try:
            found = self._asked(
                lambda client: client.get_index(index_name=self.place.name, endpoint_name=self.place.endpoint).describe(),
                self.place.name,
            )
        except PlatformError as error:
            if error.status == 404:
                return None
            raise
        return dict(found)

    def _create(self) -> None:
        LOG.info("creating the index %s on %s", self.place.name, self.place.endpoint)
        try:
            self._asked_once(
                lambda client: client.create_delta_sync_index(
                    endpoint_name=self.place.endpoint,
                    index_name=self.place.name,
                    primary_key=PRIMARY_KEY,
                    source_table_name=self.place.source_table,
                    pipeline_type="TRIGGERED",
                    embedding_source_column=EMBEDDED,
                    embedding_model_endpoint_name=self.place.embedding_endpoint,
                    columns_to_sync=list(COLUMNS),
                ),
                self.place.name,
            )
        except PlatformError as error:
            # A request that was answered by a lost connection may have been carried out.
            if error.status not in (0, 409, 500, 502, 503, 504) or self._described() is None:
                raise

    def _check_index(self, found: Mapping[str, Any]) -> None:
        spec = found.get("delta_sync_index_spec") or {}
        embedded = (spec.get("embedding_source_columns") or [{}])[0]
        pairs = {
            "endpoint": (found.get("endpoint_name"), self.place.endpoint),
            "source table": (spec.get("source_table"), self.place.source_table),
            "primary key": (found.get("primary_key"), PRIMARY_KEY),
            "embedded column": (embedded.get("name"), EMBEDDED),
            "embedding endpoint": (embedded.get("embedding_model_endpoint_name"), self.place.embedding_endpoint),
            "columns": (sorted(spec.get("columns_to_sync") or []), sorted(COLUMNS)),
        }
        wrong = [
            f"its {name} is {held}, not {wanted}" if held else f"it has no {name}, which is to be {wanted}"
            for name, (held, wanted) in pairs.items()
            if held != wanted
        ]
        if wrong:
            raise IndexFault(
                f"the index is another one: {'; '.join(wrong)}",
                where=self.place.name,
                next="delete it or name another (docs/runbook.md, Rebuild the index); nothing was changed",
            )

    def _start_sync(self) -> tuple[bool | None, str]:
        try:
            self._asked(self._send_sync, self.place.name)
        except PlatformError as error:
            if error.status in (400, 409) and re.search(
                r"not ready|running|in progress|pending|already", error.what, re.IGNORECASE
            ):
                return None, "another update is running"
            raise
        return True, "sent"

    def _send_sync(self, client: Any) -> Any:
        return client.get_index(index_name=self.place.name, endpoint_name=self.place.endpoint).sync()

    def _arrived(self, version: int, sent: float) -> tuple[bool | None, str]:
        """True where the version is there; False where the index has stood still short of it since *sent*."""
        found = self._described()
        if found is None:
            raise IndexFault("the index was deleted while it was awaited", where=self.place.name, next="repair the run")
        status = found.get("status") or {}
        state = str(status.get("detailed_state", "unknown"))
        if "FAILED" in state or "OFFLINE" in state:
            raise IndexFault(
                f"the sync failed ({state}): {status.get('message', 'no reason given')}",
                where=self.place.name,
                next="look at its pipeline's events, then repair the run",
            )
        if self._holds(found, version):
            return True, state
        if state in IDLE and status.get("ready") and time.monotonic() - sent >= self._patience.idle:
            LOG.info("%s stands at version %d, the table at %d", self.place.name, processed_version(found), version)
            return False, state
        return None, f"{state}, {status.get('indexed_row_count')} rows"

    def _holds(self, found: Mapping[str, Any], version: int) -> bool:
        status = found.get("status") or {}
        idle = status.get("detailed_state") in IDLE and bool(status.get("ready"))
        return idle and processed_version(found) >= version

    def _check_rows(self) -> None:
        wanted = self._counted().rows
        held = self._rows()
        if held != wanted:
            raise CountMismatch(
                f"the index holds {held} rows, its table {wanted}",
                where=self.place.name,
                next="repair the run; if it stays, rebuild the index (docs/runbook.md, Rebuild the index)",
            )

    def _rows(self) -> int:
        found = self._described()
        if found is None:
            raise IndexFault("there is no index", where=self.place.name, next="run the task sync")
        return int((found.get("status") or {}).get("indexed_row_count") or 0)

    def count(self) -> int:
        """How many of the scope's indexable passages it holds: those of the table, less the rows it lacks.

        The service tells only the rows of the whole index; a row it lacks is counted against every scope, so agreement with
        the table is certain and disagreement is never hidden.
        """
        counted = self._counted()
        return counted.indexable - abs(counted.rows - self._rows())

    # --- searching

    def search(self, query: str, k: int, *, filters: Mapping[str, Any] | None = None) -> list[Hit]:
        """The *k* best passages of the scope, best first."""
        if k < 1:
            return []
        asked = {
            "project": self.scope.project,
            "collection": self.scope.collection,
            "indexable": True,
            **self._filters(filters),
        }
        wanted = min(k, MOST_RESULTS)
        found = self._asked(
            lambda client: client.get_index(index_name=self.place.name, endpoint_name=self.place.endpoint).similarity_search(
                columns=[PRIMARY_KEY],
                query_text=query,
                filters=asked,
                num_results=wanted,
                query_type=self.query_type,
                reranker=self._reranker(),
                disable_notice=True,
            ),
            self.place.name,
        )
        rows = (found.get("result") or {}).get("data_array") or []
        return [self._hit(str(row[0]), float(row[-1]), rank) for rank, row in enumerate(rows, start=1)]

    def _hit(self, chunk_id: str, score: float, rank: int) -> Hit:
        """ANN scores are told as the cosine they stand for, full-text ones as they are; fused ones say nothing but ranks."""
        if self.query_type == "ANN":
            return Hit(chunk_id, score, {"vector": rank}, {"vector": 1.5 - 0.5 / score if score else -1.0})
        if self.query_type == "FULL_TEXT":
            return Hit(chunk_id, score, {"bm25": rank}, {"bm25": score})
        return Hit(chunk_id, score, {"hybrid": rank})

    def _filters(self, filters: Mapping[str, Any] | None) -> dict[str, Any]:
        for name in filters or {}:
            if name not in FILTERS:
                raise UsageError(f"the index cannot be filtered by {name!r}", next=f"use one of {', '.join(sorted(FILTERS))}")
        return {name: value if isinstance(value, (str, bool)) else list(value) for name, value in (filters or {}).items()}

    def _reranker(self) -> Any:
        if not self.rerank:
            return None
        from databricks.ai_search.reranker import DatabricksReranker

        return DatabricksReranker(columns_to_rerank=[EMBEDDED])

    # --- asking

    def _asked(self, ask: Callable[[Any], T], where: str, missing: str = "") -> T:
        """The answer to a request that may be sent twice, with a client whose token is valid now."""
        return patiently(lambda: ask(self._connection.search()), where, self._patience, missing=missing)

    def _asked_once(self, ask: Callable[[Any], T], where: str) -> T:
        with platform(where):
            return ask(self._connection.search())


def processed_version(found: Mapping[str, Any]) -> int:
    """The last version of the source table that an index says it has taken in; -1 where it says nothing."""
    parts = [part for part in (found.get("status") or {}).values() if isinstance(part, Mapping)]
    told = [part.get("last_processed_commit_version") for part in parts]
    return max((int(version) for version in told if version is not None), default=-1)
