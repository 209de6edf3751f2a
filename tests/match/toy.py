"""An embedder without a model: hashed words, so that equal texts have equal vectors. And a small snapshot."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pincite.match.snapshot import Snapshot, load
from pincite.match.words import alphabetic

FIXTURE = Path(__file__).parents[2] / "fixtures/match"


class HashEmbedder:
    name = "hash"
    dimension = 64

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.seen += texts
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in alphabetic(text):
                rows[row, zlib.crc32(word.encode()) % self.dimension] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def fixture() -> Snapshot:
    return load(FIXTURE / "snapshot.json")
