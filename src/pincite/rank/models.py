"""The embedding model of a ranking: MiniLM in full precision, reading the first window of each text, as the public lines do.

A long text's vector is then that of its beginning. The product averages all of its windows, which keeps every tail in reach of
``query``; on the public sets the average of a long statement of facts lies nowhere (``docs/decisions/0073``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.errors import ModelMissing
from pincite.index.cache import CachedEmbedder
from pincite.index.embed import LazyEmbedder
from pincite.index.models import cache_folder, default_model, ensure_model, have_model

if TYPE_CHECKING:
    from pincite.ports import Embedder

FULL = "minilm-l6-v2"


def open_embedder() -> Embedder:
    """The embedder behind its cache on disk; ``ModelMissing`` where no model is here or can be fetched."""
    return CachedEmbedder(LazyEmbedder(_available(), whole=False), cache_folder() / "embeddings")


def _available() -> str:
    """The full-precision model, fetched where it is not here; the product's default where that is all there is."""
    try:
        ensure_model(FULL)
    except ModelMissing:
        if not have_model(default_model()):
            raise
        return default_model()
    return FULL
