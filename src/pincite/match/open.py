"""A snapshot opened for searching: checked, and its facts embedded once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pincite.match.search import MatchIndex
    from pincite.ports import Embedder


def open_index(snapshot: Path, method: str, state: Path) -> MatchIndex:
    """The index over *snapshot*; embeddings are kept in *state*. ``ModelMissing`` where the method needs a model not here."""
    # A new case always needs the model: it loads while what follows is imported and the snapshot is checked.
    model = None if method == "bm25" else embedder(state, ahead=True)
    from pincite.match.search import MatchIndex
    from pincite.match.snapshot import load

    return MatchIndex(load(snapshot), model)


def embedder(state: Path, *, ahead: bool = False) -> Embedder:
    """The default model behind its cache; loaded at the first text it has not seen, or *ahead*, in another thread."""
    from pincite.index.cache import CachedEmbedder
    from pincite.index.embed import LazyEmbedder

    model = LazyEmbedder()
    if ahead:
        model.load_ahead()
    return CachedEmbedder(model, state / "embeddings")
