"""What touches the outside, as small protocols. Each has a local and a Databricks implementation and one contract suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from pincite.model import Scope


class Hit(NamedTuple):
    """One search result. ``score`` is comparable within one query of one backend only."""

    chunk_id: str
    score: float
    ranks: Mapping[str, int] = {}  # 1-based rank in each list that was fused, e.g. {"bm25": 1, "vector": 7}
    scores: Mapping[str, float] = {}  # raw scores behind the ranks, where the backend tells them: {"bm25": 9.1, "vector": 0.62}


class Floor(NamedTuple):
    """Below this a backend's best hit means "nothing here": value, and how it was calibrated. Recorded with every answer."""

    backend: str
    query_type: str
    value: float
    calibration: str


class LandingZone(Protocol):
    """Where the sources lie: a folder, or a Unity Catalog volume."""

    def names(self) -> Iterator[str]:
        """Relative paths of all files."""

    def read(self, path: str) -> bytes:
        """All bytes of one file; ``MissingSource`` where there is none."""


class Entry(NamedTuple):
    """One file that a connector offers. ``version`` changes whenever the bytes do; "" where the place cannot tell."""

    path: str  # relative, with "/", inside the landing folder
    size: int | None  # bytes, None where it is not known before reading
    version: str  # an ETag, a blob id, a time and size


class Refusal(NamedTuple):
    """A file that a connector saw and does not offer, and why."""

    path: str
    reason: str


class Fetched(NamedTuple):
    """All bytes of one file, and the version they are of."""

    data: bytes
    version: str


class SourceConnector(Protocol):
    """A place that files come from: a folder, a volume, the web, an object store, a repository, an archive. Read-only."""

    uri: str

    def entries(self) -> Iterator[Entry | Refusal]:
        """Every file below the place, each path once; ``SourceError`` where the place cannot be listed to its end."""

    def fetch(self, path: str, known: str = "", largest: int = 1 << 30) -> Fetched | None:
        """One file; None where it still is at version *known*. ``SourceError`` where it cannot be had or is too large."""

    def close(self) -> None:
        """Let go of what is held open."""


class TableStore(Protocol):
    """The governed tables. Rows are tuples of model.py with the scope kept outside them."""

    def merge(self, table: str, scope: Scope, rows: Any, *, allow_empty: bool = False) -> Any:
        """Make *rows* the whole state of *scope*; nothing outside it is touched. Commits nothing where nothing changed."""

    def read(self, table: str, scope: Scope | None = None, columns: Sequence[str] | None = None) -> Any:
        """A ``pyarrow.Table``, of one scope or of all."""

    def version(self, table: str) -> int:
        """The table's current Delta version; -1 where the table does not exist."""


class VectorIndex(Protocol):
    """Search over the indexable passages of one scope."""

    def sync(self, version: int) -> None:
        """Bring the index to the chunks table's *version*, and wait until it is there."""

    def search(self, query: str, k: int, *, filters: Mapping[str, Any] | None = None) -> Sequence[Hit]:
        """The *k* best passages, best first."""

    def count(self) -> int:
        """How many passages it holds."""

    def floor(self) -> Floor:
        """The declared floor of this backend and query type."""


class Embedder(Protocol):
    """Texts to unit vectors. ``name`` identifies model and bytes, for the cache."""

    name: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> Any:
        """A float32 array of shape (len(texts), dimension), rows of norm 1."""


class Completion(str):
    """A reply's text that knows what it took: tokens as the endpoint counted them, None where it does not say."""

    tokens_in: int | None
    tokens_out: int | None

    def __new__(cls, text: str, tokens_in: object = None, tokens_out: object = None) -> Completion:
        """What is no plausible count (no whole number, negative, beyond ten million) counts as not said."""
        made = super().__new__(cls, text)
        made.tokens_in, made.tokens_out = _counted(tokens_in), _counted(tokens_out)
        return made


def _counted(told: object) -> int | None:
    return told if isinstance(told, int) and not isinstance(told, bool) and 0 <= told <= 10_000_000 else None


class LLMClient(Protocol):
    """A chat model. Source text reaches it only as delimited quotation."""

    def complete(self, system: str, messages: Iterable[Mapping[str, str]]) -> str:
        """The reply's text; a ``Completion`` where the endpoint says how many tokens it took."""
