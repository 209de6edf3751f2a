"""The embedding models of a ranking, in full precision, each reading the first window of a text, as the public lines do.

A long text's vector is then that of its beginning. The product averages all of its windows, which keeps every tail in reach of
``query``; on the public sets the average of a long statement of facts lies nowhere (``docs/decisions/0073``).

Two models of other families err on other questions: their lists are fused, and the trees see both (``docs/decisions/0075``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pincite.errors import ModelMissing
from pincite.index.cache import CachedEmbedder
from pincite.index.embed import LazyEmbedder
from pincite.index.models import cache_folder, default_model, ensure_model, have_model, model_spec
from pincite.rank import late
from pincite.rank.late import Tokens
from pincite.rank.tokens import CachedTokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pincite.ports import Embedder

    Floats = NDArray[np.float32]

FULL, SECOND = "minilm-l6-v2", "bge-small-en-v1.5"


class Encoder(NamedTuple):
    """A model and the signals that come of it: ``signal`` by its vectors, ``moved`` by the learned map of questions."""

    signal: str
    moved: str
    embedder: Embedder
    prompt: str = ""  # put before a question, never before a passage
    opening: str = ""  # the signal of what each passage says it is about; "" where it is not embedded
    words: CachedTokens | None = None  # its tokens, where late interaction was learned for it

    def ask(self, questions: Sequence[str]) -> Floats:
        """Vectors of questions, shape (len(questions), dimension)."""
        asked: Floats = self.embedder.embed([self.prompt + question for question in questions])
        return asked

    def ask_words(self, questions: Sequence[str]) -> Tokens:
        """The tokens of questions as records."""
        assert self.words is not None
        return self.words.read(questions, self.prompt)


def open_encoders() -> tuple[Encoder, ...]:
    """The two models behind their caches on disk; the first alone where the second can not be had.

    Raises ``ModelMissing`` where not even the first is here or can be fetched.
    """
    first = Encoder("vector", "adapted", _cached(_available()), opening="opening")
    try:
        ensure_model(SECOND)
    except ModelMissing:
        return (first,)
    return first, _second()


def _second() -> Encoder:
    model = LazyEmbedder(SECOND, whole=False)
    folder = cache_folder() / "embeddings"
    vectors, learned = CachedEmbedder(model, folder), late.load(model.name)
    words = None if learned is None else CachedTokens(model, learned, folder, vectors)
    return Encoder("dense", "dense_adapted", vectors, model_spec(SECOND).prompt, words=words)


def _cached(name: str) -> Embedder:
    return CachedEmbedder(LazyEmbedder(name, whole=False), cache_folder() / "embeddings")


def _available() -> str:
    """The full-precision model, fetched where it is not here; the product's default where that is all there is."""
    try:
        ensure_model(FULL)
    except ModelMissing:
        if not have_model(default_model()):
            raise
        return default_model()
    return FULL
