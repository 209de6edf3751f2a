"""The int8 scan may cost time, never a result: whatever the vectors, its best are the exact best."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.index import bm25, kernels, local, loops, threads
from pincite.index.local import Entry
from pincite.index.vectors import Matrix, quantised


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)


def random_rows(count: int, seed: int, dimension: int = 48) -> np.ndarray:
    return unit(np.random.default_rng(seed).standard_normal((count, dimension)))


def families(count: int, seed: int) -> np.ndarray:
    """Near copies of a few vectors, which differ by less than a code can tell."""
    rng = np.random.default_rng(seed)
    return unit(random_rows(7, seed)[rng.integers(0, 7, count)] + rng.standard_normal((count, 48)) * 1e-3)


def spiked(count: int, seed: int) -> np.ndarray:
    """One coordinate dominates a few rows, so that the common step is coarse for all others."""
    rows = random_rows(count, seed)
    rows[::50] = np.eye(48, dtype=np.float32)[0]
    return rows


@pytest.mark.parametrize("make", [random_rows, families, spiked])
@pytest.mark.parametrize("k", [1, 20, 100])
def test_the_best_by_codes_are_the_exact_best(make: Any, k: int) -> None:
    rows = make(5000, k)
    plain, coded = Matrix(rows), Matrix(rows, quantised(rows))
    for query in [*random_rows(5, 99), rows[3], -rows[3], rows[7] * 0.5 + rows[9] * 0.5]:
        wanted, scores = plain.top(query, k)
        found, again = coded.top(query, k)
        np.testing.assert_allclose(again, scores, atol=1e-6)
        np.testing.assert_allclose(rows[found] @ query, rows[wanted] @ query, atol=1e-6)
        if make is random_rows:
            assert found.tolist() == wanted.tolist()


def test_a_mask_holds_for_codes_too() -> None:
    rows = random_rows(3000, 1)
    mask = np.arange(3000) % 7 == 0
    wanted, _ = Matrix(rows).top(rows[1], 30, mask)
    found, _ = Matrix(rows, quantised(rows)).top(rows[1], 30, mask)
    assert found.tolist() == wanted.tolist()
    assert Matrix(rows, quantised(rows)).top(rows[1], 30, np.zeros(3000, bool))[0].tolist() == []


def test_any_division_of_the_rows_gives_the_same_and_nothing_of_a_query_before(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = families(1000, 4)
    coded, few = Matrix(rows, quantised(rows)), Matrix(rows[:100], quantised(rows[:100]))
    found = []
    for cores in (1, 2, 3, 7):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        assert [at for part in threads.parts(1000) for at in range(part.start, part.stop)] == list(range(1000))
        results = [matrix.top(query, 40) for query in (rows[3], -rows[8]) for matrix in (coded, few)]
        found.append([(places.tolist(), scores.tolist()) for places, scores in results])
    assert found[0] == found[1] == found[2] == found[3]
    assert threads.parts(0) == [slice(0, 0)]


def test_a_fork_has_threads_of_its_own() -> None:
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    assert threads.each(lambda part: part.start, [slice(0, 1), slice(1, 2)]) == [0, 1]
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=lambda: queue.put(threads.begin(os.getpid).result(timeout=20)))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert queue.get() == child.pid


def test_the_bound_on_codes_holds() -> None:
    rows = random_rows(2000, 2)
    codes = quantised(rows)
    away = np.linalg.norm(rows - codes.rows * np.float32(codes.step), axis=1)
    assert away.max() <= codes.slack + 1e-7
    assert codes.slack < 0.05


def test_odd_vectors() -> None:
    zero = np.zeros((3, 48), np.float32)
    assert Matrix(zero, quantised(zero)).top(zero[0], 2)[0].tolist() == [0, 1]


SCORES = st.lists(st.integers(-3, 6), min_size=1, max_size=60)


@settings(deadline=None)
@given(SCORES, st.integers(1, 70), st.booleans())
def test_compiled_selection_equals_the_arrays(values: list[int], k: int, masked: bool) -> None:
    scores = np.array(values, dtype=np.float32)
    mask = np.arange(len(values)) % 2 == 0 if masked else np.empty(0, np.bool_)
    allowed = scores > 0
    if masked:
        allowed &= mask
    wanted = bm25.ranked(scores, k, allowed).tolist()
    assert kernels.best(scores, np.float32(0), k, mask).tolist() == wanted
    assert loops.best(scores, np.float32(0), k, mask).tolist() == wanted


def test_compiled_postings_and_scan_equal_the_arrays() -> None:
    rng = np.random.default_rng(3)
    total, plain = np.zeros(50, np.float32), np.zeros(50, np.float32)
    documents, weights = rng.permutation(50)[:20].astype(np.int32), rng.random(20, dtype=np.float32)
    kernels.add_postings(total, documents, weights, np.float32(1.5))
    plain[documents] += weights * np.float32(1.5)
    np.testing.assert_array_equal(total, plain)
    codes = rng.integers(-127, 128, (40, 384)).astype(np.int8)
    codes[0], codes[1] = 127, -127
    for query in (rng.integers(-127, 128, 384).astype(np.int8), np.full(384, 127, np.int8), np.full(384, -127, np.int8)):
        out = np.empty(40)
        kernels.scan(codes, query, out)
        np.testing.assert_array_equal(out, codes.astype(np.int64) @ query.astype(np.int64))


def test_a_large_index_answers_as_a_small_one_would(embedder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Entry(f"c{at}", "d", "v", f"n{at}", f"rung {at % 13} of ladder {at % 7} bolt {at}", "h") for at in range(400)]
    small = local.build(rows, embedder)
    monkeypatch.setattr(kernels, "WORTH", 100)
    large = local.build(rows, embedder)
    assert large.matrix is not None
    assert large.matrix.codes is not None
    large.save(tmp_path)
    back = local.load(tmp_path, embedder)
    assert back.matrix is not None
    assert back.matrix.codes is not None
    for query in ("rung 3 of ladder 2", "bolt 77", "rung", "nothing"):
        monkeypatch.setattr(kernels, "WORTH", 10**9)
        wanted = small.search(query, 20)
        monkeypatch.setattr(kernels, "WORTH", 100)
        for index in (large, back):
            found = index.search(query, 20)
            assert [hit.chunk_id for hit in found] == [hit.chunk_id for hit in wanted]
            assert [hit.score for hit in found] == pytest.approx([hit.score for hit in wanted])
