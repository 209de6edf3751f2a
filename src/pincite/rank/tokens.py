"""The tokens of texts as records for late interaction, behind a cache on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pincite.index.cache import CachedEmbedder
from pincite.rank.late import Late, Tokens, coded, record, stacked
from pincite.sealed import SealedCache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_SLICE = 512  # texts read at once


class Reader(Protocol):
    """A model that gives its output for each token; ``SentenceModel`` is one."""

    name: str

    def read(self, texts: Sequence[str], prompt: str = "") -> tuple[Floats, list[Floats]]: ...


class CachedTokens:
    """Records of the tokens of texts by *late*, computed once and kept in *folder*; what the model says of the texts as wholes
    on the way is kept by *vectors*, so that nothing is read twice."""

    def __init__(self, model: Reader, late: Late, folder: Path, vectors: CachedEmbedder) -> None:
        self.name = f"{model.name}/late-{late.sha256[:16]}"
        self._model, self._late, self._vectors = model, late, vectors
        self._cache = SealedCache(folder / (self.name.replace("/", "-") + ".sqlite"), "tokens", "records", "token cache")

    def read(self, texts: Sequence[str], prompt: str = "") -> Tokens:
        """Records of every text, in order; *prompt* is put before each and not among them."""
        import numpy as np

        keys = [self._key(prompt, text) for text in texts]
        known = self._cache.read(list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, texts) if key not in known}
        waiting = sorted(missing, key=lambda key: len(missing[key]))
        for start in range(0, len(waiting), _SLICE):
            known |= self._fresh(waiting[start : start + _SLICE], missing, prompt)
        return stacked([np.frombuffer(known[key], record()) for key in keys])

    def _fresh(self, keys: Sequence[bytes], texts: Mapping[bytes, str], prompt: str) -> dict[bytes, bytes]:
        part = [texts[key] for key in keys]
        vectors, read = self._model.read(part, prompt)
        self._vectors.keep([prompt + text for text in part], vectors)
        fresh = {key: coded(rows, self._late).tobytes() for key, rows in zip(keys, read)}
        self._cache.write(fresh)
        return fresh

    def _key(self, prompt: str, text: str) -> bytes:
        return hashlib.sha256(f"{self.name}\0{prompt}\0{text}".encode("utf-8", "surrogatepass")).digest()


def outputs(model: Reader, texts: Sequence[str], prompt: str = "") -> Tokens:
    """The model's outputs themselves in half precision, for training: a kilobyte or so for each token."""
    import numpy as np

    found: dict[int, NDArray[np.float16]] = {}
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    for start in range(0, len(order), _SLICE):
        part = order[start : start + _SLICE]
        found |= {at: rows.astype(np.float16) for at, rows in zip(part, model.read([texts[at] for at in part], prompt)[1])}
    return stacked([found[at] for at in range(len(texts))])
