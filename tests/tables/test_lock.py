"""One run per scope."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import ScopeBusy
from pincite.model import Scope
from pincite.tables.lock import scope_lock


def test_a_second_run_of_one_scope_is_told_to_wait(tmp_path: Path) -> None:
    with scope_lock(tmp_path, Scope("p", "c")):
        with pytest.raises(ScopeBusy, match="another run"), scope_lock(tmp_path, Scope("p", "c")):
            pass
        with scope_lock(tmp_path, Scope("p", "d")):
            pass
    with scope_lock(tmp_path, Scope("p", "c")):
        pass
