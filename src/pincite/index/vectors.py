"""Exact cosine over unit vectors held as one float32 matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


def cosines(matrix: Vectors, query: Vectors) -> Vectors:
    """The cosine of *query*, shape (dimension,), with every row of *matrix*; both are unit vectors already."""
    scores: Vectors = matrix @ query
    return scores
