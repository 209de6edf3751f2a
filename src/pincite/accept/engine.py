"""A parser at work for the gate: in a process of its own that gets the document and gives JSON, and nothing else passes.

It is imported only there, so it cannot touch the checks; what it prints, leaves running or returns too late or too large is
lost. It is no sandbox: a parser runs with the rights of whoever runs the gate.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from pincite.accept import observation as contract
from pincite.errors import UsageError
from pincite.model import Source

Engine = Callable[[Source, bytes, Sequence[bytes]], Mapping[str, Any]]
OWN: Mapping[str, Engine] = {"baseline": contract.baseline, "candidate": contract.candidate}
SECONDS = 120.0  # for one document
MEGABYTES_OF_REPLY = 32
_ANSWER, _FAULT = b"{", b"!"  # first byte of a reply


def engine_files(name: str) -> list[Path]:
    """The files of the parser *name*: its module, or its whole top-level package. Nothing is imported.

    Raises ``UsageError`` where it is neither ``baseline`` nor ``candidate`` nor ``MODULE:FUNCTION`` of a module that is here.
    """
    if name in OWN:
        return []
    module, _, function = name.partition(":")
    top = module.partition(".")[0]
    spec = PathFinder.find_spec(top) if function and top else None
    if spec is None or not (spec.origin or spec.submodule_search_locations):
        raise UsageError(f"there is no engine {name!r}", next="use baseline, candidate or MODULE:FUNCTION")
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    if not folders:
        return [Path(str(spec.origin))]
    return [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]


def ask(name: str, source: Source, data: bytes, pages: Sequence[bytes], seconds: float = SECONDS) -> tuple[str, str]:
    """(the observation as JSON text, why there is none): what the parser *name* makes of one document."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from pincite.accept.engine import serve; serve({name!r})"
    with tempfile.TemporaryFile() as request, tempfile.TemporaryFile() as reply:
        pickle.dump((source, data, tuple(pages)), request)
        request.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-B", "-c", code],
            stdin=request,
            stdout=reply,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return "", f"it took more than {seconds:g} seconds"
        finally:
            _end(process)
        return _read(reply, process.returncode)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and whatever it has started and not taken away from its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read(reply: Any, status: int) -> tuple[str, str]:
    size = os.fstat(reply.fileno()).st_size
    if size >= MEGABYTES_OF_REPLY << 20:
        return "", f"its answer has more than {MEGABYTES_OF_REPLY} MB"
    reply.seek(0)
    raw: bytes = reply.read()
    if raw[:1] == _FAULT:
        return "", raw[1:].decode("utf-8", "replace")
    if raw[:1] != _ANSWER:
        return "", f"it gave no answer and ended with status {status}"
    return raw.decode("utf-8", "replace"), ""


# --- the child's side -------------------------------------------------------------------------------------------------


def serve(name: str) -> None:
    """Read one document from standard input, write one observation to what was standard output; prints go nowhere."""
    import resource

    limit = MEGABYTES_OF_REPLY << 20
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    source, data, pages = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by our own parent
    reply = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    try:
        text = json.dumps(_function(name)(source, data, pages), ensure_ascii=False, sort_keys=True).encode()
    except Exception as error:  # noqa: BLE001 - the process boundary: another parser's fault is told, whatever it is
        text = _FAULT + f"{type(error).__name__}: {error}"[:2000].encode("utf-8", "replace")
    with open(reply, "wb") as file:
        file.write(text)


def _function(name: str) -> Engine:
    import importlib

    if name in OWN:
        return OWN[name]
    module, _, function = name.partition(":")
    engine: Engine = getattr(importlib.import_module(module), function)
    return engine
