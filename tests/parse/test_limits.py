"""The child-process pool: results and errors come back, overruns and crashes cost only the call."""

from __future__ import annotations

import os
import time

import pytest

from pincite.errors import Malformed, ParseError, TooExpensive
from pincite.parse.limits import run_limited


def test_a_result_comes_back_from_another_process() -> None:
    assert run_limited(os.getpid, (), 5, 100) != os.getpid()


def test_a_child_is_reused() -> None:
    assert run_limited(os.getpid, (), 5, 100) == run_limited(os.getpid, (), 5, 100)


def test_wall_time_is_bounded_and_the_next_call_works() -> None:
    started = time.monotonic()
    with pytest.raises(TooExpensive, match=r"more than 0\.5 seconds"):
        run_limited(time.sleep, (30,), 0.5, 100)
    assert time.monotonic() - started < 20  # it would have slept for 30
    assert run_limited(abs, (-3,), 5, 100) == 3


def test_memory_is_bounded() -> None:
    with pytest.raises(TooExpensive, match="50 MB"):
        run_limited(bytearray, (500 << 20,), 5, 50)


def test_a_crash_is_malformed_input() -> None:
    with pytest.raises(Malformed, match="crashed"):
        run_limited(os.abort, (), 5, 100)


def test_a_fault_of_the_reader_is_told_in_one_sentence() -> None:
    with pytest.raises(ParseError, match="ValueError"):
        run_limited(int, ("x",), 5, 100)
