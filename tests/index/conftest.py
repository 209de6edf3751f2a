"""A tiny embedder that needs no model: words hashed into a few signed buckets."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest


class HashEmbedder:
    name = "hash/1"
    dimension = 32

    def __init__(self) -> None:
        self.calls: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.calls += texts
        matrix = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(matrix, texts):
            for word in text.lower().split() or [""]:
                bucket = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
                row[bucket % self.dimension] += 1 if bucket & 1024 else -1
            row /= max(float(np.linalg.norm(row)), 1e-6)
        return matrix


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()
