"""A snapshot opened for searching: checked, and its facts embedded once."""

from __future__ import annotations

from pathlib import Path

from pincite.match.search import MatchIndex
from pincite.match.snapshot import load
from pincite.ports import Embedder


def open_index(snapshot: Path, method: str, state: Path) -> MatchIndex:
    """The index over *snapshot*; embeddings are kept in *state*. ``ModelMissing`` where the method needs a model not here."""
    return MatchIndex(load(snapshot), None if method == "bm25" else embedder(state))


def embedder(state: Path) -> Embedder:
    """The default model behind its cache; loaded at the first text it has not seen."""
    from pincite.index.cache import CachedEmbedder
    from pincite.index.embed import LazyEmbedder

    return CachedEmbedder(LazyEmbedder(), state / "embeddings")
