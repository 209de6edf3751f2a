"""Compiled loops for large indexes: ours by numba, int8 products by NumKong.

Imported only where ``worth_it`` says so: compiling costs a second once, loading a third.

Every function gives what its array counterpart gives, equal scores in the order of the documents; a test compares them.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

WORTH = 50_000  # passages: below, arrays are fast enough and cost no import


def worth_it(size: int) -> bool:
    """Whether an index of *size* passages gains from compiled loops, and they can be had here."""
    return size >= WORTH and all(find_spec(library) for library in ("numba", "numkong"))


def best(scores: Any, floor: float, k: int, mask: Any) -> Any:
    """Positions of the *k* best scores above *floor* where *mask* (empty: everywhere) allows, best first, ties by position."""
    return _kernels()[0](scores, floor, k, mask)


def add_postings(total: Any, documents: Any, weights: Any, factor: float) -> None:
    """``total[documents] += weights * factor`` where no document occurs twice."""
    _kernels()[1](total, documents, weights, factor)


def scan(codes: Any, query: Any, out: Any) -> None:
    """Dot products of int8 rows with an int8 query into the float64 array *out*. Releases the interpreter's lock."""
    import numkong

    numkong.cdist(query[None], codes, "dot", out=out[None])


_COMPILED: list[tuple[Any, Any]] = []


def _kernels() -> tuple[Any, Any]:
    if not _COMPILED:
        _COMPILED.append(_compile())
    return _COMPILED[0]


def _compile() -> tuple[Any, Any]:
    import numba

    from pincite.index import loops

    plain = (loops.best, loops.add_postings)
    try:
        best, add = (numba.njit(nogil=True, cache=True)(function) for function in plain)
    except RuntimeError:  # nowhere to keep the compiled code: it is made anew in each process
        best, add = (numba.njit(nogil=True)(function) for function in plain)
    return best, add
