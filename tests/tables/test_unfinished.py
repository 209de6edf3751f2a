"""What a run is about to write is noted, and forgotten only when it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.model import Scope
from pincite.tables.unfinished import noted, unfinished

SCOPE, OTHER = Scope("demo", "lights"), Scope("demo", "ships")


def test_a_note_outlives_what_breaks_off_and_goes_with_what_is_written(tmp_path: Path) -> None:
    where = str(tmp_path)
    with noted(where, SCOPE, ["a"]):
        assert unfinished(where, SCOPE) == {"a"}
        assert unfinished(where, OTHER) == set()
    assert unfinished(where, SCOPE) == set()
    with pytest.raises(KeyboardInterrupt), noted(where, SCOPE, ["a", "b"]):
        raise KeyboardInterrupt
    with noted(where, SCOPE, ["b", "c"]):
        assert unfinished(where, SCOPE) == {"a", "b", "c"}
    assert unfinished(where, SCOPE) == {"a"}  # still of two versions: nobody has written it since
