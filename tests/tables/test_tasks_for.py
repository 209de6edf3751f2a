"""How many Spark tasks read a corpus: by documents and bytes, with a floor and a cap."""

from __future__ import annotations

import pytest

from pincite.model import Source
from pincite.tables.author import MOST_TASKS, tasks_for

KB, MB = 1_000, 1 << 20


@pytest.mark.parametrize(
    ("documents", "size", "tasks"),
    [
        (0, 0, 1),  # removals only
        (3, 200 * MB, 3),  # a document is never cut
        (10, KB, 10),
        (2_000, 9 * KB, 16),
        (100, 4 * MB, 100),
        (100_000, KB, 391),
        (3_000_000, KB, MOST_TASKS),
    ],
)
def test_tasks_follow_documents_and_bytes(documents: int, size: int, tasks: int) -> None:
    source = Source("a", "", "", "", "", "", size, "")
    assert tasks_for([source] * documents) == tasks
