from collections.abc import Sequence
from statistics import median

from pincite.evaluate.staff.outcome import Asked, Reading


def latency(asked: Sequence[Asked]) -> list[Reading]:
    """Seconds from question to answer."""
    seconds = sorted(each.seconds for each in asked) or [0.0]
    late = seconds[min(len(seconds) - 1, int(0.95 * len(seconds)))]
    return [
        Reading("latency, median", round(median(seconds), 4), 0, "s"),
        Reading("latency, 95th of 100", round(late, 4), 0, "s"),
    ]
