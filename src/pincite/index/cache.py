"""Embeddings on disk, keyed by the hash of model and text (:mod:`pincite.sealed`)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.ports import Embedder
from pincite.sealed import SealedCache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class CachedEmbedder:
    """An ``Embedder`` that asks *inner* only for texts it has not seen. ``hits`` and ``misses`` count since the start.

    A row that is damaged is recomputed.
    """

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self.name, self.dimension = inner.name, inner.dimension
        self.path = folder / (inner.name.replace("/", "-") + ".sqlite")
        self.hits = self.misses = 0
        self._inner = inner
        self._cache = SealedCache(self.path, "vectors", "vector", "embedding cache")

    @property
    def damaged(self) -> int:
        """How many rows and files were found damaged."""
        return self._cache.damaged

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As the inner embedder: float32, shape (len(texts), dimension), rows of norm 1."""
        import numpy as np

        keys = [self._key(text) for text in texts]
        found = self._cache.read(list(dict.fromkeys(keys)))
        known = {key: vector for key, vector in found.items() if len(vector) == 4 * self.dimension}
        missing = {key: text for key, text in zip(keys, texts) if key not in known}
        self.hits += len(texts) - len(missing)
        self.misses += len(missing)
        if missing:
            known |= self._keep(missing, self._inner.embed(list(missing.values())))
        vectors: Vectors = np.frombuffer(b"".join(known[key] for key in keys), dtype="<f4").reshape(-1, self.dimension)
        return vectors.astype(np.float32)

    def keep(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Remember *vectors* that the inner embedder gave for *texts* on another way."""
        self._keep([self._key(text) for text in texts], vectors)

    def _keep(self, keys: Iterable[bytes], vectors: Vectors) -> dict[bytes, bytes]:
        import numpy as np

        rows = (row.tobytes() for row in np.ascontiguousarray(vectors, dtype="<f4"))
        kept = dict(zip(keys, rows))
        self._cache.write(kept)
        return kept

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.name}\0{text}".encode("utf-8", "surrogatepass")).digest()
