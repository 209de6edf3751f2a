"""Exact search by cosine over unit vectors. A large index is first scanned in int8; the result is the exact one all the same.

The codes are ``round(x / step)`` for one step, so a row's scaled code differs from it by at most ``slack`` in length, and a
code score from the true cosine by at most ``slack`` and the rounding of the query. Whatever can still be among the *k* best
under that bound is scored again in full. So the int8 scan can cost time, never a result.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pincite.index import kernels, threads
from pincite.index.bm25 import ranked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]

_CODE_RANGE = 127  # of an int8 code, of rows and query alike
_BLOCK = 100_000  # rows quantised at a time


class Codes(NamedTuple):
    """Rows as int8: ``rows * step`` is at most ``slack`` away from the vector, in length."""

    rows: NDArray[np.int8]
    step: float
    slack: float


class Matrix(NamedTuple):
    """Unit vectors, shape (n, dimension), float32, with their codes where the index is large."""

    rows: Vectors
    codes: Codes | None = None

    def cosines(self, query: Vectors, places: Ints | Sequence[int] | None = None) -> Vectors:
        """The cosine of *query* with every row, or with those at *places*."""
        import numpy as np

        if places is None:
            scores: Vectors = self.rows @ query
        else:  # not by BLAS, whose threads wait for more by spinning: that held up the next scan for as long as it takes
            scores = np.einsum("ij,j->i", self.rows[places], query)
        return scores

    def top(self, query: Vectors, k: int, mask: Mask | None = None) -> tuple[Ints, Vectors]:
        """The *k* best rows among those of *mask* and their cosines, best first, equal ones by position. Always exact."""
        import numpy as np

        if self.codes is None or k >= len(self.rows):
            scores = self.cosines(query)
            best = ranked(scores, k, mask)
            return best, scores[best]
        places = self._candidates(query, k, mask)
        scores = self.cosines(query, places)
        order = ranked(scores, k)
        found: Ints = places[order]
        return found, np.asarray(scores[order])

    def _candidates(self, query: Vectors, k: int, mask: Mask | None) -> Ints:
        """In order, every row that can be among the *k* best, as far as the codes tell; each core looks through a stretch."""
        import numpy as np

        assert self.codes is not None
        rows, step, slack = self.codes
        unit = float(np.abs(query).max()) / _CODE_RANGE or 1.0
        coarse = np.rint(query / unit).astype(np.int8)
        scores = _scratch(len(rows))

        def best(part: slice) -> NDArray[np.float64]:
            kernels.scan(rows[part], coarse, scores[part])
            allowed = np.empty(0, np.bool_) if mask is None else mask[part]
            found: NDArray[np.float64] = scores[part][kernels.best(scores[part], -np.inf, k, allowed)]
            return found

        def near(part: slice) -> Ints:
            high = scores[part] >= lowest
            places: Ints = np.flatnonzero(high if mask is None else high & mask[part]) + part.start
            return places

        parts = threads.parts(len(rows))
        highest = np.sort(np.concatenate(threads.each(best, parts)))[-k:]
        if len(highest) == 0:
            return np.empty(0, np.int64)
        rounding = float(np.linalg.norm(query - coarse * np.float32(unit)))
        tolerance = slack * float(np.linalg.norm(query)) + rounding * (1 + slack) + 1e-5  # the last: float32 sums
        lowest = highest[0] - 2 * tolerance / (unit * step) - 1
        return np.concatenate(threads.each(near, parts))


_kept = threading.local()


def _scratch(size: int) -> NDArray[np.float64]:
    """Room for *size* scores, kept for the thread's next query: eight megabytes anew each time cost as many page faults."""
    import numpy as np

    room: NDArray[np.float64] | None = getattr(_kept, "room", None)
    if room is None or len(room) < size:
        room = _kept.room = np.empty(size, np.float64)
    return room[:size]


def matrix_of(rows: Vectors) -> Matrix:
    """The vectors, with codes where they are many and compiled loops can be had."""
    return Matrix(rows, quantised(rows) if kernels.worth_it(len(rows)) else None)


def quantised(rows: Vectors) -> Codes:
    """int8 codes of unit vectors, by one step for all."""
    import numpy as np

    largest = max((float(np.abs(rows[at : at + _BLOCK]).max()) for at in range(0, len(rows), _BLOCK)), default=1.0) or 1.0
    step = largest / _CODE_RANGE
    codes = np.empty(rows.shape, np.int8)
    slack = 0.0
    for at in range(0, len(rows), _BLOCK):
        block = rows[at : at + _BLOCK]
        rounded = np.rint(block / np.float32(step))
        codes[at : at + _BLOCK] = rounded
        slack = max(slack, float(np.linalg.norm(block - rounded * np.float32(step), axis=1).max()))
    return Codes(codes, step, slack)


def save(matrix: Matrix, folder: Path) -> None:
    """Write the vectors, and their codes where there are any, into *folder*."""
    import numpy as np

    np.save(folder / "vectors.npy", matrix.rows)
    if matrix.codes is not None:
        np.save(folder / "codes.npy", matrix.codes.rows)
        np.save(folder / "codes-scale.npy", np.array([matrix.codes.step, matrix.codes.slack]))


def load(folder: Path) -> Matrix | None:
    """What ``save`` wrote, mapped rather than read; None where there are no vectors."""
    import numpy as np

    if not (folder / "vectors.npy").exists():
        return None
    rows = np.load(folder / "vectors.npy", mmap_mode="r")
    if not (folder / "codes.npy").exists() or not kernels.worth_it(len(rows)):
        return Matrix(rows)
    step, slack = np.load(folder / "codes-scale.npy").tolist()
    return Matrix(rows, Codes(np.load(folder / "codes.npy", mmap_mode="r"), step, slack))
