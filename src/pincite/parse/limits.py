"""Run a function in a child process under limits of memory and time: a hostile file costs itself, never the run.

The children are kept and reused (starting one and importing PyMuPDF takes half a second), so a thousand small files pay
for one start. A child that overruns, crashes or has grown is ended and replaced.
"""

from __future__ import annotations

import atexit
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from pincite.errors import Malformed, ParseError, PinciteError, TooExpensive

T = TypeVar("T")
_LENGTH = struct.Struct("<Q")
_CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE}
_START_SECONDS = 60.0


class _Worker(NamedTuple):
    """One child and the two pipes to it. Its standard output and error are closed: libraries may print there."""

    process: subprocess.Popen[bytes]
    requests: int
    replies: int


_idle: list[_Worker] = []
_lock = threading.Lock()
_owner = os.getpid()


def run_limited(function: Callable[..., T], args: tuple[Any, ...], seconds: float, megabytes: int) -> T:
    """``function(*args)`` in a child process; its result, or the ``PinciteError`` it raised.

    *function*, *args* and the result must be picklable; *function* must live in an importable module. *seconds* bounds
    wall time and processor time, *megabytes* the memory the call may take beyond what the child had before it (where the
    system can limit address space; elsewhere only time is bounded).
    Raises ``TooExpensive`` past a limit and ``Malformed`` where the child died of the input.
    """
    worker = _take()
    try:
        _send(worker.requests, (function, args, seconds, megabytes))
        reply = _receive(worker.replies, seconds)
    except (TimeoutError, EOFError, BrokenPipeError) as error:
        _end(worker)
        raise _cause_of_death(worker, error, seconds, megabytes) from None
    except BaseException:
        _end(worker)
        raise
    kind, value, grown = reply
    if grown > megabytes / 2:
        _end(worker)
    else:
        with _lock:
            _idle.append(worker)
    if kind == "error":
        raise value
    if kind == "memory":
        raise TooExpensive(f"took more than {megabytes} MB of memory", next="raise the limit or split the file")
    result: T = value
    return result


def _cause_of_death(worker: _Worker, error: Exception, seconds: float, megabytes: int) -> PinciteError:
    if isinstance(error, TimeoutError):
        return TooExpensive(f"took more than {seconds:g} seconds", next="raise the limit or split the file")
    signal_number = -(worker.process.returncode or 0)
    if signal_number in _CRASHES:
        return Malformed("the reader crashed on this file", next="repair the file, for example by printing it to PDF again")
    if signal_number == signal.SIGXCPU:
        return TooExpensive(f"took more than {seconds:g} seconds of processor time", next="raise the limit or split the file")
    return TooExpensive(f"its reader was ended, most likely past {megabytes} MB", next="raise the limit or split the file")


# --- the parent's side ----------------------------------------------------------------------------------------------


def _take() -> _Worker:
    """An idle child of this process, or a new one. After a fork the parent's children are not ours."""
    global _owner
    with _lock:
        if _owner != os.getpid():
            _idle.clear()
            _owner = os.getpid()
        while _idle:
            worker = _idle.pop()
            if worker.process.poll() is None:
                return worker
            _close(worker)
    return _start()


def _start() -> _Worker:
    request_read, request_write = os.pipe()
    reply_read, reply_write = os.pipe()
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from pincite.parse.limits import serve; serve({request_read}, {reply_write})"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(request_read, reply_write),
    )
    os.close(request_read)
    os.close(reply_write)
    worker = _Worker(process, request_write, reply_read)
    try:
        _receive(worker.replies, _START_SECONDS)
    except (TimeoutError, EOFError):
        _end(worker)
        raise PinciteError("a child process for reading files could not be started", next="check the installation") from None
    return worker


def _close(worker: _Worker) -> None:
    for descriptor in (worker.requests, worker.replies):
        os.close(descriptor)


def _end(worker: _Worker) -> None:
    """Wait briefly for a child that is already dying, so that its signal can be told; end it otherwise."""
    try:
        worker.process.wait(0.2)
    except subprocess.TimeoutExpired:
        worker.process.kill()
        worker.process.wait()
    _close(worker)


@atexit.register
def close_workers() -> None:
    """End the idle children. Called at exit; harmless before."""
    with _lock:
        workers = list(_idle) if _owner == os.getpid() else []
        _idle.clear()
    for worker in workers:
        worker.process.kill()
        worker.process.wait()
        _close(worker)


# --- the protocol: a length and a pickle ------------------------------------------------------------------------------


def _send(descriptor: int, message: Any) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    view = memoryview(_LENGTH.pack(len(data)) + data)
    while view:
        view = view[os.write(descriptor, view) :]


def _receive(descriptor: int, seconds: float | None) -> Any:
    deadline = None if seconds is None else time.monotonic() + seconds
    (length,) = _LENGTH.unpack(_read(descriptor, _LENGTH.size, deadline))
    return pickle.loads(_read(descriptor, length, deadline))  # noqa: S301 - written by our own child


def _read(descriptor: int, length: int, deadline: float | None) -> bytearray:
    data = bytearray()
    while len(data) < length:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and (left <= 0 or not select.select([descriptor], [], [], left)[0]):
            raise TimeoutError
        piece = os.read(descriptor, min(length - len(data), 1 << 20))
        if not piece:
            raise EOFError
        data += piece
    return data


# --- the child's side -------------------------------------------------------------------------------------------------


def serve(requests: int, replies: int) -> None:
    """The child's loop: read a call, make it under its limits, write the result; end when the parent is gone."""
    _send(replies, "ready")
    while True:
        try:
            function, args, seconds, megabytes = _receive(requests, None)
        except EOFError:
            return
        before = _address_space()
        _limit(before, seconds, megabytes)
        try:
            reply: tuple[str, Any] = ("result", function(*args))
        except MemoryError:
            reply = ("memory", None)
        except PinciteError as error:
            reply = ("error", error)
        except Exception as error:  # noqa: BLE001 - the process boundary: a fault must reach the parent, not vanish with us
            reply = ("error", ParseError(f"the reader failed with {type(error).__name__}: {error}", next="report the file"))
        _unlimit()
        _send(replies, (*reply, (_address_space() - before) / 2**20))


def _address_space() -> int:
    """Bytes of address space in use; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _limit(before: int, seconds: float, megabytes: int) -> None:
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    if before:
        resource.setrlimit(resource.RLIMIT_AS, (before + (megabytes << 20), resource.getrlimit(resource.RLIMIT_AS)[1]))


def _unlimit() -> None:
    import resource

    for limit in (resource.RLIMIT_CPU, resource.RLIMIT_AS):
        hard = resource.getrlimit(limit)[1]
        resource.setrlimit(limit, (hard, hard))
