"""Names that become folders, partitions and SQL literals hold nothing that means something there."""

from __future__ import annotations

import pytest

from pincite.errors import UsageError
from pincite.model import Scope
from pincite.scope import checked_scope


@pytest.mark.parametrize("good", ["fda", "cfr-gmp", "Guidance 2026", "état", "a.b_c+d"])
def test_ordinary_scope_names_are_accepted(good: str) -> None:
    assert checked_scope(Scope(good, good)) == Scope(good, good)


@pytest.mark.parametrize(
    "bad",
    [
        "",
        " ",
        "a'b",
        'a"b',
        "a;b",
        "a`b",
        "../up",
        "a/b",
        "a\\b",
        "a\nb",
        "-- drop",
        "x" * 101,
        "a\0b",
        ".",
        "a ",
        "a=b",
        "a%27",
    ],
)
def test_hostile_scope_names_are_refused(bad: str) -> None:
    for scope in (Scope(bad, "c"), Scope("p", bad)):
        with pytest.raises(UsageError) as refused:
            checked_scope(scope)
        assert refused.value.exit_code == 2
        assert "\n" not in str(refused.value)
