"""Threads that search shares between queries: starting a pool for each costs as much as scanning ten thousand passages."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
_pools: dict[int, ThreadPoolExecutor] = {}  # by process: a fork has no threads of its parent's


def pool() -> ThreadPoolExecutor:
    """This process's threads, one a core. What runs on them must not wait for another of their tasks."""
    known = _pools.get(os.getpid())
    if known is None:
        _pools.clear()
        known = _pools.setdefault(os.getpid(), ThreadPoolExecutor(os.cpu_count() or 1, "pincite-search"))
    return known


def begin(function: Callable[[], T]) -> Future[T]:
    """*function* on another thread, while this one does something else."""
    return pool().submit(function)


def each(function: Callable[[slice], T], parts: Sequence[slice]) -> list[T]:
    """*function* of every part, the last on this thread, results in order."""
    others = [pool().submit(function, part) for part in parts[:-1]]
    last = function(parts[-1])
    return [*(other.result() for other in others), last]


def parts(size: int) -> list[slice]:
    """*size* rows as one stretch a core, at least one."""
    width = -(-size // (os.cpu_count() or 1)) or 1
    return [slice(at, min(at + width, size)) for at in range(0, max(size, 1), width)]
