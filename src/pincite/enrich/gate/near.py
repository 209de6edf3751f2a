"""How near two words stand in meaning, each in its own text: the cosine of what the sentence model makes of their tokens.

It only ever lets words through. The model knows opposites as near ("before", "after"), so who asks looks out for those.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Protocol

from pincite.enrich.gate.reading import Item

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pincite.index.embed import SentenceModel

    Floats = NDArray[np.float32]

KEPT = 8  # texts whose words are kept: a passage is compared with each of its parts


class Near(Protocol):
    """Nearness of words in context."""

    def between(self, source: tuple[str, list[Item]], rewrite: tuple[str, list[Item]]) -> Floats:
        """An array of shape (words of the rewrite, words of the source), cosines. Each text comes with some of its words."""


class ModelNear:
    """By the last layer of a sentence model, a word being the mean of its tokens."""

    def __init__(self, model: SentenceModel) -> None:
        self._model = model
        self._texts: dict[str, tuple[Floats, Floats]] = {}

    def between(self, source: tuple[str, list[Item]], rewrite: tuple[str, list[Item]]) -> Floats:
        found: Floats = self._words(*rewrite) @ self._words(*source).T
        return found

    def _words(self, text: str, items: list[Item]) -> Floats:
        """A unit vector a word, zeros for a word without a token, shape (words, dimension)."""
        import numpy as np

        offsets, vectors = self._tokens(text)
        rows = np.zeros((len(items), vectors.shape[1]), dtype=np.float32)
        for at, item in enumerate(items):
            within = (offsets[:, 0] < item.end) & (offsets[:, 1] > item.start)
            if within.any():
                rows[at] = vectors[within].mean(axis=0)
        unit: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
        return unit

    def _tokens(self, text: str) -> tuple[Floats, Floats]:
        if text not in self._texts:
            while len(self._texts) >= KEPT:
                self._texts.pop(next(iter(self._texts)))
            self._texts[text] = self._model.tokens(text)
        return self._texts[text]


@cache
def open_near() -> Near | None:
    """The product's own embedding model where it is on this machine; nothing is fetched."""
    from pincite.errors import ModelMissing
    from pincite.index.embed import load_embedder
    from pincite.index.models import have_model

    if not have_model():
        return None
    try:
        return ModelNear(load_embedder(workers=1))
    except ModelMissing:
        return None
