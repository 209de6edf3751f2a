"""Waiting for the platform: with a limit, with progress, and again where a failure passes by itself."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from pincite.databricks.errors import TRANSIENT, platform
from pincite.errors import PlatformError

T = TypeVar("T")
LOG = logging.getLogger("pincite.databricks")


class Patience(NamedTuple):
    """How long to wait in all, how often to look, how many times to try a request again. Seconds.

    *limit* is below the time limit of the task that waits, so that our sentence comes before the platform's axe.
    """

    limit: float = 2.5 * 3600.0
    every: float = 10.0
    idle: float = 120.0  # how long something may stand still short of its end before it is told again
    attempts: int = 5
    first_pause: float = 1.0
    longest_pause: float = 60.0


def until(look: Callable[[], tuple[T | None, str]], what: str, patience: Patience) -> T:
    """*look* until it gives a result. It returns (result or None, the state in words); the state is logged when it changes,
    and once a minute. ``PlatformError`` when the limit has passed."""
    started = told = time.monotonic()
    last = ""
    while True:
        result, state = look()
        if result is not None:
            return result
        now = time.monotonic()
        if state != last or now - told >= 60:
            LOG.info("%s: %s (%.0f s of at most %.0f s)", what, state, now - started, patience.limit)
            last, told = state, now
        if now - started >= patience.limit:
            raise PlatformError(
                f"it did not end within {patience.limit:.0f} s; its state is {state}",
                where=what,
                next="look at its page in the workspace, then repair the run",
            )
        time.sleep(patience.every)


def patiently(action: Callable[[], T], where: str, patience: Patience, *, missing: str = "") -> T:
    """Run *action*; a failure that passes by itself (throttling, 5xx, no connection) is tried again, with growing pauses.

    Only for requests that may be sent twice. Any other failure is raised at once as a ``PlatformError``.
    """
    for attempt in range(1, patience.attempts + 1):
        try:
            with platform(where, missing):
                return action()
        except PlatformError as error:
            if error.status not in TRANSIENT or attempt == patience.attempts:
                raise
            pause = min(patience.first_pause * 2 ** (attempt - 1), patience.longest_pause)
            LOG.info("%s; trying again in %.1f s (%d of %d)", error.what, pause, attempt, patience.attempts)
            time.sleep(pause)
    raise AssertionError("unreachable")
